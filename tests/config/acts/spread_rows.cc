// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys that decide which of several equal exits a LID takes. But for the weights of cables
// they act under `order opensm`, and so do their rows.
#include <fmt/format.h>

#include "tests/config/acts/paper.h"
#include "tests/config/acts/row.h"

namespace ember::acts {
namespace {

/// Two switches with three cables between them, on ports 1 to 3, and six hosts behind the far one.
/// The near one has GUID 0x200000, hosts 0x100000 on.
net::Netlist TwoSwitches() {
    net::Netlist netlist;
    const auto near = netlist.Add(NodeType::kSwitch, 4, "near", "");
    const auto far = netlist.Add(NodeType::kSwitch, 12, "far", "");
    for (std::uint32_t port = 1; port <= 3; ++port) {
        netlist.Connect(near, port, far, port);
    }
    for (std::uint32_t i = 0; i < 6; ++i) {
        const auto host = netlist.Add(NodeType::kChannelAdapter, 1, fmt::format("h{}", i), "");
        netlist.Connect(host, 1, far, 4 + i);
    }
    netlist.AssignGuids();
    return netlist;
}

/// The ports by which the near switch reaches the six hosts, in their order.
std::string Exits(const Settings& settings) {
    const Paper paper(TwoSwitches(), settings);
    std::string exits;
    for (std::uint32_t i = 0; i < 6; ++i) {
        exits += fmt::format("{}", paper.Exit("near", fmt::format("h{}", i)));
    }
    return exits;
}

/// A hub with three leaves behind two cables: the ports by which the root reaches the switches.
std::string ExitsToSwitches(const Settings& settings) {
    net::Netlist netlist;
    const auto root = netlist.Add(NodeType::kSwitch, 3, "root", "");
    const auto hub = netlist.Add(NodeType::kSwitch, 5, "hub", "");
    netlist.Connect(root, 1, hub, 1);
    netlist.Connect(root, 2, hub, 2);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const auto leaf = netlist.Add(NodeType::kSwitch, 1, fmt::format("leaf{}", i), "");
        netlist.Connect(hub, 3 + i, leaf, 1);
    }
    netlist.AssignGuids();
    const Paper paper(netlist, settings);
    std::string exits = fmt::format("{}", paper.Exit("root", "hub"));
    for (std::uint32_t i = 0; i < 3; ++i) {
        exits += fmt::format("{}", paper.Exit("root", fmt::format("leaf{}", i)));
    }
    return exits;
}

}  // namespace

std::vector<Row> SpreadRows() {
    const File weights{"weights", "0x200000 1 2\n"};
    const File search{"search", "0x200000 3 2\n"};
    const File ignored{"ignored", "0x200000 2\n"};
    // The port GUID of the last host.
    const File first{"first", "0x10000b\n"};
    std::string all;
    for (std::uint32_t i = 0; i < 6; ++i) {
        all += fmt::format("{:#x}\n", 0x100001 + 2 * i);
    }
    const File named{"named", all};
    // clang-format off
    return {
        {"hop_weights_file", "weights", &Exits, "123123", "232323", "order opensm\n", {weights}},
        {"port_search_ordering_file", "search", &Exits, "123123", "321321", "order opensm\n", {search}},
        {"port_prof_ignore_file", "ignored", &Exits, "123123", "122222", "order opensm\n", {ignored}},
        {"guid_routing_order_file", "first", &Exits, "123123", "231231", "order opensm\n", {first}},
        {"port_shifting", "TRUE", &Exits, "123123", "123231", "order opensm\n"},
        {"scatter_ports", "3", &Exits, "123123", "132132", "order opensm\n"},
        {"guid_routing_order_no_scatter", "TRUE", &Exits, "132132", "123123",
         "order opensm\nscatter_ports 3\nguid_routing_order_file named\n", {named}},
        {"port_profile_switch_nodes", "TRUE", &ExitsToSwitches, "1111", "1212", "order opensm\n"},
    };
    // clang-format on
}

}  // namespace ember::acts
