// SPDX-License-Identifier: Apache-2.0
// EmberSM: the P_Key tables of end ports: which ports are asked, and when. What is asked of one
// port is in p_key_jobs.cc.

#include "core/partitions/p_key_upkeep.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/crc32.h"
#include "core/base/time.h"
#include "core/port_tables/devices.h"

namespace ember {
namespace {

/// LIDs passed over in one Step(); a LID whose port is looked at counts as so many.
inline constexpr std::uint32_t kLidsAtOnce = 16'384;
inline constexpr std::uint32_t kLidsOfAVisit = 32;
/// How long others wait for a port that does not answer, beyond its last try.
inline constexpr std::uint64_t kGraceUs = 50'000;
/// Cookie::detail of a first question that the scrub has asked for.
inline constexpr std::uint16_t kOfCheck = 1;

/// A checksum over numbers.
class Sum {
public:
    void Add(std::uint64_t number) { crc_ = Crc32(std::as_bytes(std::span(&number, 1)), crc_); }
    [[nodiscard]] std::uint32_t value() const { return crc_; }

private:
    std::uint32_t crc_ = 0;
};

/// Bits of steps; the first one is never still to be taken.
[[nodiscard]] std::uint32_t LaterOf(const PKeyUpkeep::Known& known) {
    return std::uint32_t{known.later} << 1U;
}

}  // namespace

PKeyUpkeep::PKeyUpkeep(const Memory& memory, const Parts& parts, const Settings& settings)
    : known_(memory.known),
      jobs_(memory.jobs),
      parts_(parts),
      settings_(settings),
      asker_(parts.fabric, parts.exchange, settings, kPKeyClient) {
    EMBER_ASSERT(known_.size() > parts.fabric.max_lid());
    EMBER_ASSERT(!jobs_.empty());
    std::fill(known_.begin(), known_.end(), Known{});
    for (Job& job : jobs_) {
        job.port = kNoPortIndex;
    }
}

PKeyRules PKeyUpkeep::Rules() const {
    return {.allows_both = settings_.allow_both_pkeys,
            .keeps_places = settings_.keep_pkey_indexes,
            .only_full_first = settings_.order == Order::kOpensm};
}

PartEnforce PKeyUpkeep::Enforcement() const {
    return parts_.partitions.AreConfigured() ? settings_.part_enforce : PartEnforce::kOff;
}

/// Of all that the tables of an end port and of its guard depend on.
std::uint32_t PKeyUpkeep::SumOf(PortIndex at) const {
    const Fabric& fabric = parts_.fabric;
    const PortIndex guard = GuardOf(at);
    const PKeyRules rules = Rules();
    Sum sum;
    sum.Add(Raw(fabric.port(at).guid));
    sum.Add(std::uint64_t{Raw(Enforcement())} << 2U | (rules.allows_both ? 2U : 0U) |
            (rules.keeps_places ? 1U : 0U) | (rules.only_full_first ? 16U : 0U));
    sum.Add(std::uint64_t{TableSizeOf(at)} << 16U | EnforcementRoom(guard));
    if (guard != kNoPortIndex) {
        sum.Add(Raw(fabric.node(fabric.port(guard).node).guid));
        sum.Add(Raw(fabric.port(guard).number));
    }
    FirstPartition first;
    PortPartition of{};
    for (PartitionWalk walk = parts_.partitions.Of(at); walk.Next(of);) {
        first.Take(of);
        sum.Add(std::uint64_t{of.p_key} << 8U | std::uint64_t{Raw(of.membership)});
    }
    sum.Add(first.p_key());
    return sum.value() & Known::kSumBits;
}

/// The end port whose base LID it is, if it was read and can be reached.
PortIndex PKeyUpkeep::EndPortAt(Lid lid) const {
    const Fabric& fabric = parts_.fabric;
    const PortIndex at = fabric.PortByLid(lid);
    if (at == kNoPortIndex) return kNoPortIndex;
    const Port& port = fabric.port(at);
    const bool is_read = port.node != kNoNode && port.lid == lid && port.has_info;
    const bool is_reached =
        port.peer != kNoPortIndex || port.number == kManagementPort || at == fabric.own_port();
    return is_read && is_reached ? at : kNoPortIndex;
}

/// The port may carry data. Port 0 of a switch and our own port always may.
bool PKeyUpkeep::IsLive(PortIndex at) const {
    const Port& port = parts_.fabric.port(at);
    return port.number == kManagementPort || at == parts_.fabric.own_port() ||
           port.info.Get(PortInfo::kPortState) == PortState::kActive;
}

bool PKeyUpkeep::IsAsWeLeftIt(Lid lid) const {
    const PortIndex at = EndPortAt(lid);
    if (at == kNoPortIndex || !HasOurTables(parts_.fabric, at)) return false;
    const PortIndex guard = GuardOf(at);
    return guard == kNoPortIndex || HasOurTables(parts_.fabric, guard);
}

void PKeyUpkeep::Begin(bool forgets_all) {
    Abandon();  // Work may be under way.
    outcome_ = PKeyOutcome{};
    manages_ = manages_ || parts_.partitions.AreConfigured();
    if (!manages_) return;
    for (std::uint32_t lid = 1; lid < known_.size(); ++lid) {
        Known& known = known_[lid];
        const bool is_kept = known.state == State::kKnown && !known.is_marked && !forgets_all &&
                             IsAsWeLeftIt(static_cast<Lid>(lid));
        if (!is_kept) known = Known{};
    }
    BeginWalk(true);
}

void PKeyUpkeep::Mark(Guid port) {
    const PortIndex at = parts_.fabric.FindPort(port);
    if (at == kNoPortIndex || parts_.fabric.port(at).lid == kNoLid) return;
    EMBER_ASSERT(Raw(parts_.fabric.port(at).lid) < known_.size());
    known_[Raw(parts_.fabric.port(at).lid)].is_marked = true;
}

void PKeyUpkeep::BeginChange(bool concerns_all) {
    Abandon();
    outcome_ = PKeyOutcome{};
    manages_ = manages_ || parts_.partitions.AreConfigured();
    if (!manages_) return;
    for (Known& known : known_) {
        if (known.state != State::kKnown || known.is_marked) known = Known{};
    }
    BeginWalk(concerns_all);
}

void PKeyUpkeep::BeginWalk(bool looks_at_sums) {
    EMBER_ASSERT(manages_);
    looks_at_sums_ = looks_at_sums;
    is_second_walk_ = false;
    step_ = PKeyStep::kLeave;
    later_ = 0;
    cursor_ = 1;
    last_lid_ = Raw(parts_.fabric.top_lid());
    EMBER_ASSERT(last_lid_ < known_.size());
    is_settled_ = false;
}

void PKeyUpkeep::Abandon() {
    if (!manages_) return;  // Nothing was asked.
    asker_.Abandon();
    for (Job& job : jobs_) {
        job.port = kNoPortIndex;
    }
    for (Known& known : known_) {
        if (known.state == State::kAsked) known.state = State::kUnknown;
    }
    timely_ = 0;
    visits_again_ = false;
    checked_ = 0;
    is_settled_ = true;
}

/// A walk over one LID. The port counts as unknown meanwhile, so that its table is read.
bool PKeyUpkeep::Check(PortIndex at, std::uint64_t now_us) {
    const bool is_busy = asker_.in_flight() != 0 || FreeJobs() != jobs_.size();
    if (!manages_ || !is_settled_ || is_busy) return false;
    const Lid lid = parts_.fabric.port(at).lid;
    if (EndPortAt(lid) != at || !IsLive(at)) return false;
    Known& known = known_[Raw(lid)];
    // Where the switch port alone has failed, its table is tried again with the end port's.
    const bool is_right =
        known.state == State::kKnown || (known.state == State::kFailed && !known.is_unset);
    if (!is_right || known.sum != SumOf(at)) return false;  // A round is due.
    state_before_check_ = known.state;
    known.state = State::kUnknown;
    checked_ = Raw(lid);
    is_different_ = false;
    BeginWalk(true);
    cursor_ = last_lid_ = checked_;
    static_cast<void>(Step(now_us));
    return true;
}

/// The walk has not come to its end, and an answer would find a free job.
bool PKeyUpkeep::MayVisit() const {
    return cursor_ <= last_lid_ && asker_.has_room() && FreeJobs() > timely_;
}

bool PKeyUpkeep::AwaitsAnswers() const {
    return timely_ != 0 || FreeJobs() != jobs_.size();
}

/// Until the exchange gives a question up: the order of steps would not stand a lost datagram else.
std::uint64_t PKeyUpkeep::PatienceEndsUs() const {
    constexpr std::uint64_t kUsInMs = 1000;
    return moved_us_ + kGraceUs +
           settings_.transaction_timeout * kUsInMs * settings_.transaction_retries;
}

std::uint64_t PKeyUpkeep::NextDeadlineUs() const {
    return !is_settled_ && AwaitsAnswers() ? PatienceEndsUs() : kNever;
}

bool PKeyUpkeep::Step(std::uint64_t now_us) {
    // Our own port is known from the first answer of the first sweep on.
    if (!manages_ || parts_.fabric.own_port() == kNoPortIndex) return false;
    for (Job& job : jobs_) {
        if (job.port != kNoPortIndex) Advance(job, now_us);
    }
    if (is_settled_) return false;
    VisitSome(now_us);
    const bool is_over = cursor_ > last_lid_;
    if (AwaitsAnswers()) {
        if (now_us < PatienceEndsUs()) return !is_over && MayVisit();
        StopWaiting(now_us);
    }
    if (is_over) EndStep();
    return !is_settled_ && MayVisit();  // Answers to others make room, and wake this.
}

void PKeyUpkeep::VisitSome(std::uint64_t now_us) {
    std::uint32_t budget = kLidsAtOnce;
    while (budget != 0 && MayVisit()) {
        while (budget != 0 && cursor_ <= last_lid_ && IsLeftAlone(known_[cursor_])) {
            ++cursor_;
            --budget;
        }
        if (budget == 0 || cursor_ > last_lid_) return;
        Visit(static_cast<Lid>(cursor_++), now_us);
        budget -= std::min(budget, kLidsOfAVisit);
    }
}

/// The present step has nothing to do at this port, as what is known of it says.
bool PKeyUpkeep::IsLeftAlone(Known known) {
    if (step_ != PKeyStep::kLeave) {
        return known.state != State::kKnown || (LaterOf(known) & BitOf(step_)) == 0;
    }
    if (looks_at_sums_ || known.state != State::kKnown) return false;
    later_ |= LaterOf(known);
    return true;
}

/// Asks for the first block of a port's table where the step has something to change.
void PKeyUpkeep::Visit(Lid lid, std::uint64_t now_us) {
    EMBER_ASSERT(Raw(lid) < known_.size());
    const PortIndex at = EndPortAt(lid);
    Known& known = known_[Raw(lid)];
    if (at == kNoPortIndex || !IsDueInStep(known, at)) return;
    Port& port = parts_.fabric.port(at);
    port.lacks_p_keys = !IsLive(at);
    Ask ask{};
    if (!asker_.FindPath(at, ask)) {
        Fail(at, Status::kUnreachable, now_us);
        return;
    }
    known.state = State::kAsked;
    ask.attribute = AttributeId::kPKeyTable;
    ask.modifier = PKeyTable::Modifier(kManagementPort, 0);
    ask.cookie.detail = is_checking() ? kOfCheck : std::uint16_t{0};
    asker_.Post(ask, Kind::kFirst, Raw(lid), now_us);
    ++outcome_.blocks_read;
    ++outcome_.unheard;
    ++timely_;
    moved_us_ = now_us;
}

/// In the first step all that differs is due, in a later one what was found to be.
bool PKeyUpkeep::IsDueInStep(Known& known, PortIndex at) {
    if (known.state == State::kAsked || known.state == State::kFailed) return false;
    if (step_ != PKeyStep::kLeave) return true;
    const std::uint32_t sum = SumOf(at);
    const bool is_known = known.state == State::kKnown && known.sum == sum;
    known.sum = sum & Known::kSumBits;
    if (is_known) later_ |= LaterOf(known);
    return !is_known;
}

/// The ports that are asked at present are waited for no longer.
void PKeyUpkeep::StopWaiting(std::uint64_t now_us) {
    EMBER_ASSERT(!is_settled_);
    timely_ = 0;
    for (Job& job : jobs_) {
        if (job.port == kNoPortIndex) continue;
        const PortIndex at = job.port;
        job.port = kNoPortIndex;
        GiveUp(job, at, Status::kTimeout, now_us);
    }
    moved_us_ = now_us;
}

void PKeyUpkeep::EndStep() {
    EMBER_ASSERT(!is_settled_);
    cursor_ = is_checking() ? checked_ : 1;
    if (visits_again_) {
        visits_again_ = false;
        is_second_walk_ = true;
        return;
    }
    is_second_walk_ = false;
    while (step_ != PKeyStep::kJoin) {
        step_ = static_cast<PKeyStep>(Raw(step_) + 1);
        if ((later_ & BitOf(step_)) == 0) continue;
        later_ &= ~BitOf(step_);
        return;
    }
    is_settled_ = true;
    checked_ = 0;
}

/// A silent port is asked once more before the next step, as datagrams are lost and the other ports
/// rely on the order of steps; else in the next round. Its link does not go to ACTIVE with a
/// foreign table.
void PKeyUpkeep::Fail(PortIndex at, Status status, std::uint64_t now_us) {
    const Port& port = parts_.fabric.port(at);
    EMBER_ASSERT(Raw(port.lid) < known_.size());
    Known& known = known_[Raw(port.lid)];
    const bool is_first = step_ == PKeyStep::kLeave;
    const bool is_due = is_first || (LaterOf(known) & BitOf(step_)) != 0;
    if (status == Status::kTimeout && is_due && !is_settled_ && !is_second_walk_) {
        known.state = is_first ? State::kUnknown : State::kKnown;
        visits_again_ = true;
        return;
    }
    known.state = State::kFailed;
    known.is_unset = has_news_ = true;
    if (at == parts_.fabric.own_port()) parts_.own_p_keys.Forget();
    ++outcome_.failed;
    parts_.log.WriteSparingly<Note::kPKeysUnset>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                                 Raw(port.number), Raw(status));
}

