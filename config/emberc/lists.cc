// SPDX-License-Identifier: Apache-2.0
// EmberSM: the values of opensm.conf that have parts.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <re2/re2.h>
#include <utility>

#include "config/blob/engine_words.h"
#include "config/emberc/foreign_keys.h"
#include "config/emberc/numbers.h"
#include "config/emberc/suggestion.h"
#include "config/emberc/value_text.h"

namespace ember::emberc {
namespace {

constexpr std::uint64_t kMaxShift = 3;
constexpr std::uint64_t kMaxMultiplier = 0x3FFF;
constexpr unsigned kShiftBit = 14;

/// A part of a value and where it stands.
struct Piece {
    std::string_view text;
    std::size_t offset = 0;
};

bool IsBlank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

Piece Trim(Piece piece) {
    while (!piece.text.empty() && IsBlank(piece.text.front())) {
        piece.text.remove_prefix(1);
        ++piece.offset;
    }
    while (!piece.text.empty() && IsBlank(piece.text.back())) {
        piece.text.remove_suffix(1);
    }
    return piece;
}

/// Cut at every comma; blanks around the pieces do not count.
std::vector<Piece> SplitAtCommas(std::string_view text) {
    std::vector<Piece> pieces;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] != ',') continue;
        pieces.push_back(Trim({text.substr(begin, i - begin), begin}));
        begin = i + 1;
    }
    return pieces;
}

/// Cut at commas and blanks, without empty pieces.
std::vector<Piece> SplitWords(std::string_view text) {
    std::vector<Piece> words;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && text[end] != ',' && !IsBlank(text[end])) {
            ++end;
        }
        if (end > i) words.push_back({text.substr(i, end - i), i});
        i = end + 1;
    }
    return words;
}

Remark Wrong(const Piece& piece, Code code, std::string text) {
    return {.severity = Severity::kError,
            .offset = piece.offset,
            .length = std::max<std::size_t>(1, piece.text.size()),
            .code = code,
            .text = std::move(text)};
}

/// A number of 0..max that fills the piece.
std::optional<Remark> ReadPart(const Piece& piece, std::string_view what, std::uint64_t max,
                               std::uint64_t& out) {
    const Number number = ReadNumber(piece.text);
    if (number.error) return Wrong(piece, number.error->code, number.error->text);
    if (number.negative || number.value > max) {
        return Wrong(piece, Code::kOutOfRange,
                     fmt::format("{} {} is not in 0..{}", what, piece.text, max));
    }
    out = number.value;
    return std::nullopt;
}

/// "left:right" with an upper bound for each.
struct PairNames {
    std::string_view left;
    std::string_view right;
    std::uint64_t max_left = 0;
    std::uint64_t max_right = 0;
};

std::optional<Remark> ReadPair(const Piece& piece, const PairNames& names, std::uint64_t& left,
                               std::uint64_t& right) {
    const std::size_t colon = piece.text.find(':');
    if (colon == std::string_view::npos) {
        return Wrong(piece, Code::kBadValue,
                     fmt::format("'{}' is not {}:{}", piece.text, names.left, names.right));
    }
    const Piece before = Trim({piece.text.substr(0, colon), piece.offset});
    const Piece behind = Trim({piece.text.substr(colon + 1), piece.offset + colon + 1});
    if (auto remark = ReadPart(before, names.left, names.max_left, left)) return remark;
    return ReadPart(behind, names.right, names.max_right, right);
}

std::optional<Remark> ReadShiftMultiplier(const Piece& piece, std::uint64_t& packed) {
    std::uint64_t shift = 0;
    std::uint64_t multiplier = 0;
    const PairNames names{"shift", "multiplier", kMaxShift, kMaxMultiplier};
    auto remark = ReadPair(piece, names, shift, multiplier);
    packed = shift << kShiftBit | multiplier;
    return remark;
}

std::string FormatShiftMultiplier(std::uint64_t packed) {
    return fmt::format("{}:{}", packed >> kShiftBit, packed & kMaxMultiplier);
}

