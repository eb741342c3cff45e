// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes one destination through a tree.

#include "engines/fat_tree/walk.h"

#include <cstring>

#include "core/base/assert.h"
#include "core/routing/engine.h"

namespace ember {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kTops = 0x8080808080808080;

/// Marks (bit 7) the octets of a word that are greater than `limit`, which is less than 128.
constexpr std::uint64_t Greater(std::uint64_t word, std::uint8_t limit) {
    return (((word & ~kTops) + kOnes * (127U - limit)) | word) & kTops;
}

/// Least significant octets of a word, 1..7 of them.
constexpr std::uint64_t FirstOctets(std::size_t count) {
    return (std::uint64_t{1} << (8 * count)) - 1;
}

/// The range of numbers below a switch that is worth looking at as a whole.
constexpr std::size_t kMostSpan = 256;

std::uint32_t& LoadOf(TreeGroup& group, bool up) {
    return up ? group.up_load : group.down_load;
}

}  // namespace

void TreeWalk::Begin(const TreeShape& shape, Arena& scratch) {
    switches_ = shape.switches();
    groups_ = shape.groups();
    ports_ = shape.ports();
    has_sides_ = shape.has_sides();
    has_unnamed_ = shape.has_unnamed();
    sizes_.fill(0);
    states_ = scratch.Take<State>(switches_.size());
    order_ = scratch.Take<std::uint8_t>(groups_.size());
    hops_ = scratch.Take<std::uint8_t>(HopBytes(switches_.size()));
    depth_ = 0;
    for (const TreeSwitch& here : switches_) {
        ++sizes_[RankSlot(here.rank)];
        std::size_t at = here.first_group;
        for (const std::size_t count : {here.down_count, here.side_count, here.up_count}) {
            for (std::size_t i = 0; i < count; ++i) {
                order_[at++] = static_cast<std::uint8_t>(i);
            }
        }
    }
}

void TreeWalk::Start(const Target& target, std::span<std::uint8_t> column) {
    EMBER_ASSERT(depth_ == 0 && column.size() <= hops_.size());
    column_ = column;
    std::fill(column_.begin(), column_.end(), kNoHops);
    std::fill(hops_.begin(), hops_.end(), kNoHops);
    std::fill(hops_.begin() + static_cast<std::ptrdiff_t>(switches_.size()), hops_.end(), 0);
    counts_nobody_ = target.is_nobody;
    is_exact_ = target.credit > 0 || has_unnamed_;
    waiting_ = sizes_;
    most_hops_.fill(0);
    idle_span_ = 0;

    Frame& frame = frames_[depth_++];
    frame = {};
    frame.at = target.at;
    frame.stage = Stage::kEnter;
    frame.hops = target.is_switch ? std::uint8_t{0} : std::uint8_t{1};
    frame.credit = std::min(target.credit, kMostCredit);
    frame.is_main = !target.is_switch;
    column_[target.at] = target.exit;
    hops_[target.at] = frame.hops;
    const std::size_t rank = RankSlot(switches_[target.at].rank);
    --waiting_[rank];
    most_hops_[rank] = frame.hops;
}

bool TreeWalk::Run(std::size_t& budget) {
    while (depth_ > 0 && budget > 0) {
        --budget;
        frames_[depth_ - 1].stage == Stage::kDown ? StepDown() : StepUp();
    }
    return depth_ == 0;
}

void TreeWalk::Push(
    const Frame& parent, std::uint16_t at, Stage stage, bool is_main, std::uint8_t credit) {
    EMBER_ASSERT(depth_ < frames_.size());
    Frame& frame = frames_[depth_++];
    frame = {};
    frame.at = at;
    frame.stage = stage;
    frame.hops = static_cast<std::uint8_t>(parent.hops + 1);
    frame.credit = credit;
    frame.is_main = is_main;
}

void TreeWalk::Pop(bool reached) {
    --depth_;
    reached_ = reached;
}

