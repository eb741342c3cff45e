// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a routing is.
#pragma once

#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/graph/lane_levels.h"
#include "core/graph/lane_map.h"
#include "core/graph/path_sl.h"

namespace ember {

/// The lanes that packets take: by the service levels of their paths and the maps of the switches.
/// A routing of one lane leaves all as it is when cleared: SL 0, and no map to write.
struct RoutingLanes {
    PathSl path_sl;
    LaneMap lane_map;
    std::uint8_t count = 1;  ///< Data lanes in use, 0..count-1; 1..Limits::max_lanes.
    /// With several lanes: a bit for each SL whose lanes in switches are those of `lane_map`. All
    /// that paths have are among them, and SL 0; the lanes of the others are the operator's.
    std::uint16_t sls = 0xFFFF;
    /// A bit of the SL that no path's SL has, and that a packet may set: it asks for the other one
    /// of two levels of service, which the maps give lanes of its own, or the same ones. 0: none.
    std::uint8_t level_bit = 0;
    /// The SL of a path holds in its own direction alone, and what answers on it is not proved.
    bool is_one_way = false;
    LaneRow end_ports = LaneRow::Identity();  ///< The map of hosts and of switches' port 0.
    /// VL arbitration of a switch's port to an end port: the lane that takes the entries which the
    /// keys give a VL; kNoLane: the entries count for no lane, and those behind them move up.
    LaneRow end_shares = LaneRow::Identity();
    /// The operator's levels of service, each with all these lanes; the core sees to them. SLs and
    /// lanes of all other fields are those of one level.
    LaneLevels levels{};

    [[nodiscard]] bool is_one_lane() const { return count == 1; }
    /// The service level of packets of a path for which `asked`, 0..15, is asked: that of the
    /// path, at the level of service of `asked`. kNoSl: the routing knows no such path, or level.
    [[nodiscard]] std::uint8_t SlOf(const SlPath& path, std::uint8_t asked) const {
        const std::uint8_t sl = path_sl.Of(path);
        if (sl == kNoSl) return kNoSl;
        if (levels.in_force()) return levels.SlOf(sl, asked);
        return static_cast<std::uint8_t>(sl | (asked & level_bit));
    }
    /// A bit for each SL that packets have whose lanes in switches are those of the routing.
    [[nodiscard]] std::uint16_t packet_sls() const {
        return levels.in_force() ? levels.sls() : sls;
    }
    /// The lanes of packets by their SL where the routing has `routed` of paths.
    [[nodiscard]] LaneRow PacketRow(LaneRow routed) const {
        return levels.in_force() ? levels.RowOf(routed) : routed;
    }
    /// SL to VL maps are made of what `other` has too, but for what LaneMap says of turns.
    [[nodiscard]] bool MapsLike(const RoutingLanes& other) const {
        return count == other.count && sls == other.sls && end_ports == other.end_ports &&
               levels == other.levels && lane_map.IsLike(other.lane_map);
    }
    void Clear() {
        count = 1;
        sls = 0xFFFF;
        level_bit = 0;
        is_one_way = false;
        end_ports = LaneRow::Identity();
        end_shares = LaneRow::Identity();
        levels = {};
        path_sl.Clear();
        lane_map.Clear();
    }
    void Copy(const RoutingLanes& other) {
        EMBER_ASSERT(other.count != 0);
        count = other.count;
        sls = other.sls;
        level_bit = other.level_bit;
        is_one_way = other.is_one_way;
        end_ports = other.end_ports;
        end_shares = other.end_shares;
        levels = other.levels;
        path_sl.Copy(other.path_sl);
        lane_map.Copy(other.lane_map);
    }
};

/// Everything that a routing decides: a view of what an engine fills.
struct RoutingTables {
    /// LinearForwardingTables: row = switch, column = LID, value = port, 255 = drop.
    Matrix<SwitchIndex, std::uint8_t> lfts;
    RoutingLanes* lanes = nullptr;  ///< Cleared before an engine makes routes anew.
};

}  // namespace ember
