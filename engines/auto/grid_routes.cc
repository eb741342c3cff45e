// SPDX-License-Identifier: Apache-2.0
// EmberSM: dimension order on a grid, and the lanes that keep its rings open.

#include "engines/auto/grid_routes.h"

#include <algorithm>
#include <tuple>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::size_t kMostRings = std::tuple_size_v<GridPlace>;
constexpr std::uint8_t kLanes = 2;

/// The map of all turns into a link of the ring with this number: the lane is a bit of the SL.
LaneRow RowOf(std::size_t ring) {
    LaneRow row;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        const unsigned lane = ring < kMostRings ? sl >> ring & 1U : 0U;
        row.Set(sl, static_cast<std::uint8_t>(lane));
    }
    return row;
}

}  // namespace

void GridRoutes::Begin(const RoutingTask& task, const Grid& grid) {
    task_ = task;
    grid_ = &grid;
    hops_ = task.hops;
    reach_ = task.scratch->Take<std::uint8_t>(task.topology->switch_bound() * kHeadings);
    for (std::size_t d = 0; d < grid.dimensions().size(); ++d) {
        rules_[d] = MakeRingRule(grid.dimensions()[d].radix);
    }
    split_ = SplitRings();
    detours_ = RowDetours();
    is_damaged_ = grid.holes() > 0;
    is_routable_ = true;
    next_ = 0;
    phase_ = Phase::kReach;
}

Progress GridRoutes::Advance() {
    const auto switches = task_.topology->switches_by_guid();
    const bool measures = phase_ == Phase::kReach;
    const std::size_t rows = kPairsPerSlice / (switches.size() + 1) + 1;
    const std::size_t end =
        std::min(switches.size(), next_ + (measures ? kSwitchesPerSlice : rows));
    for (; next_ < end; ++next_) {
        if (measures) {
            MeasureReach(switches[next_]);
        } else if (!Check(switches[next_])) {
            is_routable_ = false;
            return Progress::kDone;
        }
    }
    if (next_ < switches.size()) return Progress::kMore;
    next_ = 0;
    switch (phase_) {
        case Phase::kReach:
            phase_ = Phase::kCheck;
            // Without either the check finds that there is no way.
            if (is_damaged_ && !split_.Find(*grid_, switches))
                static_cast<void>(detours_.Find(*grid_, switches));
            return is_damaged_ ? Progress::kMore : Progress::kDone;
        case Phase::kCheck:
            if (task_.mended != nullptr) return Progress::kDone;  // Exits alone are asked for then.
            room_ = task_.hop_room->Spend();
            hops_ = room_;
            phase_ = Phase::kHops;
            return Progress::kMore;
        case Phase::kHops:
            break;
    }
    return Progress::kDone;
}

/// False: some switch is not reached from it.
bool GridRoutes::Check(SwitchIndex at) {
    return IsSimpleCheck() ? HasWays(at) : CountRow(at);
}

void GridRoutes::MeasureReach(SwitchIndex at) {
    for (std::size_t d = 0; d < grid_->dimensions().size(); ++d) {
        for (const bool is_up : {false, true}) {
            reach_[Raw(at) * kHeadings + Number(d, is_up)] = CountSteps(at, d, is_up);
        }
    }
}

/// Links in a row. Notes when one is missing.
std::uint8_t GridRoutes::CountSteps(SwitchIndex at, std::size_t dimension, bool is_up) {
    const Grid::Dimension& row = grid_->dimensions()[dimension];
    const std::uint8_t place = grid_->place(at, dimension);
    const unsigned ahead = is_up ? row.radix - 1U - place : place;
    const unsigned most = row.is_ring ? row.radix - 1U : ahead;
    std::uint8_t steps = 0;
    for (SwitchIndex here = at; steps < most; ++steps) {
        here = grid_->Next(here, dimension, is_up);
        if (here == kNoSwitch) break;
    }
    is_damaged_ = is_damaged_ || steps < most;
    return steps;
}

/// The way in one dimension; kNoWay steps: links of both are missing.
RingWay GridRoutes::WayTo(SwitchIndex at, std::size_t dimension, std::uint8_t to) const {
    const std::uint8_t from = grid_->place(at, dimension);
    const Grid::Dimension& row = grid_->dimensions()[dimension];
    RingWay way = WayRound(rules_[dimension], from, to);
    if (!row.is_ring) {
        way.is_up = to > from;
        way.steps = static_cast<std::uint8_t>(way.is_up ? to - from : from - to);
    }
    if (way.steps <= reach(at, dimension, way.is_up)) return way;
    const RingWay other{!way.is_up, static_cast<std::uint8_t>(row.radix - way.steps)};
    const bool goes_round = row.is_ring && other.steps <= reach(at, dimension, other.is_up);
    return goes_round ? other : RingWay{way.is_up, kNoWay};
}

