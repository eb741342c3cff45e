// SPDX-License-Identifier: Apache-2.0
// EmberSM: recognizes a fat tree.

#include "engines/fat_tree/plan.h"

#include <array>

namespace ember {

Status FatTreePlan::Begin(const RoutingTask& task) {
    task_ = task;
    complaint_ = {};
    phase_ = Phase::kHosts;
    const EngineTables& tables = task.options->tables;
    if (task.topology->top_lmc() > 0) return Refuse(EngineFault::kLmc);
    if (task.topology->switch_count() < 2) return Refuse(EngineFault::kTooFewSwitches);
    if (tables.has_compute_nodes && tables.compute_nodes.empty()) {
        return Refuse(EngineFault::kNoComputeNodeFile);
    }
    if (tables.has_io_nodes && tables.io_nodes.empty()) return Refuse(EngineFault::kNoIoNodeFile);
    hosts_.Begin(task);
    return Status::kOk;
}

Status FatTreePlan::Refuse(EngineFault what, Guid guid, PortNumber port) {
    complaint_ = {.what = what, .guid = guid, .port = port};
    return Status::kAbsent;
}

Result<Progress> FatTreePlan::Advance() {
    EMBER_TRY(DoSlice());
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

Status FatTreePlan::DoSlice() {
    switch (phase_) {
        case Phase::kHosts:
            return SortHosts();
        case Phase::kRanks:
            return FindRanks();
        case Phase::kLeafRank:
            return FindLeafRank();
        case Phase::kTuples:
            return GiveTuples();
        case Phase::kShape:
            if (shape_.Advance() == Progress::kDone) phase_ = Phase::kLeaves;
            break;
        case Phase::kLeaves:
            return CollectLeaves();
        case Phase::kCheck:
            return CheckPurity();
        case Phase::kDone:
            break;
    }
    return Status::kOk;
}

Status FatTreePlan::SortHosts() {
    const Result<Progress> progress = hosts_.Advance();
    complaint_ = hosts_.complaint();
    if (!progress.ok()) return progress.status();
    if (progress.value() == Progress::kDone) phase_ = Phase::kRanks;
    return Status::kOk;
}

Status FatTreePlan::FindRanks() {
    const EngineFault fault = ranks_.Find(task_);
    phase_ = Phase::kLeafRank;
    return fault == EngineFault::kNone ? Status::kOk : Refuse(fault);
}

Status FatTreePlan::FindLeafRank() {
    const Topology& topology = *task_.topology;
    has_compute_node_ = task_.scratch->Take<bool>(topology.switch_bound());
    bool found = false;
    leaf_rank_ = ranks_.top();
    for (const DestinationIndex at : hosts_.by_node()) {
        const Destination& host = topology.destination(at);
        if (hosts_.host_class(at) != HostClass::kCompute || !ranks_.Has(host.at)) continue;
        if (!found && ranks_.from_roots()) leaf_rank_ = ranks_.rank(host.at);
        found = true;
        if (ranks_.rank(host.at) != leaf_rank_) {
            return Refuse(EngineFault::kLeafRank, topology.switch_row(host.at).guid, host.port);
        }
        has_compute_node_[Raw(host.at)] = true;
    }
    if (!found) return Refuse(EngineFault::kNoComputeNode);
    if (leaf_rank_ < 1 || leaf_rank_ >= kMaxTreeRank) return Refuse(EngineFault::kTreeRank);
    phase_ = Phase::kTuples;
    return Status::kOk;
}

Status FatTreePlan::GiveTuples() {
    const Topology& topology = *task_.topology;
    tuples_.Begin(topology, ranks_, has_compute_node_, leaf_rank_, *task_.scratch);
    bool fits = false;
    if (task_.options->quasi_ftree_indexing) {
        fits = tuples_.StartAtRoots();
    } else {
        for (const SwitchIndex at : topology.switches_by_guid()) {
            if (!has_compute_node_[Raw(at)]) continue;
            fits = tuples_.StartAtLeaf(at);
            break;
        }
    }
    if (!fits) return Refuse(EngineFault::kRanking);
    shape_.Begin(topology, ranks_, hosts_, tuples_, *task_.scratch);
    phase_ = Phase::kShape;
    return Status::kOk;
}

Status FatTreePlan::CollectLeaves() {
    leaves_ = task_.scratch->Take<std::uint16_t>(ranks_.count());
    slots_per_leaf_ = 0;
    std::size_t count = 0;
    std::size_t used = 0;  // As far as the last one with a compute node.
    std::size_t real = 0;
    for (const SwitchIndex at : shape_.by_tuple()) {
        if (ranks_.rank(at) != leaf_rank_) continue;
        const bool is_real = has_compute_node_[Raw(at)];
        if (count == 0 && !is_real) continue;
        leaves_[count++] = shape_.number(at);
        if (!is_real) continue;
        used = count;
        ++real;
        std::size_t slots = 0;
        ForEachComputeNode(shape_.number(at), [&](Lid, PortNumber) { ++slots; });
        slots_per_leaf_ = std::max(slots_per_leaf_, slots);
    }
    leaves_ = leaves_.first(used);
    phase_ = task_.options->tables.has_roots ? Phase::kDone : Phase::kCheck;
    return real < 2 ? Refuse(EngineFault::kNoLeaves) : Status::kOk;
}

/// Every switch is compared with the first one of its rank.
Status FatTreePlan::CheckPurity() {
    const Topology& topology = *task_.topology;
    std::array<const TreeSwitch*, kMaxTreeRank> first{};
    for (const SwitchIndex at : topology.switches_by_guid()) {
        if (!ranks_.Has(at)) continue;
        const TreeSwitch& here = shape_.switches()[shape_.number(at)];
        EMBER_ASSERT(here.rank < kMaxTreeRank);  // Without roots, the leaves' is the greatest.
        if (first[here.rank] == nullptr) first[here.rank] = &here;
        const EngineFault fault = Compare(here, *first[here.rank]);
        if (fault != EngineFault::kNone) return Refuse(fault, topology.switch_row(at).guid);
    }
    phase_ = Phase::kDone;
    return Status::kOk;
}

EngineFault FatTreePlan::Compare(const TreeSwitch& one, const TreeSwitch& first) const {
    const auto up_of = [&](const TreeSwitch& here) {
        const std::size_t from = here.first_group + here.down_count + here.side_count;
        return shape_.groups().subspan(from, here.up_count);
    };
    if (one.up_count != first.up_count) return EngineFault::kUpGroups;
    for (const TreeGroup& group : up_of(one)) {
        if (group.port_count != up_of(first)[0].port_count) return EngineFault::kUpGroupPorts;
    }
    if (one.rank == leaf_rank_) return EngineFault::kNone;
    if (one.down_count + one.host_count != first.down_count + first.host_count) {
        return EngineFault::kDownGroups;
    }
    const TreeGroup* const mine = FirstBelow(one);
    const TreeGroup* const theirs = FirstBelow(first);
    const bool differ =
        mine != nullptr && theirs != nullptr && mine->port_count != theirs->port_count;
    return differ ? EngineFault::kDownGroupPorts : EngineFault::kNone;
}

/// The group down to the switch with the least address. OpenSM compares no other one.
const TreeGroup* FatTreePlan::FirstBelow(const TreeSwitch& here) const {
    const auto below = shape_.groups().subspan(here.first_group, here.down_count);
    const auto least =
        std::min_element(below.begin(), below.end(),
                         [](const TreeGroup& a, const TreeGroup& b) { return a.place < b.place; });
    return least == below.end() ? nullptr : &*least;
}

}  // namespace ember
