// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routes of a bring-up, and between two: made, mended, kept or balanced.

#include "core/subnet_manager.h"

namespace ember {
namespace {

/// Work on routes in one step, so that the management port is served in between.
inline constexpr std::uint64_t kRoutingSliceUs = 1000;
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
inline constexpr std::uint64_t kSecondUs = 1'000'000;

using Hops = Matrix<SwitchIndex, const std::uint8_t>;

}  // namespace

void SubnetManager::BeginRouting(std::uint64_t now_us, bool may_mend) {
    status_.routing_us = 0;
    status_.verifying_us = 0;
    // Another may have managed, and routed, meanwhile.
    if (role_.is_first_sweep()) status_.routed_as_configured = safe_in_force_ = false;
    ChooseEngines(now_us);
    planned_.Fit(fabric_.top_lid(), may_mend ? fabric_.switch_bound() : 0);
    if (may_mend) {
        // A sweep that asked everybody has everything proved: it confirms what was mended before.
        router_.BeginMending(fabric_, settings_, Chosen(), planned_.tables(), scratch_);
        if (discovery_.outcome().targeted) router_.ProveChangesOnly();
    } else {
        planned_is_base_ = false;  // It is made anew.
        router_.Begin(fabric_, settings_, Chosen(), planned_.tables(), scratch_);
    }
}

/// Under EmberSM's own order routes that still do stay, unless somebody asked for more than that
/// the subnet be well again. The orders that OpenSM knows have no memory.
bool SubnetManager::MayMend() const {
    if (!planned_is_base_ || settings_.order != Order::kBalanced) return false;
    switch (status_.last_reason) {
        case SweepReason::kStart:
        case SweepReason::kRequest:
        case SweepReason::kRole:
        case SweepReason::kConfiguration:
            return false;
        case SweepReason::kTimer:
        case SweepReason::kTrap:
        case SweepReason::kChange:
        case SweepReason::kSilence:
        case SweepReason::kConflict:
        case SweepReason::kErrors:
        case SweepReason::kRelease:
            return true;
    }
    return false;
}

/// After a run: whether the next may mend, and whether the balance has suffered.
void SubnetManager::RememberBalance(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    const bool made =
        verdict.outcome == RoutingOutcome::kVerified || verdict.outcome == RoutingOutcome::kWarned;
    planned_is_base_ = made;
    RememberSafety(now_us);
    if (made || verdict.outcome == RoutingOutcome::kNothingToRoute) {
        status_.routed_as_configured = true;
    }
    if (made && !verdict.was_mended) status_.mended = false;
    if (!made || !verdict.was_mended || verdict.mended.entries == 0) return;
    status_.mended = true;
    mended_at_us_ = now_us;
}

/// Whether the tables in force are the safe routing's, which no list has asked for. Tables that are
/// kept are whose they were before.
void SubnetManager::RememberSafety(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    if (verdict.outcome == RoutingOutcome::kKept || verdict.outcome == RoutingOutcome::kRefused) {
        return;
    }
    const bool was_safe = safe_in_force_;
    safe_in_force_ = verdict.outcome == RoutingOutcome::kSafe;
    if (safe_in_force_) status_.routed_as_configured = false;
    if (was_safe && !safe_in_force_ && !verdict.engine.empty()) {
        journal_.Write<Note::kSafeRoutingEnded>(now_us, EngineNumber(verdict.engine));
    }
}

/// When routes that were mended are to be balanced; kNever: not.
std::uint64_t SubnetManager::BalanceDueUs() const {
    const bool wanted = settings_.offsweep_balancing_enabled && status_.mended && status_.up;
    if (!wanted || !MaySweep() || settings_changed_) return kNever;
    return mended_at_us_ + settings_.offsweep_balancing_window * kSecondUs;
}

/// All routes anew on the subnet as known, while nothing else is to be done. A sweep that is wanted
/// meanwhile begins when this has ended; the tables then are whole.
void SubnetManager::BeginBalancing(std::uint64_t now_us) {
    ++status_.balancings;
    balancing_ = true;
    after_light_sweep_ = false;
    journal_.Write<Note::kBalancingStarted>(now_us, (now_us - mended_at_us_) / kSecondUs);
    Enter(Stage::kPreparing, now_us);
    preparation_ = Preparation::kDone;
    routing_done_ = false;
    programming_.BeginRound(false);
    programming_.Begin(Programming::Stage::kIdle);
    BeginRouting(now_us, false);
}

void SubnetManager::EndBalancing(std::uint64_t now_us) {
    balancing_ = false;
    status_.mended = false;
    RememberUp();
    journal_.Write<Note::kRoutesBalanced>(now_us, programming_.outcome().blocks_set);
    Enter(Stage::kResting, now_us);
}

/// Those of Settings::routing_engine, in its order. What the board has not is refused by its name,
/// and nothing takes its place but what is configured behind it.
void SubnetManager::ChooseEngines(std::uint64_t now_us) {
    chosen_.clear();
    resort_ = Resort::kNone;
    StaticVector<EngineKind, kMaxEngines> wanted = settings_.routing_engine;
    if (wanted.empty()) static_cast<void>(wanted.TryPush(EngineKind::kMinHop));
    for (const EngineKind kind : wanted) {
        RoutingEngine* found = nullptr;
        for (RoutingEngine* const engine : engines_) {
            if (engine->kind() == kind) found = engine;
        }
        if (found == nullptr) journal_.Write<Note::kEngineAbsent>(now_us, Raw(kind));
        static_cast<void>(chosen_.TryPush(found));
    }
}

/// The board's engine of last resort; nullptr: it has none.
RoutingEngine* SubnetManager::SafestEngine() const {
    for (RoutingEngine* const engine : engines_) {
        if (engine->promise(settings_).last_resort) return engine;
    }
    return nullptr;
}

/// No engine could route the fabric. True when it is now being looked at what else would do:
/// AdvanceRouting() goes on. First whether what the switches have is right as it is; then the safe
/// routing; neither under `no_fallback`. The last run tells only what must not stay.
bool SubnetManager::TryNextResort() {
    if (resort_ == Resort::kNone && !settings_.no_fallback) {
        resort_ = Resort::kKeeping;
        router_.BeginKeeping(programming_.programmed());
    } else if (resort_ == Resort::kKeeping && SafestEngine() != nullptr) {
        resort_ = Resort::kSafe;
        router_.BeginSafe(*SafestEngine());
    } else if (resort_ != Resort::kDropping) {
        resort_ = Resort::kDropping;
        router_.BeginDropping(programming_.programmed());
    } else {
        return false;
    }
    routing_done_ = false;
    return true;
}

/// Links stay as they are: what forwards today goes on, what is new is not opened. But no table
/// keeps a route into a link that is gone.
void SubnetManager::BeginDropping(std::uint64_t now_us) {
    journal_.Write<Note::kRoutingRefused>(now_us);
    status_.up = false;
    Enter(Stage::kProgramming, now_us);
    programming_.BeginBlocks({.lfts = planned(), .hops = {}, .only_known = true});
}

/// The end of a sweep that found no routes.
void SubnetManager::EndRefusal(std::uint64_t now_us) {
    programming_.Begin(Programming::Stage::kIdle);
    const std::uint32_t blocks = programming_.outcome().blocks_set;
    if (blocks != 0) journal_.Write<Note::kDeadRoutesDropped>(now_us, blocks);
    SaveLids(now_us);
    // Tables are read and clients have been told; the next try need not tell them again.
    role_.EndFirstSweep();
    if (!balancing_) multicast_.Resume(router_.hops(), now_us);
    KeepRegistered();  // Clients are served, so what they register is kept.
    PaceTraps(now_us);
    AfterSweep(false, now_us);
}

void SubnetManager::AdvanceRouting() {
    const std::uint64_t began_us = platform_.work_clock.NowUs();
    std::uint64_t slice_began_us = began_us;
    while (!routing_done_ && slice_began_us - began_us < kRoutingSliceUs) {
        const bool verifying = router_.phase() == Router::Phase::kVerifier;
        routing_done_ = router_.Advance() == Progress::kDone;
        const std::uint64_t slice_ended_us = platform_.work_clock.NowUs();
        (verifying ? status_.verifying_us : status_.routing_us) += slice_ended_us - slice_began_us;
        slice_began_us = slice_ended_us;
    }
    if (!routing_done_ || !router_.verdict().proved_changes_only) return;
    programming_.ExpectChanges();
    for (const ChangeLog::Entry& entry : router_.changed_entries()) {
        programming_.Expect(entry.at, entry.lid);
    }
}

void SubnetManager::EndRouting(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    WriteVerdict(now_us);
    if (verdict.outcome == RoutingOutcome::kRefused && TryNextResort()) return;
    RememberBalance(now_us);
    if (verdict.outcome == RoutingOutcome::kRefused) {
        BeginDropping(now_us);
        return;
    }
    if (verdict.outcome == RoutingOutcome::kNothingToRoute) {
        BeginActivating(now_us);
        return;
    }
    Enter(Stage::kProgramming, now_us);
    const bool all_shortest =
        verdict.findings.longer_routes == 0 && settings_.tables.hop_weights.empty();
    programming_.BeginBlocks({.lfts = planned(), .hops = all_shortest ? router_.hops() : Hops{}});
}

}  // namespace ember
