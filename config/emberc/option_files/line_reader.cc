// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lines and words of an option file.
#include "config/emberc/option_files/line_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "config/emberc/numbers.h"

namespace ember::emberc {
namespace {

constexpr std::uint64_t kLastPort = 254;

bool IsBlank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

}  // namespace

bool LineReader::NextLine() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) {
        Error({line_.substr(0, 3), 0}, Code::kByteOrderMark,
              "the file begins with a byte order mark; OpenSM would stumble over it");
        return NextLine();  // Once: only the first line can have one.
    }
    const std::size_t zero = line_.find('\0');
    if (zero == std::string_view::npos) return true;
    Error({line_.substr(zero, 1), zero}, Code::kNotText, "a NUL: this is not a text file");
    rest_ = {};
    return false;
}

void LineReader::SplitWords() {
    words_.clear();
    const std::size_t hash = std::min(line_.find('#'), line_.size());
    std::size_t i = 0;
    while (i < hash) {
        if (IsBlank(line_[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < hash && !IsBlank(line_[i])) {
            ++i;
        }
        words_.push_back({line_.substr(begin, i - begin), begin});
    }
    const bool in_word = hash < line_.size() && hash > 0 && !IsBlank(line_[hash - 1]);
    if (in_word) {
        Report(Severity::kWarning, {line_.substr(hash, 1), hash}, Code::kCommentInWord,
               "'#' begins a comment even inside a word");
    }
    PassStrayMark();
}

/// No file of words ends a line by a comma or semicolon, and a list that a program wrote often
/// does.
void LineReader::PassStrayMark() {
    if (words_.empty()) return;
    Word& last = words_.back();
    const char mark = last.text.back();
    const bool is_alone = words_.size() == 1 && last.text.size() == 1;
    if ((mark != ',' && mark != ';') || is_alone) return;
    last.text.remove_suffix(1);
    const std::size_t at = last.begin + last.text.size();
    if (last.text.empty()) words_.pop_back();
    if (std::exchange(has_stray_mark_, true)) return;
    Report(Severity::kWarning, {line_.substr(at, 1), at}, Code::kStrayMark,
           fmt::format("the {} behind the last word is passed over, here and in lines that follow",
                       mark == ',' ? "comma" : "semicolon"));
}

bool LineReader::NextWords() {
    while (NextLine()) {
        SplitWords();
        if (!words_.empty()) return true;
    }
    return false;
}

Word LineReader::all() const {
    std::size_t begin = 0;
    std::size_t end = line_.size();
    while (begin < end && IsBlank(line_[begin])) {
        ++begin;
    }
    while (begin < end && IsBlank(line_[end - 1])) {
        --end;
    }
    return {line_.substr(begin, end - begin), begin};
}

std::optional<std::uint64_t> LineReader::ReadNumber(const Word& word) {
    const Number number = emberc::ReadNumber(word.text);
    if (number.error) {
        Error(word, number.error->code, number.error->text);
        return std::nullopt;
    }
    if (number.negative) {
        Error(word, Code::kOutOfRange, fmt::format("'{}' is negative", word.text));
        return std::nullopt;
    }
    if (number.octal) {
        Report(Severity::kWarning, word, Code::kOctal,
               fmt::format("'{}' begins with 0, so it is octal and means {}", word.text,
                           number.value));
    }
    return number.value;
}

std::optional<std::uint64_t> LineReader::ReadNumber(const Word& word, std::string_view what,
                                                    std::uint64_t min, std::uint64_t max) {
    const std::optional<std::uint64_t> number = ReadNumber(word);
    if (!number || (*number >= min && *number <= max)) return number;
    Error(word, Code::kOutOfRange, fmt::format("{} {} is not in {}..{}", what, *number, min, max));
    return std::nullopt;
}

std::optional<Guid> LineReader::ReadGuid(const Word& word) {
    const std::optional<std::uint64_t> number = ReadNumber(word);
    if (!number) return std::nullopt;
    if (*number == 0) {
        Error(word, Code::kOutOfRange, "0 is nobody's GUID");
        return std::nullopt;
    }
    return Guid{*number};
}

std::optional<PortNumber> LineReader::ReadPort(const Word& word) {
    const auto port = ReadNumber(word, "port", 1, kLastPort);
    if (!port) return std::nullopt;
    return PortNumber{static_cast<std::uint8_t>(*port)};
}

bool LineReader::HasWords(std::size_t count, std::string_view form) {
    if (words_.size() < count) {
        const Word& last = words_.back();
        Error(last, Code::kMissingValue, fmt::format("a line is {}", form));
        return false;
    }
    if (words_.size() == count) return true;
    const Word& first = words_[count];
    const Word& last = words_.back();
    const std::size_t length = last.begin + last.text.size() - first.begin;
    Error({line_.substr(first.begin, length), first.begin}, Code::kTrailingText,
          fmt::format("a line is {}; put a '#' before what is meant for people", form));
    return false;
}

void LineReader::Report(Severity severity, const Word& at, Code code, std::string text) {
    diagnostics_.Add({.severity = severity,
                      .place = {number_, at.begin + 1, std::max<std::size_t>(1, at.text.size())},
                      .code = code,
                      .text = std::move(text),
                      .source = std::string(line_)});
}

Spot SpotOf(const LineReader& reader, const Word& word) {
    return {.place = {reader.number(), word.begin + 1, std::max<std::size_t>(1, word.text.size())},
            .source = std::string(reader.line())};
}

void ReportAt(Diagnostics& to, Severity severity, const Spot& spot, Code code, std::string text) {
    to.Add({.severity = severity,
            .place = spot.place,
            .code = code,
            .text = std::move(text),
            .source = spot.source});
}

std::string Hex(Guid guid) {
    return fmt::format("{:#018x}", Raw(guid));
}

}  // namespace ember::emberc
