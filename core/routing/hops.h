// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many cables lie between any two switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/routing/engine.h"
#include "core/routing/topology.h"

namespace ember {

/// Octets of a row of the hop matrix: whole words of 64 columns.
[[nodiscard]] constexpr std::size_t HopStride(std::size_t switches) {
    return (switches + 63) / 64 * std::size_t{64};
}

/// What the hop matrix of the largest subnet of a board takes.
[[nodiscard]] constexpr std::size_t HopBytes(const Limits& limits) {
    return limits.max_switches * HopStride(limits.max_switches);
}

/// Measures the hop matrix, 64 columns a slice: breadth first from 64 switches at once, one bit
/// each. A slice looks at every trunk once a round, and needs as many rounds as the diameter.
/// Every cable counts 1. Ways of more than 254 cables do not exist: directed routes end at 63.
class HopMeter {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return 3 * Arena::BytesFor<std::uint64_t>(limits.max_switches);
    }

    constexpr HopMeter() = default;
    HopMeter(const HopMeter&) = delete;
    HopMeter& operator=(const HopMeter&) = delete;

    /// `hops`: at least switch_bound rows of HopStride(switch_bound) columns.
    void Begin(const Topology& topology, Matrix<SwitchIndex, std::uint8_t> hops, Arena& scratch);
    [[nodiscard]] Progress Advance();

private:
    void StartBatch();
    [[nodiscard]] bool Spread(std::uint8_t distance);
    [[nodiscard]] bool Settle(std::uint8_t distance);

    const Topology* topology_ = nullptr;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    std::span<std::uint64_t> seen_;   ///< By switch: which of the 64 have reached it.
    std::span<std::uint64_t> front_;  ///< Which reached it in the last round.
    std::span<std::uint64_t> next_;   ///< Which look at it in this round.
    std::size_t first_ = 0;           ///< First of the 64.
};

}  // namespace ember
