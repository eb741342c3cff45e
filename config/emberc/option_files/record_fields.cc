// SPDX-License-Identifier: Apache-2.0
// EmberSM: the fields of a record as OpenSM dumps it: "name=0x1 other=0x2:0x3", in their order.
#include "config/emberc/option_files/record_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "config/emberc/option_files/dump_lines.h"

namespace ember::emberc {
namespace {

bool IsBlank(char c) {
    return c == ' ' || c == '\t';
}

}  // namespace

RecordFields::RecordFields(LineReader& reader) : reader_(reader), line_(reader.line()) {
    SkipBlanks();
}

void RecordFields::Error(const Word& at, Code code, std::string text) {
    if (is_ok_) reader_.Error(at, code, std::move(text));
    is_ok_ = false;
}

void RecordFields::Warn(const Word& at, Code code, std::string text) {
    if (is_ok_) reader_.Report(Severity::kWarning, at, code, std::move(text));
}

void RecordFields::SkipBlanks() {
    while (at_ < line_.size() && IsBlank(line_[at_])) {
        ++at_;
    }
}

Word RecordFields::WordHere() const {
    const std::string_view text = rest();
    return {text.substr(0, text.find_first_of(" \t")), at_};
}

bool RecordFields::Take(std::string_view text) {
    if (!is_ok_ || !rest().starts_with(text)) return false;
    last_ = {rest().substr(0, text.size()), at_};
    at_ += text.size();
    SkipBlanks();
    return true;
}

void RecordFields::Expect(std::string_view text) {
    if (Take(text)) return;
    Error(WordHere(), Code::kMissingValue, fmt::format("'{}' is expected here", text));
}

bool RecordFields::TakeName(std::string_view name) {
    const bool is_here = is_ok_ && rest().starts_with(name) && rest().substr(name.size(), 1) == "=";
    if (is_here) {
        at_ += name.size() + 1;
        return true;
    }
    Error(WordHere(), Code::kMissingValue, fmt::format("'{}=' is expected here", name));
    return false;
}

std::uint64_t RecordFields::Digits(std::string_view name, char end) {
    if (!is_ok_) return 0;
    const std::optional<LeadingNumber> number = ReadHex(rest());
    const std::string_view behind = number ? number->rest : std::string_view{};
    const bool ends = behind.empty()
                          ? end == '\0'
                          : (end == '\0' ? IsBlank(behind.front()) : behind.front() == end);
    if (!number || !ends) {
        Error(WordHere(), Code::kBadNumber,
              fmt::format("'{}' has 0x and up to 16 hexadecimal digits{}", name,
                          end == '\0' ? "" : fmt::format(", then '{}' and as many again", end)));
        return 0;
    }
    last_ = {number->digits, at_};
    at_ += number->digits.size() + (end == '\0' ? 0 : 1);
    return number->value;
}

std::uint64_t RecordFields::Number(std::string_view what, std::uint64_t max) {
    const std::uint64_t value = Digits(what, '\0');
    if (value > max) {
        Error(last_, Code::kOutOfRange,
              fmt::format("{} {:#x} is not in 0x0..{:#x}", what, value, max));
    }
    SkipBlanks();
    return is_ok_ ? value : 0;
}

std::uint64_t RecordFields::Field(std::string_view name, std::uint64_t max) {
    return TakeName(name) ? Number(name, max) : 0;
}

Gid RecordFields::GidField(std::string_view name) {
    if (!TakeName(name)) return {};
    const std::size_t begin = at_;
    Gid gid;
    gid.high = Digits(name, ':');
    gid.low = Digits(name, '\0');
    if (is_ok_) last_ = {line_.substr(begin, at_ - begin), begin};
    SkipBlanks();
    return gid;
}

void RecordFields::OctetsField(std::string_view name, std::span<std::uint8_t> octets) {
    const Gid halves = GidField(name);
    const std::size_t half = octets.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {  // The most significant octet first.
        const std::size_t shift = 8 * (half - 1 - i);
        octets[i] = static_cast<std::uint8_t>(halves.high >> shift);
        octets[half + i] = static_cast<std::uint8_t>(halves.low >> shift);
    }
}

void RecordFields::TextField(std::string_view name, std::string_view behind,
                             std::span<std::uint8_t> octets) {
    if (!TakeName(name)) return;
    // The text may have quotation marks in it, so what ends it is what follows it.
    const std::size_t end = line_.rfind(fmt::format("' {}", behind));
    const bool is_quoted = rest().starts_with('\'') && end != std::string_view::npos && end > at_;
    if (!is_quoted) {
        return Error(
            WordHere(), Code::kBadText,
            fmt::format("'{}' has its text between two ', and '{}' behind it", name, behind));
    }
    last_ = {line_.substr(at_ + 1, end - at_ - 1), at_ + 1};
    if (last_.text.size() > octets.size()) {
        return Error(last_, Code::kTooLong,
                     fmt::format("'{}' has room for {} octets", name, octets.size()));
    }
    std::transform(last_.text.begin(), last_.text.end(), octets.begin(),
                   [](char c) { return static_cast<std::uint8_t>(c); });
    at_ = end + 1;
    SkipBlanks();
}

void RecordFields::ExpectEnd() {
    if (!is_ok_ || rest().empty()) return;
    Error({rest(), at_}, Code::kTrailingText, "the record ends before this");
}

}  // namespace ember::emberc
