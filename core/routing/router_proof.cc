// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a run takes from the one before, and leaves to the next.

#include "core/routing/router.h"

namespace ember {

/// Finds out whether this run can go on from the one before.
void Router::StudyChanges() {
    const bool is_links_only = basis_.Compare(topology_, scratch_.arena());
    if (is_links_only && chain_.mends()) chain_.KeepSteps(progress_, basis_.changes());
    if (is_links_only && plan().is_plain() && topology_.switch_count() > 0) {
        basis_.GoOn(topology_, scratch_.arena());
        return;
    }
    basis_.Forget();
    scratch_.Rewind();
}

void Router::StartProof() {
    scratch_.Rewind();
    lanes_.SetLevels(topology_, plan().levels);
    RouteProof::Task task{
        .topology = &topology_, .hops = hops(), .lfts = planned_, .lanes = &lanes_};
    if (!copies()) {
        task.promise = PresentPromise();
        task.mender = Mends() ? Present() : nullptr;
    }
    proof_.Begin(task, scratch_.arena());
    phase_ = Phase::kVerifier;
}

void Router::KeepBasis() {
    if (plan().is_chain()) {
        if (chain_.Keep(progress_)) basis_.KeepSubnet(topology_);
    } else if (plan().is_plain()) {
        proof_.Keep(Present(), !plan().options->tables.hop_weights.empty());
    }
}

const DependencyGraph* Router::KeptDependencies(const Topology& topology) const {
    if (at_work() || !plan().is_plain() || !basis_.IsUnchanged(topology)) return nullptr;
    return &proof_.dependencies();
}

}  // namespace ember
