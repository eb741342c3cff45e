// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a regular tree can carry when the ways to a receiver stay together.

#include "engines/balance/regular_tree.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/graph/topology.h"

namespace ember {

namespace {

constexpr std::size_t kMostLevels = 8;
constexpr std::uint8_t kNoLevel = 255;

/// What all switches of a level have in common.
struct Level {
    bool is_known = false;
    std::uint16_t senders = 0;
    std::uint16_t up = 0;    ///< Cables.
    std::uint16_t down = 0;  ///< Cables.
    [[nodiscard]] bool operator==(const Level&) const = default;
};

/// Counts levels from the switches with end ports. False when there are too many, or none.
bool FindLevels(const Ledger& ledger,
                std::span<std::uint8_t> levels,
                std::span<SwitchIndex> queue) {
    const Topology& topology = ledger.topology();
    std::fill(levels.begin(), levels.end(), kNoLevel);
    std::size_t tail = 0;
    for (const Crowd& crowd : ledger.crowds()) {
        levels[Raw(crowd.at)] = 0;
        queue[tail++] = crowd.at;
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

/// A switch as its level should be; not known when a cable stays on its level.
Level Describe(const Ledger& ledger, SwitchIndex here, std::span<const std::uint8_t> levels) {
    Level found{.is_known = true, .senders = ledger.senders(here)};
    for (const Trunk& trunk : ledger.topology().trunks(here)) {
        const std::uint8_t there = levels[Raw(trunk.peer)];
        if (there == levels[Raw(here)]) return {};
        ++(there > levels[Raw(here)] ? found.up : found.down);
    }
    return found;
}

}  // namespace

std::uint32_t WholeLoad(const Ledger& ledger, Arena& scratch) {
    const Topology& topology = ledger.topology();
    const Arena::Frame frame(scratch);
    const auto levels = scratch.Take<std::uint8_t>(topology.switch_bound());
    const auto queue = scratch.Take<SwitchIndex>(topology.switch_count());
    if (!FindLevels(ledger, levels, queue)) return 0;

    std::array<Level, kMostLevels> all{};
    for (const SwitchIndex here : topology.switches_by_guid()) {
        if (levels[Raw(here)] == kNoLevel) continue;  // No end port is to be reached from there.
        const Level found = Describe(ledger, here, levels);
        Level& level = all[levels[Raw(here)]];
        if (!found.is_known || (level.is_known && level != found)) return 0;
        level = found;
    }
    // Receivers behind a cable, on the average: receivers / cables.
    std::uint64_t receivers = all[0].senders;
    std::uint64_t cables = 1;
    std::uint64_t most = 0;
    for (const Level& level : all) {
        if (level.up == 0) break;  // The top.
        receivers *= std::max<std::uint64_t>(level.down, 1);
        cables *= level.up;
        most = std::max(most, (receivers + cables - 1) / cables);
    }
    return static_cast<std::uint32_t>(most * (ledger.end_receiver_count() - all[0].senders));
}

}  // namespace ember
