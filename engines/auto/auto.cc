// SPDX-License-Identifier: Apache-2.0
// EmberSM: the engine that looks at the fabric first.

#include "engines/auto/auto.h"

#include <algorithm>

namespace ember {

Status Auto::Begin(const RoutingTask& task) {
    options_ = *task.options;
    options_.tables.hop_weights = {};
    task_ = task;
    task_.options = &options_;
    renumbering_.Begin(task_);
    step_ = Step::kRenumber;
    return Status::kOk;
}

Result<Progress> Auto::Advance() {
    switch (step_) {
        case Step::kRenumber: {
            if (renumbering_.Advance() == Progress::kMore) break;
            finder_.SetTarget(task_, renumbering_.rows());
            step_ = Step::kStudy;
            const Status status = finder_.Begin(renumbering_.task());
            if (status != Status::kOk) return status;
            break;
        }
        case Step::kStudy: {
            const Result<Progress> progress = finder_.Prepare();
            if (!progress.ok()) return progress;
            if (progress.value() == Progress::kMore) break;
            StartBuilding();
            break;
        }
        case Step::kBuild:
            if (builder_.Advance() == Progress::kMore) break;
            return EndBuilding();
        case Step::kLayers: {
            const Result<Progress> progress = layers_.Advance();
            if (progress.ok()) return progress;
            EndLayers(layers_.complaint());
            break;
        }
    }
    return Progress::kMore;
}

void Auto::StartBuilding() {
    mark_ = task_.scratch->used_bytes();
    builder_.Begin(renumbering_.task(), finder_, renumbering_.rows());
    step_ = Step::kBuild;
}

/// The routes are made. Shortest paths need lanes yet.
Progress Auto::EndBuilding() {
    if (finder_.choice().scheme != RoutingScheme::kLayers) return Progress::kDone;
    Arena& scratch = *task_.scratch;
    scratch.Rewind(mark_);
    const std::size_t room = scratch.size_bytes() - scratch.used_bytes();
    const Limits bounds = task_.topology->bounds();
    const std::size_t needed =
        LaneLayers::LeastScratchBytes(bounds) + Arena::BytesFor<SwitchIndex>(bounds.max_switches);
    if (needed > room) {
        EndLayers({.what = EngineFault::kNoLayerScratch});
        return Progress::kMore;
    }
    // The hops are those of the renumbered switches.
    const auto found = LaneLayers::FindSenders(renumbering_.task());
    const auto senders = scratch.Take<SwitchIndex>(found.size());
    std::transform(found.begin(), found.end(), senders.begin(),
                   [this](SwitchIndex at) { return renumbering_.rows()[Raw(at)]; });
    layers_.Begin(task_, {.switches = senders});
    step_ = Step::kLayers;
    return Progress::kMore;
}

/// Layers need more than there is: the routes are made again, longer ones for one lane.
void Auto::EndLayers(const EngineComplaint& shortage) {
    task_.scratch->Rewind(mark_);
    task_.tables.lanes->Clear();
    finder_.GiveUpLayers(shortage);
    step_ = Step::kStudy;
}

}  // namespace ember