std::string FormatMask(const std::vector<std::uint16_t>& octets) {
    std::string out = "0x";
    for (auto octet = octets.rbegin(); octet != octets.rend(); ++octet) {
        out += fmt::format("{:02x}", *octet);
    }
    return out;
}

Remark UnknownEngine(const Piece& word) {
    std::vector<std::string_view> names;
    for (const EngineWord& one : EngineWords()) {
        names.push_back(one.word);
    }
    if (const std::string_view here = NearestToForeignEngine(word.text); !here.empty()) {
        return Wrong(word, Code::kUnknownEngine,
                     fmt::format("'{}' is an engine of NVIDIA's subnet manager; the nearest here "
                                 "is {}",
                                 word.text, here));
    }
    std::string why = fmt::format("there is no routing engine '{}'", word.text);
    const std::string_view nearest = Nearest(word.text, names);
    if (!nearest.empty()) why += fmt::format("; did you mean '{}'?", nearest);
    return Wrong(word, Code::kUnknownEngine, std::move(why));
}

std::string AvailableEngines() {
    std::vector<std::string_view> names;
    for (const EngineWord& word : EngineWords()) {
        if (word.use == EngineWordUse::kEngine) names.push_back(word.word);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::optional<Remark> ParseEngines(std::string_view text, Value& value) {
    const std::span<const EngineWord> words = EngineWords();
    for (const Piece& piece : SplitWords(text)) {
        const auto found =
            std::find_if(words.begin(), words.end(),
                         [&piece](const EngineWord& word) { return word.word == piece.text; });
        if (found == words.end()) return UnknownEngine(piece);
        if (found->use == EngineWordUse::kMissing) {
            return Wrong(piece, Code::kEngineNotAvailable,
                         fmt::format("engine '{}' is not in this release of EmberSM, and no other "
                                     "takes its place unasked; available: {}",
                                     piece.text, AvailableEngines()));
        }
        const auto number = static_cast<std::uint16_t>(found - words.begin());
        if (std::find(value.list.begin(), value.list.end(), number) != value.list.end()) {
            return Wrong(piece, Code::kDuplicateEngine,
                         fmt::format("'{}' is in the list already", piece.text));
        }
        value.list.push_back(number);
    }
    return std::nullopt;
}

std::optional<Remark> ParseMask(std::string_view text, Value& value) {
    static const RE2 kGrammar("(?:0[xX]([0-9a-fA-F]{1,64})|0)");
    re2::StringPiece match;
    if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kGrammar, &match)) {
        return Remark{.code = Code::kBadMask,
                      .text = fmt::format("'{}' is not 0x and up to 64 hexadecimal digits", text)};
    }
    std::string digits(match.data() == nullptr ? "" : match.as_string());
    digits.insert(0, 2 * kMaskOctets - digits.size(), '0');
    value.list.assign(kMaskOctets, 0);
    for (std::size_t i = 0; i < kMaskOctets; ++i) {
        const std::string octet = digits.substr(digits.size() - 2 * (i + 1), 2);
        value.list[i] = static_cast<std::uint16_t>(std::stoul(octet, nullptr, 16));
    }
    return std::nullopt;
}

std::optional<Remark> ParsePerSl(const SettingField& field, std::string_view text, Value& value) {
    const std::vector<Piece> words = SplitWords(text);
    if (words.size() != 2) {
        return Remark{
            .code = Code::kBadValue,
            .text = fmt::format("{} takes two numbers: a service level and its value", field.name)};
    }
    std::uint64_t level = 0;
    std::uint64_t number = 0;
    if (auto remark = ReadPart(words[0], "service level", kServiceLevels - 1, level)) return remark;
    if (auto remark = ReadPart(words[1], "value", field.range.max, number)) return remark;
    value.list.resize(kServiceLevels);
    value.list[static_cast<std::size_t>(level)] = static_cast<std::uint16_t>(number);
    return std::nullopt;
}

std::optional<Remark> ParseShiftMultiplier(std::string_view text, Value& value) {
    return ReadShiftMultiplier(Trim({text, 0}), value.number);
}

