// SPDX-License-Identifier: Apache-2.0
// EmberSM: an engine that gives paths service levels.
#pragma once

#include <cstdint>

#include "engines/min_hop.h"

namespace ember::testing {

/// Routes and mends as min-hop does. Beside the tables it makes anew, a path has the service level
/// that SlOf() says, by the form that it is told, and every switch has a map: each packet on
/// `lane`.
class LaneEngine final : public RoutingEngine {
public:
    [[nodiscard]] std::uint8_t SlOf(const SlPath& path) const {
        return static_cast<std::uint8_t>((Raw(path.lid) + step) % 8);
    }

    [[nodiscard]] EngineKind kind() const override { return EngineKind::kMinHop; }
    [[nodiscard]] Promise promise(const EngineOptions& options) const override {
        return min_hop_.promise(options);
    }
    [[nodiscard]] bool can_mend(const EngineOptions& options) const override {
        return min_hop_.can_mend(options);
    }
    Status Begin(const RoutingTask& task) override {
        complaint_ = {};
        if (task.mended == nullptr) {
            const Status status = TakeLanes(task);
            if (status != Status::kOk) return status;
        }
        return end == Status::kOk ? min_hop_.Begin(task) : end;
    }
    Result<Progress> Advance() override { return min_hop_.Advance(); }
    [[nodiscard]] EngineComplaint complaint() const override { return complaint_; }

    unsigned step = 1;
    PathSl::Form form = PathSl::Form::kByDestination;
    std::uint8_t map_ports = 4;  ///< Of the map that it makes.
    std::uint8_t lanes_in_use = 1;
    std::uint8_t lane = 0;
    Status end = Status::kOk;  ///< Of Begin() when the lanes are taken.

private:
    Status TakeLanes(const RoutingTask& task) {
        const Topology& topology = *task.topology;
        RoutingLanes& lanes = *task.tables.lanes;
        Status status = lanes.path_sl.Begin(form, topology.switch_bound(), topology.top_lid());
        if (status != Status::kOk) {
            complaint_.what = EngineFault::kNoPathSlBytes;
            return status;
        }
        for (const Destination& to : topology.destinations()) {
            const SlPath path{.from = SwitchIndex{0}, .to = to.at, .lid = to.lid};
            lanes.path_sl.Set(path, SlOf(path));
        }
        lanes.count = lanes_in_use;
        status = lanes.lane_map.Begin(topology.switch_bound(), map_ports);
        if (status == Status::kOk) status = FillMaps(topology, lanes.lane_map);
        if (status != Status::kOk) complaint_.what = EngineFault::kNoLaneMapBytes;
        return status;
    }
    Status FillMaps(const Topology& topology, LaneMap& map) const {
        LaneRow row;
        for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
            row.Set(sl, lane);
        }
        for (const SwitchIndex at : topology.switches_by_guid()) {
            const std::size_t ports = topology.exits(at).size();
            for (std::size_t pair = 0; pair < ports * ports; ++pair) {
                const Status status = map.Set({.at = at,
                                               .in = static_cast<PortNumber>(pair % ports),
                                               .out = static_cast<PortNumber>(pair / ports)},
                                              row);
                if (status != Status::kOk) return status;
            }
        }
        return Status::kOk;
    }

    MinHop min_hop_;
    EngineComplaint complaint_;
};

}  // namespace ember::testing
