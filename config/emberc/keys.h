// SPDX-License-Identifier: Apache-2.0
// EmberSM: every key of opensm.conf.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/blob/fields.h"

namespace ember::emberc {

/// The part of a subnet manager that a key belongs to.
enum class Class { kCore, kRouting, kQos, kSa, kSecurity, kPerf, kLogging, kVendor };

/// Whether this release of EmberSM does something about a key. The blob carries one without effect
/// all the same; the three kinds say what it means to lose it without a word.
enum class Use {
    kActedOn,
    kRefused,  ///< Isolation, quality of service, congestion control: the fabric would be another.
    kWarned,   ///< Something that a site may rely on is missing.
    kNoted,    ///< Nothing is lost: EmberSM does it in its own way, or has no such part.
};

/// When OpenSM takes a changed value.
enum class Update {
    kAtStart,
    kReread,  ///< At every heavy sweep and on SIGHUP.
};

/// What people need to know of a key. Its type and range are in the SettingField of the same
/// index.
struct Key {
    std::string_view name;
    Class kind{};
    Use use{};
    Update update{};
    std::string_view default_text;  ///< As one would write it in opensm.conf.
    std::string_view meaning;
    std::string_view beside{};  ///< A key without which OpenSM does not look at this one; or none.
};

/// Another name of a key, from older files.
struct Alias {
    std::string_view name;
    std::string_view key;
};

/// In the order of the schema: Keys()[i] is described by SettingsFields()[i].
[[nodiscard]] std::span<const Key> Keys();
[[nodiscard]] std::span<const Alias> Aliases();

/// Index of the key of that name, or of the key that it is another name of.
[[nodiscard]] std::optional<std::size_t> FindKey(std::string_view name);

/// The nearest name of a key, or one that begins with `name`, or nothing.
[[nodiscard]] std::string_view NearestKey(std::string_view name);

[[nodiscard]] std::string_view NameOf(Class kind);

/// "yes", "refused", "warned", "noted".
[[nodiscard]] std::string_view NameOf(Use use);

/// "0..7", "0..7 or 15", "TRUE or FALSE": what may stand behind the key.
[[nodiscard]] std::string RangeOf(std::size_t key);

/// docs/configuration.md.
[[nodiscard]] std::string KeysAsMarkdown();

/// One line a key, for terminals.
[[nodiscard]] std::string KeysAsText();

}  // namespace ember::emberc
