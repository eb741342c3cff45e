// SPDX-License-Identifier: Apache-2.0
// EmberSM: the work after a heavy sweep: LIDs, Sets, routes, forwarding tables, links to ACTIVE.

#include "core/manager/round.h"

#include "core/base/assert.h"
#include "core/replication/peers_met.h"

namespace ember {

void Round::Begin(SweepReason reason, std::uint64_t read_us, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kIdle);
    reason_ = reason;
    read_us_ = read_us;
    phase_ = Phase::kPreparing;
    end_ = End::kNone;
    is_balancing_ = false;
    preparation_ = Preparation::kMKeys;
    parts_.m_keys.Begin();
    parts_.registrations.LookForOwnLid();
    parts_.flapping.Review(now_us, parts_.scratch);
}

/// Makes all routes anew on the subnet as known. Called while no other work is due.
void Round::BeginBalancing(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kIdle);
    phase_ = Phase::kPreparing;
    end_ = End::kNone;
    is_balancing_ = true;
    preparation_ = Preparation::kDone;
    parts_.programming.BeginBalancing();
    if (has_met_others_) parts_.programming.MindOthers(read_us_);
    parts_.multicast.LendScratch();
    parts_.routes.BeginBalancing(now_us);
}

bool Round::Step(bool hurry, std::uint64_t now_us) {
    switch (phase_) {
        case Phase::kIdle:
            return false;
        case Phase::kPreparing:
            if (preparation_ == Preparation::kDone) return AdvanceSets(now_us);
            Prepare(now_us);
            return !parts_.m_keys.awaits_answers();
        case Phase::kProgramming:
        case Phase::kActivating:
            return AdvanceProgramming(hurry, now_us);
    }
    return false;
}

void Round::Abandon() {
    if (phase_ == Phase::kIdle) return;
    phase_ = Phase::kIdle;
    is_balancing_ = false;
    parts_.programming.Abandon();
    parts_.tables.Abandon();
    parts_.m_keys.Abandon();
    parts_.routes.Abandon();
}

/// Ends the round. Returns true, as the next work is due at once.
bool Round::Close(End end) {
    EMBER_ASSERT(phase_ != Phase::kIdle);
    EMBER_ASSERT(end != End::kNone);
    phase_ = Phase::kIdle;
    end_ = end;
    return true;
}

void Round::Settle(std::uint64_t now_us) {
    EMBER_ASSERT(end_ == End::kDone || end_ == End::kRefused || end_ == End::kLanes);
    parts_.programming.Begin(Programming::Stage::kIdle);
    parts_.lids.Save(now_us);
    const Discovery::Outcome& seen = parts_.discovery.outcome();
    const bool has_news = (seen.nodes_gained | seen.nodes_lost | seen.links_changed) != 0;
    if (has_news || parts_.role.is_first_sweep()) parts_.m_keys.Save(now_us);
    if (is_balancing_) {
        parts_.multicast.JudgeAnew(now_us);
    } else {
        parts_.multicast.Resume(parts_.routes.router().hops(), now_us);
    }
    parts_.registrations.Keep();  // Clients are served, so what they register is kept.
}

// LIDs, and Sets to ports and switches while routes are computed.

/// The pure computations before the first Set, one a step: each takes a millisecond or two on the
/// largest boards.
void Round::Prepare(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kPreparing);
    EMBER_ASSERT(!is_balancing_);
    const bool first = parts_.role.is_first_sweep();
    switch (preparation_) {
        case Preparation::kMKeys:
            parts_.m_keys.Step(now_us);
            if (parts_.m_keys.done()) preparation_ = Preparation::kLoadLids;
            break;
        case Preparation::kLoadLids:
            if (first) {
                parts_.lids.Load(now_us);
                parts_.registrations.BeginFirstSweep();
            }
            preparation_ = Preparation::kAssignLids;
            break;
        case Preparation::kAssignLids:
            PrepareLids(first, now_us);
            preparation_ = Preparation::kForget;
            break;
        case Preparation::kForget:
            parts_.multicast.Observe(first || ReadsTablesAnew());
            parts_.registrations.Observe(first || ReadsTablesAnew());
            if (first) parts_.registrations.Forget(parts_.role.merges(), now_us);
            preparation_ = first ? Preparation::kRestore : Preparation::kSets;
            break;
        case Preparation::kRestore:
            if (parts_.registrations.Restore(now_us)) break;
            parts_.multicast.BeginFirstSweep(now_us);
            preparation_ = Preparation::kSets;
            break;
        case Preparation::kSets:
            BeginSets(first, now_us);
            preparation_ = Preparation::kDone;
            break;
        case Preparation::kDone:
            break;
    }
}

void Round::PrepareLids(bool first, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kPreparing);
    const bool is_targeted = parts_.discovery.outcome().targeted;
    only_touched_ = !first && is_targeted && !parts_.fabric.has_end_port_news();
    if (only_touched_) {
        parts_.lids.KeepAll();
        return;
    }
    parts_.lids.Assign(!(first && settings_.reassign_lids), now_us);
    SetRoleLids(parts_.fabric, parts_.role);
}

void Round::BeginSets(bool first, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kPreparing);
    const bool is_targeted = parts_.discovery.outcome().targeted;
    Programming& programming = parts_.programming;
    if (ReadsTablesAnew()) programming.ReadAnew();
    parts_.port_values.KnowRegistrations(parts_.registrations.taken_over_from());
    programming.BeginRound(first, only_touched_, first && parts_.registrations.are_merged());
    // A manager that does not count, as it has another SM_Key or was silent, may be master too. One
    // that was cut off may be back before this round has ended, with a part of the subnet of its
    // own.
    has_met_others_ = has_met_others_ || !parts_.role.others().empty();
    if (has_met_others_) programming.MindOthers(read_us_);
    parts_.tables.Begin(first || ReadsTablesAnew(), now_us);
    if (is_targeted) programming.Hasten();
    programming.Begin(Programming::Stage::kPorts);
    parts_.routes.Begin({.reason = reason_, .is_first_sweep = first, .is_targeted = is_targeted},
                        now_us);
}

