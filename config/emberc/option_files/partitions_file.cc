// SPDX-License-Identifier: Apache-2.0
// EmberSM: partition_config_file.
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "config/emberc/option_files/partition_groups.h"
#include "config/emberc/option_files/partition_table.h"
#include "config/emberc/option_files/partition_words.h"
#include "core/base/mgid.h"
#include "core/multicast/own_groups.h"
#include "core/wire/p_key_table.h"

namespace ember::emberc {
namespace {

/// OpenSM reads a line into 4,095 octets, of which the last two are for its end.
constexpr std::size_t kLongestLine = 4093;
constexpr std::size_t kDigitsOfAGuid = 10;  ///< Of one that is likely to be hexadecimal.

/// A definition, from its head on to its ';'.
struct Definition {
    std::optional<std::uint16_t> p_key;  ///< Nothing: the head is wrong, which has been told.
    Membership usual = Membership::kLimited;
    bool is_first = false;
    bool is_ip = false;
    bool has_group = false;
    GroupFlags flags;
    std::optional<Word> group_flag;  ///< A flag that only groups look at. A view of the text.
    Spot group_flag_spot;
};

class PartitionsReader {
public:
    PartitionsReader(std::string_view text, Diagnostics& diagnostics, const SubnetFacts& subnet)
        : text_(text),
          reader_(text, diagnostics),
          diagnostics_(diagnostics),
          may_be_both_(subnet.both_p_keys),
          table_(reader_, diagnostics),
          groups_(diagnostics) {}

    PartitionConf Read();

private:
    [[nodiscard]] bool IsReadable();
    void ReportCrowded(const PartitionConf& conf);
    void ReadPiece(Word piece);
    void BeginDefinition(Word head);
    void EndDefinition();
    void ReadHeadFlag(const Word& item);
    void ReadMember(const Word& item);
    void ReadGroup(Word item);
    [[nodiscard]] std::optional<Membership> MembershipOf(const Word& word);
    [[nodiscard]] std::optional<Gid> ReadMgid(const Word& word);

