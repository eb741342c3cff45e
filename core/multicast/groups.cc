// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast groups and their members.

#include "core/multicast/groups.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Groups::Groups(const Memory& memory, const Limits& limits, SubnetEvents& events)
    : groups_(memory.groups),
      members_(memory.members),
      mlids_(memory.mlids),
      by_mgid_(memory.group_slots),
      by_port_(memory.member_slots),
      changed_(memory.changed_words),
      events_(events),
      mlid_count_(limits.max_mlids) {
    EMBER_ASSERT(mlids_.size() >= limits.max_mlids);
    EMBER_ASSERT(memory.changed_words.size() >= BitSet::WordsFor(limits.max_mlids));
    EMBER_ASSERT(groups_.size() >= limits.max_groups);
    EMBER_ASSERT(members_.size() >= limits.max_members);
    EMBER_ASSERT(memory.group_slots.size() >= RowIndex<GroupIndex>::SlotsFor(limits.max_groups));
    EMBER_ASSERT(memory.member_slots.size() >= RowIndex<MemberIndex>::SlotsFor(limits.max_members));
    EMBER_ASSERT(groups_.size() <= Raw(kNoGroup));
    EMBER_ASSERT(mlids_.size() <= Raw(MlidOf(kTopMulticastLid)) + std::size_t{1});
}

void Groups::Clear() {
    MarkAll();
    std::fill_n(groups_.values().begin(), group_bound_, Group{});
    std::fill_n(members_.values().begin(), member_bound_, Member{});
    mlids_.fill(MlidRow{});
    by_mgid_.clear();
    by_port_.clear();
    free_group_ = kNoGroup;
    free_member_ = kNoMember;
    group_bound_ = 0;
    member_bound_ = 0;
    mlids_in_use_ = 0;
    held_ = 0;
    counts_.clear();
}

void Groups::SetMlidCount(std::size_t count) {
    mlid_count_ = std::min(count, mlids_.size());
}

std::uint64_t Groups::HashOf(const Gid& mgid) const {
    return by_mgid_.Hash(mgid.high, mgid.low);
}

std::uint64_t Groups::HashOf(GroupIndex group, Guid port_guid) const {
    return by_port_.Hash(Raw(group), Raw(port_guid));
}

GroupIndex Groups::Find(const Gid& mgid) const {
    return by_mgid_.Find(HashOf(mgid), [&](GroupIndex at) { return groups_[at].mgid == mgid; });
}

MemberIndex Groups::FindMember(GroupIndex group, Guid port_guid) const {
    return by_port_.Find(HashOf(group, port_guid), [&](MemberIndex at) {
        return members_[at].group == group && members_[at].port_guid == port_guid;
    });
}

/// The MLID of a solicited-node group that differs in its last three octets only.
MlidIndex Groups::FindSolicitedNode(const Gid& mgid) const {
    EMBER_ASSERT(IsSolicitedNode(mgid));
    for (std::size_t i = 0; i < group_bound_; ++i) {
        const Group& group = groups_[static_cast<GroupIndex>(i)];
        const bool is_alike = group.mlid != kNoMlid && group.mgid.high == mgid.high &&
                              group.mgid.low >> 24U == mgid.low >> 24U;
        if (is_alike) return group.mlid;
    }
    return kNoMlid;
}

/// A MLID to share, as none is free. The packets of its groups reach the members of all of them,
/// and a port drops those of groups that it did not join. So the values that the fabric looks at
/// must be the same: partition, MTU, rate, SL.
MlidIndex Groups::FindShareable(const GroupValues& values) const {
    MlidIndex best = kNoMlid;
    for (std::size_t i = 0; i < mlid_count_; ++i) {
        const auto at = static_cast<MlidIndex>(i);
        const MlidRow& row = mlids_[at];
        // All groups of a MLID have the same values. Solicited-node groups that share it only have
        // the same partition: the values of the first one count for all.
        if (row.first == kNoGroup || !(groups_[row.first].values == values)) continue;
        EMBER_ASSERT(row.groups != 0);
        if (groups_[row.first].is_well_known) continue;  // All ports are in it.
        if (best == kNoMlid || row.groups < mlids_[best].groups) best = at;
    }
    return best;
}

