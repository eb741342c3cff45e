// SPDX-License-Identifier: Apache-2.0
// EmberSM: how much of a routing the router has to have proved.

#include <algorithm>

#include "core/base/assert.h"
#include "core/routing/lane_changes.h"
#include "core/routing/router.h"

namespace ember {

/// Finds out whether this run can go on from the one before.
void Router::StudyChanges() {
    const auto room = scratch_.arena().Take<LinkChange>(kMostLinkChanges);
    const ProvedSubnet::Difference difference = proved_.Compare(topology_, room);
    if (mends_steps_ && difference.is_links_only) KeepSteps(room.first(difference.count));
    goes_on_ = plan().is_plain() && difference.is_links_only && topology_.switch_count() > 0;
    if (!goes_on_) {
        scratch_.Rewind();
        return;
    }
    changes_ = room.first(difference.count);
    suspects_.Begin(topology_.switch_bound(), scratch_.arena());
    log_entries_ = scratch_.arena().Take<ChangeLog::Entry>(log_room_);
}

void Router::ForgetChanges() {
    goes_on_ = false;
    changes_ = {};
    log_ = {};
    scratch_.ForgetBefore();
    if (part() == nullptr) step_mark_ = scratch_.floor();
}

/// No engine of this run has had the tables in its hands before the present one.
bool Router::IsUntouched() const {
    return std::all_of(verdict_.attempts.begin(), verdict_.attempts.end(),
                       [](const RoutingAttempt& attempt) {
                           return attempt.reason == RoutingReason::kEngineAbsent;
                       });
}

void Router::StartProof() {
    lanes_.SetLevels(topology_, plan().levels);
    if (!MayProveChanges()) {
        StartVerifier();
        return;
    }
    scratch_.Rewind();
    mend_proof_.Begin({.topology = &topology_,
                       .hops = hops(),
                       .lfts = planned_,
                       .changes = changes_,
                       .suspects = &suspects_,
                       .log = &log_,
                       .graph = &verifier_.dependencies(),
                       .shortest = basis_.findings.longer_routes == 0,
                       .may_drop = !PresentPromise().all_switches,
                       .is_of_links = !lanes_.planned().is_one_lane()},
                      scratch_.arena());
    proof_ = Proof::kChanges;
    phase_ = Phase::kVerifier;
}

/// The cables are judged: LIDs of which no entry has changed keep their dependencies.
void Router::ProveSomeLids() {
    scratch_.Rewind();
    proof_ = Proof::kSomeLids;
    if (log_.entries().empty()) {
        AcceptChanges();
        return;
    }
    verifier_.Begin({.topology = &topology_,
                     .hops = hops(),
                     .lfts = planned_,
                     .dependencies = memory_.dependencies,
                     .lanes = &lanes_.planned(),
                     .only = log_.entries()},
                    scratch_.arena());
}

/// Where the graph of dependencies may outlive the run.
std::span<std::uint64_t> Router::RoomForDependencies() const {
    if (lanes_.planned().is_one_lane()) return memory_.dependencies;
    const std::size_t words = DependencyGraph::Words(topology_, lanes_.planned().count);
    return words <= memory_.dependencies.size() ? memory_.dependencies : std::span<std::uint64_t>{};
}

/// The premises of MendProof hold, and the routing of before kept the promises of now.
bool Router::MayProveChanges() const {
    const bool is_logged =
        goes_on_ && Mends() && log_.is_whole() && Present() == basis_.engine && IsUntouched();
    if (!is_logged || !AreLanesKept()) return false;
    const Promise promise = PresentPromise();
    const Findings& before = basis_.findings;
    return !(promise.shortest && before.longer_routes > 0) &&
           !(promise.all_switches && before.switch_pairs_apart > 0);
}

/// The graph has as many lanes, and paths without a changed entry take the same ones as before.
bool Router::AreLanesKept() const {
    const RoutingLanes& now = lanes_.planned();
    const RoutingLanes& before = lanes_.programmed();
    if (RoomForDependencies().empty() || verifier_.graph_lanes() != now.count) return false;
    if (now.is_one_lane()) return true;
    return basis_.is_programmed && !PresentPromise().shortest &&
           KeepsLanes(topology_, changes_, now, before);
}

/// A routing that is not proved from what was before is looked at as a whole.
void Router::AdvanceProof() {
    const Progress progress =
        proof_ == Proof::kChanges ? mend_proof_.Advance() : verifier_.Advance();
    if (progress == Progress::kMore) return;
    switch (proof_) {
        case Proof::kWhole:
            Judge();
            return;
        case Proof::kChanges:
            if (!mend_proof_.proved()) {
                StartVerifier();
            } else if (lanes_.planned().is_one_lane()) {
                AcceptChanges();
            } else {
                ProveSomeLids();
            }
            return;
        case Proof::kSomeLids:
            break;
    }
    const Findings& found = verifier_.findings();
    const bool is_fine = found.fault == Findings::Fault::kNone && !found.end_ports_may_deadlock &&
                         found.switch_pairs_apart == 0;
    if (is_fine) {
        AcceptChanges();
    } else {
        StartVerifier();
    }
}

void Router::AcceptChanges() {
    verdict_.findings = basis_.findings;
    verdict_.proved_changes_only = true;
    Accept(RoutingOutcome::kVerified);
}

/// After a run that ended well: what the next one may go on from.
void Router::KeepBasis() {
    if (plan().is_chain()) {
        KeepChain();
        return;
    }
    const Findings& findings = verdict_.findings;
    const bool serves = plan().is_plain() && !memory_.dependencies.empty() &&
                        findings.islands == 1 && !RoomForDependencies().empty() &&
                        !findings.end_ports_may_deadlock &&
                        plan().options->tables.hop_weights.empty();
    if (!serves) return;
    basis_.engine = Present();
    basis_.is_programmed = false;
    basis_.findings = findings;
    basis_.is_there = proved_.Keep(topology_);
}

/// For those who program the routes. The dependencies may be in the scratch arena.
void Router::ShowProof() {
    if (verdict_.findings.end_ports_may_deadlock || topology_.switch_count() == 0) return;
    const bool is_one_lane = lanes_.planned().is_one_lane() && lanes_.programmed().is_one_lane();
    const bool is_like = lanes_.planned().count == lanes_.programmed().count;
    proved_routes_ = {
        .topology = &topology_,
        .dependencies = &verifier_.dependencies(),
        .lanes = &lanes_.planned(),
        .lanes_before = &lanes_.programmed(),
        .keeps_lanes = is_one_lane || (is_like && KeepsLanes(topology_, changes_, lanes_.planned(),
                                                             lanes_.programmed())),
        .scratch = &scratch_.arena(),
        .scratch_end =
            RoomForDependencies().empty() ? scratch_.arena().used_bytes() : scratch_.floor()};
}

const DependencyGraph* Router::KeptDependencies(const Topology& topology) const {
    if (!basis_.is_there || at_work() || !plan().is_plain()) return nullptr;
    // Without room for a change none may be there.
    if (!proved_.Compare(topology, {}).is_links_only) return nullptr;
    return &verifier_.dependencies();
}

}  // namespace ember
