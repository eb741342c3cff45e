// SPDX-License-Identifier: Apache-2.0
// EmberSM: a regular expression of names, as a tree.
#include "config/emberc/option_files/name_expression_parser.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ember::emberc {
namespace {

using Kind = ExpressionNode::Kind;

constexpr std::uint32_t kLastAscii = 0x7F;

bool IsDigit(char c) {
    return c >= '0' && c <= '9';
}

bool IsOctal(char c) {
    return c >= '0' && c <= '7';
}

std::uint32_t HexValue(char c) {
    if (IsDigit(c)) return static_cast<std::uint32_t>(c - '0');
    return static_cast<std::uint32_t>((c | 0x20) - 'a') + 10;
}

/// Parser, automaton and the end of the tree call themselves for each group within another.
constexpr std::size_t kDeepest = 100;

/// Goes down an expression that RE2 has accepted: brackets close, and repetitions follow something.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    ExpressionNode Parse() {
        ExpressionNode tree = Alternatives();
        if (!AtEnd()) Refuse(at_, 1, "this is not understood");
        return tree;
    }

private:
    [[nodiscard]] bool AtEnd() const { return at_ >= text_.size(); }
    [[nodiscard]] char Peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[nodiscard]] bool Starts(std::string_view with) const {
        return text_.substr(std::min(at_, text_.size())).starts_with(with);
    }
    bool Take(std::string_view word) {
        if (!Starts(word)) return false;
        at_ += word.size();
        return true;
    }
    [[noreturn]] static void Refuse(std::size_t begin, std::size_t length, const std::string& why) {
        throw ExpressionError(why, begin, length);
    }

    ExpressionNode Alternatives();
    ExpressionNode Sequence();
    ExpressionNode Item();
    ExpressionNode Group();
    void TakeFlags();
    ExpressionNode Escaped();
    void Literal(std::uint32_t code, std::size_t begin, ExpressionNode& sequence);
    [[nodiscard]] ExpressionNode OfCharacters(const NameCharacters& characters) const;
    [[nodiscard]] ExpressionNode OfCode(std::uint32_t code, std::size_t begin) const;
    std::uint32_t EscapedCode();
    std::uint32_t HexCode(std::size_t begin);
    ExpressionNode Class();
    [[nodiscard]] bool TakeNamedClass(NameCharacters& characters);
    std::uint32_t ClassCode();
    [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> TakeTimes();
    [[nodiscard]] std::optional<std::size_t> TakeCount();
    void TakeRepeats(ExpressionNode& item);

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;  ///< Groups that are open.
    bool folds_ = false;     ///< (?i)
};

ExpressionNode Parser::Alternatives() {
    ExpressionNode node{.kind = Kind::kAlternative};
    do {
        node.parts.push_back(Sequence());
    } while (Take("|"));
    if (node.parts.size() > 1) return node;
    ExpressionNode only = std::move(node.parts.front());
    return only;
}

ExpressionNode Parser::Sequence() {
    ExpressionNode node;
    while (!AtEnd() && Peek() != '|' && Peek() != ')') {
        if (Take("\\Q")) {
            while (!AtEnd() && !Take("\\E")) {
                const std::size_t begin = at_;
                Literal(static_cast<unsigned char>(text_[at_++]), begin, node);
            }
            // The last character of the text between \Q and \E is the one repeated.
            if (!node.parts.empty()) TakeRepeats(node.parts.back());
            continue;
        }
        ExpressionNode item = Item();
        TakeRepeats(item);
        node.parts.push_back(std::move(item));
    }
    return node;
}

void Parser::Literal(std::uint32_t code, std::size_t begin, ExpressionNode& sequence) {
    sequence.parts.push_back(OfCode(code, begin));
}

ExpressionNode Parser::OfCharacters(const NameCharacters& characters) const {
    return {.kind = Kind::kCharacters, .characters = folds_ ? Folded(characters) : characters};
}

