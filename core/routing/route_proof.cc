// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof of a routing, as a whole or from that of the routing before.

#include "core/routing/route_proof.h"

#include "core/routing/lane_changes.h"

namespace ember {

void RouteProof::Begin(const Task& task, Arena& scratch) {
    task_ = task;
    scratch_ = &scratch;
    mark_ = scratch.used_bytes();
    is_of_changes_ = false;
    if (MayProveChanges()) {
        BeginChanges();
    } else {
        BeginWhole();
    }
}

void RouteProof::BeginChanges() {
    scope_ = Scope::kChanges;
    mend_proof_.Begin({.topology = task_.topology,
                       .hops = task_.hops,
                       .lfts = task_.lfts,
                       .changes = basis_.changes(),
                       .suspects = &basis_.suspects(),
                       .log = &basis_.log(),
                       .graph = &verifier_.dependencies(),
                       .shortest = basis_.findings().longer_routes == 0,
                       .may_drop = !task_.promise.all_switches,
                       .is_of_links = !task_.lanes->planned().is_one_lane()},
                      *scratch_);
}

/// LIDs of which no entry has changed keep their dependencies.
void RouteProof::BeginSomeLids() {
    scratch_->Rewind(mark_);
    scope_ = Scope::kSomeLids;
    verifier_.Begin({.topology = task_.topology,
                     .hops = task_.hops,
                     .lfts = task_.lfts,
                     .dependencies = memory_,
                     .lanes = &task_.lanes->planned(),
                     .only = basis_.log().entries()},
                    *scratch_);
}

void RouteProof::BeginWhole() {
    scratch_->Rewind(mark_);
    scope_ = Scope::kWhole;
    verifier_.Begin({.topology = task_.topology,
                     .hops = task_.hops,
                     .lfts = task_.lfts,
                     .dependencies = RoomForDependencies(),
                     .lanes = &task_.lanes->planned()},
                    *scratch_);
}

/// Where the graph of dependencies may outlive the run.
std::span<std::uint64_t> RouteProof::RoomForDependencies() const {
    const RoutingLanes& lanes = task_.lanes->planned();
    if (lanes.is_one_lane()) return memory_;
    const std::size_t words = DependencyGraph::Words(*task_.topology, lanes.count);
    return words <= memory_.size() ? memory_ : std::span<std::uint64_t>{};
}

/// The premises of MendProof hold, and the routing of before kept the promises of now.
bool RouteProof::MayProveChanges() const {
    const bool is_logged =
        task_.mender != nullptr && basis_.IsOf(task_.mender) && basis_.log().is_whole();
    if (!is_logged || !AreLanesKept()) return false;
    const Findings& before = basis_.findings();
    return !(task_.promise.shortest && before.longer_routes > 0) &&
           !(task_.promise.all_switches && before.switch_pairs_apart > 0);
}

/// The graph has as many lanes, and paths without a changed entry take the same ones as before.
bool RouteProof::AreLanesKept() const {
    const RoutingLanes& now = task_.lanes->planned();
    if (RoomForDependencies().empty() || verifier_.graph_lanes() != now.count) return false;
    if (now.is_one_lane()) return true;
    return basis_.is_programmed() && !task_.promise.shortest &&
           KeepsLanes(*task_.topology, basis_.changes(), now, task_.lanes->programmed());
}

/// A routing that is not proved from what was before is looked at as a whole.
Progress RouteProof::Advance() {
    const Progress progress =
        scope_ == Scope::kChanges ? mend_proof_.Advance() : verifier_.Advance();
    if (progress == Progress::kMore) return Progress::kMore;
    switch (scope_) {
        case Scope::kWhole:
            return Progress::kDone;
        case Scope::kChanges: {
            if (!mend_proof_.proved()) break;
            const bool is_proved =
                task_.lanes->planned().is_one_lane() || basis_.log().entries().empty();
            if (is_proved) return AcceptChanges();
            BeginSomeLids();
            return Progress::kMore;
        }
        case Scope::kSomeLids: {
            const Findings& found = verifier_.findings();
            const bool is_fine = found.fault == Findings::Fault::kNone &&
                                 !found.end_ports_may_deadlock && found.switch_pairs_apart == 0;
            if (is_fine) return AcceptChanges();
            break;
        }
    }
    BeginWhole();
    return Progress::kMore;
}

Progress RouteProof::AcceptChanges() {
    is_of_changes_ = true;
    return Progress::kDone;
}

void RouteProof::Keep(const RoutingEngine* engine, bool has_weights) {
    const bool serves = !memory_.empty() && findings().islands == 1 &&
                        !RoomForDependencies().empty() && !findings().end_ports_may_deadlock &&
                        !has_weights;
    if (serves) basis_.Keep(*task_.topology, engine, findings());
}

ProvedRoutes RouteProof::Show() const {
    const RoutingLanes& planned = task_.lanes->planned();
    const RoutingLanes& programmed = task_.lanes->programmed();
    const bool is_one_lane = planned.is_one_lane() && programmed.is_one_lane();
    const bool is_like = planned.count == programmed.count;
    return {.topology = task_.topology,
            .dependencies = &verifier_.dependencies(),
            .lanes = &planned,
            .lanes_before = &programmed,
            .keeps_lanes = is_one_lane || (is_like && KeepsLanes(*task_.topology, basis_.changes(),
                                                                 planned, programmed)),
            .scratch = scratch_,
            // The dependencies may be in the scratch arena.
            .scratch_end = RoomForDependencies().empty() ? scratch_->used_bytes() : mark_};
}

}  // namespace ember