/// Links on the path; kNoHops: there is none.
std::uint8_t GridRoutes::CountHops(SwitchIndex from, SwitchIndex to) const {
    if (has_bends()) return FollowHops(from, to);
    unsigned hops = 0;
    SwitchIndex at = from;
    for (std::size_t d = 0; d < grid_->dimensions().size(); ++d) {
        const std::uint8_t place = grid_->place(to, d);
        if (grid_->place(at, d) == place) continue;
        const RingWay way = WayTo(at, d, place);
        hops += way.steps;
        at = grid_->Moved(at, d, place);
        if (way.steps == kNoWay || at == kNoSwitch || hops >= kNoHops) return kNoHops;
    }
    return static_cast<std::uint8_t>(hops);
}

/// The same, link by link.
std::uint8_t GridRoutes::FollowHops(SwitchIndex from, SwitchIndex to) const {
    std::uint8_t hops = 0;
    for (SwitchIndex at = from; at != to; ++hops) {
        const std::uint8_t heading = HeadingTo(at, to);
        at = grid_->Next(at, heading / 2U, heading % 2U != 0);
        if (at == kNoSwitch || hops + 1U >= kNoHops) return kNoHops;
    }
    return hops;
}

/// Where each place has a switch, a path is one of ways in single rows, and short enough.
bool GridRoutes::IsSimpleCheck() const {
    unsigned most = 0;
    for (const Grid::Dimension& row : grid_->dimensions()) {
        most += row.radix - 1U;
    }
    return phase_ == Phase::kCheck && grid_->holes() == 0 && most < kNoHops && !has_bends();
}

/// In each dimension there is a way to each place.
bool GridRoutes::HasWays(SwitchIndex at) const {
    for (std::size_t d = 0; d < grid_->dimensions().size(); ++d) {
        for (std::uint8_t to = 0; to < grid_->dimensions()[d].radix; ++to) {
            if (to != grid_->place(at, d) && WayTo(at, d, to).steps == kNoWay) return false;
        }
    }
    return true;
}

/// False: there is no path from here to some switch.
bool GridRoutes::CountRow(SwitchIndex from) {
    for (const SwitchIndex to : task_.topology->switches_by_guid()) {
        const std::uint8_t hops = CountHops(from, to);
        if (hops == kNoHops) return false;
        if (phase_ == Phase::kHops) room_[from][Raw(to)] = hops;
    }
    return true;
}

/// The way to leave a switch for another one, 0..kHeadings-1.
std::uint8_t GridRoutes::HeadingTo(SwitchIndex here, SwitchIndex to) const {
    if (split_.any()) return HeadingInOrder(here, to);
    if (detours_.any() &&
        grid_->place(here, detours_.dimension()) != grid_->place(to, detours_.dimension()))
        return HeadingRound(here, to);
    std::size_t d = 0;
    while (grid_->place(here, d) == grid_->place(to, d)) {  // No two have the same place.
        ++d;
    }
    return Number(d, WayTo(here, d, grid_->place(to, d)).is_up);
}

/// Straight on in the row, or out of it where a link is missing on the way.
std::uint8_t GridRoutes::HeadingRound(SwitchIndex here, SwitchIndex to) const {
    const std::uint8_t d = detours_.dimension();
    const RingWay way = WayTo(here, d, grid_->place(to, d));
    const Grid::Heading side = detours_.side();
    const bool leaves =
        way.steps == kNoWay && grid_->Next(here, side.dimension, side.is_up) != kNoSwitch;
    return leaves ? Number(side.dimension, side.is_up) : Number(d, way.is_up);
}

std::uint8_t GridRoutes::HeadingInOrder(SwitchIndex here, SwitchIndex to) const {
    for (const std::uint8_t d : split_.order()) {
        if (split_.PartnerOf(d) != Grid::kNone) {
            const SplitRings::Step step = split_.StepTo(here, to, d);
            if (step.dimension != Grid::kNone) return Number(step.dimension, step.is_up);
        } else if (grid_->place(here, d) != grid_->place(to, d)) {
            return Number(d, WayTo(here, d, grid_->place(to, d)).is_up);
        }
    }
    EMBER_ASSERT(here == to);  // No two have the same place.
    return 0;
}

template <std::size_t kWords>
void GridRoutes::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    Columns headings;
    headings.fill(kNoWay);
    const std::size_t end = std::min(task_.topology->switch_bound(), first + kColumns);
    for (std::size_t i = first; i < end; ++i) {
        const auto to = static_cast<SwitchIndex>(i);
        if (to != here && task_.topology->Has(to)) headings[i - first] = HeadingTo(here, to);
    }
    const auto trunks = task_.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const Grid::Heading heading = grid_->HeadingTo(here, trunks[row].peer);
        Columns own;
        own.fill(Number(heading.dimension, heading.is_up));
        MarkEqual(headings.data(), own, BitOf(trunks[row].port), marks);
    });
}

