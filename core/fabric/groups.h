// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast groups and who is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

/// Rows of the tables of groups, members and multicast LIDs (0 is LID 0xC000).
enum class GroupIndex : std::uint16_t {};
enum class MemberIndex : std::uint32_t {};
enum class MlidIndex : std::uint16_t {};
inline constexpr GroupIndex kNoGroup{0xFFFF};
inline constexpr MemberIndex kNoMember{0xFFFFFFFF};
inline constexpr MlidIndex kNoMlid{0xFFFF};

inline constexpr Lid kFirstMulticastLid{0xC000};
inline constexpr Lid kTopMulticastLid{0xFFFE};

[[nodiscard]] constexpr Lid LidOf(MlidIndex at) {
    return static_cast<Lid>(Raw(kFirstMulticastLid) + Raw(at));
}
/// kNoMlid for what is no multicast LID.
[[nodiscard]] constexpr MlidIndex MlidOf(Lid lid) {
    const bool is_one = lid >= kFirstMulticastLid && lid <= kTopMulticastLid;
    return is_one ? static_cast<MlidIndex>(Raw(lid) - Raw(kFirstMulticastLid)) : kNoMlid;
}

/// What a port is in a group. IBA vol. 1, 15.2.5.17.
namespace join_state {
inline constexpr std::uint8_t kFull = 1;          ///< Sends and receives.
inline constexpr std::uint8_t kNon = 2;           ///< Likewise, but does not keep the group alive.
inline constexpr std::uint8_t kSendOnlyNon = 4;   ///< Sends only.
inline constexpr std::uint8_t kSendOnlyFull = 8;  ///< Sends only, and keeps the group alive.
inline constexpr std::uint8_t kAll = 15;
inline constexpr std::uint8_t kKeepsAlive = kFull | kSendOnlyFull;
}  // namespace join_state

/// What all members of a group share.
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

struct Group {
    Gid mgid;
    GroupValues values;
    MlidIndex mlid = kNoMlid;        ///< kNoMlid: the row is free.
    bool is_well_known = false;      ///< It stays when its last full member has gone.
    std::uint32_t members = 0;       ///< Ports.
    std::uint32_t full_members = 0;  ///< Of these, those that keep it alive.
    MemberIndex first = kNoMember;   ///< Its members, chained; whose payer pays for the group too.
    GroupIndex before = kNoGroup;    ///< In the chain of its MLID.
    GroupIndex next = kNoGroup;      ///< Likewise, or among the free rows.
};

/// A port in a group. The prefix of its GID is the subnet's.
struct Member {
    Guid port_guid = kNoGuid;  ///< The port's, or an alias of it; kNoGuid: the row is free.
    Guid owner = kNoGuid;      ///< The port's own; kNoGuid in a Join(): the same.
    GroupIndex group = kNoGroup;
    std::uint8_t join_state = 0;  ///< Bits of join_state; never 0.
    bool is_proxied = false;      ///< Another port asked for it.
    Payer payer = kNoPayer;       ///< Who asked; kNoPayer in a Join(): the owner.
    MemberIndex before = kNoMember;
    MemberIndex next = kNoMember;  ///< In its group, or among the free rows.
};

static_assert(sizeof(Member) == 32);

