// SPDX-License-Identifier: Apache-2.0
// EmberSM: partitions as a blob and as the core have them, and what they must be.
#pragma once

#include <cstdint>

#include "config/blob/option_rules.h"
#include "config/schema/settings_generated.h"
#include "core/settings/partition_rows.h"
#include "core/settings/settings.h"

namespace ember::option_files {

// Bits of a blob's rows.
inline constexpr std::uint8_t kIpPartition = 1;     ///< PartitionRow:flags.
inline constexpr std::uint8_t kFormsOfPKey = 3;     ///< `membership`: bits of Membership.
inline constexpr std::uint8_t kPKeyAtIndex0 = 128;  ///< `membership`.

[[nodiscard]] constexpr std::uint8_t WireMembership(Membership membership, bool is_first) {
    const auto forms = static_cast<std::uint8_t>(membership);
    return is_first ? static_cast<std::uint8_t>(forms | kPKeyAtIndex0) : forms;
}
[[nodiscard]] constexpr Membership CoreMembership(std::uint8_t membership) {
    return static_cast<Membership>(membership & kFormsOfPKey);
}

[[nodiscard]] inline PartitionRow CoreRow(const schema::PartitionRow& row) {
    return {.line = row.line(),
            .first = 0,
            .p_key = row.p_key(),
            .octets = row.octets(),
            .sl = static_cast<std::uint8_t>(row.sl() & 0xFU),
            .is_ip = (row.flags() & kIpPartition) != 0};
}
[[nodiscard]] inline schema::PartitionRow WireRow(const PartitionRow& row) {
    return {row.line, row.p_key, static_cast<std::uint8_t>(row.is_ip ? kIpPartition : 0), row.sl,
            row.octets};
}
[[nodiscard]] constexpr std::uint32_t Elements(const PartitionRow& row) {
    return row.octets;
}
[[nodiscard]] constexpr bool IsInRange(const PartitionRow& row) {
    return row.octets <= kMostNameOctets;
}

[[nodiscard]] inline PartitionMember CoreRow(const schema::PartitionMember& row) {
    return {.port_guid = Guid{row.port_guid()},
            .line = row.line(),
            .p_key = row.p_key(),
            .membership = CoreMembership(row.membership()),
            .turn = static_cast<std::uint8_t>(row.turn() & 0x7FU),
            .is_first = (row.membership() & kPKeyAtIndex0) != 0};
}
[[nodiscard]] inline schema::PartitionMember WireRow(const PartitionMember& row) {
    return {Raw(row.port_guid), row.line, row.p_key, WireMembership(row.membership, row.is_first),
            row.turn};
}

[[nodiscard]] inline PartitionClass CoreRow(const schema::PartitionClass& row) {
    return {.line = row.line(),
            .p_key = row.p_key(),
            .ports = static_cast<PortClass>(row.ports()),
            .membership = CoreMembership(row.membership()),
            .turn = static_cast<std::uint8_t>(row.turn() & 0x7FU),
            .is_first = (row.membership() & kPKeyAtIndex0) != 0};
}
[[nodiscard]] inline schema::PartitionClass WireRow(const PartitionClass& row) {
    return {row.line, row.p_key, static_cast<std::uint8_t>(row.ports),
            WireMembership(row.membership, row.is_first), row.turn};
}

[[nodiscard]] inline PartitionGroup CoreRow(const schema::PartitionGroup& row) {
    return {.mgid = {row.mgid_high(), row.mgid_low()},
            .q_key = row.q_key(),
            .flow_label = row.flow_label(),
            .line = row.line(),
            .p_key = row.p_key(),
            .mtu = row.mtu(),
            .rate = row.rate(),
            .sl = row.sl(),
            .tclass = row.tclass()};
}
[[nodiscard]] inline schema::PartitionGroup WireRow(const PartitionGroup& row) {
    return {row.mgid.high, row.mgid.low, row.q_key, row.flow_label, row.line,
            row.p_key,     row.mtu,      row.rate,  row.sl,         row.tclass};
}

/// Partitions ascend, all numbers are in their ranges, and one partition is the default one. Ports,
/// classes and groups ascend, are of partitions that are there, and agree about who is overruled
/// (core/settings/partition_rows.h). Without partitions there is none of the others. Names are not
/// looked at.
[[nodiscard]] bool PartitionsFit(const schema::OptionFiles& from);

}  // namespace ember::option_files
