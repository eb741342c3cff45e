// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits on the paths that a hop matrix from a file calls the shortest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"
#include "engines/file/file_lids.h"

namespace ember {

/// An exit is a candidate when no port of the switch has fewer hops to the destination in the
/// option lid_matrix_dump_file. The file is not checked against the fabric here: the verifier
/// judges the tables.
class FileFinder final : public ExitFinder {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return FileLids::ScratchBytes(limits) + Arena::BytesFor<SwitchIndex>(LidStride(limits)) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    Status Begin(const RoutingTask& task) override;
    Result<Progress> Prepare() override;
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const override;
    /// The fabric's own: the file need not have distances.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const override {
        return task_.hops;
    }
    /// Why Begin() failed.
    [[nodiscard]] const EngineComplaint& complaint() const { return complaint_; }
    /// The hops from `here` by each port, port 0 first; empty when the file has no such row.
    [[nodiscard]] std::span<const std::uint8_t> HopsOf(SwitchIndex here, SwitchIndex to) const;

private:
    [[nodiscard]] bool FitsSwitches();

    RoutingTask task_;
    FileLids lids_;
    std::span<std::uint32_t> matrix_of_;  ///< By switch: its row in the file's table, or kNone.
    std::span<std::uint32_t> lid_of_;     ///< By switch: its LID in the file, or kNone.
    EngineComplaint complaint_;
};

}  // namespace ember