ExpressionNode Parser::OfCode(std::uint32_t code, std::size_t begin) const {
    const std::size_t length = at_ - begin;
    if (code > kLastAscii) Refuse(begin, length, "names of nodes are compared in ASCII");
    if (code < kFirstCharacter || code == kLastAscii || code == '"') {
        Refuse(begin, length,
               "no name has this character: in the place of one that is not printable stands a "
               "question mark, and of a quotation mark an apostrophe");
    }
    NameCharacters characters;
    characters.set(code - kFirstCharacter);
    return OfCharacters(characters);
}

ExpressionNode Parser::Item() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (c == '(') return Group();
    if (c == '[') return Class();
    if (c == '\\') return Escaped();
    ++at_;
    if (c == '.') return OfCharacters(~NameCharacters());
    if (c == '^') return {.kind = Kind::kBoundary, .boundary = Boundary::kBegin};
    if (c == '$') return {.kind = Kind::kBoundary, .boundary = Boundary::kEnd};
    return OfCode(static_cast<unsigned char>(c), begin);
}

/// "(...)", "(?i...)", "(?P<name>...)". Flags hold up to the end of the group that they stand in.
ExpressionNode Parser::Group() {
    if (++depth_ > kDeepest) {
        Refuse(at_, 1, fmt::format("groups stand in each other more than {} deep", kDeepest));
    }
    ++at_;
    const bool folded = folds_;
    if (Take("?P<")) {
        at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
    } else if (Take("?")) {
        TakeFlags();
        if (Take(")")) {
            --depth_;
            return {};  // (?i): what follows in this group has the flags.
        }
        static_cast<void>(Take(":"));
    }
    ExpressionNode inside = Alternatives();
    static_cast<void>(Take(")"));
    --depth_;
    folds_ = folded;
    return inside;
}

/// Names have one line, so m and s change nothing, and neither does U.
void Parser::TakeFlags() {
    bool is_on = true;
    for (; !AtEnd() && Peek() != ':' && Peek() != ')'; ++at_) {
        if (Peek() == '-') is_on = false;
        if (Peek() == 'i') folds_ = is_on;
    }
}

ExpressionNode Parser::Escaped() {
    const std::size_t begin = at_;
    const char letter = Peek(1);
    if (const auto characters = PerlClass(letter)) {
        at_ += 2;
        return OfCharacters(*characters);
    }
    if (letter == 'p' || letter == 'P') {
        Refuse(begin, 2, "names of nodes are compared in ASCII, without classes of Unicode");
    }
    constexpr std::array kBoundaries = {
        std::pair{'A', Boundary::kBegin}, std::pair{'z', Boundary::kEnd},
        std::pair{'b', Boundary::kWord}, std::pair{'B', Boundary::kNoWord}};
    for (const auto& [word, boundary] : kBoundaries) {
        if (word != letter) continue;
        at_ += 2;
        return {.kind = Kind::kBoundary, .boundary = boundary};
    }
    if (letter == 'C') {
        at_ += 2;
        return OfCharacters(~NameCharacters());
    }
    const std::uint32_t code = EscapedCode();
    return OfCode(code, begin);
}

std::uint32_t Parser::HexCode(std::size_t begin) {
    std::uint32_t code = 0;
    if (Take("{")) {
        while (!AtEnd() && Peek() != '}') {
            code = code * 16 + HexValue(text_[at_++]);
            if (code > 0x10FFFF) Refuse(begin, at_ - begin, "there is no such character");
        }
        ++at_;
        return code;
    }
    for (int digits = 0; digits < 2 && !AtEnd(); ++digits) {
        code = code * 16 + HexValue(text_[at_++]);
    }
    return code;
}

/// The character of an escape, of which RE2 has seen that it is one.
std::uint32_t Parser::EscapedCode() {
    const std::size_t begin = at_;
    at_ += 2;
    const char letter = at_ <= text_.size() ? text_[at_ - 1] : '\\';
    if (letter == 'x') return HexCode(begin);
    if (IsOctal(letter)) {
        auto code = static_cast<std::uint32_t>(letter - '0');
        for (int digits = 1; digits < 3 && IsOctal(Peek()); ++digits) {
            code = code * 8 + static_cast<std::uint32_t>(text_[at_++] - '0');
        }
        return code;
    }
    constexpr std::string_view kControls = "aftnrv";
    if (kControls.find(letter) != std::string_view::npos) return 0x07;  // No name has any of them.
    return static_cast<unsigned char>(letter);
}

