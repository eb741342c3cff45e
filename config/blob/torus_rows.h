// SPDX-License-Identifier: Apache-2.0
// EmberSM: the torus of a blob: its rows as the core has them, and what they must be.
#pragma once

#include "config/blob/option_rules.h"
#include "config/schema/settings_generated.h"
#include "core/settings/engine_options.h"

namespace ember::option_files {

[[nodiscard]] inline TorusShape CoreRow(const schema::TorusShape& row) {
    return {
        .radix = {row.x(), row.y(), row.z()}, .open = row.open(), .group_ports = row.group_ports()};
}
[[nodiscard]] inline schema::TorusShape WireRow(const TorusShape& row) {
    return {row.radix[0], row.radix[1], row.radix[2], row.open, row.group_ports};
}

[[nodiscard]] inline TorusSeed CoreRow(const schema::TorusSeed& row) {
    return {.from = Guid{row.from()},
            .to = {Guid{row.xm()}, Guid{row.xp()}, Guid{row.ym()}, Guid{row.yp()}, Guid{row.zm()},
                   Guid{row.zp()}},
            .place = {row.x(), row.y(), row.z()}};
}
[[nodiscard]] inline schema::TorusSeed WireRow(const TorusSeed& row) {
    return {Raw(row.from),  Raw(row.to[0]), Raw(row.to[1]), Raw(row.to[2]), Raw(row.to[3]),
            Raw(row.to[4]), Raw(row.to[5]), row.place[0],   row.place[1],   row.place[2]};
}

/// Switches that a torus may have.
inline constexpr std::size_t kMostTorusPlaces = kMaxTableLids - 1;

/// Whether there can be such a torus.
[[nodiscard]] bool IsTorus(const TorusShape& shape);
/// Whether the seed says enough of `shape`, and puts no switch at two places.
[[nodiscard]] bool IsSeed(const TorusSeed& seed, const TorusShape& shape);
/// Whether the file's vectors are one torus with a seed, or say nothing.
[[nodiscard]] bool TorusFits(const schema::OptionFiles& from);

}  // namespace ember::option_files
