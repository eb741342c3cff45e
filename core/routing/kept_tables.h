// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of the switches, when every engine was refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/routing/measured_hops.h"

namespace ember {

/// Plans the tables that the switches have once more: as they are, or without entries into dead
/// links. Columns of LIDs that no port has drop, and so do rows of switches that are not there.
/// Hops are measured first, for the proof of what stays.
class KeptTables {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max(HopMeter::ScratchBytes(limits), Arena::BytesFor<bool>(LidStride(limits)));
    }

    struct Task {
        const Topology* topology = nullptr;
        std::span<const HopWeight> weights{};                ///< By which hops are measured,
        MeasuredHops* hops = nullptr;                        ///< and where.
        Matrix<SwitchIndex, const std::uint8_t> programmed;  ///< The tables that switches have.
        Matrix<SwitchIndex, std::uint8_t> planned;
        /// An entry drops if no node is behind its port any more. Such an entry closes no loop.
        bool drops_dead = false;
    };

    constexpr KeptTables() = default;
    KeptTables(const KeptTables&) = delete;
    KeptTables& operator=(const KeptTables&) = delete;

    /// All that `task` shows stands still until Advance() says kDone.
    void Begin(const Task& task, Arena& scratch);
    /// Measures some hops, or copies about a megabyte. kDone: there was nothing left.
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kOctetsPerSlice = 1U << 20;

    void MarkOwned();
    void CopyRow(SwitchIndex at);

    Task task_;
    Arena* scratch_ = nullptr;
    std::size_t mark_ = 0;   ///< Where scratch stood at Begin().
    std::span<bool> owned_;  ///< By LID: a port has it. None while hops are measured.
    std::size_t next_ = 0;   ///< Row.
};

}  // namespace ember
