// SPDX-License-Identifier: Apache-2.0
// EmberSM: the paths of packets that meet old forwarding entries and new ones.

#include "core/programming/mixed_paths.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Of so many switches less than one has a changed entry for the LID, where little has changed.
inline constexpr std::size_t kMuch = 32;

}  // namespace

void MixedPaths::Begin(const Task& task, Arena& scratch) {
    EMBER_ASSERT(task.proved.topology != nullptr && task.proved.keeps_lanes);
    task_ = task;
    sls_ = PacketSls(topology(), *task.proved.lanes);
    const std::size_t bound = topology().switch_bound();
    senders_ = scratch.Take<std::uint16_t>(bound);
    stands_ = scratch.Take<Stand>(bound * kLayers);
    queue_ = scratch.Take<std::uint32_t>(bound * kLayers);
    met_ = scratch.Take<std::uint32_t>(bound * kLayers);
    seen_ = scratch.Take<std::uint32_t>(bound);
    changed_ = scratch.Take<SwitchIndex>(bound);
    found_ = scratch.Take<SwitchIndex>(bound);
    searches_ = 0;
    met_count_ = 0;
    for (const Destination& row : topology().destinations()) {
        if (row.at != kNoSwitch && !row.is_switch()) ++senders_[Raw(row.at)];
    }
    for (const SwitchIndex at : topology().switches_by_guid()) {
        if (topology().switch_row(at).is_home) ++senders_[Raw(at)];
    }
}

std::size_t MixedPaths::Follow(std::size_t lid, TrialGraph& graph) {
    lid_ = lid;
    home_ = task_.transition->HomeOf(lid);
    steps_ = 0;
    if (home_ == kNoSwitch) return steps_;
    FindChanged();
    if (changed_count_ == 0) return steps_;
    if (task_.hot.Has(lid)) FollowAs(Mix::kOldThenNew, graph);
    FollowAs(Mix::kAny, graph);
    return steps_;
}

/// Switches of which the LID's block differs, and the entry does.
void MixedPaths::FindChanged() {
    changed_count_ = 0;
    const std::size_t first = lid_ / 64 * task_.marks_per_block;
    const std::size_t end = first + topology().switch_bound();
    const auto words = task_.differing.words();
    for (std::size_t word = first / 64; word * 64 < end; ++word) {
        for (std::uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
            const std::size_t mark = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
            if (mark < first || mark >= end) continue;
            const auto at = static_cast<SwitchIndex>(mark - first);
            ++steps_;
            const bool differs =
                task_.transition->Present(at, lid_) != task_.transition->Planned(at, lid_);
            if (differs && topology().Has(at)) changed_[changed_count_++] = at;
        }
    }
}

void MixedPaths::FollowAs(Mix mix, TrialGraph& graph) {
    EMBER_ASSERT(met_count_ == 0);
    mix_ = mix;
    head_ = queued_ = 0;
    // Where much has changed, to follow everything costs less than to look for what comes by.
    const bool is_much = changed_count_ * kMuch > topology().switch_count();
    if (is_much) {
        for (const SwitchIndex at : topology().switches_by_guid()) {
            BeginAtSendersOf(at);
        }
    } else if (has_one_lane()) {
        BeginAtChanged();
    } else {
        BeginUpstream();
    }
    while (queued_ > 0) {
        const std::uint32_t number = queue_[head_];
        head_ = (head_ + 1) % queue_.size();
        --queued_;
        stands_[number].is_queued = false;
        const auto at = static_cast<SwitchIndex>(number / kLayers);
        const Moves moves = MovesOf(at, number % kLayers);
        for (std::size_t i = 0; i < moves.size(); ++i) {
            PassOn(at, moves[i], stands_[number].loads[i], graph);
        }
    }
    for (std::size_t i = 0; i < met_count_; ++i) {
        stands_[met_[i]] = Stand{};
    }
    met_count_ = 0;
}

