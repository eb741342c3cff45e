// SPDX-License-Identifier: Apache-2.0
// EmberSM: lanes that rise inside the path, so that shortest paths close no cycle of waits.

#include "engines/lanes/rising_lanes.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/graph/path_sl.h"

namespace ember {
namespace {

/// The lane of packets from and to ports that lead to no other switch.
constexpr std::uint8_t kFirstLane = 0;

constexpr unsigned ShiftOf(std::uint8_t sl) {
    return 2U * sl;
}

/// Turns of all switches.
std::size_t CountTurns(const Topology& topology) {
    std::size_t turns = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const std::size_t trunks = topology.trunks(at).size();
        turns += trunks * trunks;
    }
    return turns;
}

}  // namespace

std::size_t RisingLanes::ScratchBytes(const Topology& topology) {
    return Arena::BytesFor<std::uint16_t>(topology.switch_bound()) +
           Arena::BytesFor<std::uint8_t>(topology.all_exits().size()) +
           Arena::BytesFor<std::uint32_t>(topology.switch_bound()) +
           Arena::BytesFor<Turn>(CountTurns(topology)) +
           Arena::BytesFor<std::uint32_t>(kMostSettled);
}

void RisingLanes::Begin(const RoutingTask& task, const RisePlan& plan) {
    const Topology& topology = *task.topology;
    EMBER_ASSERT(plan.order.size() == topology.switch_count());
    task_ = task;
    plan_ = plan;
    complaint_ = {};
    place_ = task.scratch->Take<std::uint16_t>(topology.switch_bound());
    trunk_ = task.scratch->Take<std::uint8_t>(topology.all_exits().size());
    first_turn_ = task.scratch->Take<std::uint32_t>(topology.switch_bound());
    turns_ = task.scratch->Take<Turn>(CountTurns(topology));
    settled_ = task.scratch->Take<std::uint32_t>(kMostSettled);
    for (std::size_t i = 0; i < plan.order.size(); ++i) {
        place_[Raw(plan.order[i])] = static_cast<std::uint16_t>(i);
    }
    NumberTurns();
    StudyLinks();
    most_ = kFewestLanes;
    OpenAll();
}

void RisingLanes::NumberTurns() {
    const Topology& topology = *task_.topology;
    std::fill(trunk_.begin(), trunk_.end(), kNoTrunk);
    std::uint32_t next = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const auto trunks = topology.trunks(at);
        first_turn_[Raw(at)] = next;
        next += static_cast<std::uint32_t>(trunks.size() * trunks.size());
        for (std::size_t i = 0; i < trunks.size(); ++i) {
            trunk_[topology.switch_row(at).first_exit + Raw(trunks[i].port)] =
                static_cast<std::uint8_t>(i);
        }
    }
}

/// Links to end ports carry one lane.
void RisingLanes::StudyLinks() {
    const Topology& topology = *task_.topology;
    available_ = std::min(task_.max_lanes, kMostLanes);
    shortage_ = {.what = available_ < kMostLanes ? task_.lane_fault : EngineFault::kManyLevels};
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            const std::uint8_t lanes = topology.exit(at, trunk.port).lanes();
            if (lanes >= available_) continue;
            available_ = lanes;
            shortage_ = ComplaintOfLink(topology, at, trunk.port);
        }
    }
}

/// Begins a try.
void RisingLanes::OpenAll() {
    task_.tables.lanes->Clear();
    levels_ = 0;
    top_lane_ = 0;
    one_ = 0;
    other_ = 0;
    next_ = 0;
    walked_ = 0;
    phase_ = Phase::kOpenAll;
}

Result<Progress> RisingLanes::Advance() {
    switch (phase_) {
        case Phase::kOpenAll:
            return OpenTurns();
        case Phase::kPairs:
            return ServePairs();
        case Phase::kFillMap:
            break;
    }
    return FillMap();
}

Result<Progress> RisingLanes::OpenTurns() {
    if (most_ > available_) {
        complaint_ = shortage_;
        return Status::kFull;
    }
    const auto turns = turns_.subspan(next_, std::min(kTurnsPerSlice, turns_.size() - next_));
    std::fill(turns.begin(), turns.end(), Turn{0});
    next_ += turns.size();
    if (next_ < turns_.size()) return Progress::kMore;
    return BeginPairs();
}

