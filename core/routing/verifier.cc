// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof that a routing may be programmed.

#include "core/routing/verifier.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

namespace {

// Distances that are none. Real ones are below: there are fewer switches than unicast LIDs.
constexpr std::uint16_t kUnknown = 0xFFFF;
constexpr std::uint16_t kOnWalk = 0xFFFE;     ///< Passed by the walk under way.
constexpr std::uint16_t kElsewhere = 0xFFFD;  ///< On another island.
constexpr std::uint16_t kApart = 0xFFFC;      ///< Dropped, and that is no fault.

constexpr std::size_t kAhead = 12;  // Rows asked for before they are read.

}  // namespace

void Verifier::Begin(const Task& task, Arena& scratch) {
    const Topology& topology = *task.topology;
    EMBER_ASSERT(topology.switch_bound() <= Raw(kTopUnicastLid));
    EMBER_ASSERT(task.lfts.rows() >= topology.switch_bound());
    EMBER_ASSERT(task.lfts.stride() >= LftBlocks(topology.top_lid()) * std::size_t{64});

    topology_ = &topology;
    hops_ = task.hops;
    lfts_ = task.lfts;
    lanes_ = task.lanes == nullptr || task.lanes->is_one_lane() ? nullptr : task.lanes;
    findings_ = kNoFindings;
    const std::size_t bound = topology.switch_bound();
    const std::uint8_t lanes = lanes_ == nullptr ? std::uint8_t{1} : lanes_->count;
    only_ = task.only;
    if (!only_.empty()) {
        EMBER_ASSERT(by_end_ports_.lanes() == lanes && !task.dependencies.empty());
        by_end_ports_.GoOn(topology);
    } else if (task.dependencies.empty()) {
        by_end_ports_.Begin(topology, lanes, scratch);
    } else {
        by_end_ports_.Begin(topology, lanes, task.dependencies);
    }
    by_others_.Begin(topology, lanes, scratch);
    search_.Begin(topology, lanes, scratch);
    if (lanes_ != nullptr) by_lane_.Begin(topology, *lanes_, lfts_, scratch);
    owner_ = scratch.Take<DestinationIndex>(LftBlocks(topology.top_lid()) * std::size_t{64});
    stands_ = scratch.Take<Stand>(bound);
    islands_.Begin(bound, scratch);
    switches_ = scratch.Take<SwitchIndex>(bound);
    next_ = scratch.Take<SwitchIndex>(bound);
    distance_ = scratch.Take<std::uint16_t>(bound);
    visited_ = scratch.Take<SwitchIndex>(bound);
    peers_ = scratch.Take<SwitchIndex>(topology.all_exits().size());
    exits_ = scratch.Take<std::uint8_t>(kBlock * bound);
    lid_ = 0;
    phase_ = Phase::kIslands;
}

Progress Verifier::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kIslands:  StudySubnet(); break;
        case Phase::kBlock:    ReadBlock();   break;
        case Phase::kLids:     FollowLids();  break;
        case Phase::kSomeLids:  FollowSome(); break;
        case Phase::kEndPorts:
        case Phase::kAll:      SearchCycle(); break;
        case Phase::kDone:     break;
    }
    // clang-format on
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

void Verifier::StudySubnet() {
    SortSwitches();
    islands_.Find(*topology_, switches_, visited_);
    findings_.islands = islands_.count();
    phase_ = only_.empty() ? Phase::kBlock : Phase::kSomeLids;
}

/// Finds who owns each LID, what is behind each exit, and the switches with senders, which come
/// first from here on.
void Verifier::SortSwitches() {
    std::fill(owner_.begin(), owner_.end(), kNoDestination);
    for (std::size_t i = 0; i < topology_->destinations().size(); ++i) {
        const Destination& row = topology_->destinations()[i];
        const auto lids = owner_.subspan(Raw(row.lid), row.lid_count());
        std::fill(lids.begin(), lids.end(), static_cast<DestinationIndex>(i));
        if (row.at != kNoSwitch && !row.is_switch()) ++stands_[Raw(row.at)].end_ports;
    }
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        peers_[i] = topology_->all_exits()[i].peer;
    }
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        const RoutingSwitch& row = topology_->switch_row(at);
        Stand& stand = stands_[Raw(at)];
        stand.first_exit = row.first_exit;
        stand.port_count = row.port_count;
        if (row.is_home) ++stand.end_ports;
    }
    sender_switches_ = AppendSwitches(0, true);
    switches_ = switches_.first(AppendSwitches(sender_switches_, false));
    EMBER_ASSERT(switches_.size() == topology_->switch_count());
}

