// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes that broke, chosen anew, and no others.

#include "engines/mender.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

void Mender::Begin(const RoutingTask& task, const ExitFinder& finder) {
    EMBER_ASSERT(task.mended != nullptr);
    task_ = task;
    finder_ = &finder;
    const Topology& topology = *task.topology;
    masks_ = task.scratch->Take<std::uint64_t>(HopStride(topology.switch_bound()) * kMostWords);
    owned_ = task.scratch->Take<bool>(LftBlocks(topology.top_lid()) * std::size_t{64});
    for (const Destination& to : topology.destinations()) {
        const auto lids = owned_.subspan(Raw(to.lid), to.lid_count());
        std::fill(lids.begin(), lids.end(), true);
    }
    CollectStops();
    next_ = 0;
}

Progress Mender::Advance() {
    const std::size_t bound = task_.topology->switch_bound();
    while (next_ < bound && !task_.topology->Has(static_cast<SwitchIndex>(next_))) {
        ++next_;
    }
    if (next_ == bound) return Progress::kDone;
    MendRow(static_cast<SwitchIndex>(next_++));
    return next_ == bound ? Progress::kDone : Progress::kMore;
}

void Mender::MendRow(SwitchIndex here) {
    FindExits(here);
    const auto row = task_.lfts[here];
    std::size_t changed = 0;
    for (std::size_t lid = 0; lid < owned_.size(); ++lid) {
        if (owned_[lid] || row[lid] == kNoHops) continue;
        row[lid] = kNoHops;
        ++changed;
    }
    if (!(words_ == 1 ? AllMayStay<1>(here) : AllMayStay<kMostWords>(here))) {
        changed += MendRoutes(here);
    }
    task_.mended->entries += changed;
    if (changed != 0) ++task_.mended->switches;
}

/// Of a row in which some route is broken. How many were.
std::size_t Mender::MendRoutes(SwitchIndex here) {
    CountLoads(here);
    const auto row = task_.lfts[here];
    std::size_t changed = 0;
    for (const Destination& to : task_.topology->destinations()) {
        for (std::uint8_t& port : row.subspan(Raw(to.lid), to.lid_count())) {
            if (MayStay(here, to, port)) continue;
            port = kNoHops;  // Its own exit does not keep another LID of it away.
            port = Choose(here, to);
            if (!to.is_switch()) ++loads_[port];
            ++changed;
        }
    }
    return changed;
}

void Mender::FindExits(SwitchIndex here) {
    words_ = task_.topology->switch_row(here).port_count <= 64 ? 1 : kMostWords;
    const std::size_t end = HopStride(task_.topology->switch_bound());
    for (std::size_t first = 0; first < end; first += kColumns) {
        finder_->Find(here, first, words_, masks_.subspan(first * words_, kColumns * words_));
    }
}

void Mender::CollectStops() {
    std::size_t lids = 0;
    for (const Destination& to : task_.topology->destinations()) {
        lids += to.lid_count();
    }
    stops_ = task_.scratch->Take<Stop>(lids);
    std::size_t count = 0;
    for (const Destination& to : task_.topology->destinations()) {
        for (std::uint32_t i = 0; i < to.lid_count(); ++i) {
            stops_[count++] = {static_cast<Lid>(Raw(to.lid) + i), to.at, to.port};
        }
    }
}

/// The quick look that most rows need only: true when each LID leaves by a candidate. A LID without
/// a way is looked at closely.
template <std::size_t kWords>
bool Mender::AllMayStay(SwitchIndex here) const {
    const std::uint8_t* const row = task_.lfts[here].data();
    bool all = true;
    for (const Stop& stop : stops_) {
        const std::uint8_t port = row[Raw(stop.lid)];
        if (stop.at == here) {
            all = all && port == Raw(stop.port);
            continue;
        }
        if (stop.at == kNoSwitch || port == 0 || port > kWords * 64) return false;
        const std::size_t bit = port - std::size_t{1};
        all = all && (masks_[Raw(stop.at) * kWords + bit / 64] >> (bit % 64) & 1U) != 0;
    }
    return all;
}

/// Counts what stays, by port.
void Mender::CountLoads(SwitchIndex here) {
    loads_.fill(0);
    const auto row = task_.lfts[here];
    for (const Destination& to : task_.topology->destinations()) {
        if (to.is_switch()) continue;
        for (const std::uint8_t port : row.subspan(Raw(to.lid), to.lid_count())) {
            if (MayStay(here, to, port)) ++loads_[port];
        }
    }
}

Mender::Ports Mender::ExitsTo(SwitchIndex to) const {
    return masks_.subspan(Raw(to) * words_, words_);
}

bool Mender::MayStay(SwitchIndex here, const Destination& to, std::uint8_t port) const {
    if (to.at == here) return port == Raw(to.port);
    if (to.at == kNoSwitch) return port == kNoHops;
    const Ports exits = ExitsTo(to.at);
    if (port == 0 || port == kNoHops || port > words_ * 64) {
        const bool no_way =
            std::all_of(exits.begin(), exits.end(), [](std::uint64_t word) { return word == 0; });
        return port == kNoHops && no_way;
    }
    const std::size_t bit = port - std::size_t{1};
    return (exits[bit / 64] >> (bit % 64) & 1U) != 0;
}

/// The candidate that carries least, the lowest of equals: first of those that no other LID of the
/// destination has.
std::uint8_t Mender::Choose(SwitchIndex here, const Destination& to) const {
    if (to.at == here) return Raw(to.port);
    if (to.at == kNoSwitch) return kNoHops;
    const auto siblings = task_.lfts[here].subspan(Raw(to.lid), to.lid_count());
    const auto has = [&](std::uint8_t port) {
        return std::find(siblings.begin(), siblings.end(), port) != siblings.end();
    };
    std::uint8_t best = kNoHops;
    bool best_is_shared = true;
    const Ports exits = ExitsTo(to.at);
    for (std::size_t word = 0; word < exits.size(); ++word) {
        for (std::uint64_t rest = exits[word]; rest != 0; rest &= rest - 1) {
            const auto port = static_cast<std::uint8_t>(
                word * 64 + static_cast<std::size_t>(std::countr_zero(rest)) + 1);
            const bool shared = siblings.size() > 1 && has(port);
            const bool better = best == kNoHops || (best_is_shared && !shared) ||
                                (best_is_shared == shared && loads_[port] < loads_[best]);
            if (!better) continue;
            best = port;
            best_is_shared = shared;
        }
    }
    return best;
}

}  // namespace ember
