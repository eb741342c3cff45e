// SPDX-License-Identifier: Apache-2.0
// EmberSM: shortest paths, on as many lanes as keep them free of credit loops.

#include "engines/lash/lash.h"

namespace ember {

Status Lash::Begin(const RoutingTask& task) {
    task_ = task;
    phase_ = Phase::kMesh;
    const Topology& topology = *task.topology;
    const bool has_mesh = task.options->do_mesh_analysis;
    std::span<SwitchIndex> ordered;
    if (has_mesh) ordered = task.scratch->Take<SwitchIndex>(topology.switch_count());
    senders_ = ordered;
    if (!has_mesh) senders_ = topology.switches_by_guid();
    if (task.is_balanced()) senders_ = LaneLayers::FindSenders(task);
    mark_ = task.scratch->used_bytes();
    if (has_mesh) {
        mesh_.Begin(topology, ordered, *task.scratch);
    } else {
        BeginTrees({.switches = topology.switches_by_guid()});
    }
    return Status::kOk;
}

Result<Progress> Lash::Advance() {
    switch (phase_) {
        case Phase::kMesh:
            if (mesh_.Advance() == Progress::kDone) BeginTrees(mesh_.order());
            return Progress::kMore;
        case Phase::kTrees:
            if (trees_.Advance() == Progress::kDone) BeginLayers();
            return Progress::kMore;
        case Phase::kLayers:
            return layers_.Advance();
    }
    return Progress::kDone;
}

void Lash::BeginTrees(const LashOrder& order) {
    trees_.Begin(task_, order);
    phase_ = Phase::kTrees;
}

/// Ports by pair of switches, which paths are walked by, lie in the room of the hop matrix.
void Lash::BeginLayers() {
    task_.scratch->Rewind(mark_);
    layers_.Begin(task_, {.switches = senders_,
                          .exits = trees_.exits(),
                          .first_lane = task_.options->lash_start_vl,
                          .is_even = evens_out_});
    phase_ = Phase::kLayers;
}

}  // namespace ember
