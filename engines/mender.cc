// SPDX-License-Identifier: Apache-2.0
// EmberSM: broken routes chosen anew, and no others.

#include "engines/mender.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

void Mender::Begin(const RoutingTask& task, const ExitFinder& finder) {
    EMBER_ASSERT(task.mended != nullptr);
    task_ = task;
    finder_ = &finder;
    is_local_ = task.suspects != nullptr && finder.is_local();
    if (task.log != nullptr) task.log->Open();
    const Topology& topology = *task.topology;
    masks_ = task.scratch->Take<std::uint64_t>(HopStride(topology.switch_bound()) * kMostWords);
    owned_ = task.scratch->Take<bool>(LftBlocks(topology.top_lid()) * std::size_t{64});
    for (const Destination& to : topology.destinations()) {
        const auto lids = owned_.subspan(Raw(to.lid), to.lid_count());
        std::fill(lids.begin(), lids.end(), true);
    }
    SortDestinations();
    CollectLids();
    next_ = 0;
}

/// A counting sort: the order within a switch stays.
void Mender::SortDestinations() {
    const auto destinations = task_.topology->destinations();
    const std::size_t bound = task_.topology->switch_bound();
    by_home_ = task_.scratch->Take<DestinationIndex>(destinations.size());
    first_ = task_.scratch->Take<std::uint32_t>(bound + 2);
    const auto place = [&](const Destination& to) {
        return to.at == kNoSwitch ? bound : std::size_t{Raw(to.at)};
    };
    for (const Destination& to : destinations) {
        ++first_[place(to)];
    }
    for (std::size_t i = 1; i < first_.size(); ++i) {
        first_[i] += first_[i - 1];
    }
    for (std::size_t i = destinations.size(); i > 0; --i) {
        by_home_[--first_[place(destinations[i - 1])]] = static_cast<DestinationIndex>(i - 1);
    }
}

void Mender::CollectLids() {
    std::size_t lids = 0;
    for (const Destination& to : task_.topology->destinations()) {
        lids += to.lid_count();
    }
    lids_ = task_.scratch->Take<OwnedLid>(lids);
    std::size_t count = 0;
    for (const Destination& to : task_.topology->destinations()) {
        for (std::uint32_t i = 0; i < to.lid_count(); ++i) {
            lids_[count++] = {static_cast<Lid>(Raw(to.lid) + i), to.at, to.port};
        }
    }
}

Progress Mender::Advance() {
    const std::size_t bound = task_.topology->switch_bound();
    for (finds_ = 0; next_ < bound && finds_ < kFindsPerSlice; ++next_) {
        const auto here = static_cast<SwitchIndex>(next_);
        if (!task_.topology->Has(here)) continue;
        MendRow(here);
        if (is_local_) continue;
        ++next_;
        break;
    }
    return next_ == bound ? Progress::kDone : Progress::kMore;
}

/// Visits every destination whose entries here may have to change, switch by switch.
template <typename Visit>
void Mender::ForEachToLookAt(SwitchIndex here, Visit visit) const {
    const auto visit_from = [&](std::size_t home) {
        for (std::size_t i = first_[home]; i < first_[home + 1]; ++i) {
            visit(task_.topology->destination(by_home_[i]));
        }
    };
    const std::size_t bound = task_.topology->switch_bound();
    if (is_local_) {
        ForEachSwitchIn(task_.suspects->of(here), bound,
                        [&](SwitchIndex to) { visit_from(Raw(to)); });
        return;
    }
    for (std::size_t home = 0; home <= bound; ++home) {
        visit_from(home);
    }
}

void Mender::MendRow(SwitchIndex here) {
    FindExits(here);
    changed_ = 0;
    if (!is_local_) DropUnowned(here);
    if (!AllMayStay(here)) MendRoutes(here);
    task_.mended->entries += changed_;
    if (changed_ != 0) ++task_.mended->switches;
}

void Mender::Write(SwitchIndex here, std::size_t lid, std::uint8_t port) {
    task_.tables.lfts[here][lid] = port;
    if (task_.log != nullptr) task_.log->Note(here, static_cast<Lid>(lid));
    ++changed_;
}

void Mender::DropUnowned(SwitchIndex here) {
    const auto row = task_.tables.lfts[here];
    for (std::size_t lid = 0; lid < owned_.size(); ++lid) {
        if (!owned_[lid] && row[lid] != kNoHops) Write(here, lid, kNoHops);
    }
}

/// Of a row in which some route is broken.
void Mender::MendRoutes(SwitchIndex here) {
    CountLoads(here);
    ForEachToLookAt(here, [&](const Destination& to) { MendDestination(here, to); });
}

