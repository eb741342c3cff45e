// SPDX-License-Identifier: Apache-2.0
// EmberSM: fabrics that are routed on paper, for the rows of the table.
#include "tests/config/acts/paper.h"

#include <gtest/gtest.h>

#include "config/emberc/plan/node_by_word.h"

namespace ember::acts {

Paper::Paper(const net::Netlist& netlist, const Settings& settings)
    : plan_(netlist, plan::FindHome(netlist, "", kNoGuid), settings) {}

NodeIndex Paper::Node(std::string_view name) const {
    const std::uint32_t at = plan_.netlist().Find(name);
    EXPECT_NE(at, net::kNoPeer) << name;
    return plan_.fabric().FindNode(plan_.netlist().nodes[at].guid);
}

Lid Paper::LidOf(std::string_view name) const {
    const Fabric& fabric = plan_.fabric();
    const NodeIndex at = Node(name);
    const bool is_switch = fabric.node(at).type == NodeType::kSwitch;
    return fabric.port(fabric.PortOf(at, PortNumber{is_switch ? std::uint8_t{0} : std::uint8_t{1}}))
        .lid;
}

unsigned Paper::Exit(std::string_view from, std::string_view to) const {
    const SwitchIndex at = plan_.fabric().node(Node(from)).switch_index;
    return plan_.lfts()[at][Raw(LidOf(to))];
}

std::size_t Paper::EntriesUnlike(const Paper& other) const {
    std::size_t count = 0;
    for (const net::NetNode& node : plan_.netlist().nodes) {
        if (!node.is_switch()) continue;
        for (const net::NetNode& to : plan_.netlist().nodes) {
            if (Exit(node.id, to.id) != other.Exit(node.id, to.id)) ++count;
        }
    }
    return count;
}

std::string Paper::Verdict() const {
    return fmt::format("{}: {}", plan_.verdict().engine, plan::Word(plan_.verdict().outcome));
}

}  // namespace ember::acts
