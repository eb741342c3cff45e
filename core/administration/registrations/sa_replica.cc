// SPDX-License-Identifier: Apache-2.0
// EmberSM: the registrations of another subnet manager, followed as they change.
#include "core/administration/registrations/sa_replica.h"

#include "core/base/assert.h"

namespace ember {

SaReplica::SaReplica(const Memory& memory, const SaApplier::Parts& parts)
    : tables_(parts.tables),
      applier_(parts),
      groups_(memory.groups),
      members_(memory.members),
      aliases_(memory.aliases),
      services_(memory.services),
      subscriptions_(memory.subscriptions) {}

void SaReplica::Forget() {
    entries_ = {};
    sequence_ = 0;
    is_whole_ = false;
    dropping_ = Table::kEnd;
    applier_.Begin();
}

Status SaReplica::Take(std::span<const std::byte> frame) {
    EMBER_ASSERT(entries_.empty() && dropping_ == Table::kEnd);
    const Result<SaFrame> read = ReadFrame(frame);
    if (!read.ok() || read.value().bytes() != frame.size()) return Status::kMalformed;
    const SaFrameHead& head = read.value().head;
    if (head.sequence == 0) {
        generation_ = head.generation;
        for (const BitSet& marks : {groups_, members_, aliases_, services_, subscriptions_}) {
            marks.clear();
        }
        applier_.Begin();
        if (tables_.subnet != nullptr) tables_.subnet->BeginCopy();
    } else if (sequence_ == 0 || head.generation != generation_ || head.sequence != sequence_) {
        return Status::kMalformed;
    }
    sequence_ = head.sequence + 1;
    applier_.SetClock(head.clock_us);
    entries_ = read.value().entries;
    return Status::kOk;
}

bool SaReplica::Step(std::uint64_t now_us) {
    if (dropping_ != Table::kEnd) {
        DropSome();
        return dropping_ != Table::kEnd || !entries_.empty();
    }
    for (int left = kEntriesAtOnce; left > 0 && !entries_.empty(); --left) {
        const SaEntry entry = TakeEntry(entries_).value();
        const bool is_copy = !applier_.is_complete();
        if (is_copy) {
            Copy(entry, now_us);
        } else {
            applier_.Apply(entry, now_us);
        }
        if (!is_copy || entry.kind != SaEntryKind::kComplete) continue;
        dropping_ = Table::kMembers;
        row_ = 0;
        return true;
    }
    return !entries_.empty();
}

/// Rows that the copy has not told of may be over, and stand where it wants to put others: they go
/// at once then, and come again if the copy tells of them later.
void SaReplica::Copy(const SaEntry& entry, std::uint64_t now_us) {
    EMBER_ASSERT(!applier_.is_complete());
    if (entry.kind == SaEntryKind::kGroup) FreeMlidFor(BodyOf<GroupEntry>(entry));
    if (entry.kind == SaEntryKind::kAlias) FreeAlias(BodyOf<AliasEntry>(entry).alias);
    Status status = applier_.Try(entry, now_us);
    while (status == Status::kFull && DropOneFor(entry.kind)) {  // Ends: one goes each time.
        status = applier_.Try(entry, now_us);
    }
    applier_.Count(status);
    Mark(entry);
}

/// A group has one MLID, and groups of one MLID are of one partition.
void SaReplica::FreeMlidFor(const GroupEntry& entry) {
    Groups& groups = tables_.groups;
    const GroupIndex known = groups.Find(entry.mgid.gid());
    const MlidIndex mlid = MlidOf(entry.mlid);
    if (known != kNoGroup && groups.group(known).mlid != mlid && !groups_.Has(Raw(known))) {
        groups.ForgetGroup(known);
    }
    if (mlid == kNoMlid || Raw(mlid) >= groups.mlid_bound()) return;
    for (GroupIndex at = groups.mlid(mlid).first; at != kNoGroup; at = groups.mlid(mlid).first) {
        const bool is_alike = groups.group(at).values.p_key == entry.p_key;
        if (is_alike || groups_.Has(Raw(at))) return;
        groups.ForgetGroup(at);
    }
}

void SaReplica::FreeAlias(Guid alias) {
    if (tables_.aliases.PortOf(alias) == kNoGuid) return;
    for (std::size_t i = 0; i < tables_.aliases.bound(); ++i) {
        const AliasGuids::Row row = tables_.aliases.row(static_cast<AliasIndex>(i));
        if (row.alias == alias && !aliases_.Has(i)) tables_.aliases.Remove(row.port, row.place);
    }
}

/// False: every row of the table that is full has been copied.
bool SaReplica::DropOneFor(SaEntryKind kind) {
    const Table table = TableOf(kind);
    for (std::size_t i = 0; i < BoundOf(table); ++i) {
        if (DropUnmarked(table, i)) return true;
    }
    return false;
}

SaReplica::Table SaReplica::TableOf(SaEntryKind kind) {
    switch (kind) {
        case SaEntryKind::kGroup:
        case SaEntryKind::kGroupGone:
            return Table::kGroups;
        case SaEntryKind::kMember:
        case SaEntryKind::kMemberGone:
            return Table::kMembers;
        case SaEntryKind::kAlias:
        case SaEntryKind::kAliasGone:
            return Table::kAliases;
        case SaEntryKind::kService:
        case SaEntryKind::kServiceGone:
            return Table::kServices;
        case SaEntryKind::kSubscription:
        case SaEntryKind::kSubscriptionGone:
            return Table::kSubscriptions;
        case SaEntryKind::kComplete:
        case SaEntryKind::kLids:
        case SaEntryKind::kLidsGone:
        case SaEntryKind::kMKeyRule:
        case SaEntryKind::kQuarantine:
        case SaEntryKind::kQuarantineGone:
        case SaEntryKind::kLidExit:
            break;
    }
    return Table::kEnd;
}

/// The row that a copied entry tells of, if it was put.
void SaReplica::Mark(const SaEntry& entry) {
    switch (entry.kind) {
        case SaEntryKind::kGroup: {
            const GroupIndex at = tables_.groups.Find(BodyOf<GroupEntry>(entry).mgid.gid());
            if (at != kNoGroup) groups_.Add(Raw(at));
            return;
        }
        case SaEntryKind::kMember: {
            const auto member = BodyOf<MemberEntry>(entry);
            const GroupIndex group = tables_.groups.Find(member.mgid.gid());
            if (group == kNoGroup) return;
            const MemberIndex at = tables_.groups.FindMember(group, member.port_guid);
            if (at != kNoMember) members_.Add(Raw(at));
            return;
        }
        case SaEntryKind::kAlias: {
            const auto alias = BodyOf<AliasEntry>(entry);
            const AliasIndex at = tables_.aliases.FindAt(alias.port, alias.place);
            if (at != kNoAlias) aliases_.Add(Raw(at));
            return;
        }
        case SaEntryKind::kService: {
            const ServiceIndex at = tables_.services.Find(BodyOf<ServiceEntry>(entry).record);
            if (at != kNoService) services_.Add(Raw(at));
            return;
        }
        case SaEntryKind::kSubscription: {
            const SubscriptionIndex at =
                tables_.subscriptions.Find(SubscriptionOf(BodyOf<SubscriptionEntry>(entry)));
            if (at != kNoSubscription) subscriptions_.Add(Raw(at));
            return;
        }
        case SaEntryKind::kComplete:
        case SaEntryKind::kGroupGone:
        case SaEntryKind::kMemberGone:
        case SaEntryKind::kAliasGone:
        case SaEntryKind::kServiceGone:
        case SaEntryKind::kSubscriptionGone:
        case SaEntryKind::kLids:  // SubnetState has marks of its own.
        case SaEntryKind::kLidsGone:
        case SaEntryKind::kMKeyRule:
        case SaEntryKind::kQuarantine:
        case SaEntryKind::kQuarantineGone:
        case SaEntryKind::kLidExit:
            return;
    }
}

std::size_t SaReplica::BoundOf(Table table) const {
    switch (table) {
        case Table::kMembers:
            return tables_.groups.member_bound();
        case Table::kGroups:
            return tables_.groups.group_bound();
        case Table::kAliases:
            return tables_.aliases.bound();
        case Table::kServices:
            return tables_.services.bound();
        case Table::kSubscriptions:
            return tables_.subscriptions.bound();
        case Table::kEnd:
            break;
    }
    return 0;
}

/// Removes a row that is in use and was not copied. False: it is not so.
// A case for each table, and what each calls. NOLINTNEXTLINE(readability-function-size)
bool SaReplica::DropUnmarked(Table table, std::size_t row) {
    EMBER_ASSERT(row < BoundOf(table));
    const auto go = [row](bool is_live, const BitSet& marks, auto remove) {
        const bool goes = is_live && !marks.Has(row);
        if (goes) remove();
        return goes;
    };
    switch (table) {
        case Table::kMembers: {
            const auto at = static_cast<MemberIndex>(row);
            return go(tables_.groups.IsLive(at), members_,
                      [&] { tables_.groups.ForgetMember(at); });
        }
        case Table::kGroups: {
            const auto at = static_cast<GroupIndex>(row);
            return go(tables_.groups.IsLive(at), groups_, [&] { tables_.groups.ForgetGroup(at); });
        }
        case Table::kAliases: {
            const AliasGuids::Row alias = tables_.aliases.row(static_cast<AliasIndex>(row));
            return go(alias.alias != kNoGuid, aliases_,
                      [&] { tables_.aliases.Remove(alias.port, alias.place); });
        }
        case Table::kServices: {
            const auto at = static_cast<ServiceIndex>(row);
            return go(tables_.services.IsLive(at), services_, [&] { tables_.services.Remove(at); });
        }
        case Table::kSubscriptions: {
            const auto at = static_cast<SubscriptionIndex>(row);
            return go(tables_.subscriptions.IsLive(at), subscriptions_,
                      [&] { tables_.subscriptions.Remove(at); });
        }
        case Table::kEnd:
            break;
    }
    return false;
}

void SaReplica::DropSome() {
    EMBER_ASSERT(dropping_ != Table::kEnd);
    for (int left = kRowsAtOnce; left > 0 && dropping_ != Table::kEnd; --left) {
        if (row_ < BoundOf(dropping_)) {
            static_cast<void>(DropUnmarked(dropping_, row_));
            ++row_;
        } else {
            dropping_ = static_cast<Table>(static_cast<std::uint8_t>(dropping_) + 1);
            row_ = 0;
        }
    }
    if (dropping_ != Table::kEnd) return;
    if (tables_.subnet != nullptr) tables_.subnet->EndCopy();
    is_whole_ = true;
}

}  // namespace ember
