// SPDX-License-Identifier: Apache-2.0
// EmberSM: which routes differ between two routings of a fabric.
#include "config/emberc/plan/difference.h"

#include <algorithm>
#include <span>

namespace ember::plan {
namespace {

/// A LID before and after.
struct LidPair {
    Guid to = kNoGuid;
    std::uint32_t path = 0;
    std::uint32_t before = 0;
    std::uint32_t after = 0;
};

/// LIDs that both have, in the order of the second routing's.
std::vector<LidPair> CommonLids(const Planned& before, const Planned& after, Difference& result) {
    std::vector<LidPair> lids;
    for (const Destination& to : after.topology().destinations()) {
        const DestinationIndex was = before.topology().FindDestination(to.port_guid);
        if (was == kNoDestination) continue;
        const Destination& old = before.topology().destination(was);
        if (old.lid != to.lid) ++result.lids_moved;
        const std::uint32_t paths = std::min(old.lid_count(), to.lid_count());
        for (std::uint32_t path = 0; path < paths; ++path) {
            lids.push_back({to.port_guid, path, Raw(old.lid) + path, Raw(to.lid) + path});
        }
    }
    std::sort(lids.begin(), lids.end(),
              [](const LidPair& one, const LidPair& other) { return one.after < other.after; });
    return lids;
}

}  // namespace

Difference Compare(const Planned& before, const Planned& after, bool with_moves) {
    constexpr std::uint32_t kBlock = 64;
    Difference result;
    const std::vector<LidPair> lids = CommonLids(before, after, result);
    for (const SwitchIndex at : after.topology().switches_by_guid()) {
        const Guid guid = after.topology().switch_row(at).guid;
        const SwitchIndex was = before.topology().FindSwitch(guid);
        if (was == kNoSwitch) continue;
        const std::span<const std::uint8_t> old = before.lfts()[was];
        const std::span<const std::uint8_t> now = after.lfts()[at];
        SwitchMoves moves{guid, 0, 0};
        std::uint32_t block = 0xFFFFFFFF;
        for (const LidPair& lid : lids) {
            if (old[lid.before] == now[lid.after]) continue;
            ++moves.moved;
            if (lid.after / kBlock != block) ++moves.blocks;
            block = lid.after / kBlock;
            if (with_moves) {
                result.moves.push_back({guid, lid.to, lid.path, old[lid.before], now[lid.after]});
            }
        }
        result.compared += lids.size();
        result.moved += moves.moved;
        result.blocks += moves.blocks;
        if (moves.moved > 0) result.switches.push_back(moves);
    }
    std::stable_sort(
        result.switches.begin(), result.switches.end(),
        [](const SwitchMoves& one, const SwitchMoves& other) { return one.moved > other.moved; });
    return result;
}

}  // namespace ember::plan