/// Ascending rows, not GUIDs: what belongs to neighbors in this order lies side by side.
std::size_t Verifier::AppendSwitches(std::size_t count, bool with_senders) {
    for (std::size_t i = 0; i < topology_->switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        if (!topology_->Has(at) || with_senders != (stands_[i].end_ports != 0)) continue;
        switches_[count++] = at;
    }
    return count;
}

/// Turns the next block of LIDs: a LID's exits at all switches then lie side by side.
void Verifier::ReadBlock() {
    const std::size_t bound = topology_->switch_bound();
    const std::size_t lids = std::min(kBlock, owner_.size() - lid_);
    for (std::size_t next = 0; next < switches_.size(); ++next) {
        const SwitchIndex at = switches_[next];
        // Rows lie far apart: without a hint every one of them is waited for.
        const SwitchIndex soon = switches_[std::min(next + kAhead, switches_.size() - 1)];
        __builtin_prefetch(lfts_[soon].data() + lid_);
        __builtin_prefetch(lfts_[soon].data() + lid_ + lids - 1);
        const auto line = lfts_[at].subspan(lid_, lids);
        std::uint8_t* const column = exits_.data() + Raw(at);
        for (std::size_t i = 0; i < lids; ++i) {
            column[i * bound] = line[i];
        }
    }
    phase_ = Phase::kLids;
}

void Verifier::FollowLids() {
    const std::size_t bound = topology_->switch_bound();
    const std::size_t costs = lanes_ == nullptr ? bound : bound * kLaneFactor;
    for (std::size_t routes = 0; routes < kRoutesPerSlice; routes += costs) {
        EMBER_ASSERT(lid_ < owner_.size());
        const DestinationIndex owner = owner_[lid_];
        exit_ = exits_.data() + lid_ % kBlock * bound;
        const bool is_fine = owner == kNoDestination ||
                             FollowLid(topology_->destination(owner), static_cast<Lid>(lid_));
        ++lid_;
        if (is_fine && lid_ % kBlock != 0 && lid_ != owner_.size()) continue;
        EndBlock(is_fine);
        return;
    }
}

/// A LID that has several entries among them is followed once.
void Verifier::FollowSome() {
    const std::size_t costs = switches_.size() * (lanes_ == nullptr ? 1 : kLaneFactor);
    exit_ = exits_.data();
    for (std::size_t routes = 0; lid_ < only_.size() && routes < kRoutesPerSlice; ++lid_) {
        const Lid lid = only_[lid_].lid;
        DestinationIndex& owner = owner_[Raw(lid)];
        if (owner == kNoDestination) continue;
        for (const SwitchIndex at : switches_) {
            exits_[Raw(at)] = lfts_[at][Raw(lid)];
        }
        const bool is_fine = FollowLid(topology_->destination(owner), lid);
        owner = kNoDestination;
        routes += costs + 1;
        if (is_fine) continue;
        phase_ = Phase::kDone;
        return;
    }
    if (lid_ == only_.size()) EndLids();
}

void Verifier::EndBlock(bool is_fine) {
    phase_ = is_fine ? Phase::kBlock : Phase::kDone;
    if (is_fine && lid_ == owner_.size()) EndLids();
}

void Verifier::EndLids() {
    phase_ = Phase::kEndPorts;
    search_.Start(by_end_ports_);
}

/// False when a fault was found.
bool Verifier::FollowLid(const Destination& destination, Lid lid) {
    ++findings_.lids;
    if (!TakeSteps(destination, lid)) return false;
    if (destination.at == kNoSwitch) return true;  // No path leads to a port behind no switch.

    const auto name_owner = [&] {
        findings_.lid = lid;
        findings_.port_guid = destination.port_guid;
        return false;
    };
    visited_count_ = 0;
    apart_count_ = 0;
    to_aggregation_ = destination.is_aggregation;
    to_end_port_ = !destination.is_switch() || topology_->switch_row(destination.at).is_home;
    for (std::size_t i = 0; i < sender_switches_; ++i) {
        if (!Walk(switches_[i])) return name_owner();
    }
    const std::size_t by_end_ports = to_end_port_ ? visited_count_ : 0;
    for (std::size_t i = sender_switches_; i < switches_.size(); ++i) {
        if (!Walk(switches_[i])) return name_owner();
    }
    if (apart_count_ > 0) NameApart(destination, lid);
    if (!RecordDependencies(destination, lid, by_end_ports)) return name_owner();
    if (to_end_port_) CountHops(destination);
    return true;
}

