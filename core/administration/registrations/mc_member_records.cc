// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast groups and their members: asking. Joining and leaving are in
// mc_member_changes.cc.

#include "core/administration/registrations/mc_member_records.h"

#include "core/administration/query/matching.h"
#include "core/administration/registrations/mc_member_values.h"

namespace ember {
namespace {

using Record = McMemberRecord;

/// Everything that is asked for must be as the group has it. IBA vol. 1, 15.4.4.
bool IsAskedFor(const Query& query, const Record& wanted, const Group& group) {
    const auto differs = [&](unsigned component, bool is_equal) {
        return query.Has(component) && !is_equal;
    };
    const GroupValues& values = group.values;
    if (differs(Record::kHasMgid, wanted.mgid() == group.mgid)) return false;
    if (differs(Record::kHasMlid, wanted.Get(Record::kMlid) == LidOf(group.mlid))) return false;
    if (differs(Record::kHasScope, wanted.Get(Record::kScope) == values.scope)) return false;
    const auto time_selector = wanted.Get(Record::kPacketLifeTimeSelector);
    const auto time = wanted.Get(Record::kPacketLifeTime);
    if (differs(Record::kHasPacketLifeTimeSelector,
                Meets(time_selector, values.packet_life_time, time))) {
        return false;
    }
    return AgreesWith(query, wanted, values);
}

}  // namespace

Found McMemberRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                            std::span<std::uint8_t> record) {
    return query.is_trusted && !query.Has(Record::kHasPortGid)
               ? NextMember(query, cursor, budget, record)
               : NextGroup(query, cursor, budget, record);
}

bool McMemberRecords::BelongsTo(PortIndex port, std::uint16_t p_key) const {
    return view_.partitions.Holds(port, p_key);
}

/// Whether the group is told, and how.
bool McMemberRecords::ShowsGroup(const Query& query, const Record& wanted, GroupIndex at,
                                 Record& shown) const {
    EMBER_ASSERT(groups_.IsLive(at));
    const Group& group = groups_.group(at);
    if (!BelongsTo(query.requester, group.values.p_key)) return false;
    if (!IsAskedFor(query, wanted, group)) return false;
    shown = RecordOf(group);
    if (!query.Has(Record::kHasPortGid)) return true;
    const Guid port_guid = wanted.Get(Record::kPortGidGuid);
    const MemberIndex found = groups_.FindMember(at, port_guid);
    if (found == kNoMember) return false;
    const Member& member = groups_.member(found);
    const bool is_alike = member.join_state == wanted.Get(Record::kJoinState);
    if (query.Has(Record::kHasJoinState) && !is_alike) return false;
    if (query.is_trusted) ShowMember(member, view_.settings.subnet_prefix, shown);
    return true;
}

Found McMemberRecords::NextGroup(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                 std::span<std::uint8_t> record) const {
    const auto wanted = Asked<Record>(query);
    Record shown;
    if (query.Has(Record::kHasMgid)) {  // At most one group, and the index knows it.
        if (cursor.row != 0) return Found::kEnd;
        cursor.row = 1;
        const GroupIndex at = groups_.Find(wanted.mgid());
        if (at == kNoGroup || !ShowsGroup(query, wanted, at, shown)) return Found::kEnd;
        Deliver(shown, record);
        return Found::kRecord;
    }
    while (cursor.row < groups_.group_bound()) {
        if (budget == 0) return Found::kLater;
        --budget;
        const auto at = static_cast<GroupIndex>(cursor.row++);
        if (!groups_.IsLive(at) || !ShowsGroup(query, wanted, at, shown)) continue;
        Deliver(shown, record);
        return Found::kRecord;
    }
    return Found::kEnd;
}

Found McMemberRecords::NextMember(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                  std::span<std::uint8_t> record) const {
    const auto wanted = Asked<Record>(query);
    while (cursor.row < groups_.member_bound()) {
        if (budget == 0) return Found::kLater;
        --budget;
        const auto at = static_cast<MemberIndex>(cursor.row++);
        if (!groups_.IsLive(at)) continue;
        const Member& member = groups_.member(at);
        const bool is_alike = member.join_state == wanted.Get(Record::kJoinState);
        if (query.Has(Record::kHasJoinState) && !is_alike) continue;
        Record shown;
        if (!ShowsGroup(query, wanted, member.group, shown)) continue;
        ShowMember(member, view_.settings.subnet_prefix, shown);
        Deliver(shown, record);
        return Found::kRecord;
    }
    return Found::kEnd;
}

}  // namespace ember
