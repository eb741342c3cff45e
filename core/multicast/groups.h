// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast groups and their members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/base/gid.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/row_index.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/fabric/events.h"
#include "core/fabric/sa_state.h"
#include "core/fabric/shares.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// Rows of the tables of groups, members and multicast LIDs (MLIDs; row 0 is LID 0xC000).
enum class GroupIndex : std::uint16_t {};
enum class MemberIndex : std::uint32_t {};
enum class MlidIndex : std::uint16_t {};
inline constexpr GroupIndex kNoGroup{0xFFFF};
inline constexpr MemberIndex kNoMember{0xFFFFFFFF};
inline constexpr MlidIndex kNoMlid{0xFFFF};

inline constexpr Lid kFirstMulticastLid{0xC000};
inline constexpr Lid kTopMulticastLid{0xFFFE};

/// The LID of a row.
[[nodiscard]] constexpr Lid LidOf(MlidIndex at) {
    EMBER_ASSERT(Raw(at) <= Raw(kTopMulticastLid) - Raw(kFirstMulticastLid));
    return static_cast<Lid>(Raw(kFirstMulticastLid) + Raw(at));
}
/// The row of a LID; kNoMlid when it is no multicast LID.
[[nodiscard]] constexpr MlidIndex MlidOf(Lid lid) {
    const bool is_one = lid >= kFirstMulticastLid && lid <= kTopMulticastLid;
    return is_one ? static_cast<MlidIndex>(Raw(lid) - Raw(kFirstMulticastLid)) : kNoMlid;
}

/// The bits of JoinState. IBA vol. 1, 15.2.5.17.
namespace join_state {
inline constexpr std::uint8_t kFull = 1;          ///< Sends and receives.
inline constexpr std::uint8_t kNon = 2;           ///< Likewise, but does not keep the group alive.
inline constexpr std::uint8_t kSendOnlyNon = 4;   ///< Sends only.
inline constexpr std::uint8_t kSendOnlyFull = 8;  ///< Sends only, and keeps the group alive.
inline constexpr std::uint8_t kAll = 15;
inline constexpr std::uint8_t kKeepsAlive = kFull | kSendOnlyFull;
}  // namespace join_state

/// The values that all members of a group share.
struct GroupValues {
    std::uint32_t q_key = 0;
    std::uint16_t p_key = 0;
    Mtu mtu{};
    Rate rate{};
    std::uint8_t packet_life_time = 0;
    std::uint8_t sl = 0;
    std::uint8_t t_class = 0;
    std::uint8_t hop_limit = 0;
    std::uint8_t scope = 0;
    std::uint32_t flow_label = 0;
    [[nodiscard]] constexpr bool operator==(const GroupValues&) const = default;
};

/// A multicast group: a row of the table of groups.
struct Group {
    Gid mgid;
    GroupValues values;
    MlidIndex mlid = kNoMlid;        ///< kNoMlid: the row is free.
    bool is_well_known = false;      ///< The group exists also without full members.
    std::uint32_t members = 0;       ///< Ports.
    std::uint32_t full_members = 0;  ///< Of these, those that keep it alive.
    MemberIndex first = kNoMember;   ///< Its members, chained. The first one pays for the group.
    GroupIndex before = kNoGroup;    ///< In the chain of its MLID.
    GroupIndex next = kNoGroup;      ///< Likewise, or among the free rows.
};

/// A port in a group. The prefix of its GID is that of the subnet.
struct Member {
    Guid port_guid = kNoGuid;  ///< The PortGUID or an alias of it; kNoGuid: the row is free.
    Guid owner = kNoGuid;      ///< The PortGUID; kNoGuid in a Join(): the same as port_guid.
    GroupIndex group = kNoGroup;
    std::uint8_t join_state = 0;  ///< Bits of join_state; never 0.
    bool is_proxied = false;      ///< Another port asked for it.
    Requester requester =
        kNoRequester;  ///< The port that asked; kNoRequester in a Join(): the owner.
    MemberIndex before = kNoMember;
    MemberIndex next = kNoMember;  ///< In its group, or among the free rows.
};

static_assert(sizeof(Member) == 32);

/// Multicast groups, their members, and the groups of each MLID: three tables of fixed size,
/// indexed by MGID, by port and group, and by MLID.
///
/// Subnet administration changes the tables; the trees are computed from them. Every change that a
/// tree depends on (a port's first join, its last leave, a group that gets or loses a MLID) marks
/// the MLID, and MulticastUpkeep takes the marks. Subnet administration decides whether a request
/// is allowed.
///
/// A MLID is *held* while switches still forward its packets for groups that another subnet manager
/// made: their members are not known here, and their packets shall still arrive. See
/// MulticastUpkeep.
class Groups {
public:
    struct MlidRow {
        GroupIndex first = kNoGroup;  ///< The groups that use it, chained.
        std::uint16_t groups = 0;
        bool is_held = false;
    };
    struct Memory {
        std::span<Group> groups;
        std::span<Member> members;
        std::span<MlidRow> mlids;
        std::span<GroupIndex> group_slots;
        std::span<MemberIndex> member_slots;
        std::span<std::uint64_t> changed_words;
    };
    /// The wishes by which Create() chooses a MLID.
    struct Place {
        MlidIndex wanted = kNoMlid;  ///< Taken if no group has it, even when it is held.
        bool may_share_snm = false;  ///< consolidate_ipv6_snm_req.
        Requester requester =
            kNoRequester;  ///< Gets at most an eighth of the MLIDs when they are short.
    };

