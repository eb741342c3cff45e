// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits on shortest paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/trunk_weights.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"

namespace ember {

/// An exit is a candidate when the neighbor behind it is nearer to the destination by what the
/// link counts: one hop, or its weight in hop_weights_file.
class MinHopFinder final : public ExitFinder {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return TrunkWeights::ScratchBytes(limits);
    }

    Status Begin(const RoutingTask& task) override;
    Result<Progress> Prepare() override { return Progress::kDone; }
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const override;
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const override {
        return task_.hops;
    }
    [[nodiscard]] bool is_local() const override { return true; }

private:
    template <std::size_t kWords>
    void Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const;
    template <std::size_t kWords>
    void MarkWeighted(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const;

    RoutingTask task_;
    TrunkWeights weights_;
};

}  // namespace ember