/// "[[:alpha:]]", "[[:^alpha:]]", "[\d]" within brackets.
bool Parser::TakeNamedClass(NameCharacters& characters) {
    if (Starts("[:")) {
        const std::size_t end = text_.find(":]", at_ + 2);
        if (end == std::string_view::npos) return false;
        std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
        const bool is_negated = name.starts_with('^');
        if (is_negated) name.remove_prefix(1);
        const auto posix = PosixClass(name);
        if (!posix) return false;
        const NameCharacters named = folds_ ? Folded(*posix) : *posix;
        characters |= is_negated ? ~named : named;
        at_ = end + 2;
        return true;
    }
    if (Peek() != '\\') return false;
    if (Peek(1) == 'p' || Peek(1) == 'P') {
        Refuse(at_, 2, "names of nodes are compared in ASCII, without classes of Unicode");
    }
    const auto perl = PerlClass(Peek(1));
    if (!perl) return false;
    characters |= *perl;
    at_ += 2;
    return true;
}

std::uint32_t Parser::ClassCode() {
    const std::size_t begin = at_;
    const std::uint32_t code =
        Peek() == '\\' ? EscapedCode() : static_cast<unsigned char>(text_[at_++]);
    if (code > kLastAscii) Refuse(begin, at_ - begin, "names of nodes are compared in ASCII");
    return code;
}

ExpressionNode Parser::Class() {
    ++at_;
    const bool is_negated = Take("^");
    NameCharacters characters;
    for (bool is_first = true; !AtEnd() && (Peek() != ']' || is_first); is_first = false) {
        if (TakeNamedClass(characters)) continue;
        const std::uint32_t first = ClassCode();
        std::uint32_t last = first;
        if (Peek() == '-' && Peek(1) != ']' && Peek(1) != '\0') {
            ++at_;
            last = ClassCode();
        }
        NameCharacters range;
        AddRange(range, first, last);
        characters |= folds_ ? Folded(range) : range;
    }
    static_cast<void>(Take("]"));
    return {.kind = Kind::kCharacters, .characters = is_negated ? ~characters : characters};
}

/// Digits without a leading zero, as RE2 has it.
std::optional<std::size_t> Parser::TakeCount() {
    if (!IsDigit(Peek()) || (Peek() == '0' && IsDigit(Peek(1)))) return std::nullopt;
    std::size_t count = 0;
    while (IsDigit(Peek())) {
        count = std::min<std::size_t>(count * 10 + static_cast<std::size_t>(Peek() - '0'), 100'000);
        ++at_;
    }
    return count;
}

/// "{2}", "{2,}", "{2,3}"; braces around something else are characters.
std::optional<std::pair<std::size_t, std::size_t>> Parser::TakeTimes() {
    const std::size_t begin = at_;
    const auto give_back = [this, begin] {
        at_ = begin;
        return std::nullopt;
    };
    ++at_;
    const auto least = TakeCount();
    if (!least) return give_back();
    std::size_t most = *least;
    if (Take(",")) {
        most = kAnyTimes;
        if (Peek() != '}') {
            const auto count = TakeCount();
            if (!count) return give_back();
            most = *count;
        }
    }
    if (!Take("}")) return give_back();
    return std::pair{*least, most};
}

void Parser::TakeRepeats(ExpressionNode& item) {
    while (!AtEnd()) {
        std::pair<std::size_t, std::size_t> times;
        if (Take("*")) {
            times = {0, kAnyTimes};
        } else if (Take("+")) {
            times = {1, kAnyTimes};
        } else if (Take("?")) {
            times = {0, 1};
        } else if (Peek() == '{') {
            const auto counted = TakeTimes();
            if (!counted) return;
            times = *counted;
        } else {
            return;
        }
        static_cast<void>(Take("?"));  // Which of several fits comes first does not matter.
        ExpressionNode repeat{.kind = Kind::kRepeat, .least = times.first, .most = times.second};
        repeat.parts.push_back(std::move(item));
        item = std::move(repeat);
    }
}

}  // namespace

ExpressionNode ParseExpression(std::string_view text) {
    return Parser(text).Parse();
}

}  // namespace ember::emberc
