// SPDX-License-Identifier: Apache-2.0
// EmberSM: qos_policy_file: its sections, and what stands in them.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/qos_draft.h"
#include "config/emberc/option_files/qos_sections.h"
#include "config/emberc/option_files/qos_text.h"
#include "core/partitions/partitions.h"

namespace ember::emberc {
namespace {

class QosPolicyReader {
public:
    QosPolicyReader(std::string_view text, Diagnostics& diagnostics,
                    std::span<const PartitionName> partitions)
        : text_(text, diagnostics), partitions_(partitions) {}

    LoadedQosPolicy Read();

private:
    /// A section that is open.
    struct Open {
        Section section;
        Spot spot;
        std::size_t entries = 0;
    };

    [[nodiscard]] Section section() const {
        return open_.empty() ? Section::kFile : open_.back().section;
    }
    void ReadLine();
    void Begin(const SectionRow& row, const Word& word);
    void End(std::string_view word, const Word& at);
    void Leave();
    void GiveUp();
    void CheckGroup(const QosDraft::Group& group);
    void CheckLevel(const QosDraft::Level& level);
    void ReadEntry(const Word& word);
    [[nodiscard]] bool TakeColon(const Word& word);
    [[nodiscard]] Word EntryOf(const Word& word);
    [[nodiscard]] bool LacksColon(const Word& word);
    void TakeForWritten(std::string_view entry);
    [[nodiscard]] bool ReadGroupEntry(const Word& word, QosDraft::Group& group);
    [[nodiscard]] bool ReadLevelEntry(const Word& word, QosDraft::Level& level);
    [[nodiscard]] bool ReadRuleEntry(const Word& word, QosDraft::Rule& rule);
    void ReadNames(std::vector<QosName>& names);
    void ReadPathBits();
    template <typename Value>
    void ReadOnce(std::optional<Value>& value, std::optional<Value> read, const Word& word);
    [[nodiscard]] bool IsFirst(const Word& word);

