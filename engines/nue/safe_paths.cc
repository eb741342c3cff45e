// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths on one lane that no credit loop is possible with, on any topology.

#include "engines/nue/safe_paths.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void SafePaths::Begin(const RoutingTask& task) {
    task_ = task;
    Arena& scratch = *task.scratch;
    const std::size_t switches = task.topology->switch_bound();
    links_.Begin(*task.topology, scratch);
    graph_.Begin(links_, scratch);
    graph_.RememberRefusals();
    tree_.Begin(task, links_, graph_);
    heap_.Begin(task.topology->switches_by_guid(), switches, scratch);
    has_tree_ = false;
    load_ = scratch.Take<std::uint32_t>(links_.count());
    refused_ = scratch.Take<std::uint64_t>(LaneLinks::RowWords(links_.count()));
    via_ = scratch.Take<Link>(switches);
    far_ = scratch.Take<std::uint64_t>(switches);
    takes_tree_ = scratch.Take<bool>(switches);
    settled_ = scratch.Take<std::uint32_t>(switches);
    lids_ = scratch.Take<std::uint32_t>(switches);
    order_ = scratch.Take<SwitchIndex>(switches);
    path_ = scratch.Take<SwitchIndex>(switches);
    count_ = 0;
    search_ = 0;
    next_ = 0;
    next_lid_ = 0;
    is_searching_ = false;
    steps_ = 0;
    CountLids();
}

/// A link counts the square of all LIDs and its load, so that fewer links count before lighter
/// ones.
void SafePaths::CountLids() {
    std::uint64_t all = 1;
    for (const Destination& row : task_.topology->destinations()) {
        all += row.lid_count();
        if (row.at != kNoSwitch) lids_[Raw(row.at)] += row.lid_count();
    }
    least_weight_ = all * all;
}

Progress SafePaths::Advance() {
    if (!has_tree_) {
        has_tree_ = tree_.Advance() == Progress::kDone;
        return Progress::kMore;
    }
    const std::size_t end = StepsTaken() + kStepsPerSlice;
    while (StepsTaken() < end) {
        if (!is_searching_) {
            if (!GoToNextLid()) return Progress::kDone;
            tries_ = 0;
            std::fill(takes_tree_.begin(), takes_tree_.end(), false);
            tree_.AimAt(destination().at);
            BeginSearch();
        } else if (heap_.empty()) {
            EndSearch();
        } else {
            SettleNext();
        }
    }
    return Progress::kMore;
}

/// The LID is next_lid_ - 1 of destination(). False: all have been routed.
bool SafePaths::GoToNextLid() {
    const auto destinations = task_.topology->destinations_by_crowd();
    while (next_ < destinations.size()) {
        const Destination& row = destination();
        if (row.at != kNoSwitch && next_lid_ < row.lid_count()) {
            ++next_lid_;
            return true;
        }
        ++steps_;
        ++next_;
        next_lid_ = 0;
    }
    return false;
}

void SafePaths::BeginSearch() {
    is_searching_ = true;
    ++search_;
    count_ = 0;
    std::fill(refused_.begin(), refused_.end(), 0);
    heap_.Clear();
    Settle(destination().at, 0);
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        ++steps_;
        if (takes_tree_[Raw(at)]) SettleAlongTree(at);
    }
}

/// Settles a switch and those between it and the nearest one on its path that is settled.
void SafePaths::SettleAlongTree(SwitchIndex from) {
    std::size_t length = 0;
    for (SwitchIndex at = from; settled_[Raw(at)] != search_;) {
        path_[length++] = at;
        at = links_.FarSwitch(tree_.Next(at));
    }
    while (length > 0) {
        const SwitchIndex at = path_[--length];
        const Link link = tree_.Next(at);
        const SwitchIndex next = links_.FarSwitch(link);
        via_[Raw(at)] = link;
        const bool fits = next == destination().at || graph_.Add(link, via_[Raw(next)]);
        EMBER_ASSERT(fits);  // The waits of the tree are there.
        Settle(at, far_[Raw(next)] + WeightOf(link));
    }
}

void SafePaths::Settle(SwitchIndex at, std::uint64_t distance) {
    settled_[Raw(at)] = search_;
    far_[Raw(at)] = distance;
    order_[count_++] = at;
    for (const Trunk& trunk : task_.topology->trunks(at)) {
        ++steps_;
        const SwitchIndex from = trunk.peer;
        if (settled_[Raw(from)] == search_) continue;
        const Link link = links_.Back(LinkOf(at, trunk));
        const std::uint64_t sum = distance + WeightOf(link, at, trunk);
        if (heap_.Has(from) && heap_.distance(from) <= sum) continue;
        via_[Raw(from)] = link;
        heap_.Set(from, sum);
    }
}

void SafePaths::SettleNext() {
    const SwitchIndex at = heap_.Take();
    if (settled_[Raw(at)] == search_) return;  // Along the tree.
    const Link link = via_[Raw(at)];
    const SwitchIndex next = links_.FarSwitch(link);
    if (next == destination().at || graph_.Add(link, via_[Raw(next)])) {
        Settle(at, heap_.distance(at));
    } else {
        refused_[link / 64] |= std::uint64_t{1} << (link % 64);
        LookForOther(at);
    }
}

/// The least path from a switch by another link, over switches that are settled.
void SafePaths::LookForOther(SwitchIndex at) {
    for (const Trunk& trunk : task_.topology->trunks(at)) {
        ++steps_;
        const Link link = LinkOf(at, trunk);
        if (settled_[Raw(trunk.peer)] != search_ || WasRefused(link)) continue;
        const std::uint64_t sum = far_[Raw(trunk.peer)] + WeightOf(link, at, trunk);
        if (heap_.Has(at) && heap_.distance(at) <= sum) continue;
        via_[Raw(at)] = link;
        heap_.Set(at, sum);
    }
}

/// Switches that are left take the tree, and the search begins anew. Waits that this search has
/// added stay: to remember refusals saves more than they cost.
void SafePaths::EndSearch() {
    if (count_ == task_.topology->switch_count()) {
        Finish();
        return;
    }
    ++tries_;
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        ++steps_;
        if (settled_[Raw(at)] != search_ || tries_ == kMostTries) takes_tree_[Raw(at)] = true;
    }
    BeginSearch();
}

/// Writes the entries of the LID and counts its paths, from the farthest switch on.
void SafePaths::Finish() {
    is_searching_ = false;
    const Topology& topology = *task_.topology;
    const std::size_t lid = Raw(destination().lid) + std::size_t{next_lid_} - 1;
    task_.tables.lfts[destination().at][lid] = Raw(destination().port);
    for (const SwitchIndex at : order_.first(count_)) {
        far_[Raw(at)] = lids_[Raw(at)];
    }
    for (std::size_t i = count_; i > 1; --i) {
        ++steps_;
        const SwitchIndex at = order_[i - 1];
        const Link link = via_[Raw(at)];
        const Trunk& trunk = topology.trunks(at)[link - topology.switch_row(at).first_trunk];
        task_.tables.lfts[at][lid] = Raw(trunk.port);
        load_[link] += static_cast<std::uint32_t>(far_[Raw(at)]);
        far_[Raw(trunk.peer)] += far_[Raw(at)];
    }
}

}  // namespace ember
