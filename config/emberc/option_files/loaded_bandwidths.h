// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an enhanced_qos_policy_file says, on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings/bandwidth_rows.h"

namespace ember::emberc {

/// enhanced_qos_policy_file, with the names of bandwidths and port groups resolved.
struct LoadedBandwidths {
    struct Rule {
        Guid guid = kNoGuid;  ///< kNoGuid: the default rule.
        BandwidthSet limits{};
        [[nodiscard]] bool operator==(const Rule&) const = default;
    };
    struct GroupRule {
        std::uint16_t group = 0;  ///< As BandwidthGroupRule::group.
        std::string name{};       ///< Of the group.
        BandwidthSet limits{};
        [[nodiscard]] bool operator==(const GroupRule&) const = default;
    };

    std::vector<Rule> rules{};          ///< Ascending by GUID, none twice.
    std::vector<GroupRule> groups{};    ///< In the order of the lines, no group twice.
    std::vector<Rule> virtual_rules{};  ///< Ascending by GUID, none twice.
    [[nodiscard]] bool operator==(const LoadedBandwidths&) const = default;
};

/// A rule, written in one line.
struct BandwidthEntry {
    std::string line;
};

}  // namespace ember::emberc