/// Looks one step ahead from every switch, and judges those where the path must end: the LID's own
/// switch, and all on other islands. Other paths that lead nowhere are noticed in Walk().
bool Verifier::TakeSteps(const Destination& destination, Lid lid) {
    for (std::size_t i = 0; i < stands_.size(); ++i) {
        const Stand& stand = stands_[i];
        const std::uint8_t port = exit_[i];
        next_[i] = port <= stand.port_count ? peers_[stand.first_exit + port] : kNoSwitch;
        distance_[i] = kUnknown;
    }
    SwitchIndex astray = kNoSwitch;
    if (findings_.islands > 1 || destination.at == kNoSwitch) astray = JudgeElsewhere(destination);
    if (destination.at != kNoSwitch) {
        distance_[Raw(destination.at)] = 0;
        if (exit_[Raw(destination.at)] != Raw(destination.port)) astray = destination.at;
    }
    if (astray == kNoSwitch) return true;
    findings_.lid = lid;
    findings_.port_guid = destination.port_guid;
    return Fail(Findings::Fault::kLost, astray);
}

/// A switch on another island that does not drop, kNoSwitch when all do.
SwitchIndex Verifier::JudgeElsewhere(const Destination& destination) {
    const std::uint16_t home =
        destination.at == kNoSwitch ? Islands::kNone : islands_.Of(destination.at);
    SwitchIndex astray = kNoSwitch;
    for (const SwitchIndex at : switches_) {
        if (islands_.Of(at) == home) continue;
        distance_[Raw(at)] = kElsewhere;
        if (exit_[Raw(at)] != kNoHops) astray = at;
    }
    return astray;
}

/// Goes on from `from` until the distance is known. False when that leads nowhere.
bool Verifier::Walk(SwitchIndex from) {
    const std::size_t first = visited_count_;
    SwitchIndex at = from;
    while (distance_[Raw(at)] == kUnknown) {  // Each pass marks one more switch.
        distance_[Raw(at)] = kOnWalk;
        visited_[visited_count_++] = at;
        const SwitchIndex next = next_[Raw(at)];
        if (next == kNoSwitch) return EndWalk(from, first);
        at = next;
    }
    if (distance_[Raw(at)] == kOnWalk) {
        RecordLoop(at);
        return Fail(Findings::Fault::kLoop, from);
    }
    std::uint16_t distance = distance_[Raw(at)];
    if (distance == kApart) return EndApart(from, first);
    for (std::size_t i = visited_count_; i > first; --i) {
        distance_[Raw(visited_[i - 1])] = ++distance;
    }
    return true;
}

/// The walk from `from`, which began at visited_[first], leads nowhere. False when it must not.
bool Verifier::EndWalk(SwitchIndex from, std::size_t first) {
    if (exit_[Raw(visited_[visited_count_ - 1])] == kNoHops) return EndApart(from, first);
    return Fail(Findings::Fault::kLost, from);
}

/// The walk ends where packets are dropped on purpose.
bool Verifier::EndApart(SwitchIndex from, std::size_t first) {
    if (!MayDrop(from)) return Fail(Findings::Fault::kLost, from);
    if (visited_count_ > first) SetApart(first);
    return true;
}

/// Aggregation nodes talk up and down a tree: one on a switch without hosts needs no way to others.
bool Verifier::MayDrop(SwitchIndex from) const {
    if (!to_end_port_ || stands_[Raw(from)].end_ports == 0) return true;
    return to_aggregation_ && !topology_->HasHosts(from);
}

/// The walk that began at visited_[first] leads to a switch that drops, and does not count as a
/// visit.
void Verifier::SetApart(std::size_t first) {
    EMBER_ASSERT(first < visited_count_);
    if (apart_count_ == 0) first_apart_ = visited_[first];
    apart_count_ += visited_count_ - first;
    for (std::size_t i = first; i < visited_count_; ++i) {
        distance_[Raw(visited_[i])] = kApart;
    }
    visited_count_ = first;
}

