// SPDX-License-Identifier: Apache-2.0
// EmberSM: who is master.
#include "core/role/role.h"

#include <algorithm>
#include <bit>

#include "core/base/time.h"
#include "core/fabric/m_key.h"
#include "core/wire/port_info.h"

namespace ember {
namespace {

/// Polls in a row that a master answers as master before our own port is read, which shows whether
/// it serves.
constexpr std::uint32_t kProofs = 2;
/// An SM that has declined is offered the subnet again after this time at the latest. A light sweep
/// may offer it before; but traps can keep light sweeps from coming, as the SM that declined sends
/// them.
constexpr std::uint64_t kDeclinedUs = 10 * kSecondUs;
/// Tries of an inquiry. A stranger waits no longer than that for our answer.
constexpr std::uint8_t kInquiryTries = 2;

}  // namespace

Role::Role(const Memory& memory, Exchange& exchange, Log& log, const Settings& settings)
    : others_(memory.others), exchange_(exchange), log_(log), settings_(settings) {
    EMBER_ASSERT(!others_.empty());
}

void Role::Start(std::uint64_t now_us) {
    Drop();
    decliners_.clear();
    strangers_.clear();
    count_ = next_ = waiting_for_ = 0;
    priority_ = settings_.sm_priority;
    first_sweep_ = true;
    state_ = settings_.sm_inactive ? SmState::kNotActive : SmState::kDiscovering;
    act_ = settings_.sm_inactive ? Act::kSleep : Act::kSweep;
    log_.Write<Note::kRoleBegins>(now_us, state_, priority_);
}

void Role::SetOwnPort(Guid guid, Lid lid) {
    own_guid_ = guid;
    own_lid_ = lid;
}

void Role::SetLidOf(Guid port, Lid lid) {
    for (OtherSm& other : others_.first(count_)) {
        if (other.port == port) other.lid = lid;
    }
    if (watching_ && watched_.port == port) watched_.lid = lid;
}

void Role::SetMKeyOf(Guid port, std::uint64_t m_key) {
    for (OtherSm& other : others_.first(count_)) {
        if (other.port == port) other.m_key = m_key;
    }
}

/// The M_Key that its port had in the last sweep, and after every other poll that is missed the one
/// that it shall have: the master may have changed it.
std::uint64_t Role::MKeyFor(const OtherSm& to) const {
    const bool is_as_met = to.m_key != 0 && misses_ % 2 == 0 && settings_.m_key_lookup;
    return is_as_met ? to.m_key : MKeyFrom(RuleOf(settings_), to.port);
}

void Role::Reconsider(std::uint64_t now_us) {
    if (settings_.sm_priority == priority_) return;
    priority_ = settings_.sm_priority;
    React(Cue::kPriorityChanged, now_us);
}

Act Role::TakeAct() {
    const Act act = act_;
    act_ = Act::kNothing;
    return act;
}

void Role::React(Cue cue, std::uint64_t now_us) {
    const RoleRow& row = Decide(state_, cue);
    if (row.to != state_) {
        log_.Write<Note::kRoleChanged>(now_us, state_, row.to, cue);
    }
    const bool took_over = cue == Cue::kHandover || cue == Cue::kMasterSilent;
    const bool has_served = state_ == SmState::kMaster && (!first_sweep_ || merges_);
    if (row.to == SmState::kMaster && (state_ != SmState::kMaster || took_over)) {
        first_sweep_ = true;  // Our tables are stale: another SM has managed the subnet meanwhile.
        merges_ = has_served;
    }
    if (took_over) awaited_ = kNoGuid;
    state_ = row.to;
    stands_down_ = stands_down_ && state_ == SmState::kNotActive;
    Perform(row.act, now_us);
    if (row.act != Act::kNothing) act_ = row.act;
}

/// Does what an act means to other SMs; the owner does the rest.
void Role::Perform(Act act, std::uint64_t now_us) {
    switch (act) {
        case Act::kNothing:
        case Act::kLook:
            break;
        case Act::kSweep:
        case Act::kServe:
        case Act::kSleep:
            Drop();
            break;
        case Act::kFollow:
        case Act::kAwait:
            BeginPolling(now_us);
            if (act == Act::kFollow) {
                log_.Write<Note::kMasterFollowed>(now_us, watched_.guid, watched_.priority,
                                                  PollUs() / kMillisecondUs);
            } else {
                log_.Write<Note::kHandoverAwaited>(now_us, watched_.guid, watched_.priority);
            }
            break;
        case Act::kHandOver:
            Drop();
            handover_is_due_ = true;
            break;
        case Act::kSendTrap:
            SendTrap(now_us);
            break;
    }
}

/// Polls the candidate from now on, and tells it when we rank higher.
void Role::BeginPolling(std::uint64_t now_us) {
    EMBER_ASSERT(candidate_.guid != kNoGuid);
    Drop();
    watched_ = candidate_;
    heard_us_ = now_us;
    watching_ = true;
    misses_ = 0;
    unheard_ = 0;
    proofs_ = 0;
    is_succeeded_ = false;
    confirmed_us_ = 0;
    next_poll_us_ = now_us + PollUs();
    SendTrap(now_us);
}

/// Stops polling, and withdraws the offer of a handover.
void Role::Drop() {
    exchange_.Abandon(kRoleClient);
    watching_ = false;
    poll_is_out_ = false;
    handover_is_due_ = false;
    handover_is_out_ = false;
    trap_is_due_ = false;
    own_port_is_due_ = false;
    inquiry_is_due_ = false;
    inquiry_is_out_ = false;
    waiting_for_ = 0;
    next_ = count_;
}

void Role::Step(std::uint64_t now_us) {
    EMBER_ASSERT(next_ <= count_);
    EMBER_ASSERT(count_ <= others_.size());
    while (next_ < count_ && exchange_.has_room()) {  // Ends: each one is asked once.
        others_[next_].asked = true;
        Post(others_[next_], Purpose::kInvitation, next_, now_us);
        ++next_;
    }
    if (handover_is_due_ && !offer_is_held_ && exchange_.has_room()) {
        handover_is_due_ = false;
        handover_is_out_ = true;
        Post(candidate_, Purpose::kHandover, 0, now_us);
    }
    if (IsNewcomerDue(now_us)) AskNewcomer(now_us);
    if (inquiry_is_due_ && exchange_.has_room()) {
        inquiry_is_due_ = false;
        inquiry_is_out_ = true;
        Post(stranger_, Purpose::kInquiry, 0, now_us);
    }
    if (own_port_is_due_ && exchange_.has_room()) {
        own_port_is_due_ = false;
        AskOwnPort(now_us);
    }
    if (trap_is_due_ && exchange_.has_room()) SendTrap(now_us);
    if (awaits() && now_us >= PatienceEndsUs()) {
        LosePatience(now_us);
        React(Cue::kHandoverOverdue, now_us);
    }
    if (watching_ && !poll_is_out_ && now_us >= next_poll_us_ && exchange_.has_room()) {
        poll_is_out_ = true;
        next_poll_us_ = now_us + PollUs();
        Post(watched_, Purpose::kPoll, 0, now_us);
    }
}

std::uint64_t Role::NextDeadlineUs() const {
    // Without room the next step that frees some calls Step() anyhow.
    const bool offers = handover_is_due_ && !offer_is_held_;
    const bool is_due =
        next_ < count_ || offers || own_port_is_due_ || inquiry_is_due_ || trap_is_due_;
    const bool has_room = exchange_.has_room();
    if (is_due && has_room) return 0;
    const bool polls = watching_ && !poll_is_out_ && has_room;
    std::uint64_t next_us = polls ? next_poll_us_ : kNever;
    if (awaits()) next_us = std::min(next_us, PatienceEndsUs());
    if (awaits_newcomers() && !inquires()) next_us = std::min(next_us, next_newcomer_us_);
    const bool looks = heir_waits_ && restricts_trust_ && is_master() && !electing();
    if (looks) next_us = std::min(next_us, next_heir_us_);  // TrustOnly() is called then.
    return next_us;
}

void Role::Post(const OtherSm& to, Purpose purpose, std::size_t subject, std::uint64_t now_us) {
    EMBER_ASSERT(purpose != Purpose::kInvitation || subject < count_);
    Ask ask;
    ask.attribute = AttributeId::kSmInfo;
    ask.directed = to.directed;
    ask.path = to.path;
    ask.lid = to.lid;
    ask.m_key = MKeyFor(to);
    ask.cookie.client = kRoleClient;
    ask.cookie.kind = static_cast<std::uint8_t>(purpose);
    ask.cookie.subject = static_cast<std::uint32_t>(subject);
    if (purpose == Purpose::kHandover) {
        ask.method = Method::kSet;
        ask.modifier = Raw(SmControl::kHandover);
        ask.data = OwnInfo().octets();
    }
    if (purpose == Purpose::kInquiry) {
        ask.attribute = inquiry_;
        ask.tries = kInquiryTries;
    }
    const bool is_poll = purpose == Purpose::kPoll && PollsFast();
    // The election after its silence does not wait for it as long as for others.
    const bool was_silent = purpose == Purpose::kInvitation && to.port == silent_;
    if (purpose == Purpose::kInvitation && IsMute(to.port)) exchange_.Hasten(ask);
    if (is_poll || (was_silent && silent_ != kNoGuid)) ask.tries = 1;
    exchange_.Post(ask, now_us);
}

/// Asks what the master has written to our own port since we swept: our LID, and its own.
void Role::AskOwnPort(std::uint64_t now_us) {
    Ask ask;
    ask.attribute = AttributeId::kPortInfo;
    ask.m_key = MKeyFrom(RuleOf(settings_), own_guid_);
    ask.cookie.client = kRoleClient;
    ask.cookie.kind = static_cast<std::uint8_t>(Purpose::kOwnPort);
    exchange_.Post(ask, now_us);
}

void Role::Hear(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.cookie.client == kRoleClient);
    switch (static_cast<Purpose>(answer.cookie.kind)) {
        case Purpose::kInvitation:
            HearInvitation(answer, now_us);
            break;
        case Purpose::kPoll:
            HearPoll(answer, now_us);
            break;
        case Purpose::kHandover:
            HearHandover(answer, now_us);
            break;
        case Purpose::kOwnPort:
            HearOwnPort(answer, now_us);
            break;
        case Purpose::kInquiry:
            HearInquiry(answer, now_us);
            break;
        case Purpose::kTrap:  // Heard or not, the next poll tells again.
            break;
    }
}