void PKeyUpkeep::Hear(const Answer& answer, std::uint64_t now_us) {
    if (!asker_.Take()) return;  // Abandoned meanwhile.
    moved_us_ = now_us;
    if (answer.cookie.kind == Raw(Kind::kFirst)) {
        TakeFirst(answer, now_us);
        return;
    }
    const std::size_t row = answer.cookie.subject & 0xFFU;
    EMBER_ASSERT(row < jobs_.size());
    Job& job = jobs_[row];
    const bool is_awaited = job.port != kNoPortIndex && job.generation == answer.cookie.detail;
    const auto kind = static_cast<Kind>(answer.cookie.kind);
    if (kind == Kind::kSet || kind == Kind::kSetGuard) {
        counts_.Count(answer.status == Status::kOk, is_awaited && job.checks);
    }
    if (!is_awaited) return;
    EMBER_ASSERT(job.in_flight != 0);
    --job.in_flight;
    Take(job, answer);
    Advance(job, now_us);
}

/// A port has answered, or will not: what cannot be read can still be written.
void PKeyUpkeep::TakeFirst(const Answer& answer, std::uint64_t now_us) {
    if (timely_ != 0) --timely_;
    if (outcome_.unheard != 0) --outcome_.unheard;
    const auto lid = static_cast<Lid>(answer.cookie.subject);
    EMBER_ASSERT(Raw(lid) < known_.size());
    const PortIndex at = EndPortAt(lid);
    if (at == kNoPortIndex) return;
    if (answer.status != Status::kOk && answer.status != Status::kRefused) {
        if (answer.cookie.detail == kOfCheck) {  // Its table was right before.
            known_[Raw(lid)].state = state_before_check_;
        } else {
            Fail(at, answer.status, now_us);
        }
        return;
    }
    const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                  [](const Job& row) { return row.port == kNoPortIndex; });
    if (job == jobs_.end()) {  // The port was late.
        known_[Raw(lid)].state = State::kUnknown;
        visits_again_ = true;
        return;
    }
    Open(*job, at, answer.status == Status::kOk ? answer.data : SmpData{});
    Advance(*job, now_us);
}

}  // namespace ember
