// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routes of the subnet: made, mended, kept or balanced.

#include "core/routing/routes.h"

#include <utility>

namespace ember {
namespace {

/// Work on routes in one step.
inline constexpr std::uint64_t kRoutingSliceUs = kMillisecondUs;

}  // namespace

Routes::Routes(const Memory& memory, const Limits& limits, const Parts& parts,
               const Settings& settings, std::span<RoutingEngine* const> engines)
    : parts_(parts),
      settings_(settings),
      engines_(engines),
      plan_(memory.plan, limits),
      router_(memory.router, limits),
      notes_(parts.log, router_, engines),
      lane_notes_(parts.log),
      planned_(memory.planned, limits),
      most_steps_(limits.max_routing_steps) {}

void Routes::Configure(const Settings& before, const Settings& next) {
    const bool is_alike = RouteAlike(before, next) && LevelWishOf(before) == LevelWishOf(next);
    if (!is_alike) is_as_configured_ = false;
    is_base_ = false;
    was_plan_logged_ = false;
    notes_.ForgetOptionMisses();
}

void Routes::Begin(const Cause& cause, std::uint64_t now_us) {
    if (cause.is_first_sweep) is_as_configured_ = is_safe_in_force_ = false;
    const std::uint32_t one_lanes = SumOfOneLanes(parts_.fabric);
    if (std::exchange(one_lanes_, one_lanes) != one_lanes) is_base_ = false;
    Start(MayMend(cause.reason) ? Manner::kMends : Manner::kAnew, cause.is_targeted, now_us);
}

/// A sweep that is wanted meanwhile begins after this run, when the tables are complete.
void Routes::BeginBalancing(std::uint64_t now_us) {
    parts_.log.Write<Note::kBalancingStarted>(now_us, (now_us - mended_at_us_) / kSecondUs);
    Start(is_base_ ? Manner::kBalances : Manner::kAnew, false, now_us);
}

void Routes::Start(Manner manner, bool is_targeted, std::uint64_t now_us) {
    EMBER_ASSERT(is_done_);
    work_ = {};
    is_done_ = false;
    resort_ = Resort::kNone;
    manner_ = manner;
    is_targeted_ = is_targeted;
    began_us_ = now_us;
    makes_plan_ = true;
    plan_.Begin(parts_.fabric, settings_, engines_);
    if (settings_.manager_tables.chain_steps.empty()) MakePlan();
}

/// Looks for the next ports of the chain's topologies, and begins to route when all are known.
void Routes::MakePlan() {
    if (plan_.Advance() == Progress::kMore) return;
    makes_plan_ = false;
    LogPlan(began_us_);
    const Fabric& fabric = parts_.fabric;
    planned_.Fit(fabric.top_lid(), manner_ == Manner::kAnew ? 0 : fabric.switch_bound());
    if (manner_ == Manner::kBalances) {
        is_base_ = false;  // Until it has ended well.
        router_.BeginBalancing(fabric, plan_.plan(), planned_.tables(), parts_.scratch);
    } else if (manner_ == Manner::kMends) {
        // After a sweep of all nodes all routes are proved, those that were mended before too.
        router_.BeginMending(fabric, plan_.plan(), planned_.tables(), parts_.scratch);
        if (is_targeted_) router_.ProveChangesOnly();
    } else {
        is_base_ = false;  // All routes are made anew.
        router_.Begin(fabric, plan_.plan(), planned_.tables(), parts_.scratch);
    }
}

/// Under EmberSM's own order routes that still work stay, unless an operator, new settings or a new
/// role ask for new ones. The orders of OpenSM have no memory.
bool Routes::MayMend(SweepReason reason) const {
    if (!is_base_ || settings_.order != Order::kBalanced) return false;
    switch (reason) {
        case SweepReason::kStart:
        case SweepReason::kRequest:
        case SweepReason::kRole:
        case SweepReason::kConfiguration:
            return false;
        case SweepReason::kTimer:
        case SweepReason::kTrap:
        case SweepReason::kChange:
        case SweepReason::kSilence:
        case SweepReason::kErrors:
        case SweepReason::kRelease:
            return true;
    }
    return false;
}

/// An engine that the board lacks is refused by name; only engines that are configured behind it
/// take its place. Faults of a chain are noted once.
void Routes::LogPlan(std::uint64_t now_us) {
    for (const Alternative& alternative : plan_.alternatives()) {
        if (alternative.engine != nullptr) continue;
        parts_.log.Write<Note::kEngineAbsent>(now_us, Raw(alternative.kind));
    }
    if (std::exchange(was_plan_logged_, true)) return;
    const auto steps = settings_.manager_tables.chain_steps;
    if (plan_.is_too_long()) {
        parts_.log.Write<Note::kChainTooLong>(now_us, steps.size(), most_steps_);
        return;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (plan_.IsEmpty(i)) parts_.log.Write<Note::kChainStepEmpty>(now_us, steps[i].id);
    }
}

Progress Routes::Step() {
    const std::uint64_t began_us = parts_.work_clock.NowUs();
    std::uint64_t slice_began_us = began_us;
    while (!is_done_ && slice_began_us - began_us < kRoutingSliceUs) {
        const bool verifying = !makes_plan_ && router_.phase() == Router::Phase::kVerifier;
        if (makes_plan_) {
            MakePlan();
        } else {
            is_done_ = router_.Advance() == Progress::kDone;
        }
        const std::uint64_t slice_ended_us = parts_.work_clock.NowUs();
        (verifying ? work_.verifying_us : work_.routing_us) += slice_ended_us - slice_began_us;
        slice_began_us = slice_ended_us;
    }
    return is_done_ ? Progress::kDone : Progress::kMore;
}

Routes::End Routes::Conclude(Lfts programmed, std::uint64_t now_us) {
    EMBER_ASSERT(is_done_);
    const Verdict& verdict = router_.verdict();
    notes_.LogResult(resort_, work_, parts_.fabric.switch_count(), now_us);
    const bool is_refused = verdict.outcome == RoutingOutcome::kRefused;
    if (is_refused && TryNextResort(programmed)) {
        is_done_ = false;
        return End::kMore;
    }
    RememberBalance(now_us);
    if (is_refused) return End::kRefused;
    if (verdict.may_program()) {
        lane_notes_.LogNews(router_.planned_lanes(), settings_,
                            notes_.NumberOf(verdict.last_engine()), now_us);
    }
    return verdict.outcome == RoutingOutcome::kNothingToRoute ? End::kNothing : End::kProgram;
}

void Routes::Abandon() {
    router_.Stop();
    makes_plan_ = false;
    is_done_ = true;
}

/// Tries the next resort after no engine could route the fabric: first the present tables, then the
/// safe routing; neither under `no_fallback`. The last resort only drops dead routes. False: it has
/// been tried too.
bool Routes::TryNextResort(Lfts programmed) {
    EMBER_ASSERT(is_done_);
    EMBER_ASSERT(router_.verdict().outcome == RoutingOutcome::kRefused);
    RoutingEngine* const safest = FindLastResort(engines_, settings_);
    if (resort_ == Resort::kNone && !settings_.no_fallback) {
        resort_ = Resort::kKeeping;
        router_.BeginKeeping(programmed);
    } else if (resort_ == Resort::kKeeping && safest != nullptr) {
        resort_ = Resort::kSafe;
        router_.BeginSafe(*safest);
    } else if (resort_ != Resort::kDropping) {
        resort_ = Resort::kDropping;
        router_.BeginDropping(programmed);
    } else {
        return false;
    }
    return true;
}

/// After a run: remembers whether the next may mend, and whether mended routes are unbalanced.
void Routes::RememberBalance(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    const bool is_made =
        verdict.outcome == RoutingOutcome::kVerified || verdict.outcome == RoutingOutcome::kWarned;
    is_base_ = is_made;
    RememberSafety(now_us);
    if (is_made || verdict.outcome == RoutingOutcome::kNothingToRoute) is_as_configured_ = true;
    if (is_made && !verdict.was_mended) is_mended_ = false;
    if (!is_made || !verdict.was_mended || verdict.mended.entries == 0) return;
    is_mended_ = true;
    mended_at_us_ = now_us;
}

/// Remembers whether the tables in force are of the safe routing, which is not configured. Tables
/// that are kept stay of the routing that made them.
void Routes::RememberSafety(std::uint64_t now_us) {
    const Verdict& verdict = router_.verdict();
    if (verdict.outcome == RoutingOutcome::kKept || verdict.outcome == RoutingOutcome::kRefused) {
        return;
    }
    const bool was_safe = is_safe_in_force_;
    is_safe_in_force_ = verdict.outcome == RoutingOutcome::kSafe;
    if (is_safe_in_force_) is_as_configured_ = false;
    if (was_safe && !is_safe_in_force_ && !verdict.engine.empty()) {
        parts_.log.Write<Note::kSafeRoutingEnded>(now_us, notes_.NumberOf(verdict.last_engine()));
    }
}

std::uint64_t Routes::BalanceDueUs() const {
    if (!settings_.offsweep_balancing_enabled || !is_mended_) return kNever;
    return mended_at_us_ + settings_.offsweep_balancing_window * kSecondUs;
}

Routes::Lfts Routes::ShortestHops() const {
    const bool is_shortest = router_.verdict().findings.longer_routes == 0;
    return is_shortest && settings_.tables.hop_weights.empty() ? router_.hops() : Lfts{};
}

}  // namespace ember
