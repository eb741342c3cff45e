// SPDX-License-Identifier: Apache-2.0
// EmberSM: what qos_policy_file says, as rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

// A row owns ranges of the table of ranges beside its own, from row `first` on: as many as its
// counts say, in the order of the counts. Ranges of one row and one kind ascend and do not meet.

/// Numbers, both ends included: service IDs, P_Keys without the bit of membership, QoS classes,
/// GUIDs or rows.
struct QosRange {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    [[nodiscard]] bool operator==(const QosRange&) const = default;
};

/// QosLevel::packet_life of a level that does not say any.
inline constexpr std::uint8_t kNoPacketLife = 0xFF;
inline constexpr std::uint8_t kMostPacketLife = 63;  ///< PathRecord:PacketLifeTime has 6 bits.
inline constexpr std::uint8_t kTopSl = 15;

/// A qos-level: what a path may be. Level 0 is for questions that no rule fits.
struct QosLevel {
    std::uint32_t first = 0;   ///< In ManagerTables::qos_level_ranges.
    std::uint32_t p_keys = 0;  ///< Ranges; none: any P_Key.
    std::uint8_t sl = 0;
    Mtu mtu_limit = Mtu::kNone;     ///< kNone: no limit.
    Rate rate_limit = Rate::kNone;  ///< kNone: no limit.
    std::uint8_t packet_life = kNoPacketLife;
    [[nodiscard]] bool operator==(const QosLevel&) const = default;
};

/// Bits of QosGroup::node_types.
namespace qos_node_type {
inline constexpr std::uint8_t kCa = 1;
inline constexpr std::uint8_t kSwitch = 2;
inline constexpr std::uint8_t kRouter = 4;
inline constexpr std::uint8_t kSelf = 8;  ///< The port of the subnet manager.
inline constexpr std::uint8_t kAll = kCa | kSwitch | kRouter;
}  // namespace qos_node_type

/// The bit of a type of node.
[[nodiscard]] constexpr std::uint8_t TypeBit(NodeType type) {
    switch (type) {
        case NodeType::kChannelAdapter:
            return qos_node_type::kCa;
        case NodeType::kSwitch:
            return qos_node_type::kSwitch;
        case NodeType::kRouter:
            return qos_node_type::kRouter;
    }
    return 0;
}

/// A port-group. A port is in it that has one of these properties, or is named by a QosPortName.
struct QosGroup {
    std::uint32_t first = 0;   ///< In ManagerTables::qos_group_ranges.
    std::uint32_t guids = 0;   ///< Ranges of PortGUIDs,
    std::uint16_t p_keys = 0;  ///< then of P_Keys.
    std::uint8_t node_types = 0;
    [[nodiscard]] bool operator==(const QosGroup&) const = default;
};

/// A port of a group by the name of its node. These ascend by name, then by port, then by group.
struct QosPortName {
    std::uint32_t first = 0;  ///< In ManagerTables::qos_port_name_octets.
    std::uint16_t group = 0;
    std::uint8_t port = 0;    ///< 1..254. Any port of a switch stands for its port 0.
    std::uint8_t octets = 0;  ///< 1..kMostNameOctets.
    [[nodiscard]] bool operator==(const QosPortName&) const = default;
};

/// A qos-match-rule, or a line of qos-ulps. The rule fits a question that every kind fits of which
/// it has ranges.
struct QosRule {
    std::uint32_t first = 0;  ///< In ManagerTables::qos_rule_ranges.
    std::uint16_t level = 0;
    std::uint16_t sources = 0;  ///< Ranges of groups in which the source may be,
    std::uint16_t destinations = 0;
    std::uint16_t service_ids = 0;
    std::uint16_t p_keys = 0;
    std::uint16_t qos_classes = 0;
    [[nodiscard]] bool operator==(const QosRule&) const = default;
};

[[nodiscard]] constexpr std::uint32_t RangesOf(const QosLevel& row) {
    return row.p_keys;
}
[[nodiscard]] constexpr std::uint32_t RangesOf(const QosGroup& row) {
    return row.guids + row.p_keys;
}
[[nodiscard]] constexpr std::uint32_t RangesOf(const QosRule& row) {
    return std::uint32_t{row.sources} + row.destinations + row.service_ids + row.p_keys +
           row.qos_classes;
}

// Limits of a configuration; emberc and the blob's reader take no more. A board may take less rules
// (Limits::max_qos_rules).
inline constexpr std::size_t kMostQosLevels = 256;
inline constexpr std::size_t kMostQosGroups = 1024;
inline constexpr std::size_t kMostQosRules = 512;
inline constexpr std::size_t kMostQosRanges = 0xBFFF;  ///< Of each table, and port names.
/// P_Keys that groups name, all together: a port is asked for each of them once a sweep.
inline constexpr std::size_t kMostQosGroupPKeys = 0x8000;
inline constexpr std::uint64_t kTopQosClass = 0xFFF;  ///< 12 bits: IBA vol. 1, 15.2.5.16.

}  // namespace ember
