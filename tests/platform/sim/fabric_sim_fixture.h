// SPDX-License-Identifier: Apache-2.0
// EmberSM: a line of two switches with a host at each end, and its tables.
#pragma once

#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "core/wire/sm_info.h"
#include "platform/sim/fabric_sim.h"
#include "tests/platform/sim/agent_probe.h"

namespace ember::sim::fabric_sim {

/// h0 - s2 - s3 - h1: one host on each of two switches; hosts on port 1, the cable on ports 2.
inline net::Netlist Line() {
    net::Netlist net;
    net.Add(NodeType::kChannelAdapter, 1, "h0", "h0");
    net.Add(NodeType::kChannelAdapter, 1, "h1", "h1");
    net.Add(NodeType::kSwitch, 4, "s2", "s2");
    net.Add(NodeType::kSwitch, 4, "s3", "s3");
    net.Connect(0, 1, 2, 1);
    net.Connect(1, 1, 3, 1);
    net.Connect(2, 2, 3, 2);
    net.AssignGuids();
    return net;
}

inline void SetLid(FabricSim& sim, std::uint32_t node, std::uint32_t port, std::uint16_t lid) {
    PortInfo& info = sim.world().port(sim.RowOf(node, port)).info;
    info.Set(PortInfo::kLid, Lid{lid});
    info.Set(PortInfo::kMasterSmLid, Lid{1});
}

inline void SetRoute(FabricSim& sim, std::uint32_t node, std::uint16_t lid, std::uint8_t port) {
    SmpData block{};
    ASSERT_TRUE(sim.world().ReadLftBlock(node, lid / 64, block));
    block[lid % 64] = port;
    ASSERT_TRUE(sim.world().WriteLftBlock(node, lid / 64, block));
    sim.world().node(node).switch_info.Set(SwitchInfo::kLinearFdbTop, Lid{100});
}

}  // namespace ember::sim::fabric_sim