/// Nobody below can be given a better route by one that arrives here with `hops`.
bool TreeWalk::IsIdleBelow(const TreeSwitch& here, std::uint8_t hops) {
    const auto limit = static_cast<std::uint8_t>(hops + 1);
    if (here.down_count == 0 || IsSettled(here.rank + std::size_t{1}, limit)) return true;
    if (here.low == idle_low_ && here.span == idle_span_ && limit >= idle_hops_) return true;
    if (here.span > kMostSpan) return false;
    std::size_t left = here.span;
    const std::uint8_t* next = hops_.data() + here.low;
    std::uint64_t found = 0;
    std::uint64_t word = 0;
    for (; left >= 8; left -= 8, next += 8) {
        std::memcpy(&word, next, sizeof word);
        found |= Greater(word, limit);
    }
    if (left > 0) {
        std::memcpy(&word, next, sizeof word);
        found |= Greater(word, limit) & FirstOctets(left);
    }
    if (found != 0) return false;
    idle_low_ = here.low;
    idle_span_ = here.span;
    idle_hops_ = limit;
    return true;
}

/// A walk down from here ends one step below. In what order those are visited does not matter then.
bool TreeWalk::IsFlatBelow(const TreeSwitch& here, std::uint8_t hops) const {
    return !is_exact_ && !has_sides_ && hops < kMostHops &&
           IsSettled(here.rank + std::size_t{2}, hops + std::size_t{2});
}

/// As StepDown(), where it is flat.
bool TreeWalk::GoDownFlat(std::uint16_t at, std::uint8_t hops) {
    const TreeSwitch& here = switches_[at];
    const auto limit = static_cast<std::uint8_t>(hops + 1);
    std::uint32_t routed = 0;
    bool counted = false;
    for (TreeGroup& group : groups_.subspan(here.first_group, here.down_count)) {
        if (hops_[group.peer] <= limit) continue;
        TreePort* cable = nullptr;
        std::uint8_t exit = group.peer_port;
        if (group.port_count > 1) {
            cable = &ports_[LeastPort(group, Load::kUp)];
            exit = cable->peer_port;
        }
        routed += hops_[group.peer] == kNoHops ? 1U : 0U;
        column_[group.peer] = exit;
        hops_[group.peer] = limit;
        if (!group.peer_has_hosts) continue;
        ++group.up_load;
        if (cable != nullptr) ++cable->up_load;
        counted = true;
    }
    const std::size_t rank = RankSlot(here.rank + std::size_t{1});
    waiting_[rank] -= routed;
    most_hops_[rank] = std::max(most_hops_[rank], limit);
    if (counted) states_[at].is_stirred = true;
    return counted || here.host_count > 0;
}

/// Goes down from here without a frame, if that is easy. True: done, `reached` is the result.
bool TreeWalk::TryDown(std::uint16_t at, std::uint8_t hops, bool& reached) {
    const TreeSwitch& here = switches_[at];
    if (here.side_count > 0) return false;
    if (IsIdleBelow(here, hops)) {
        if (is_exact_) SortBelow(at);
        reached = here.host_count > 0;
    } else if (IsFlatBelow(here, hops)) {
        reached = GoDownFlat(at, hops);
    } else {
        return false;
    }
    if (reached && here.rank == 0) ++states_[at].turns;
    return true;
}

/// Insertion: the order was right before a few loads rose by one. Equals stay as they are.
void TreeWalk::Sort(std::uint32_t first, std::size_t count, Load load) {
    const bool up = load == Load::kUp;
    const auto key = [&](std::uint8_t offset) {
        TreeGroup& group = groups_[first + offset];
        return std::uint64_t{LoadOf(group, up)} << 16U | group.place;
    };
    const auto order = order_.subspan(first, count);
    for (std::size_t i = 1; i < count; ++i) {
        const std::uint8_t moved = order[i];
        const std::uint64_t moved_key = key(moved);
        std::size_t to = i;
        for (; to > 0 && key(order[to - 1]) > moved_key; --to) {
            order[to] = order[to - 1];
        }
        order[to] = moved;
    }
}

void TreeWalk::SortBelow(std::uint16_t at) {
    const TreeSwitch& here = switches_[at];
    // Those sideways were sorted by the loads coming down meanwhile.
    Sort(here.first_group + here.down_count, here.side_count, Load::kUp);
    if (!states_[at].is_stirred) return;
    Sort(here.first_group, here.down_count, Load::kUp);
    states_[at].is_stirred = false;
}

/// The cable of a group that carries least, the first one of equals.
std::uint32_t TreeWalk::LeastPort(const TreeGroup& group, Load load) const {
    const auto ports = ports_.subspan(group.first_port, group.port_count);
    const auto least =
        std::min_element(ports.begin(), ports.end(), [&](const TreePort& a, const TreePort& b) {
            return load == Load::kUp ? a.up_load < b.up_load : a.down_load < b.down_load;
        });
    return group.first_port + static_cast<std::uint32_t>(least - ports.begin());
}

