// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routing that was proved last, and what has changed since.

#include "core/routing/proof_basis.h"

#include "core/base/assert.h"

namespace ember {

void ProofBasis::Begin() {
    was_there_ = is_there_;
    is_there_ = false;
    is_touched_ = false;
    Forget();
}

bool ProofBasis::Compare(const Topology& topology, Arena& scratch) {
    EMBER_ASSERT(was_there_);
    const auto room = scratch.Take<LinkChange>(kMostLinkChanges);
    const ProvedSubnet::Difference difference = proved_.Compare(topology, room);
    changes_ = room.first(difference.count);
    return difference.is_links_only;
}

void ProofBasis::GoOn(const Topology& topology, Arena& scratch) {
    suspects_.Begin(topology.switch_bound(), scratch);
    log_entries_ = scratch.Take<ChangeLog::Entry>(log_room_);
    goes_on_ = true;
}

void ProofBasis::Forget() {
    goes_on_ = false;
    changes_ = {};
    log_ = {};
}

void ProofBasis::Keep(const Topology& topology, const RoutingEngine* engine,
                      const Findings& findings) {
    engine_ = engine;
    is_programmed_ = false;
    findings_ = findings;
    KeepSubnet(topology);
}

}  // namespace ember
