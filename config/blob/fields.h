// SPDX-License-Identifier: Apache-2.0
// EmberSM: what every field of config/schema/settings.fbs may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace ember {

// clang-format off
/// How a field is stored in a blob, and how its value is written in opensm.conf.
enum class FieldKind : std::uint8_t {
    kBool,
    kU8, kU16, kU32, kU64, kI32,  ///< An integer.
    kChoice,                      ///< An enumeration in one octet.
    kText,                        ///< A string; absent: unset. `max` is its length.
    kEngines,                     ///< Octets: names from RoutingEngine, each at most `max`.
    kMask256,                     ///< 32 octets; octet i holds bits 8i to 8i + 7.
    kPerSl,                       ///< 16 values of 16 bits, each at most `max`.
    kShiftMultiplier,             ///< 16 bits: a shift of 2 above a multiplier of 14.
    kShiftMultipliers,            ///< Up to 1024 of those.
    kVlWeights,                   ///< Up to 64 entries; VLs are at most `max`.
    kSlToVl,                      ///< 16 octets, each at most `max`.
    kGuids,                       ///< GUIDs, none of them 0 or twice; at most `max` of them.
};
// clang-format on

/// One field: a value fits when it lies in min..max, or in also_min..also_max if that is not 0..0.
/// Lists and texts are absent where they are unset.
struct SettingField {
    std::string_view name;
    FieldKind kind{};
    std::int64_t min = 0;
    std::uint64_t max = 0;
    std::uint64_t also_min = 0;
    std::uint64_t also_max = 0;

    [[nodiscard]] constexpr bool Fits(std::uint64_t value) const {
        const bool in_range =
            value <= max && (min <= 0 || value >= static_cast<std::uint64_t>(min));
        return in_range || (also_max != 0 && value >= also_min && value <= also_max);
    }
    [[nodiscard]] constexpr bool FitsSigned(std::int64_t value) const {
        return value < 0 ? value >= min : Fits(static_cast<std::uint64_t>(value));
    }
};

inline constexpr std::size_t kMaxVlWeights = 64;  // IBA vol. 1, 7.6.9: two blocks of 32.
inline constexpr std::size_t kMaxShiftMultipliers = 1024;
inline constexpr std::size_t kServiceLevels = 16;
inline constexpr std::size_t kMaskOctets = 32;

/// A row for each field of table Settings, in the schema's order.
[[nodiscard]] std::span<const SettingField> SettingsFields();

/// Where the field of row `index` stands in a FlatBuffers table: ids begin at 0, offsets at 4.
[[nodiscard]] constexpr std::uint16_t FieldOffset(std::size_t index) {
    return static_cast<std::uint16_t>(4 + 2 * index);
}

}  // namespace ember
