// SPDX-License-Identifier: Apache-2.0
// EmberSM: InformInfo, by which clients subscribe, and the records of subscriptions.
#include "core/administration/registrations/inform_infos.h"

#include <algorithm>

#include "core/administration/query/authority.h"
#include "core/administration/query/matching.h"
#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::uint8_t kUnsubscribe = 0;
constexpr std::uint8_t kSubscribe = 1;

[[nodiscard]] bool NamesKeys(const InformInfo& info) {
    const std::uint16_t number = info.Get(InformInfo::kTrapNumber);
    return info.Get(InformInfo::kIsGeneric) != 0 && number >= Raw(TrapNumber::kBadMKey) &&
           number <= Raw(TrapNumber::kBadPKeyAtSwitch);
}

}  // namespace

/// Whether the requester may hear of the ports in question.
bool InformInfos::MayHear(const Query& query, const InformInfo& info) const {
    const Fabric& fabric = parts_.view.fabric;
    const Partitions& partitions = parts_.view.partitions;
    const Gid gid = info.gid();
    if (gid != Gid{}) {
        const PortIndex at = fabric.FindPort(Guid{gid.low});
        return at != kNoPortIndex && partitions.Share(query.requester, at);
    }
    const Lid begin = info.Get(InformInfo::kLidRangeBegin);
    if (begin == InformInfo::kAnyLid) return true;
    Lid end = info.Get(InformInfo::kLidRangeEnd);
    if (end == kNoLid) end = begin;
    // A LID that no port has is no reason to refuse.
    const std::uint32_t last = std::min<std::uint32_t>(Raw(end), fabric.max_lid());
    for (std::uint32_t lid = Raw(begin); lid <= last; ++lid) {
        const PortIndex at = fabric.PortByLid(static_cast<Lid>(lid));
        if (at != kNoPortIndex && !partitions.Share(query.requester, at)) return false;
    }
    return true;
}

/// Of the partition by which the requester subscribes. A trusted one may ask by any.
std::uint16_t InformInfos::PKeyOf(const Query& query) const {
    const AdministrationView& view = parts_.view;
    if (!view.partitions.AreConfigured()) return kDefaultPKey;
    const OwnPKeys* const known = KnownPKeys(view);
    if (known == nullptr) return kNoPKey;
    const std::uint16_t p_key = known->At(query.p_key_index);
    return view.partitions.Reaches(p_key, query.requester) ? p_key : kNoPKey;
}

bool HasLeftPartition(const AdministrationView& view, const Subscription& row) {
    const Partitions& partitions = view.partitions;
    const PortIndex subscriber = view.fabric.FindPort(row.subscriber);
    const PortIndex own = view.fabric.own_port();
    if (subscriber == kNoPortIndex || own == kNoPortIndex) return false;
    const bool is_ours = subscriber == own;
    const bool is_reached = row.p_key == kNoPKey ? partitions.Share(own, subscriber)
                                                 : partitions.Reaches(row.p_key, subscriber);
    if (!is_reached && !is_ours) return true;
    const Gid gid = row.info.gid();
    const PortIndex named = gid == Gid{} ? kNoPortIndex : view.fabric.FindPort(Guid{gid.low});
    return named != kNoPortIndex && !partitions.Share(subscriber, named);
}

SaStatus InformInfos::Change(const Query& query, std::uint64_t /*now_us*/,
                             std::span<std::uint8_t> record) {
    auto info = Asked<InformInfo>(query);
    const Port& port = parts_.view.fabric.port(query.requester);
    const std::uint8_t wish = info.Get(InformInfo::kSubscribe);
    if (wish > kSubscribe || port.guid == kNoGuid) return SaStatus::kRequestInvalid;
    if (NamesKeys(info) && !query.is_trusted) return SaStatus::kRequestInvalid;
    Deliver(info, record);

    info.Set(InformInfo::kQpn, query.requester_queue_pair);
    info.Set(InformInfo::kReserved160, std::uint16_t{0});
    Subscription wanted;
    wanted.subscriber = port.guid;
    wanted.info = info;
    EMBER_ASSERT(query.requester_lid >= port.lid);
    wanted.path_bits = static_cast<std::uint8_t>(Raw(query.requester_lid) - Raw(port.lid));
    wanted.service_level = query.requester_service_level;
    wanted.p_key_index = query.p_key_index;
    wanted.p_key = PKeyOf(query);
    wanted.next_event = static_cast<std::uint32_t>(parts_.events.own().next());
    wanted.next_trap = static_cast<std::uint32_t>(parts_.events.traps().next());
    const SubscriptionIndex at = parts_.subscriptions.Find(wanted);
    if (wish == kUnsubscribe) {
        if (at == kNoSubscription) return SaStatus::kRequestInvalid;
        parts_.subscriptions.Remove(at);
        return SaStatus::kOk;
    }
    if (!MayHear(query, info)) return SaStatus::kRequestInvalid;
    if (at != kNoSubscription) {  // The question may come by another partition this time.
        Subscription& row = parts_.subscriptions.row(at);
        row.p_key_index = wanted.p_key_index;
        row.p_key = wanted.p_key;
        return SaStatus::kOk;
    }
    return parts_.subscriptions.Put(wanted) == Status::kOk ? SaStatus::kOk : SaStatus::kNoResources;
}

Found InformInfoRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                              std::span<std::uint8_t> record) {
    const Fabric& fabric = view_.fabric;
    while (cursor.row < subscriptions_.bound()) {
        if (budget == 0) return Found::kLater;
        --budget;
        const auto at = static_cast<SubscriptionIndex>(cursor.row++);
        if (!subscriptions_.IsLive(at)) continue;
        const Subscription& row = subscriptions_.row(at);
        const PortIndex subscriber = fabric.FindPort(row.subscriber);
        if (subscriber == kNoPortIndex) continue;
        if (!view_.partitions.Share(query.requester, subscriber)) continue;
        InformInfo info = row.info;
        if (!query.is_trusted) info.Set(InformInfo::kQpn, std::uint32_t{0});
        InformInfoRecord answer;
        answer.Set(InformInfoRecord::kSubscriberGidHigh, view_.settings.subnet_prefix);
        answer.Set(InformInfoRecord::kSubscriberGidLow, Raw(row.subscriber));
        Put(answer, InformInfoRecord::kInformInfo, info);
        if (!Matches(query, InformInfoRecord::kComponents, answer.octets(), 0)) continue;
        Deliver(answer, record);
        return Found::kRecord;
    }
    return Found::kEnd;
}

}  // namespace ember
