// SPDX-License-Identifier: Apache-2.0
// EmberSM: what topo_policy_file and rch_policy_file say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "core/settings/chain_rows.h"

namespace ember::emberc {

/// Topologies, ascending by id.
struct LoadedTopologies {
    struct Topology {
        PortTopology row;
        std::string switches{};   ///< The name of its sw-grp,
        std::string end_ports{};  ///< and of its hca-grp.
        [[nodiscard]] bool operator==(const Topology&) const = default;
    };
    std::vector<Topology> topologies{};
    [[nodiscard]] bool operator==(const LoadedTopologies&) const = default;
};

/// A routing chain: its unicast-steps, ascending by id, without those that are ignored.
struct LoadedChain {
    struct Step {
        ChainStep row;
        std::uint64_t topology = 0;  ///< The id of its topology; 0: the whole subnet.
        // Not of a blob: where its step was written, and the file of its options.
        Place place{};
        std::string source{};
        std::string config{};  ///< Empty: none is named.
        Place config_place{};
        std::string config_source{};
        [[nodiscard]] bool operator==(const Step& other) const {
            return row == other.row && topology == other.topology;
        }
    };
    std::vector<Step> steps{};
    [[nodiscard]] bool operator==(const LoadedChain&) const = default;
};

/// A topology or a step, written in one line.
struct TopologyEntry {
    std::string line;
};
struct ChainEntry {
    std::string line;
};

}  // namespace ember::emberc
