// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast groups: joining and leaving.

#include <algorithm>

#include "core/administration/query/authority.h"
#include "core/administration/query/matching.h"
#include "core/administration/registrations/mc_member_records.h"
#include "core/administration/registrations/mc_member_values.h"
#include "core/base/assert.h"
#include "core/base/mgid.h"
#include "core/multicast/own_groups.h"

namespace ember {
namespace {

using Record = McMemberRecord;

inline constexpr std::uint64_t kDefaultPrefix = 0xFE80000000000000ULL;

/// MTU and Rate of a new group. False: what is asked for cannot be.
bool ChooseReach(const Query& query, const Record& wanted, const PortReach& top,
                 GroupValues& values) {
    values.mtu = static_cast<Mtu>(top.mtu);
    values.rate = RateOfRank(top.rate_rank);
    if (query.Has(Record::kHasMtuSelector)) {
        const Mtu asked = wanted.Get(Record::kMtu);
        if (asked < Mtu::k256 || asked > Mtu::k4096) return false;
        if (query.Has(Record::kHasMtu)) {
            values.mtu = static_cast<Mtu>(Realize(wanted.Get(Record::kMtuSelector),
                                                  static_cast<std::uint8_t>(asked), top.mtu));
        }
    }
    if (query.Has(Record::kHasRateSelector)) {
        const Rate asked = wanted.Get(Record::kRate);
        if (!IsRate(asked)) return false;
        if (query.Has(Record::kHasRate)) {
            values.rate = RateOfRank(
                Realize(wanted.Get(Record::kRateSelector), RateRank(asked), top.rate_rank));
        }
    }
    EMBER_ASSERT(RateRank(values.rate) <= top.rate_rank);
    EMBER_ASSERT(static_cast<std::uint8_t>(values.mtu) <= top.mtu);
    return values.mtu != Mtu::kNone && values.rate != Rate::kNone;
}

}  // namespace

SaStatus McMemberRecords::Change(const Query& query, std::uint64_t now_us,
                                 std::span<std::uint8_t> record) {
    EMBER_ASSERT(query.method == Method::kSet || query.method == Method::kDelete);
    return query.method == Method::kSet ? Join(query, now_us, record)
                                        : Leave(query, now_us, record);
}

JoinRefusal McMemberRecords::Understand(const Query& query, Subject& subject) const {
    const bool is_whole = query.Has(Record::kHasMgid) && query.Has(Record::kHasPortGid) &&
                          query.Has(Record::kHasJoinState);
    if (!is_whole) return JoinRefusal::kTooLittle;
    subject.wanted = Asked<Record>(query);
    const std::uint64_t prefix = subject.wanted.Get(Record::kPortGidPrefix);
    if (prefix != view_.settings.subnet_prefix && prefix != kDefaultPrefix) {
        return JoinRefusal::kForeignPrefix;
    }
    subject.port_guid = subject.wanted.Get(Record::kPortGidGuid);
    subject.port = view_.fabric.FindPort(subject.port_guid);
    if (subject.port == kNoPortIndex) {
        subject.port = view_.fabric.FindPort(aliases_.PortOf(subject.port_guid));
    }
    subject.state = subject.wanted.Get(Record::kJoinState);
    return JoinRefusal::kNone;
}

/// A member that joined for itself is changed by that port only. A member that a proxy put there is
/// changed by the member itself, by that proxy, and by a requester that may act for the member.
JoinRefusal McMemberRecords::MayChange(const Query& query, const Member& member,
                                       const Group& group) const {
    const PortIndex owner = view_.fabric.FindPort(member.owner);
    const bool is_requester = member.is_proxied && member.requester == RequesterOf(view_, query);
    if (!is_requester && !MayActFor(view_, query, owner)) return JoinRefusal::kForAnother;
    if (!member.is_proxied) {
        return owner == query.requester ? JoinRefusal::kNone : JoinRefusal::kMemberOfAnother;
    }
    return BelongsTo(query.requester, group.values.p_key) ? JoinRefusal::kNone
                                                          : JoinRefusal::kLeftPartition;
}

SaStatus McMemberRecords::Join(const Query& query, std::uint64_t now_us,
                               std::span<std::uint8_t> record) {
    EMBER_ASSERT(record.size() >= sizeof(Record));
    Subject subject;
    const JoinVerdict verdict = JudgeJoin(query, subject);
    if (verdict.refusal != JoinRefusal::kNone) return StatusOf(verdict.refusal);
    GroupIndex at = verdict.group;
    const bool is_new = at == kNoGroup;
    if (is_new) {
        const Result<GroupIndex> created = Create(query, subject, verdict.values);
        if (!created.ok()) return SaStatus::kNoResources;
        at = created.value();
    }
    const Guid owner = view_.fabric.port(subject.port).guid;
    const Result<MemberIndex> joined =
        groups_.Join(at,
                     Member{.port_guid = subject.port_guid,
                            .owner = owner,
                            .group = at,
                            .join_state = subject.state,
                            .is_proxied = subject.port != query.requester,
                            .requester = RequesterOf(view_, query)},
                     now_us);
    if (!joined.ok()) {
        if (is_new) groups_.Withdraw(at);
        return SaStatus::kNoResources;
    }
    Record answer = RecordOf(groups_.group(at));
    ShowMember(groups_.member(joined.value()), view_.settings.subnet_prefix, answer);
    answer.Set(Record::kProxyJoin, subject.wanted.Get(Record::kProxyJoin));
    std::copy(answer.octets().begin(), answer.octets().end(), record.begin());
    return SaStatus::kOk;
}

McMemberRecords::JoinVerdict McMemberRecords::JudgeJoin(const Query& query) const {
    Subject subject;
    return JudgeJoin(query, subject);
}

McMemberRecords::JoinVerdict McMemberRecords::JudgeJoin(const Query& query,
                                                        Subject& subject) const {
    JoinVerdict verdict;
    verdict.refusal = Understand(query, subject);
    if (verdict.refusal == JoinRefusal::kNone) verdict.refusal = MayAsk(query, subject);
    if (verdict.refusal != JoinRefusal::kNone) return verdict;
    verdict.group = groups_.Find(subject.wanted.mgid());
    if (verdict.group != kNoGroup) {
        verdict.values = groups_.group(verdict.group).values;
    } else {
        verdict.refusal = MayCreate(query, subject, verdict.values);
    }
    if (verdict.refusal == JoinRefusal::kNone) verdict.refusal = MayJoin(query, subject, verdict);
    return verdict;
}

/// The rules about requester, port and partition, whatever the group is.
JoinRefusal McMemberRecords::MayAsk(const Query& query, const Subject& subject) const {
    if (subject.port == kNoPortIndex) return JoinRefusal::kUnknownPort;
    if (!MayActFor(view_, query, subject.port)) return JoinRefusal::kForAnother;
    if (!view_.partitions.Share(query.requester, subject.port)) return JoinRefusal::kStranger;
    const bool names_none =
        query.Has(Record::kHasPKey) && !NamesPartition(subject.wanted.Get(Record::kPKey));
    return names_none ? JoinRefusal::kNoPartition : JoinRefusal::kNone;
}

JoinRefusal McMemberRecords::MayJoin(const Query& query, const Subject& subject,
                                     const JoinVerdict& verdict) const {
    EMBER_ASSERT(subject.port != kNoPortIndex);
    const bool is_new = verdict.group == kNoGroup;
    const GroupValues& values = verdict.values;
    const MemberIndex known =
        is_new ? kNoMember : groups_.FindMember(verdict.group, subject.port_guid);
    if (known != kNoMember) {
        const JoinRefusal refusal =
            MayChange(query, groups_.member(known), groups_.group(verdict.group));
        if (refusal != JoinRefusal::kNone) return refusal;
    }
    if (subject.state == 0) return JoinRefusal::kNoState;
    if (!BelongsTo(subject.port, values.p_key)) return JoinRefusal::kNotInPartition;
    // A new group is made of the request, so the two need not be compared.
    const bool has_values = !is_new && (groups_.group(verdict.group).members != 0 ||
                                        groups_.group(verdict.group).is_well_known);
    if (has_values && !AgreesWith(query, subject.wanted, values)) return JoinRefusal::kOtherValues;
    const JoinRefusal refusal = MayReach(subject, values);
    if (refusal != JoinRefusal::kNone) return refusal;
    const bool has_room = known != kNoMember || groups_.MayAddMember(RequesterOf(view_, query));
    return has_room ? JoinRefusal::kNone : JoinRefusal::kNoRoomForMember;
}

/// The port carries what the group sends.
JoinRefusal McMemberRecords::MayReach(const Subject& subject, const GroupValues& values) const {
    if (!view_.settings.mcgroup_join_validation) return JoinRefusal::kNone;
    const PortReach reach = ReachOf(view_.fabric, subject.port);
    if (reach.mtu < static_cast<std::uint8_t>(values.mtu)) return JoinRefusal::kMtuTooSmall;
    return reach.rate_rank < RateRank(values.rate) ? JoinRefusal::kRateTooLow : JoinRefusal::kNone;
}

/// A group that is not there is made as the request says.
JoinRefusal McMemberRecords::MayCreate(const Query& query, const Subject& subject,
                                       GroupValues& values) const {
    EMBER_ASSERT(subject.port != kNoPortIndex);
    const Record& wanted = subject.wanted;
    if ((subject.state & join_state::kKeepsAlive) == 0) return JoinRefusal::kNotKeptAlive;
    for (const auto component : {Record::kHasQKey, Record::kHasTClass, Record::kHasPKey,
                                 Record::kHasFlowLabel, Record::kHasSl}) {
        if (!query.Has(component)) return JoinRefusal::kNoGroupYet;
    }
    const Gid mgid = wanted.mgid();
    if (mgid != Gid{} && !IsSoundMgid(mgid)) return JoinRefusal::kUnsoundMgid;
    const bool must_fit = IsIpMgid(mgid) && view_.settings.ipoib_mcgroup_creation_validation;
    if (must_fit && !FitsBroadcast(query, wanted, mgid)) return JoinRefusal::kUnlikeBroadcast;
    values = {.q_key = wanted.Get(Record::kQKey),
              .p_key = wanted.Get(Record::kPKey),
              .packet_life_time = wanted.Get(Record::kPacketLifeTime),
              .sl = wanted.Get(Record::kSl),
              .t_class = wanted.Get(Record::kTClass),
              .hop_limit = wanted.Get(Record::kHopLimit),
              .scope = wanted.Get(Record::kScope),
              .flow_label = wanted.Get(Record::kFlowLabel)};
    if (!ChooseReach(query, wanted, ReachOf(view_.fabric, subject.port), values)) {
        return JoinRefusal::kUnreachable;
    }
    return groups_.MayMakeGroup(RequesterOf(view_, query)) ? JoinRefusal::kNone
                                                           : JoinRefusal::kNoRoomForGroup;
}

/// kFull: there is no row, no MLID, or no MGID that is free.
Result<GroupIndex> McMemberRecords::Create(const Query& query, const Subject& subject,
                                           const GroupValues& values) {
    constexpr std::uint8_t kLinkLocal = 2;
    Gid mgid = subject.wanted.mgid();
    if (mgid == Gid{}) {
        const bool has_scope = query.Has(Record::kHasScope);
        const std::uint8_t scope = has_scope ? values.scope : kLinkLocal;
        if (!MakeMgid(scope, mgid)) return Status::kFull;
    }
    const Groups::Place place{.wanted = MlidOf(subject.wanted.Get(Record::kMlid)),
                              .may_share_snm = view_.settings.consolidate_ipv6_snm_req,
                              .requester = RequesterOf(view_, query)};
    return groups_.Create(mgid, values, place);
}

/// Groups of IP live beside the broadcast group of their partition and scope, and share its values.
bool McMemberRecords::FitsBroadcast(const Query& query, const Record& wanted,
                                    const Gid& mgid) const {
    const Gid broadcast = BroadcastMgid(static_cast<std::uint8_t>(mgid.high >> 48U & 0xFU),
                                        static_cast<std::uint16_t>(mgid.high >> 16U));
    if (mgid == broadcast) return true;
    const GroupIndex at = groups_.Find(broadcast);
    return at != kNoGroup && SharesValues(query, wanted, groups_.group(at).values);
}

/// A MGID that no group has, as OpenSM on a little-endian host makes it: FF, 1 and the scope, A01B,
/// six octets of the prefix, a number, two octets of 0.
bool McMemberRecords::MakeMgid(std::uint8_t scope, Gid& mgid) {
    EMBER_ASSERT(scope < 16);
    // After a restart the first numbers may be those of groups that were restored.
    const std::size_t most = groups_.group_count() + 1;
    const std::uint64_t prefix = view_.settings.subnet_prefix;
    for (std::size_t i = 0; i < most; ++i) {
        const std::uint64_t number = __builtin_bswap32(made_mgids_++);
        mgid.high = 0xFF10A01B00000000ULL | std::uint64_t{scope} << 48U | prefix >> 32U;
        mgid.low = (prefix & 0xFFFF0000ULL) << 32U | number << 16U;
        if (groups_.Find(mgid) == kNoGroup) return true;
    }
    return false;
}

/// The answer is the request with what is left of JoinState in it.
SaStatus McMemberRecords::Leave(const Query& query, std::uint64_t now_us,
                                std::span<std::uint8_t> record) {
    EMBER_ASSERT(record.size() >= sizeof(Record));
    Subject subject;
    const JoinRefusal understood = Understand(query, subject);
    if (understood != JoinRefusal::kNone) return StatusOf(understood);
    const GroupIndex at = groups_.Find(subject.wanted.mgid());
    if (at == kNoGroup) return SaStatus::kRequestInvalid;
    const MemberIndex found = groups_.FindMember(at, subject.port_guid);
    if (found == kNoMember) return SaStatus::kRequestInvalid;
    const Member& member = groups_.member(found);
    const bool has_all = subject.state != 0 && (subject.state & ~member.join_state) == 0;
    if (!has_all) return SaStatus::kRequestInvalid;
    const JoinRefusal allowed = MayChange(query, member, groups_.group(at));
    if (allowed != JoinRefusal::kNone) return StatusOf(allowed);

    Record answer = subject.wanted;
    answer.Set(Record::kPortGidPrefix, view_.settings.subnet_prefix);
    answer.Set(Record::kMtuSelector, Selector::kExactly);
    answer.Set(Record::kRateSelector, Selector::kExactly);
    answer.Set(Record::kPacketLifeTimeSelector, Selector::kExactly);
    answer.Set(Record::kScope, groups_.group(at).values.scope);
    answer.Set(Record::kJoinState, groups_.Leave(found, subject.state, now_us));
    std::copy(answer.octets().begin(), answer.octets().end(), record.begin());
    return SaStatus::kOk;
}

}  // namespace ember
