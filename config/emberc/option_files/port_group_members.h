// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports of a fabric on paper are in the port groups of pgrp_policy_file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/emberc/option_files/loaded_port_groups.h"
#include "config/netlist/netlist.h"

namespace ember::emberc {

/// Ports of a node, ascending; 0 is the management port of a switch.
struct NodePorts {
    std::string node;  ///< As the netlist calls it.
    std::vector<std::uint8_t> ports;
};

/// A group, and the ports that are in it.
struct PortGroupMembers {
    std::string name;
    std::uint32_t line = 0;
    std::vector<NodePorts> nodes;
};

/// A row for each row of `loaded`, decided by the code that runs on a switch. Throws
/// std::runtime_error where the netlist is no subnet, as net::BuiltFabric does.
[[nodiscard]] std::vector<PortGroupMembers> MembersOf(const LoadedPortGroups& loaded,
                                                      const net::Netlist& netlist);

/// "port group leaves of line 3: 72 ports of 2 nodes: leaf-1 0-36, leaf-2 0-36". Of many nodes the
/// first are named.
[[nodiscard]] std::string AsLine(const PortGroupMembers& group);

}  // namespace ember::emberc
