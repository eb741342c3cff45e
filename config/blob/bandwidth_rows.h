// SPDX-License-Identifier: Apache-2.0
// EmberSM: the limits of bandwidth of a blob: their rows as the core has them, and what they must
// be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/blob/option_rules.h"
#include "config/schema/settings_generated.h"
#include "core/settings/bandwidth_rows.h"

namespace ember::option_files {

[[nodiscard]] inline BandwidthSet CoreRow(const schema::BandwidthSet& row) {
    BandwidthSet set{.named = row.named()};
    for (std::size_t sl = 0; sl < set.rates.size(); ++sl) {
        set.rates[sl] = row.rates()->Get(static_cast<flatbuffers::uoffset_t>(sl));
    }
    return set;
}
[[nodiscard]] inline schema::BandwidthSet WireRow(const BandwidthSet& row) {
    return {row.named, flatbuffers::make_span(row.rates)};
}

[[nodiscard]] inline BandwidthRule CoreRow(const schema::BandwidthRule& row) {
    return {.guid = Guid{row.guid()}, .set = row.set()};
}
[[nodiscard]] inline schema::BandwidthRule WireRow(const BandwidthRule& row) {
    return {Raw(row.guid), row.set};
}

[[nodiscard]] inline BandwidthGroupRule CoreRow(const schema::BandwidthGroupRule& row) {
    return {.group = row.group(), .set = row.set()};
}
[[nodiscard]] inline schema::BandwidthGroupRule WireRow(const BandwidthGroupRule& row) {
    return {row.group, row.set};
}

/// Whether the limits of `from` are such: counts, order, SLs without a rate, and that rows refer to
/// rows that are there. None at all are such too. In time proportional to their size.
[[nodiscard]] bool IsBandwidthPolicy(const schema::OptionFiles& from);

}  // namespace ember::option_files
