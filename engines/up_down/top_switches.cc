// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switches that are at the top of a fabric whose leaf switches are not all equally
// low.

#include "engines/up_down/top_switches.h"

#include <algorithm>
#include <utility>

#include "core/graph/hops.h"

namespace ember {
namespace {

enum class Mark : std::uint8_t { kNone, kLeaf, kTop };

/// From a switch to the leaf switches that it reaches.
struct LeafHops {
    std::uint8_t farthest = 0;
    std::uint32_t sum = 0;
};

LeafHops HopsTo(std::span<const SwitchIndex> leaves, std::span<const std::uint8_t> hops) {
    LeafHops found;
    for (const SwitchIndex leaf : leaves) {
        if (hops[Raw(leaf)] == kNoHops) continue;
        found.farthest = std::max(found.farthest, hops[Raw(leaf)]);
        found.sum += hops[Raw(leaf)];
    }
    return found;
}

}  // namespace

std::size_t CollectTopSwitches(const Topology& topology,
                               Matrix<SwitchIndex, const std::uint8_t> hops,
                               std::span<const SwitchIndex> leaves, std::span<SwitchIndex> tops,
                               Arena& scratch) {
    const Arena::Frame frame(scratch);
    const auto marks = scratch.Take<Mark>(topology.switch_bound());
    const auto sums = scratch.Take<std::uint32_t>(topology.switch_bound());
    const auto room = scratch.Take<SwitchIndex>(topology.switch_count());
    for (const SwitchIndex leaf : leaves) {
        marks[Raw(leaf)] = Mark::kLeaf;
    }
    std::size_t count = 0;
    unsigned least = kNoHops;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        if (marks[Raw(at)] == Mark::kLeaf) continue;
        const LeafHops found = HopsTo(leaves, hops[at]);
        if (found.sum == 0 || found.farthest > least) continue;
        if (found.farthest < least) count = 0;
        least = found.farthest;
        sums[Raw(at)] = found.sum;
        room[count++] = at;
    }
    const auto middle = room.first(count);
    const auto is_before = [&](SwitchIndex one, SwitchIndex other) {
        const auto rank = [&](SwitchIndex at) {
            return std::pair(sums[Raw(at)], Raw(topology.switch_row(at).guid));
        };
        return rank(one) < rank(other);
    };
    std::make_heap(middle.begin(), middle.end(), is_before);  // std::sort recurses.
    std::sort_heap(middle.begin(), middle.end(), is_before);
    std::size_t top_count = 0;
    for (const SwitchIndex at : middle) {
        const auto trunks = topology.trunks(at);
        const bool is_apart = std::none_of(trunks.begin(), trunks.end(), [&](const Trunk& trunk) {
            return marks[Raw(trunk.peer)] == Mark::kTop;
        });
        if (!is_apart) continue;
        marks[Raw(at)] = Mark::kTop;
        tops[top_count++] = at;
    }
    return top_count;
}

}  // namespace ember
