// SPDX-License-Identifier: Apache-2.0
// EmberSM: a tree by which every switch reaches every other one, whatever else is routed.

#include "engines/nue/escape_tree.h"

#include <limits>

#include "core/base/assert.h"

namespace ember {

void EscapeTree::Begin(const RoutingTask& task, const LaneLinks& links, LaneGraph& graph) {
    task_ = task;
    links_ = &links;
    graph_ = &graph;
    const std::size_t switches = task.topology->switch_bound();
    up_ = task.scratch->Take<Link>(switches);
    down_ = task.scratch->Take<Link>(switches);
    parent_ = task.scratch->Take<SwitchIndex>(switches);
    queue_ = task.scratch->Take<SwitchIndex>(switches);
    aim_ = task.scratch->Take<std::uint32_t>(switches);
    aims_ = 0;
    count_ = next_ = 0;
    has_tree_ = false;
    root_ = kNoSwitch;
    least_ = std::numeric_limits<std::uint64_t>::max();
}

Progress EscapeTree::Advance() {
    const auto switches = task_.topology->switches_by_guid();
    for (std::size_t steps = 0; steps < kStepsPerSlice && next_ < switches.size(); ++next_) {
        if (has_tree_) {
            steps += AddWaitsOf(switches[next_]);
        } else {
            MeasureNext();
            steps += switches.size();
        }
    }
    if (next_ < switches.size()) return Progress::kMore;
    if (has_tree_) return Progress::kDone;
    Grow();
    has_tree_ = true;
    next_ = 0;
    return Progress::kMore;
}

void EscapeTree::MeasureNext() {
    const auto switches = task_.topology->switches_by_guid();
    const auto hops = task_.hops[switches[next_]];
    std::uint64_t sum = 0;
    for (const SwitchIndex to : switches) {
        const RoutingSwitch& row = task_.topology->switch_row(to);
        sum += std::uint64_t{hops[Raw(to)]} * (row.end_port_count + std::uint64_t{1});
    }
    if (sum >= least_) return;
    least_ = sum;
    root_ = switches[next_];
}

void EscapeTree::Grow() {
    const Topology& topology = *task_.topology;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        up_[Raw(at)] = LaneLinks::kNoLink;
    }
    if (root_ == kNoSwitch) return;
    queue_[count_++] = root_;
    std::size_t next = 0;
    std::size_t next_avoided = 0;
    while (next < count_) {
        while (next < count_)
            static_cast<void>(AddNeighbors(queue_[next++], false));
        while (next_avoided < count_ && !AddNeighbors(queue_[next_avoided], true))
            ++next_avoided;
    }
}

/// Adds all switches behind links of one kind: those that are to be avoided, or all others. Of the
/// former one at a time: there may be a better way to the next. False: there is none.
bool EscapeTree::AddNeighbors(SwitchIndex at, bool by_avoided) {
    const Topology& topology = *task_.topology;
    for (const Trunk& trunk : topology.trunks(at)) {
        if (trunk.peer == root_ || up_[Raw(trunk.peer)] != LaneLinks::kNoLink) continue;
        const bool is_avoided =
            task_.options->avoid_throttled_links && topology.exit(at, trunk.port).is_throttled;
        if (is_avoided != by_avoided) continue;
        up_[Raw(trunk.peer)] = links_->Of(trunk.peer, Raw(trunk.peer_port));
        parent_[Raw(trunk.peer)] = at;
        queue_[count_++] = trunk.peer;
        if (by_avoided) return true;
    }
    return false;
}

/// A link of the tree, in either direction.
bool EscapeTree::IsOfTree(SwitchIndex at, const Trunk& trunk) const {
    return up_[Raw(at)] == links_->Of(at, Raw(trunk.port)) ||
           up_[Raw(trunk.peer)] == links_->Of(trunk.peer, Raw(trunk.peer_port));
}

/// Adds what packets wait for that come to a switch along the tree. Returns links looked at.
std::size_t EscapeTree::AddWaitsOf(SwitchIndex at) {
    std::size_t steps = 1;
    for (const Trunk& from : task_.topology->trunks(at)) {
        ++steps;
        if (IsOfTree(at, from)) steps += AddWaitsOf(at, from);
    }
    return steps;
}

std::size_t EscapeTree::AddWaitsOf(SwitchIndex at, const Trunk& from) {
    const auto trunks = task_.topology->trunks(at);
    for (const Trunk& to : trunks) {
        if (to.port == from.port || !IsOfTree(at, to)) continue;
        const bool is_added =
            graph_->Add(links_->Of(from.peer, Raw(from.peer_port)), links_->Of(at, Raw(to.port)));
        EMBER_ASSERT(is_added);  // A tree has no cycle.
    }
    return trunks.size();
}

void EscapeTree::AimAt(SwitchIndex to) {
    ++aims_;
    for (SwitchIndex at = to; at != root_; at = parent_[Raw(at)]) {  // Ends: the root is above all.
        const SwitchIndex above = parent_[Raw(at)];
        aim_[Raw(above)] = aims_;
        down_[Raw(above)] = links_->Back(up_[Raw(at)]);
    }
}

}  // namespace ember