void Verifier::NameApart(const Destination& destination, Lid lid) {
    if (findings_.switch_pairs_apart == 0) {
        findings_.apart_at = topology_->switch_row(first_apart_).guid;
        findings_.apart_lid = lid;
        findings_.apart_port_guid = destination.port_guid;
    }
    findings_.switch_pairs_apart += apart_count_;
    if (topology_->home() == kNoDestination) return;
    const Destination& home = topology_->destination(topology_->home());
    if (&destination == &home) findings_.manager_pairs_apart += apart_count_;
    if (home.at != kNoSwitch && distance_[Raw(home.at)] == kApart) ++findings_.manager_pairs_apart;
}

/// False.
bool Verifier::Fail(Findings::Fault fault, SwitchIndex at) {
    findings_.fault = fault;
    findings_.at = topology_->switch_row(at).guid;
    return false;
}

void Verifier::RecordLoop(SwitchIndex at) {
    SwitchIndex member = at;
    do {  // Ends: `at` lies on the loop.
        const Channel channel{topology_->switch_row(member).guid,
                              static_cast<PortNumber>(exit_[Raw(member)])};
        const Status kept = findings_.loop.channels.TryPush(channel);
        EMBER_ASSERT(kept == Status::kOk || findings_.loop.channels.full());
        ++findings_.loop.length;
        member = next_[Raw(member)];
    } while (member != at);
}

/// Counts the routes to a LID, and calls `step(i, at, next)` for the i-th visited switch whose
/// packets hold a link that waits for another: the link to the LID's own switch does not.
template <typename Step>
void Verifier::CountRoutes(const Destination& destination, const Step& step) {
    const auto shortest = hops_[destination.at];
    std::uint32_t longer = 0;
    for (std::size_t i = 0; i < visited_count_; ++i) {
        const std::size_t at = Raw(visited_[i]);
        longer += distance_[at] > shortest[at] ? 1U : 0U;
        const SwitchIndex next = next_[at];
        if (next != destination.at) step(i, at, Raw(next));
    }
    findings_.longer_routes += longer;
    findings_.routes += visited_count_ + 1;  // And its own switch's.
}

/// False when packets are dropped for want of a lane.
bool Verifier::RecordDependencies(const Destination& destination, Lid lid,
                                  std::size_t by_end_ports) {
    if (lanes_ == nullptr) {
        CountRoutes(destination, [&](std::size_t i, std::size_t at, std::size_t next) {
            DependencyGraph& graph = i < by_end_ports ? by_end_ports_ : by_others_;
            graph.Add(std::size_t{stands_[at].first_exit} + exit_[at], exit_[next]);
        });
        return true;
    }
    CountRoutes(destination, [](std::size_t, std::size_t, std::size_t) {});
    const LaneDependencies::Tree tree{.destination = &destination,
                                      .lid = lid,
                                      .is_to_end_port = to_end_port_,
                                      .next = next_,
                                      .ports = {exit_, next_.size()},
                                      .visited = visited_.first(visited_count_)};
    const SwitchIndex astray = by_lane_.Record(tree, by_end_ports_, by_others_);
    if (astray == kNoSwitch) return true;
    return Fail(Findings::Fault::kLost, astray);
}

void Verifier::CountHops(const Destination& destination) {
    std::uint64_t paths = 0;
    std::uint64_t hops = 0;
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < sender_switches_; ++i) {
        const std::size_t at = Raw(switches_[i]);
        const std::uint32_t distance = distance_[at];
        if (distance == kElsewhere || distance == kApart) continue;
        const std::uint32_t senders = stands_[at].end_ports;
        paths += senders;
        hops += std::uint64_t{senders} * distance;
        most = std::max(most, distance);
    }
    EMBER_ASSERT(paths >= 1);  // The owner of the LID is one of the senders,
    EMBER_ASSERT(distance_[Raw(destination.at)] == 0);
    findings_.end_port_paths += paths - 1;  // but does not send to itself.
    findings_.end_port_hops += hops;
    findings_.max_hops = std::max(findings_.max_hops, most);
}

/// First the end ports' traffic alone; if that is free of cycles, all traffic together.
void Verifier::SearchCycle() {
    if (search_.Advance() == Progress::kMore) return;

    const bool found = search_.found();
    if (found) findings_.cycle = search_.cycle();
    if (phase_ == Phase::kEndPorts) findings_.end_ports_may_deadlock = found;
    findings_.anything_may_deadlock = found;
    if (phase_ == Phase::kAll || found || !only_.empty()) {
        phase_ = Phase::kDone;
        return;
    }
    by_others_.Merge(by_end_ports_);
    search_.Start(by_others_);
    phase_ = Phase::kAll;
}

}  // namespace ember
