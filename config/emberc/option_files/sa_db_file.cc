// SPDX-License-Identifier: Apache-2.0
// EmberSM: sa_db_file: what clients had registered, as OpenSM's opensm-sa.dump tells it.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/dump_lines.h"
#include "config/emberc/option_files/line_reader.h"
#include "config/emberc/option_files/sa_records.h"
#include "core/administration/registrations/sa_file.h"
#include "core/administration/registrations/sa_frames.h"
#include "core/base/time.h"

namespace ember::emberc {
namespace {

/// Puts entries into frames.
class FrameWriter {
public:
    explicit FrameWriter(std::uint64_t clock_us) : clock_us_(clock_us) { Begin(); }

    void Add(SaEntryKind kind, std::span<const std::byte> body) {
        const SaEntryHead head{kind, static_cast<std::uint8_t>(body.size())};
        if (frame_.size() + sizeof(head) + body.size() > kMaxSaFileFrameBytes) Close();
        const auto octets = std::as_bytes(std::span(&head, 1));
        frame_.insert(frame_.end(), octets.begin(), octets.end());
        frame_.insert(frame_.end(), body.begin(), body.end());
    }
    template <typename Entry>
    void AddAll(SaEntryKind kind, const std::vector<Entry>& entries) {
        for (const Entry& entry : entries) {
            Add(kind, std::as_bytes(std::span(&entry, 1)));
        }
    }
    [[nodiscard]] std::vector<std::byte> Finish() {
        Add(SaEntryKind::kComplete, {});
        Close();
        return std::move(journal_);
    }

private:
    void Begin() { frame_.assign(sizeof(SaFrameHead), std::byte{}); }
    void Close() {
        SaFrameHead head{};
        head.sequence = sequence_++;
        head.clock_us = clock_us_;
        CloseFrame(frame_, head);
        journal_.insert(journal_.end(), frame_.begin(), frame_.end());
        Begin();
    }

    std::uint64_t clock_us_;
    std::uint32_t sequence_ = 0;
    std::vector<std::byte> frame_;
    std::vector<std::byte> journal_;
};

class SaDbReader {
public:
    SaDbReader(std::string_view text, Diagnostics& diagnostics, const SubnetFacts& subnet)
        : reader_(text, diagnostics), subnet_(subnet) {}

    std::vector<std::byte> Read();

private:
    /// The value that a name was given, and where.
    struct Said {
        std::size_t line = 0;
        std::string value;
    };

    void ReadLine();
    void BeginGroup(RecordFields& fields);
    void ReadMemberLine(RecordFields& fields, const Word& line);
    void ReadAliasLine(RecordFields& fields, const Word& line);
    void ReadServiceLine(RecordFields& fields, const Word& line);
    [[nodiscard]] bool IsNew(const std::string& name, std::string value, const Word& line);
    template <typename Entry>
    void Keep(std::vector<Entry>& entries, const Entry& entry, const Word& line);
    void GiveToOwners();

