// SPDX-License-Identifier: Apache-2.0
// EmberSM: the peers of this SM, which get the SM_Key and are heard.

#include <algorithm>
#include <bit>

#include "core/base/time.h"
#include "core/fabric/m_key.h"
#include "core/role/role.h"
#include "core/wire/port_info.h"

namespace ember {
namespace {

/// The default of sm_key, which is OpenSM's: it is no secret.
constexpr std::uint64_t kWellKnownSmKey = 1;
/// How long a port counts as a stranger after it was asked.
constexpr std::uint64_t kStrangerUs = 10 * kSecondUs;
/// How long a master is believed to be where it was found: its DISABLE comes again within that.
constexpr std::uint64_t kProvedUs = 2 * kSecondUs;

}  // namespace

/// True when sm_peers lists this port, or is empty.
bool Role::IsListed(Guid port) const {
    const auto& listed = settings_.sm_peers;
    return listed.empty() || std::find(listed.begin(), listed.end(), port) != listed.end();
}

/// True when the sender may get the SM_Key. An SM at a place that we do not know may have come by a
/// link that was moved, or our sweep was kept from it by a switch that lies, or by M_Keys. Where a
/// key is made for each port, and is not shown, a key that fits is a manager's: hosts know theirs
/// alone, and switches that see ours pass by see the SM_Key too.
bool Role::IsPeer(const SmpSender& sender, bool key_fits) const {
    if (!settings_.sm_peers.empty()) return sender.port != kNoGuid && IsListed(sender.port);
    if (settings_.sm_key == kWellKnownSmKey) return true;
    const bool is_proof =
        settings_.m_key != 0 && settings_.m_key_per_port && settings_.m_key_protection_level != 0;
    if (sender.port == kNoGuid) return key_fits && is_proof;
    const std::span<const OtherSm> met = others();
    return sender.is_sm || std::any_of(met.begin(), met.end(), [&](const OtherSm& other) {
               return other.counts && other.port == sender.port;
           });
}

/// The SM at this port, if it has answered with our SM_Key since the last sweep.
OtherSm* Role::Counted(Guid port) {
    if (port == kNoGuid) return nullptr;
    for (OtherSm& other : others_.first(count_)) {
        if (other.counts && other.port == port) return &other;
    }
    return nullptr;
}

/// An SM that asks a master is probably a standby that has come since the last sweep. An SM that
/// asks a standby which ranks above its master, from a place unknown, will hand over from there.
bool Role::IsNews(const SmpSender& sender, const OtherSm* other) const {
    if (other != nullptr) return false;
    if (sender.port != kNoGuid) return is_master();
    return state_ == SmState::kStandby && watching_ && Outranks(watched_);
}

/// A new SM asks for SMInfo before our sweep has read its IsSM. An answer without the SM_Key would
/// harm: OpenSM leaves an SM that answers with another SM_Key out of its elections. So a port that
/// is not known as an SM gets no answer at first; it is asked for its PortInfo and SMInfo. Its next
/// try is answered by these. True: do not answer now.
bool Role::ShallAskWho(const Envelope& request, const SmpSender& sender, bool key_fits,
                       std::uint64_t now_us) {
    if (settings_.ignore_other_sm) return false;
    if (sender.port == kNoGuid) return ShallLookWho(request, key_fits, now_us);
    if (!settings_.sm_peers.empty() && !IsListed(sender.port)) return false;
    for (const Stranger& stranger : strangers_) {
        if (stranger.port == sender.port && now_us < stranger.until_us) return false;
    }
    if (inquires()) return true;  // A single inquiry at a time.
    stranger_ = OtherSm{};
    TurnBack(request, stranger_);
    stranger_.port = stranger_.guid = sender.port;
    stranger_.asked = true;
    inquiry_ = AttributeId::kPortInfo;
    inquiry_is_due_ = true;
    return true;
}

/// A sender at a port that we do not know asks again, and is answered after our next sweep. Our
/// fabric lacks the port before the first sweep has ended, and when cables were moved while we
/// followed a master. But a standby that sweeps is no heir, and M_Keys that have changed can make
/// that seconds. So the way back is asked first whether our master is there: an answer with our
/// SM_Key proves that. The question bears the M_Key of its port, and is asked of one that knew
/// ours. True: do not answer now.
bool Role::ShallLookWho(const Envelope& request, bool key_fits, std::uint64_t now_us) {
    if (!has_met_) return true;
    if (state_ != SmState::kStandby || now_us < next_look_us_) return false;
    if (inquires()) return true;
    const bool is_way = request.mad.header.mgmt_class == MgmtClass::kSubnDirected;
    if (!is_way || !key_fits || !watching_ || Outranks(watched_)) {
        LookWho(now_us);
        return true;
    }
    stranger_ = OtherSm{};
    TurnBack(request, stranger_);
    stranger_.m_key = MKeyFrom(RuleOf(settings_), watched_.port);
    inquiry_ = AttributeId::kSmInfo;
    inquiry_is_due_ = true;
    return true;
}

void Role::LookWho(std::uint64_t now_us) {
    next_look_us_ = now_us + kStrangerUs;
    React(Cue::kUnplaced, now_us);
}

bool Role::CameByKnownWay(const Envelope& request, std::uint64_t now_us) const {
    const bool is_way = request.mad.header.mgmt_class == MgmtClass::kSubnDirected;
    if (!is_way || now_us >= known_way_.until_us) return false;
    OtherSm sender;
    TurnBack(request, sender);
    return sender.path.hops == known_way_.path.hops && sender.path.ports == known_way_.path.ports;
}

/// The answer to a question by the way back, which need not lead to our master.
void Role::HearFromUnplaced(const Answer& answer, std::uint64_t now_us) {
    if (state_ != SmState::kStandby || !watching_) return;
    const bool is_master = Learn(answer, stranger_, now_us) && stranger_.guid == watched_.guid;
    if (!is_master) return LookWho(now_us);
    known_way_ = {stranger_.path, now_us + kStrangerUs};
}

/// A standby does not sweep, and the LID of a master before may be a host's by now. Of what a Set
/// can do, DISABLE alone lasts. So it is obeyed when the SM at the LID that it came from has told
/// that it is the one that we take it for, and master.
bool Role::IsUnproved(const Envelope& set, const OtherSm& sender, std::uint64_t now_us) const {
    const std::uint32_t control = set.mad.header.attribute_modifier;
    const bool is_lid_routed = set.mad.header.mgmt_class == MgmtClass::kSubnLid;
    if (!is_lid_routed || control != Raw(SmControl::kDisable)) return false;
    return sender.port != proved_ || now_us >= proved_until_us_;
}

/// The SM that was asked who it is has answered with our SM_Key.
void Role::HearWhoItIs(std::uint64_t now_us) {
    if (OtherSm* const known = Counted(stranger_.port)) {
        const bool is_it = known->guid == stranger_.guid;
        proved_ = is_it && stranger_.state == SmState::kMaster ? stranger_.port : kNoGuid;
        proved_until_us_ = now_us + kProvedUs;
        if (is_it) HearNews(*known, now_us);
        return;
    }
    // An election under way has rows of its own; the next election meets this SM.
    if (electing() || count_ == others_.size()) return;
    stranger_.counts = true;
    others_[count_++] = stranger_;
    next_ = count_;
    PaceNewcomers(now_us);
    LogFound(stranger_, now_us);
    // Two masters write to the same switches: the lower does not end its round first.
    const bool yields = is_master() && stranger_.state == SmState::kMaster && !Outranks(stranger_);
    if (!yields || handover_is_due_ || handover_is_out_ || leaves_) return;
    candidate_ = stranger_;
    React(Cue::kMasterMet, now_us);
}

/// Greetings find it by LID, and so do we: a directed path to it is not known, or leads elsewhere.
void Role::FollowPeer(Guid guid, Lid lid, std::uint8_t priority, std::uint64_t now_us) {
    EMBER_ASSERT(guid != kNoGuid);
    const bool is_busy = electing() || handover_is_due_ || handover_is_out_ || leaves_;
    if (is_busy || lid == kNoLid || guid == own_guid_) return;
    const OtherSm* const met = Counted(guid);
    OtherSm master = met != nullptr ? *met : OtherSm{};
    master.port = master.guid = guid;
    master.lid = lid;
    master.directed = false;
    master.state = SmState::kMaster;
    master.priority = priority;
    master.counts = true;
    if (is_master() && Outranks(master)) return;
    React(Meet(master), now_us);
}

void Role::HearInquiry(const Answer& answer, std::uint64_t now_us) {
    inquiry_is_out_ = false;
    if (stranger_.port == kNoGuid) return HearFromUnplaced(answer, now_us);
    const auto port = std::bit_cast<PortInfo>(answer.data);
    const bool is_sm = (port.Get(PortInfo::kCapabilityMask) & capability_mask::kIsSm) != 0;
    if (answer.attribute == AttributeId::kPortInfo && answer.status == Status::kOk && is_sm) {
        inquiry_ = AttributeId::kSmInfo;
        inquiry_is_due_ = true;
        return;
    }
    if (answer.attribute == AttributeId::kSmInfo && Learn(answer, stranger_, now_us)) {
        HearWhoItIs(now_us);
        return;
    }
    const OtherSm* const known = Counted(stranger_.port);
    if (known != nullptr && IsNewcomer(*known)) return;  // Asked again, and elections judge.
    if (strangers_.full()) {
        Stranger* const oldest = std::min_element(
            strangers_.begin(), strangers_.end(),
            [](const Stranger& a, const Stranger& b) { return a.until_us < b.until_us; });
        strangers_.SwapRemove(static_cast<std::size_t>(oldest - strangers_.begin()));
    }
    const Status kept = strangers_.TryPush({stranger_.port, now_us + kStrangerUs});
    EMBER_ASSERT(kept == Status::kOk);
}

}  // namespace ember