/// Multicast groups, their members, and which groups share a multicast LID: three tables of fixed
/// size, indexed by MGID, by port and group, and by MLID.
///
/// Subnet administration changes them, the trees are computed from them. Every change that a tree
/// depends on (a port's first join, its last leave, a group that moves in or out) marks the MLID;
/// whoever computes trees takes the marks. Whether a request is allowed is not decided here.
///
/// A MLID is *held* while switches still forward what another subnet manager gave it to: its
/// members are not known here, but its packets shall go on. See core/multicast_upkeep.h.
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
    /// How Create() may find a MLID.
    struct Place {
        MlidIndex wanted = kNoMlid;  ///< Taken if no group has it, though it be held.
        bool may_share_snm = false;  ///< consolidate_ipv6_snm_req.
        Payer payer = kNoPayer;      ///< Who has an eighth of the MLIDs, when short, gets no more.
    };

    Groups(const Memory& memory, const Limits& limits, SubnetEvents& events);
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;

    /// Who hears of every change but Clear() and what restores; nullptr: nobody.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    /// Indexes are drawn with this one; see RowIndex. To be called while nothing is in.
    void SetSecret(std::uint64_t secret) {
        by_mgid_.SetSecret(secret);
        by_port_.SetSecret(secret);
    }
    /// Forgets everything; nobody is told. All MLIDs are marked that were in use.
    void Clear();
    /// MLIDs that may be given out from now on: what most switches have room for. Groups
    /// above stay.
    void SetMlidCount(std::size_t count);
    [[nodiscard]] std::size_t mlid_count() const { return mlid_count_; }

    [[nodiscard]] const Group& group(GroupIndex at) const { return groups_[at]; }
    [[nodiscard]] const Member& member(MemberIndex at) const { return members_[at]; }
    [[nodiscard]] const MlidRow& mlid(MlidIndex at) const { return mlids_[at]; }
    [[nodiscard]] bool IsLive(GroupIndex at) const { return groups_[at].mlid != kNoMlid; }
    [[nodiscard]] bool IsLive(MemberIndex at) const { return members_[at].group != kNoGroup; }
    /// One above the highest row ever used: the bound of loops over the tables.
    [[nodiscard]] std::size_t group_bound() const { return group_bound_; }
    [[nodiscard]] std::size_t member_bound() const { return member_bound_; }
    [[nodiscard]] std::size_t mlid_bound() const { return mlids_.size(); }
    [[nodiscard]] std::size_t group_count() const { return by_mgid_.size(); }
    [[nodiscard]] std::size_t member_count() const { return by_port_.size(); }
    [[nodiscard]] std::size_t mlids_in_use() const { return mlids_in_use_; }

    [[nodiscard]] GroupIndex Find(const Gid& mgid) const;
    [[nodiscard]] MemberIndex FindMember(GroupIndex group, Guid port_guid) const;

    /// A new group without members. Its MLID is the one wanted, if that is free; one that
    /// `may_share_snm` lets it share; the lowest that is free and not held; when there is none, the
    /// one with the fewest groups among those whose groups all have the same values; and at last
    /// one that is held. kFull: no row or no MLID. Asserts that there is no such group yet.
    Result<GroupIndex> Create(const Gid& mgid, const GroupValues& values, const Place& place);
    /// It stays though nobody is in it, and has these values whatever it was made with.
    void SetWellKnown(GroupIndex at, const GroupValues& values);
    /// Adds `state`, which is not 0, to what the port is in the group. kFull: no row for a new
    /// member. The first one that keeps the group alive is an event.
    Result<MemberIndex> Join(GroupIndex group, const Member& who, std::uint64_t now_us);
    /// Takes `state` from what the port is in the group; with nothing left it is no member any
    /// more. With the last full member all others go, which is an event, and so does the group
    /// unless it is well known.
    /// Returns what is left.
    std::uint8_t Leave(MemberIndex at, std::uint8_t state, std::uint64_t now_us);
    /// Rows for groups are not short, or `payer` has less than its share of them (shares.h). It
    /// pays for the groups whose first member it pays for.
    [[nodiscard]] bool MayMakeGroup(Payer payer) const;
    /// Likewise of rows for members.
    [[nodiscard]] bool MayAddMember(Payer payer) const;
    /// A group in which nobody is after all ends without a word: its creator could not join.
    void Withdraw(GroupIndex at);

    // groups_restore.cc: as it was before a restart. No events, and nobody hears of it.
    /// A group with the MLID and values of `like`, of which nothing else counts; the same group
    /// with these values if it is there. Another MLID is chosen when that one is beyond the table
    /// or its groups are of another partition: the result says so. kFull: no row or no MLID.
    Result<bool> Restore(const Group& like);
    /// A member of a group that is there, with exactly this state. kFull: no row.
    Status RestoreMember(GroupIndex group, const Member& who);
    /// A member that is there no more. Its group stays.
    void ForgetMember(MemberIndex at);
    /// A group that is there no more, and its members.
    void ForgetGroup(GroupIndex at);
    /// Ends the groups that nobody keeps alive; how many. With the next one that joins, a group is
    /// made anew. A pass over all.
    std::size_t ForgetDeserted();

    /// Takes the members of whose owners `is_gone(Guid)` says so out of their groups; how many. A
    /// pass over all.
    template <typename IsGone>
    std::size_t Drop(IsGone is_gone, std::uint64_t now_us) {
        std::size_t gone = 0;
        for (std::size_t i = 0; i < member_bound_; ++i) {
            const auto at = static_cast<MemberIndex>(i);
            if (!IsLive(at) || !is_gone(members_[at].owner)) continue;
            static_cast<void>(Leave(at, join_state::kAll, now_us));
            ++gone;
        }
        return gone;
    }

    /// What switches forward for this MLID stays, whoever is in its groups.
    void Hold(MlidIndex at);
    /// Nothing is held any more: what was is marked. How many of them no group has.
    std::size_t EndHold();
    [[nodiscard]] bool IsHeld(MlidIndex at) const { return mlids_[at].is_held; }
    [[nodiscard]] std::size_t held_count() const { return held_; }
    /// Packets of this MLID are to be forwarded.
    [[nodiscard]] bool IsInUse(MlidIndex at) const {
        return mlids_[at].groups != 0 || mlids_[at].is_held;
    }

    /// Marks every MLID in use: the subnet has changed.
    void MarkAll();
    void Mark(MlidIndex at) {
        changed_.Add(Raw(at));
        ++marks_;
    }
    /// Marks set since start.
    [[nodiscard]] std::uint64_t marks() const { return marks_; }
    /// The first marked MLID from `from` on; it is marked no more. kNoMlid: there is none.
    [[nodiscard]] MlidIndex TakeMarked(MlidIndex from);
    [[nodiscard]] bool has_marked() const;