    Groups(const Memory& memory, const Limits& limits, SubnetEvents& events);
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;

    /// Tells `sink` of every change except Clear() and the functions that restore; nullptr: no
    /// sink.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    /// The secret of the indexes; see RowIndex. Asserts that the tables are empty.
    void SetSecret(std::uint64_t secret) {
        by_mgid_.SetSecret(secret);
        by_port_.SetSecret(secret);
    }
    /// Removes all groups without telling the sink, and marks the MLIDs that were in use.
    void Clear();
    /// Sets how many MLIDs may be assigned from now on: as many as most switches have room for.
    /// Groups with a higher MLID keep it.
    void SetMlidCount(std::size_t count);
    [[nodiscard]] std::size_t mlid_count() const { return mlid_count_; }

    [[nodiscard]] const Group& group(GroupIndex at) const { return groups_[at]; }
    [[nodiscard]] const Member& member(MemberIndex at) const { return members_[at]; }
    [[nodiscard]] const MlidRow& mlid(MlidIndex at) const { return mlids_[at]; }
    [[nodiscard]] bool IsLive(GroupIndex at) const { return groups_[at].mlid != kNoMlid; }
    [[nodiscard]] bool IsLive(MemberIndex at) const { return members_[at].group != kNoGroup; }
    /// The bound of loops over the tables: one above the highest row ever used.
    [[nodiscard]] std::size_t group_bound() const { return group_bound_; }
    [[nodiscard]] std::size_t member_bound() const { return member_bound_; }
    [[nodiscard]] std::size_t mlid_bound() const { return mlids_.size(); }
    [[nodiscard]] std::size_t group_count() const { return by_mgid_.size(); }
    [[nodiscard]] std::size_t member_count() const { return by_port_.size(); }
    [[nodiscard]] std::size_t mlids_in_use() const { return mlids_in_use_; }

    /// The group of an MGID, or kNoGroup.
    [[nodiscard]] GroupIndex Find(const Gid& mgid) const;
    /// The member of a group by its port_guid, or kNoMember.
    [[nodiscard]] MemberIndex FindMember(GroupIndex group, Guid port_guid) const;

    /// Creates a group without members. Its MLID is the first of these that exists: the wanted one,
    /// if no group has it; one that `may_share_snm` lets it share; the lowest that is free and not
    /// held; the one with the fewest groups among those whose groups all have the same values; one
    /// that is held. kFull: no row or no MLID. Asserts that the MGID has no group yet.
    Result<GroupIndex> Create(const Gid& mgid, const GroupValues& values, const Place& place);
    /// Makes a group well known, with these values: it exists also without members.
    void SetWellKnown(GroupIndex at, const GroupValues& values);
    /// The group exists no longer than its full members; without any it goes. No event: none has
    /// told of it.
    void EndWellKnown(GroupIndex at);
    /// Adds the bits `joiner.join_state`, which is not 0, to the JoinState of the port in the
    /// group. kFull: no row for a new member. The join of the first member that keeps the group
    /// alive is an event.
    Result<MemberIndex> Join(GroupIndex group, const Member& joiner, std::uint64_t now_us);
    /// Removes the bits `state` from the JoinState of a member and returns the rest; with 0 left
    /// the port is no member any more. After the last full member all other members are removed
    /// too, and the group unless it is well known; that is an event.
    std::uint8_t Leave(MemberIndex at, std::uint8_t state, std::uint64_t now_us);
    /// True when rows for groups are not short, or `requester` has less than its share of them
    /// (shares.h). A requester pays for the groups whose first member it pays for.
    [[nodiscard]] bool MayMakeGroup(Requester requester) const;
    /// Likewise for rows for members.
    [[nodiscard]] bool MayAddMember(Requester requester) const;
    /// Removes a new group whose creator could not join. No event.
    void Withdraw(GroupIndex at);

    // groups_restore.cc: the tables as before a restart. No events, and the sink is not told.
    /// Restores a group with the MGID, MLID and values of `like`; a group that exists already gets
    /// these values. True: it has that MLID. False: another one was chosen, because that one is
    /// beyond the table or its groups are of another partition. kFull: no row or no MLID.
    Result<bool> Restore(const Group& like);
    /// Restores a member of a group that exists, with exactly this JoinState. kFull: no row.
    Status RestoreMember(GroupIndex group, const Member& like);
    /// Removes a member. Its group stays.
    void ForgetMember(MemberIndex at);
    /// Removes a group and its members.
    void ForgetGroup(GroupIndex at);
    /// Removes the groups without a member that keeps them alive, and returns their number. The
    /// next join creates such a group anew. A pass over all groups.
    std::size_t ForgetDeserted();

