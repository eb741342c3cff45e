// SPDX-License-Identifier: Apache-2.0
// EmberSM: what enhanced_qos_policy_file says, as rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/settings/qos_tables.h"
#include "core/wire/bandwidth.h"

namespace ember {

/// The right side of rules, each different one once. Bit n of `named`: the rule gives SL n a rate;
/// the rates of other SLs are 0.
struct BandwidthSet {
    std::uint16_t named = 0;
    BandwidthRates rates{};
    [[nodiscard]] bool operator==(const BandwidthSet&) const = default;
};

/// A rule for a port. These ascend by GUID; kNoGuid, which comes first, is the default rule, for
/// ports that no other rule is for and for SLs that theirs does not name.
struct BandwidthRule {
    Guid guid = kNoGuid;
    std::uint16_t set = 0;  ///< A row of ManagerTables::bandwidth_sets.
    [[nodiscard]] bool operator==(const BandwidthRule&) const = default;
};

/// A rule for the ports of a port group. Of several groups of a port the first row counts, and a
/// rule for the port itself before all of them.
struct BandwidthGroupRule {
    /// A row of ManagerTables::qos_groups, kMostQosGroups + a row of port_groups, or kGroupOfTypes
    /// and a set of qos_node_type; once in the table.
    std::uint16_t group = 0;
    std::uint16_t set = 0;
    [[nodiscard]] bool operator==(const BandwidthGroupRule&) const = default;
};

// Limits of a configuration; emberc and the blob's reader take no more.
inline constexpr std::size_t kMostBandwidthSets = 4096;
inline constexpr std::size_t kMostBandwidthGroups = 64;  ///< A port is looked for in each of them.

}  // namespace ember
