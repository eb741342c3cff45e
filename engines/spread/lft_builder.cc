// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes spread over equal exits as OpenSM does.

#include "engines/spread/lft_builder.h"

#include <algorithm>

#include "core/base/assert.h"
#include "engines/spread/round_robin.h"

namespace ember {

void LftBuilder::Begin(const RoutingTask& task, const ExitFinder& finder) {
    EMBER_ASSERT(task.topology != nullptr && task.options != nullptr && task.scratch != nullptr);
    EMBER_ASSERT(task.tables.lfts.stride() > Raw(task.topology->top_lid()));

    task_ = task;
    finder_ = &finder;
    next_switch_ = 0;
    reading_ = Reading::kOrder;
    is_under_way_ = false;
    stamp_ = 0;
    const EngineTables& tables = task.options->tables;
    order_.Begin(*task.topology, tables.routing_order, *task.scratch);
    search_.Begin(*task.topology, tables, *task.scratch);
    ignored_.Begin(*task.topology, tables.ignored, *task.scratch);
    masks_ =
        task.scratch->Take<std::uint64_t>(HopStride(task.topology->switch_bound()) * kMostWords);
    CollectSystems();
    if (task.options->scatter_ports != 0) random_.Seed(task.options->scatter_ports);
}

/// Lets one switch stand for all that share its SystemImageGUID.
void LftBuilder::CollectSystems() {
    const Topology& topology = *task_.topology;
    Arena& scratch = *task_.scratch;
    const auto bound = topology.switch_bound();
    system_of_ = scratch.Take<SwitchIndex>(bound);
    node_visits_ = scratch.Take<Visits>(bound);
    system_visits_ = scratch.Take<Visits>(bound);

    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(topology.switch_count());
    const auto rows = scratch.Take<SwitchIndex>(topology.switch_count());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = topology.switches_by_guid()[i];
        keys[i] = Raw(topology.switch_row(rows[i]).system_image_guid);
    }
    SortByKey(keys, rows, scratch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool same = i > 0 && keys[i] == keys[i - 1];
        system_of_[Raw(rows[i])] = same ? system_of_[Raw(rows[i - 1])] : rows[i];
    }
}

void LftBuilder::ReadLines() {
    switch (reading_) {
        case Reading::kOrder:
            if (order_.Advance() == Progress::kDone) reading_ = Reading::kIgnored;
            break;
        case Reading::kIgnored:
            if (ignored_.Advance() == Progress::kDone) reading_ = Reading::kDone;
            break;
        case Reading::kDone:
            break;
    }
}

/// Switches come in the order of their GUIDs, as chance is drawn in that order.
Progress LftBuilder::Advance() {
    const auto switches = task_.topology->switches_by_guid();
    if (next_switch_ == switches.size()) return Progress::kDone;
    if (reading_ != Reading::kDone) {
        ReadLines();
        return Progress::kMore;
    }

    here_ = switches[next_switch_];
    const bool narrow = task_.topology->switch_row(here_).port_count <= 64;
    const bool done = narrow ? RoutePart<1>() : RoutePart<kMostWords>();
    if (!done) return Progress::kMore;
    is_under_way_ = false;
    ++next_switch_;
    return next_switch_ < switches.size() ? Progress::kMore : Progress::kDone;
}

/// True when the switch is done.
template <std::size_t kWords>
bool LftBuilder::RoutePart() {
    if (is_under_way_) return RouteOneByOne<kWords>();
    is_under_way_ = true;
    StartSwitch<kWords>();
    if (!CanRouteRuns()) return RouteOneByOne<kWords>();
    RouteRuns<kWords>();
    offset_ = 1;
    return task_.topology->top_lmc() == 0;
}

template <std::size_t kWords>
void LftBuilder::StartSwitch() {
    load_.fill(0);
    offset_ = 0;
    next_destination_ = 0;
    ignored_here_ = ignored_.of(task_.topology->switch_row(here_));
    ArrangePorts();
    for (std::size_t first = 0; first < task_.topology->switch_bound(); first += kColumns) {
        finder_->Find(here_, first, kWords, masks_.subspan(first * kWords, kColumns * kWords));
    }
    if (is_arranged_) ArrangeMasks<kWords>();
}