    /// Removes the members for which `is_gone(const Member&)` is true from their groups, and
    /// returns their number. A pass over all members.
    template <typename IsGone>
    std::size_t Drop(IsGone is_gone, std::uint64_t now_us) {
        std::size_t gone = 0;
        for (std::size_t i = 0; i < member_bound_; ++i) {
            const auto at = static_cast<MemberIndex>(i);
            if (!IsLive(at) || !is_gone(members_[at])) continue;
            static_cast<void>(Leave(at, join_state::kAll, now_us));
            ++gone;
        }
        return gone;
    }

    // groups_marks.cc: MLIDs that are held, and those whose trees are to be made anew.
    /// Holds a MLID: its entries in the switches stay, whatever members its groups have.
    void Hold(MlidIndex at);
    /// Ends the hold of all MLIDs and marks them. Returns how many of them no group has.
    std::size_t EndHold();
    [[nodiscard]] bool IsHeld(MlidIndex at) const { return mlids_[at].is_held; }
    [[nodiscard]] std::size_t held_count() const { return held_; }
    /// True when switches forward packets of this MLID: a group has it, or it is held.
    [[nodiscard]] bool IsInUse(MlidIndex at) const {
        return mlids_[at].groups != 0 || mlids_[at].is_held;
    }

    /// Marks every MLID in use, because the subnet has changed.
    void MarkAll();
    void Mark(MlidIndex at) {
        changed_.Add(Raw(at));
        ++marks_;
    }
    /// The number of marks set since the start.
    [[nodiscard]] std::uint64_t marks() const { return marks_; }
    /// Removes and returns the first marked MLID from `from` on; kNoMlid: none is marked.
    [[nodiscard]] MlidIndex TakeMarked(MlidIndex from);
    [[nodiscard]] bool has_marked() const;

private:
    [[nodiscard]] std::uint64_t HashOf(const Gid& mgid) const;
    [[nodiscard]] std::uint64_t HashOf(GroupIndex group, Guid port_guid) const;
    [[nodiscard]] MlidIndex ChooseMlid(const Gid& mgid, const GroupValues& values,
                                       const Place& place) const;
    [[nodiscard]] MlidIndex FindFree(bool may_be_held) const;
    [[nodiscard]] MlidIndex FindShareable(const GroupValues& values) const;
    [[nodiscard]] bool MayTakeMlid(Requester requester) const;
    [[nodiscard]] bool HasFewerGroups(Requester requester, std::size_t share) const;
    void Charge(Member& member, Requester requester);
    [[nodiscard]] MlidIndex FindSolicitedNode(const Gid& mgid) const;
    Result<GroupIndex> Insert(const Gid& mgid, const GroupValues& values, MlidIndex mlid);
    [[nodiscard]] MemberIndex AddMember(GroupIndex group, const Member& joiner);
    void EmitGroup(GroupIndex at);
    void EmitMember(SaEntryKind kind, const Member& member);
    void EndGroup(GroupIndex at, std::uint64_t now_us);
    void RemoveMember(MemberIndex at);
    void RemoveGroup(GroupIndex at);
    void WriteTrap(TrapNumber trap, const Group& group, std::uint64_t now_us);

    Table<GroupIndex, Group> groups_;
    Table<MemberIndex, Member> members_;
    Table<MlidIndex, MlidRow> mlids_;
    RowIndex<GroupIndex> by_mgid_;
    RowIndex<MemberIndex> by_port_;
    BitSet changed_;
    SubnetEvents& events_;
    SaStateSink* sink_ = nullptr;
    GroupIndex free_group_ = kNoGroup;     ///< Rows given back.
    MemberIndex free_member_ = kNoMember;  ///< Likewise.
    std::size_t group_bound_ = 0;
    std::size_t member_bound_ = 0;
    std::size_t mlid_count_;
    std::size_t mlids_in_use_ = 0;
    std::size_t held_ = 0;
    std::uint64_t marks_ = 0;
    RequesterCounts counts_;  ///< Members by requester.
};

/// The entries of the journal for a group and a member.
[[nodiscard]] GroupEntry EntryOf(const Group& group);
[[nodiscard]] MemberEntry EntryOf(const Gid& mgid, const Member& member);

/// True for the MGID of a solicited-node group of IPv6 over InfiniBand. The MGIDs of a partition
/// and scope differ in their last three octets only.
[[nodiscard]] constexpr bool IsSolicitedNode(const Gid& mgid) {
    // ff1<s>:601b:<P_Key>::1:ff<xx>:<xxxx>: scope and partition, then RFC 4291, 2.7.1.
    return (mgid.high & 0xFFF0FFFF0000FFFFULL) == 0xFF10601B00000000ULL &&
           (mgid.low & 0xFFFFFFFFFF000000ULL) == 0x00000001FF000000ULL;
}

}  // namespace ember
