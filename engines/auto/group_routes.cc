// SPDX-License-Identifier: Apache-2.0
// EmberSM: dragonflies: groups of switches, and paths with one link between groups at most.

#include "engines/auto/group_routes.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::uint8_t kLanes = 2;
constexpr std::uint8_t kLocal = 0;  ///< Class of ports inside a group, and of all others.
constexpr std::uint8_t kGlobal = 1;
constexpr std::uint8_t kClasses = 2;

/// The map of all turns from a class of ports.
LaneRow RowFrom(std::uint8_t in) {
    LaneRow row;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        row.Set(sl, in == kGlobal ? 1 : 0);
    }
    return row;
}

}  // namespace

void GroupRoutes::Begin(const RoutingTask& task) {
    task_ = task;
    const std::size_t bound = task.topology->switch_bound();
    Arena& scratch = *task.scratch;
    group_ = scratch.Take<std::uint16_t>(bound);
    worth_ = scratch.Take<std::uint16_t>(bound);
    ranked_ = scratch.Take<SwitchIndex>(bound);
    members_ = scratch.Take<SwitchIndex>(bound);
    marks_ = scratch.Take<SwitchIndex>(bound);
    joined_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(MostPairs(bound))));
    is_tolerant_ = false;
    is_dragonfly_ = false;
    lacks_links_ = false;
    has_started_ = false;
    Restart();
}

void GroupRoutes::Restart() {
    std::fill(group_.begin(), group_.end(), kNoGroup);
    std::fill(marks_.begin(), marks_.end(), kNoSwitch);
    group_count_ = 0;
    misses_ = 0;
    next_ = 0;
}

/// Gathers groups, each round the first switch by GUID that has none. Where that comes to nothing
/// it is repeated for groups that lack links: a group that is whole must not take in others.
Progress GroupRoutes::Advance() {
    const auto switches = task_.topology->switches_by_guid();
    bool fits = true;
    for (std::size_t groups = 0; groups < kGroupsPerSlice && next_ < switches.size(); ++next_) {
        if (group_[Raw(switches[next_])] != kNoGroup) continue;
        fits = Gather(switches[next_]) || (is_tolerant_ && JoinsLateTo(switches[next_]));
        if (!fits) break;
        ++groups;
    }
    if (fits && next_ < switches.size()) return Progress::kMore;
    if (fits) Judge();
    next_ = 0;
    if (is_tolerant_ || is_dragonfly_ || lacks_links_) return Progress::kDone;
    is_tolerant_ = true;
    Restart();
    return Progress::kMore;
}

void GroupRoutes::Judge() {
    if (group_count_ < 2) return;
    const std::size_t apart = CountPairsApart();
    is_dragonfly_ = apart == 0 && misses_ == 0;
    lacks_links_ = !is_dragonfly_ && misses_ <= kMostMisses &&
                   apart * kPairShare <= group_count_ * (group_count_ - 1);
}

bool GroupRoutes::AreNeighbors(SwitchIndex one, SwitchIndex other) const {
    const auto trunks = task_.topology->trunks(one);
    return std::any_of(trunks.begin(), trunks.end(),
                       [other](const Trunk& trunk) { return trunk.peer == other; });
}

/// Members of a group share more neighbors with each other than with other groups. False: the
/// leader is in no group that is large enough.
bool GroupRoutes::Gather(SwitchIndex leader) {
    const std::size_t neighbors = RankNeighbors(leader);
    std::size_t count = 0;
    members_[count++] = leader;
    for (std::size_t i = 0; i < neighbors; ++i) {
        const SwitchIndex next = ranked_[i];
        if (group_[Raw(next)] != kNoGroup) continue;
        const std::size_t misses = MissesOf(next, count);
        if (misses > (is_tolerant_ && count >= kLeastGroup ? 1U : 0U)) continue;
        misses_ += misses;
        members_[count++] = next;
    }
    if (count < kLeastGroup) return false;
    for (const SwitchIndex member : members_.first(count)) {
        group_[Raw(member)] = static_cast<std::uint16_t>(group_count_);
    }
    ++group_count_;
    return true;
}

