// SPDX-License-Identifier: Apache-2.0
// EmberSM: service levels and lanes of a torus.

#include "engines/torus/torus_lanes.h"

#include <algorithm>

namespace ember {
namespace {

constexpr std::uint8_t kLevelBit = 1U << kTorusDimensions;
constexpr std::uint8_t kTurnLanes = 4;   // With fewer there is no VL bit for turns,
constexpr std::uint8_t kLevelLanes = 8;  // and with fewer none for the level.

// Classes of ports: the dimensions, and two kinds of link that lead out of the torus.
constexpr std::uint8_t kEnd = kTorusDimensions;
constexpr std::uint8_t kNarrowEnd = kEnd + 1;  ///< A link with one lane.
constexpr std::uint8_t kClasses = kNarrowEnd + 1;

/// The lanes of the links, and the ports of the largest switch.
struct Widths {
    std::uint8_t trunk = kLevelLanes;  ///< Least data VLs of a link between switches.
    std::uint8_t end = kLevelLanes;    ///< Of a link to an end port.
    EngineComplaint narrowest;         ///< A link with the fewest.
    std::uint8_t most_ports = 0;
};

Widths Measure(const Topology& topology) {
    Widths widths;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const auto exits = topology.exits(at);
        widths.most_ports =
            std::max(widths.most_ports, static_cast<std::uint8_t>(exits.size() - 1));
        for (std::size_t port = 1; port < exits.size(); ++port) {
            const Exit& exit = exits[port];
            if (exit.destination != kNoDestination) widths.end = std::min(widths.end, exit.lanes());
            if (exit.peer == kNoSwitch || exit.lanes() >= widths.trunk) continue;
            widths.trunk = exit.lanes();
            widths.narrowest = ComplaintOfLink(topology, at, static_cast<PortNumber>(port));
        }
    }
    return widths;
}

/// The map of all turns from a class of ports to another.
LaneRow RowOf(std::uint8_t in, std::uint8_t out, std::uint8_t lanes) {
    LaneRow row;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        const unsigned level = (sl & kLevelBit) != 0 ? 1U : 0U;
        unsigned lane = out == kEnd ? level : 0U;
        if (out < kTorusDimensions) {
            lane = sl >> out & 1U;
            if (lanes >= kTurnLanes && in < kTorusDimensions && in > out) lane |= 2U;
            if (lanes >= kLevelLanes) lane |= level << 2U;
        }
        row.Set(sl, static_cast<std::uint8_t>(lane));
    }
    return row;
}

/// Links to end ports have a VL for each level of service. VL 0 of links between switches stands
/// for the first level, and the first VL of the second level for that.
LaneRow EndShares() {
    LaneRow row;
    row.Set(0, 0);
    row.Set(kLevelLanes / 2, 1);
    return row;
}

void FillMap(const TorusMap& map, std::uint8_t lanes, LaneMap& to) {
    for (std::uint8_t pair = 0; pair < kClasses * kClasses; ++pair) {
        const auto in = static_cast<std::uint8_t>(pair % kClasses);
        const auto out = static_cast<std::uint8_t>(pair / kClasses);
        to.SetRow(in, out, RowOf(in, out, lanes));
    }
    for (const SwitchIndex at : map.placed()) {
        const auto exits = map.topology().exits(at);
        for (std::size_t port = 0; port < exits.size(); ++port) {
            const std::uint8_t direction = map.link(at, static_cast<std::uint8_t>(port)).direction;
            const bool is_narrow =
                port != 0 && exits[port].destination != kNoDestination && exits[port].lanes() == 1;
            const std::uint8_t end = is_narrow ? kNarrowEnd : kEnd;
            to.SetClass(at, static_cast<PortNumber>(port),
                        direction == kNoDirection ? end : static_cast<std::uint8_t>(direction / 2));
        }
    }
}

}  // namespace

EngineComplaint FillTorusLanes(const RoutingTask& task, const TorusMap& map) {
    const Topology& topology = *task.topology;
    const Widths widths = Measure(topology);
    if (widths.trunk < 2) return widths.narrowest;
    const std::uint8_t lanes = std::min(widths.trunk, task.max_lanes);
    RoutingLanes& to = *task.tables.lanes;
    to.count = lanes >= kLevelLanes ? kLevelLanes : lanes >= kTurnLanes ? kTurnLanes : 2;
    const std::size_t switches = topology.switch_bound();
    if (to.path_sl.Begin(PathSl::Form::kByPlaces, switches, topology.top_lid()) != Status::kOk)
        return {.what = EngineFault::kNoPathSlBytes};
    to.path_sl.SetRadix(map.shape().radix);
    for (const SwitchIndex at : map.placed()) {
        to.path_sl.SetPlace(at, map.spot(at).place);
    }
    if (to.lane_map.BeginClasses(switches, widths.most_ports, kClasses) != Status::kOk)
        return {.what = EngineFault::kNoLaneMapBytes};
    FillMap(map, to.count, to.lane_map);
    to.level_bit = kLevelBit;
    to.end_shares = EndShares();
    to.end_ports = RowOf(kEnd, widths.end >= 2 ? kEnd : kNarrowEnd, to.count);
    return {};
}

}  // namespace ember
