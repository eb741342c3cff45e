// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a field of config/schema/settings.fbs may hold, and which setting it becomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/base/assert.h"
#include "core/settings/settings.h"

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

/// Octets of a field that is a number; 0 for a text or list, which stands elsewhere in a blob.
[[nodiscard]] constexpr std::size_t NumberBytes(FieldKind kind) {
    constexpr std::size_t kBytes[] = {1, 1, 2, 4, 8, 4, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0};
    return kBytes[static_cast<std::size_t>(kind)];
}
static_assert(NumberBytes(FieldKind::kI32) == 4 && NumberBytes(FieldKind::kChoice) == 1 &&
              NumberBytes(FieldKind::kShiftMultiplier) == 2 && NumberBytes(FieldKind::kGuids) == 0);

/// Texts and lists that may be unset; the other lists have all their elements at all times.
[[nodiscard]] constexpr bool MayBeUnset(FieldKind kind) {
    return NumberBytes(kind) == 0 && kind != FieldKind::kMask256 && kind != FieldKind::kPerSl;
}

/// A value fits when it lies in min..max, or in also_min..also_max if that is not 0..0.
///
/// Ranges are the specification's or OpenSM's. OpenSM does not check time-outs and retries; zero or
/// absurd ones would stall the sweep, so those have bounds of our own.
struct FieldRange {
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

/// Every value of a kind that is a number, and texts as long as a line of opensm.conf for OpenSM.
/// Rows of other kinds name their range.
[[nodiscard]] constexpr FieldRange RangeOf(FieldKind kind) {
    if (kind == FieldKind::kBool) return {0, 1};
    if (kind == FieldKind::kU8) return {0, std::numeric_limits<std::uint8_t>::max()};
    if (kind == FieldKind::kU16) return {0, std::numeric_limits<std::uint16_t>::max()};
    if (kind == FieldKind::kU32) return {0, std::numeric_limits<std::uint32_t>::max()};
    if (kind == FieldKind::kU64) return {0, std::numeric_limits<std::uint64_t>::max()};
    EMBER_ASSERT(kind == FieldKind::kText);
    return {0, 1023};
}

/// The member of Settings that a number of a blob becomes. A field of a key that the core does not
/// act on has none.
class SettingMember {
public:
    constexpr SettingMember() = default;
    // Each converts, so that a row of the table of keys names the member and nothing else.
    constexpr SettingMember(bool Settings::*member) : type_(Type::kBool), at_{.truth = member} {}
    constexpr SettingMember(std::uint8_t Settings::*member) : type_(Type::kU8), at_{.u8 = member} {}
    constexpr SettingMember(std::uint16_t Settings::*member)
        : type_(Type::kU16), at_{.u16 = member} {}
    constexpr SettingMember(std::uint32_t Settings::*member)
        : type_(Type::kU32), at_{.u32 = member} {}
    constexpr SettingMember(std::uint64_t Settings::*member)
        : type_(Type::kU64), at_{.u64 = member} {}
    constexpr SettingMember(Guid Settings::*member) : type_(Type::kGuid), at_{.guid = member} {}
    constexpr SettingMember(Order Settings::*member) : type_(Type::kOrder), at_{.order = member} {}
    constexpr SettingMember(FlappingLinkPolicy Settings::*member)
        : type_(Type::kFlappingLinkPolicy), at_{.policy = member} {}
    constexpr SettingMember(PartEnforce Settings::*member)
        : type_(Type::kPartEnforce), at_{.enforce = member} {}
    constexpr SettingMember(StandbyConsistency Settings::*member)
        : type_(Type::kStandbyConsistency), at_{.consistency = member} {}

    [[nodiscard]] constexpr bool is_there() const { return type_ != Type::kNone; }

    /// The kind of the field whose numbers the member keeps.
    [[nodiscard]] constexpr FieldKind kind() const {
        using enum FieldKind;
        constexpr FieldKind kKinds[] = {kText, kBool,   kU8,     kU16,    kU32,   kU64,
                                        kU64,  kChoice, kChoice, kChoice, kChoice};
        return kKinds[static_cast<std::size_t>(type_)];
    }

    /// Sets the member to a number that is in the range of its field. An enumeration has the
    /// numbers of its counterpart in the schema.
    constexpr void Set(Settings& settings, std::uint64_t number) const;
    /// The number that the member has; 0 without a member.
    [[nodiscard]] constexpr std::uint64_t Get(const Settings& settings) const;

private:
    enum class Type : std::uint8_t {
        kNone,
        kBool,
        kU8,
        kU16,
        kU32,
        kU64,
        kGuid,
        kOrder,
        kFlappingLinkPolicy,
        kPartEnforce,
        kStandbyConsistency,
    };
    /// The one that type_ tells.
    union Place {
        bool Settings::*truth;
        std::uint8_t Settings::*u8;
        std::uint16_t Settings::*u16;
        std::uint32_t Settings::*u32;
        std::uint64_t Settings::*u64;
        Guid Settings::*guid;
        Order Settings::*order;
        FlappingLinkPolicy Settings::*policy;
        PartEnforce Settings::*enforce;
        StandbyConsistency Settings::*consistency;
    };

    template <typename Act>
    constexpr void Visit(const Act& act) const {
        switch (type_) {
            case Type::kNone:
                return;
            case Type::kBool:
                return act(at_.truth);
            case Type::kU8:
                return act(at_.u8);
            case Type::kU16:
                return act(at_.u16);
            case Type::kU32:
                return act(at_.u32);
            case Type::kU64:
                return act(at_.u64);
            case Type::kGuid:
                return act(at_.guid);
            case Type::kOrder:
                return act(at_.order);
            case Type::kFlappingLinkPolicy:
                return act(at_.policy);
            case Type::kPartEnforce:
                return act(at_.enforce);
            case Type::kStandbyConsistency:
                return act(at_.consistency);
        }
    }

    Type type_ = Type::kNone;
    Place at_{.truth = nullptr};
};

constexpr void SettingMember::Set(Settings& settings, std::uint64_t number) const {
    Visit([&settings, number](auto member) {
        using Value = std::remove_reference_t<decltype(settings.*member)>;
        settings.*member = static_cast<Value>(number);
    });
}

constexpr std::uint64_t SettingMember::Get(const Settings& settings) const {
    std::uint64_t number = 0;
    Visit([&settings, &number](auto member) {
        number = static_cast<std::uint64_t>(settings.*member);
    });
    return number;
}

/// A field of table Settings. Lists and texts are absent where they are unset.
struct SettingField {
    constexpr SettingField() = default;
    /// A field that becomes no member.
    constexpr SettingField(std::string_view of, FieldKind stored, FieldRange values)
        : name(of), kind(stored), range(values) {}
    constexpr SettingField(std::string_view of, FieldKind stored)
        : SettingField(of, stored, RangeOf(stored)) {}
    /// A field that is stored as the member that it becomes.
    constexpr SettingField(std::string_view of, FieldRange values, SettingMember becomes)
        : name(of), kind(becomes.kind()), range(values), member(becomes) {}
    constexpr SettingField(std::string_view of, SettingMember becomes)
        : SettingField(of, RangeOf(becomes.kind()), becomes) {}

    std::string_view name;  ///< As in the schema and in opensm.conf.
    FieldKind kind{};
    FieldRange range;
    SettingMember member{};
};

}  // namespace ember
