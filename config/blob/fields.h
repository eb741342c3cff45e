// SPDX-License-Identifier: Apache-2.0
// EmberSM: what every field of config/schema/settings.fbs may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/keys/field.h"
#include "core/graph/path_sl.h"
#include "core/settings/lane_settings.h"

namespace ember {

inline constexpr std::size_t kMaxVlWeights = kMostVlWeights;
inline constexpr std::size_t kMaxShiftMultipliers = 1024;
inline constexpr std::size_t kMaskOctets = 32;

/// A row for each field of table Settings, in the schema's order: the rows of config/keys/table.h
/// without what is for people.
[[nodiscard]] std::span<const SettingField> SettingsFields();

/// Where the field of row `index` stands in a FlatBuffers table: ids begin at 0, offsets at 4.
[[nodiscard]] constexpr std::uint16_t FieldOffset(std::size_t index) {
    return static_cast<std::uint16_t>(4 + 2 * index);
}

}  // namespace ember
