// SPDX-License-Identifier: Apache-2.0
// EmberSM: which port groups of qos_policy_file a port is in.
#pragma once

#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/fabric/node_names.h"
#include "core/partitions/partitions.h"
#include "core/settings/settings.h"

namespace ember {

/// Finds the groups of a port: by PortGUID, P_Key, kind of node, or name of the node.
class PortGroups {
public:
    /// All outlive it.
    PortGroups(const Fabric& fabric, const Partitions& partitions, const Settings& settings)
        : fabric_(fabric), partitions_(partitions), settings_(settings), names_(fabric, settings) {}

    /// Adds the groups that the end port `at` is in: `groups` has a bit for each of kMostQosGroups.
    void FindGroups(PortIndex at, const BitSet& groups) const;

private:
    [[nodiscard]] const ManagerTables& tables() const { return settings_.manager_tables; }
    void FindNamed(PortIndex at, const BitSet& groups) const;
    [[nodiscard]] bool IsIn(const QosGroup& group, PortIndex at) const;

    const Fabric& fabric_;
    const Partitions& partitions_;
    const Settings& settings_;
    NodeNames names_;
};

}  // namespace ember