/// Sets ports and switches while routes are computed: the Sets mostly wait for answers.
bool Round::AdvanceSets(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kPreparing);
    EMBER_ASSERT(preparation_ == Preparation::kDone);
    Programming& programming = parts_.programming;
    Routes& routes = parts_.routes;
    programming.Step(now_us);
    if (MustGiveUp()) programming.Abandon();  // When routes are made; see AdvanceProgramming().
    if (programming.done()) {
        BeginNextSets();
        programming.Step(now_us);
    }
    if (!routes.is_done() && routes.Step() == Progress::kDone) ExpectRoutes();
    const bool sets_done = programming.stage() == Programming::Stage::kIdle && programming.done();
    if (routes.is_done() && sets_done) EndRouting(now_us);
    return !routes.is_done() || phase_ != Phase::kPreparing || CanSend();
}

void Round::BeginNextSets() {
    EMBER_ASSERT(parts_.programming.done());
    Programming& programming = parts_.programming;
    switch (programming.stage()) {
        case Programming::Stage::kPorts:
            programming.Begin(Programming::Stage::kReading);
            break;
        case Programming::Stage::kReading:
            programming.Begin(Programming::Stage::kSwitches);
            break;
        case Programming::Stage::kIdle:
        case Programming::Stage::kSwitches:
        case Programming::Stage::kBlocks:
        case Programming::Stage::kActivation:
            programming.Begin(Programming::Stage::kIdle);
            break;
    }
}

/// Routes of which only changes were proved differ at these entries alone.
void Round::ExpectRoutes() {
    EMBER_ASSERT(parts_.routes.is_done());
    const Router& router = parts_.routes.router();
    if (!router.verdict().proved_changes_only) return;
    parts_.programming.ExpectChanges();
    for (const ChangeLog::Entry& entry : router.changed_entries()) {
        parts_.programming.Expect(entry.at, entry.lid);
    }
}

// Forwarding tables, and links to ACTIVE.

/// On a refusal links stay as they are: traffic goes on, and new links do not go to ACTIVE. But no
/// table keeps a route into a lost link.
void Round::EndRouting(std::uint64_t now_us) {
    EMBER_ASSERT(preparation_ == Preparation::kDone);
    EMBER_ASSERT(parts_.routes.is_done());
    EMBER_ASSERT(phase_ == Phase::kPreparing);
    Programming& programming = parts_.programming;
    const Routes& routes = parts_.routes;
    switch (parts_.routes.Conclude(programming.programmed(), now_us)) {
        case Routes::End::kMore:
            break;
        case Routes::End::kNothing:
            BeginActivating();
            break;
        case Routes::End::kProgram:
            phase_ = Phase::kProgramming;
            programming.BeginBlocks({.lfts = routes.planned(),
                                     .hops = routes.ShortestHops(),
                                     .proved = routes.router().proved_routes()});
            break;
        case Routes::End::kRefused:
            parts_.log.Write<Note::kRoutingRefused>(now_us);
            phase_ = Phase::kProgramming;
            programming.BeginBlocks({.lfts = routes.planned(), .hops = {}, .only_known = true});
            break;
    }
}

/// The LFT blocks are out: clients are told the service levels of these routes from now on, and
/// switches which lanes those have.
void Round::BeginActivating() {
    EMBER_ASSERT(phase_ == Phase::kPreparing || phase_ == Phase::kProgramming);
    phase_ = Phase::kActivating;
    const Router& router = parts_.routes.router();
    parts_.tables.Compare(router.programmed_lanes(), router.planned_lanes());
    parts_.routes.Commit();
    parts_.tables.FollowRoutes(router.programmed_lanes());
    parts_.programming.Begin(Programming::Stage::kIdle);
    awaits_tables_ = true;
    Activate();
}

/// A link that goes to ACTIVE before its end ports, and all others, hold the P_Keys that they shall
/// could carry data between ports that share no partition, or by lanes of other weights.
void Round::Activate() {
    EMBER_ASSERT(phase_ == Phase::kActivating);
    if (!awaits_tables_ || !parts_.tables.are_settled()) return;
    awaits_tables_ = false;
    parts_.programming.Begin(Programming::Stage::kActivation);
}

bool Round::AdvanceProgramming(bool hurry, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kProgramming || phase_ == Phase::kActivating);
    Programming& programming = parts_.programming;
    if (MustGiveUp()) return Close(End::kSilent);
    programming.Hurry(hurry);
    if (phase_ == Phase::kActivating) {
        if (parts_.tables.lanes().wants_other_routes()) return Close(End::kLanes);
        Activate();
    }
    programming.Step(now_us);
    if (!programming.done()) return CanSend();
    if (phase_ == Phase::kActivating && awaits_tables_) return false;
    if (phase_ == Phase::kActivating) return Close(End::kDone);
    if (parts_.routes.is_refused()) return Close(End::kRefused);
    BeginActivating();
    return CanSend();
}

bool Round::CanSend() const {
    return parts_.programming.hungry() && parts_.exchange.has_room();
}

/// A switch is silent after a targeted sweep, which may not have met it. A heavy sweep meets only
/// nodes that answer, and takes less time than the other Sets to it would.
bool Round::MustGiveUp() const {
    const bool is_targeted = parts_.discovery.outcome().targeted;
    return !is_balancing_ && is_targeted && parts_.programming.outcome().unanswered != 0;
}

}  // namespace ember
