// SPDX-License-Identifier: Apache-2.0
// EmberSM: the table of keys. docs/configuration.md, `emberc check` and `emberc show` read it.
#include "config/emberc/keys.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "config/keys/table.h"

namespace ember::emberc {
namespace {

constexpr std::array kKeys = AllKeysAs<Key>();

/// The number that a row writes as its default: decimal or hexadecimal, TRUE or FALSE, or a word of
/// a choice.
constexpr std::uint64_t NumberOf(const Key& key) {
    const auto word = std::find(key.words.begin(), key.words.end(), key.default_text);
    if (word != key.words.end()) return static_cast<std::uint64_t>(word - key.words.begin());
    if (key.kind == FieldKind::kBool) return key.default_text == "TRUE" ? 1 : 0;
    const bool is_hexadecimal = key.default_text.starts_with("0x");
    const std::string_view digits = key.default_text.substr(is_hexadecimal ? 2 : 0);
    std::uint64_t number = 0;
    for (const char digit : digits) {
        const int value = digit >= 'a' ? digit - 'a' + 10 : digit - '0';
        number = number * (is_hexadecimal ? 16 : 10) + static_cast<std::uint64_t>(value);
    }
    return number;
}

// A setting has its default in Settings; a row only says it.
static_assert(std::all_of(kKeys.begin(), kKeys.end(),
                          [](const Key& key) {
                              return !key.member.is_there() ||
                                     NumberOf(key) == key.member.Get(Settings{});
                          }),
              "default_text is not the default that core/settings/settings.h gives the member");
static_assert(Settings{}.routing_engine.empty() && Settings{}.sm_peers.empty(),
              "lists are unset by default");
static_assert(std::all_of(kKeys.begin(), kKeys.end(),
                          [](const Key& key) {
                              const bool is_choice = key.kind == FieldKind::kChoice;
                              return key.words.size() == (is_choice ? key.range.max + 1 : 0);
                          }),
              "a choice has a word for each of its numbers");

}  // namespace

std::span<const Key> Keys() {
    return kKeys;
}

}  // namespace ember::emberc
