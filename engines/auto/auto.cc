// SPDX-License-Identifier: Apache-2.0
// EmberSM: the engine that looks at the fabric first.

#include "engines/auto/auto.h"

#include <algorithm>

#include "engines/spread/odd_link_names.h"

namespace ember {

Status Auto::Begin(const RoutingTask& task) {
    options_ = *task.options;
    options_.tables.hop_weights = {};
    task_ = task;
    task_.options = &options_;
    complaint_ = {};
    odd_named_ = {};
    odd_.Clear();
    if (task.mended != nullptr) return BeginMending();
    renumbering_.Begin(task_);
    step_ = Step::kRenumber;
    return Status::kOk;
}

Result<Progress> Auto::Advance() {
    switch (step_) {
        case Step::kRenumber:
            return renumbering_.Advance() == Progress::kMore ? Progress::kMore : StartStudy();
        case Step::kStudy:
            return Study();
        case Step::kMend:
            return mender_.Advance();
        case Step::kBuild:
            return builder_.Advance() == Progress::kMore ? Progress::kMore : EndBuilding();
        case Step::kRise:
            return Rise();
        case Step::kLayers:
            return Layer();
    }
    return Progress::kMore;
}

Result<Progress> Auto::StartStudy() {
    study_mark_ = task_.scratch->used_bytes();
    finder_.SetTarget(task_, renumbering_.rows());
    step_ = Step::kStudy;
    const Status status = finder_.Begin(renumbering_.task());
    if (status != Status::kOk) return status;
    return Progress::kMore;
}

Result<Progress> Auto::Study() {
    const Result<Progress> progress = finder_.Prepare();
    if (!progress.ok() || progress.value() == Progress::kMore) return progress;
    if (task_.mended == nullptr) {
        FindsOddLinks() ? LeaveOutOddLinks() : StartBuilding();
        return Progress::kMore;
    }
    const Status status = StartMending();
    if (status != Status::kOk) return status;
    return Progress::kMore;
}

Result<Progress> Auto::Rise() {
    const Result<Progress> progress = rising_.Advance();
    if (progress.ok()) return progress;
    EndRising(rising_.complaint());
    return Progress::kMore;
}

Result<Progress> Auto::Layer() {
    const Result<Progress> progress = layers_.Advance();
    if (progress.ok()) return progress;
    EndLayers(layers_.complaint());
    return Progress::kMore;
}

/// Rows stay what they are. The scheme of today says which lanes there are.
Status Auto::BeginMending() {
    const auto rows = task_.scratch->Take<SwitchIndex>(task_.topology->switch_bound());
    std::generate(rows.begin(), rows.end(),
                  [row = std::uint16_t{0}]() mutable { return static_cast<SwitchIndex>(row++); });
    task_.tables.lanes->Clear();
    finder_.SetTarget(task_, rows);
    step_ = Step::kStudy;
    return finder_.Begin(task_);
}

/// The fabric is a tree but for some cables.
bool Auto::FindsOddLinks() {
    const FabricShape shape = finder_.choice().shape;
    // Leaf switches of a tree with a cable from each to another look like groups of a dragonfly.
    const bool is_tree_perhaps =
        shape == FabricShape::kIrregular || shape == FabricShape::kDragonfly;
    if (!is_tree_perhaps || !odd_.ports().empty()) return false;
    const Topology& topology =
        task_.mended == nullptr ? *renumbering_.task().topology : *task_.topology;
    return odd_.Find(topology, finder_.order(), *task_.scratch);
}

/// The study is repeated without them.
void Auto::LeaveOutOddLinks() {
    NameOddLinks(*renumbering_.task().topology, odd_.ports(), odd_named_);
    task_.scratch->Rewind(study_mark_);
    task_.tables.lanes->Clear();
    renumbering_.LeaveOut(odd_.ports());
    step_ = Step::kRenumber;
}

Status Auto::StartMending() {
    if (finder_.choice().scheme == RoutingScheme::kRisingLanes || FindsOddLinks()) {
        complaint_ = {.what = EngineFault::kNotMended};
        return Status::kRefused;
    }
    mender_.Begin(task_, finder_);
    step_ = Step::kMend;
    return Status::kOk;
}

void Auto::StartBuilding() {
    mark_ = task_.scratch->used_bytes();
    builder_.Begin(renumbering_.task(), finder_, renumbering_.rows());
    step_ = Step::kBuild;
}

/// The finder's choice, with the cables that were left out before.
EngineChoice Auto::choice() const {
    EngineChoice choice = finder_.choice();
    choice.odd = odd_named_.odd;
    choice.odd_count = odd_named_.odd_count;
    return choice;
}

/// The routes are made. Shortest paths need lanes yet.
Progress Auto::EndBuilding() {
    if (finder_.choice().scheme != RoutingScheme::kRisingLanes) return Progress::kDone;
    task_.scratch->Rewind(mark_);
    StartRising();
    return Progress::kMore;
}

void Auto::StartRising() {
    const Arena& scratch = *task_.scratch;
    const Topology& topology = *task_.topology;
    const std::size_t needed = RisingLanes::ScratchBytes(topology) +
                               3 * Arena::BytesFor<SwitchIndex>(topology.switch_count());
    if (needed > scratch.size_bytes() - scratch.used_bytes()) {
        EndRising({.what = EngineFault::kNoLayerScratch});
        return;
    }
    // The hops are those of the renumbered switches.
    const auto senders = TakeOriginals(LaneLayers::FindSenders(renumbering_.task()));
    rising_.Begin(task_, {.switches = senders, .order = TakeOriginals(finder_.FindOrder())});
    step_ = Step::kRise;
}

/// The rows that renumbered switches have in the task.
std::span<const SwitchIndex> Auto::TakeOriginals(std::span<const SwitchIndex> rows) {
    const auto originals = task_.scratch->Take<SwitchIndex>(rows.size());
    std::transform(rows.begin(), rows.end(), originals.begin(),
                   [this](SwitchIndex at) { return renumbering_.rows()[Raw(at)]; });
    return originals;
}

/// The same routes may do with layers: a lane that stays the same on a path needs no map by input
/// port. A grid has dimension order, for which they are made again.
void Auto::EndRising(const EngineComplaint& shortage) {
    task_.scratch->Rewind(mark_);
    task_.tables.lanes->Clear();
    finder_.GiveUpRising(shortage);
    if (finder_.choice().scheme == RoutingScheme::kLayers) {
        StartLayers();
    } else {
        step_ = Step::kStudy;
    }
}

void Auto::StartLayers() {
    const Arena& scratch = *task_.scratch;
    const Limits bounds = task_.topology->bounds();
    const std::size_t needed =
        LaneLayers::LeastScratchBytes(bounds) + Arena::BytesFor<SwitchIndex>(bounds.max_switches);
    if (needed > scratch.size_bytes() - scratch.used_bytes()) {
        EndLayers({.what = EngineFault::kNoLayerScratch});
        return;
    }
    const auto senders = TakeOriginals(LaneLayers::FindSenders(renumbering_.task()));
    layers_.Begin(task_, {.switches = senders});
    step_ = Step::kLayers;
}

/// Layers need more than there is: the routes are made again, longer ones for one lane.
void Auto::EndLayers(const EngineComplaint& shortage) {
    task_.scratch->Rewind(mark_);
    task_.tables.lanes->Clear();
    finder_.GiveUpLayers(shortage);
    step_ = Step::kStudy;
}

}  // namespace ember
