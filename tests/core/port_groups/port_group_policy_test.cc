// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of port groups of pgrp_policy_file: which ports of a fabric are in them.
#include "core/port_groups/port_group_policy.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/netlist/fabric_builder.h"

namespace ember {
namespace {

/// Two switches of 4 ports, two CAs of 2 ports, a router; GUIDs as ibsim numbers them.
net::Netlist Net() {
    net::Netlist netlist;
    const auto leaf = netlist.Add(NodeType::kSwitch, 4, "S1", "leaf 1");
    const auto spine = netlist.Add(NodeType::kSwitch, 4, "S2", "spine");
    const auto one = netlist.Add(NodeType::kChannelAdapter, 2, "H1", "kuku HCA-1");
    const auto two = netlist.Add(NodeType::kChannelAdapter, 2, "H2", "kuku HCA-12");
    const auto three = netlist.Add(NodeType::kChannelAdapter, 1, "H3", "kuku2 mlx5_0");
    const auto router = netlist.Add(NodeType::kRouter, 1, "R", "kuku HCA-1");
    netlist.Connect(leaf, 1, spine, 1);
    netlist.Connect(leaf, 2, one, 1);
    netlist.Connect(leaf, 3, two, 1);
    netlist.Connect(leaf, 4, three, 1);
    netlist.Connect(spine, 2, one, 2);
    netlist.Connect(spine, 3, two, 2);
    netlist.Connect(spine, 4, router, 1);
    netlist.AssignGuids();
    return netlist;
}

/// Rows of groups, one behind the other.
class Groups {
public:
    Groups() : netlist_(Net()), built_(netlist_) {}

    /// Adds a group; rules are in the order of its counts.
    Groups& Add(PortGroup group, const std::vector<PortGroupRule>& rules = {}) {
        group.first = static_cast<std::uint32_t>(rules_.size());
        rules_.insert(rules_.end(), rules.begin(), rules.end());
        rows_.push_back(group);
        return *this;
    }
    /// Adds hosts, in their order, to group 0.
    Groups& AddHost(std::string_view name, std::uint16_t hca_index, std::uint8_t port) {
        hosts_.push_back({.first = static_cast<std::uint32_t>(octets_.size()),
                          .group = 0,
                          .hca_index = hca_index,
                          .port = port,
                          .octets = static_cast<std::uint8_t>(name.size())});
        octets_.insert(octets_.end(), name.begin(), name.end());
        return *this;
    }

    /// The ports of group `row`: "S1/0-4 H1/1".
    std::string PortsOf(std::size_t row) {
        Settings settings;
        ManagerTables& tables = settings.manager_tables;
        tables.port_groups = rows_;
        tables.port_group_rules = rules_;
        tables.port_group_hosts = hosts_;
        tables.port_group_host_octets = octets_;
        tables.name_patterns = patterns;
        tables.name_pattern_cells = cells;
        tables.name_pattern_classes = classes;
        const PortGroupPolicy policy(built_.fabric(), settings);
        std::string text;
        for (std::uint32_t i = 0; i < netlist_.nodes.size(); ++i) {
            PortGroupPolicy::NameFacts facts;
            policy.LookAtName(built_.node(i), facts);
            std::string ports;
            for (const Port& port : built_.fabric().PortsOf(built_.node(i))) {
                std::array<std::uint64_t, BitSet::WordsFor(kMostPortGroups)> words{};
                policy.FindGroups(built_.fabric().IndexOf(port), facts, BitSet(words));
                if (BitSet(words).Has(row)) ports += std::to_string(Raw(port.number));
            }
            if (!ports.empty()) text += netlist_.nodes[i].id + "/" + ports + " ";
        }
        return text;
    }
    [[nodiscard]] std::uint64_t GuidOf(std::string_view id, std::size_t port) const {
        return Raw(net::PortGuid(netlist_.nodes[netlist_.Find(id)], port));
    }