MlidIndex Groups::ChooseMlid(const Gid& mgid, const GroupValues& values, const Place& place) const {
    EMBER_ASSERT(mlid_count_ <= mlids_.size());
    const bool may_take = MayTakeMlid(place.requester);
    const bool may_have = may_take && place.wanted != kNoMlid && Raw(place.wanted) < mlid_count_;
    if (may_have && mlids_[place.wanted].groups == 0) return place.wanted;
    if (place.may_share_snm && IsSolicitedNode(mgid)) {
        const MlidIndex shared = FindSolicitedNode(mgid);
        if (shared != kNoMlid) return shared;
    }
    const MlidIndex free = may_take ? FindFree(false) : kNoMlid;
    if (free != kNoMlid) return free;
    const MlidIndex shared = FindShareable(values);
    if (shared != kNoMlid || !may_take) return shared;
    return FindFree(true);  // Two groups get its packets; a port drops those of the other.
}

/// The lowest MLID that no group has.
MlidIndex Groups::FindFree(bool may_be_held) const {
    for (std::size_t i = 0; mlids_in_use_ < mlids_.size() && i < mlid_count_; ++i) {
        const auto at = static_cast<MlidIndex>(i);
        if (mlids_[at].groups == 0 && (may_be_held || !mlids_[at].is_held)) return at;
    }
    return kNoMlid;
}

/// True when the requester is charged for fewer groups than `share`. The requester is charged for a
/// member of each, so the count of its members mostly decides without a pass over the groups.
bool Groups::HasFewerGroups(Requester requester, std::size_t share) const {
    if (requester == kNoRequester || counts_.AtMost(requester) < share) return true;
    return HasFewer(share, group_bound_, [&](std::size_t i) {
        const Group& group = groups_[static_cast<GroupIndex>(i)];
        return group.first != kNoMember && members_[group.first].requester == requester;
    });
}

bool Groups::MayTakeMlid(Requester requester) const {
    return !IsCrowded(mlids_in_use_, mlid_count_) ||
           HasFewerGroups(requester, ShareOf(mlid_count_));
}

bool Groups::MayMakeGroup(Requester requester) const {
    return !IsCrowded(group_count(), groups_.size()) ||
           HasFewerGroups(requester, ShareOf(groups_.size()));
}

bool Groups::MayAddMember(Requester requester) const {
    if (!IsCrowded(member_count(), members_.size()) || requester == kNoRequester) return true;
    const std::size_t share = ShareOf(members_.size());
    if (counts_.AtMost(requester) < share) return true;
    return HasFewer(share, member_bound_, [&](std::size_t i) {
        return members_[static_cast<MemberIndex>(i)].requester == requester;
    });
}

void Groups::Charge(Member& member, Requester requester) {
    counts_.Remove(member.requester);
    counts_.Add(requester);
    member.requester = requester;
}

Result<GroupIndex> Groups::Create(const Gid& mgid, const GroupValues& values, const Place& place) {
    EMBER_ASSERT(Find(mgid) == kNoGroup);
    const Result<GroupIndex> made = Insert(mgid, values, ChooseMlid(mgid, values, place));
    if (made.ok()) EmitGroup(made.value());
    return made;
}

Result<GroupIndex> Groups::Insert(const Gid& mgid, const GroupValues& values, MlidIndex mlid) {
    const bool has_row = free_group_ != kNoGroup || group_bound_ < groups_.size();
    if (!has_row || mlid == kNoMlid) return Status::kFull;

    GroupIndex at = free_group_;
    if (at != kNoGroup) {
        free_group_ = groups_[at].next;
    } else {
        at = static_cast<GroupIndex>(group_bound_++);
    }
    EMBER_ASSERT(!IsLive(at));
    MlidRow& row = mlids_[mlid];
    groups_[at] = Group{.mgid = mgid, .values = values, .mlid = mlid, .next = row.first};
    if (row.first != kNoGroup) groups_[row.first].before = at;
    row.first = at;
    if (row.groups++ == 0) ++mlids_in_use_;
    EMBER_ASSERT(mlids_in_use_ <= mlids_.size());
    by_mgid_.Insert(HashOf(mgid), at);
    return at;
}