/// On one lane the packets of all senders are alike: they begin at the changed entries, and at the
/// links by which some come there.
void MixedPaths::BeginAtChanged() {
    for (std::size_t i = 0; i < changed_count_; ++i) {
        const SwitchIndex at = changed_[i];
        if (!IsUsed(at)) continue;
        Send(at, kManagementPort, 1U);
        for (const Trunk& trunk : topology().trunks(at)) {
            BeginAlong(trunk.peer, trunk.peer_port);
        }
    }
}

/// The packets that go by a link, if some end port's do.
void MixedPaths::BeginAlong(SwitchIndex at, PortNumber port) {
    if (!MayLeadBy(at, port) || !IsUsed(at)) return;
    const Moves moves = MovesOf(at, 0);
    for (std::size_t move = 0; move < moves.size(); ++move) {
        if (moves[move].port == Raw(port)) Put(at, 0, move, 0, 1U);
    }
}

/// On several lanes those of a packet depend on where it came from.
void MixedPaths::BeginUpstream() {
    StartSearch();
    for (std::size_t i = 0; i < changed_count_; ++i) {
        Find(changed_[i]);
    }
    for (std::size_t i = 0; i < found_count_; ++i) {
        FindBehind(found_[i]);
        BeginAtSendersOf(found_[i]);
    }
}

/// The packets of end ports that begin at a switch.
void MixedPaths::BeginAtSendersOf(SwitchIndex at) {
    if (senders_[Raw(at)] == 0) return;
    if (has_one_lane()) {
        Send(at, kManagementPort, 1U);
        return;
    }
    const PacketSls::Target to{home_, static_cast<Lid>(lid_)};
    const PacketSls::Pair pair = sls_.PairOf(at, to);
    const bool is_home = topology().switch_row(at).is_home;
    const auto exits = topology().exits(at);
    for (std::size_t in = 0; in < exits.size(); ++in) {
        const auto port = static_cast<PortNumber>(in);
        const bool sends = in == 0 ? is_home : exits[in].destination != kNoDestination;
        if (sends) Send(at, port, sls_.Of(at, port, to, pair, false));
    }
}

/// Packets of these SLs come in by a port, and take each of the entries there.
void MixedPaths::Send(SwitchIndex at, PortNumber in, unsigned sls) {
    const Moves moves = MovesOf(at, 0);
    for (std::size_t move = 0; move < moves.size(); ++move) {
        if (moves[move].port == Transition::kDrop) continue;
        const LaneTurn turn{.at = at, .in = in, .out = static_cast<PortNumber>(moves[move].port)};
        for (unsigned rest = sls; rest != 0; rest &= rest - 1) {
            const auto sl = static_cast<std::uint8_t>(std::countr_zero(rest));
            Put(at, 0, move, sl, LanesAt(turn, sl));
        }
    }
}

void MixedPaths::Put(SwitchIndex at, std::size_t layer, std::size_t move, std::uint8_t sl,
                     unsigned lanes) {
    const std::size_t number = Raw(at) * kLayers + layer;
    Stand& stand = stands_[number];
    std::uint16_t& load = stand.loads[move][sl];
    if ((lanes & ~std::uint32_t{load}) == 0) return;
    load |= static_cast<std::uint16_t>(lanes);
    if (!stand.is_met) {
        stand.is_met = true;
        met_[met_count_++] = static_cast<std::uint32_t>(number);
    }
    if (stand.is_queued) return;
    stand.is_queued = true;
    EMBER_ASSERT(queued_ < queue_.size());
    queue_[(head_ + queued_) % queue_.size()] = static_cast<std::uint32_t>(number);
    ++queued_;
}

