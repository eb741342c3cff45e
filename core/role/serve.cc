// SPDX-License-Identifier: Apache-2.0
// EmberSM: what other SMs ask of this one, and what it tells them.
#include <algorithm>
#include <bit>

#include "core/fabric/m_key.h"
#include "core/role/role.h"
#include "core/wire/notice.h"

namespace ember {

/// The return path to the sender of `request`: the ports by which it came in, last one first.
void Role::TurnBack(const Envelope& request, OtherSm& sender) {
    const auto smp = std::bit_cast<DirectedSmp>(request.mad);
    sender.directed = request.mad.header.mgmt_class == MgmtClass::kSubnDirected;
    sender.lid = sender.directed ? kNoLid : request.peer;
    sender.path.hops = static_cast<std::uint8_t>(
        std::min<std::size_t>(sender.directed ? smp.header.hop_count : 0, kMaxHops));
    for (std::size_t i = 0; i < sender.path.hops; ++i) {
        sender.path.ports[i] = smp.return_path[sender.path.hops - i];
    }
}

SmInfo Role::OwnInfo() const {
    SmInfo info;
    info.Set(SmInfo::kGuid, own_guid_);
    info.Set(SmInfo::kSmKey, settings_.sm_key);
    // ActCount shows that we are alive: it grows with every datagram we send, and may wrap.
    info.Set(SmInfo::kActCount, static_cast<std::uint32_t>(exchange_.statistics().sent));
    info.Set(SmInfo::kPriority, priority_);
    info.Set(SmInfo::kSmState, state_);
    return info;
}

SmInfo Role::manager(std::size_t at) const {
    EMBER_ASSERT(at <= count_);
    if (at == 0) return OwnInfo();
    SmInfo info;
    const OtherSm& other = others_[at - 1];
    if (!other.counts) return info;
    info.Set(SmInfo::kGuid, other.guid);
    info.Set(SmInfo::kPriority, other.priority);
    info.Set(SmInfo::kSmState, other.state);
    return info;
}

namespace {

[[nodiscard]] bool IsForRole(const MadHeader& header) {
    return header.attribute_id == AttributeId::kSmInfo &&
           (header.method == Method::kGet || header.method == Method::kSet);
}

/// IBA vol. 1, 14.2.4.2: without the M_Key only a Get may pass, and at level 2 that neither.
[[nodiscard]] bool IsKeptOut(const Settings& settings, bool key_fits, bool is_set) {
    return !key_fits && (is_set || settings.m_key_protection_level >= 2);
}

}  // namespace

/// IBA vol. 1, 14.2.4.2: at protection level 1 a stranger may read, but not the key.
SmInfo Role::ShownTo(bool is_peer, bool key_fits) const {
    EMBER_ASSERT(knows_own_port());
    SmInfo info = OwnInfo();
    const bool is_kept_out = !key_fits && settings_.m_key_protection_level == 1;
    if (is_kept_out || !is_peer) info.Set(SmInfo::kSmKey, std::uint64_t{0});
    return info;
}

Status Role::Serve(const Envelope& request, const SmpSender& sender, std::uint64_t now_us,
                   Envelope& reply) {
    const MadHeader& header = request.mad.header;
    if (!IsForRole(header)) return Status::kAbsent;

    // Our GUID is not known yet. OpenSM never again asks an SM that once answered without one.
    if (!knows_own_port()) return Status::kRefused;

    const std::uint64_t m_key = std::bit_cast<LidSmp>(request.mad).m_key;
    const bool key_fits = settings_.m_key == 0 || m_key == MKeyFrom(RuleOf(settings_), own_guid_);
    const bool is_set = header.method == Method::kSet;
    if (IsKeptOut(settings_, key_fits, is_set)) {
        log_.WriteSparingly<Note::kSmpKeyWrong>(now_us, Raw(header.method));
        return Status::kRefused;
    }
    OtherSm* other = Counted(sender.port);
    if (is_set && other != nullptr && IsUnproved(request, *other, now_us)) other = nullptr;
    const bool is_peer =
        IsPeer(sender, key_fits) || (sender.port == kNoGuid && CameByKnownWay(request, now_us));
    const bool is_known = is_set ? other != nullptr : is_peer;
    const bool asks = !is_known || IsNews(sender, other);
    const bool waits = asks && ShallAskWho(request, sender, key_fits, now_us);
    if (waits && !is_known) return Status::kRefused;
    const std::uint16_t mad_status = is_set ? TakeSet(request, other, now_us) : std::uint16_t{0};
    if (awaits_heir_ && sender.port == candidate_.port) awaits_heir_ = false;  // Our heir met us.
    // The answer shows the state after the Set, as its asker will want to know it.
    const SmInfo info = ShownTo(is_peer, key_fits);
    reply.peer = request.peer;
    reply.queue_pair = request.queue_pair;
    reply.service_level = request.service_level;
    reply.remote_queue_pair = request.remote_queue_pair;
    reply.answer_within_us = 0;
    reply.mad = ReplyTo(request.mad, mad_status, info.octets());
    return Status::kOk;
}

/// Trap 144 with SMPriorityChange to a master that we outrank: it sweeps, finds us, hands over.
/// Again with every poll, as long as it stays master. Needs both LIDs: traps are LID routed.
void Role::SendTrap(std::uint64_t now_us) {
    trap_is_due_ = false;
    if (!watching_ || !Outranks(watched_)) return;
    if (own_lid_ == kNoLid || watched_.lid == kNoLid) {
        own_port_is_due_ =
            true;  // We met a master that was just starting; by now it may have LIDs.
        return;
    }
    // Two subnets have met: we would tell ourselves. SetLidOf() comes when we have given LIDs.
    if (watched_.lid == own_lid_) return;
    if (!exchange_.has_room()) {
        trap_is_due_ = true;
        return;
    }
    LocalChangesNotice notice;
    notice.Set(Notice::kIsGeneric, std::uint8_t{1});
    notice.Set(Notice::kType, NoticeType::kInformational);
    notice.Set(Notice::kProducerType, ProducerType::kClassManager);
    notice.Set(Notice::kTrapNumber, TrapNumber::kLocalChanges);
    notice.Set(Notice::kIssuerLid, own_lid_);
    notice.Set(LocalChangesNotice::kLidAddr, own_lid_);
    notice.Set(LocalChangesNotice::kOtherLocalChanges, std::uint8_t{1});
    notice.Set(LocalChangesNotice::kSmPriorityChange, std::uint8_t{1});

    Ask ask;
    ask.method = Method::kTrap;
    ask.attribute = AttributeId::kNotice;
    ask.directed = false;
    ask.lid = watched_.lid;
    ask.m_key = MKeyFrom(RuleOf(settings_), watched_.port);
    ask.data = notice.octets();
    ask.cookie.client = kRoleClient;
    ask.cookie.kind = static_cast<std::uint8_t>(Purpose::kTrap);
    exchange_.Post(ask, now_us);
}

}  // namespace ember