    QosText text_;
    std::span<const PartitionName> partitions_;
    QosDraft draft_;
    std::vector<Open> open_;
    std::vector<std::string> seen_;  ///< Entries of the section that may stand there once.
};

void QosPolicyReader::Begin(const SectionRow& row, const Word& word) {
    while (section() != row.parent && !open_.empty()) {
        GiveUp();
    }
    if (section() != row.parent) {
        text_.Error(word, Code::kUnknownLine,
                    fmt::format("a {} stands within {}; OpenSM refuses the file", row.word,
                                RowOf(row.parent).word));
    }
    const bool has_name = row.section == Section::kPortGroup || row.section == Section::kQosLevel;
    const bool is_named = has_name && text_.rest().text.find_first_not_of(":,;") == 0;
    if (is_named) {
        text_.Error(
            text_.rest(), Code::kTrailingText,
            fmt::format("its name stands in a line of its own: `name: {}`", text_.rest().text));
    } else {
        text_.ExpectEnd(fmt::format("'{}' stands alone in its line", row.word));
    }
    if (!open_.empty()) ++open_.back().entries;
    const Spot spot = text_.SpotOf(word);
    open_.push_back({.section = row.section, .spot = spot});
    seen_.clear();
    if (row.section == Section::kPortGroup) draft_.groups.push_back({.spot = spot});
    if (row.section == Section::kQosLevel) draft_.levels.push_back({.spot = spot});
    if (row.section == Section::kMatchRule) draft_.rules.push_back({.spot = spot});
    if (is_named) TakeForWritten("name");
    if (row.section != Section::kQosSetup) return;
    text_.Report(
        Severity::kWarning, word, Code::kNoEffect,
        "qos-setup changes nothing, as with OpenSM: the keys qos_sl2vl, qos_vlarb_high and "
        "qos_vlarb_low of opensm.conf do what it would");
}

/// The innermost section is not ended where it should be.
void QosPolicyReader::GiveUp() {
    text_.ReportAt(
        Severity::kError, open_.back().spot, Code::kOpenSection,
        fmt::format("'end-{}' is missing; OpenSM refuses the file", RowOf(section()).word));
    Leave();
}

void QosPolicyReader::End(std::string_view word, const Word& at) {
    const SectionRow* const row = FindSection(word);
    const bool is_open =
        row != nullptr && std::any_of(open_.begin(), open_.end(), [row](const Open& open) {
            return open.section == row->section;
        });
    if (!is_open) {
        text_.Error(at, Code::kOpenSection, "no such section is open; OpenSM refuses the file");
        return;
    }
    while (section() != row->section) {
        GiveUp();
    }
    text_.ExpectEnd(fmt::format("'{}' stands alone in its line", at.text));
    const bool must_not_be_empty =
        row->section == Section::kPortGroups || row->section == Section::kUlps;
    if (must_not_be_empty && open_.back().entries == 0) {
        text_.ReportAt(Severity::kWarning, open_.back().spot, Code::kEmptySection,
                       "there is nothing in it; OpenSM refuses the file");
    }
    Leave();
}

void QosPolicyReader::CheckGroup(const QosDraft::Group& group) {
    if (!group.name) {
        text_.ReportAt(Severity::kError, group.spot, Code::kMissingEntry,
                       "the port-group has no name; OpenSM refuses the file");
    } else if (!group.has_members) {
        text_.ReportAt(Severity::kWarning, group.spot, Code::kEmptySection,
                       "no port is in this port-group");
    }
}

void QosPolicyReader::CheckLevel(const QosDraft::Level& level) {
    if (!level.name) {
        text_.ReportAt(Severity::kError, level.spot, Code::kMissingEntry,
                       "the qos-level has no name; OpenSM refuses the file");
    }
    if (!level.has_sl) {
        text_.ReportAt(Severity::kError, level.spot, Code::kMissingEntry,
                       "the qos-level has no sl; OpenSM refuses the file");
    }
}

void QosPolicyReader::Leave() {
    switch (section()) {
        case Section::kPortGroup:
            CheckGroup(draft_.groups.back());
            break;
        case Section::kQosLevel:
            CheckLevel(draft_.levels.back());
            break;
        case Section::kMatchRule:
            if (draft_.rules.back().level) break;
            text_.ReportAt(Severity::kError, draft_.rules.back().spot, Code::kMissingEntry,
                           "the qos-match-rule has no qos-level-name; OpenSM refuses the file");
            break;
        case Section::kFile:
        case Section::kPortGroups:
        case Section::kQosSetup:
        case Section::kQosLevels:
        case Section::kMatchRules:
        case Section::kUlps:
            break;
    }
    open_.pop_back();
}

/// Whether an entry that may stand once stands there for the first time.
bool QosPolicyReader::IsFirst(const Word& word) {
    if (std::find(seen_.begin(), seen_.end(), word.text) == seen_.end()) {
        seen_.emplace_back(word.text);
        return true;
    }
    text_.Error(word, Code::kDuplicateKey,
                fmt::format("'{}' stands here twice; OpenSM refuses the file", word.text));
    return false;
}

template <typename Value>
void QosPolicyReader::ReadOnce(std::optional<Value>& value, std::optional<Value> read,
                               const Word& word) {
    if (IsFirst(word)) value = std::move(read);
}

void QosPolicyReader::ReadNames(std::vector<QosName>& names) {
    static_cast<void>(text_.TakeList(false, [&](const Word& item) {
        if (auto name = text_.ReadName(item)) names.push_back(std::move(*name));
    }));
}

void QosPolicyReader::ReadPathBits() {
    text_.Report(Severity::kWarning, text_.line(), Code::kNoEffect,
                 "path-bits change nothing, as with OpenSM");
    LoadedQosPolicy::Ranges ranges;
    text_.TakeRanges(kPathBitsKind, false, ranges);
}

bool QosPolicyReader::ReadGroupEntry(const Word& word, QosDraft::Group& group) {
    if (word.text == "name") {
        ReadOnce(group.name, text_.TakeName(), word);
    } else if (word.text == "use") {
        static_cast<void>(IsFirst(word));
    } else if (word.text == "port-guid") {
        group.has_members = true;
        text_.TakeRanges(kPortGuidKind, false, group.row.guids);
    } else if (word.text == "port-name") {
        ReadPortNames(text_, group);
    } else if (word.text == "pkey") {
        group.has_members = true;
        text_.TakeRanges(kPKeyKind, false, group.row.p_keys);
    } else if (word.text == "partition") {
        ReadPartitions(text_, partitions_, group);
    } else if (word.text == "node-type") {
        ReadNodeTypes(text_, group);
    } else {
        return false;
    }
    return true;
}

bool QosPolicyReader::ReadLevelEntry(const Word& word, QosDraft::Level& level) {
    const auto read = [&](std::string_view what, std::uint64_t min, std::uint64_t max) {
        const auto number = text_.TakeNumber(what, min, max);
        return IsFirst(word) ? number : std::nullopt;
    };
    if (word.text == "name") {
        ReadOnce(level.name, text_.TakeName(), word);
    } else if (word.text == "use") {
        static_cast<void>(IsFirst(word));
    } else if (word.text == "sl") {
        level.has_sl = true;
        if (const auto sl = read("sl", 0, kTopSl)) level.row.sl = static_cast<std::uint8_t>(*sl);
    } else if (word.text == "mtu-limit") {
        const auto mtu = read("mtu-limit", static_cast<std::uint64_t>(Mtu::k256),
                              static_cast<std::uint64_t>(Mtu::k4096));
        if (mtu) level.row.mtu_limit = static_cast<Mtu>(*mtu);
    } else if (word.text == "rate-limit") {
        const auto rate = read("rate-limit", static_cast<std::uint64_t>(Rate::k2Gb5),
                               static_cast<std::uint64_t>(kTopRate));
        if (rate) level.row.rate_limit = static_cast<Rate>(*rate);
    } else if (word.text == "packet-life") {
        const auto life = read("packet-life", 0, kMostPacketLife);
        if (life) level.row.packet_life = static_cast<std::uint8_t>(*life);
    } else if (word.text == "path-bits") {
        ReadPathBits();
    } else if (word.text == "pkey") {
        text_.TakeRanges(kPKeyKind, false, level.row.p_keys);
    } else {
        return false;
    }
    return true;
}

bool QosPolicyReader::ReadRuleEntry(const Word& word, QosDraft::Rule& rule) {
    if (word.text == "use") {
        static_cast<void>(IsFirst(word));
    } else if (word.text == "qos-level-name") {
        ReadOnce(rule.level, text_.TakeName(), word);
    } else if (word.text == "source") {
        ReadNames(rule.sources);
    } else if (word.text == "destination") {
        ReadNames(rule.destinations);
    } else if (word.text == "service-id") {
        text_.TakeRanges(kServiceIdKind, false, rule.row.service_ids);
    } else if (word.text == "pkey") {
        text_.TakeRanges(kPKeyKind, false, rule.row.p_keys);
    } else if (word.text == "qos-class") {
        text_.TakeRanges(kQosClassKind, false, rule.row.qos_classes);
    } else {
        return false;
    }
    return true;
}

/// A line like "sl 0", which is told once: what would only follow from it is not.
bool QosPolicyReader::LacksColon(const Word& word) {
    const std::string_view meant = MeantBy(word.text, section());
    if (meant.empty() || text_.rest().text.empty()) return false;
    text_.Error(text_.line(), Code::kUnknownLine,
                fmt::format("a colon is missing: `{}: {}`", meant, text_.rest().text));
    TakeForWritten(meant);
    return true;
}

/// The section has that entry, whatever its value is.
void QosPolicyReader::TakeForWritten(std::string_view entry) {
    if (section() == Section::kQosLevel) {
        QosDraft::Level& level = draft_.levels.back();
        level.has_sl = level.has_sl || entry == "sl";
        if (entry == "name" && !level.name) level.name = text_.TakeName();
    } else if (section() == Section::kMatchRule && entry == "qos-level-name") {
        if (!draft_.rules.back().level) draft_.rules.back().level = text_.TakeName();
    } else if (section() == Section::kPortGroup) {
        QosDraft::Group& group = draft_.groups.back();
        group.has_members = group.has_members || entry != "name";
        if (entry == "name" && !group.name) group.name = text_.TakeName();
    }
}

/// A '=' instead of the colon behind an entry of the section is plain.
bool QosPolicyReader::TakeColon(const Word& word) {
    if (text_.Take(':')) return true;
    const bool is_entry = MeantBy(word.text, section()) == word.text && !word.text.empty();
    const Word mark{text_.rest().text.substr(0, 1), text_.rest().begin};
    if (!is_entry || !text_.Take('=')) return false;
    text_.Report(Severity::kWarning, mark, Code::kEqualsSign,
                 fmt::format("behind '{}' stands a colon, as which this '=' is read", word.text));
    return true;
}

/// The entry as it is spelled in the section.
Word QosPolicyReader::EntryOf(const Word& word) {
    const bool is_known = MeantBy(word.text, section()) == word.text;
    const std::string_view meant = is_known ? std::string_view() : NearlyIn(word.text, section());
    if (meant.empty()) return word;
    text_.Report(Severity::kWarning, word, Code::kUnknownKey,
                 fmt::format("there is no '{}' in a {}, and it is read as '{}'; OpenSM refuses the "
                             "file",
                             word.text, RowOf(section()).word, meant));
    return {meant, word.begin};
}

void QosPolicyReader::ReadEntry(const Word& word) {
    if (!TakeColon(word)) {
        if (LacksColon(word)) return;
        text_.Error(text_.line(), Code::kUnknownLine,
                    fmt::format("{}{} has: {}; OpenSM refuses the file",
                                open_.empty() ? "a QoS policy" : "a ", RowOf(section()).word,
                                RowOf(section()).has));
        return;
    }
    bool is_known = false;
    if (section() == Section::kPortGroup) {
        is_known = ReadGroupEntry(EntryOf(word), draft_.groups.back());
    } else if (section() == Section::kQosLevel) {
        is_known = ReadLevelEntry(EntryOf(word), draft_.levels.back());
    } else if (section() == Section::kMatchRule) {
        is_known = ReadRuleEntry(EntryOf(word), draft_.rules.back());
    }
    if (is_known) return;
    text_.Error(word, Code::kUnknownKey,
                fmt::format("there is no '{}' in {}{}, which has: {}; OpenSM refuses the file",
                            word.text, open_.empty() ? "a QoS policy" : "a ", RowOf(section()).word,
                            RowOf(section()).has));
}

void QosPolicyReader::ReadLine() {
    const Word whole = text_.line();
    if (section() == Section::kQosSetup && whole.text != "end-qos-setup") {
        return;  // Nothing of it counts.
    }
    const bool is_ulp = section() == Section::kUlps;
    const Word word{whole.text.substr(0, whole.text.find_first_of(" \t:,")), whole.begin};
    constexpr std::string_view kEnd = "end-";
    const SectionRow* const begins = FindSection(word.text);
    if (word.text.starts_with(kEnd)) {
        static_cast<void>(text_.TakeWord());
        return End(word.text.substr(kEnd.size()), word);
    }
    const bool names_level = section() == Section::kMatchRule && word.text == "qos-level" &&
                             word.text.size() != whole.text.size();
    if (begins != nullptr && !names_level) {
        static_cast<void>(text_.TakeWord());
        return Begin(*begins, word);
    }
    if (!open_.empty()) ++open_.back().entries;
    if (is_ulp) return ReadUlp(text_, draft_);
    static_cast<void>(text_.TakeWord());
    ReadEntry(word);
}

LoadedQosPolicy QosPolicyReader::Read() {
    while (text_.NextLine()) {
        ReadLine();
    }
    while (!open_.empty()) {
        GiveUp();
    }
    return Resolve(draft_, text_);
}

}  // namespace

LoadedQosPolicy ParseQosPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                   const SubnetFacts& subnet) {
    return QosPolicyReader(text, diagnostics, subnet.partitions).Read();
}

}  // namespace ember::emberc
