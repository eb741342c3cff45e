// SPDX-License-Identifier: Apache-2.0
// EmberSM: the node of a netlist, and the port of it, that an operator's word means.
#pragma once

#include <string_view>

#include "config/emberc/plan/planner.h"
#include "config/explain/resolver.h"
#include "config/netlist/cuts.h"
#include "config/netlist/netlist.h"
#include "core/settings/settings.h"

namespace ember::plan {

/// Names and LIDs of nodes beside those that the netlist tells. Both tables live as long as this.
struct Calling {
    const ManagerTables* tables = nullptr;  ///< With the names of node_name_map_name.
    const LidsByGuid* lids = nullptr;       ///< LIDs of a plan; nullptr: those that the file tells.
};

/// The node or port that `word` means, as explain::Resolve() has it. Throws std::runtime_error with
/// a sentence when the word means no node, or may mean several.
[[nodiscard]] explain::Spot NodeByWord(const net::Netlist& netlist, std::string_view word,
                                       const Calling& calling);

/// Where the subnet manager sits: the node or port that `word` means; without a word the port with
/// the GUID `guid` if there is one, else the first cabled port of a CA, else the first node. Throws
/// as NodeByWord().
[[nodiscard]] net::NetEnd FindHome(const net::Netlist& netlist, std::string_view word, Guid guid,
                                   const Calling& calling = {});

}  // namespace ember::plan
