// SPDX-License-Identifier: Apache-2.0
// EmberSM: how far the switches of a rank are from a destination, at most.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ember {

/// By rank: the switches that have no route to the present destination yet, and the most hops that
/// the others have. Switches of the last ranks are counted together.
class RankedHops {
public:
    /// No switch has a rank.
    void Clear() { sizes_.fill(0); }
    /// One more switch of this rank.
    void Add(std::size_t rank) { ++sizes_[SlotOf(rank)]; }
    /// Another destination: no switch has a route to it.
    void Begin() {
        waiting_ = sizes_;
        most_hops_.fill(0);
    }
    /// So many switches of a rank that had no route have one, and one of the rank has `hops`.
    void Route(std::size_t rank, std::uint32_t switches, std::uint8_t hops) {
        const std::size_t slot = SlotOf(rank);
        waiting_[slot] -= switches;
        most_hops_[slot] = std::max(most_hops_[slot], hops);
    }
    /// All switches of the rank have a route of at most so many hops.
    [[nodiscard]] bool IsSettled(std::size_t rank, std::size_t hops) const {
        return waiting_[SlotOf(rank)] == 0 && most_hops_[SlotOf(rank)] <= hops;
    }

private:
    static constexpr std::size_t kLastRank = 15;
    [[nodiscard]] static constexpr std::size_t SlotOf(std::size_t rank) {
        return std::min(rank, kLastRank);
    }

    std::array<std::uint32_t, kLastRank + 1> sizes_{};
    std::array<std::uint32_t, kLastRank + 1> waiting_{};
    std::array<std::uint8_t, kLastRank + 1> most_hops_{};
};

}  // namespace ember
