// SPDX-License-Identifier: Apache-2.0
// EmberSM: a lane for each pair of switches, so that no lane has a cycle of waits.

#include "engines/sssp/lane_layers.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void LaneLayers::Begin(const RoutingTask& task) {
    task_ = task;
    complaint_ = {};
    lanes_ = 0;
    walked_ = 0;
    links_.Begin(*task.topology, *task.scratch);
    StudyLinks();
    FindSenders();
    one_ = 0;
    other_ = 0;
}

void LaneLayers::StudyLinks() {
    most_lanes_ = std::min<std::uint8_t>(task_.max_lanes, kMostLanes);
    shortage_ = {.what = task_.lane_fault};
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        const auto exits = task_.topology->exits(at);
        for (std::size_t port = 1; port < exits.size(); ++port) {
            if (exits[port].rate == Rate::kNone || exits[port].lanes() >= most_lanes_) continue;
            most_lanes_ = exits[port].lanes();
            shortage_ = {.what = EngineFault::kLinkLanes,
                         .guid = task_.topology->switch_row(at).guid,
                         .port = static_cast<PortNumber>(port)};
        }
    }
}

/// Switches that are near each other follow each other: their paths agree on the order of links.
void LaneLayers::FindSenders() {
    const Topology& topology = *task_.topology;
    const auto switches = topology.switches_by_guid();
    senders_ = task_.scratch->Take<SwitchIndex>(switches.size());
    std::size_t count = 0;
    bool more_far = !switches.empty();
    for (unsigned hops = 0; more_far; ++hops) {  // Ends: no switch is as far as kNoHops.
        more_far = false;
        for (const SwitchIndex at : switches) {
            const std::uint8_t far = task_.hops[switches.front()][Raw(at)];
            more_far = more_far || (far > hops && far != kNoHops);
            if (far == hops && !topology.IsMere(at)) senders_[count++] = at;
        }
    }
    senders_ = senders_.first(count);
}

Result<Progress> LaneLayers::Advance() {
    if (lanes_ == 0) {
        const Status status = OpenLane();
        if (status != Status::kOk) return status;
    }
    const std::size_t end = StepsTaken() + kStepsPerSlice;
    while (StepsTaken() < end) {
        ++walked_;
        if (!GoToNextPair()) return Progress::kDone;
        const Status status = ServePair(senders_[one_], senders_[other_]);
        if (status != Status::kOk) return status;
    }
    return Progress::kMore;
}

/// False: there is none.
bool LaneLayers::GoToNextPair() {
    if (++other_ < senders_.size()) return true;
    other_ = ++one_ + 1;
    return other_ < senders_.size();
}

Status LaneLayers::ServePair(SwitchIndex one, SwitchIndex other) {
    std::uint8_t lane = 0;
    while (!Fits(graphs_[lane], one, other)) {
        if (++lane < lanes_) continue;
        const Status status = OpenLane();
        if (status != Status::kOk) return status;
    }
    if (lane == 0) return Status::kOk;
    PathSl& levels = task_.tables.lanes->path_sl;
    levels.Set({.from = one, .to = other}, lane);
    levels.Set({.from = other, .to = one}, lane);
    return Status::kOk;
}

bool LaneLayers::Fits(LaneGraph& graph, SwitchIndex one, SwitchIndex other) {
    graph.BeginTrial();
    if (AddPaths(graph, one, other) && AddPaths(graph, other, one)) return true;
    graph.TakeBack();
    return false;
}

/// To all end ports of a switch.
bool LaneLayers::AddPaths(LaneGraph& graph, SwitchIndex from, SwitchIndex to) {
    const Topology& topology = *task_.topology;
    const auto exits = topology.exits(to);
    const std::size_t first = topology.switch_row(to).is_home ? 0 : 1;
    for (std::size_t port = first; port < exits.size(); ++port) {
        if (exits[port].destination == kNoDestination) continue;
        const Destination& row = topology.destination(exits[port].destination);
        for (std::uint32_t i = 0; i < row.lid_count(); ++i) {
            if (!AddPath(graph, from, to, static_cast<Lid>(Raw(row.lid) + i))) return false;
        }
    }
    return true;
}

bool LaneLayers::AddPath(LaneGraph& graph, SwitchIndex from, SwitchIndex to, Lid lid) {
    Link held = LaneLinks::kNoLink;
    SwitchIndex at = from;
    for (std::size_t i = 0; at != to; ++i) {
        EMBER_ASSERT(i < task_.topology->switch_count());  // The tables have no loop.
        ++walked_;
        const Link next = links_.Of(at, task_.tables.lfts[at][Raw(lid)]);
        if (held != LaneLinks::kNoLink && !graph.Add(held, next)) return false;
        held = next;
        at = links_.FarSwitch(next);
    }
    return true;
}

/// The first lane is that of all paths that nothing is said of.
Status LaneLayers::OpenLane() {
    if (lanes_ == most_lanes_) {
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
    if (lanes_ == 1) {
        const Status status = lanes.path_sl.Begin(PathSl::Form::kBySwitchPair,
                                                  topology.switch_bound(), topology.top_lid());
        if (status != Status::kOk) {
            complaint_ = {.what = EngineFault::kNoPathSlBytes};
            return status;
        }
    }
    graphs_[lanes_++].Begin(links_, *task_.scratch);
    lanes.count = lanes_;
    lanes.sls = static_cast<std::uint16_t>((1U << lanes_) - 1U);
    return Status::kOk;
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