    std::vector<NamePattern> patterns;
    std::vector<std::uint16_t> cells;
    std::vector<std::uint8_t> classes;

private:
    net::Netlist netlist_;
    net::BuiltFabric built_;
    std::vector<PortGroup> rows_;
    std::vector<PortGroupRule> rules_;
    std::vector<PortGroupHost> hosts_;
    std::vector<std::uint8_t> octets_;
};

PortGroupRule Guids(std::uint64_t from, std::uint64_t to) {
    return {.from = from, .to = to, .first_port = 0, .last_port = kLastPortOfAll};
}
PortGroupRule GuidPorts(std::uint64_t guid, std::uint8_t first, std::uint8_t last) {
    return {.from = guid, .to = guid, .first_port = first, .last_port = last};
}
/// Two groups, or a pattern.
PortGroupRule Rows(std::uint64_t left, std::uint64_t right) {
    return Guids(left, right);
}

TEST(PortGroupPolicy, HasPortsByTheirGuid) {
    Groups groups;
    const std::uint64_t leaf = groups.GuidOf("S1", 0);
    const std::uint64_t spine = groups.GuidOf("S2", 0);
    const std::uint64_t host = groups.GuidOf("H1", 1);
    groups.Add({.guids = 2}, {Guids(host, host), Guids(leaf, leaf)})
        .Add({.guids = 3}, {GuidPorts(leaf, 2, 3), GuidPorts(spine, 1, 1), GuidPorts(spine, 4, 9)})
        .Add({.guids = 1}, {Guids(host + 1, spine)})
        .Add({.guids = 1}, {GuidPorts(host, 2, 2)});
    EXPECT_EQ(groups.PortsOf(0), "S1/01234 H1/1 ") << "a PortGUID is one port of a CA";
    EXPECT_EQ(groups.PortsOf(1), "S1/23 S2/14 ") << "port 0 is in no list of ports";
    EXPECT_EQ(groups.PortsOf(2), "S1/01234 S2/01234 H1/2 H2/12 H3/1 ");
    EXPECT_EQ(groups.PortsOf(3), "") << "the port with this GUID is port 1";
}

TEST(PortGroupPolicy, HasPortsByTheTypeOfTheirNode) {
    Groups groups;
    groups.Add({.node_types = qos_node_type::kAll})
        .Add({.node_types = qos_node_type::kSwitch})
        .Add({.node_types = qos_node_type::kCa})
        .Add({.node_types = qos_node_type::kRouter});
    EXPECT_EQ(groups.PortsOf(0), "S1/01234 S2/01234 H1/12 H2/12 H3/1 R/1 ");
    EXPECT_EQ(groups.PortsOf(1), "S1/01234 S2/01234 ");
    EXPECT_EQ(groups.PortsOf(2), "H1/12 H2/12 H3/1 ");
    EXPECT_EQ(groups.PortsOf(3), "R/1 ");
}

TEST(PortGroupPolicy, HasPortsOfHosts) {
    const auto ports_of = [](std::string_view name, std::uint16_t hca_index, std::uint8_t port) {
        Groups groups;
        groups.Add({}).AddHost("ku", kAnyHcaIndex, 0).AddHost(name, hca_index, port);
        return groups.PortsOf(0);
    };
    EXPECT_EQ(ports_of("kuku", kAnyHcaIndex, kAnyHostPort), "H1/12 H2/12 ")
        << "neither a longer name, nor a router";
    EXPECT_EQ(ports_of("kuku", 1, kAnyHostPort), "H1/12 ");
    EXPECT_EQ(ports_of("kuku", 12, 2), "H2/2 ");
    EXPECT_EQ(ports_of("kuku", 2, kAnyHostPort), "");
    EXPECT_EQ(ports_of("kuku2", kAnyHcaIndex, kAnyHostPort), "H3/1 ");
    EXPECT_EQ(ports_of("kuku2", 0, kAnyHostPort), "") << "mlx5_0 is no HCA-0";
    EXPECT_EQ(ports_of("leaf", kAnyHcaIndex, kAnyHostPort), "") << "a switch is no host";
}

TEST(PortGroupPolicy, HasPortsByTheirNamesAndNumbers) {
    Groups groups;
    // Names that begin with a k, and names that end with a 1.
    groups.patterns = {{.first = 0, .states = 1, .classes = 2},
                       {.first = 3, .states = 2, .classes = 2}};
    groups.cells = {kPatternFits, kPatternFails, kPatternFails,
                    // Not behind a 1; behind a 1.
                    3, 2, kPatternFails, 3, 2, kPatternFits};
    groups.classes.assign(2 * kPatternCharacters, 1);
    groups.classes['k' - 0x20] = 0;
    groups.classes[kPatternCharacters + '1' - 0x20] = 0;
    groups.Add({.patterns = 1}, {Rows(0, 0)})
        .Add({.patterns = 1}, {Rows(1, 1)})
        .Add({.patterns = 1}, {{.from = 1, .to = 1, .first_port = 2, .last_port = 2}});
    EXPECT_EQ(groups.PortsOf(0), "H1/12 H2/12 H3/1 R/1 ");
    EXPECT_EQ(groups.PortsOf(1), "S1/01234 H1/12 R/1 ");
    EXPECT_EQ(groups.PortsOf(2), "S1/2 H1/2 ");
}

TEST(PortGroupPolicy, UnitesAndSubtractsGroups) {
    Groups groups;
    const std::uint64_t leaf = groups.GuidOf("S1", 0);
    groups.Add({.guids = 1}, {GuidPorts(leaf, 2, 4)})
        .Add({.guids = 1}, {GuidPorts(leaf, 3, 3)})
        .Add({.subtractions = 1}, {Rows(0, 1)})
        .Add({.node_types = qos_node_type::kRouter})
        .Add({.guids = 1, .unions = 1}, {GuidPorts(leaf, 1, 1), Rows(2, 3)})
        .Add({.unions = 1, .subtractions = 1}, {Rows(3, 3), Rows(4, 2)});
    EXPECT_EQ(groups.PortsOf(2), "S1/24 ");
    EXPECT_EQ(groups.PortsOf(4), "S1/124 R/1 ");
    EXPECT_EQ(groups.PortsOf(5), "S1/1 R/1 ");
}

}  // namespace
}  // namespace ember
