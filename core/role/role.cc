// SPDX-License-Identifier: Apache-2.0
// EmberSM: who is master.
#include "core/role/role.h"

#include <algorithm>
#include <bit>

#include "core/wire/port_info.h"

namespace ember {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// SM arbitration: the larger priority, then the smaller GUID. IBA vol. 1, 14.4.1.
[[nodiscard]] bool Ranks(std::uint8_t priority, Guid guid, std::uint8_t above, Guid above_guid) {
    return priority != above ? priority > above : guid < above_guid;
}

}  // namespace

Role::Role(const Memory& memory, Exchange& exchange, Journal& journal, const Settings& settings)
    : others_(memory.others), exchange_(exchange), journal_(journal), settings_(settings) {
    EMBER_ASSERT(!others_.empty());
}

void Role::Start(std::uint64_t now_us) {
    Drop();
    decliners_.clear();
    count_ = next_ = waiting_for_ = 0;
    priority_ = settings_.sm_priority;
    first_sweep_ = true;
    state_ = settings_.sm_inactive ? SmState::kNotActive : SmState::kDiscovering;
    act_ = settings_.sm_inactive ? Act::kSleep : Act::kSweep;
    journal_.Write<Note::kRoleBegins>(now_us, state_, priority_);
}

void Role::SetOwnPort(Guid guid, Lid lid) {
    own_guid_ = guid;
    own_lid_ = lid;
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
        journal_.Write<Note::kRoleChanged>(now_us, state_, row.to, cue);
    }
    const bool took_over = cue == Cue::kHandover || cue == Cue::kMasterSilent;
    if (row.to == SmState::kMaster && (state_ != SmState::kMaster || took_over)) {
        first_sweep_ = true;  // What we knew is stale: another one has managed meanwhile.
    }
    if (took_over) awaited_ = kNoGuid;
    state_ = row.to;
    Perform(row.act, now_us);
    if (row.act != Act::kNothing) act_ = row.act;
}

/// Does what an act means to other SMs; the owner does the rest.
void Role::Perform(Act act, std::uint64_t now_us) {
    switch (act) {
        case Act::kNothing:
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
                journal_.Write<Note::kMasterFollowed>(now_us, watched_.guid, watched_.priority,
                                                      settings_.sminfo_polling_timeout);
            } else {
                journal_.Write<Note::kHandoverAwaited>(now_us, watched_.guid, watched_.priority);
            }
            break;
        case Act::kHandOver:
            Drop();
            handover_is_due_ = true;
            break;
        case Act::kTell:
            Tell();
            break;
    }
}

/// Polls the candidate from now on, and tells it when we rank higher.
void Role::BeginPolling(std::uint64_t now_us) {
    Drop();
    watched_ = candidate_;
    heard_us_ = now_us;
    watching_ = true;
    misses_ = 0;
    next_poll_us_ = now_us + std::uint64_t{settings_.sminfo_polling_timeout} * 1000U;
    Tell();
}

/// Nobody is polled or asked to take over any more.
void Role::Drop() {
    exchange_.Abandon(Client::kRole);
    watching_ = false;
    poll_is_out_ = false;
    handover_is_due_ = false;
    handover_is_out_ = false;
    own_port_is_due_ = false;
    waiting_for_ = 0;
    next_ = count_;
}

bool Role::Outranks(const OtherSm& other) const {
    return Ranks(priority_, own_guid_, other.priority, other.guid);
}

OtherSm* Role::Highest(bool masters_only) {
    OtherSm* highest = nullptr;
    for (OtherSm& other : others_.first(count_)) {
        const bool may_serve = other.counts && other.state != SmState::kNotActive;
        if (!may_serve || (masters_only && other.state != SmState::kMaster)) continue;
        // Who is still discovering will find us, and cannot take over before it has.
        if (is_master() && (other.state == SmState::kDiscovering || other.declined)) continue;
        if (highest != nullptr &&
            !Ranks(other.priority, other.guid, highest->priority, highest->guid)) {
            continue;
        }
        highest = &other;
    }
    return highest;
}