private:
    [[nodiscard]] std::uint64_t HashOf(const Gid& mgid) const;
    [[nodiscard]] std::uint64_t HashOf(GroupIndex group, Guid port_guid) const;
    [[nodiscard]] MlidIndex ChooseMlid(const Gid& mgid,
                                       const GroupValues& values,
                                       const Place& place) const;
    [[nodiscard]] MlidIndex FindFree(bool may_be_held) const;
    [[nodiscard]] MlidIndex FindShareable(const GroupValues& values) const;
    [[nodiscard]] bool MayTakeMlid(Payer payer) const;
    [[nodiscard]] bool PaysForFewer(Payer payer, std::size_t share) const;
    void Charge(Member& member, Payer payer);
    [[nodiscard]] MlidIndex FindSolicitedNode(const Gid& mgid) const;
    Result<GroupIndex> Insert(const Gid& mgid, const GroupValues& values, MlidIndex mlid);
    [[nodiscard]] MemberIndex AddMember(GroupIndex group, const Member& who);
    void TellGroup(GroupIndex at);
    void TellMember(SaEntryKind kind, const Member& member);
    void EndGroup(GroupIndex at, std::uint64_t now_us);
    void RemoveMember(MemberIndex at);
    void RemoveGroup(GroupIndex at);
    void Tell(TrapNumber trap, const Group& group, std::uint64_t now_us);

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
    PayerCounts paid_;  ///< Members, by who pays.
};

/// As it is written down.
[[nodiscard]] GroupEntry EntryOf(const Group& group);
[[nodiscard]] MemberEntry EntryOf(const Gid& mgid, const Member& member);

/// Solicited-node groups of IPv6 over InfiniBand: MGIDs that differ in their last three octets.
[[nodiscard]] constexpr bool IsSolicitedNode(const Gid& mgid) {
    // ff1<s>:601b:<P_Key>::1:ff<xx>:<xxxx>: scope and partition, then RFC 4291, 2.7.1.
    return (mgid.high & 0xFFF0FFFF0000FFFFULL) == 0xFF10601B00000000ULL &&
           (mgid.low & 0xFFFFFFFFFF000000ULL) == 0x00000001FF000000ULL;
}

}  // namespace ember
