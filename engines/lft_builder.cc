// SPDX-License-Identifier: Apache-2.0
// EmberSM: OpenSM's way to spread routes over equal exits.

#include "engines/lft_builder.h"

#include <algorithm>

#include "core/base/assert.h"
#include "engines/spreader.h"

namespace ember {

namespace {

/// The exit for a further LID, found by looking at the candidates one after the other.
class FurtherChoice {
public:
    struct Candidate {
        std::size_t port = kNoHops;
        std::uint32_t load = kNoLoad;
        std::uint32_t visits = 0;  ///< Of the switch behind it, by earlier LIDs of the same port.
        bool is_new_system = false;
    };

    void Offer(const Candidate& candidate) {
        if (candidate.is_new_system) {
            if (candidate.load < new_system_.load) new_system_ = candidate;
        } else if (candidate.visits == 0) {
            if (candidate.load < new_switch_.load) new_switch_ = candidate;
        }
        const bool is_fresher = candidate.load == any_.load && candidate.visits < fewest_visits_;
        if (candidate.load >= any_.load && !is_fresher) return;
        any_ = candidate;
        fewest_visits_ = std::min(fewest_visits_, candidate.visits);
    }

    /// kNoHops when nothing was offered.
    [[nodiscard]] std::size_t port() const {
        if (new_system_.port != kNoHops) return new_system_.port;
        if (new_switch_.port != kNoHops) return new_switch_.port;
        return any_.port;
    }

private:
    Candidate new_system_;
    Candidate new_switch_;
    Candidate any_;
    std::uint32_t fewest_visits_ = kNoLoad;  ///< Of all that were best so far: as OpenSM keeps it.
};

}  // namespace

void LftBuilder::Begin(const RoutingTask& task, const ExitFinder& finder) {
    EMBER_ASSERT(task.topology != nullptr && task.settings != nullptr && task.scratch != nullptr);
    EMBER_ASSERT(task.lfts.stride() > Raw(task.topology->top_lid()));

    task_ = task;
    finder_ = &finder;
    next_switch_ = 0;
    offset_ = 0;
    stamp_ = 0;
    CollectStops();
    masks_ =
        task.scratch->Take<std::uint64_t>(HopStride(task.topology->switch_bound()) * kMostWords);
    CollectSystems();
}

void LftBuilder::CollectStops() {
    const Topology& topology = *task_.topology;
    stops_ = task_.scratch->Take<Stop>(topology.destinations().size());
    std::size_t count = 0;
    for (const DestinationIndex at : topology.destinations_by_crowd()) {
        const Destination& destination = topology.destination(at);
        if (destination.at == kNoSwitch) continue;  // Behind no switch: no switch routes there.
        stops_[count++] = {.lid = destination.lid,
                           .at = destination.at,
                           .run = 1,
                           .port = destination.port,
                           .lmc = destination.lmc};
    }
    stops_ = stops_.first(count);
    for (std::size_t i = count; i > 1; --i) {
        Stop& before = stops_[i - 2];
        const Stop& stop = stops_[i - 1];
        // A switch's own LID is on its own: it counts differently.
        const bool joined =
            before.at == stop.at && before.port != kManagementPort && stop.port != kManagementPort;
        if (joined) before.run = static_cast<std::uint16_t>(stop.run + 1);
    }
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

Progress LftBuilder::Advance() {
    const Topology& topology = *task_.topology;
    while (next_switch_ < topology.switch_bound() &&
           !topology.Has(static_cast<SwitchIndex>(next_switch_))) {
        ++next_switch_;
    }
    if (next_switch_ == topology.switch_bound()) return Progress::kDone;

    here_ = static_cast<SwitchIndex>(next_switch_);
    const bool narrow = topology.switch_row(here_).port_count <= 64;
    bool done = false;
    if (offset_ == 0) {
        load_.fill(0);
        narrow ? RouteBaseLids<1>() : RouteBaseLids<kMostWords>();
        done = topology.top_lmc() == 0;
        offset_ = 1;
        next_stop_ = 0;
    } else {
        done = narrow ? RouteFurtherLids<1>() : RouteFurtherLids<kMostWords>();
    }
    if (!done) return Progress::kMore;
    offset_ = 0;
    ++next_switch_;
    return next_switch_ < topology.switch_bound() ? Progress::kMore : Progress::kDone;
}

bool LftBuilder::Counts(const Stop& stop) const {
    return stop.port != kManagementPort || task_.settings->port_profile_switch_nodes;
}

template <std::size_t kWords>
void LftBuilder::RouteBaseLids() {
    FindCandidates(kWords);
    const auto row = task_.lfts[here_];
    Spreader<kWords> exits(load_);

    for (std::size_t first = 0; first < stops_.size(); first += stops_[first].run) {
        const auto run = stops_.subspan(first, stops_[first].run);
        const auto put = [&](std::size_t i, std::uint8_t port) { row[Raw(run[i].lid)] = port; };
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

/// The LIDs of what hangs on this switch, or of itself.
void LftBuilder::AttachRun(std::span<const Stop> run) {
    const auto row = task_.lfts[here_];
    for (const Stop& stop : run) {
        row[Raw(stop.lid)] = Raw(stop.port);
    }
}

/// Fills masks_.
void LftBuilder::FindCandidates(std::size_t words) {
    for (std::size_t first = 0; first < task_.topology->switch_bound(); first += kColumns) {
        finder_->Find(here_, first, words, masks_.subspan(first * words, kColumns * words));
    }
}

/// Some LIDs beyond the base LIDs. True when this switch is done.
template <std::size_t kWords>
bool LftBuilder::RouteFurtherLids() {
    const auto row = task_.lfts[here_];
    for (std::size_t count = 0; count < kLidsPerSlice; ++count) {
        if (next_stop_ == stops_.size()) {
            next_stop_ = 0;
            ++offset_;
        }
        if (offset_ >> task_.topology->top_lmc() != 0 || stops_.empty()) return true;

        const Stop& stop = stops_[next_stop_++];
        if (offset_ >> stop.lmc != 0) continue;
        const std::size_t lid = Raw(stop.lid) + std::size_t{offset_};
        if (stop.at == here_ || row[lid - 1] == kNoHops) {
            row[lid] = row[lid - 1];  // The only exit there is, or none.
            continue;
        }
        RememberVisits(stop, offset_);
        const PortNumber port = ChooseFurther<kWords>(stop, offset_);
        row[lid] = Raw(port);
        if (Counts(stop)) ++load_[Raw(port)];
    }
    return false;
}

/// Counts how often the earlier LIDs of `stop` pass each neighbor. The forwarding table knows.
void LftBuilder::RememberVisits(const Stop& stop, std::uint32_t offset) {
    ++stamp_;
    if (!Counts(stop)) return;  // OpenSM keeps no history of what it does not count.

    const auto row = task_.lfts[here_];
    const auto exits = task_.topology->exits(here_);
    const auto visit = [this](Visits& visits) {
        if (visits.stamp != stamp_) visits = {stamp_, 0};
        ++visits.count;
    };
    for (std::uint32_t i = 0; i < offset; ++i) {
        const std::size_t peer = Raw(exits[row[Raw(stop.lid) + std::size_t{i}]].peer);
        visit(node_visits_[peer]);
        visit(system_visits_[Raw(system_of_[peer])]);
    }
}

std::uint32_t LftBuilder::VisitsOf(std::span<const Visits> visits, SwitchIndex at) const {
    const Visits& found = visits[Raw(at)];
    return found.stamp == stamp_ ? found.count : 0;
}

/// Looks at the candidates in port order, starting after the exit of the LID before.
template <std::size_t kWords>
PortNumber LftBuilder::ChooseFurther(const Stop& stop, std::uint32_t offset) const {
    const auto exits = task_.topology->exits(here_);
    const auto mask = masks_.subspan(Raw(stop.at) * kWords, kWords);
    std::size_t port = task_.lfts[here_][Raw(stop.lid) + std::size_t{offset} - 1];

    FurtherChoice choice;
    for (std::size_t i = 0; i < exits.size(); ++i) {
        port = port + 1 < exits.size() ? port + 1 : 0;
        if (port == 0 || (mask[(port - 1) / 64] >> ((port - 1) % 64) & 1U) == 0) continue;
        const SwitchIndex peer = exits[port].peer;
        choice.Offer({.port = port,
                      .load = load_[port],
                      .visits = VisitsOf(node_visits_, peer),
                      .is_new_system = VisitsOf(system_visits_, system_of_[Raw(peer)]) == 0});
    }
    EMBER_ASSERT(choice.port() != kNoHops);  // The LID before found a way.
    return static_cast<PortNumber>(choice.port());
}

}  // namespace ember