void Role::Conclude(std::uint64_t now_us) {
    EMBER_ASSERT(!electing());
    TellLost(now_us);
    const OtherSm* const highest = Highest(false);
    const OtherSm* const master = Highest(true);
    const bool is_outranked = highest != nullptr && !Outranks(*highest);
    const bool meets_lower = is_master() && !is_outranked && master != nullptr;
    Cue cue = Cue::kUnrivaled;
    if (meets_lower) {
        candidate_ = *master;
        cue = MeetLowerMaster(now_us);
    } else if (is_outranked || master != nullptr) {
        // A master looks to the highest of all, others to whoever is master.
        cue = Meet(is_master() || master == nullptr ? *highest : *master);
    } else if (is_master() && awaited_ != kNoGuid) {
        cue = Cue::kMasterSilent;
    }
    if (!meets_lower) awaited_ = kNoGuid;
    React(cue, now_us);
    if (meets_lower && is_overdue_) BeginPolling(now_us);
}

Cue Role::Meet(const OtherSm& other) {
    candidate_ = other;
    if (other.state != SmState::kMaster) return Cue::kOutranked;
    return Outranks(other) ? Cue::kLowerMasterMet : Cue::kMasterMet;
}

/// Whether it is given more time to hand over, or we serve beside it.
Cue Role::MeetLowerMaster(std::uint64_t now_us) {
    if (awaited_ != candidate_.guid) {
        awaited_ = candidate_.guid;
        awaited_since_us_ = now_us;
        is_overdue_ = false;
    }
    if (!is_overdue_ && now_us >= PatienceEndsUs()) LosePatience(now_us);
    return is_overdue_ ? Cue::kUnrivaled : Cue::kLowerMasterMet;
}

/// As long as a master may be silent before it is taken for dead.
std::uint64_t Role::PatienceEndsUs() const {
    const std::uint64_t polls = settings_.polling_retry_number + std::uint64_t{1};
    return awaited_since_us_ + polls * settings_.sminfo_polling_timeout * 1000U;
}

void Role::LosePatience(std::uint64_t now_us) {
    is_overdue_ = true;
    first_sweep_ = true;  // It has managed meanwhile.
    journal_.Write<Note::kHandoverOverdue>(now_us, awaited_,
                                           (now_us - awaited_since_us_) / 1'000'000U);
}

void Role::BeginElection() {
    Drop();
    count_ = next_ = 0;
}

Status Role::Invite(Guid port_guid, Lid lid, const DirectedPath& path, std::uint64_t now_us) {
    if (settings_.ignore_other_sm) {
        TellIgnored(port_guid, now_us);
        return Status::kOk;
    }
    if (count_ == others_.size()) {
        journal_.WriteSparingly<Note::kLimitExhausted>(now_us, LimitName::kOtherSms, count_,
                                                       count_ + 1);
        return Status::kFull;
    }
    OtherSm& other = others_[count_++];
    other = OtherSm{};
    other.guid = port_guid;
    other.lid = lid;
    other.path = path;
    ++waiting_for_;
    return Status::kOk;
}

void Role::Review() {
    Drop();
    decliners_.clear();
    next_ = 0;
    waiting_for_ = count_;
    for (OtherSm& other : others_.first(count_)) {
        other.asked = other.counts = other.declined = false;
    }
}

void Role::Step(std::uint64_t now_us) {
    while (next_ < count_ && exchange_.has_room()) {  // Ends: each one is asked once.
        others_[next_].asked = true;
        Post(others_[next_], Errand::kInvitation, next_, now_us);
        ++next_;
    }
    if (handover_is_due_ && exchange_.has_room()) {
        handover_is_due_ = false;
        handover_is_out_ = true;
        Post(candidate_, Errand::kHandover, 0, now_us);
    }
    if (own_port_is_due_ && exchange_.has_room()) {
        own_port_is_due_ = false;
        AskOwnPort(now_us);
    }
    if (awaits() && now_us >= PatienceEndsUs()) {
        LosePatience(now_us);
        React(Cue::kHandoverOverdue, now_us);
    }
    if (watching_ && !poll_is_out_ && now_us >= next_poll_us_ && exchange_.has_room()) {
        poll_is_out_ = true;
        next_poll_us_ = now_us + std::uint64_t{settings_.sminfo_polling_timeout} * 1000U;
        Post(watched_, Errand::kPoll, 0, now_us);
    }
}

std::uint64_t Role::NextDeadlineUs() const {
    // Without room the next step that frees some calls Step() anyhow.
    const bool is_due = next_ < count_ || handover_is_due_ || own_port_is_due_;
    if (is_due && exchange_.has_room()) return 0;
    const std::uint64_t poll_us = watching_ && !poll_is_out_ ? next_poll_us_ : kNever;
    return awaits() ? std::min(poll_us, PatienceEndsUs()) : poll_us;
}

