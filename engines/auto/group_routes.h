// SPDX-License-Identifier: Apache-2.0
// EmberSM: dragonflies: groups of switches, and paths with one link between groups at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"

namespace ember {

/// Recognises groups of three switches and more that are all linked to each other, where some link
/// joins every two groups; and finds the exits on paths of a link inside the group, one to the
/// destination's group and one inside that, each of which may be missing.
///
/// Packets that come in by a link between groups go on by lane 1, all others by lane 0. So links of
/// lane 0 inside groups wait for links between groups, these for links of lane 1, and these for
/// none: with one service level no credit loop is possible, traffic of switches' port 0 included.
/// Some pairs have a shorter path over a third group, which is not taken.
///
/// Where few of these links are missing it is recognised all the same, but not routed: two groups
/// without a link would need a third between them.
class GroupRoutes {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return 2 * Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               3 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint64_t>(BitSet::WordsFor(MostPairs(limits.max_switches)));
    }

    constexpr GroupRoutes() = default;
    GroupRoutes(const GroupRoutes&) = delete;
    GroupRoutes& operator=(const GroupRoutes&) = delete;

    void Begin(const RoutingTask& task);
    /// Does the next slice. kDone: what is_dragonfly() says holds.
    [[nodiscard]] Progress Advance();
    [[nodiscard]] bool is_dragonfly() const { return is_dragonfly_; }
    /// The fabric would be a dragonfly if a few more links were there.
    [[nodiscard]] bool lacks_links() const { return lacks_links_; }

    /// Fills the lanes of a routing by this rule, for the switches of `task`: row i here is its row
    /// rows[i]. Not kNone: what is missing for that, and the lanes are cleared.
    [[nodiscard]] EngineComplaint FillLanes(const RoutingTask& task,
                                            std::span<const SwitchIndex> rows) const;
    /// After that, one slice of filling hops(), for which RoutingTask::hop_room is spent.
    [[nodiscard]] Progress FillHops();
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const { return hops_; }
    /// As ExitFinder::Find().
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const;

private:
    static constexpr std::uint16_t kNoGroup = 0xFFFF;
    static constexpr std::size_t kLeastGroup = 3;
    /// Of links inside groups so many may be missing, and of pairs of groups one of so many may
    /// lack a link.
    static constexpr std::size_t kMostMisses = 8;
    static constexpr std::size_t kPairShare = 8;
    static constexpr std::size_t kGroupsPerSlice = 8;
    static constexpr std::size_t kSwitchesPerSlice = 16;

    [[nodiscard]] static constexpr std::size_t MostPairs(std::size_t switches) {
        const std::size_t groups = switches / kLeastGroup + 1;
        return groups * groups;
    }
    [[nodiscard]] bool IsLocal(SwitchIndex one, SwitchIndex other) const {
        return group_[Raw(one)] == group_[Raw(other)];
    }
    [[nodiscard]] bool AreNeighbors(SwitchIndex one, SwitchIndex other) const;
    void Restart();
    [[nodiscard]] bool Gather(SwitchIndex leader);
    [[nodiscard]] std::size_t MissesOf(SwitchIndex next, std::size_t members) const;
    [[nodiscard]] bool JoinsLateTo(SwitchIndex one);
    [[nodiscard]] std::size_t RankNeighbors(SwitchIndex leader);
    [[nodiscard]] std::size_t CountPairsApart();
    void Judge();
    [[nodiscard]] EngineComplaint NarrowLink() const;
    void StartFrom(SwitchIndex from);
    void EnterGroup(SwitchIndex by, std::span<std::uint8_t> row) const;
    void StepInside(SwitchIndex from);

    RoutingTask task_;
    std::span<std::uint16_t> group_;  ///< By switch.
    std::span<std::uint16_t> worth_;  ///< By switch: neighbors that it shares with the leader.
    std::span<SwitchIndex> ranked_;   ///< Of a leader's neighbors, the likely members first.
    std::span<SwitchIndex> members_;  ///< Of the group at work.
    std::span<SwitchIndex> marks_;    ///< By switch: the leader whose neighbor it is.
    BitSet joined_;                   ///< Pairs of groups.
    Matrix<SwitchIndex, std::uint8_t> hops_;
    std::size_t group_count_ = 0;
    std::size_t next_ = 0;    ///< Switch by GUID.
    std::size_t misses_ = 0;  ///< Pairs inside groups without a link.
    bool is_tolerant_ = false;
    bool is_dragonfly_ = false;
    bool lacks_links_ = false;
    bool has_started_ = false;  ///< Every row of hops_ has its paths that begin between groups.
};

}  // namespace ember