void TreeWalk::Take(Frame& frame, std::uint32_t group, Load load) {
    frame.group = group;
    if (groups_[group].port_count > 1) frame.port = LeastPort(groups_[group], load);
}

/// Gives the neighbor behind the taken group, a switch of `rank`, the way here.
void TreeWalk::Route(const Frame& frame, std::size_t rank) {
    const TreeGroup& group = groups_[frame.group];
    const auto hops = static_cast<std::uint8_t>(frame.hops + 1);
    const std::size_t slot = RankSlot(rank);
    if (hops_[group.peer] == kNoHops) --waiting_[slot];
    most_hops_[slot] = std::max(most_hops_[slot], hops);
    column_[group.peer] = group.port_count == 1 ? group.peer_port : ports_[frame.port].peer_port;
    hops_[group.peer] = hops;
}

/// Gives those below a way up to here.
void TreeWalk::StepDown() {
    Frame& frame = frames_[depth_ - 1];
    const TreeSwitch& here = switches_[frame.at];
    const auto count = [&] {
        TreeGroup& group = groups_[frame.group];
        ++group.up_load;
        if (group.port_count > 1) ++ports_[frame.port].up_load;
        states_[frame.at].is_stirred = true;
        frame.reached = true;
    };
    if (frame.next == 0 && !frame.waits) {
        SortBelow(frame.at);
        frame.reached = here.host_count > 0;
    }
    if (frame.waits && reached_) count();
    frame.waits = false;

    const bool has_below = here.down_count + here.host_count > 0;
    const std::size_t side_count = has_below && !counts_nobody_ ? here.side_count : 0U;
    const auto limit = static_cast<std::uint8_t>(std::min<unsigned>(frame.hops + 1U, kMostHops));
    while (frame.next < here.down_count + side_count) {
        const std::size_t at = frame.next++;
        const std::uint32_t group =
            at < here.down_count
                ? GroupAt(here.first_group, at)
                : GroupAt(here.first_group + here.down_count, at - here.down_count);
        const std::uint16_t peer = groups_[group].peer;
        if (hops_[peer] <= limit || frame.hops >= kMostHops) continue;
        Take(frame, group, Load::kUp);
        Route(frame, switches_[peer].rank);
        bool reached = false;
        if (!TryDown(peer, static_cast<std::uint8_t>(frame.hops + 1), reached)) {
            frame.waits = true;
            Push(frame, peer, Stage::kDown, false, 0);
            return;
        }
        if (reached) count();
    }
    if (frame.reached && here.rank == 0) ++states_[frame.at].turns;
    Pop(frame.reached);
}

/// Gives those above, and who hangs below them, a way down to here.
void TreeWalk::StepUp() {
    Frame& frame = frames_[depth_ - 1];
    switch (frame.stage) {
        case Stage::kEnter:
            return Enter(frame);
        case Stage::kTurn:
            return Turn(frame);
        case Stage::kMain:
            return ClimbMain(frame);
        case Stage::kOthers:
            return ClimbOthers(frame);
        case Stage::kSideways:
            return GoSideways(frame);
        case Stage::kReverse:
            return Reverse(frame);
        case Stage::kDown:
            break;
    }
}

void TreeWalk::Enter(Frame& frame) {
    const TreeSwitch& here = switches_[frame.at];
    frame.stage = here.rank == 0 ? Stage::kTurn : Stage::kMain;
    if (TryDown(frame.at, frame.hops, reached_)) return;
    Push(frame, frame.at, Stage::kDown, false, 0);
    frames_[depth_ - 1].hops = frame.hops;
}

/// At a root: with credit, down to every switch below in turn, and up again from there.
void TreeWalk::Turn(Frame& frame) {
    const TreeSwitch& here = switches_[frame.at];
    const std::uint32_t total = here.down_count + std::uint32_t{here.host_count};
    frame.reached |= reached_;
    if (!frame.waits) {
        if (frame.credit == 0 || total == 0) return Pop(frame.reached);
        frame.first = static_cast<std::uint16_t>(++states_[frame.at].turns % total);
        frame.waits = true;
    }
    while (frame.next < total && frame.hops < kMostHops) {
        const std::uint32_t at = (frame.first + std::uint32_t{frame.next++}) % total;
        if (at < here.host_count) continue;
        const std::uint32_t group = GroupAt(here.first_group, at - here.host_count);
        return Push(frame, groups_[group].peer, Stage::kEnter, frame.is_main,
                    static_cast<std::uint8_t>(frame.credit - 1));
    }
    Pop(frame.reached);
}

