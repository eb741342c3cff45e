// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether paths whose entries stay keep their lanes too.

#include "core/routing/lane_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ember {
namespace {

[[nodiscard]] bool HasChanged(std::span<const LinkChange> changes, SwitchIndex at,
                              std::size_t port) {
    return std::any_of(changes.begin(), changes.end(), [&](const LinkChange& change) {
        return change.at == at && Raw(change.port) == port;
    });
}

/// At a switch with so many ports, port 0 included.
[[nodiscard]] bool KeepsTurns(std::span<const LinkChange> changes, const LaneMap& now,
                              const LaneMap& before, SwitchIndex at, std::size_t ports) {
    if (now.IsSameAt(before, at)) return true;
    for (std::size_t turn = 0; turn < ports * ports; ++turn) {
        const std::size_t in = turn / ports;
        const std::size_t out = turn % ports;
        const LaneTurn way{
            .at = at, .in = static_cast<PortNumber>(in), .out = static_cast<PortNumber>(out)};
        const bool is_kept = now.RowOf(way) == before.RowOf(way);
        if (!is_kept && !HasChanged(changes, at, in) && !HasChanged(changes, at, out)) return false;
    }
    return true;
}

/// The link behind a port has each lane that a turn to it gives, from any of so many ports.
[[nodiscard]] bool HasLanes(const RoutingLanes& lanes, LaneTurn turn, const Exit& exit,
                            std::size_t ports) {
    const bool is_linked = exit.peer != kNoSwitch || exit.destination != kNoDestination;
    if (!is_linked || exit.lanes() >= lanes.count) return true;
    for (std::size_t in = 0; in < ports; ++in) {
        turn.in = static_cast<PortNumber>(in);
        const LaneRow row = lanes.lane_map.RowOf(turn);
        for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
            const bool is_used = (lanes.sls >> sl & 1U) != 0 && row.Of(sl) != kNoLane;
            if (is_used && row.Of(sl) >= exit.lanes()) return false;
        }
    }
    return true;
}

}  // namespace

bool KeepsLanes(const Topology& topology, std::span<const LinkChange> changes,
                const RoutingLanes& now, const RoutingLanes& before) {
    const bool is_like = now.MapsLike(before) && now.level_bit == before.level_bit &&
                         now.is_one_way == before.is_one_way && now.path_sl.IsLike(before.path_sl);
    if (!is_like) return false;
    const auto switches = topology.switches_by_guid();
    return std::all_of(switches.begin(), switches.end(), [&](SwitchIndex at) {
        const auto exits = topology.exits(at);
        bool is_kept = KeepsTurns(changes, now.lane_map, before.lane_map, at, exits.size());
        for (std::size_t out = 1; is_kept && out < exits.size(); ++out) {
            is_kept = HasLanes(now, {.at = at, .in = {}, .out = static_cast<PortNumber>(out)},
                               exits[out], exits.size());
        }
        return is_kept;
    });
}

}  // namespace ember
