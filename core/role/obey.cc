// SPDX-License-Identifier: Apache-2.0
// EmberSM: what other SMs tell this one to do: Set(SMInfo). IBA vol. 1, 14.4.1.

#include <bit>

#include "core/base/time.h"
#include "core/role/role.h"

namespace ember {
namespace {

/// Between two Sets that are obeyed.
constexpr std::uint64_t kSetPaceUs = kSecondUs;

}  // namespace

/// The MAD status that answers a Set(SMInfo). `sender`: the SM that it came from, if it has
/// answered with our SM_Key; else nullptr.
std::uint16_t Role::TakeSet(const Envelope& request, OtherSm* sender, std::uint64_t now_us) {
    const auto control =
        static_cast<SmControl>(std::uint32_t{request.mad.header.attribute_modifier});
    const auto info = std::bit_cast<SmInfo>(DataOf(request.mad));
    Verdict verdict = sender != nullptr ? Judge(*sender, info, control) : Verdict::kRefused;
    if (verdict == Verdict::kObeyed) verdict = Pace(*sender, control, now_us);
    switch (verdict) {
        case Verdict::kIdle:
            return 0;
        case Verdict::kTooSoon:
            return kMadStatusBusy;
        case Verdict::kRefused:
            log_.WriteSparingly<Note::kSmInfoSetRefused>(now_us, Raw(control), state_,
                                                         kMadStatusInvalidField);
            return kMadStatusInvalidField;
        case Verdict::kObeyed:
            break;
    }
    candidate_ = *sender;
    candidate_.priority = info.Get(SmInfo::kPriority);
    candidate_.state = info.Get(SmInfo::kSmState);
    TurnBack(request, candidate_);
    Obey(control, now_us);
    return 0;
}

/// Whether an SM that has our key may say this to us in our role. SM_Key 0 is accepted too: so
/// OpenSM hands over to a standby, to which it does not show its own.
Role::Verdict Role::Judge(OtherSm& sender, const SmInfo& info, SmControl control) {
    EMBER_ASSERT(sender.counts);
    const std::uint64_t key = info.Get(SmInfo::kSmKey);
    if (key != 0 && settings_.sm_key != 0 && key != settings_.sm_key) return Verdict::kRefused;
    const SmState state = info.Get(SmInfo::kSmState);
    const bool is_masters = state == SmState::kMaster;
    if (control == SmControl::kAcknowledge) {
        return state == SmState::kStandby ? Verdict::kIdle : Verdict::kRefused;
    }
    if (!is_masters) return Verdict::kRefused;
    const bool is_followed =
        state_ == SmState::kStandby && watching_ && watched_.port == sender.port;
    switch (control) {
        case SmControl::kHandover:
            return JudgeHandover(sender);
        case SmControl::kDisable:
        case SmControl::kDiscover:
            return is_followed ? Verdict::kObeyed : Verdict::kRefused;
        case SmControl::kStandby:  // A NOT-ACTIVE SM follows no master, so any master may wake it.
            if (state_ == SmState::kNotActive) return Verdict::kObeyed;
            return is_followed ? Verdict::kIdle : Verdict::kRefused;
        case SmControl::kAcknowledge:
            break;
    }
    return Verdict::kRefused;  // A modifier that the specification does not know.
}

Role::Verdict Role::JudgeHandover(OtherSm& sender) {
    EMBER_ASSERT(sender.counts);
    switch (state_) {
        case SmState::kNotActive:
            return Verdict::kIdle;
        case SmState::kDiscovering:
            sender.state = SmState::kStandby;  // The election that is coming has no master there.
            return Verdict::kIdle;
        case SmState::kStandby:
            return Verdict::kObeyed;
        case SmState::kMaster:
            break;
    }
    if (awaited_ != kNoGuid && awaited_ == sender.guid) return Verdict::kObeyed;
    // A HANDOVER would only begin a first sweep, and that is under way.
    was_handed_over_ = first_sweep_;
    return first_sweep_ ? Verdict::kIdle : Verdict::kObeyed;
}

/// The same again is a repetition whose answer was lost; anything else has to wait. But each of
/// several masters that meet may hand over to us: one that is refused would serve on.
Role::Verdict Role::Pace(const OtherSm& sender, SmControl control, std::uint64_t now_us) {
    const bool is_others = sender.port != last_sender_ && control == SmControl::kHandover;
    if (now_us < next_set_us_ && !is_others) {
        const bool is_repeated = sender.port == last_sender_ && control == last_control_;
        return is_repeated ? Verdict::kIdle : Verdict::kTooSoon;
    }
    next_set_us_ = now_us + kSetPaceUs;
    last_sender_ = sender.port;
    last_control_ = control;
    return Verdict::kObeyed;
}

void Role::TakeHandover(std::uint64_t now_us) {
    EMBER_ASSERT(candidate_.guid != kNoGuid);
    log_.Write<Note::kHandoverReceived>(now_us, candidate_.guid, candidate_.priority);
    OtherSm yielded = candidate_;
    yielded.state = SmState::kStandby;
    UpdateRow(yielded);
    const bool is_met = state_ != SmState::kMaster || awaited_ == candidate_.guid;
    if (!is_met) {  // The sweep that follows finds it yielded, and then all is swept anew.
        awaited_ = candidate_.guid;
        awaited_since_us_ = now_us;
        is_overdue_ = false;
    }
    React(is_met ? Cue::kHandover : Cue::kHandoverUnmet, now_us);
}

/// Does what the candidate says.
void Role::Obey(SmControl control, std::uint64_t now_us) {
    switch (control) {
        case SmControl::kHandover:
            TakeHandover(now_us);
            break;
        case SmControl::kAcknowledge:
            React(Cue::kAcknowledge, now_us);
            break;
        case SmControl::kDisable:
            React(Cue::kDisable, now_us);
            break;
        case SmControl::kStandby:
            React(Cue::kStandby, now_us);
            break;
        case SmControl::kDiscover:
            React(Cue::kDiscover, now_us);
            break;
    }
}

}  // namespace ember
