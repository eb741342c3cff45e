// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many links lie between any two switches, or how much they weigh.
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
#include "core/graph/topology.h"
#include "core/graph/trunk_weights.h"
#include "core/settings/engine_options.h"

namespace ember {

/// Octets of a row of the hop matrix: whole words of 64 columns.
[[nodiscard]] constexpr std::size_t HopStride(std::size_t switches) {
    return (switches + 63) / 64 * std::size_t{64};
}

/// The hop matrix of so many switches.
[[nodiscard]] constexpr MatrixShape HopShape(std::size_t switches) {
    return {.rows = switches, .stride = HopStride(switches)};
}

/// The bytes of the hop matrix of the largest subnet of a board.
[[nodiscard]] constexpr std::size_t HopBytes(const Limits& limits) {
    return limits.max_switches * HopStride(limits.max_switches);
}

/// Measures the hop matrix, 64 columns at a time.
///
/// Where every link counts 1: breadth first from 64 switches at once, one bit each. A slice is 64
/// columns; it looks at every trunk once a round, and needs as many rounds as the diameter. Paths
/// of more than 254 links do not exist: directed routes end at 63.
///
/// With weights: every switch takes the least of its neighbors' values plus the trunk's weight, in
/// rounds, until a round changes nothing; that is the same whatever the order. A slice is a part of
/// a round. Every round brings the value of at least one more link, so there are at most 255. A
/// path that weighs more than 254 is none, as in OpenSM.
class HopMeter {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max(3 * Arena::BytesFor<std::uint64_t>(limits.max_switches),
                        TrunkWeights::ScratchBytes(limits));
    }

    constexpr HopMeter() = default;
    HopMeter(const HopMeter&) = delete;
    HopMeter& operator=(const HopMeter&) = delete;

    /// `hops`: at least switch_bound rows of HopStride(switch_bound) columns. `weights`: those of
    /// Settings::tables.
    void Begin(const Topology& topology, std::span<const HopWeight> weights,
               Matrix<SwitchIndex, std::uint8_t> hops, Arena& scratch);
    /// Every link counts 1.
    void Begin(const Topology& topology, Matrix<SwitchIndex, std::uint8_t> hops, Arena& scratch) {
        Begin(topology, {}, hops, scratch);
    }
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kTrunksPerSlice = 16384;  // With weights.
    static constexpr std::size_t kRowsPerSlice = 512;      // To be cleared.

    [[nodiscard]] bool ClearBatch();
    void AdvanceByBits();
    void AdvanceByWeights();
    [[nodiscard]] bool Relax(SwitchIndex at);
    [[nodiscard]] bool Spread(std::uint8_t distance);
    [[nodiscard]] bool Settle(std::uint8_t distance);

    const Topology* topology_ = nullptr;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    std::span<std::uint64_t> seen_;   ///< By switch: which of the 64 have reached it.
    std::span<std::uint64_t> front_;  ///< Which reached it in the last round.
    std::span<std::uint64_t> next_;   ///< Which look at it in this round.
    TrunkWeights weights_;
    std::size_t first_ = 0;        ///< First of the 64.
    std::size_t next_switch_ = 0;  ///< The next to be cleared, or, with weights, of this round.
    bool is_under_way_ = false;    ///< The 64 columns are cleared, or hold what was found so far.
    bool is_settled_ = true;       ///< With weights: nothing has changed in this round.
};

}  // namespace ember
