// SPDX-License-Identifier: Apache-2.0
// EmberSM: which sweep is due, of what, and what holds it back.

#include "core/manager/sweep_plan.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Heavy sweeps in a row that follow one with errors at once, before the timer paces them.
inline constexpr std::uint32_t kHastyRetries = 3;
/// Leisurely sweeps in a row that follow one another at once, before the timer paces them.
inline constexpr std::uint32_t kLeisurelyRetries = 3;
/// Sweeps in a row that a trap asked for and that found nothing new, before they are paced.
inline constexpr std::uint32_t kFruitlessTraps = 3;
/// Wait before sweeping again when our own port is down.
inline constexpr std::uint64_t kPortDownRetryUs = kSecondUs;
/// Wait after errors where no timer paces the sweeps.
inline constexpr std::uint64_t kRetryUs = 10 * kSecondUs;
/// Wait after a targeted sweep, if no other follows.
inline constexpr std::uint64_t kLookAgainUs = 300'000;
/// Looks at links that were taken down, the first so long after, each pause twice the one before:
/// 4.5 s in all, in which links train.
inline constexpr std::uint32_t kTrainingLooks = 4;

}  // namespace

void SweepPlan::Hear(SweepCue cue) {
    const SweepRule& rule = RuleOf(cue);
    EMBER_ASSERT(rule.asks != SweepScope::kSwitch);
    if (rule.asks == SweepScope::kLight) {
        (rule.pace == SweepPace::kEachSecond ? light_hinted_ : light_wanted_) = true;
        return;
    }
    WantWhole(rule);
}

/// A trap's reason gives way: traps may be paced, and no other cue is.
void SweepPlan::WantWhole(const SweepRule& rule) {
    EMBER_ASSERT(rule.asks != SweepScope::kLight);
    if (!heavy_wanted_ || reason_ == SweepReason::kTrap) reason_ = rule.reason;
    heavy_wanted_ = true;
    whole_wanted_ = true;
    is_leisurely_ = rule.pace == SweepPace::kLeisurely;
}

void SweepPlan::Hear(SweepCue cue, SwitchIndex at) {
    const SweepRule& rule = RuleOf(cue);
    EMBER_ASSERT(rule.asks == SweepScope::kSwitch);
    if (at == kNoSwitch) {
        WantWhole(rule);
        return;
    }
    const bool is_known = std::find(suspects_.begin(), suspects_.end(), at) != suspects_.end();
    if (!is_known && suspects_.TryPush(at) != Status::kOk) whole_wanted_ = true;
    EMBER_ASSERT(whole_wanted_ || !suspects_.empty());
    if (!heavy_wanted_) reason_ = rule.reason;
    heavy_wanted_ = true;
}

void SweepPlan::Abandon() {
    heavy_wanted_ = light_wanted_ = light_hinted_ = false;
    timer_us_ = look_again_us_ = training_us_ = kNever;
}

/// A bit cleared at a switch that is asked alone is confirmed by a heavy sweep when the timer is
/// due; see EndHeavy(). So without a timer everything is asked.
bool SweepPlan::MayTarget(const SweepFacts& facts) const {
    return settings_.sweep_interval != 0 && !whole_wanted_ && !suspects_.empty() && facts.is_up &&
           facts.is_well_known;
}

/// Some switches are asked at once, however many traps for nothing others send; everything is not.
bool SweepPlan::IsPaced(const SweepFacts& facts) const {
    EMBER_ASSERT(heavy_wanted_);
    return reason_ == SweepReason::kTrap && !MayTarget(facts);
}

SweepChoice SweepPlan::Choose(const SweepFacts& facts, std::uint64_t now_us) {
    hold_ = SweepHold::kNothing;
    const bool due = now_us >= timer_us_;
    const bool is_heavy = !facts.is_up || settings_.force_heavy_sweep || confirmation_due_;
    const bool looks = TakeTrainingLook(now_us);
    if (looks && facts.is_up) light_wanted_ = true;
    if (looks && !facts.is_up) Hear(SweepCue::kErrors);
    if (due && is_heavy) Hear(facts.is_up ? SweepCue::kTimer : SweepCue::kTimerNotUp);
    if (heavy_wanted_ && (!IsPaced(facts) || now_us >= next_trap_us_)) return SweepChoice::kHeavy;
    if (heavy_wanted_) hold_ = SweepHold::kTrapsPaced;
    return ChooseLight(facts, due, now_us);
}

/// Links that were taken down are down for a while. Their traps tell when they are back, unless our
/// own link was one of them.
bool SweepPlan::TakeTrainingLook(std::uint64_t now_us) {
    if (now_us < training_us_) return false;
    EMBER_ASSERT(trainings_ > 0);
    --trainings_;
    const std::uint64_t pause_us = kLookAgainUs << (kTrainingLooks - trainings_);
    training_us_ = trainings_ == 0 ? kNever : now_us + pause_us;
    return true;
}

