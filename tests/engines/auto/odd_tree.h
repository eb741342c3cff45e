// SPDX-License-Identifier: Apache-2.0
// EmberSM: trees as they are bought and cabled, for tests: what hangs where no plan has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "config/netlist/topologies.h"
#include "tests/engines/balance/measured.h"

namespace ember::testing {

inline constexpr std::uint16_t kAggregationDevice = 0xCF09;

struct OddTree {
    explicit OddTree(std::string_view shape) {
        std::string error;
        netlist = net::TopologyByName(shape, error);
        EXPECT_EQ(error, "");
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            if (!netlist.nodes[i].is_switch()) continue;
            (HasHosts(i) ? leaves : uppers).push_back(i);
        }
        for (const std::uint32_t upper : uppers) {
            const auto& ports = netlist.nodes[upper].ports;
            const bool is_top =
                std::none_of(ports.begin(), ports.end(), [&](const net::NetPort& port) {
                    return std::find(leaves.begin(), leaves.end(), port.peer) != leaves.end();
                });
            if (is_top) tops.push_back(upper);
        }
        if (tops.empty()) tops = uppers;  // Two levels.
    }
    [[nodiscard]] bool HasHosts(std::uint32_t at) const {
        for (const net::NetPort& port : netlist.nodes[at].ports) {
            if (port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch()) return true;
        }
        return false;
    }
    std::uint8_t AddPort(std::uint32_t at) {
        netlist.nodes[at].ports.emplace_back();
        return static_cast<std::uint8_t>(netlist.nodes[at].port_count());
    }
    void Attach(std::uint32_t at, std::uint16_t device = 0x1021) {
        const std::string name = "extra " + std::to_string(netlist.nodes.size());
        const std::uint32_t host = netlist.Add(NodeType::kChannelAdapter, 1, name, name);
        netlist.nodes[host].device_id = device;
        netlist.Connect(at, AddPort(at), host, 1);
    }
    void Cable(std::uint32_t one, std::uint32_t other) {
        const std::uint8_t port = AddPort(one);
        netlist.Connect(one, port, other, AddPort(other));
    }
    [[nodiscard]] Measured Route(std::string_view engine = "auto") {
        netlist.AssignGuids();
        return Measured(netlist, engine);
    }

    net::Netlist netlist;
    std::vector<std::uint32_t> leaves;
    std::vector<std::uint32_t> uppers;
    std::vector<std::uint32_t> tops;
};

/// A tree on one lane that carries so much.
inline void ExpectTree(OddTree& tree, double saturation, std::uint32_t odd = 0) {
    Measured measured = tree.Route();
    const Verdict& verdict = measured.run().router().verdict();
    EXPECT_EQ(verdict.choice.shape, FabricShape::kTree);
    EXPECT_EQ(verdict.choice.scheme, RoutingScheme::kLevelOrder);
    EXPECT_EQ(verdict.choice.odd_count, odd);
    EXPECT_EQ(measured.run().router().planned_lanes().count, 1U);
    EXPECT_FALSE(verdict.findings.anything_may_deadlock);
    const plan::AllToAll loads = measured.Loads();
    EXPECT_GE(loads.saturation, saturation);
    EXPECT_EQ(loads.lost, 0U);
}

}  // namespace ember::testing