void GridRoutes::Find(SwitchIndex here, std::size_t first, std::size_t words,
                      std::span<std::uint64_t> masks) const {
    words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
}

std::size_t GridRoutes::CountRings(const Grid& grid) {
    const auto dimensions = grid.dimensions();
    return static_cast<std::size_t>(
        std::count_if(dimensions.begin(), dimensions.end(),
                      [](const Grid::Dimension& row) { return NeedsLanes(row); }));
}

/// A link of a ring with one lane.
EngineComplaint GridRoutes::NarrowLink() const {
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        for (const Trunk& trunk : task_.topology->trunks(at)) {
            const bool needs_lanes = NeedsLanes(grid_->HeadingTo(at, trunk.peer).dimension);
            if (!needs_lanes || task_.topology->exit(at, trunk.port).lanes() >= kLanes) continue;
            return ComplaintOfLink(*task_.topology, at, trunk.port);
        }
    }
    return {};
}

EngineComplaint GridRoutes::FillLanes(const RoutingTask& task,
                                      std::span<const SwitchIndex> rows) const {
    const std::size_t rings = CountRings(*grid_);
    if (rings == 0) return {};
    if (task.max_lanes < kLanes) return {.what = task.lane_fault};
    if (rings > kMostRings) return {.what = EngineFault::kManyRings};
    const EngineComplaint narrow = NarrowLink();
    if (narrow.what != EngineFault::kNone) return narrow;
    const std::size_t bound = task.topology->switch_bound();
    PathSl& sls = task.tables.lanes->path_sl;
    if (sls.Begin(PathSl::Form::kByRings, bound, task.topology->top_lid()) != Status::kOk)
        return {.what = EngineFault::kNoPathSlBytes};
    const std::uint8_t ports = static_cast<std::uint8_t>(task.topology->bounds().max_switch_ports);
    if (task.tables.lanes->lane_map.BeginClasses(bound, ports, rings + 1) != Status::kOk) {
        sls.Clear();
        return {.what = EngineFault::kNoLaneMapBytes};
    }
    FillMap(task, rows);
    return {};
}

/// Ports have the class of their ring, all others the one behind.
void GridRoutes::FillMap(const RoutingTask& task, std::span<const SwitchIndex> rows) const {
    RoutingLanes& lanes = *task.tables.lanes;
    std::array<RingRule, kMostRings> rules{};
    const auto rings = static_cast<std::uint8_t>(CountRings(*grid_));
    for (std::size_t d = 0; d < grid_->dimensions().size(); ++d) {
        if (NeedsLanes(d)) rules[RingOf(d)] = rules_[d];
    }
    lanes.path_sl.SetRings(rules);
    for (std::uint8_t in = 0; in <= rings; ++in) {
        for (std::uint8_t out = 0; out <= rings; ++out) {
            lanes.lane_map.SetRow(in, out, RowOf(out == rings ? kMostRings : out));
        }
    }
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        PlaceSwitch(at, rows[Raw(at)], lanes);
    }
    lanes.count = kLanes;
    lanes.sls = static_cast<std::uint16_t>((1U << (1U << rings)) - 1U);
    lanes.end_ports = RowOf(kMostRings);
}

/// The number of a dimension among the rings that need lanes; for another dimension theirs.
std::uint8_t GridRoutes::RingOf(std::size_t dimension) const {
    const auto all = grid_->dimensions();
    const auto before = NeedsLanes(dimension) ? all.first(dimension) : all;
    return static_cast<std::uint8_t>(std::count_if(
        before.begin(), before.end(), [](const Grid::Dimension& row) { return NeedsLanes(row); }));
}

void GridRoutes::PlaceSwitch(SwitchIndex at, SwitchIndex row, RoutingLanes& lanes) const {
    GridPlace place{};
    for (std::size_t d = 0; d < grid_->dimensions().size(); ++d) {
        if (NeedsLanes(d)) place[RingOf(d)] = grid_->place(at, d);
    }
    lanes.path_sl.SetPlace(row, place);
    const auto rings = static_cast<std::uint8_t>(CountRings(*grid_));
    const auto exits = task_.topology->exits(at);
    for (std::size_t port = 0; port < exits.size(); ++port) {
        const SwitchIndex peer = exits[port].peer;
        const bool is_inside = peer != kNoSwitch && peer != at;
        const std::uint8_t ring = is_inside ? RingOf(grid_->HeadingTo(at, peer).dimension) : rings;
        lanes.lane_map.SetClass(row, static_cast<PortNumber>(port), ring);
    }
}

}  // namespace ember
