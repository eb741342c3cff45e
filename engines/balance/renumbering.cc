// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches renumbered, so that neighbors of the subnet are neighbors in memory.

#include "engines/balance/renumbering.h"

#include "core/base/assert.h"

namespace ember {

void Renumbering::Begin(const RoutingTask& task) {
    EMBER_ASSERT(task.topology != nullptr && task.scratch != nullptr && task.hop_room != nullptr);
    task_ = task;
    count_ = 0;
    phase_ = Phase::kLeaves;
    const Topology& topology = *task.topology;
    Arena& scratch = *task.scratch;
    rows_ = scratch.Take<SwitchIndex>(topology.switch_bound());
    mark_ = scratch.used_bytes();
    is_placed_ = scratch.Take<bool>(topology.switch_bound());
    const auto waiting = scratch.Take<SwitchIndex>(topology.switch_count());
    SortByNumber(topology, waiting, scratch);
    const auto has_end_ports = scratch.Take<bool>(topology.switch_bound());
    for (const Destination& destination : topology.destinations()) {
        const bool hangs_here = destination.at != kNoSwitch && destination.is_host();
        if (hangs_here) has_end_ports[Raw(destination.at)] = true;
    }
    const auto end = std::remove_if(waiting.begin(), waiting.end(),
                                    [&](SwitchIndex at) { return !has_end_ports[Raw(at)]; });
    leaf_order_.Begin(waiting.first(static_cast<std::size_t>(end - waiting.begin())), task.hops);
}

Progress Renumbering::Advance() {
    switch (phase_) {
        case Phase::kLeaves:
            if (leaf_order_.Advance([this](SwitchIndex at) { Place(at); }) == Progress::kDone) {
                phase_ = Phase::kOthers;
            }
            break;
        case Phase::kOthers:
            PlaceOthers();
            phase_ = Phase::kTopology;
            break;
        case Phase::kTopology:
            RenumberTopology();
            break;
        case Phase::kHops:
            if (meter_.Advance() == Progress::kMore) break;
            task_.scratch->Rewind(mark_);
            return Progress::kDone;
    }
    return Progress::kMore;
}

/// Breadth first from the leaf switches; then the switches that are not reached, and the holes.
void Renumbering::PlaceOthers() {
    const Topology& topology = *task_.topology;
    for (std::size_t head = 0; head < count_; ++head) {  // Each switch is placed once.
        for (const Trunk& trunk : topology.trunks(rows_[head])) {
            Place(trunk.peer);
        }
    }
    for (const SwitchIndex at : topology.switches_by_guid()) {
        Place(at);
    }
    EMBER_ASSERT(count_ == topology.switch_count());
    for (std::size_t i = 0; i < topology.switch_bound(); ++i) {
        Place(static_cast<SwitchIndex>(i));
    }
}

void Renumbering::RenumberTopology() {
    const Topology& old = *task_.topology;
    Arena& scratch = *task_.scratch;
    scratch.Rewind(mark_);  // is_placed_ has been used.
    topology_.Renumber(old, rows_.first(old.switch_count()), scratch);
    mark_ = scratch.used_bytes();
    MeasureHops();
    renumbered_task_ = task_;
    renumbered_task_.topology = &topology_;
}

void Renumbering::MeasureHops() {
    const auto room = task_.hop_room->Spend();
    meter_.Begin(topology_, task_.options->tables.hop_weights, room, *task_.scratch);
    phase_ = Phase::kHops;
}

void Renumbering::LeaveOut(std::span<const SwitchExit> ports) {
    EMBER_ASSERT(task_.scratch->used_bytes() == mark_);
    topology_.LeaveOut(ports);
    MeasureHops();
}

}  // namespace ember
