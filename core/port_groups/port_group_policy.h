// SPDX-License-Identifier: Apache-2.0
// EmberSM: which port groups of pgrp_policy_file a port is in.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/settings/settings.h"

namespace ember {

/// Finds the groups of a port from its PortGUID, its number, and the type and NodeDescription of
/// its node. Groups that others are made of are rows before them, so that one pass decides about
/// all of them, port by port: no group is ever held as a list of ports, and none goes stale.
///
/// Names are those that nodes tell, not those of node_name_map_name: hosts are known here by what
/// they are called themselves. A switch is known by the GUID of its port 0.
class PortGroupPolicy {
public:
    /// Both outlive it.
    PortGroupPolicy(const Fabric& fabric, const Settings& settings)
        : fabric_(fabric), settings_(settings) {}

    /// Facts from the name of a node, the same for all its ports.
    struct NameFacts {
        std::array<char, kMostNameOctets> octets{};
        std::uint8_t length = 0;
        std::array<std::uint64_t, BitSet::WordsFor(kMostNamePatterns)> patterns{};  ///< Matching.
        [[nodiscard]] std::string_view name() const { return {octets.data(), length}; }
    };

    /// Goes through the name of a node: at most kMostNameOctets steps for each pattern.
    void LookAtName(NodeIndex node, NameFacts& facts) const;

    /// Adds the groups that the port `at` is in, a row of the fabric of the node that `facts` tell
    /// of: `groups` has a bit for each of kMostPortGroups, and is empty before.
    void FindGroups(PortIndex at, const NameFacts& facts, const BitSet& groups) const;

private:
    [[nodiscard]] const ManagerTables& tables() const { return settings_.manager_tables; }
    void FindHost(const NameFacts& facts, PortNumber number, const BitSet& groups) const;
    [[nodiscard]] bool HasGuid(const PortGroup& group, Guid guid, PortNumber number) const;
    [[nodiscard]] bool HasByRule(const PortGroup& group, PortNumber number, const NameFacts& facts,
                                 const BitSet& groups) const;

    const Fabric& fabric_;
    const Settings& settings_;
};

}  // namespace ember
