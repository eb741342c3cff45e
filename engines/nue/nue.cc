// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes without a credit loop on any topology, with any number of lanes.

#include "engines/nue/nue.h"

namespace ember {

Status Nue::Begin(const RoutingTask& task) {
    task_ = task;
    mark_ = task.scratch->used_bytes();
    phase_ = Phase::kTables;
    return tables_.Begin(task);
}

Result<Progress> Nue::Advance() {
    switch (phase_) {
        case Phase::kTables:
            if (tables_.Advance() == Progress::kDone) BeginLayers();
            return Progress::kMore;
        case Phase::kLayers: {
            const Result<Progress> layered = layers_.Advance();
            if (layered.ok()) return layered;
            BeginSafePaths();
            return Progress::kMore;
        }
        case Phase::kSafePaths:
            return paths_.Advance();
    }
    return Progress::kDone;
}

void Nue::BeginLayers() {
    task_.scratch->Rewind(mark_);
    const EngineOptions& options = *task_.options;
    const std::uint8_t most =
        options.nue_max_num_vls == 0 ? kMostPathLanes : options.nue_max_num_vls;
    layers_.Begin(task_,
                  {.switches = options.nue_include_switches ? task_.topology->switches_by_guid()
                                                            : LaneLayers::FindSenders(task_),
                   .counts_switch_lids = options.nue_include_switches,
                   .most_lanes = most});
    phase_ = Phase::kLayers;
}

/// Every entry is written anew.
void Nue::BeginSafePaths() {
    task_.scratch->Rewind(mark_);
    task_.tables.lanes->Clear();
    paths_.Begin(task_);
    phase_ = Phase::kSafePaths;
}

}  // namespace ember