std::optional<Remark> ParseShiftMultipliers(std::string_view text, Value& value) {
    for (const Piece& piece : SplitAtCommas(text)) {
        std::uint64_t packed = 0;
        if (auto remark = ReadShiftMultiplier(piece, packed)) return remark;
        if (value.list.size() == kMaxShiftMultipliers) {
            return Wrong(piece, Code::kTooLong,
                         fmt::format("more than {} entries", kMaxShiftMultipliers));
        }
        value.list.push_back(static_cast<std::uint16_t>(packed));
    }
    return std::nullopt;
}

std::optional<Remark> ParseVlWeights(const SettingField& field, std::string_view text,
                                     Value& value) {
    const PairNames names{"VL", "weight", field.range.max, 255};
    for (const Piece& piece : SplitAtCommas(text)) {
        std::uint64_t lane = 0;
        std::uint64_t weight = 0;
        if (auto remark = ReadPair(piece, names, lane, weight)) return remark;
        if (value.list.size() == kMaxVlWeights) {
            return Wrong(
                piece, Code::kTooLong,
                fmt::format("a VL arbitration table has at most {} entries", kMaxVlWeights));
        }
        value.list.push_back(static_cast<std::uint16_t>(lane << 8U | weight));
    }
    return std::nullopt;
}

std::optional<Remark> ParseSlToVl(const SettingField& field, std::string_view text, Value& value) {
    for (const Piece& piece : SplitAtCommas(text)) {
        std::uint64_t lane = 0;
        if (auto remark = ReadPart(piece, "VL", field.range.max, lane)) return remark;
        value.list.push_back(static_cast<std::uint16_t>(lane));
    }
    if (value.list.size() == kServiceLevels) return std::nullopt;
    return Remark{.code = Code::kBadValue,
                  .text = fmt::format("{} has {} VLs; there are {} service levels", field.name,
                                      value.list.size(), kServiceLevels)};
}

std::optional<Remark> ParseGuids(const SettingField& field, std::string_view text, Value& value) {
    for (const Piece& piece : SplitWords(text)) {
        const Number number = ReadNumber(piece.text);
        if (number.error) return Wrong(piece, number.error->code, number.error->text);
        if (number.negative || number.value == 0) {
            return Wrong(piece, Code::kBadNumber, fmt::format("'{}' is no GUID", piece.text));
        }
        if (std::find(value.guids.begin(), value.guids.end(), number.value) != value.guids.end()) {
            return Wrong(piece, Code::kDuplicateEntry,
                         fmt::format("{} is in the list already", piece.text));
        }
        if (value.guids.size() == field.range.max) {
            return Wrong(piece, Code::kTooLong,
                         fmt::format("{} has at most {} GUIDs", field.name, field.range.max));
        }
        value.guids.push_back(number.value);
    }
    return std::nullopt;
}

std::vector<std::string> FormatList(const SettingField& field, const Value& value) {
    if (field.kind == FieldKind::kMask256) return {FormatMask(value.list)};
    if (field.kind == FieldKind::kShiftMultiplier) return {FormatShiftMultiplier(value.number)};
    std::vector<std::string> parts;
    for (const std::uint64_t guid : value.guids) {
        parts.push_back(fmt::format("{:#018x}", guid));
    }
    for (std::size_t i = 0; i < value.list.size(); ++i) {
        const std::uint16_t element = value.list[i];
        // A blob that is only shown may hold any number.
        if (field.kind == FieldKind::kEngines && element < EngineWords().size()) {
            parts.emplace_back(EngineWords()[element].word);
        } else if (field.kind == FieldKind::kPerSl) {
            parts.push_back(fmt::format("{} {}", i, element));
        } else if (field.kind == FieldKind::kShiftMultipliers) {
            parts.push_back(FormatShiftMultiplier(element));
        } else if (field.kind == FieldKind::kVlWeights) {
            parts.push_back(fmt::format("{}:{}", element >> 8U, element & 0xFFU));
        } else {
            parts.push_back(fmt::format("{}", element));
        }
    }
    if (field.kind == FieldKind::kPerSl) return parts;
    return {fmt::format("{}", fmt::join(parts, ","))};
}

}  // namespace ember::emberc