/// So many of the first members have no link to it.
std::size_t GroupRoutes::MissesOf(SwitchIndex next, std::size_t members) const {
    const auto all = members_.first(members);
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](SwitchIndex member) { return !AreNeighbors(member, next); }));
}

/// A switch that lacks the link to the leader of its group is linked to all others of it.
bool GroupRoutes::JoinsLateTo(SwitchIndex one) {
    if (misses_ >= kMostMisses) return false;
    for (const Trunk& trunk : task_.topology->trunks(one)) {
        const std::uint16_t group = group_[Raw(trunk.peer)];
        if (group == kNoGroup) continue;
        std::size_t size = 0;
        std::size_t linked = 0;
        for (const SwitchIndex at : task_.topology->switches_by_guid()) {
            if (group_[Raw(at)] != group) continue;
            ++size;
            if (AreNeighbors(one, at)) ++linked;
        }
        if (linked + 1 < size) continue;
        misses_ += size - linked;
        group_[Raw(one)] = group;
        return true;
    }
    return false;
}

/// The neighbors of a switch, those first that have most of the others for neighbors. Returns how
/// many there are.
std::size_t GroupRoutes::RankNeighbors(SwitchIndex leader) {
    std::size_t count = 0;
    for (const Trunk& trunk : task_.topology->trunks(leader)) {
        if (marks_[Raw(trunk.peer)] == leader) continue;
        marks_[Raw(trunk.peer)] = leader;
        ranked_[count++] = trunk.peer;
    }
    const auto ranked = ranked_.first(count);
    for (const SwitchIndex at : ranked) {
        const auto trunks = task_.topology->trunks(at);
        worth_[Raw(at)] = static_cast<std::uint16_t>(
            std::count_if(trunks.begin(), trunks.end(),
                          [&](const Trunk& trunk) { return marks_[Raw(trunk.peer)] == leader; }));
    }
    for (std::size_t i = 1; i < count; ++i) {  // Equals stay in the order of ports.
        const SwitchIndex at = ranked[i];
        std::size_t place = i;
        for (; place > 0 && worth_[Raw(ranked[place - 1])] < worth_[Raw(at)]; --place) {
            ranked[place] = ranked[place - 1];
        }
        ranked[place] = at;
    }
    return count;
}

/// In either direction.
std::size_t GroupRoutes::CountPairsApart() {
    joined_.clear();
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        for (const Trunk& trunk : task_.topology->trunks(at)) {
            joined_.Add(group_[Raw(at)] * group_count_ + group_[Raw(trunk.peer)]);
        }
    }
    return group_count_ * group_count_ - joined_.count();
}

/// A link between switches with one lane.
EngineComplaint GroupRoutes::NarrowLink() const {
    const Topology& topology = *task_.topology;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            if (topology.exit(at, trunk.port).lanes() >= kLanes) continue;
            return ComplaintOfLink(topology, at, trunk.port);
        }
    }
    return {};
}

EngineComplaint GroupRoutes::FillLanes(const RoutingTask& task,
                                       std::span<const SwitchIndex> rows) const {
    if (task.max_lanes < kLanes) return {.what = task.lane_fault};
    const EngineComplaint narrow = NarrowLink();
    if (narrow.what != EngineFault::kNone) return narrow;
    const Topology& topology = *task_.topology;
    RoutingLanes& lanes = *task.tables.lanes;
    const auto ports = static_cast<std::uint8_t>(topology.bounds().max_switch_ports);
    if (lanes.lane_map.BeginClasses(topology.switch_bound(), ports, kClasses) != Status::kOk)
        return {.what = EngineFault::kNoLaneMapBytes};
    for (const std::uint8_t out : {kLocal, kGlobal}) {
        lanes.lane_map.SetRow(kLocal, out, RowFrom(kLocal));
        lanes.lane_map.SetRow(kGlobal, out, RowFrom(kGlobal));
    }
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const auto exits = topology.exits(at);
        for (std::size_t port = 0; port < exits.size(); ++port) {
            const SwitchIndex peer = exits[port].peer;
            const bool is_global = peer != kNoSwitch && !IsLocal(at, peer);
            lanes.lane_map.SetClass(rows[Raw(at)], static_cast<PortNumber>(port),
                                    is_global ? kGlobal : kLocal);
        }
    }
    lanes.count = kLanes;
    lanes.sls = 1;
    lanes.end_ports = RowFrom(kLocal);
    return {};
}