void Groups::SetWellKnown(GroupIndex at, const GroupValues& values) {
    EMBER_ASSERT(IsLive(at));
    groups_[at].is_well_known = true;
    groups_[at].values = values;
    EmitGroup(at);
}

void Groups::EndWellKnown(GroupIndex at) {
    EMBER_ASSERT(groups_[at].is_well_known);
    EMBER_ASSERT(IsLive(at));
    groups_[at].is_well_known = false;
    EmitGroup(at);
    if (groups_[at].full_members != 0) return;
    while (groups_[at].first != kNoMember) {
        RemoveMember(groups_[at].first);
    }
    RemoveGroup(at);
}

/// A new row for a member, with JoinState 0, chained behind the first member, which pays for the
/// group; kNoMember: no row is free.
MemberIndex Groups::AddMember(GroupIndex group, const Member& joiner) {
    EMBER_ASSERT(IsLive(group));
    Group& row = groups_[group];
    MemberIndex at = free_member_;
    if (at != kNoMember) {
        free_member_ = members_[at].next;
    } else if (member_bound_ < members_.size()) {
        at = static_cast<MemberIndex>(member_bound_++);
    } else {
        return kNoMember;
    }
    EMBER_ASSERT(!IsLive(at));
    const bool is_named = joiner.owner != kNoGuid;
    const MemberIndex first = row.first;
    const MemberIndex next = first == kNoMember ? kNoMember : members_[first].next;
    Member& member = members_[at];
    member = Member{.port_guid = joiner.port_guid,
                    .owner = is_named ? joiner.owner : joiner.port_guid,
                    .group = group,
                    .before = first,
                    .next = next};
    (first == kNoMember ? row.first : members_[first].next) = at;
    if (next != kNoMember) members_[next].before = at;
    // The journal does not say which port asked for a proxied member.
    const bool is_own = joiner.requester == kNoRequester && !joiner.is_proxied;
    Charge(member, is_own ? RequesterOf(member.owner) : joiner.requester);
    ++row.members;
    EMBER_ASSERT(row.members <= by_port_.size() + 1);
    by_port_.Insert(HashOf(group, joiner.port_guid), at);
    Mark(row.mlid);
    return at;
}

Result<MemberIndex> Groups::Join(GroupIndex group, const Member& joiner, std::uint64_t now_us) {
    EMBER_ASSERT((joiner.join_state & ~join_state::kAll) == 0);
    EMBER_ASSERT(IsLive(group));
    EMBER_ASSERT(joiner.join_state != 0);
    EMBER_ASSERT(joiner.port_guid != kNoGuid);
    Group& row = groups_[group];
    MemberIndex at = FindMember(group, joiner.port_guid);
    if (at == kNoMember) at = AddMember(group, joiner);
    if (at == kNoMember) return Status::kFull;
    Member& member = members_[at];
    const bool was_full = (member.join_state & join_state::kKeepsAlive) != 0;
    const bool is_same = (member.join_state | joiner.join_state) == member.join_state &&
                         member.is_proxied == joiner.is_proxied;
    member.join_state |= joiner.join_state;
    member.is_proxied = joiner.is_proxied;
    if (joiner.requester != kNoRequester) Charge(member, joiner.requester);
    const bool is_full = (member.join_state & join_state::kKeepsAlive) != 0;
    if (is_full && !was_full && row.full_members++ == 0) {
        WriteTrap(TrapNumber::kMulticastCreated, row, now_us);
    }
    EMBER_ASSERT(row.full_members <= row.members);
    if (!is_same) EmitMember(SaEntryKind::kMember, member);
    return at;
}

