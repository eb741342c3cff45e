// SPDX-License-Identifier: Apache-2.0
// EmberSM: sets of characters of names, as regular expressions call them.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/settings/port_group_rows.h"

namespace ember::emberc {

/// The character that bit 0 of a set stands for.
inline constexpr std::uint32_t kFirstCharacter = 0x20;

/// Characters of names, by their number less kFirstCharacter.
using NameCharacters = std::bitset<kPatternCharacters>;

/// Adds the characters of a range, as far as names have them.
void AddRange(NameCharacters& to, std::uint32_t first, std::uint32_t last);

/// Letters, digits and the underscore, at whose ends \b is.
[[nodiscard]] const NameCharacters& WordCharacters();

/// With capitals for small letters, and the other way round.
[[nodiscard]] NameCharacters Folded(NameCharacters characters);

/// \d, \s, \w and their opposites; nothing: another letter.
[[nodiscard]] std::optional<NameCharacters> PerlClass(char letter);

/// "alpha" of [[:alpha:]]; nothing: there is no such class.
[[nodiscard]] std::optional<NameCharacters> PosixClass(std::string_view name);

}  // namespace ember::emberc
