// SPDX-License-Identifier: Apache-2.0
// EmberSM: which hosts compute, and which serve input and output.

#include "engines/fat_tree/hosts.h"

#include <algorithm>

namespace ember {

namespace {

/// The node, or where that is not told, the port in its place.
Guid NodeOf(const Destination& host) {
    return host.node_guid == kNoGuid ? host.port_guid : host.node_guid;
}

}  // namespace

void TreeHosts::Begin(const RoutingTask& task) {
    task_ = task;
    complaint_ = {};
    next_ = 0;
    phase_ = Phase::kSort;
}

Result<Progress> TreeHosts::Advance() {
    const EngineTables& tables = task_.options->tables;
    switch (phase_) {
        case Phase::kSort:
            complaint_.what = CollectHosts();
            if (complaint_.what != EngineFault::kNone) return Status::kAbsent;
            phase_ = Phase::kIo;
            break;
        case Phase::kIo:
            if (Mark(tables.io_nodes, HostClass::kIo)) phase_ = Phase::kCompute;
            break;
        case Phase::kCompute:
            if (Mark(tables.compute_nodes, HostClass::kCompute)) phase_ = Phase::kDone;
            break;
        case Phase::kDone:
            return Progress::kDone;
    }
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

EngineFault TreeHosts::CollectHosts() {
    const Topology& topology = *task_.topology;
    Arena& scratch = *task_.scratch;
    const auto rows = topology.destinations();
    class_ = scratch.Take<HostClass>(rows.size());
    by_node_ = scratch.Take<DestinationIndex>(rows.size());

    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(rows.size());
    const HostClass unnamed =
        task_.options->tables.has_compute_nodes ? HostClass::kOther : HostClass::kCompute;
    std::size_t count = 0;
    std::size_t routers = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        routers += rows[i].is_router ? 1U : 0U;
        if (rows[i].is_switch() || rows[i].is_router) continue;
        if (rows[i].faces_end_port) {
            complaint_.guid = rows[i].node_guid;
            return EngineFault::kHostsBackToBack;
        }
        if (rows[i].at == kNoSwitch) continue;
        class_[i] = unnamed;
        keys[count] = SortKey(NodeOf(rows[i]), task_.options->order);
        by_node_[count++] = static_cast<DestinationIndex>(i);
    }
    by_node_ = by_node_.first(count);
    SortByKey(keys.first(count), by_node_, scratch);

    const std::size_t hosts = CountHosts();
    if (hosts + routers < 2) return EngineFault::kTooFewEndNodes;
    return hosts < 2 ? EngineFault::kTooFewHosts : EngineFault::kNone;
}

/// Nodes, whatever the number of their ports.
std::size_t TreeHosts::CountHosts() const {
    std::size_t hosts = 0;
    Guid last = kNoGuid;
    for (const DestinationIndex at : by_node_) {
        const Guid node = NodeOf(task_.topology->destination(at));
        hosts += node != last ? 1U : 0U;
        last = node;
    }
    return hosts;
}

/// True: that was the last of them.
bool TreeHosts::Mark(std::span<const Guid> guids, HostClass host_class) {
    const std::size_t end = std::min(next_ + kGuidsPerSlice, guids.size());
    for (; next_ < end; ++next_) {
        const DestinationIndex at = task_.topology->FindDestination(guids[next_]);
        if (at == kNoDestination || class_[Raw(at)] == HostClass::kNone) continue;
        class_[Raw(at)] = host_class;
    }
    if (next_ < guids.size()) return false;
    next_ = 0;
    return true;
}

}  // namespace ember