    LineReader reader_;
    SubnetFacts subnet_;
    TableSize size_;
    std::map<std::string, Said> said_;
    std::optional<Gid> group_;    ///< Whose members follow.
    bool has_had_group_ = false;  ///< A group was begun, readable or not.
    std::uint64_t latest_s_ = 0;  ///< When something in the file was told last.
    std::vector<AliasEntry> aliases_;
    std::vector<GroupEntry> groups_;
    std::vector<MemberEntry> members_;
    std::vector<ServiceEntry> services_;
    std::vector<SubscriptionEntry> subscriptions_;
};

std::string TextOf(const Gid& gid) {
    return fmt::format("{:#018x}:{:#018x}", gid.high, gid.low);
}

template <typename Entry>
std::string OctetsOf(const Entry& entry) {
    std::string text;
    for (const std::byte octet : std::as_bytes(std::span(&entry, 1))) {
        text += static_cast<char>(octet);
    }
    return text;
}

/// Whether `name` was not said to be anything yet; else that is reported, as it may be otherwise.
bool SaDbReader::IsNew(const std::string& name, std::string value, const Word& line) {
    const auto [at, is_new] = said_.try_emplace(name, Said{reader_.number(), value});
    if (is_new) return true;
    if (at->second.value == value) {
        reader_.Report(Severity::kWarning, line, Code::kDuplicateEntry,
                       fmt::format("line {} says the same", at->second.line));
    } else {
        reader_.Error(line, Code::kContradiction,
                      fmt::format("line {} says otherwise of the same", at->second.line));
    }
    return false;
}

template <typename Entry>
void SaDbReader::Keep(std::vector<Entry>& entries, const Entry& entry, const Word& line) {
    if (size_.Grow(reader_, line, sizeof(SaEntryHead) + sizeof(entry))) entries.push_back(entry);
}

void SaDbReader::BeginGroup(RecordFields& fields) {
    const Word line = reader_.all();
    has_had_group_ = true;
    group_.reset();
    const std::optional<GroupEntry> group = ReadGroup(fields);
    if (!group) return;
    group_ = group->mgid.gid();
    if (IsNew("group " + TextOf(*group_), OctetsOf(*group), line)) Keep(groups_, *group, line);
}

void SaDbReader::ReadMemberLine(RecordFields& fields, const Word& line) {
    if (!has_had_group_) {
        return reader_.Error(line, Code::kNoGroup, "a member before the first line 'MC Group ...'");
    }
    if (!group_) return;  // Its group was wrong, which has been told.
    const std::optional<MemberEntry> member = ReadMember(fields, subnet_, *group_);
    if (!member) return;
    const std::string name =
        fmt::format("member {} {:x}", TextOf(*group_), Raw(Guid{member->port_guid}));
    if (IsNew(name, OctetsOf(*member), line)) Keep(members_, *member, line);
}

void SaDbReader::ReadAliasLine(RecordFields& fields, const Word& line) {
    const std::optional<std::vector<AliasEntry>> aliases = ReadAliases(fields);
    if (!aliases) return;
    for (const AliasEntry& alias : *aliases) {
        const std::string place =
            fmt::format("place {:x} {}", Raw(Guid{alias.port}), unsigned{alias.place});
        const std::string name = fmt::format("alias {:x}", Raw(Guid{alias.alias}));
        if (!IsNew(place, OctetsOf(alias), line)) continue;
        if (IsNew(name, OctetsOf(alias), line)) Keep(aliases_, alias, line);
    }
}

void SaDbReader::ReadServiceLine(RecordFields& fields, const Word& line) {
    const std::optional<DumpedService> service = ReadService(fields, subnet_);
    if (!service) return;
    const ServiceRecord& record = service->entry.record;
    latest_s_ = std::max(latest_s_, service->modified_s);
    const std::string name =
        fmt::format("service {:x} {} {:x}", record.Get(ServiceRecord::kServiceId),
                    TextOf(record.gid()), record.Get(ServiceRecord::kServicePKey));
    if (IsNew(name, OctetsOf(service->entry), line)) Keep(services_, service->entry, line);
}

void SaDbReader::ReadLine() {
    const Word line = reader_.all();
    if (line.text.empty() || line.text.front() == '#') return;
    RecordFields fields(reader_);
    if (fields.Take("MC Group")) return BeginGroup(fields);
    if (fields.Take("mcm_port:")) return ReadMemberLine(fields, line);
    if (fields.Take("GUIDInfo Record:")) return ReadAliasLine(fields, line);
    if (fields.Take("Service Record:")) return ReadServiceLine(fields, line);
    if (fields.Take("InformInfo Record:")) {
        const std::optional<SubscriptionEntry> entry = ReadSubscription(fields, subnet_);
        if (entry && IsNew("subscription " + OctetsOf(*entry), "", line)) {
            Keep(subscriptions_, *entry, line);
        }
        return;
    }
    reader_.Error(line, Code::kUnknownLine,
                  "this is none of the records that OpenSM writes: MC Group, mcm_port, GUIDInfo "
                  "Record, Service Record, InformInfo Record");
}

/// A registration under an alias belongs to the port that has the alias.
void SaDbReader::GiveToOwners() {
    std::map<Guid, Guid> ports;
    for (const AliasEntry& alias : aliases_) {
        ports.emplace(alias.alias, alias.port);
    }
    const auto owner = [&ports](Guid guid) {
        const auto found = ports.find(guid);
        return found == ports.end() ? guid : found->second;
    };
    for (MemberEntry& member : members_) {
        member.owner = owner(member.owner);
    }
    for (ServiceEntry& service : services_) {
        service.owner = owner(service.owner);
    }
    for (SubscriptionEntry& subscription : subscriptions_) {
        subscription.subscriber = owner(subscription.subscriber);
    }
}

std::vector<std::byte> SaDbReader::Read() {
    while (reader_.NextLine()) {
        ReadLine();
    }
    GiveToOwners();
    FrameWriter writer(latest_s_ * kSecondUs);
    writer.AddAll(SaEntryKind::kAlias, aliases_);
    writer.AddAll(SaEntryKind::kGroup, groups_);
    writer.AddAll(SaEntryKind::kMember, members_);
    writer.AddAll(SaEntryKind::kService, services_);
    writer.AddAll(SaEntryKind::kSubscription, subscriptions_);
    return writer.Finish();
}

}  // namespace

std::vector<std::byte> ParseSaDbFile(std::string_view text, Diagnostics& diagnostics,
                                     const SubnetFacts& subnet) {
    return SaDbReader(text, diagnostics, subnet).Read();
}

std::string AsLine(const SaEntry& entry) {
    switch (entry.kind) {
        case SaEntryKind::kGroup: {
            const auto group = BodyOf<GroupEntry>(entry);
            return fmt::format("group {} mlid {:#x} pkey {:#06x}{}", TextOf(group.mgid.gid()),
                               Raw(Lid{group.mlid}), std::uint16_t{group.p_key},
                               group.is_well_known != 0 ? " (well known)" : "");
        }
        case SaEntryKind::kMember: {
            const auto member = BodyOf<MemberEntry>(entry);
            return fmt::format("member {} of group {}, state {:#x}", Hex(member.port_guid),
                               TextOf(member.mgid.gid()), unsigned{member.join_state});
        }
        case SaEntryKind::kAlias: {
            const auto alias = BodyOf<AliasEntry>(entry);
            return fmt::format("alias {} of {}, place {}", Hex(alias.alias), Hex(alias.port),
                               unsigned{alias.place});
        }
        case SaEntryKind::kService: {
            const auto service = BodyOf<ServiceEntry>(entry);
            return fmt::format("service {:#018x} at {}",
                               service.record.Get(ServiceRecord::kServiceId),
                               TextOf(service.record.gid()));
        }
        case SaEntryKind::kSubscription: {
            const auto subscription = BodyOf<SubscriptionEntry>(entry);
            return fmt::format("subscription of {} to trap {}", Hex(subscription.subscriber),
                               subscription.info.Get(InformInfo::kTrapNumber));
        }
        case SaEntryKind::kComplete:
        case SaEntryKind::kGroupGone:
        case SaEntryKind::kMemberGone:
        case SaEntryKind::kAliasGone:
        case SaEntryKind::kServiceGone:
        case SaEntryKind::kSubscriptionGone:
        case SaEntryKind::kLids:
        case SaEntryKind::kLidsGone:
        case SaEntryKind::kMKeyRule:
        case SaEntryKind::kQuarantine:
        case SaEntryKind::kQuarantineGone:
        case SaEntryKind::kLidExit:
            break;
    }
    return {};
}

std::vector<SaEntry> EntriesOf(const std::vector<std::byte>& journal) {
    std::vector<SaEntry> entries;
    std::span<const std::byte> left = journal;
    while (!left.empty()) {
        const Result<SaFrame> frame = ReadFrame(left);
        if (!frame.ok()) break;
        for (std::span<const std::byte> rest = frame.value().entries; !rest.empty();) {
            const SaEntry entry = TakeEntry(rest).value();
            if (entry.kind != SaEntryKind::kComplete) entries.push_back(entry);
        }
        left = left.subspan(frame.value().bytes());
    }
    return entries;
}

}  // namespace ember::emberc
