// SPDX-License-Identifier: Apache-2.0
// EmberSM: every key of opensm.conf.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/blob/fields.h"
#include "config/keys/key.h"

namespace ember::emberc {

/// Another name of a key, from older files.
struct Alias {
    std::string_view name;
    std::string_view key;
};

/// In the order of the schema: Keys()[i] has in it what SettingsFields()[i] is.
[[nodiscard]] std::span<const Key> Keys();
[[nodiscard]] std::span<const Alias> Aliases();

/// Index of the key of that name, or of the key that it is another name of.
[[nodiscard]] std::optional<std::size_t> FindKey(std::string_view name);

/// The nearest name of a key, or one that begins with `name`, or nothing.
[[nodiscard]] std::string_view NearestKey(std::string_view name);

/// The key that people mean by `word`, in any spelling of capitals and hyphens: one of OpenSM's
/// options, or a plain word for what the key is about. Empty: none is known.
[[nodiscard]] std::string_view KeyByMeaning(std::string_view word);

[[nodiscard]] std::string_view NameOf(Class part);

/// "yes", "refused", "warned", "noted".
[[nodiscard]] std::string_view NameOf(Use use);

/// "0..7", "0..7 or 15", "TRUE or FALSE": what may stand behind the key.
[[nodiscard]] std::string RangeOf(std::size_t key);

/// docs/configuration.md.
[[nodiscard]] std::string KeysAsMarkdown();

/// The keys, one a line, for terminals.
[[nodiscard]] std::string KeysAsText();

}  // namespace ember::emberc
