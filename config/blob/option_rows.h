// SPDX-License-Identifier: Apache-2.0
// EmberSM: rows of option files as a blob and as the core have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/blob/bandwidth_rows.h"
#include "config/blob/chain_rows.h"
#include "config/blob/option_rules.h"
#include "config/blob/partition_rows.h"
#include "config/blob/plain_rows.h"
#include "config/blob/port_group_policy_rows.h"
#include "config/blob/qos_rows.h"
#include "config/schema/settings_generated.h"
#include "core/settings/settings.h"

namespace ember::option_files {

// Rows, as in plain_rows.h, that own octets of a second vector, one row's behind the other's. Where
// a row's first element is, follows from the rows before it: a blob does not say it. Elements() are
// how many it owns; IsInRange() tells whether it may own so many.

[[nodiscard]] inline PortOrder CoreRow(const schema::PortOrder& row) {
    return {.guid = Guid{row.guid()}, .first = 0, .count = row.count()};
}
[[nodiscard]] inline schema::PortOrder WireRow(const PortOrder& row) {
    return {Raw(row.guid), row.count};
}
[[nodiscard]] constexpr std::uint32_t Elements(const PortOrder& row) {
    return row.count;
}
[[nodiscard]] constexpr bool IsInRange(const PortOrder& row) {
    return row.count >= 1 && row.count <= kMaxTablePorts;
}

[[nodiscard]] inline FileTable CoreRow(const schema::FileTable& row) {
    return {.guid = Guid{row.guid()}, .first = 0, .count = row.count()};
}
[[nodiscard]] inline schema::FileTable WireRow(const FileTable& row) {
    return {Raw(row.guid), row.count};
}
[[nodiscard]] constexpr std::uint32_t Elements(const FileTable& row) {
    return row.count;
}
[[nodiscard]] constexpr bool IsInRange(const FileTable& row) {
    return row.count <= kMaxTableLids;
}

[[nodiscard]] inline FileMatrix CoreRow(const schema::FileMatrix& row) {
    return {
        .guid = Guid{row.guid()}, .first = 0, .lids = row.lids(), .port_count = row.port_count()};
}
[[nodiscard]] inline schema::FileMatrix WireRow(const FileMatrix& row) {
    return {Raw(row.guid), row.lids, row.port_count};
}
[[nodiscard]] constexpr std::uint32_t Elements(const FileMatrix& row) {
    return row.lids * (row.port_count + 1U);
}
[[nodiscard]] constexpr bool IsInRange(const FileMatrix& row) {
    return row.port_count >= 1 && row.port_count <= kMaxTablePorts && row.lids <= kMaxTableLids;
}

[[nodiscard]] inline NodeName CoreRow(const schema::NodeName& row) {
    return {.guid = Guid{row.guid()}, .first = 0, .octets = row.octets()};
}
[[nodiscard]] inline schema::NodeName WireRow(const NodeName& row) {
    return {Raw(row.guid), static_cast<std::uint8_t>(row.octets)};
}
[[nodiscard]] constexpr std::uint32_t Elements(const NodeName& row) {
    return row.octets;
}
[[nodiscard]] constexpr bool IsInRange(const NodeName& row) {
    return row.octets >= 1 && row.octets <= kMostNameOctets;
}

/// A row that owns elements of another vector.
template <typename Row>
concept OwnsElements = requires(Row row) {
    row.first;
};

/// Whether the rows own all of `octets`, each as many as it may and none that `fits` refuses.
template <typename Struct, typename Fits>
[[nodiscard]] bool OwnAll(const WireStructs<Struct>* rows, const WireVector<std::uint8_t>* octets,
                          const Fits& fits) {
    const std::size_t size = SizeOf(octets);
    std::size_t first = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        const auto row = CoreRow(*rows->Get(i));
        if (!IsInRange(row)) return false;
        const std::size_t count = Elements(row);  // No product wraps: the row is in range.
        if (count > size - first) return false;
        if (count > 0 && !fits(std::span(octets->Data() + first, count))) return false;
        first += count;
    }
    return first == size;
}

}  // namespace ember::option_files
