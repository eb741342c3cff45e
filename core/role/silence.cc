// SPDX-License-Identifier: Apache-2.0
// EmberSM: polls of the master that is followed, and its silence.

#include <algorithm>

#include "core/base/time.h"
#include "core/role/role.h"

namespace ember {
namespace {

/// A master that is a proved peer is polled so often, each poll once, and is silent when more than
/// so many polls in a row were in vain and no message of it came for so long: 0.6 s after its last
/// word. At a loss of a fifth, both ways, all of that happens by chance once in half a year.
constexpr std::uint64_t kFastPollUs = 200 * kMillisecondUs;
constexpr std::uint32_t kFastMisses = 1;
constexpr std::uint64_t kFastSilenceUs = 500 * kMillisecondUs;
/// Where sminfo_polling_timeout is not set any other master is polled so often: with the default of
/// polling_retry_number it is silent some 4 s after its last word.
constexpr std::uint64_t kUnsetPollUs = 800 * kMillisecondUs;
/// But the time to hand over is counted in such polls, which is OpenSM's default: a sweep of a
/// large subnet comes before it.
constexpr std::uint64_t kPatientPollUs = 10 * kSecondUs;

}  // namespace

/// A master that settles with another one may give itself another LID, and its LID to another SM:
/// polls to that would go unanswered, and greetings keep the master from being silent.
void Role::Confirm(Guid guid, std::uint64_t heard_us, Lid lid) {
    if (!watching_ || guid != watched_.guid || heard_us <= confirmed_us_) return;
    if (lid != kNoLid && !watched_.directed) watched_.lid = lid;
    const bool is_first = confirmed_us_ == 0;
    confirmed_us_ = heard_us;
    if (is_first) next_poll_us_ = std::min(next_poll_us_, heard_us + PollUs());
}

/// A timeout that is set counts, so that a site can say how long a master may hang.
bool Role::PollsFast() const {
    return confirmed_us_ != 0 && state_ == SmState::kStandby &&
           settings_.sminfo_polling_timeout == 0;
}

std::uint64_t Role::PollUs() const {
    if (PollsFast()) return kFastPollUs;
    return settings_.sminfo_polling_timeout == 0 ? kUnsetPollUs : PatientPollUs();
}

/// The polls in which the time that an SM gets to hand over is counted.
std::uint64_t Role::PatientPollUs() const {
    const std::uint64_t set_us = settings_.sminfo_polling_timeout * kMillisecondUs;
    return set_us == 0 ? kPatientPollUs : set_us;
}

/// A master that answers as another role may be handing over: it has the time of patient polls. A
/// master that ranks below us has none: it will not be master while we are there, and it may wait
/// for us as we wait for it.
bool Role::IsSilent(bool is_heard, std::uint64_t now_us) const {
    EMBER_ASSERT(watching_);
    if (is_heard && Outranks(watched_)) return true;
    const std::uint64_t retries = settings_.polling_retry_number;
    if (is_heard) return misses_ * PollUs() > retries * PatientPollUs();
    if (!PollsFast()) {
        // Where no timeout is set silence is a time: a poll in vain, with its tries, takes longer
        // than the pause between two, so that fewer come into it.
        const bool is_timed = settings_.sminfo_polling_timeout == 0 && unheard_ > 1;
        const std::uint64_t enough_us = retries * kUnsetPollUs + kUnsetPollUs / 2;
        return unheard_ > retries || (is_timed && now_us >= heard_us_ + enough_us);
    }
    return unheard_ > kFastMisses && now_us >= confirmed_us_ + kFastSilenceUs;
}

void Role::HearPoll(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(watching_);
    EMBER_ASSERT(poll_is_out_);
    poll_is_out_ = false;
    const bool is_heard = Learn(answer, watched_, now_us);
    if (is_heard) {
        heard_us_ = now_us;
        UpdateRow(watched_);
    }
    if (is_heard && watched_.state == SmState::kMaster) {
        watched_.m_key = MKeyFor(watched_);
        misses_ = 0;
        unheard_ = 0;
        // The master ranked below when it was met: each of the two would wait for the other.
        if (is_master() && !Outranks(watched_)) {
            candidate_ = watched_;
            React(Cue::kMasterMet, now_us);
            return;
        }
        NoteProof();
        SendTrap(now_us);
        return;
    }
    // A lower master that has ceased to be one leaves the subnet to us; a master that has ceased
    // to be one may be about to hand over, so a standby gives it the time of its polls.
    ++misses_;
    unheard_ = is_heard ? 0 : unheard_ + 1;
    const bool has_yielded = is_heard && is_master();
    if (!has_yielded && !IsSilent(is_heard, now_us)) return;
    silent_ = PollsFast() ? watched_.port : kNoGuid;
    log_.Write<Note::kMasterSilent>(now_us, watched_.guid, misses_);
    React(Cue::kMasterSilent, now_us);
}

}  // namespace ember
