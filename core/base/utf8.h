// SPDX-License-Identifier: Apache-2.0
// EmberSM: text beyond ASCII.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ember {

/// A character of UTF-8, as RFC 3629 allows it.
struct Utf8Character {
    std::uint32_t code = 0;
    std::size_t octets = 0;  ///< 0: what stands there is no character.
};

/// An octet of a character that is not its first one.
[[nodiscard]] constexpr bool IsUtf8Tail(std::uint8_t octet) {
    return (octet & 0xC0U) == 0x80U;
}

/// How many octets a character has that begins with `lead`, from 0xC2 to 0xF4.
[[nodiscard]] constexpr std::size_t OctetsOfUtf8Lead(std::uint8_t lead) {
    if (lead < 0xE0) return 2;
    return lead < 0xF0 ? 3 : 4;
}

/// How many octets the shortest form of `code` has; 0 if no character has this code.
[[nodiscard]] constexpr std::size_t OctetsOfUtf8(std::uint32_t code) {
    if (code < 0x80) return 1;
    if (code < 0x800) return 2;
    if (code >= 0xD800 && code <= 0xDFFF) return 0;
    if (code < 0x10000) return 3;
    return code <= 0x10FFFF ? 4 : 0;
}

/// The character at the front of `text`. Codes that are written longer than need be, surrogates and
/// codes above U+10FFFF are none.
[[nodiscard]] constexpr Utf8Character FirstCharacter(std::span<const std::uint8_t> text) {
    if (text.empty()) return {};
    const std::uint8_t lead = text[0];
    if (lead < 0x80) return {lead, 1};
    if (lead < 0xC2 || lead > 0xF4) return {};
    const std::size_t octets = OctetsOfUtf8Lead(lead);
    if (text.size() < octets) return {};
    std::uint32_t code = lead & (0x7FU >> octets);
    for (const std::uint8_t tail : text.subspan(1, octets - 1)) {
        if (!IsUtf8Tail(tail)) return {};
        code = code << 6U | (tail & 0x3FU);
    }
    if (OctetsOfUtf8(code) != octets) return {};
    return {code, octets};
}

/// A name may have this character: it shows, ends no line, steers no terminal and does not turn the
/// order of what stands beside it, and is no quotation mark, between which names stand.
[[nodiscard]] constexpr bool IsNameCharacter(std::uint32_t code) {
    if (code < 0x80) return code >= 0x20 && code < 0x7F && code != '"';
    if (code < 0xA0) return false;                                              // C1 controls.
    const bool is_mark = code == 0x061C || (code >= 0x200B && code <= 0x200F);  // Direction, width.
    const bool is_break = code >= 0x2028 && code <= 0x202E;  // Ends of lines, embeddings.
    const bool is_invisible = code >= 0x2060 && code <= 0x206F;
    const bool is_none = code == 0xFEFF || (code & 0xFFFEU) == 0xFFFEU;
    return !is_mark && !is_break && !is_invisible && !is_none;
}

/// How many octets of `text` are characters that names may have, from its front on.
[[nodiscard]] constexpr std::size_t NameOctets(std::span<const std::uint8_t> text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const Utf8Character next = FirstCharacter(text.subspan(at));
        if (next.octets == 0 || !IsNameCharacter(next.code)) break;
        at += next.octets;
    }
    return at;
}

/// How many octets the front of `text` has that fits into `most` without a character cut in two.
[[nodiscard]] constexpr std::size_t WholeCharacters(std::span<const std::uint8_t> text,
                                                    std::size_t most) {
    std::size_t length = std::min(text.size(), most);
    if (length == text.size()) return length;
    while (length > 0 && IsUtf8Tail(text[length])) {
        --length;
    }
    return length;
}

}  // namespace ember
