// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is known of a key of opensm.conf: one row for the switch, for emberc and for
// people.
#pragma once

#include <span>
#include <string_view>

#include "config/keys/field.h"

namespace ember::emberc {

/// The part of a subnet manager that a key belongs to.
enum class Class { kCore, kRouting, kQos, kSa, kSecurity, kPerf, kLogging, kVendor };

/// Whether this release of EmberSM does something about a key. The blob carries one without effect
/// all the same; the three kinds say what it means to lose it without a word.
enum class Use {
    kActedOn,
    kRefused,  ///< Isolation, congestion control: the fabric would be another.
    kWarned,   ///< Something that a site may rely on is missing.
    kNoted,    ///< Nothing is lost: EmberSM does it in its own way, or has no such part.
};

/// When OpenSM takes a changed value.
enum class Update {
    kAtStart,
    kReread,  ///< At every heavy sweep and on SIGHUP.
};

/// A key: its field in the schema, and what people need to know of it. The switch has the field
/// alone (config/blob/fields.cc); no text for people gets into an image.
struct Key : SettingField {
    Class part{};
    Use use{};
    Update update{};
    std::string_view default_text;  ///< As one would write it in opensm.conf.
    std::string_view meaning;
    std::string_view beside{};  ///< A key without which OpenSM does not look at this one; or none.
    std::span<const std::string_view> words{};  ///< Of a kChoice, by number; empty for others.
};

namespace rows {
using enum FieldKind;
using enum Class;
using enum Use;
using enum Update;
}  // namespace rows

}  // namespace ember::emberc