    std::string_view text_;
    LineReader reader_;
    Diagnostics& diagnostics_;
    bool may_be_both_;
    PartitionTable table_;
    GroupTable groups_;
    std::optional<Definition> open_;
    bool has_return_ = false;
};

/// Reports what OpenSM cannot read. False: nor is it read here.
bool PartitionsReader::IsReadable() {
    const std::string_view line = reader_.line();
    const auto end = static_cast<std::size_t>(line.data() + line.size() - text_.data());
    if (!has_return_ && end < text_.size() && text_[end] == '\r') {
        has_return_ = true;
        reader_.Report(Severity::kWarning, {line.substr(line.size()), line.size()},
                       Code::kControlCharacter,
                       fmt::format("lines end in CR and LF: {}", kOpensmGivesUp));
    }
    if (line.size() <= kLongestLine) return true;
    diagnostics_.Add({.place = {reader_.number(), kLongestLine + 1, 1},
                      .code = Code::kLineTooLong,
                      .text = fmt::format("OpenSM cuts lines of more than {} characters, and words "
                                          "where it does",
                                          kLongestLine),
                      .source = {}});
    return false;
}

/// A piece is the text between two ';', or between one and an end of the line.
void PartitionsReader::ReadPiece(Word piece) {
    if (!open_) {
        if (!Has(piece, ':')) {
            open_.emplace();
            return reader_.Error(Trimmed(piece), Code::kNotAPartition,
                                 fmt::format("a colon is missing: a definition begins with "
                                             "'name=P_Key:' in one line; {}",
                                             kOpensmGivesUp));
        }
        BeginDefinition(TakeUpTo(piece, ':'));
    }
    if (Trimmed(piece).text.empty()) return;
    while (!piece.text.empty()) {
        const Word rest = Trimmed(piece);
        const bool may_be_group = rest.text.starts_with("mgid");
        if (may_be_group && AsAssignment(rest).name.text == "mgid") return ReadGroup(rest);
        const Word item = TakeUpTo(piece, ',');
        if (!item.text.empty()) {
            ReadMember(item);
        } else if (!Trimmed(piece).text.empty()) {
            reader_.Report(Severity::kWarning, item, Code::kMissingValue,
                           "nothing stands before this ','; OpenSM passes over it");
        }
    }
}

void PartitionsReader::BeginDefinition(Word head) {
    const Word whole = head;
    Definition& definition = open_.emplace();
    const bool has_flags = Has(head, ',');
    const Assignment said = AsAssignment(TakeUpTo(head, ','));
    definition.p_key = table_.Define(said.name, said.value);
    while (has_flags) {
        const bool is_last = !Has(head, ',');
        ReadHeadFlag(TakeUpTo(head, ','));
        if (is_last) break;
    }
    if (!definition.p_key || !definition.is_ip) return;
    table_.SetIp(*definition.p_key);
    const auto p_key = static_cast<std::uint16_t>(*definition.p_key | kFullMembership);
    groups_.AddAll({.mgid = BroadcastMgid(kLinkLocalScope, p_key),
                    .p_key = *definition.p_key,
                    .flags = definition.flags,
                    .is_implied = true,
                    .spot = SpotOf(reader_, whole)},
                   definition.flags);
}

void PartitionsReader::EndDefinition() {
    if (open_->group_flag && !open_->is_ip && !open_->has_group) {
        ReportAt(diagnostics_, Severity::kWarning, open_->group_flag_spot, Code::kNoEffect,
                 fmt::format("'{}' is of groups, and there is none: 'ipoib' makes the broadcast "
                             "group; OpenSM passes over it",
                             open_->group_flag->text));
    }
    open_.reset();
}

/// Reads a flag in the head of a definition.
void PartitionsReader::ReadHeadFlag(const Word& item) {
    const Assignment said = AsAssignment(item);
    if (said.name.text.empty()) {
        return reader_.Report(Severity::kWarning, item, Code::kStrayMark,
                              "a flag is missing here; it is passed over, as OpenSM does");
    }
    const auto flag = ReadFlag(reader_, said.name, false);
    if (!flag) return;
    const bool has_no_value = *flag == PartitionFlag::kIndex0 || *flag == PartitionFlag::kIp;
    if (has_no_value && said.value) {
        return reader_.Error(
            *said.value, Code::kBadValue,
            fmt::format("'{}' has no value; OpenSM does not look at it", said.name.text));
    }
    if (*flag == PartitionFlag::kIndex0) {
        open_->is_first = true;
        return;
    }
    if (*flag == PartitionFlag::kIp) {
        open_->is_ip = true;
        return;
    }
    if (*flag == PartitionFlag::kUsualMembership) {
        const auto usual = MembershipOf(said.value.value_or(Word{{}, item.begin}));
        if (usual) open_->usual = *usual;
        return;
    }
    ReadGroupFlag(reader_, *flag, said, open_->flags);
    if (*flag != PartitionFlag::kSl) {
        open_->group_flag = said.name;
        open_->group_flag_spot = SpotOf(reader_, said.name);
    } else if (open_->p_key && open_->flags.sl) {
        table_.SetSl(*open_->p_key, *open_->flags.sl, said.name);
    }
}

/// With `both` for ports that may hold one form of a P_Key only, the full one counts.
std::optional<Membership> PartitionsReader::MembershipOf(const Word& word) {
    const auto membership = ReadMembership(reader_, word);
    if (membership != Membership::kBoth || may_be_both_) return membership;
    reader_.Report(Severity::kWarning, word, Code::kNoEffect,
                   "'both' counts as 'full', as allow_both_pkeys is FALSE");
    return Membership::kFull;
}

/// Reads one member: a PortGUID or a keyword, and its membership.
void PartitionsReader::ReadMember(const Word& item) {
    if (Has(item, ':')) {
        if (!open_->p_key) return;  // Its head is wrong already.
        // Behind a member's '=' it is part of a word that OpenSM does not know.
        const Word name = AsAssignment(item).name;
        const bool is_in_value = !Has(name, ':') && MayBeMember(name.text);
        return reader_.Error(
            item, Code::kMissingSemicolon,
            fmt::format(
                "a ':' within a definition: the ';' of the definition before is missing; "
                "{}",
                is_in_value ? "OpenSM would make a limited member of this" : kOpensmGivesUp));
    }
    const Assignment said = AsAssignment(item);
    const char first = said.name.text.empty() ? '\0' : said.name.text.front();
    std::optional<Member> member;
    if ((first >= '0' && first <= '9') || first == '-' || first == '+') {
        const auto guid = reader_.ReadGuid(said.name);
        if (!guid) return;
        if (first != '0' && said.name.text.size() >= kDigitsOfAGuid) {
            reader_.Report(Severity::kWarning, said.name, Code::kDecimalGuid,
                           fmt::format("this is read as decimal and means {}; write 0x in front of "
                                       "hexadecimal digits",
                                       Hex(*guid)));
        }
        member = *guid;
    } else {
        const auto word = ReadClass(reader_, said.name);
        if (!word) return;
        if (!word->is_none) member = word->ports;
        if (word->ports == PortClass::kVcas) {
            reader_.Report(Severity::kWarning, said.name, Code::kNoEffect,
                           fmt::format("there are no virtual ports; {}", kOpensmGivesUp));
        }
    }
    Membership membership = open_->usual;
    if (said.value) {
        const auto own = MembershipOf(*said.value);
        if (!own) return;
        membership = *own;
    }
    if (!member || !open_->p_key) return;
    table_.Put(*open_->p_key, *member, {.membership = membership, .is_first = open_->is_first},
               said.name);
}

std::optional<Gid> PartitionsReader::ReadMgid(const Word& word) {
    std::array<std::uint8_t, 16> octets{};
    const bool is_gid = inet_pton(AF_INET6, std::string(word.text).c_str(), octets.data()) == 1;
    Gid mgid;
    for (std::size_t i = 0; i < octets.size(); ++i) {
        std::uint64_t& half = i < octets.size() / 2 ? mgid.high : mgid.low;
        half = half << 8U | octets[i];
    }
    if (is_gid && IsMulticast(mgid)) return mgid;
    reader_.Error(
        word, Code::kBadNumber,
        fmt::format("\"{}\" is no multicast GID; OpenSM would leave the group out", word.text));
    return std::nullopt;
}

/// Reads a group, which takes the rest of the line up to a ';'.
void PartitionsReader::ReadGroup(Word item) {
    open_->has_group = true;
    const bool has_flags = Has(item, ',');
    const Assignment head = AsAssignment(TakeUpTo(item, ','));
    GroupFlags flags;
    bool are_read = true;
    while (has_flags) {
        const bool is_last = !Has(item, ',');
        const Word word = TakeUpTo(item, ',');
        const Assignment said = AsAssignment(word);
        if (said.name.text.empty() && is_last) break;
        const auto flag = ReadFlag(reader_, said.name, true);
        are_read = are_read && flag.has_value();
        if (flag) ReadGroupFlag(reader_, *flag, said, flags);
        if (is_last) break;
    }
    if (!has_flags && reader_.line().find(';', head.name.begin) != std::string_view::npos) {
        reader_.Report(Severity::kWarning, head.name, Code::kMissingValue,
                       "OpenSM reads on behind a ';' that follows a group without flags, and may "
                       "drop the file: put the ';' into another line, or a flag behind the group");
    }
    const auto mgid = ReadMgid(head.value.value_or(Word{{}, head.name.begin}));
    if (!mgid || !are_read || !open_->p_key) return;
    groups_.AddAll(
        {.mgid = *mgid, .p_key = *open_->p_key, .flags = flags, .spot = SpotOf(reader_, head.name)},
        open_->flags);
}

/// The switch would say so of each port, when it has left P_Keys out.
void PartitionsReader::ReportCrowded(const PartitionConf& conf) {
    const CrowdedPorts crowded = FindCrowded(conf, may_be_both_);
    if (crowded.count == 0) return;
    LineReader lines(text_, diagnostics_);
    while (lines.number() < crowded.line && lines.NextLine()) {
    }
    const bool is_every = crowded.port == kNoGuid;
    const std::string more =
        crowded.count > 1 ? fmt::format(" (the first of {} such ports)", crowded.count) : "";
    lines.Report(
        Severity::kWarning, lines.all(), Code::kTooManyPKeys,
        fmt::format("{} would hold {} P_Keys{}; of a port {} are managed, and its partitions "
                    "beyond them are left out",
                    is_every ? "every port" : fmt::format("port {:#x}", Raw(crowded.port)),
                    crowded.p_keys, more, kMostPKeysOfPort));
}

PartitionConf PartitionsReader::Read() {
    Spot last;
    while (reader_.NextLine()) {
        if (!IsReadable()) break;
        Word rest{reader_.line(), 0};
        rest = TakeUpTo(rest, '#');
        while (!rest.text.empty()) {
            const bool ends = Has(rest, ';');
            const Word piece = TakeUpTo(rest, ';');
            if (!piece.text.empty()) {
                ReadPiece(piece);
                last = SpotOf(reader_, piece);
            } else if (ends && !open_) {
                reader_.Report(Severity::kWarning, piece, Code::kEmptyStatement,
                               fmt::format("this ';' ends nothing; {}", kOpensmGivesUp));
            }
            if (ends && open_) EndDefinition();
        }
    }
    if (open_) {
        // The part that a file lost may have narrowed what is left of it.
        const bool is_cut_off = !text_.ends_with('\n');
        ReportAt(diagnostics_, is_cut_off ? Severity::kError : Severity::kWarning, last,
                 Code::kMissingSemicolon,
                 is_cut_off ? "the file ends within a line and a definition, as if it was cut off, "
                              "which OpenSM passes over: write ';' and the end of the line"
                            : "the ';' at the end is missing, which OpenSM passes over");
        EndDefinition();
    }
    if (table_.defined() == 0 && diagnostics_.all().empty()) {
        diagnostics_.Add({.place = {},
                          .code = Code::kEmptyFile,
                          .text =
                              "no partition is defined, and OpenSM would make every port a full "
                              "member of the default one: write 'Default=0x7fff,ipoib:ALL=full;'"
                              " for that",
                          .source = {}});
    }
    PartitionConf conf = table_.Rows();
    conf.groups = groups_.Rows();
    if (diagnostics_.CountOf(Severity::kError) > 0) return conf;
    ReportCrowded(conf);
    const PartitionSizes sizes = SizesOf(conf);
    diagnostics_.Add(
        {.severity = Severity::kNote,
         .place = {},
         .code = Code::kPartitionSizes,
         .text = fmt::format("{} partitions, {} named ports, {} keywords, {} groups take {} octets "
                             "of the blob; a port is in {} of the partitions at most",
                             conf.partitions.size(), conf.ports.size(), conf.classes.size(),
                             conf.groups.size(), sizes.blob_bytes, sizes.most_of_a_port),
         .source = {}});
    return conf;
}

}  // namespace

PartitionConf ParsePartitionsFile(std::string_view text, Diagnostics& diagnostics,
                                  const SubnetFacts& subnet) {
    return PartitionsReader(text, diagnostics, subnet).Read();
}

}  // namespace ember::emberc
