// SPDX-License-Identifier: Apache-2.0
// EmberSM: values as opensm.conf writes them.
#include "config/emberc/value_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "config/emberc/keys.h"
#include "config/emberc/numbers.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

std::string Lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::optional<Remark> ParseBool(std::string_view text, Value& value) {
    static constexpr std::array<std::string_view, 6> kTrue = {"true", "yes", "on",
                                                              "1",    "y",   "enabled"};
    static constexpr std::array<std::string_view, 6> kFalse = {"false", "no", "off",
                                                               "0",     "n",  "disabled"};
    const std::string word = Lower(text);
    if (std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end()) {
        value.number = 0;
        return std::nullopt;
    }
    if (std::find(kTrue.begin(), kTrue.end(), word) == kTrue.end()) {
        return Remark{.code = Code::kBadBoolean,
                      .text = fmt::format("'{}' is neither TRUE nor FALSE", text)};
    }
    value.number = 1;
    if (text == "TRUE") return std::nullopt;
    return Remark{.severity = Severity::kNote,
                  .code = Code::kBooleanSpelling,
                  .text = fmt::format("'{}' is read as TRUE; OpenSM knows TRUE only and would take "
                                      "this for FALSE",
                                      text)};
}

std::optional<Remark> ParseInteger(const SettingField& field, std::string_view text, Value& value) {
    const Number number = ReadNumber(text);
    if (number.error) return number.error;
    const bool fits = number.negative
                          ? field.range.FitsSigned(-static_cast<std::int64_t>(number.value))
                          : field.range.Fits(number.value);
    if (!fits) {
        return Remark{
            .code = Code::kOutOfRange,
            .text = fmt::format("{} is {}{}; it must lie in {}", field.name,
                                number.negative ? "-" : "", number.value, DescribeRange(field))};
    }
    value.number = number.negative ? ~number.value + 1 : number.value;
    if (!number.octal) return std::nullopt;
    return Remark{
        .severity = Severity::kWarning,
        .code = Code::kOctal,
        .text = fmt::format("'{}' begins with 0, so it is octal and means {}", text, number.value)};
}

std::optional<Remark> ParseChoice(const SettingField& field, std::string_view text, Value& value) {
    const std::span<const std::string_view> choices = ChoicesOf(field);
    const auto found = std::find(choices.begin(), choices.end(), Lower(text));
    if (found == choices.end()) {
        return Remark{.code = Code::kBadValue,
                      .text = fmt::format("{} cannot be '{}'; it is one of {}", field.name, text,
                                          fmt::join(choices, ", "))};
    }
    value.number = static_cast<std::uint64_t>(found - choices.begin());
    return std::nullopt;
}

std::optional<Remark> ParseText(const SettingField& field, std::string_view text, Value& value) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (static_cast<unsigned char>(text[i]) >= 0x20 && text[i] != 0x7F) continue;
        return Remark{.offset = i,
                      .length = 1,
                      .code = Code::kControlCharacter,
                      .text = fmt::format("{} has a control character in it", field.name)};
    }
    if (field.range.min != 0 && !field.range.Fits(text.size())) {
        return Remark{.code = Code::kOutOfRange,
                      .text = fmt::format("{} has {} characters; it must have {}", field.name,
                                          text.size(), DescribeRange(field))};
    }
    value.text = text;
    return std::nullopt;
}

std::string FormatInteger(const SettingField& field, std::uint64_t number) {
    if (field.kind == FieldKind::kI32) {
        return fmt::format("{}", static_cast<std::int64_t>(number));
    }
    return field.kind == FieldKind::kU64 ? fmt::format("{:#018x}", number)
                                         : fmt::format("{}", number);
}

}  // namespace

std::optional<Remark> ParseValue(const SettingField& field, std::string_view text, Value& value) {
    if (MayBeUnset(field.kind)) {
        const bool unset = text == "(null)" || text.empty() ||
                           (field.name == "enhanced_qos_policy_file" && text == "null");
        value = Value{.set = !unset, .text = {}, .list = {}};
        if (unset) return std::nullopt;
    }
    switch (field.kind) {
        case FieldKind::kBool:
            return ParseBool(text, value);
        case FieldKind::kChoice:
            return ParseChoice(field, text, value);
        case FieldKind::kText:
            return ParseText(field, text, value);
        case FieldKind::kEngines:
            return ParseEngines(text, value);
        case FieldKind::kMask256:
            return ParseMask(text, value);
        case FieldKind::kPerSl:
            return ParsePerSl(field, text, value);
        case FieldKind::kShiftMultiplier:
            return ParseShiftMultiplier(text, value);
        case FieldKind::kShiftMultipliers:
            return ParseShiftMultipliers(text, value);
        case FieldKind::kVlWeights:
            return ParseVlWeights(field, text, value);
        case FieldKind::kSlToVl:
            return ParseSlToVl(field, text, value);
        case FieldKind::kGuids:
            return ParseGuids(field, text, value);
        case FieldKind::kU8:
        case FieldKind::kU16:
        case FieldKind::kU32:
        case FieldKind::kU64:
        case FieldKind::kI32:
            return ParseInteger(field, text, value);
    }
    return Remark{.code = Code::kBadValue, .text = "cannot be read"};
}

std::vector<std::string> FormatValue(const SettingField& field, const Value& value) {
    if (!value.set) return {"(null)"};
    if (field.kind == FieldKind::kBool) return {value.number != 0 ? "TRUE" : "FALSE"};
    if (field.kind == FieldKind::kText) return {value.text};
    if (field.kind == FieldKind::kChoice) {
        const std::span<const std::string_view> words = ChoicesOf(field);
        // A blob that is only shown may hold any number.
        if (value.number >= words.size()) return {fmt::format("{}", value.number)};
        return {std::string(words[static_cast<std::size_t>(value.number)])};
    }
    const bool is_integer =
        NumberBytes(field.kind) != 0 && field.kind != FieldKind::kShiftMultiplier;
    if (is_integer) return {FormatInteger(field, value.number)};
    return FormatList(field, value);
}

std::span<const std::string_view> ChoicesOf(const SettingField& field) {
    const std::optional<std::size_t> key = FindKey(field.name);
    EMBER_ASSERT(key.has_value());
    return Keys()[*key].words;
}

std::string DescribeRange(const SettingField& field) {
    const auto limit = [&field](std::uint64_t value) {
        return field.kind == FieldKind::kU64 ? fmt::format("{:#x}", value)
                                             : fmt::format("{}", value);
    };
    const FieldRange& range = field.range;
    std::string text = fmt::format("{}..{}", range.min, limit(range.max));
    if (range.also_max == 0) return text;
    if (range.also_min == range.also_max) return text + fmt::format(" or {}", range.also_min);
    return text + fmt::format(" or {}..{}", range.also_min, range.also_max);
}

}  // namespace ember::emberc