void Role::Post(const OtherSm& to, Errand errand, std::size_t subject, std::uint64_t now_us) {
    Ask ask;
    ask.attribute = AttributeId::kSmInfo;
    ask.directed = to.directed;
    ask.path = to.path;
    ask.lid = to.lid;
    ask.m_key = settings_.m_key;
    ask.cookie.client = Client::kRole;
    ask.cookie.kind = static_cast<std::uint8_t>(errand);
    ask.cookie.subject = static_cast<std::uint32_t>(subject);
    if (errand == Errand::kHandover) {
        ask.method = Method::kSet;
        ask.modifier = Raw(SmControl::kHandover);
        ask.data = OwnInfo().octets();
    }
    exchange_.Post(ask, now_us);
}

/// What the master has written to our own port since we swept: our LID, and its own.
void Role::AskOwnPort(std::uint64_t now_us) {
    Ask ask;
    ask.attribute = AttributeId::kPortInfo;
    ask.m_key = settings_.m_key;
    ask.cookie.client = Client::kRole;
    ask.cookie.kind = static_cast<std::uint8_t>(Errand::kOwnPort);
    exchange_.Post(ask, now_us);
}

void Role::Hear(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.cookie.client == Client::kRole);
    switch (static_cast<Errand>(answer.cookie.kind)) {
        case Errand::kInvitation:
            HearInvitation(answer, now_us);
            break;
        case Errand::kPoll:
            HearPoll(answer, now_us);
            break;
        case Errand::kHandover:
            HearHandover(answer, now_us);
            break;
        case Errand::kOwnPort:
            HearOwnPort(answer);
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
        journal_.WriteSparingly<Note::kOtherSmKeyWrong>(now_us, guid);
        return false;
    }
    if (Raw(info.Get(SmInfo::kSmState)) >= kRoles) return false;
    other.state = info.Get(SmInfo::kSmState);
    other.priority = info.Get(SmInfo::kPriority);
    return true;
}

/// What an SM told outside an election belongs to its row too: whoever reads others() takes it for
/// the present state.
void Role::Retell(const OtherSm& news) {
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
    if (!other.counts) return;
    other.declined =
        std::find(decliners_.begin(), decliners_.end(), other.guid) != decliners_.end();
    TellFound(other, now_us);
}

void Role::HearPoll(const Answer& answer, std::uint64_t now_us) {
    poll_is_out_ = false;
    const bool is_heard = Learn(answer, watched_, now_us);
    if (is_heard) {
        heard_us_ = now_us;
        Retell(watched_);
    }
    if (is_heard && watched_.state == SmState::kMaster) {
        misses_ = 0;
        Tell();
        return;
    }
    // A lower master that has ceased to be one leaves the subnet to us; a master that has ceased
    // to be one may be about to hand over, so a standby gives it the time of its polls.
    ++misses_;
    const bool has_yielded = is_heard && is_master();
    if (!has_yielded && misses_ <= settings_.polling_retry_number) return;
    journal_.Write<Note::kMasterSilent>(now_us, watched_.guid, misses_);
    React(Cue::kMasterSilent, now_us);
}

void Role::HearHandover(const Answer& answer, std::uint64_t now_us) {
    if (!handover_is_out_) return;
    handover_is_out_ = false;
    if (answer.status == Status::kOk) {
        journal_.Write<Note::kHandoverSent>(now_us, candidate_.guid, candidate_.priority);
        candidate_.state = SmState::kMaster;
        Retell(candidate_);
        React(Cue::kHandoverTaken, now_us);
        return;
    }
    journal_.Write<Note::kHandoverFailed>(now_us, candidate_.guid, answer.status,
                                          answer.mad_status);
    for (OtherSm& other : others_.first(count_)) {
        if (other.guid == candidate_.guid) other.declined = true;
    }
    if (decliners_.full()) decliners_.clear();  // Better offered twice than never.
    const Status noted = decliners_.TryPush(candidate_.guid);
    EMBER_ASSERT(noted == Status::kOk);
    React(Cue::kHandoverFailed, now_us);
}

/// Without an answer, or with a port that no master has touched yet, the next poll asks again.
void Role::HearOwnPort(const Answer& answer) {
    if (answer.status != Status::kOk) return;
    const auto info = std::bit_cast<PortInfo>(answer.data);
    own_lid_ = info.Get(PortInfo::kLid);
    watched_.lid = info.Get(PortInfo::kMasterSmLid);
    if (own_lid_ != kNoLid && watched_.lid != kNoLid) Tell();
}

}  // namespace ember
