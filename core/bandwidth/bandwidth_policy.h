// SPDX-License-Identifier: Apache-2.0
// EmberSM: what each service level of a port may send, by enhanced_qos_policy_file.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/partitions/partitions.h"
#include "core/port_groups/port_group_policy.h"
#include "core/port_groups/port_groups.h"
#include "core/settings/settings.h"
#include "core/wire/bandwidth.h"

namespace ember {

/// A row of ManagerTables::bandwidth_sets that a rule gives a port; none: no rule is for it.
enum class BandwidthSetIndex : std::uint16_t {};
inline constexpr BandwidthSetIndex kNoBandwidthSet{0xFFFF};

/// Resolves the rules of enhanced_qos_policy_file to rates. A port has the rule that names its
/// GUID, else that of the first group in the file which it is in, be it one of pgrp_policy_file or
/// of qos_policy_file. An SL that this rule does not name, and a port without one, has what the
/// default rule of the section says, else no limit.
///
/// The default rules are for hosts and routers: a switch's port 0 is limited only by a rule that
/// names it or a group of it. Virtual port 0 is the interface of the PortGUID; what else the GUID
/// table of a port holds, its alias GUIDs, are its other virtual ports.
class BandwidthPolicy {
public:
    /// All outlive it.
    BandwidthPolicy(const Fabric& fabric, const Partitions& partitions, const Settings& settings)
        : fabric_(fabric),
          settings_(settings),
          groups_(fabric, partitions, settings),
          policy_groups_(fabric, settings) {}

    /// The settings have a policy; without `qos` none counts.
    [[nodiscard]] bool is_in_force() const { return settings_.qos && tables().has_bandwidth; }

    /// The rule of BW_RULES for the end port `at` but for the default one. The search looks at
    /// every port group.
    [[nodiscard]] BandwidthSetIndex FindSet(PortIndex at) const;
    /// The rates of the end port `at`, by the rule that FindSet() found for it.
    [[nodiscard]] BandwidthRates RatesOf(PortIndex at, BandwidthSetIndex set) const;
    /// The rates of virtual port 0 of the end port `at`.
    [[nodiscard]] BandwidthRates RatesOfVirtualPort0(PortIndex at) const;
    /// The rates of the virtual port of an alias GUID.
    [[nodiscard]] BandwidthRates RatesOfVirtualPort(Guid alias) const;

private:
    using Rules = std::span<const BandwidthRule>;

    [[nodiscard]] const ManagerTables& tables() const { return settings_.manager_tables; }
    [[nodiscard]] static BandwidthSetIndex Find(Rules rules, Guid guid);
    [[nodiscard]] bool IsHost(PortIndex at) const;
    void FindGroups(PortIndex at, const BitSet& groups) const;
    [[nodiscard]] BandwidthRates Merge(BandwidthSetIndex own, BandwidthSetIndex others) const;

    const Fabric& fabric_;
    const Settings& settings_;
    PortGroups groups_;
    PortGroupPolicy policy_groups_;
};

}  // namespace ember