Progress GroupRoutes::FillHops() {
    const auto switches = task_.topology->switches_by_guid();
    if (next_ == 0 && !has_started_) hops_ = task_.hop_room->Spend();
    const std::size_t end = std::min(switches.size(), next_ + kSwitchesPerSlice);
    for (; next_ < end; ++next_) {
        has_started_ ? StepInside(switches[next_]) : StartFrom(switches[next_]);
    }
    if (next_ < switches.size()) return Progress::kMore;
    next_ = 0;
    if (has_started_) return Progress::kDone;
    has_started_ = true;
    return Progress::kMore;
}

/// Paths inside the group, and those that begin with a link between groups.
void GroupRoutes::StartFrom(SwitchIndex from) {
    const auto row = hops_[from];
    std::fill(row.begin(), row.end(), kNoHops);
    for (const SwitchIndex to : task_.topology->switches_by_guid()) {
        if (IsLocal(from, to)) row[Raw(to)] = to == from ? 0 : 1;
    }
    for (const Trunk& trunk : task_.topology->trunks(from)) {
        if (!IsLocal(from, trunk.peer)) EnterGroup(trunk.peer, row);
    }
}

/// The paths of a row that begin with a link to this switch of another group.
void GroupRoutes::EnterGroup(SwitchIndex by, std::span<std::uint8_t> row) const {
    for (const SwitchIndex to : task_.topology->switches_by_guid()) {
        if (!IsLocal(by, to)) continue;
        const std::uint8_t hops = to == by ? 1 : 2;
        row[Raw(to)] = std::min(row[Raw(to)], hops);
    }
}

/// Paths that begin with a link inside the group. A neighbor's row may have its own already: they
/// are longer than those that begin here, as all members of a group are neighbors.
void GroupRoutes::StepInside(SwitchIndex from) {
    const auto row = hops_[from];
    for (const Trunk& trunk : task_.topology->trunks(from)) {
        if (!IsLocal(from, trunk.peer)) continue;
        const auto next = hops_[trunk.peer];
        for (std::size_t to = 0; to < task_.topology->switch_bound(); ++to) {
            const auto hops = static_cast<std::uint8_t>(next[to] + 1);
            if (next[to] != kNoHops) row[to] = std::min(row[to], hops);
        }
    }
}

void GroupRoutes::Find(SwitchIndex here, std::size_t first, std::size_t words,
                       std::span<std::uint64_t> masks) const {
    std::fill(masks.begin(), masks.end(), 0);
    const std::size_t end = std::min(task_.topology->switch_bound(), first + kColumns);
    const auto mine = hops_[here];
    for (const Trunk& trunk : task_.topology->trunks(here)) {
        const auto theirs = hops_[trunk.peer];
        const bool is_local = IsLocal(here, trunk.peer);
        const unsigned bit = Raw(trunk.port) - 1U;
        for (std::size_t to = first; to < end; ++to) {
            const bool is_nearer = mine[to] != kNoHops && theirs[to] + 1U == mine[to];
            const bool may = is_local || group_[to] == group_[Raw(trunk.peer)];
            if (!is_nearer || !may) continue;
            masks[(to - first) * words + bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
    }
}

}  // namespace ember
