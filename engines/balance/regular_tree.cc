// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a regular tree carries when the paths to a receiver stay together.

#include "engines/balance/regular_tree.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/graph/topology.h"

namespace ember {

namespace {

constexpr std::size_t kMostLevels = 8;
constexpr std::uint8_t kNoLevel = 255;

/// Properties that all switches of a level share.
struct Level {
    bool is_known = false;
    std::uint16_t senders = 0;
    std::uint16_t up = 0;    ///< Links.
    std::uint16_t down = 0;  ///< Links.
    LinkSpeed speed = 0;     ///< Of those up.
    [[nodiscard]] bool operator==(const Level&) const = default;
};

/// Counts levels from the leaf switches. False when there are too many levels, or no leaf switch.
bool FindLevels(const LinkLoads& link_loads, std::span<std::uint8_t> levels,
                std::span<SwitchIndex> queue) {
    const Topology& topology = link_loads.topology();
    std::fill(levels.begin(), levels.end(), kNoLevel);
    std::size_t tail = 0;
    for (const LeafSwitch& leaf : link_loads.leaves()) {
        levels[Raw(leaf.at)] = 0;
        queue[tail++] = leaf.at;
    }
    for (std::size_t head = 0; head < tail; ++head) {  // Each switch joins once.
        const SwitchIndex here = queue[head];
        for (const Trunk& trunk : topology.trunks(here)) {
            std::uint8_t& level = levels[Raw(trunk.peer)];
            if (level != kNoLevel) continue;
            level = static_cast<std::uint8_t>(levels[Raw(here)] + 1);
            if (level == kMostLevels) return false;
            queue[tail++] = trunk.peer;
        }
    }
    return tail > 0;
}

/// The properties that all switches of its level should have; not known when a link joins switches
/// of one level, or links up differ in their rate.
Level Describe(const LinkLoads& link_loads, SwitchIndex here,
               std::span<const std::uint8_t> levels) {
    Level found{.is_known = true, .senders = link_loads.senders(here)};
    const auto exits = link_loads.topology().exits(here);
    for (const Trunk& trunk : link_loads.topology().trunks(here)) {
        const std::uint8_t there = levels[Raw(trunk.peer)];
        if (there == levels[Raw(here)]) return {};
        if (there < levels[Raw(here)]) {
            ++found.down;
            continue;
        }
        const LinkSpeed speed = exits[Raw(trunk.port)].speed;
        if (found.up != 0 && speed != found.speed) return {};
        found.speed = speed;
        ++found.up;
    }
    return found;
}

}  // namespace

std::uint32_t RegularTreeLoad(const LinkLoads& link_loads, Arena& scratch) {
    const Topology& topology = link_loads.topology();
    const Arena::Frame frame(scratch);
    const auto levels = scratch.Take<std::uint8_t>(topology.switch_bound());
    const auto queue = scratch.Take<SwitchIndex>(topology.switch_count());
    if (!FindLevels(link_loads, levels, queue)) return 0;

    std::array<Level, kMostLevels> all{};
    for (const SwitchIndex here : topology.switches_by_guid()) {
        if (levels[Raw(here)] == kNoLevel) continue;  // No end port can be reached from there.
        const Level found = Describe(link_loads, here, levels);
        Level& level = all[levels[Raw(here)]];
        if (!found.is_known || (level.is_known && level != found)) return 0;
        level = found;
    }
    // On the average there are receivers / links receivers behind a link.
    std::uint64_t receivers = all[0].senders;
    std::uint64_t links = 1;
    std::uint64_t most = 0;
    for (const Level& level : all) {
        if (level.up == 0) break;  // The top.
        receivers *= std::max<std::uint64_t>(level.down, 1);
        links *= level.up;
        most = std::max(most, (receivers + links - 1) / links);
    }
    return static_cast<std::uint32_t>(most * (link_loads.end_receiver_count() - all[0].senders));
}

}  // namespace ember
