// SPDX-License-Identifier: Apache-2.0
// EmberSM: the downward part of a walk through a tree.

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/routing/engine.h"
#include "engines/fat_tree/walk.h"

namespace ember {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kTops = 0x8080808080808080;

/// Marks (bit 7) the octets of a word that are greater than `limit`, which is less than 128.
constexpr std::uint64_t Greater(std::uint64_t word, std::uint8_t limit) {
    return (((word & ~kTops) + kOnes * (127U - limit)) | word) & kTops;
}

/// The octets of a word that come first in memory, 1..7 of them.
constexpr std::uint64_t FirstOctets(std::size_t count) {
    const std::uint64_t all = ~std::uint64_t{0};
    return std::endian::native == std::endian::little ? ~(all << (8 * count))
                                                      : ~(all >> (8 * count));
}

/// The range of numbers below a switch that is worth looking at as a whole.
constexpr std::size_t kMostSpan = 256;

std::uint32_t& LoadOf(TreeGroup& group, bool up) {
    return up ? group.up_load : group.down_load;
}

}  // namespace

/// No switch below can get a better route from a walk that arrives here with `hops`.
bool TreeWalk::IsIdleBelow(const TreeSwitch& here, std::uint8_t hops) {
    const auto limit = static_cast<std::uint8_t>(hops + 1);
    if (here.down_count == 0 || ranks_.IsSettled(here.rank + std::size_t{1}, limit)) return true;
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

/// A walk down from here ends one step below. The order of the switches there does not matter then.
bool TreeWalk::IsFlatBelow(const TreeSwitch& here, std::uint8_t hops) const {
    return !is_exact_ && !has_sides_ && hops < kMostHops &&
           ranks_.IsSettled(here.rank + std::size_t{2}, hops + std::size_t{2});
}

/// As StepDown(), where it is flat.
bool TreeWalk::GoDownFlat(std::uint16_t at, std::uint8_t hops) {
    const TreeSwitch& here = switches_[at];
    const auto limit = static_cast<std::uint8_t>(hops + 1);
    std::uint32_t routed = 0;
    bool counted = false;
    for (TreeGroup& group : groups_.subspan(here.first_group, here.down_count)) {
        if (hops_[group.peer] <= limit) continue;
        TreePort* link = nullptr;
        std::uint8_t exit = group.peer_port;
        if (group.port_count > 1) {
            link = &ports_[LeastPort(group, Load::kUp)];
            exit = link->peer_port;
        }
        routed += hops_[group.peer] == kNoHops ? 1U : 0U;
        column_[group.peer] = exit;
        hops_[group.peer] = limit;
        if (!group.peer_has_hosts) continue;
        ++group.up_load;
        if (link != nullptr) ++link->up_load;
        counted = true;
    }
    ranks_.Route(here.rank + std::size_t{1}, routed, limit);
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
    // Groups sideways were sorted by the loads coming down meanwhile.
    Sort(here.first_group + here.down_count, here.side_count, Load::kUp);
    if (!states_[at].is_stirred) return;
    Sort(here.first_group, here.down_count, Load::kUp);
    states_[at].is_stirred = false;
}

/// The link of a group that carries least, the first one of equals.
std::uint32_t TreeWalk::LeastPort(const TreeGroup& group, Load load) const {
    const auto ports = ports_.subspan(group.first_port, group.port_count);
    const auto least =
        std::min_element(ports.begin(), ports.end(), [&](const TreePort& a, const TreePort& b) {
            return load == Load::kUp ? a.up_load < b.up_load : a.down_load < b.down_load;
        });
    return group.first_port + static_cast<std::uint32_t>(least - ports.begin());
}

/// The taken group carries one more route up from below.
void TreeWalk::CountUp(Frame& frame) {
    TreeGroup& group = groups_[frame.group];
    ++group.up_load;
    if (group.port_count > 1) ++ports_[frame.port].up_load;
    states_[frame.at].is_stirred = true;
    frame.reached = true;
}

/// Gives the switches below a route up to here.
void TreeWalk::StepDown() {
    Frame& frame = frames_[depth_ - 1];
    const TreeSwitch& here = switches_[frame.at];
    if (frame.waits && reached_) CountUp(frame);
    if (!frame.waits) {
        SortBelow(frame.at);
        frame.reached = here.host_count > 0;
    }
    frame.waits = false;

    const bool goes_sideways = here.down_count + here.host_count > 0 && !is_dummy_;
    const std::size_t count = here.down_count + (goes_sideways ? here.side_count : 0U);
    const auto hops = static_cast<std::uint8_t>(frame.hops + 1);
    while (frame.next < count && hops <= kMostHops) {
        const std::uint32_t group = GroupBelow(here, frame.next++);
        const std::uint16_t peer = groups_[group].peer;
        if (hops_[peer] <= hops) continue;
        Take(frame, group, Load::kUp);
        Route(frame, switches_[peer].rank);
        bool reached = false;
        if (!TryDown(peer, hops, reached)) {
            frame.waits = true;
            return Push(frame, peer, Stage::kDown, false, 0);
        }
        if (reached) CountUp(frame);
    }
    if (frame.reached && here.rank == 0) ++states_[frame.at].turns;
    Pop(frame.reached);
}

}  // namespace ember