/// Packets that leave `at` by an entry arrive at the next switch, and wait for what its entries
/// lead to.
void MixedPaths::PassOn(SwitchIndex at, const Move& move, const Load& load, TrialGraph& graph) {
    if (move.port == Transition::kDrop) return;
    ++steps_;
    const std::size_t number = topology().switch_row(at).first_exit + std::size_t{move.port};
    const Exit& exit = topology().all_exits()[number];
    const Moves moves = MovesOf(exit.peer, move.layer);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        if (moves[i].port == Transition::kDrop) continue;
        const LaneTurn turn{
            .at = exit.peer, .in = exit.peer_port, .out = static_cast<PortNumber>(moves[i].port)};
        const std::size_t levels = has_one_lane() ? 1 : load.size();
        for (std::uint8_t sl = 0; sl < levels; ++sl) {
            if (load[sl] == 0) continue;
            const unsigned lanes = LanesAt(turn, sl);
            graph.Add(number, load[sl], moves[i].port, lanes);
            Put(exit.peer, move.layer, i, sl, lanes);
        }
    }
}

/// The entries that packets to the LID may meet at a switch and that lead to another one. Where the
/// LID is at home, that is none, or an old one.
MixedPaths::Moves MixedPaths::MovesOf(SwitchIndex at, std::size_t layer) const {
    const Transition& transition = *task_.transition;
    const std::uint8_t was = transition.Present(at, lid_);
    const std::uint8_t shall_be = transition.Planned(at, lid_);
    Moves moves;
    if (LeadsToSwitch(at, shall_be)) {
        const bool passes_new = mix_ == Mix::kOldThenNew && was != shall_be;
        moves[0] = {shall_be, static_cast<std::uint8_t>(passes_new ? 1 : layer)};
    }
    if (layer == 1 || was == shall_be || !LeadsToSwitch(at, was)) return moves;
    const bool may_stand =
        mix_ == Mix::kOldThenNew || !transition.LeadsAway(at, topology().exits(at)[was].peer, lid_);
    if (may_stand) moves[1] = {was, 0};
    return moves;
}

/// A bit each. While entries change, maps of before are still in force where a link has changed.
unsigned MixedPaths::LanesAt(const LaneTurn& turn, std::uint8_t sl) const {
    if (has_one_lane()) return 1U;
    const RoutingLanes& lanes = *task_.proved.lanes;
    const std::uint8_t of_link = topology().exit(turn.at, turn.out).lanes();
    unsigned found = 0;
    for (const RoutingLanes* const from : {&lanes, task_.proved.lanes_before}) {
        const std::uint8_t lane = from->lane_map.Of(turn, sl);
        if (lane < std::min(lanes.count, of_link)) found |= 1U << lane;
    }
    return found;
}

bool MixedPaths::LeadsToSwitch(SwitchIndex at, std::uint8_t port) const {
    const auto exits = topology().exits(at);
    return port < exits.size() && exits[port].peer != kNoSwitch;
}

bool MixedPaths::MayLeadBy(SwitchIndex at, PortNumber port) const {
    return task_.transition->Present(at, lid_) == Raw(port) ||
           task_.transition->Planned(at, lid_) == Raw(port);
}

/// Some end port's packets come by a switch, along old entries or new ones. Goes upstream until
/// one is met.
bool MixedPaths::IsUsed(SwitchIndex at) {
    StartSearch();
    Find(at);
    for (std::size_t i = 0; i < found_count_; ++i) {
        if (senders_[Raw(found_[i])] != 0) return true;
        FindBehind(found_[i]);
    }
    return false;
}

void MixedPaths::StartSearch() {
    found_count_ = 0;
    ++searches_;
}

void MixedPaths::Find(SwitchIndex at) {
    if (seen_[Raw(at)] == searches_) return;
    seen_[Raw(at)] = searches_;
    found_[found_count_++] = at;
}

/// Finds the switches whose packets come by `at` next.
void MixedPaths::FindBehind(SwitchIndex at) {
    for (const Trunk& trunk : topology().trunks(at)) {
        ++steps_;
        if (MayLeadBy(trunk.peer, trunk.peer_port)) Find(trunk.peer);
    }
}

}  // namespace ember
