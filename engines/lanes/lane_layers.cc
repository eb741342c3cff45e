// SPDX-License-Identifier: Apache-2.0
// EmberSM: a lane for each pair of switches, so that no lane has a cycle of waits.

#include "engines/lanes/lane_layers.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void LaneLayers::Begin(const RoutingTask& task, const LayerPlan& plan) {
    task_ = task;
    plan_ = plan;
    complaint_ = {};
    lanes_ = 0;
    pairs_ = {};
    walked_ = 0;
    class_ = 0;
    first_of_class_ = 0;
    links_.Begin(*task.topology, *task.scratch);
    StudyLinks();
    one_ = 0;
    other_ = 0;
    is_evening_ = false;
}

void LaneLayers::StudyLinks() {
    most_lanes_ = std::min(task_.max_lanes, plan_.most_lanes);
    shortage_ = {.what = task_.lane_fault};
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        const auto exits = task_.topology->exits(at);
        for (std::size_t port = 1; port < exits.size(); ++port) {
            if (!exits[port].has_link || exits[port].lanes() >= most_lanes_) continue;
            most_lanes_ = exits[port].lanes();
            shortage_ = ComplaintOfLink(*task_.topology, at, static_cast<PortNumber>(port));
        }
    }
}

/// Switches that are near each other follow each other: their paths agree on the order of links.
std::span<const SwitchIndex> LaneLayers::FindSenders(const RoutingTask& task) {
    const Topology& topology = *task.topology;
    const auto switches = topology.switches_by_guid();
    const auto senders = task.scratch->Take<SwitchIndex>(switches.size());
    std::size_t count = 0;
    bool more_far = !switches.empty();
    for (unsigned hops = 0; more_far; ++hops) {  // Ends: no switch is as far as kNoHops.
        more_far = false;
        for (const SwitchIndex at : switches) {
            const std::uint8_t far = task.hops[switches.front()][Raw(at)];
            more_far = more_far || (far > hops && far != kNoHops);
            if (far == hops && !topology.IsMere(at)) senders[count++] = at;
        }
    }
    return senders.first(count);
}

Result<Progress> LaneLayers::Advance() {
    if (is_evening_) return EvenOut();
    if (lanes_ == 0) {
        const Status status = OpenFirstLane();
        if (status != Status::kOk) return status;
    }
    const std::size_t end = StepsTaken() + kStepsPerSlice;
    while (StepsTaken() < end) {
        ++walked_;
        if (!GoToNextPair() && !GoToNextClass()) {
            is_evening_ = plan_.is_even && lanes_ > 1;
            one_ = other_ = 0;
            return is_evening_ ? Progress::kMore : Progress::kDone;
        }
        const Status status = ServePair({plan_.switches[one_], plan_.switches[other_]});
        if (status != Status::kOk) return status;
    }
    return Progress::kMore;
}

/// Paths between ports of one switch wait for no link, and have the first lane's service level too.
Status LaneLayers::OpenFirstLane() {
    const Status status = OpenLane();
    if (status != Status::kOk || plan_.first_lane == 0) return status;
    for (const SwitchIndex at : plan_.switches) {
        task_.tables.lanes->path_sl.Set({.from = at, .to = at}, plan_.first_lane);
    }
    return Status::kOk;
}

/// False: there is none.
bool LaneLayers::GoToNextPair() {
    if (++other_ < plan_.switches.size()) return true;
    other_ = ++one_ + 1;
    return other_ < plan_.switches.size();
}

/// Goes back before the first pair, for those of the next class, whose lanes lie behind those of
/// the last one.
bool LaneLayers::GoToNextClass() {
    if (plan_.classes == nullptr || class_ + 1 >= plan_.classes->count) return false;
    if (plan_.switches.empty()) return false;
    ++class_;
    first_of_class_ = lanes_;
    one_ = other_ = 0;
    return true;
}

bool LaneLayers::IsServed(const SwitchPair& pair) const {
    if (plan_.classes == nullptr) return true;
    return pair.one != pair.other && plan_.classes->Of(pair.one, pair.other) == class_;
}

Status LaneLayers::ServePair(const SwitchPair& pair) {
    if (!IsServed(pair)) return Status::kOk;
    std::uint8_t lane = first_of_class_;
    while (lane == lanes_ || !Fits(graphs_[lane], pair)) {
        if (lane < lanes_) ++lane;
        if (lane < lanes_) continue;
        const Status status = OpenLane();
        if (status != Status::kOk) return status;
    }
    ++pairs_[lane];
    SetLane(pair, lane);
    return Status::kOk;
}

void LaneLayers::SetLane(const SwitchPair& pair, std::uint8_t lane) const {
    PathSl& levels = task_.tables.lanes->path_sl;
    if (levels.form() == PathSl::Form::kNone) return;  // There is one lane, so far.
    const auto sl = static_cast<std::uint8_t>(plan_.first_lane + lane);
    levels.Set({.from = pair.one, .to = pair.other}, sl);
    levels.Set({.from = pair.other, .to = pair.one}, sl);
}

std::uint8_t LaneLayers::LaneOf(const SwitchPair& pair) const {
    const std::uint8_t sl =
        task_.tables.lanes->path_sl.Of({.from = pair.one, .to = pair.other, .lid = kNoLid});
    return static_cast<std::uint8_t>(sl - plan_.first_lane);
}