void TreeWalk::ClimbMain(Frame& frame) {
    const TreeSwitch& here = switches_[frame.at];
    const std::uint32_t up = here.first_group + here.down_count + here.side_count;
    frame.reached |= reached_;
    if (states_[frame.at].is_up_stirred) Sort(up, here.up_count, Load::kDown);
    states_[frame.at].is_up_stirred = false;
    frame.stage = Stage::kOthers;
    frame.next = 0;
    if (!frame.is_main || here.up_count == 0 || frame.hops >= kMostHops) return;

    frame.next = 1;
    frame.waits = true;
    Take(frame, GroupAt(up, 0), Load::kDown);
    TreeGroup& group = groups_[frame.group];
    ++group.down_load;
    if (group.port_count > 1) ++ports_[frame.port].down_load;
    states_[frame.at].is_up_stirred = true;
    if (hops_[group.peer] > frame.hops + 1) Route(frame, here.rank - std::size_t{1});
    Push(frame, group.peer, Stage::kEnter, true, frame.credit);
}

void TreeWalk::ClimbOthers(Frame& frame) {
    const TreeSwitch& here = switches_[frame.at];
    const std::uint32_t up = here.first_group + here.down_count + here.side_count;
    if (frame.waits) frame.reached |= reached_;
    frame.waits = false;
    while (frame.next < here.up_count && frame.hops < kMostHops) {
        const std::uint32_t group = GroupAt(up, frame.next++);
        const std::uint16_t peer = groups_[group].peer;
        if (hops_[peer] <= frame.hops + 1) continue;
        Take(frame, group, Load::kDown);
        Route(frame, here.rank - std::size_t{1});
        bool reached = false;
        if (switches_[peer].rank == 0 && frame.credit == 0 &&
            TryDown(peer, static_cast<std::uint8_t>(frame.hops + 1), reached)) {
            frame.reached |= reached;
            continue;
        }
        frame.waits = true;
        return Push(frame, peer, Stage::kEnter, false, frame.credit);
    }
    frame.next = 0;
    frame.stage = Stage::kSideways;
    if (here.side_count > 0) {
        Sort(here.first_group + here.down_count, here.side_count, Load::kDown);
    }
}

void TreeWalk::GoSideways(Frame& frame) {
    const TreeSwitch& here = switches_[frame.at];
    const std::uint32_t side = here.first_group + here.down_count;
    const std::uint32_t up = side + here.side_count;
    if (frame.waits && reached_) {
        frame.reached = true;
        // As OpenSM does: the cable is counted, and the first group up instead of its own.
        if (groups_[frame.group].port_count > 1) ++ports_[frame.port].down_load;
        ++groups_[GroupAt(up, 0)].down_load;
        states_[frame.at].is_up_stirred = true;
    }
    frame.waits = false;
    while (frame.next < here.side_count && frame.hops < kMostHops) {
        const std::uint32_t group = GroupAt(side, frame.next++);
        const std::uint16_t peer = groups_[group].peer;
        if (hops_[peer] <= frame.hops + 1) continue;
        Take(frame, group, Load::kDown);
        Route(frame, here.rank);
        frame.waits = true;
        return Push(frame, peer, Stage::kEnter, false, frame.credit);
    }
    frame.next = 0;
    frame.stage = Stage::kReverse;
    if (frame.credit == 0 || here.is_leaf) Pop(frame.reached);
}

/// Below the roots: with credit, down to every switch below, and up again from there.
void TreeWalk::Reverse(Frame& frame) {
    const TreeSwitch& here = switches_[frame.at];
    if (frame.next > 0) frame.reached |= reached_;
    if (frame.next < here.down_count && frame.hops < kMostHops) {
        const std::uint32_t group = GroupAt(here.first_group, frame.next++);
        return Push(frame, groups_[group].peer, Stage::kEnter, true,
                    static_cast<std::uint8_t>(frame.credit - 1));
    }
    Pop(frame.reached);
}

}  // namespace ember