/// The map comes first, since nothing else is of use without it. SL 0 needs no entry.
Result<Progress> RisingLanes::BeginPairs() {
    const Topology& topology = *task_.topology;
    const auto ports = static_cast<std::uint8_t>(topology.bounds().max_switch_ports);
    const Status status = task_.tables.lanes->lane_map.Begin(topology.switch_bound(), ports);
    if (status != Status::kOk) {
        complaint_ = {.what = EngineFault::kNoLaneMapBytes};
        return status;
    }
    levels_ = 1;
    phase_ = Phase::kPairs;
    return Progress::kMore;
}

Result<Progress> RisingLanes::ServePairs() {
    const std::size_t end = walked_ + kStepsPerSlice;
    while (walked_ < end) {
        ++walked_;
        if (!GoToNextPair()) {
            EndPairs();
            return Progress::kMore;
        }
        const Status status = ServePair(plan_.switches[one_], plan_.switches[other_]);
        if (status != Status::kOk) return status;
        if (phase_ != Phase::kPairs) break;
    }
    return Progress::kMore;
}

/// False: there is none.
bool RisingLanes::GoToNextPair() {
    if (++other_ < plan_.switches.size()) return true;
    other_ = ++one_ + 1;
    return other_ < plan_.switches.size();
}

Status RisingLanes::ServePair(SwitchIndex one, SwitchIndex other) {
    std::uint8_t sl = 0;
    while (sl < levels_ && !Fits(sl, one, other))
        ++sl;
    if (sl == levels_) {
        if (levels_ == kServiceLevels) return GoOnWithMoreLanes();
        const Status status = OpenLevel();
        if (status != Status::kOk) return status;
        if (!Fits(sl, one, other)) return GoOnWithMoreLanes();
    }
    if (sl == 0) return Status::kOk;
    PathSl& sls = task_.tables.lanes->path_sl;
    sls.Set({.from = one, .to = other}, sl);
    sls.Set({.from = other, .to = one}, sl);
    return Status::kOk;
}

/// More lanes give paths more room: all pairs are served again.
Status RisingLanes::GoOnWithMoreLanes() {
    ++most_;
    OpenAll();
    return Status::kOk;
}

Status RisingLanes::OpenLevel() {
    const Topology& topology = *task_.topology;
    PathSl& sls = task_.tables.lanes->path_sl;
    if (sls.form() == PathSl::Form::kNone) {
        const Status status =
            sls.Begin(PathSl::Form::kBySwitchPair, topology.switch_bound(), topology.top_lid());
        if (status != Status::kOk) {
            complaint_ = {.what = EngineFault::kNoPathSlBytes};
            return status;
        }
    }
    ++levels_;
    return Status::kOk;
}

/// False: all is as it was.
bool RisingLanes::Fits(std::uint8_t sl, SwitchIndex one, SwitchIndex other) {
    const std::uint8_t top_before = top_lane_;
    settled_count_ = 0;
    if (SettlePaths(sl, one, other) && SettlePaths(sl, other, one)) return true;
    TakeBack(sl);
    top_lane_ = top_before;
    return false;
}

void RisingLanes::TakeBack(std::uint8_t sl) {
    for (const std::uint32_t turn : settled_.first(settled_count_)) {
        turns_[turn] &= ~(Turn{3} << ShiftOf(sl));
    }
}

/// To all LIDs at a switch.
bool RisingLanes::SettlePaths(std::uint8_t sl, SwitchIndex from, SwitchIndex to) {
    const Topology& topology = *task_.topology;
    for (const Exit& exit : topology.exits(to)) {
        if (exit.destination == kNoDestination) continue;
        const Destination& row = topology.destination(exit.destination);
        for (std::uint32_t i = 0; i < row.lid_count(); ++i) {
            if (!SettlePath(sl, from, to, static_cast<Lid>(Raw(row.lid) + i))) return false;
        }
    }
    return true;
}