SweepChoice SweepPlan::ChooseLight(const SweepFacts& facts, bool due, std::uint64_t now_us) {
    const bool is_hinted = light_hinted_ && now_us >= next_hinted_us_;
    const bool looks_again = now_us >= look_again_us_;
    if (looks_again) look_again_us_ = kNever;
    if (!due && !light_wanted_ && !is_hinted && !looks_again) {
        if (light_hinted_) hold_ = SweepHold::kHintPaced;
        return SweepChoice::kNone;
    }
    light_wanted_ = false;
    light_hinted_ = false;
    if (is_hinted && !due) next_hinted_us_ = now_us + kSecondUs;
    if (facts.is_up) return SweepChoice::kLight;
    hold_ = SweepHold::kHeavyInstead;
    return SweepChoice::kNone;
}

SweepOrder SweepPlan::BeginHeavy(const SweepFacts& facts) {
    const bool is_targeted = MayTarget(facts);
    SweepOrder order;
    order.reason = reason_;
    order.is_leisurely = is_leisurely_ && suspects_.empty();
    if (is_targeted) {
        targets_ = suspects_;
        order.targets = {targets_.begin(), targets_.size()};
    }
    suspects_.clear();
    heavy_wanted_ = false;
    whole_wanted_ = false;
    is_leisurely_ = false;
    light_wanted_ = false;
    light_hinted_ = light_hinted_ && is_targeted;  // A targeted sweep leaves switches out.
    look_again_us_ = kNever;
    return order;
}

/// A change between the reading of a port and the clearing of its switch's PortStateChange leaves
/// no trace there. So what was cleared is confirmed once, by a heavy sweep when the timer is due.
/// So is what a targeted sweep took for granted, and what a sweep with errors may have missed.
void SweepPlan::EndHeavy(const SweepEnd& end, std::uint64_t now_us) {
    forgiven_ = end.good ? std::exchange(bad_in_a_row_, 0) : 0;
    if (!end.good) ++bad_in_a_row_;
    if (!end.good && bad_in_a_row_ <= kHastyRetries) Hear(SweepCue::kErrors);
    confirmation_due_ = !end.good || end.targeted || end.cleared;
    const std::uint64_t interval_us = settings_.sweep_interval * kSecondUs;
    // Without a timer a subnet with errors would stay so for ever.
    const std::uint64_t next_us = interval_us != 0 ? now_us + interval_us
                                  : end.good       ? kNever
                                                   : now_us + kRetryUs;
    // A targeted sweep does not put off what confirms it.
    timer_us_ = end.targeted ? std::min(timer_us_, next_us) : next_us;
    // The sweep looked only where traps came from: a light one finds what lost traps would tell.
    if (end.targeted) look_again_us_ = now_us + kLookAgainUs;
    if (!end.bounced || training_us_ != kNever) return;
    trainings_ = kTrainingLooks;
    training_us_ = now_us + kLookAgainUs;
}

/// A light sweep settles nothing that a heavy one could not: hasty retries are not earned anew.
void SweepPlan::EndLight(std::uint64_t now_us) {
    const std::uint64_t interval_us = settings_.sweep_interval * kSecondUs;
    const std::uint64_t next_us = interval_us != 0 ? now_us + interval_us : kNever;
    timer_us_ = confirmation_due_ ? std::min(timer_us_, next_us) : next_us;
}

void SweepPlan::EndAtOwnPort(std::uint64_t now_us) {
    timer_us_ = now_us + kPortDownRetryUs;
}

/// After traps that led to nothing, three sweeps in a row, another whole sweep is not made for a
/// trap more often than once a second.
void SweepPlan::NoteNews(bool has_news, SweepReason reason, std::uint64_t now_us) {
    if (has_news) fruitless_in_a_row_ = 0;
    if (!has_news && reason == SweepReason::kTrap) ++fruitless_in_a_row_;
    next_trap_us_ = fruitless_in_a_row_ >= kFruitlessTraps ? now_us + kSecondUs : 0;
}

/// Another sweep takes its time with them, a few times at once, and then at the pace of the timer.
void SweepPlan::FollowEndPorts(bool lacking, std::uint64_t now_us) {
    confirmation_due_ = true;
    if (settings_.sweep_interval == 0) timer_us_ = now_us + kRetryUs;
    if (!lacking || heavy_wanted_ || leisurely_in_a_row_ >= kLeisurelyRetries) return;
    ++leisurely_in_a_row_;
    bad_in_a_row_ += std::exchange(forgiven_, 0);
    Hear(SweepCue::kEndPorts);
}

/// A sweep with errors may have lost the hosts that lacked something. A node that is there in every
/// other sweep would earn retries anew for ever, if hosts were forgiven by sweeps with errors, and
/// errors by sweeps that left hosts.
void SweepPlan::ForgetEndPorts() {
    if (bad_in_a_row_ == 0) leisurely_in_a_row_ = 0;
}

std::uint64_t SweepPlan::NextDeadlineUs(const SweepFacts& facts, std::uint64_t now_us) const {
    std::uint64_t next = std::min({timer_us_, look_again_us_, training_us_});
    if (heavy_wanted_) next = std::min(next, MayTarget(facts) ? now_us : next_trap_us_);
    if (light_hinted_) next = std::min(next, next_hinted_us_);
    return next;
}

}  // namespace ember
