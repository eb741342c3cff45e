// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of the switches, when every engine was refused.

#include "core/routing/kept_tables.h"

#include <algorithm>

namespace ember {

void KeptTables::Begin(const Task& task, Arena& scratch) {
    task_ = task;
    scratch_ = &scratch;
    mark_ = scratch.used_bytes();
    owned_ = {};
    next_ = 0;
    task.hops->Begin({.topology = task.topology, .weights = task.weights}, scratch);
}

Progress KeptTables::Advance() {
    if (owned_.empty()) {
        if (task_.hops->Advance() == Progress::kDone) MarkOwned();
        return Progress::kMore;
    }
    const std::size_t bound = task_.topology->switch_bound();
    if (next_ == bound) return Progress::kDone;
    const std::size_t rows = std::max<std::size_t>(1, kOctetsPerSlice / owned_.size());
    const std::size_t end = std::min(bound, next_ + rows);
    for (; next_ < end; ++next_) {
        CopyRow(static_cast<SwitchIndex>(next_));
    }
    return Progress::kMore;
}

void KeptTables::MarkOwned() {
    const Topology& topology = *task_.topology;
    scratch_->Rewind(mark_);
    owned_ = scratch_->Take<bool>(LftBlocks(topology.top_lid()) * std::size_t{64});
    for (const Destination& destination : topology.destinations()) {
        const auto lids = owned_.subspan(Raw(destination.lid), destination.lid_count());
        std::fill(lids.begin(), lids.end(), true);
    }
}

/// No node is behind a dead link, or behind a port that the switch has not.
void KeptTables::CopyRow(SwitchIndex at) {
    const auto row = task_.planned[at].first(owned_.size());
    std::fill(row.begin(), row.end(), kNoHops);
    if (!task_.topology->Has(at)) return;
    const auto exits = task_.topology->exits(at);
    const auto leads_to_node = [&](std::uint8_t port) {
        if (port >= exits.size()) return false;
        const Exit& exit = exits[port];
        return port == 0 || exit.peer != kNoSwitch || exit.destination != kNoDestination;
    };
    const auto programmed = task_.programmed[at];
    for (std::size_t lid = 0; lid < owned_.size(); ++lid) {
        const std::uint8_t port = programmed[lid];
        if (owned_[lid] && (!task_.drops_dead || leads_to_node(port))) row[lid] = port;
    }
}

}  // namespace ember
