// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes one destination through a tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/fat_tree/ranked_hops.h"
#include "engines/fat_tree/shape.h"

namespace ember {

/// Routes destinations one after the other, and counts what every link carries.
///
/// From the switch of the destination the walk climbs. At every switch it first goes down, as far
/// as there are switches without a route (or with a longer one), and gives them an exit up. The
/// main path up takes the group and link with the least load, and is counted. The switches up the
/// other groups get a route down this path, which is not counted; so do neighbors of the same rank.
/// With credit for reverse hops the walk turns down at the top and climbs again.
///
/// The order of these steps decides which loads are least at each of them, so it is OpenSM's, step
/// for step. Only switches below which no switch lacks a route are skipped: nothing can change
/// there. Recursion is a stack of frames; a walk can be left in any state and resumed.
class TreeWalk {
public:
    /// Reverse hops beyond this number count as this number: a tree has no more levels.
    static constexpr std::uint8_t kMostCredit = 7;
    /// Steps that a destination may take. Without reverse hops none takes as many; with them each
    /// hop multiplies the paths by the groups of a switch.
    static constexpr std::size_t kMostSteps = std::size_t{1} << 22U;
    /// No route has more hops: no directed route has.
    static constexpr std::uint8_t kMostHops = 63;

    /// Octets of a column, a multiple of 8.
    [[nodiscard]] static constexpr std::size_t ColumnBytes(std::size_t switches) {
        return (switches + 7) / 8 * 8;
    }
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<State>(limits.max_switches) +
               Arena::BytesFor<std::uint8_t>(limits.max_ports) +
               Arena::BytesFor<std::uint8_t>(HopBytes(limits.max_switches));
    }

    constexpr TreeWalk() = default;
    TreeWalk(const TreeWalk&) = delete;
    TreeWalk& operator=(const TreeWalk&) = delete;

    /// A destination as a walk sees it.
    struct Target {
        std::uint16_t at = 0;     ///< Number of the switch it hangs on (or is).
        std::uint8_t exit = 0;    ///< The switch's port to it.
        std::uint8_t credit = 0;  ///< Reverse hops that are allowed.
        bool is_switch = false;   ///< Routes to switches are not counted upwards.
        bool is_dummy = false;    ///< Only counted: a slot of a leaf without a node.
    };

    void Begin(const TreeShape& shape, Arena& scratch);
    /// Starts to route; `column` gets the exit of every switch by its number, 255 for none.
    void Start(const Target& target, std::span<std::uint8_t> column);
    /// Goes on, for about `budget` steps, which is made less. True: all done.
    [[nodiscard]] bool Run(std::size_t& budget);
    /// The destination has taken kMostSteps and is not routed: Run() goes no further.
    [[nodiscard]] bool is_stuck() const { return depth_ > 0 && steps_left_ == 0; }

private:
    enum class Stage : std::uint8_t { kDown, kEnter, kTurn, kMain, kOthers, kSideways, kReverse };

    /// The state of a switch beside its groups.
    struct State {
        std::uint32_t turns = 0;    ///< At a root: how many walks down reached a host, or turned.
        bool is_stirred = true;     ///< Loads going up changed since the last sort,
        bool is_up_stirred = true;  ///< and those coming down.
    };
    struct Frame {
        std::uint32_t group = 0;  ///< The one that was taken when a frame was put on top.
        std::uint32_t port = 0;   ///< And its port, when it has several.
        std::uint16_t at = 0;
        std::uint16_t next = 0;
        std::uint16_t first = 0;  ///< Where the turn at a root begins.
        Stage stage{};
        std::uint8_t hops = 0;
        std::uint8_t credit = 0;
        bool is_main = false;
        bool waits = false;    ///< For the frame that was put on top.
        bool reached = false;  ///< A switch with hosts got a route.
    };
    static constexpr std::size_t kHopTail = 8;  ///< Hops are looked at eight at a time.
    /// Down from where the path up ended, each step a frame; one more for the walk down itself.
    static constexpr std::size_t kMostFrames = 2 * (kMostHops + std::size_t{2});
    [[nodiscard]] static constexpr std::size_t HopBytes(std::size_t switches) {
        return ColumnBytes(switches) + kHopTail;
    }

