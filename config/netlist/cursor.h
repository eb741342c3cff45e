// SPDX-License-Identifier: Apache-2.0
// EmberSM: lines of netlists: one of a node, from left to right, and those that are none.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ember::net {

/// The rest of one line, eaten from the front.
class Cursor {
public:
    explicit Cursor(std::string_view text) : text_(text) {}

    void SkipBlanks() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) {
            text_.remove_prefix(1);
        }
    }
    [[nodiscard]] bool AtEnd() {
        SkipBlanks();
        return text_.empty();
    }
    bool Eat(char wanted) {
        SkipBlanks();
        if (text_.empty() || text_.front() != wanted) return false;
        text_.remove_prefix(1);
        return true;
    }
    std::optional<std::uint64_t> Number(int base) {
        SkipBlanks();
        if (base == 16 && text_.starts_with("0x")) text_.remove_prefix(2);
        std::uint64_t value = 0;
        const auto [end, error] =
            std::from_chars(text_.data(), text_.data() + text_.size(), value, base);
        if (error != std::errc{}) return std::nullopt;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        return value;
    }
    std::optional<std::string_view> Quoted() {
        if (!Eat('"')) return std::nullopt;
        const std::size_t end = text_.find('"');
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view inside = text_.substr(0, end);
        text_.remove_prefix(end + 1);
        return inside;
    }
    std::string_view Word() {
        SkipBlanks();
        const std::size_t end = text_.find_first_of(" \t\"[(=#");
        const std::string_view word = text_.substr(0, end);
        text_.remove_prefix(word.size());
        return word;
    }
    void Skip() { text_.remove_prefix(text_.empty() ? 0 : 1); }
    /// All up to the next blank.
    std::string_view Text() {
        SkipBlanks();
        const std::string_view text = text_.substr(0, text_.find_first_of(" \t"));
        text_.remove_prefix(text.size());
        return text;
    }
    [[nodiscard]] std::string_view rest() const { return text_; }

private:
    std::string_view text_;
};

/// True for what ibnetdiscover says between nodes, with -g too.
[[nodiscard]] bool IsHeading(std::string_view line);

/// Words for the tool whose output begins with this line, where that is another one of
/// infiniband-diags than ibnetdiscover, or ibnetdiscover with an option that lists no cables; or
/// for what it is besides. Empty: none that is known.
[[nodiscard]] std::string_view ForeignTool(std::string_view line);

}  // namespace ember::net