/// Fills port_at_: the ports that the search order names, then the others by number.
void LftBuilder::ArrangePorts() {
    const auto first_ports = search_.of(here_);
    is_arranged_ = !first_ports.empty();
    std::array<bool, kMostPorts> is_named{};
    port_at_[kNoHops] = kNoHops;  // No exit stays no exit.
    std::size_t place = 1;
    for (const PortNumber port : first_ports) {
        port_at_[place++] = Raw(port);
        is_named[Raw(port)] = true;
    }
    for (std::size_t port = 1; port <= task_.topology->switch_row(here_).port_count; ++port) {
        if (!is_named[port]) port_at_[place++] = static_cast<std::uint8_t>(port);
    }
}

/// Turns masks of ports into masks of places.
template <std::size_t kWords>
void LftBuilder::ArrangeMasks() {
    std::array<std::uint8_t, kMostPorts> place_of{};
    for (std::size_t place = 1; place <= task_.topology->switch_row(here_).port_count; ++place) {
        place_of[port_at_[place]] = static_cast<std::uint8_t>(place);
    }
    for (std::size_t to = 0; to < task_.topology->switch_bound(); ++to) {
        std::uint64_t* const mask = &masks_[to * kWords];
        scan_.Collect<kWords>(mask, 1);
        std::fill_n(mask, kWords, 0);
        for (const std::uint8_t port : scan_.places()) {
            const std::size_t bit = place_of[port] - std::size_t{1};
            mask[bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
    }
}

/// The base LIDs of a run of hosts can be routed together where only loads decide.
bool LftBuilder::CanRouteRuns() const {
    const EngineOptions& options = *task_.options;
    const bool none_ignored =
        std::find(ignored_here_.begin(), ignored_here_.end(), true) == ignored_here_.end();
    return none_ignored && !options.port_shifting && options.scatter_ports == 0;
}

bool LftBuilder::Counts(const OrderedDestination& to) const {
    return !to.is_switch() || task_.options->port_profile_switch_nodes;
}

template <std::size_t kWords>
void LftBuilder::RouteRuns() {
    const auto row = task_.tables.lfts[here_];
    const auto destinations = order_.destinations();
    RoundRobin<kWords> exits(load_);

    for (std::size_t first = 0; first < destinations.size(); first += destinations[first].run) {
        const auto run = destinations.subspan(first, destinations[first].run);
        const auto put = [&](std::size_t i, std::uint8_t place) {
            row[Raw(run[i].lid)] = port_at_[place];
        };
        if (run[0].at == here_) {
            AttachRun(run);
            continue;
        }
        const std::uint64_t* const mask = &masks_[Raw(run[0].at) * kWords];
        if (Counts(run[0])) {
            exits.Give(mask, run.size(), put);
        } else {
            put(0, exits.Peek(mask));
        }
    }
    exits.Settle();
}

/// The LIDs of the end ports at this switch, or its own.
void LftBuilder::AttachRun(std::span<const OrderedDestination> run) {
    const auto row = task_.tables.lfts[here_];
    for (const OrderedDestination& to : run) {
        row[Raw(to.lid)] = Raw(to.port);
    }
}

/// Some LIDs. True when this switch is done.
template <std::size_t kWords>
bool LftBuilder::RouteOneByOne() {
    const auto destinations = order_.destinations();
    for (std::size_t work = 0; work < kWorkPerSlice; ++work) {
        if (next_destination_ == destinations.size()) {
            next_destination_ = 0;
            ++offset_;
        }
        if (offset_ >> task_.topology->top_lmc() != 0 || destinations.empty()) return true;

        const std::size_t number = next_destination_++;
        if (offset_ >> destinations[number].lmc != 0) continue;
        RouteLid<kWords>(destinations[number], number < order_.named_count());
        if (destinations[number].at == here_) continue;
        // For each candidate it is counted what the LIDs before chose.
        work += scan_.places().size() * (1 + std::size_t{offset_}) / 64;
    }
    return false;
}

template <std::size_t kWords>
void LftBuilder::RouteLid(const OrderedDestination& to, bool is_named) {
    const auto row = task_.tables.lfts[here_];
    const std::size_t lid = Raw(to.lid) + std::size_t{offset_};
    if (to.at == here_) {
        row[lid] = Raw(to.port);
        return;
    }
    // OpenSM takes the port before for a place, search order or not.
    const bool goes_on = offset_ > 0 && !finder_->fixes_neighbor();
    const std::size_t start = goes_on ? row[lid - 1] + std::size_t{1} : 1;
    scan_.Collect<kWords>(&masks_[Raw(to.at) * kWords], start);
    if (scan_.places().empty()) return;

    const EngineOptions& options = *task_.options;
    const bool by_chance = options.scatter_ports != 0 && offset_ == 0 &&
                           !(is_named && options.guid_routing_order_no_scatter);
    const std::size_t place = by_chance ? Draw() : Choose(to);
    row[lid] = port_at_[place];
    if (Counts(to) && !IsIgnored(row[lid])) ++load_[place];
}

/// Draws among the candidates with the least load; a random number is taken even without a choice.
std::size_t LftBuilder::Draw() {
    std::uint32_t least = kNoLoad;
    std::array<std::uint8_t, kMostPorts> equals{};
    std::size_t count = 0;
    for (const std::uint8_t place : scan_.places()) {
        if (load_[place] > least) continue;
        if (load_[place] < least) count = 0;
        least = load_[place];
        equals[count++] = place;
    }
    EMBER_ASSERT(count >= 1);
    return equals[random_.Next() % count];
}

std::size_t LftBuilder::Choose(const OrderedDestination& to) {
    RememberVisits(to);
    const auto places = scan_.places();
    const std::size_t first = task_.options->port_shifting ? FirstByShift() : 0;
    ExitChoice choice;
    for (std::size_t i = 0; i < places.size(); ++i) {
        choice.Offer(Describe(to, places[(first + i) % places.size()]));
    }
    return choice.place();
}

/// With port_shifting: where in the list of candidates to begin.
std::size_t LftBuilder::FirstByShift() const {
    const auto places = scan_.places();
    std::size_t sum = 0;
    for (const std::uint8_t place : places) {
        sum += load_[place];
    }
    return sum / places.size() % places.size();
}

ExitChoice::Candidate LftBuilder::Describe(const OrderedDestination& to, std::size_t place) const {
    ExitChoice::Candidate candidate{.place = place, .load = load_[place]};
    const std::size_t port = port_at_[place];
    if (finder_->fixes_neighbor()) {
        // A shifted scan forgets about visits.
        if (!task_.options->port_shifting) candidate.visits = PassesOf(to, port);
        return candidate;
    }
    const SwitchIndex peer = task_.topology->exits(here_)[port].peer;
    candidate.visits = VisitsOf(node_visits_, peer);
    candidate.is_new_switch = candidate.visits == 0;
    candidate.is_new_system = VisitsOf(system_visits_, system_of_[Raw(peer)]) == 0;
    return candidate;
}

/// Counts how often the earlier LIDs of `to` pass each neighbor. The forwarding table knows.
void LftBuilder::RememberVisits(const OrderedDestination& to) {
    ++stamp_;
    if (!Counts(to)) return;  // OpenSM keeps no history of what it does not count.

    const auto row = task_.tables.lfts[here_];
    const auto exits = task_.topology->exits(here_);
    const auto visit = [this](Visits& visits) {
        if (visits.stamp != stamp_) visits = {stamp_, 0};
        ++visits.count;
    };
    for (std::uint32_t i = 0; i < offset_; ++i) {
        const std::size_t port = row[Raw(to.lid) + std::size_t{i}];
        if (IsIgnored(port)) continue;
        const std::size_t peer = Raw(exits[port].peer);
        visit(node_visits_[peer]);
        visit(system_visits_[Raw(system_of_[peer])]);
    }
}

std::uint32_t LftBuilder::VisitsOf(std::span<const Visits> visits, SwitchIndex at) const {
    const Visits& found = visits[Raw(at)];
    return found.stamp == stamp_ ? found.count : 0;
}

/// How many earlier LIDs of `to` leave by this very port.
std::uint32_t LftBuilder::PassesOf(const OrderedDestination& to, std::size_t port) const {
    if (!Counts(to) || IsIgnored(port)) return 0;
    const auto lids = task_.tables.lfts[here_].subspan(Raw(to.lid), offset_);
    return static_cast<std::uint32_t>(
        std::count(lids.begin(), lids.end(), static_cast<std::uint8_t>(port)));
}

}  // namespace ember
