// SPDX-License-Identifier: Apache-2.0
// EmberSM: JSON into a buffer of fixed size.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/utf8.h"
#include "core/log/fixed_text.h"
#include "core/log/render.h"

namespace ember {

/// Writes one JSON value, without heap and on one line. Objects and arrays are opened and closed in
/// pairs, at most 32 deep; commas take care of themselves. When the buffer was too small, full()
/// says so and the text is of no use.
class JsonWriter {
public:
    explicit JsonWriter(std::span<char> room) : text_(room) {}

    JsonWriter& Open(std::string_view key = {}) { return OpenWith('{', key); }
    JsonWriter& Close() { return CloseWith('}'); }
    JsonWriter& OpenList(std::string_view key = {}) { return OpenWith('[', key); }
    JsonWriter& CloseList() { return CloseWith(']'); }

    JsonWriter& Add(std::string_view key, std::string_view value) {
        Begin(key);
        AddQuoted(value);
        return *this;
    }
    JsonWriter& Add(std::string_view key, const char* value) {
        return Add(key, std::string_view(value));
    }
    JsonWriter& Add(std::string_view key, bool value) {
        Begin(key);
        text_.Add(value ? "true" : "false");
        return *this;
    }
    template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>) JsonWriter& Add(std::string_view key, Number value) {
        Begin(key);
        text_.AddNumber(std::uint64_t{value});
        return *this;
    }
    /// From now on the name of a node stands behind its GUID.
    void SetNames(const NameSource* names) { names_ = names; }
    /// GUIDs are texts, "0x0123456789abcdef": JSON's numbers lose digits of 64 bits. If the node
    /// has a name, a member with "_name" behind `key` follows.
    JsonWriter& AddGuid(std::string_view key, std::uint64_t guid) {
        Begin(key);
        text_.Add("\"0x").AddHex(guid, 16).Add('"');
        if (names_ == nullptr) return *this;
        std::array<char, kMaxNameOctets> name{};
        const std::size_t octets = names_->NameOf(static_cast<Guid>(guid), name);
        if (octets == 0) return *this;
        Begin({});
        text_.Add('"').Add(key).Add("_name\":");
        AddQuoted(std::string_view(name.data(), octets));
        return *this;
    }

    [[nodiscard]] std::string_view text() const {
        EMBER_ASSERT(depth_ == 0);
        return text_.text();
    }
    [[nodiscard]] bool full() const { return text_.full(); }

private:
    static constexpr unsigned kMaxDepth = 32;

    void Begin(std::string_view key) {
        const std::uint64_t here = std::uint64_t{1} << depth_;
        if ((not_first_ & here) != 0) text_.Add(',');
        not_first_ |= here;
        if (key.empty()) return;
        AddQuoted(key);
        text_.Add(':');
    }
    JsonWriter& OpenWith(char bracket, std::string_view key) {
        Begin(key);
        text_.Add(bracket);
        ++depth_;
        EMBER_ASSERT(depth_ <= kMaxDepth);
        not_first_ &= ~(std::uint64_t{1} << depth_);
        return *this;
    }
    JsonWriter& CloseWith(char bracket) {
        EMBER_ASSERT(depth_ > 0);
        --depth_;
        text_.Add(bracket);
        return *this;
    }
    void AddQuoted(std::string_view value) {
        text_.Add('"');
        const void* const data = value.data();
        std::span<const std::uint8_t> rest(static_cast<const std::uint8_t*>(data), value.size());
        while (!rest.empty()) {
            const Utf8Character next = FirstCharacter(rest);
            const std::size_t octets = std::max<std::size_t>(next.octets, 1);
            AddCharacter(next, rest.first(octets));
            rest = rest.subspan(octets);
        }
        text_.Add('"');
    }
    /// A character as such where a name may have it; else its octets as numbers.
    void AddCharacter(const Utf8Character& character, std::span<const std::uint8_t> octets) {
        const auto letter = static_cast<char>(octets[0]);
        if (letter == '"' || letter == '\\') {
            text_.Add('\\').Add(letter);
        } else if (character.octets != 0 && IsNameCharacter(character.code)) {
            const void* const data = octets.data();
            text_.Add(std::string_view(static_cast<const char*>(data), octets.size()));
        } else {
            for (const std::uint8_t octet : octets) {
                text_.Add("\\u").AddHex(unsigned{octet}, 4);
            }
        }
    }

    FixedText text_;
    const NameSource* names_ = nullptr;
    unsigned depth_ = 0;
    std::uint64_t not_first_ = 0;  ///< Bit d: something stands at depth d already.
};

}  // namespace ember
