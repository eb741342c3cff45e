// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is given up, and what is followed up when the subnet is up but for some hosts.

#include "core/subnet_manager.h"

namespace ember {
namespace {

inline constexpr std::uint64_t kSecondUs = 1'000'000;
/// Leisurely sweeps in a row that follow one another at once, before the timer paces them.
inline constexpr std::uint32_t kLeisurelyRetries = 3;
/// Wait for the next one where no timer paces them.
inline constexpr std::uint64_t kRetryUs = 10 * kSecondUs;

}  // namespace

/// A switch is silent after a targeted sweep, which may not have met it. A heavy sweep meets only
/// who answers, and takes less time than the other Sets to it would.
bool SubnetManager::MustGiveUpRound() const {
    return !balancing_ && discovery_.outcome().targeted && programming_.outcome().unanswered != 0;
}

/// The switches keep what they have by now. What they were sent and did not acknowledge counts as
/// unknown, and routes are those that were planned last, so the next round can go on from there.
void SubnetManager::GiveUpRound(std::uint64_t now_us) {
    const ProgrammingOutcome& outcome = programming_.outcome();
    journal_.Write<Note::kRoundGivenUp>(now_us, outcome.unanswered);
    programming_.Abandon();
    Enter(Stage::kResting, now_us);
    RequestSweep(true, SweepReason::kSilence);
    BeginHeavySweep(now_us);
}

/// Hosts and routers that could not be configured: they are told, once as long as they stay the
/// same, and keep nobody else waiting.
void SubnetManager::TellEndPorts(std::uint64_t now_us) {
    const ProgrammingOutcome& outcome = programming_.outcome();
    if (outcome.end_ports_failed == 0) {
        if (!programming_.awaits_end_ports()) told_end_ports_ = 0;
        return;
    }
    const bool is_news =
        outcome.end_ports_failed != told_end_ports_ || !(outcome.failed_end_port == told_end_port_);
    if (!is_news) return;
    told_end_ports_ = outcome.end_ports_failed;
    told_end_port_ = outcome.failed_end_port;
    journal_.Write<Note::kEndPortsFailed>(now_us, told_end_ports_, Raw(told_end_port_.guid),
                                          Raw(told_end_port_.port));
}

/// The subnet is up but for some hosts and routers: another sweep takes its time with them, a few
/// times at once, and then at the pace of the timer.
void SubnetManager::FollowEndPorts(std::uint64_t now_us) {
    const ProgrammingOutcome& outcome = programming_.outcome();
    seen_end_ports_ = outcome.end_ports_failed;
    const bool lacks = discovery_.outcome().late != 0 || outcome.end_ports_failed != 0;
    if (!lacks && outcome.end_ports_bounced == 0) {
        if (!programming_.awaits_end_ports()) leisurely_in_a_row_ = 0;
        return;
    }
    confirmation_due_ = true;
    if (settings_.sweep_interval == 0) {
        next_sweep_us_ = now_us + kRetryUs;
    }
    if (!lacks || heavy_wanted_ || leisurely_in_a_row_ >= kLeisurelyRetries) return;
    ++leisurely_in_a_row_;
    RequestSweep(true, SweepReason::kErrors);
    is_leisurely_ = true;
}

/// The management port is gone, and stays so: a sweep would ask nobody. Who runs us is told by
/// Exchange::port_is_alive(), and may start us anew on another.
bool SubnetManager::RestsForGood() {
    if (exchange_.port_is_alive()) return false;
    status_.up = false;
    heavy_wanted_ = light_wanted_ = light_hinted_ = false;
    next_sweep_us_ = look_again_us_ = ~std::uint64_t{0};
    return true;
}

void SubnetManager::GiveUpSweep() {
    switch (status_.stage) {
        case Stage::kResting:
        case Stage::kElecting:
            programming_.Abandon();  // End ports that have not answered yet.
            break;
        case Stage::kDiscovering:
            discovery_.Abandon();
            break;
        case Stage::kPreparing:
        case Stage::kProgramming:
        case Stage::kActivating:
            programming_.Abandon();
            router_.Stop();
            routing_done_ = true;
            break;
        case Stage::kLightSweep:
            light_sweep_.Abandon();
            break;
    }
}

}  // namespace ember