    enum class Load : std::uint8_t { kUp, kDown };

    void FillOrder(std::uint32_t first, std::size_t count);
    void StepDown();
    void CountUp(Frame& frame);
    void StepUp();
    void Enter(Frame& frame);
    void ClimbMain(Frame& frame);
    void ClimbOthers(Frame& frame);
    void GoSideways(Frame& frame);
    void Reverse(Frame& frame);
    void Turn(Frame& frame);

    [[nodiscard]] bool IsIdleBelow(const TreeSwitch& here, std::uint8_t hops);
    [[nodiscard]] bool IsFlatBelow(const TreeSwitch& here, std::uint8_t hops) const;
    [[nodiscard]] bool GoDownFlat(std::uint16_t at, std::uint8_t hops);
    [[nodiscard]] bool TryDown(std::uint16_t at, std::uint8_t hops, bool& reached);
    void SortBelow(std::uint16_t at);
    void Sort(std::uint32_t first, std::size_t count, Load load);
    [[nodiscard]] std::uint32_t GroupAt(std::uint32_t first, std::size_t place) const {
        return first + order_[first + place];
    }
    [[nodiscard]] std::uint32_t LeastPort(const TreeGroup& group, Load load) const;
    /// A group down, or behind those a group sideways; `at` counts through both.
    [[nodiscard]] std::uint32_t GroupBelow(const TreeSwitch& here, std::size_t at) const {
        const bool is_down = at < here.down_count;
        return is_down ? GroupAt(here.first_group, at)
                       : GroupAt(here.first_group + here.down_count, at - here.down_count);
    }
    void Take(Frame& frame, std::uint32_t group, Load load);
    void Route(const Frame& frame, std::size_t rank);
    void Push(const Frame& parent, std::uint16_t at, Stage stage, bool is_main,
              std::uint8_t credit);
    void Pop(bool reached);

    std::span<TreeSwitch> switches_;
    std::span<TreeGroup> groups_;
    std::span<TreePort> ports_;
    std::span<State> states_;
    std::span<std::uint8_t> order_;  ///< By group: the switch's groups of one side, sorted.
    std::span<std::uint8_t> hops_;   ///< By number: hops of the present destination; 255: none.
    std::span<std::uint8_t> column_;
    std::array<Frame, kMostFrames> frames_{};
    std::size_t depth_ = 0;
    std::size_t steps_left_ = 0;  ///< Of the present destination's.
    bool reached_ = false;        ///< The result of the frame last taken off.
    bool is_dummy_ = false;
    bool is_exact_ = false;     ///< Skipped groups must be sorted too: their order shows later.
    bool has_unnamed_ = false;  ///< Switches without an address are equals when sorted.
    bool has_sides_ = false;    ///< Links join switches of one rank.

    RankedHops ranks_;
    // The last run of numbers of which no switch had a longer route: it stays so.
    std::uint16_t idle_low_ = 0;
    std::uint16_t idle_span_ = 0;
    std::uint8_t idle_hops_ = 0;
};

inline void TreeWalk::Take(Frame& frame, std::uint32_t group, Load load) {
    frame.group = group;
    if (groups_[group].port_count > 1) frame.port = LeastPort(groups_[group], load);
}

/// Gives the neighbor behind the taken group, a switch of `rank`, the route here.
inline void TreeWalk::Route(const Frame& frame, std::size_t rank) {
    const TreeGroup& group = groups_[frame.group];
    const auto hops = static_cast<std::uint8_t>(frame.hops + 1);
    ranks_.Route(rank, hops_[group.peer] == kNoHops ? 1 : 0, hops);
    column_[group.peer] = group.port_count == 1 ? group.peer_port : ports_[frame.port].peer_port;
    hops_[group.peer] = hops;
}

}  // namespace ember
