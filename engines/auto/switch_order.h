// SPDX-License-Identifier: Apache-2.0
// EmberSM: an order of all switches in which one lane needs no more than up and down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"

namespace ember {

/// Levels of switches, by their distance from the leaf switches, and the order in which a
/// search meets them that takes, of the switches next to those it has, one of the highest level.
///
/// A few service hosts make no leaf switch of a spine (core/graph/leaf_switches.h). An edge switch
/// on a core, or a stray cable to it, brings a leaf switch nearer to it than all others: where
/// links are flat by the nearest leaf switch, levels are by the nearest of those that are an even
/// number of links away, or an odd one, whichever more hosts are. In a tree all are so, but for
/// these few. These levels are taken if fewer links are flat then, and nearly all shortest paths of
/// hosts go up and then down.
///
/// Every switch but the first of an island then has a neighbor that stands before it. So there is a
/// path between any two that first goes up in the order and then down; and in a fat tree, damaged
/// ones included, shortest paths between end ports are of that kind. Where all switches are of one
/// level this is a breadth-first search.
class SwitchOrder {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(limits.max_switches) +
               2 * Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    constexpr SwitchOrder() = default;
    SwitchOrder(const SwitchOrder&) = delete;
    SwitchOrder& operator=(const SwitchOrder&) = delete;

    /// Finds levels. `hops`: between any two switches. Keeps what it takes. About 0.2 ms for 1,620
    /// switches, more where links are flat by the nearest leaf switch.
    void Begin(const Topology& topology, Matrix<SwitchIndex, const std::uint8_t> hops,
               Arena& scratch);
    /// Makes the order: by_level, or as if all switches were of one level. As quick.
    void Arrange(bool by_level);

    /// Some switches are above others, and every link joins a level and the next.
    [[nodiscard]] bool is_layered() const { return is_layered_; }
    /// After Begin(): flat links. Each end is one.
    [[nodiscard]] std::size_t CountFlatPorts() const;
    /// No step from a level to the next.
    [[nodiscard]] bool IsFlat(SwitchIndex one, SwitchIndex other) const {
        const int step = level_[Raw(one)] - level_[Raw(other)];
        return step != 1 && step != -1;
    }
    [[nodiscard]] std::uint8_t level(SwitchIndex at) const { return level_[Raw(at)]; }

    // After Arrange().
    [[nodiscard]] std::span<const SwitchIndex> from_top() const { return from_top_; }
    /// The step from a switch to its neighbor goes up.
    [[nodiscard]] bool IsUp(SwitchIndex from, SwitchIndex to) const {
        return place_[Raw(to)] < place_[Raw(from)];
    }

private:
    static constexpr std::size_t kMostLevels = 64;
    /// Between so many leaf switches, spread over all, paths are looked at; of them, by the hosts
    /// at their ends, one of so many may turn up again.
    static constexpr std::size_t kLeavesTried = 12;
    static constexpr std::size_t kTurnShare = 8;
    /// The turns on some of the shortest paths between two switches; the last that holds.
    enum class Turns : std::uint8_t { kNone, kUpAgain, kOverFlat };
    static constexpr std::uint16_t kNoPlace = 0xFFFF;

    void LevelFromLeaves(std::span<const SwitchIndex> leaves);
    void LevelByParity(std::span<const SwitchIndex> leaves,
                       Matrix<SwitchIndex, const std::uint8_t> hops);
    [[nodiscard]] std::uint8_t LevelAbove(std::span<const SwitchIndex> leaves,
                                          std::span<const std::uint8_t> hops) const;
    [[nodiscard]] std::uint8_t LevelBelow(SwitchIndex leaf) const;
    [[nodiscard]] bool HasUpper() const;
    [[nodiscard]] bool KeepsPaths(std::span<const SwitchIndex> leaves,
                                  Matrix<SwitchIndex, const std::uint8_t> hops);
    [[nodiscard]] Turns TurnsBetween(SwitchIndex from, SwitchIndex to,
                                     Matrix<SwitchIndex, const std::uint8_t> hops);
    [[nodiscard]] Turns TurnsAt(SwitchIndex here, SwitchIndex to,
                                Matrix<SwitchIndex, const std::uint8_t> hops);
    [[nodiscard]] std::size_t WeightOf(SwitchIndex leaf) const;
    [[nodiscard]] SwitchIndex BestRoot(bool by_level) const;
    void SearchFrom(SwitchIndex root, bool by_level);
    void Push(SwitchIndex at, bool by_level);
    [[nodiscard]] SwitchIndex Pop();

    const Topology* topology_ = nullptr;
    std::span<std::uint8_t> level_;    ///< By switch.
    std::span<std::uint16_t> place_;   ///< By switch: its row in from_top_; kNoPlace: none yet.
    std::span<std::uint16_t> queued_;  ///< By switch: the next one of its queue; kNoPlace: none.
    std::span<SwitchIndex> from_top_;
    std::span<SwitchIndex> reached_;                  ///< The queue of the search for levels.
    std::array<std::uint16_t, kMostLevels> heads_{};  ///< By level: the queue of the search.
    std::array<std::uint16_t, kMostLevels> tails_{};
    std::size_t count_ = 0;  ///< Switches in from_top_.
    bool is_layered_ = false;
};

}  // namespace ember
