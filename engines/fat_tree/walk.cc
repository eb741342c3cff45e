// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes one destination through a tree.

#include "engines/fat_tree/walk.h"

#include "core/base/assert.h"
#include "core/routing/engine.h"

namespace ember {

void TreeWalk::Begin(const TreeShape& shape, Arena& scratch) {
    switches_ = shape.switches();
    groups_ = shape.groups();
    ports_ = shape.ports();
    has_sides_ = shape.has_sides();
    has_unnamed_ = shape.has_unnamed();
    ranks_.Clear();
    states_ = scratch.Take<State>(switches_.size());
    order_ = scratch.Take<std::uint8_t>(groups_.size());
    hops_ = scratch.Take<std::uint8_t>(HopBytes(switches_.size()));
    depth_ = 0;
    for (const TreeSwitch& here : switches_) {
        ranks_.Add(here.rank);
        const std::uint32_t side = here.first_group + here.down_count;
        FillOrder(here.first_group, here.down_count);
        FillOrder(side, here.side_count);
        FillOrder(side + here.side_count, here.up_count);
    }
}

void TreeWalk::FillOrder(std::uint32_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        order_[first + i] = static_cast<std::uint8_t>(i);
    }
}

void TreeWalk::Start(const Target& target, std::span<std::uint8_t> column) {
    EMBER_ASSERT(depth_ == 0 && column.size() <= hops_.size());
    column_ = column;
    std::fill(column_.begin(), column_.end(), kNoHops);
    std::fill(hops_.begin(), hops_.end(), kNoHops);
    std::fill(hops_.begin() + static_cast<std::ptrdiff_t>(switches_.size()), hops_.end(), 0);
    is_dummy_ = target.is_dummy;
    is_exact_ = target.credit > 0 || has_unnamed_;
    ranks_.Begin();
    idle_span_ = 0;
    steps_left_ = kMostSteps;

    Frame& frame = frames_[depth_++];
    frame = {};
    frame.at = target.at;
    frame.stage = Stage::kEnter;
    frame.hops = target.is_switch ? std::uint8_t{0} : std::uint8_t{1};
    frame.credit = std::min(target.credit, kMostCredit);
    frame.is_main = !target.is_switch;
    column_[target.at] = target.exit;
    hops_[target.at] = frame.hops;
    ranks_.Route(switches_[target.at].rank, 1, frame.hops);
}

bool TreeWalk::Run(std::size_t& budget) {
    while (depth_ > 0 && budget > 0 && steps_left_ > 0) {
        --budget;
        --steps_left_;
        frames_[depth_ - 1].stage == Stage::kDown ? StepDown() : StepUp();
    }
    return depth_ == 0;
}

void TreeWalk::Push(const Frame& parent, std::uint16_t at, Stage stage, bool is_main,
                    std::uint8_t credit) {
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

/// Gives the switches above, and those below them, a route down to here.
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
        // As OpenSM does: the link is counted, and the first group up instead of its own.
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