bool RisingLanes::SettlePath(std::uint8_t sl, SwitchIndex from, SwitchIndex to, Lid lid) {
    const Topology& topology = *task_.topology;
    Walk walk;
    SwitchIndex at = from;
    PortNumber in = kManagementPort;
    for (std::size_t i = 0; at != to; ++i) {
        EMBER_ASSERT(i < topology.switch_count());  // The tables have no loop.
        ++walked_;
        const auto out = static_cast<PortNumber>(task_.tables.lfts[at][Raw(lid)]);
        const Exit& exit = topology.exit(at, out);
        const bool is_up = IsUp(at, exit.peer);
        if (i > 0) {
            const bool is_free = walk.lane == 0 && exit.peer == to;
            if (walk.goes_down && is_up) ++walk.lane;
            if (!SettleTurn(TurnAt(at, in, out), sl, is_free, walk)) return false;
        }
        walk.goes_down = !is_up;
        at = exit.peer;
        in = exit.peer_port;
    }
    top_lane_ = std::max(top_lane_, walk.lane);
    return true;
}

/// `walk` has the least lane that the packet may go on with, and gets the one that it does.
/// `is_free`: it may go on with any, so the turn can stay open.
bool RisingLanes::SettleTurn(std::size_t turn, std::uint8_t sl, bool is_free, Walk& walk) {
    const unsigned settled = turns_[turn] >> ShiftOf(sl) & 3U;
    if (settled != 0) {
        const auto lane = static_cast<std::uint8_t>(settled - 1);
        if (lane < walk.lane) return false;
        walk.lane = lane;
        return true;
    }
    if (walk.lane >= most_) return false;
    if (is_free) return true;
    if (settled_count_ == settled_.size()) return false;
    settled_[settled_count_++] = static_cast<std::uint32_t>(turn);
    turns_[turn] |= static_cast<Turn>(walk.lane + 1U) << ShiftOf(sl);
    return true;
}

/// Where no path breaks the order there is one lane, and no map to write.
void RisingLanes::EndPairs() {
    RoutingLanes& lanes = *task_.tables.lanes;
    next_ = 0;
    phase_ = Phase::kFillMap;
    if (top_lane_ == 0) {
        lanes.Clear();
        return;
    }
    lanes.count = static_cast<std::uint8_t>(top_lane_ + 1);
    lanes.sls = static_cast<std::uint16_t>((1U << levels_) - 1U);
    lanes.end_ports = LaneRow(kFirstLane);
}

Result<Progress> RisingLanes::FillMap() {
    if (task_.tables.lanes->is_one_lane()) return Progress::kDone;
    const auto switches = task_.topology->switches_by_guid();
    std::size_t pairs = 0;
    while (next_ < switches.size() && pairs < kPortPairsPerSlice) {
        const SwitchIndex at = switches[next_++];
        const std::size_t ports = task_.topology->exits(at).size();
        pairs += ports * ports;
        const Status status = FillSwitch(at);
        if (status != Status::kOk) return status;
    }
    return next_ < switches.size() ? Progress::kMore : Progress::kDone;
}

Status RisingLanes::FillSwitch(SwitchIndex at) {
    LaneMap& map = task_.tables.lanes->lane_map;
    const std::size_t ports = task_.topology->exits(at).size();
    for (std::size_t i = 0; i < ports * ports; ++i) {
        const auto in = static_cast<PortNumber>(i / ports);
        const auto out = static_cast<PortNumber>(i % ports);
        const Status status = map.Set({.at = at, .in = in, .out = out}, RowOf(at, in, out));
        if (status == Status::kOk) continue;
        complaint_ = {.what = EngineFault::kManyLaneRows};
        return status;
    }
    return Status::kOk;
}

/// Service levels that are still open get lane 0, or lane 1 where the turn breaks the order.
LaneRow RisingLanes::RowOf(SwitchIndex at, PortNumber in, PortNumber out) const {
    LaneRow row(kFirstLane);
    if (TrunkAt(at, in) == kNoTrunk || TrunkAt(at, out) == kNoTrunk) return row;
    const Topology& topology = *task_.topology;
    const bool breaks =
        IsUp(at, topology.exit(at, out).peer) && !IsUp(topology.exit(at, in).peer, at);
    const Turn turn = turns_[TurnAt(at, in, out)];
    for (std::uint8_t sl = 0; sl < levels_; ++sl) {
        const unsigned settled = turn >> ShiftOf(sl) & 3U;
        const unsigned open = breaks ? 1U : 0U;
        row.Set(sl, static_cast<std::uint8_t>(settled == 0 ? open : settled - 1));
    }
    return row;
}

}  // namespace ember