bool LaneLayers::Fits(LaneGraph& graph, const SwitchPair& pair) {
    graph.BeginTrial();
    if (AddPaths(graph, pair.one, pair.other) && AddPaths(graph, pair.other, pair.one)) return true;
    graph.TakeBack();
    return false;
}

bool LaneLayers::AddPaths(LaneGraph& graph, SwitchIndex from, SwitchIndex to) {
    if (plan_.exits.stride() > 0) {
        return AddPath(graph, from, to, [&](SwitchIndex at) { return plan_.exits[at][Raw(to)]; });
    }
    const Topology& topology = *task_.topology;
    const auto exits = topology.exits(to);
    const std::size_t first = topology.switch_row(to).is_home || plan_.counts_switch_lids ? 0 : 1;
    return std::all_of(exits.begin() + static_cast<std::ptrdiff_t>(first), exits.end(),
                       [&](const Exit& exit) {
                           return exit.destination == kNoDestination ||
                                  AddPathsTo(graph, from, topology.destination(exit.destination));
                       });
}

/// To all LIDs of an end port.
bool LaneLayers::AddPathsTo(LaneGraph& graph, SwitchIndex from, const Destination& row) {
    for (std::uint32_t i = 0; i < row.lid_count(); ++i) {
        const std::uint32_t lid = Raw(row.lid) + i;
        const auto exit_of = [&](SwitchIndex at) { return task_.tables.lfts[at][lid]; };
        if (!AddPath(graph, from, row.at, exit_of)) return false;
    }
    return true;
}

/// A path that is none, between parts of the subnet, waits for nothing.
template <typename ExitOf>
bool LaneLayers::AddPath(LaneGraph& graph, SwitchIndex from, SwitchIndex to,
                         const ExitOf& exit_of) {
    if (exit_of(from) == kNoHops) return true;
    Link held = LaneLinks::kNoLink;
    SwitchIndex at = from;
    for (std::size_t i = 0; at != to; ++i) {
        ++walked_;
        const std::uint8_t port = exit_of(at);
        if (!GoesOn(at, port, i)) return true;
        const Link next = links_.Of(at, port);
        if (held != LaneLinks::kNoLink && !graph.Add(held, next)) return false;
        held = next;
        at = links_.FarSwitch(next);
    }
    return true;
}

/// Tables of one engine have no loop and no path that ends on its way.
bool LaneLayers::GoesOn(SwitchIndex at, std::uint8_t port, std::size_t hops) const {
    const bool is_short = hops < task_.topology->switch_count();
    if (plan_.classes == nullptr) {
        EMBER_ASSERT(is_short);
        return true;
    }
    return is_short && port < task_.topology->exits(at).size() &&
           links_.Of(at, port) != LaneLinks::kNoLink;
}

/// The first lane is that of all paths that nothing is said of, if it is lane 0.
Status LaneLayers::OpenLane() {
    const auto count = static_cast<std::uint8_t>(plan_.first_lane + lanes_ + 1);
    if (count > most_lanes_) {
        complaint_ = shortage_;
        return Status::kFull;
    }
    const Topology& topology = *task_.topology;
    const Arena& scratch = *task_.scratch;
    if (LaneGraph::ScratchBytes(topology.bounds()) > scratch.size_bytes() - scratch.used_bytes()) {
        complaint_ = {.what = EngineFault::kLanesNotProvable};
        return Status::kFull;
    }
    RoutingLanes& lanes = *task_.tables.lanes;
    if (count > 1 && lanes.path_sl.form() == PathSl::Form::kNone) {
        const Status status = lanes.path_sl.Begin(PathSl::Form::kBySwitchPair,
                                                  topology.switch_bound(), topology.top_lid());
        if (status != Status::kOk) {
            complaint_ = {.what = EngineFault::kNoPathSlBytes};
            return status;
        }
    }
    graphs_[lanes_++].Begin(links_, *task_.scratch);
    lanes.count = count;
    lanes.sls = static_cast<std::uint16_t>(1U | ((1U << count) - (1U << plan_.first_lane)));
    return Status::kOk;
}

/// Looks at every pair once. The waits of a pair that moves stay in the graph of the lane that it
/// leaves, so that lane is proved for more than it carries.
Progress LaneLayers::EvenOut() {
    const std::size_t end = StepsTaken() + kStepsPerSlice;
    while (StepsTaken() < end) {
        ++walked_;
        if (!GoToNextPair() || !EvenOutNext()) return Progress::kDone;
    }
    return Progress::kMore;
}

/// False: the lanes are even.
bool LaneLayers::EvenOutNext() {
    const auto pairs = std::span(pairs_).first(lanes_);
    const auto full =
        static_cast<std::size_t>(std::max_element(pairs.begin(), pairs.end()) - pairs.begin());
    const auto empty =
        static_cast<std::size_t>(std::min_element(pairs.begin(), pairs.end()) - pairs.begin());
    if (pairs[full] - pairs[empty] < kUneven) return false;
    const SwitchPair pair{plan_.switches[one_], plan_.switches[other_]};
    if (LaneOf(pair) != full || !Fits(graphs_[empty], pair)) return true;
    --pairs[full];
    ++pairs[empty];
    SetLane(pair, static_cast<std::uint8_t>(empty));
    return true;
}

/// Of all kinds, so that slices are of one length.
std::size_t LaneLayers::StepsTaken() const {
    std::size_t steps = walked_;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        steps += graphs_[lane].steps();
    }
    return steps;
}

}  // namespace ember
