// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof of a mended routing, from the proof of what it was before.

#include "core/routing/mend_proof.h"

#include "core/base/assert.h"

namespace ember {

void MendProof::Begin(const Task& task, Arena& scratch) {
    EMBER_ASSERT(task.log->is_whole());
    EMBER_ASSERT(task.topology->switch_count() > 0);
    EMBER_ASSERT(task.is_of_links || task.graph->lanes() == 1);
    task_ = task;
    const Topology& topology = *task.topology;
    const std::size_t bound = topology.switch_bound();
    if (!task.is_of_links) search_.Begin(topology, 1, scratch);
    owner_ = scratch.Take<DestinationIndex>(LftBlocks(topology.top_lid()) * std::size_t{64});
    first_ = scratch.Take<std::uint32_t>(bound + 1);
    by_home_ = scratch.Take<DestinationIndex>(topology.destinations().size());
    senders_ = scratch.Take<std::uint16_t>(bound);
    queue_ = scratch.Take<SwitchIndex>(bound);
    seen_ = scratch.Take<std::uint32_t>(bound);
    roots_ = scratch.Take<std::uint32_t>(kMostRoots);
    searches_ = 0;
    root_count_ = 0;
    steps_ = 0;
    next_ = 0;
    proved_ = false;
    phase_ = Phase::kLinks;
}

Progress MendProof::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kLinks:  JudgeLinks();  break;
        case Phase::kSteps:   JudgeSteps();   break;
        case Phase::kEntries: JudgeEntries(); break;
        case Phase::kCycle:   SearchCycle();  break;
        case Phase::kDone:    break;
    }
    // clang-format on
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

/// Finds the owner of each LID, and the destinations at each switch.
void MendProof::FindOwners() {
    const auto destinations = task_.topology->destinations();
    std::fill(owner_.begin(), owner_.end(), kNoDestination);
    for (std::size_t i = 0; i < destinations.size(); ++i) {
        const Destination& row = destinations[i];
        const auto lids = owner_.subspan(Raw(row.lid), row.lid_count());
        std::fill(lids.begin(), lids.end(), static_cast<DestinationIndex>(i));
        if (row.at != kNoSwitch) ++first_[Raw(row.at)];
    }
    for (std::size_t i = 1; i < first_.size(); ++i) {
        first_[i] += first_[i - 1];
    }
    EMBER_ASSERT(first_.back() <= by_home_.size());
    for (std::size_t i = destinations.size(); i > 0;
         --i) {  // Each moves from its end to its begin.
        const Destination& row = destinations[i - 1];
        if (row.at == kNoSwitch) continue;
        by_home_[--first_[Raw(row.at)]] = static_cast<DestinationIndex>(i - 1);
    }
}

void MendProof::FindSenders() {
    for (const Destination& row : task_.topology->destinations()) {
        if (row.at != kNoSwitch && !row.is_switch()) ++senders_[Raw(row.at)];
    }
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        if (task_.topology->switch_row(at).is_home) ++senders_[Raw(at)];
    }
}

bool MendProof::IsOneIsland() const {
    const auto switches = task_.topology->switches_by_guid();
    const auto hops = task_.hops[switches.front()];
    return std::all_of(switches.begin(), switches.end(),
                       [&](SwitchIndex at) { return hops[Raw(at)] != kNoHops; });
}

/// (1). Packets wait in a lost link, or for one, no longer. The row of such a link in the graph is
/// emptied, so that a link which comes later begins with an empty row.
void MendProof::JudgeLinks() {
    FindOwners();
    FindSenders();
    task_.graph->GoOn(*task_.topology);
    bool is_fine = IsOneIsland();
    for (const LinkChange& change : task_.changes) {
        const bool is_moved = change.was != kNoSwitch && change.is != kNoSwitch;
        is_fine = is_fine && !is_moved && !LeadsInto(change);
        const RoutingSwitch& row = task_.topology->switch_row(change.at);
        task_.graph->Clear(row.first_exit + std::size_t{Raw(change.port)});
    }
    phase_ = task_.shortest ? Phase::kSteps : Phase::kEntries;
    if (!is_fine || task_.is_of_links) End(is_fine);
}

/// Some entry leads into a link that is gone.
bool MendProof::LeadsInto(const LinkChange& change) const {
    EMBER_ASSERT(change.was != change.is);
    if (change.is != kNoSwitch) return false;
    const auto row = task_.lfts[change.at].first(owner_.size());
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
        if (row[lid] == Raw(change.port) && owner_[lid] != kNoDestination) return true;
    }
    return false;
}

/// (3), of everything whose length might have changed.
void MendProof::JudgeSteps() {
    const std::size_t bound = task_.topology->switch_bound();
    const std::size_t end = steps_ + kStepsPerSlice;
    for (; next_ < bound; ++next_) {
        if (steps_ >= end) return;
        const auto from = static_cast<SwitchIndex>(next_);
        if (!task_.topology->Has(from)) continue;
        bool is_fine = true;
        ForEachSwitchIn(task_.suspects->of(from), bound,
                        [&](SwitchIndex to) { is_fine = is_fine && StepsAreShort(from, to); });
        if (!is_fine) {
            End(false);
            return;
        }
    }
    next_ = 0;
    phase_ = Phase::kEntries;
}

