// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the steps of a routing chain route of a fabric on paper.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/emberc/option_files/loaded_chain.h"
#include "config/emberc/option_files/loaded_port_groups.h"
#include "config/netlist/netlist.h"

namespace ember::emberc {

/// The members of a unicast-step: switches, and hosts and routers behind them, as the netlist calls
/// them.
struct StepMembers {
    std::uint64_t id = 0;
    std::string engine;
    std::uint64_t topology = 0;  ///< Its id; 0: the whole subnet.
    std::vector<std::string> switches;
    std::vector<std::string> hosts;
};

/// A row for each step of `chain`, decided by the code that runs on a switch. Throws
/// std::runtime_error where the netlist is no subnet, as net::BuiltFabric does.
[[nodiscard]] std::vector<StepMembers> MembersOf(const LoadedChain& chain,
                                                 const LoadedPortGroups& groups,
                                                 const LoadedTopologies& topologies,
                                                 const net::Netlist& netlist);

/// "unicast-step 2 by ftree, topology 1: 72 hosts on 6 switches: leaf-1, leaf-2". Of many switches
/// the first are named.
[[nodiscard]] std::string AsLine(const StepMembers& step);

/// The nodes that no step but those of the whole subnet routes, as the netlist calls them.
[[nodiscard]] std::vector<std::string> OnlyInWhole(const std::vector<StepMembers>& steps);

}  // namespace ember::emberc
