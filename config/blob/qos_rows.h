// SPDX-License-Identifier: Apache-2.0
// EmberSM: the QoS policy of a blob: its rows as the core has them, and what they must be.
#pragma once

#include <cstdint>

#include "config/blob/option_rules.h"
#include "config/schema/settings_generated.h"
#include "core/settings/qos_tables.h"

namespace ember::option_files {

[[nodiscard]] inline QosRange CoreRow(const schema::QosRange& row) {
    return {.from = row.from(), .to = row.to()};
}
[[nodiscard]] inline schema::QosRange WireRow(const QosRange& row) {
    return {row.from, row.to};
}

[[nodiscard]] inline QosLevel CoreRow(const schema::QosLevel& row) {
    return {.first = 0,
            .p_keys = row.p_keys(),
            .sl = row.sl(),
            .mtu_limit = static_cast<Mtu>(row.mtu_limit()),
            .rate_limit = static_cast<Rate>(row.rate_limit()),
            .packet_life = row.packet_life()};
}
[[nodiscard]] inline schema::QosLevel WireRow(const QosLevel& row) {
    return {row.p_keys, row.sl, static_cast<std::uint8_t>(row.mtu_limit),
            static_cast<std::uint8_t>(row.rate_limit), row.packet_life};
}
[[nodiscard]] constexpr std::uint32_t Elements(const QosLevel& row) {
    return RangesOf(row);
}

[[nodiscard]] inline QosGroup CoreRow(const schema::QosGroup& row) {
    return {
        .first = 0, .guids = row.guids(), .p_keys = row.p_keys(), .node_types = row.node_types()};
}
[[nodiscard]] inline schema::QosGroup WireRow(const QosGroup& row) {
    return {row.guids, row.p_keys, row.node_types};
}
[[nodiscard]] constexpr std::uint32_t Elements(const QosGroup& row) {
    return RangesOf(row);
}

[[nodiscard]] inline QosPortName CoreRow(const schema::QosPortName& row) {
    return {.first = 0,
            .group = static_cast<std::uint16_t>(row.group()),
            .port = row.port(),
            .octets = row.octets()};
}
[[nodiscard]] inline schema::QosPortName WireRow(const QosPortName& row) {
    return {row.group, row.port, row.octets};
}
[[nodiscard]] constexpr std::uint32_t Elements(const QosPortName& row) {
    return row.octets;
}

[[nodiscard]] inline QosRule CoreRow(const schema::QosRule& row) {
    return {.first = 0,
            .level = row.level(),
            .sources = row.sources(),
            .destinations = row.destinations(),
            .service_ids = row.service_ids(),
            .p_keys = row.p_keys(),
            .qos_classes = row.qos_classes()};
}
[[nodiscard]] inline schema::QosRule WireRow(const QosRule& row) {
    return {row.level, row.sources, row.destinations, row.service_ids, row.p_keys, row.qos_classes};
}
[[nodiscard]] constexpr std::uint32_t Elements(const QosRule& row) {
    return RangesOf(row);
}

/// Whether the QoS policy of `from` is one: counts, limits, order of ranges and names, and that
/// rows refer to rows that are there. No policy at all is one too. In time proportional to its
/// size.
[[nodiscard]] bool IsQosPolicy(const schema::OptionFiles& from);

}  // namespace ember::option_files