bool MendProof::StepsAreShort(SwitchIndex from, SwitchIndex to) {
    for (std::size_t i = first_[Raw(to)]; i < first_[Raw(to) + std::size_t{1}]; ++i) {
        const Destination& destination = task_.topology->destination(by_home_[i]);
        bool is_fine = true;
        for (std::uint32_t j = 0; j < destination.lid_count(); ++j) {
            const auto lid = static_cast<Lid>(Raw(destination.lid) + j);
            is_fine = is_fine && IsShort(from, destination, lid);
        }
        steps_ += destination.lid_count();
        if (!is_fine) return false;
    }
    return true;
}

bool MendProof::IsShort(SwitchIndex from, const Destination& destination, Lid lid) const {
    const std::uint8_t port = ExitOf(from, lid);
    if (from == destination.at) return port == Raw(destination.port);
    if (port == kNoHops) return task_.may_drop;  // As before, or judged as an entry of the log.
    const SwitchIndex next = Behind(from, port);
    if (next == kNoSwitch) return false;
    const std::size_t column = Raw(destination.at);
    return task_.hops[next][column] + 1 == task_.hops[from][column];
}

void MendProof::JudgeEntries() {
    const auto entries = task_.log->entries();
    const std::size_t end = steps_ + kStepsPerSlice;
    for (; next_ < entries.size(); ++next_) {
        if (steps_ >= end && steps_ < kMostSteps) return;
        if (steps_ >= kMostSteps || !JudgeEntry(entries[next_])) {
            End(false);
            return;
        }
    }
    if (root_count_ == kMostRoots) {
        search_.Start(*task_.graph);
    } else {
        search_.Start(*task_.graph, roots_.first(root_count_));
    }
    phase_ = Phase::kCycle;
}

/// (2), (3) and what (4) needs.
bool MendProof::JudgeEntry(const ChangeLog::Entry& entry) {
    const DestinationIndex owner = owner_[Raw(entry.lid)];
    if (owner == kNoDestination) return true;
    const Destination& destination = task_.topology->destination(owner);
    // A port behind no switch: every entry for it drops.
    if (destination.at == kNoSwitch) return ExitOf(entry.at, entry.lid) == kNoHops;
    if (!Arrives(entry.at, destination, entry.lid)) return false;
    if (task_.shortest && !IsShort(entry.at, destination, entry.lid)) return false;
    // Packets that are dropped further on have no sender: see MayDrop(). IsUsed() confirms it.
    const bool ends_here = entry.at == destination.at || ExitOf(entry.at, entry.lid) == kNoHops;
    if (!ends_here && IsEndPort(destination)) {
        AddDependencies(entry.at, destination, entry.lid);
    }
    return true;
}

bool MendProof::Arrives(SwitchIndex from, const Destination& destination, Lid lid) {
    EMBER_ASSERT(destination.at != kNoSwitch);
    SwitchIndex at = from;
    for (std::size_t i = 0; i < task_.topology->switch_count(); ++i) {  // Longer paths are loops.
        ++steps_;
        const std::uint8_t port = ExitOf(at, lid);
        if (at == destination.at) return port == Raw(destination.port);
        if (port == kNoHops) return MayDrop(from, destination, lid);
        at = Behind(at, port);
        if (at == kNoSwitch) return false;
    }
    return false;
}

/// Of the packets that end ports send through the entry of `at` for `lid`, which arrives: what they
/// wait for behind it, and what waits for them before it. The last link waits for no other.
void MendProof::AddDependencies(SwitchIndex at, const Destination& destination, Lid lid) {
    EMBER_ASSERT(IsEndPort(destination) && at != destination.at);
    if (!IsUsed(at, lid)) return;
    for (const Trunk& trunk : task_.topology->trunks(at)) {
        ++steps_;
        if (ExitOf(trunk.peer, lid) != Raw(trunk.peer_port) || !IsUsed(trunk.peer, lid)) continue;
        Add(trunk.peer, Raw(trunk.peer_port), ExitOf(at, lid));
    }
    SwitchIndex here = at;
    while (here != destination.at) {  // Ends: it arrives.
        ++steps_;
        const std::uint8_t port = ExitOf(here, lid);
        const SwitchIndex next = Behind(here, port);
        if (next != destination.at) Add(here, port, ExitOf(next, lid));
        here = next;
    }
}

/// Some end port's packets to `lid` come by `at`.
bool MendProof::IsUsed(SwitchIndex at, Lid lid) {
    if (senders_[Raw(at)] != 0) return true;
    ++searches_;
    std::size_t tail = 0;
    queue_[tail++] = at;
    seen_[Raw(at)] = searches_;
    for (std::size_t head = 0; head < tail; ++head) {  // Each switch joins once.
        for (const Trunk& trunk : task_.topology->trunks(queue_[head])) {
            ++steps_;
            if (ExitOf(trunk.peer, lid) != Raw(trunk.peer_port)) continue;
            if (senders_[Raw(trunk.peer)] != 0) return true;
            if (seen_[Raw(trunk.peer)] == searches_) continue;
            seen_[Raw(trunk.peer)] = searches_;
            queue_[tail++] = trunk.peer;
        }
    }
    return false;
}

void MendProof::Add(SwitchIndex from, std::uint8_t port, std::uint8_t onward) {
    EMBER_ASSERT(port != kNoHops && onward != kNoHops && onward != 0);
    const std::size_t channel = task_.topology->switch_row(from).first_exit + std::size_t{port};
    if (task_.graph->Has(channel, onward)) return;
    task_.graph->Add(channel, onward);
    if (root_count_ < kMostRoots) roots_[root_count_++] = static_cast<std::uint32_t>(channel);
}

/// (4). There was no cycle, so one of now has a new dependency in it.
void MendProof::SearchCycle() {
    if (search_.Advance() == Progress::kDone) End(!search_.found());
}

}  // namespace ember