std::uint8_t Groups::Leave(MemberIndex at, std::uint8_t state, std::uint64_t now_us) {
    EMBER_ASSERT(IsLive(at));
    Member& member = members_[at];
    const GroupIndex group = member.group;
    const bool was_full = (member.join_state & join_state::kKeepsAlive) != 0;
    member.join_state &= static_cast<std::uint8_t>(~state);
    const std::uint8_t left = member.join_state;
    const bool is_full = (left & join_state::kKeepsAlive) != 0;
    if (left == 0) {
        RemoveMember(at);
    } else {
        EmitMember(SaEntryKind::kMember, member);
    }
    if (!was_full || is_full) return left;
    EMBER_ASSERT(groups_[group].full_members != 0);
    if (--groups_[group].full_members == 0) EndGroup(group, now_us);
    return left;
}

/// Removes a group whose last full member has left, and its other members. A well-known group
/// stays, empty.
void Groups::EndGroup(GroupIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(IsLive(at));
    EMBER_ASSERT(groups_[at].full_members == 0);
    WriteTrap(TrapNumber::kMulticastDeleted, groups_[at], now_us);
    const bool stays = groups_[at].is_well_known;
    SaStateSink* const sink = sink_;
    if (!stays) sink_ = nullptr;  // The group's entry stands for all members.
    while (groups_[at].first != kNoMember) {
        RemoveMember(groups_[at].first);
    }
    sink_ = sink;
    if (!stays) RemoveGroup(at);
}

void Groups::Withdraw(GroupIndex at) {
    EMBER_ASSERT(IsLive(at));
    RemoveGroup(at);
}

void Groups::RemoveMember(MemberIndex at) {
    EMBER_ASSERT(IsLive(at));
    const Member gone = members_[at];
    Group& group = groups_[gone.group];
    EmitMember(SaEntryKind::kMemberGone, gone);
    by_port_.Remove(HashOf(gone.group, gone.port_guid), at, [this](MemberIndex other) {
        return HashOf(members_[other].group, members_[other].port_guid);
    });
    if (gone.before != kNoMember) {
        members_[gone.before].next = gone.next;
    } else {
        group.first = gone.next;
    }
    if (gone.next != kNoMember) members_[gone.next].before = gone.before;
    EMBER_ASSERT(group.members != 0);
    --group.members;
    counts_.Remove(gone.requester);
    Mark(group.mlid);
    members_[at] = Member{.next = free_member_};
    free_member_ = at;
}

void Groups::RemoveGroup(GroupIndex at) {
    EMBER_ASSERT(IsLive(at));
    EMBER_ASSERT(groups_[at].full_members == 0);
    const Group gone = groups_[at];
    EMBER_ASSERT(gone.members == 0);
    EMBER_ASSERT(gone.first == kNoMember);
    EmitEntry(sink_, SaEntryKind::kGroupGone, MgidEntry{gone.mgid});
    by_mgid_.Remove(HashOf(gone.mgid), at,
                    [this](GroupIndex other) { return HashOf(groups_[other].mgid); });
    MlidRow& row = mlids_[gone.mlid];
    if (gone.before != kNoGroup) {
        groups_[gone.before].next = gone.next;
    } else {
        row.first = gone.next;
    }
    if (gone.next != kNoGroup) groups_[gone.next].before = gone.before;
    EMBER_ASSERT(row.groups != 0);
    if (--row.groups == 0) --mlids_in_use_;
    Mark(gone.mlid);
    groups_[at] = Group{};
    groups_[at].next = free_group_;
    free_group_ = at;
}

void Groups::WriteTrap(TrapNumber trap, const Group& group, std::uint64_t now_us) {
    events_.Write({.trap = trap, .p_key = group.values.p_key, .gid = group.mgid, .at_us = now_us});
}

void Groups::EmitGroup(GroupIndex at) {
    if (sink_ != nullptr) EmitEntry(sink_, SaEntryKind::kGroup, EntryOf(groups_[at]));
}

void Groups::EmitMember(SaEntryKind kind, const Member& member) {
    if (sink_ != nullptr) EmitEntry(sink_, kind, EntryOf(groups_[member.group].mgid, member));
}

}  // namespace ember