/// Takes over what another SM says of itself. False when it does not count as one.
bool Role::Learn(const Answer& answer, OtherSm& other, std::uint64_t now_us) {
    if (answer.status != Status::kOk) return false;
    const auto info = std::bit_cast<SmInfo>(answer.data);
    const Guid guid = info.Get(SmInfo::kGuid);
    if (guid == kNoGuid || guid == own_guid_) return false;
    other.guid = guid;
    if (settings_.sm_key != 0 && info.Get(SmInfo::kSmKey) != settings_.sm_key) {
        log_.WriteSparingly<Note::kOtherSmKeyWrong>(now_us, guid);
        return false;
    }
    if (Raw(info.Get(SmInfo::kSmState)) >= kRoles) return false;
    other.state = info.Get(SmInfo::kSmState);
    other.priority = info.Get(SmInfo::kPriority);
    return true;
}

/// Copies what an SM told outside an election to its row too: readers of others() take that for the
/// present state.
void Role::UpdateRow(const OtherSm& news) {
    EMBER_ASSERT(news.guid != kNoGuid);
    for (OtherSm& other : others_.first(count_)) {
        if (other.guid != news.guid || !other.counts) continue;
        other.state = news.state;
        other.priority = news.priority;
    }
}

void Role::HearInvitation(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.cookie.subject < count_);
    EMBER_ASSERT(waiting_for_ > 0);
    --waiting_for_;
    OtherSm& other = others_[answer.cookie.subject];
    other.counts = Learn(answer, other, now_us);
    CountElection(other.port, answer.status != Status::kTimeout);
    if (other.counts) {
        if (now_us >= declined_us_ + kDeclinedUs) decliners_.clear();
        other.declined =
            std::find(decliners_.begin(), decliners_.end(), other.guid) != decliners_.end();
        LogFound(other, now_us);
    }
    if (leaves_ && !electing()) OfferToHeir(now_us);
}