void Mender::MendDestination(SwitchIndex here, const Destination& to) {
    const auto row = task_.tables.lfts[here];
    for (std::size_t lid = Raw(to.lid); lid < Raw(to.lid) + to.lid_count(); ++lid) {
        if (MayStay(here, to, row[lid])) continue;
        row[lid] = kNoHops;  // Its own exit does not keep another LID of it away.
        const std::uint8_t port = Choose(here, to);
        Write(here, lid, port);
        if (!to.is_switch()) ++loads_[port];
    }
}

void Mender::FindExits(SwitchIndex here) {
    words_ = task_.topology->switch_row(here).port_count <= 64 ? 1 : kMostWords;
    const std::size_t blocks = HopStride(task_.topology->switch_bound()) / kColumns;
    static_assert(kColumns == 64, "a word of suspects is a block of columns");
    for (std::size_t block = 0; block < blocks; ++block) {
        if (is_local_ && task_.suspects->of(here)[block] == 0) continue;
        const std::size_t first = block * kColumns;
        finder_->Find(here, first, words_, masks_.subspan(first * words_, kColumns * words_));
        ++finds_;
    }
}

bool Mender::AllMayStay(SwitchIndex here) const {
    if (!is_local_) {
        return words_ == 1 ? AllLidsMayStay<1>(here) : AllLidsMayStay<kMostWords>(here);
    }
    const auto row = task_.tables.lfts[here];
    bool all = true;
    ForEachToLookAt(here, [&](const Destination& to) {
        for (const std::uint8_t port : row.subspan(Raw(to.lid), to.lid_count())) {
            all = all && MayStay(here, to, port);
        }
    });
    return all;
}

/// A quick look that suffices for most rows: true when each LID leaves by a candidate. A LID
/// without a path is looked at closely.
template <std::size_t kWords>
bool Mender::AllLidsMayStay(SwitchIndex here) const {
    const std::uint8_t* const row = task_.tables.lfts[here].data();
    bool all = true;
    for (const OwnedLid& owned : lids_) {
        const std::uint8_t port = row[Raw(owned.lid)];
        if (owned.at == here) {
            all = all && port == Raw(owned.port);
            continue;
        }
        if (owned.at == kNoSwitch || port == 0 || port > kWords * 64) return false;
        const std::size_t bit = port - std::size_t{1};
        all = all && (masks_[Raw(owned.at) * kWords + bit / 64] >> (bit % 64) & 1U) != 0;
    }
    return all;
}

/// Counts what stays, by port.
void Mender::CountLoads(SwitchIndex here) {
    loads_.fill(0);
    const auto row = task_.tables.lfts[here];
    for (const OwnedLid& owned : lids_) {
        if (owned.port != kManagementPort) ++loads_[row[Raw(owned.lid)]];
    }
    ForEachToLookAt(here, [&](const Destination& to) {
        if (to.is_switch()) return;
        for (const std::uint8_t port : row.subspan(Raw(to.lid), to.lid_count())) {
            if (!MayStay(here, to, port)) --loads_[port];
        }
    });
}

Mender::Ports Mender::ExitsTo(SwitchIndex to) const {
    return masks_.subspan(Raw(to) * words_, words_);
}

bool Mender::MayStay(SwitchIndex here, const Destination& to, std::uint8_t port) const {
    if (to.at == here) return port == Raw(to.port);
    if (to.at == kNoSwitch) return port == kNoHops;
    const Ports exits = ExitsTo(to.at);
    const bool is_left = IsLeftToCore(here, to, port);
    const bool is_no_exit = port == 0 || port == kNoHops || port > words_ * 64;
    if (is_no_exit || is_left) {
        const bool no_path =
            std::all_of(exits.begin(), exits.end(), [](std::uint64_t word) { return word == 0; });
        if (no_path || is_no_exit) return no_path && (port == kNoHops || is_left);
    }
    const std::size_t bit = port - std::size_t{1};
    return (exits[bit / 64] >> (bit % 64) & 1U) != 0;
}

/// If there is no candidate.
bool Mender::IsLeftToCore(SwitchIndex here, const Destination& to, std::uint8_t port) const {
    if (!task_.completes_home) return false;
    const Topology& topology = *task_.topology;
    const bool is_mere = topology.IsMere(here);
    const DestinationIndex home = topology.home();
    if (home != kNoDestination && &to == &topology.destination(home)) return is_mere;
    const auto exits = topology.exits(here);
    const bool is_linked = port < exits.size() && exits[port].peer != kNoSwitch;
    const bool is_between = (is_mere || topology.IsBareHome(here)) && topology.IsMere(to.at);
    return is_linked && is_between && to.is_switch();
}

/// The candidate that carries least, the lowest of equals: first of those that no other LID of the
/// destination has.
std::uint8_t Mender::Choose(SwitchIndex here, const Destination& to) const {
    if (to.at == here) return Raw(to.port);
    if (to.at == kNoSwitch) return kNoHops;
    const auto siblings = task_.tables.lfts[here].subspan(Raw(to.lid), to.lid_count());
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
