// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a qos_policy_file and an enhanced_qos_policy_file say, on the host.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/settings/bandwidth_rows.h"
#include "core/settings/qos_tables.h"

namespace ember::emberc {

/// qos_policy_file, with names resolved: rows refer to rows. Lines of qos-ulps are rules behind
/// those of qos-match-rules, each with the level of its SL.
struct LoadedQosPolicy {
    /// Ascending, and none meets the one before.
    using Ranges = std::vector<QosRange>;

    struct Level {
        std::string name;
        std::uint8_t sl = 0;
        Mtu mtu_limit = Mtu::kNone;
        Rate rate_limit = Rate::kNone;
        std::uint8_t packet_life = kNoPacketLife;
        Ranges p_keys{};
        [[nodiscard]] bool operator==(const Level&) const = default;
    };
    struct PortName {
        std::string node;
        std::uint8_t port = 0;
        [[nodiscard]] auto operator<=>(const PortName&) const = default;
    };
    struct Group {
        std::string name;
        std::uint8_t node_types = 0;
        Ranges guids{};
        Ranges p_keys{};
        std::vector<PortName> port_names{};  ///< Ascending, none twice.
        [[nodiscard]] bool operator==(const Group&) const = default;
    };
    struct Rule {
        std::uint16_t level = 0;
        Ranges sources{};  ///< Of rows of `groups`.
        Ranges destinations{};
        Ranges service_ids{};
        Ranges p_keys{};
        Ranges qos_classes{};
        std::uint32_t line = 0;  ///< Where the file says it, from 1; 0: not known.
        [[nodiscard]] bool operator==(const Rule&) const = default;
    };

    std::vector<Level> levels{};  ///< The first is for questions that no rule fits.
    std::vector<Group> groups{};
    std::vector<Rule> rules{};
    [[nodiscard]] bool operator==(const LoadedQosPolicy&) const = default;
};

/// A level, group or rule, written in one line.
struct QosEntry {
    std::string line;
};

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
