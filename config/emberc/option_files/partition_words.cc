// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words and flags of partition_config_file.
#include "config/emberc/option_files/partition_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "config/emberc/suggestion.h"
#include "core/wire/rate.h"

namespace ember::emberc {
namespace {

constexpr std::array<std::string_view, 3> kMemberships = {"full", "limited", "both"};
constexpr std::array kMembershipOf = {Membership::kFull, Membership::kLimited, Membership::kBoth};

/// In the order of PortClass, and NONE.
constexpr std::array<std::string_view, kPortClasses + 1> kClasses = {
    "ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "ALL_VCAS", "SELF", "NONE"};

/// In the order of PartitionFlag.
constexpr std::array<std::string_view, 10> kFlags = {
    "indx0", "ipoib", "defmember", "mtu", "rate", "sl", "scope", "Q_Key", "TClass", "FlowLabel"};
constexpr auto kFirstOfGroup = static_cast<std::size_t>(PartitionFlag::kMtu);

/// OpenSM knows this one only when it is written out.
constexpr std::size_t kNeverCut = static_cast<std::size_t>(PartitionFlag::kIndex0);

struct Match {
    std::size_t index = 0;
    std::size_t count = 0;  ///< Of words that `text` may stand for; 1 for one that is written out.
    bool is_cut = false;
};

Match Find(std::string_view text, std::span<const std::string_view> words) {
    Match match;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == text) return {i, 1, false};
        if (text.empty() || !words[i].starts_with(text)) continue;
        if (match.count == 0) match.index = i;
        ++match.count;
        match.is_cut = true;
    }
    return match;
}

std::string DidYouMean(std::string_view text, std::span<const std::string_view> words) {
    const std::string_view nearest = Nearest(text, words);
    return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

void ReportCut(LineReader& reader, Severity severity, const Word& word, std::string_view whole) {
    reader.Report(severity, word, Code::kAbbreviation,
                  fmt::format("'{}' is read as '{}'", word.text, whole));
}

bool IsBlank(char c) {
    return c == ' ' || c == '\t';
}

}  // namespace

Word Trimmed(const Word& word) {
    std::size_t begin = 0;
    std::size_t end = word.text.size();
    while (begin < end && IsBlank(word.text[begin])) {
        ++begin;
    }
    while (begin < end && IsBlank(word.text[end - 1])) {
        --end;
    }
    return {word.text.substr(begin, end - begin), word.begin + begin};
}

Word TakeUpTo(Word& word, char mark) {
    const std::size_t end = std::min(word.text.find(mark), word.text.size());
    const std::size_t rest = std::min(end + 1, word.text.size());
    const Word taken{word.text.substr(0, end), word.begin};
    word = {word.text.substr(rest), word.begin + rest};
    return Trimmed(taken);
}

bool Has(const Word& word, char mark) {
    return word.text.find(mark) != std::string_view::npos;
}

Assignment AsAssignment(const Word& word) {
    Word rest = word;
    const bool has_value = Has(word, '=');
    const Word name = TakeUpTo(rest, '=');
    if (!has_value) return {name, std::nullopt};
    return {name, Trimmed(rest)};
}

std::optional<Membership> ReadMembership(LineReader& reader, const Word& word) {
    const Match match = Find(word.text, kMemberships);
    if (match.count == 0) {
        reader.Error(word, Code::kNotAMembership,
                     fmt::format("\"{}\" is neither full nor limited nor both{}; OpenSM would take "
                                 "limited, or full where nothing stands",
                                 word.text, DidYouMean(word.text, kMemberships)));
        return std::nullopt;
    }
    if (match.is_cut) ReportCut(reader, Severity::kNote, word, kMemberships[match.index]);
    return kMembershipOf[match.index];
}

std::optional<ClassWord> ReadClass(LineReader& reader, const Word& word) {
    if (word.text.empty()) {
        reader.Error(word, Code::kNotAMember,
                     "no member stands before this '='; OpenSM would pass over it");
        return std::nullopt;
    }
    const Match match = Find(word.text, kClasses);
    // A word that may be short for ALL is ALL for OpenSM, and "ALL_" is ALL_CAS.
    const bool is_all = kClasses.front().starts_with(word.text);
    if (match.count == 0 || (match.count > 1 && !is_all)) {
        const std::string why =
            match.count > 1
                ? std::string(", and short for several keywords")
                : fmt::format("{}; {}", DidYouMean(word.text, kClasses), kOpensmGivesUp);
        reader.Error(word, Code::kNotAMember,
                     fmt::format("\"{}\" is neither a port GUID nor a keyword{}", word.text, why));
        return std::nullopt;
    }
    if (match.is_cut) ReportCut(reader, Severity::kWarning, word, kClasses[match.index]);
    if (match.index == kPortClasses) return ClassWord{.is_none = true};
    return ClassWord{.ports = static_cast<PortClass>(match.index)};
}

bool MayBeMember(std::string_view text) {
    const bool is_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
    return is_number || Find(text, kClasses).count != 0;
}

std::optional<PartitionFlag> ReadFlag(LineReader& reader, const Word& word, bool of_group) {
    const std::span<const std::string_view> all(kFlags);
    const std::size_t first = of_group ? kFirstOfGroup : 0;
    const auto words = all.subspan(first);
    Match match = Find(word.text, words);
    if (!of_group && match.is_cut) {
        match = Find(word.text, all.subspan(kNeverCut + 1));
        ++match.index;
    }
    if (match.count != 1) {
        const std::string why =
            match.count > 1 ? fmt::format("'{}' is short for several flags", word.text)
                            : fmt::format("there is no flag '{}'{}; OpenSM would pass over it",
                                          word.text, DidYouMean(word.text, words));
        reader.Error(word, Code::kUnknownFlag, why);
        return std::nullopt;
    }
    if (match.is_cut) ReportCut(reader, Severity::kNote, word, words[match.index]);
    return static_cast<PartitionFlag>(first + match.index);
}

std::string_view WordOf(Membership membership) {
    for (std::size_t i = 0; i < kMembershipOf.size(); ++i) {
        if (kMembershipOf[i] == membership) return kMemberships[i];
    }
    return "none";
}

std::string_view WordOf(PortClass ports) {
    return kClasses[static_cast<std::size_t>(ports)];
}

std::string PKeyText(std::uint16_t p_key) {
    return fmt::format("{:#06x}", p_key);
}

namespace {

template <typename T>
void ReadValue(LineReader& reader, const Assignment& said, std::uint64_t min, std::uint64_t max,
               std::optional<T>& value) {
    if (!said.value || said.value->text.empty()) {
        return reader.Error(
            said.name, Code::kMissingValue,
            fmt::format("'{}' needs a value; OpenSM would pass over it", said.name.text));
    }
    const auto number = reader.ReadNumber(*said.value, said.name.text, min, max);
    if (!number) return;
    if (value && *value != *number) {
        return reader.Error(
            *said.value, Code::kContradiction,
            fmt::format("'{}' is said twice; OpenSM would take the last", said.name.text));
    }
    value = static_cast<T>(*number);
}

}  // namespace

void ReadGroupFlag(LineReader& reader, PartitionFlag flag, const Assignment& said,
                   GroupFlags& flags) {
    constexpr std::uint8_t kLastScope = 15;
    switch (flag) {
        case PartitionFlag::kMtu:
            return ReadValue(reader, said, 1, static_cast<std::uint64_t>(Mtu::k4096), flags.mtu);
        case PartitionFlag::kRate:
            return ReadValue(reader, said, static_cast<std::uint64_t>(Rate::k2Gb5),
                             static_cast<std::uint64_t>(kTopRate), flags.rate);
        case PartitionFlag::kSl:
            return ReadValue(reader, said, 0, 15, flags.sl);
        case PartitionFlag::kQKey:
            return ReadValue(reader, said, 1, 0xFFFFFFFF, flags.q_key);
        case PartitionFlag::kTClass:
            return ReadValue(reader, said, 0, 0xFF, flags.tclass);
        case PartitionFlag::kFlowLabel:
            return ReadValue(reader, said, 0, 0xFFFFF, flags.flow_label);
        case PartitionFlag::kScope:
        case PartitionFlag::kIndex0:
        case PartitionFlag::kIp:
        case PartitionFlag::kUsualMembership:
            break;
    }
    std::optional<std::uint8_t> scope;
    ReadValue(reader, said, 1, kLastScope, scope);
    if (scope) flags.scopes = static_cast<std::uint16_t>(flags.scopes | 1U << *scope);
}

}  // namespace ember::emberc
