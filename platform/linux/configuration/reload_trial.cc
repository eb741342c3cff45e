// SPDX-License-Identifier: Apache-2.0
// EmberSM: a configuration on trial: confirmed, or rolled back.

#include <limits>
#include <utility>

#include "platform/linux/configuration/reload.h"

namespace ember {

namespace {

constexpr std::uint64_t kUsInSecond = 1'000'000;
/// A store that is busy is asked again so often.
constexpr std::uint64_t kAskAgainUs = 5'000;

}  // namespace

TrialView Reloader::View() const {
    const SubnetStatus& status = parts_.sm.progress();
    // With a port that is down no configuration can prove itself, nor does it fail for that.
    const bool is_alone = status.up_count == 0 && parts_.sm.fabric().node_count() <= 1;
    return {.now_us = parts_.clock.NowUs(),
            .is_up = status.up,
            .is_routed = status.routed_as_configured,
            .is_resting = status.stage == Stage::kResting,
            .stands_by = is_alone || parts_.sm.role().state() == SmState::kStandby,
            .up_count = status.up_count + status.partition_changes,
            .light_sweeps = status.light_sweeps};
}

void Reloader::NoteKept(Status status) {
    if (status == Status::kOk) return;
    parts_.sm.log().Write<Note::kStoreFailed>(
        parts_.clock.NowUs(), static_cast<std::uint64_t>(StoreSlot::kConfigurationTrial),
        static_cast<std::uint64_t>(status));
}

void Reloader::BeginTrial() {
    const ConfigurationOutcome& outcome = parts_.report.outcome;
    guard_.End();
    parts_.report.trial_left_us = 0;
    parts_.report.trial_waits_for = TrialWait::kSubnetUp;
    if (!outcome.on_trial) return;
    guard_.Begin(View(), parts_.trial_us, outcome.can_roll_back);
    parts_.report.trial_left_us = parts_.trial_us;
    parts_.sm.log().Write<Note::kTrialBegan>(parts_.clock.NowUs(), outcome.counter(),
                                             parts_.trial_us / kUsInSecond);
}

std::uint64_t Reloader::watch_within_us() const {
    if (verdict_ != Verdict::kNone) return kAskAgainUs;
    return guard_.running() ? guard_.look_within_us() : std::numeric_limits<std::uint64_t>::max();
}

void Reloader::WatchTrial(bool tables_are_read) {
    waits_for_tables_ = false;
    if (!guard_.running()) return;
    if (verdict_ == Verdict::kConfirmed) return Confirm();
    if (verdict_ == Verdict::kRolledBack) return RollBack();
    const TrialCue cue = guard_.Look(View());
    parts_.report.trial_left_us = guard_.left_us();
    parts_.report.trial_waits_for = guard_.waits_for();
    switch (cue) {
        case TrialCue::kWait:
            return;
        case TrialCue::kConfirm:
            return Confirm();
        case TrialCue::kRollBack:
            waits_for_tables_ = tables_are_read;
            if (!tables_are_read) RollBack();
            return;
        case TrialCue::kOverdue:
            ++parts_.report.failed_trials;
            parts_.sm.log().Write<Note::kTrialOverdue>(parts_.clock.NowUs(),
                                                       parts_.report.outcome.counter(),
                                                       parts_.trial_us / kUsInSecond);
            return;
    }
}

void Reloader::Confirm() {
    ConfigurationReport& report = parts_.report;
    const Status status = ConfirmConfiguration(report.outcome.counter(), Verdicts());
    verdict_ = status == Status::kBusy ? Verdict::kConfirmed : Verdict::kNone;
    if (status == Status::kBusy) return;
    NoteKept(status);
    if (status != Status::kOk) {  // The store still says that it is on trial, and so do we.
        guard_.Begin(View(), parts_.trial_us, false);
        return;
    }
    guard_.End();
    report.outcome.on_trial = false;
    report.trial_left_us = 0;
    ++report.confirmed_trials;
    parts_.sm.log().Write<Note::kTrialConfirmed>(parts_.clock.NowUs(), report.outcome.counter());
}

/// A trial that never came into force left what is in force alone: then that is what was confirmed,
/// and it must not be written over. Otherwise it is read again from the store. False: there is
/// none.
bool Reloader::FindFallback() {
    fallback_outcome_ = before_;
    if (OtherTablesAreInForce()) {
        fallback_ = parts_.sm.settings();
    } else {
        fallback_outcome_ = LoadConfirmed(parts_.report.key, parts_.store,
                                          {parts_.room.work, parts_.other_tables}, fallback_);
    }
    fallback_outcome_.on_trial = false;
    return fallback_outcome_.source != ConfigurationSource::kUnchanged;
}

void Reloader::RollBack() {
    if (verdict_ == Verdict::kNone && !FindFallback()) {
        guard_.Begin(View(), 0, false);  // Better this one than none: said once, by kOverdue.
        return;
    }
    const Status status = GiveUpTrial(parts_.room.work, Verdicts());
    verdict_ = status == Status::kBusy ? Verdict::kRolledBack : Verdict::kNone;
    if (status == Status::kBusy) return;
    NoteKept(status);
    TakeFallback();
}

void Reloader::TakeFallback() {
    ConfigurationReport& report = parts_.report;
    const std::uint64_t failed = report.outcome.counter();
    const bool was_kept = guard_.waits_for() == TrialWait::kOwnRoutes;
    guard_.End();
    std::swap(parts_.room.tables, parts_.other_tables);
    parts_.sm.Configure(fallback_);
    ConfigurationOutcome outcome = fallback_outcome_;
    outcome.supplied.verdict = BlobVerdict::kRolledBack;
    if (outcome.source == ConfigurationSource::kSupplied) {
        outcome.source = ConfigurationSource::kLastGood;
        outcome.stored = outcome.supplied;
        outcome.stored.counter = before_.supplied.counter;
    }
    report.outcome = outcome;
    report.trial_left_us = 0;
    ++report.failed_trials;
    NoteRestartKeys(fallback_);
    Log& log = parts_.sm.log();
    const std::uint64_t now_us = parts_.clock.NowUs();
    const std::uint64_t allowed_s = parts_.trial_us / kUsInSecond;
    if (was_kept) {
        log.Write<Note::kTrialUnrouted>(now_us, failed, allowed_s, outcome.counter());
    } else {
        log.Write<Note::kTrialRolledBack>(now_us, failed, allowed_s, outcome.counter());
    }
}

/// The writer's thread has ended, and its store writes at once: no save says kBusy any more.
void Reloader::EndInOrder(bool confirms) {
    if (!guard_.running()) return;
    if (verdict_ == Verdict::kRolledBack) return RollBack();
    const SubnetStatus& status = parts_.sm.progress();
    const bool is_proved = confirms && status.up && status.routed_as_configured;
    if (verdict_ == Verdict::kConfirmed || is_proved) return Confirm();
    NoteKept(ExcuseStart(Verdicts()));
}

}  // namespace ember
