// SPDX-License-Identifier: Apache-2.0
// EmberSM: forwarding tables, a LID after the other by least paths.

#include "engines/sssp/path_tables.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Status PathTables::Begin(const RoutingTask& task) {
    task_ = task;
    complaint_ = {};
    const Topology& topology = *task.topology;
    Arena& scratch = *task.scratch;
    const bool avoids_throttled = task.options->avoid_throttled_links;
    search_.Begin(topology, scratch, avoids_throttled);
    switches_ = scratch.Take<SwitchIndex>(topology.switch_count());
    order_ = scratch.Take<DestinationIndex>(topology.destinations().size());
    is_ordered_ = scratch.Take<bool>(topology.destinations().size());
    OrderSwitches();
    OrderDestinations();
    next_ = 0;
    next_lid_ = 0;
    if (count_ == 0) return Status::kOk;
    search_.Run(topology.destination(order_[0]));
    if (!search_.reached_all() && avoids_throttled) {
        search_.TakeThrottled();
        search_.Run(topology.destination(order_[0]));
    }
    if (search_.reached_all()) return Status::kOk;
    complaint_ = {.what = EngineFault::kApart,
                  .guid = topology.switch_row(search_.unreached()).guid};
    return Status::kUnreachable;
}

/// Equals stay in the order of their GUIDs.
void PathTables::OrderSwitches() {
    const auto by_guid = task_.topology->switches_by_guid();
    std::copy(by_guid.begin(), by_guid.end(), switches_.begin());
    const auto before = [this](SwitchIndex one, SwitchIndex other) {
        const std::uint32_t lids = search_.lids_at(one);
        const std::uint32_t others = search_.lids_at(other);
        return lids != others ? lids > others : search_.number(one) < search_.number(other);
    };
    std::make_heap(switches_.begin(), switches_.end(), before);  // std::sort is recursive.
    std::sort_heap(switches_.begin(), switches_.end(), before);
}

void PathTables::OrderDestinations() {
    const EngineTables& tables = task_.options->tables;
    count_ = 0;
    AddEndPorts(tables.compute_nodes, true);
    AddEndPorts(tables.io_nodes, true);
    AddEndPorts({}, false);
    AddSwitches();
    AddRouters();
}

/// The hosts of one switch after the other: those that `guids` names, or all that are left.
void PathTables::AddEndPorts(std::span<const Guid> guids, bool wants_named) {
    if (wants_named && guids.empty()) return;
    for (const SwitchIndex at : switches_) {
        for (const Exit& exit : task_.topology->exits(at).subspan(1)) {
            if (exit.destination == kNoDestination) continue;
            const Destination& row = task_.topology->destination(exit.destination);
            const bool is_wanted =
                !wants_named || std::binary_search(guids.begin(), guids.end(), row.port_guid);
            if (is_wanted && !row.is_router) Add(exit.destination);
        }
    }
}

void PathTables::AddSwitches() {
    for (const SwitchIndex at : switches_) {
        const DestinationIndex own = task_.topology->exit(at, kManagementPort).destination;
        if (own != kNoDestination) Add(own);
    }
}

void PathTables::AddRouters() {
    for (const SwitchIndex at : switches_) {
        for (const Exit& exit : task_.topology->exits(at)) {
            if (exit.destination != kNoDestination) Add(exit.destination);
        }
    }
}

void PathTables::Add(DestinationIndex at) {
    if (is_ordered_[Raw(at)]) return;
    is_ordered_[Raw(at)] = true;
    order_[count_++] = at;
}

Progress PathTables::Advance() {
    for (std::size_t links = 0; links < kLinksPerSlice; links += search_.link_count()) {
        if (next_ == count_) return Progress::kDone;
        const Destination& row = task_.topology->destination(order_[next_]);
        RouteLid(row, static_cast<Lid>(Raw(row.lid) + next_lid_));
        if (++next_lid_ < row.lid_count()) continue;
        next_lid_ = 0;
        ++next_;
    }
    return Progress::kMore;
}

void PathTables::RouteLid(const Destination& destination, Lid lid) {
    search_.Run(destination);
    search_.ForEachExit(
        [&](SwitchIndex at, std::uint8_t port) { task_.tables.lfts[at][Raw(lid)] = port; });
    search_.CountPaths();
}

}  // namespace ember
