// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lines and values of a qos_policy_file.
#include "config/emberc/option_files/qos_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "core/partitions/partitions.h"
#include "core/settings/settings.h"

namespace ember::emberc {
namespace {

bool IsBlank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/// Octets of `text` before the first of `ends` that does not stand between quotation marks.
std::size_t EndOf(std::string_view text, std::string_view ends) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            const std::size_t close = text.find('"', i + 1);
            if (close != std::string_view::npos) i = close;
        } else if (ends.find(text[i]) != std::string_view::npos) {
            return i;
        }
    }
    return text.size();
}

}  // namespace

std::string KeyOf(std::string_view name) {
    std::string key;
    for (const char c : name) {
        if (!IsBlank(c)) key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return key;
}

Word Trimmed(Word word) {
    while (!word.text.empty() && IsBlank(word.text.front())) {
        word.text.remove_prefix(1);
        ++word.begin;
    }
    while (!word.text.empty() && IsBlank(word.text.back())) {
        word.text.remove_suffix(1);
    }
    return word;
}

std::vector<Word> Split(Word text, char separator) {
    std::vector<Word> parts;
    while (true) {
        const std::size_t end = std::min(text.text.find(separator), text.text.size());
        parts.push_back(Trimmed({text.text.substr(0, end), text.begin}));
        if (end == text.text.size()) return parts;
        text = {text.text.substr(end + 1), text.begin + end + 1};
    }
}

bool QosText::GoesOn() {
    const std::size_t comma = line_.text.size() - 1;
    const Spot spot = SpotOf({line_.text.substr(comma), line_.begin + comma});
    const bool is_there = NextLine();
    // A line that ends a section, or has a word and a colon, is no item of a list.
    const std::size_t colon = line_.text.find(':');
    const std::size_t quote = line_.text.find('"');
    const bool has_word = colon != std::string_view::npos && colon < quote &&
                          std::isalpha(static_cast<unsigned char>(line_.text.front())) != 0;
    if (is_there && !has_word && !line_.text.starts_with("end-")) return true;
    ReportAt(Severity::kWarning, spot, Code::kStrayMark,
             "nothing of the list follows this ',', which is passed over");
    is_left_ = is_there;
    return false;
}

bool QosText::NextLine() {
    if (std::exchange(is_left_, false)) return true;
    while (reader_.NextLine()) {
        const std::string_view whole = reader_.line();
        line_ = Trimmed({whole.substr(0, EndOf(whole, "#")), 0});
        rest_ = line_;
        if (!line_.text.empty()) return true;
    }
    line_ = rest_ = {};
    return false;
}

void QosText::Skip(std::size_t octets) {
    rest_ = Trimmed({rest_.text.substr(octets), rest_.begin + octets});
}

Word QosText::TakeWord() {
    const std::size_t end = std::min(rest_.text.find_first_of(" \t\v\f:,"), rest_.text.size());
    const Word word{rest_.text.substr(0, end), rest_.begin};
    Skip(end);
    return word;
}

bool QosText::Take(char c) {
    if (rest_.text.empty() || rest_.text.front() != c) return false;
    Skip(1);
    return true;
}

/// A single mark at the end of the line says nothing.
bool QosText::PassOverLastMark() {
    if (rest_.text != ":" && rest_.text != "," && rest_.text != ";") return false;
    Report(Severity::kWarning, rest_, Code::kStrayMark,
           fmt::format("nothing follows this '{}', which is passed over", rest_.text));
    Skip(1);
    return true;
}

void QosText::ExpectEnd(std::string_view form) {
    if (rest_.text.empty() || PassOverLastMark()) return;
    Error(rest_, Code::kTrailingText, fmt::format("{}, and nothing behind it", form));
}

Word QosText::TakeItem(bool has_sl) {
    const std::size_t end = EndOf(rest_.text, has_sl ? ",:" : ",");
    const Word item = Trimmed({rest_.text.substr(0, end), rest_.begin});
    Skip(end);
    return item;
}

std::optional<QosRange> QosText::ReadRange(const NumberKind& kind, const Word& item) {
    const std::size_t dash = item.text.find('-');
    const Word first = Trimmed({item.text.substr(0, dash), item.begin});
    const auto from = reader_.ReadNumber(first, kind.what, kind.min, kind.max);
    if (!from) return std::nullopt;
    auto to = from;
    if (dash != std::string_view::npos) {
        const Word last = Trimmed({item.text.substr(dash + 1), item.begin + dash + 1});
        to = reader_.ReadNumber(last, kind.what, kind.min, kind.max);
        if (!to) return std::nullopt;
    }
    QosRange range{.from = *from, .to = *to};
    if (kind.is_p_key) {
        range.from &= kPKeyBase;
        range.to &= kPKeyBase;
        if (range.from == 0 || range.to == 0) {
            Error(item, Code::kOutOfRange, "a P_Key whose lower 15 bits are 0 is no partition's");
            return std::nullopt;
        }
    }
    if (range.to < range.from) {
        Error(item, Code::kTurnedRange,
              kind.is_p_key
                  ? "the range ends before it begins, without the top bits, which only tell the "
                    "kind of membership; OpenSM takes it the other way round"
                  : "the range ends before it begins; OpenSM takes it the other way round");
        return std::nullopt;
    }
    return range;
}

void QosText::TakeRanges(const NumberKind& kind, bool has_sl, LoadedQosPolicy::Ranges& ranges) {
    static_cast<void>(TakeList(has_sl, [&](const Word& item) {
        if (const auto range = ReadRange(kind, item)) AddRange(ranges, *range);
    }));
}

std::optional<std::uint64_t> QosText::TakeNumber(std::string_view what, std::uint64_t min,
                                                 std::uint64_t max) {
    Word word = TakeWord();
    if (word.text.size() > 1 && word.text.ends_with(';') && rest_.text.empty()) {
        word.text.remove_suffix(1);
        rest_ = {word.text.substr(0, 0), word.begin + word.text.size()};
        Report(Severity::kWarning, {";", rest_.begin}, Code::kStrayMark,
               "nothing follows this ';', which is passed over");
    }
    if (word.text.empty()) {
        Error(word, Code::kMissingValue, fmt::format("{} is a number", what));
        return std::nullopt;
    }
    const auto number = reader_.ReadNumber(word, what, min, max);
    ExpectEnd(fmt::format("{} is one number", what));
    return number;
}

std::optional<QosName> QosText::TakeName() {
    const Word word = TakeItem(false);
    if (!rest_.text.empty()) {
        Error(rest_, Code::kTrailingText, "one name stands here, without a comma");
        return std::nullopt;
    }
    auto name = ReadName(word);
    if (!name || name->text.size() <= kMostNameOctets) return name;
    Error(word, Code::kTooLong, fmt::format("a name has {} characters at most", kMostNameOctets));
    return std::nullopt;
}

std::optional<QosName> QosText::ReadName(const Word& item) {
    Word name = item;
    if (name.text.size() >= 2 && name.text.front() == '"' && name.text.back() == '"') {
        name = Trimmed({name.text.substr(1, name.text.size() - 2), name.begin + 1});
    }
    if (name.text.empty()) {
        Error(item, Code::kMissingValue, "a name is missing");
        return std::nullopt;
    }
    const auto odd = std::find_if_not(name.text.begin(), name.text.end(), [](char c) {
        return IsNameOctet(static_cast<std::uint8_t>(c));
    });
    if (odd != name.text.end()) {
        const auto at = static_cast<std::size_t>(odd - name.text.begin());
        Error({name.text.substr(at, 1), name.begin + at}, Code::kNotAName,
              "names are printable ASCII, and quotation marks stand around a whole name");
        return std::nullopt;
    }
    return QosName{.text = std::string(name.text), .key = KeyOf(name.text), .spot = SpotOf(name)};
}

void AddRange(LoadedQosPolicy::Ranges& ranges, QosRange range) {
    // The ranges that meet the new one, or are right beside it, become one with it.
    const auto begin =
        std::partition_point(ranges.begin(), ranges.end(), [&range](const QosRange& other) {
            return other.to < range.from && range.from - other.to > 1;
        });
    const auto end = std::partition_point(begin, ranges.end(), [&range](const QosRange& other) {
        return other.from <= range.to || other.from - range.to <= 1;
    });
    if (begin == end) {
        ranges.insert(begin, range);
        return;
    }
    begin->from = std::min(begin->from, range.from);
    begin->to = std::max(std::prev(end)->to, range.to);
    ranges.erase(std::next(begin), end);
}

bool Covers(const LoadedQosPolicy::Ranges& outer, const LoadedQosPolicy::Ranges& inner) {
    return std::all_of(inner.begin(), inner.end(), [&outer](const QosRange& one) {
        return std::any_of(outer.begin(), outer.end(), [&one](const QosRange& other) {
            return other.from <= one.from && one.to <= other.to;
        });
    });
}

bool Overlap(const LoadedQosPolicy::Ranges& one, const LoadedQosPolicy::Ranges& other) {
    return std::any_of(one.begin(), one.end(), [&other](const QosRange& a) {
        return std::any_of(other.begin(), other.end(),
                           [&a](const QosRange& b) { return a.from <= b.to && b.from <= a.to; });
    });
}

}  // namespace ember::emberc
