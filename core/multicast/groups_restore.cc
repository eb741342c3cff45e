// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast groups as entries of the journal, and their restoring after a restart.

#include "core/base/assert.h"
#include "core/multicast/groups.h"

namespace ember {
namespace {

[[nodiscard]] bool KeepsAlive(std::uint8_t state) {
    return (state & join_state::kKeepsAlive) != 0;
}

}  // namespace

GroupEntry EntryOf(const Group& group) {
    EMBER_ASSERT(group.mlid != kNoMlid);
    return {.mgid = group.mgid,
            .mlid = LidOf(group.mlid),
            .q_key = group.values.q_key,
            .p_key = group.values.p_key,
            .flow_label = group.values.flow_label,
            .mtu = group.values.mtu,
            .rate = group.values.rate,
            .packet_life_time = group.values.packet_life_time,
            .sl = group.values.sl,
            .t_class = group.values.t_class,
            .hop_limit = group.values.hop_limit,
            .scope = group.values.scope,
            .is_well_known = static_cast<std::uint8_t>(group.is_well_known ? 1 : 0)};
}

MemberEntry EntryOf(const Gid& mgid, const Member& member) {
    EMBER_ASSERT(member.port_guid != kNoGuid);
    return {.mgid = mgid,
            .port_guid = member.port_guid,
            .owner = member.owner,
            .join_state = member.join_state,
            .is_proxied = static_cast<std::uint8_t>(member.is_proxied ? 1 : 0)};
}

Result<bool> Groups::Restore(const Group& like) {
    const GroupIndex known = Find(like.mgid);
    if (known != kNoGroup) {
        groups_[known].values = like.values;
        return groups_[known].mlid == like.mlid;
    }
    const bool is_in_table = like.mlid != kNoMlid && Raw(like.mlid) < mlids_.size();
    const GroupIndex other = is_in_table ? mlids_[like.mlid].first : kNoGroup;
    const bool may_keep =
        is_in_table && (other == kNoGroup || groups_[other].values.p_key == like.values.p_key);
    const MlidIndex mlid = may_keep ? like.mlid : ChooseMlid(like.mgid, like.values, Place{});
    const Result<GroupIndex> made = Insert(like.mgid, like.values, mlid);
    if (!made.ok()) return made.status();
    return may_keep;
}

Status Groups::RestoreMember(GroupIndex group, const Member& like) {
    EMBER_ASSERT(IsLive(group));
    EMBER_ASSERT(like.join_state != 0);
    EMBER_ASSERT(like.port_guid != kNoGuid);
    MemberIndex at = FindMember(group, like.port_guid);
    if (at == kNoMember) at = AddMember(group, like);
    if (at == kNoMember) return Status::kFull;
    Member& member = members_[at];
    Group& row = groups_[group];
    EMBER_ASSERT(!KeepsAlive(member.join_state) || row.full_members != 0);
    if (KeepsAlive(member.join_state)) --row.full_members;
    if (KeepsAlive(like.join_state)) ++row.full_members;
    EMBER_ASSERT(row.full_members <= row.members);
    member.join_state = like.join_state;
    member.is_proxied = like.is_proxied;
    return Status::kOk;
}

void Groups::ForgetMember(MemberIndex at) {
    EMBER_ASSERT(groups_[members_[at].group].full_members <= groups_[members_[at].group].members);
    EMBER_ASSERT(IsLive(at));
    if (KeepsAlive(members_[at].join_state)) --groups_[members_[at].group].full_members;
    RemoveMember(at);
}

void Groups::ForgetGroup(GroupIndex at) {
    EMBER_ASSERT(IsLive(at));
    while (groups_[at].first != kNoMember) {  // Ends: one goes each time.
        ForgetMember(groups_[at].first);
    }
    RemoveGroup(at);
}

std::size_t Groups::ForgetDeserted() {
    std::size_t gone = 0;
    for (std::size_t i = 0; i < group_bound_; ++i) {
        const auto at = static_cast<GroupIndex>(i);
        const bool is_kept = !IsLive(at) || groups_[at].is_well_known;
        if (is_kept || groups_[at].full_members != 0) continue;
        ForgetGroup(at);
        ++gone;
    }
    return gone;
}

}  // namespace ember
