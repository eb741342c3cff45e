// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports of a fabric on paper are in the port groups of pgrp_policy_file.
#include "config/emberc/option_files/port_group_members.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "config/emberc/option_files/contents_layout.h"
#include "config/netlist/fabric_builder.h"
#include "core/port_groups/port_group_policy.h"

namespace ember::emberc {
namespace {

constexpr std::size_t kFewNodes = 8;

/// "0-36", "1,3-4".
std::string Listed(const std::vector<std::uint8_t>& ports) {
    std::string text;
    for (std::size_t i = 0; i < ports.size();) {
        std::size_t end = i + 1;
        while (end < ports.size() && ports[end] == ports[end - 1] + 1) {
            ++end;
        }
        text += fmt::format("{}{}", text.empty() ? "" : ",", ports[i]);
        if (end - i > 1) text += fmt::format("-{}", ports[end - 1]);
        i = end;
    }
    return text;
}

}  // namespace

std::vector<PortGroupMembers> MembersOf(const LoadedPortGroups& loaded,
                                        const net::Netlist& netlist) {
    Layout layout;
    LayOut(loaded, layout);
    Settings settings;
    static_cast<ManagerTables&>(settings.manager_tables) = layout.tables;
    const net::BuiltFabric built(netlist);
    const PortGroupPolicy policy(built.fabric(), settings);
    std::vector<PortGroupMembers> members;
    for (const LoadedPortGroups::Group& group : loaded.groups) {
        members.push_back({.name = group.name, .line = group.line, .nodes = {}});
    }
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        PortGroupPolicy::NameFacts facts;
        policy.LookAtName(built.node(i), facts);
        for (const Port& port : built.fabric().PortsOf(built.node(i))) {
            std::array<std::uint64_t, BitSet::WordsFor(kMostPortGroups)> words{};
            const BitSet groups(words);
            policy.FindGroups(built.fabric().IndexOf(port), facts, groups);
            for (std::size_t row = 0; row < members.size(); ++row) {
                if (!groups.Has(row)) continue;
                auto& nodes = members[row].nodes;
                const std::string& id = netlist.nodes[i].id;
                if (nodes.empty() || nodes.back().node != id) nodes.push_back({id, {}});
                nodes.back().ports.push_back(Raw(port.number));
            }
        }
    }
    return members;
}

std::string AsLine(const PortGroupMembers& group) {
    std::size_t ports = 0;
    std::string few;
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
        const NodePorts& node = group.nodes[i];
        ports += node.ports.size();
        if (i < kFewNodes) {
            few += fmt::format("{}{} {}", i == 0 ? ": " : ", ", node.node, Listed(node.ports));
        }
    }
    if (group.nodes.size() > kFewNodes) few += ", ...";
    return fmt::format("port group {}{}: {} ports of {} nodes{}", group.name,
                       group.line == 0 ? "" : fmt::format(" of line {}", group.line), ports,
                       group.nodes.size(), few);
}

}  // namespace ember::emberc