/// The master that we follow says that it is master. Said often enough, our own port is asked
/// whether it serves: a master writes its LID to every port.
void Role::NoteProof() {
    EMBER_ASSERT(watching_);
    if (state_ != SmState::kStandby || is_succeeded_) return;
    ++proofs_;
    if (proofs_ >= kProofs) own_port_is_due_ = true;
}

void Role::HearHandover(const Answer& answer, std::uint64_t now_us) {
    if (!handover_is_out_) return;
    handover_is_out_ = false;
    if (answer.status == Status::kOk) {
        log_.Write<Note::kHandoverSent>(now_us, candidate_.guid, candidate_.priority);
        candidate_.state = SmState::kMaster;
        UpdateRow(candidate_);
        awaits_heir_ = leaves_;
        React(leaves_ ? Cue::kRelieved : Cue::kHandoverTaken, now_us);
        return;
    }
    log_.Write<Note::kHandoverFailed>(now_us, candidate_.guid, answer.status, answer.mad_status);
    for (OtherSm& other : others_.first(count_)) {
        if (other.guid == candidate_.guid) other.declined = true;
    }
    declined_us_ = now_us;
    if (decliners_.full()) decliners_.clear();  // An SM offered twice is better than never.
    const Status noted = decliners_.TryPush(candidate_.guid);
    EMBER_ASSERT(noted == Status::kOk);
    if (leaves_) {
        OfferToHeir(now_us);
        return;
    }
    React(Cue::kHandoverFailed, now_us);
}

/// Without an answer, or with a port that no master has touched yet, the next poll asks again.
void Role::HearOwnPort(const Answer& answer, std::uint64_t now_us) {
    if (answer.status != Status::kOk) return;
    const auto info = std::bit_cast<PortInfo>(answer.data);
    own_lid_ = info.Get(PortInfo::kLid);
    watched_.lid = info.Get(PortInfo::kMasterSmLid);
    const bool is_written = watched_.lid != kNoLid && watched_.lid != own_lid_;
    if (state_ == SmState::kStandby && proofs_ >= kProofs && is_written) is_succeeded_ = true;
    if (own_lid_ != kNoLid && watched_.lid != kNoLid) SendTrap(now_us);
}

}  // namespace ember
