// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routes as OpenSM finds them, on any fabric.

#include "engines/up_down/queue_search.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

namespace {

constexpr std::size_t OctetsOf(const RoutingSwitch& row) {
    return (row.port_count + std::size_t{7}) / 8;
}

}  // namespace

void QueueSearch::Begin(const Case& given) {
    const Topology& topology = *given.task.topology;
    Arena& scratch = *given.task.scratch;
    const std::size_t exits = topology.all_exits().size();
    case_ = given;
    id_ = scratch.Take<std::uint64_t>(topology.switch_bound());
    steps_ = scratch.Take<Step>(exits);
    const std::span<const HopWeight> no_lines;
    weights_.Begin(topology,
                   given.turns.free_roots ? given.task.options->tables.hop_weights : no_lines,
                   scratch);
    port_hops_ = scratch.Take<std::uint8_t>(exits);
    reached_ = scratch.Take<Reached>(topology.switch_bound());
    queue_ = scratch.Take<SwitchIndex>(topology.switch_bound());
    first_octet_ = scratch.Take<std::uint32_t>(topology.switch_bound());
    is_at_destination_ = false;
    of_ = scratch.Take<std::span<std::uint8_t>>(HopStride(topology.switch_bound()) / kColumns);
    octets_ = 0;
    for (std::size_t i = 0; i < topology.switch_bound(); ++i) {
        first_octet_[i] = static_cast<std::uint32_t>(octets_);
        const auto at = static_cast<SwitchIndex>(i);
        if (topology.Has(at)) octets_ += OctetsOf(topology.switch_row(at));
    }
    most_hops_ = 0;
    price_ = 0;
    to_ = 0;
    phase_ = Phase::kSteps;
}

Progress QueueSearch::Advance() {
    switch (phase_) {
        case Phase::kSteps:
            NumberSwitches(case_.task, id_);
            CollectSteps();
            phase_ = Phase::kStart;
            break;
        case Phase::kStart:
        case Phase::kSearch:
            GoOn();
            break;
        case Phase::kDone:
            break;
    }
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

/// A link from a switch to itself is followed too: OpenSM does so, and it makes a difference.
void QueueSearch::CollectSteps() {
    const Topology& topology = *case_.task.topology;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const std::size_t first = topology.switch_row(at).first_exit;
        const auto exits = topology.exits(at);
        for (std::size_t port = 0; port < exits.size(); ++port) {
            const Exit& exit = exits[port];
            if (exit.peer == kNoSwitch) continue;
            const std::uint32_t far =
                topology.switch_row(exit.peer).first_exit + Raw(exit.peer_port);
            steps_[first + port] = {.far_exit = far,
                                    .peer = exit.peer,
                                    .turn = static_cast<std::uint8_t>(TurnOf(at, exit.peer))};
        }
    }
}

QueueSearch::Turn QueueSearch::TurnOf(SwitchIndex from, SwitchIndex to) const {
    const std::uint16_t here = case_.levels->level(from);
    const std::uint16_t there = case_.levels->level(to);
    if (case_.rule == UpDownRule::kFromLeaves) {
        if (here == there) return Turn::kLevel;
        return there > here ? Turn::kUp : Turn::kDown;
    }
    if (here != there) return there < here ? Turn::kUp : Turn::kDown;
    return here == 0 || id_[Raw(from)] > id_[Raw(to)] ? Turn::kUp : Turn::kDown;
}

/// As many steps as fit into a slice, and the rest of the switch at work.
void QueueSearch::GoOn() {
    is_at_destination_ = false;
    for (std::size_t steps = 0; steps < kStepsPerSlice && phase_ != Phase::kDone;) {
        if (is_at_destination_) return;
        if (phase_ == Phase::kStart) {
            Start();
            steps += port_hops_.size() / 8;  // Octets are written faster than steps are taken.
        } else if (waiting_ > 0) {
            steps += TakeNext();
        } else {
            Finish();
            steps += port_hops_.size() / 2;
        }
    }
}

/// Begins with the next destination, or the next pass, if there is one.
void QueueSearch::Start() {
    const Topology& topology = *case_.task.topology;
    while (to_ < topology.switch_bound() && !topology.Has(static_cast<SwitchIndex>(to_))) {
        ++to_;
    }
    if (to_ == topology.switch_bound()) {
        if (!case_.turns.priced_turns || price_ != 0) {
            phase_ = Phase::kDone;
            return;
        }
        price_ = most_hops_ + 1;
        to_ = 0;
        return;
    }
    std::fill(port_hops_.begin(), port_hops_.end(), kNoHops);
    std::fill(reached_.begin(), reached_.end(), Reached{});
    head_ = 0;
    waiting_ = 0;
    const auto to = static_cast<SwitchIndex>(to_);
    if (case_.turns.free_roots && case_.levels->level(to) == 0) KeepShortest();
    reached_[to_].hops = 0;
    Join(to, Turn::kUp);
    phase_ = Phase::kSearch;
}

/// Every port keeps the shortest path over it, by weight.
void QueueSearch::KeepShortest() {
    const Topology& topology = *case_.task.topology;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const auto trunks = topology.trunks(at);
        for (std::size_t row = 0; row < trunks.size(); ++row) {
            const std::size_t exit = topology.switch_row(at).first_exit + Raw(trunks[row].port);
            const std::uint32_t weight = weights_.empty() ? 1 : weights_.of(at)[row];
            const std::uint32_t hops = case_.task.hops[trunks[row].peer][to_] + weight;
            if (hops >= kNoHops) continue;
            port_hops_[exit] = static_cast<std::uint8_t>(hops);
            std::uint8_t& least = reached_[Raw(at)].hops;
            least = std::min(least, port_hops_[exit]);
        }
    }
}

void QueueSearch::Join(SwitchIndex at, Turn by) {
    Reached& row = reached_[Raw(at)];
    if (row.is_waiting) return;
    row.by = by;
    row.is_waiting = true;
    const std::size_t tail = head_ + waiting_++;
    queue_[tail < queue_.size() ? tail : tail - queue_.size()] = at;
}

/// Lets the next switch of the queue make its offers. Returns how many ports were looked at.
std::size_t QueueSearch::TakeNext() {
    const RoutingSwitch& here = case_.task.topology->switch_row(queue_[head_]);
    Reached& row = reached_[Raw(queue_[head_])];
    head_ = head_ + 1 < queue_.size() ? head_ + 1 : 0;
    --waiting_;
    row.is_waiting = false;
    const Turn by = row.by;  // A link to itself may change it.
    const std::uint32_t hops = row.hops + 1U;
    for (const Step& step : steps_.subspan(here.first_exit + std::size_t{1}, here.port_count)) {
        if (step.peer == kNoSwitch) continue;
        const bool is_forbidden = by == Turn::kDown && static_cast<Turn>(step.turn) == Turn::kUp;
        if (!is_forbidden) {
            Offer(step, hops);
        } else if (price_ != 0 && hops + price_ <= kMostPriced) {
            Offer(step, hops + price_);
        }
    }
    return here.port_count;
}

/// Each port takes fewer than 255 offers, as each is less than the one before: the search ends.
void QueueSearch::Offer(const Step& step, std::uint32_t hops) {
    std::uint8_t& kept = port_hops_[step.far_exit];
    if (hops >= kept) return;
    kept = static_cast<std::uint8_t>(hops);
    most_hops_ = std::max(most_hops_, hops);
    Reached& row = reached_[Raw(step.peer)];
    row.hops = std::min(row.hops, kept);
    Join(step.peer, static_cast<Turn>(step.turn));
}

/// Keeps what was found for this destination.
void QueueSearch::Finish() {
    const Topology& topology = *case_.task.topology;
    phase_ = Phase::kStart;
    const std::size_t column = to_++;
    if (case_.turns.priced_turns && price_ == 0)
        return;  // Only most_hops_ counts in the first pass.
    is_at_destination_ = case_.stops;
    if (is_at_destination_) return;

    std::span<std::uint8_t>& batch = of_[column / kColumns];
    if (batch.empty()) batch = case_.task.scratch->Take<std::uint8_t>(octets_ * kColumns);
    for (const SwitchIndex at : topology.switches_by_guid()) {
        case_.hops[at][column] = reached_[Raw(at)].hops;
        if (Raw(at) == column || reached_[Raw(at)].hops == kNoHops) continue;
        const std::size_t octets = OctetsOf(topology.switch_row(at));
        const std::size_t first = first_octet_[Raw(at)] * kColumns + column % kColumns * octets;
        KeepCandidates(at, batch.subspan(first, octets));
    }
}

void QueueSearch::KeepCandidates(SwitchIndex here, std::span<std::uint8_t> octets) const {
    const std::size_t first = case_.task.topology->switch_row(here).first_exit;
    const std::uint8_t least = reached_[Raw(here)].hops;
    for (const Trunk& trunk : case_.task.topology->trunks(here)) {
        if (port_hops_[first + Raw(trunk.port)] != least) continue;
        const std::size_t bit = Raw(trunk.port) - std::size_t{1};
        octets[bit / 8] = static_cast<std::uint8_t>(octets[bit / 8] | 1U << (bit % 8));
    }
}

void QueueSearch::Find(SwitchIndex here, std::size_t first, std::size_t words,
                       std::span<std::uint64_t> masks) const {
    std::fill(masks.begin(), masks.end(), 0);
    const std::span<const std::uint8_t> batch = of_[first / kColumns];
    if (batch.empty()) return;
    const std::size_t octets = OctetsOf(case_.task.topology->switch_row(here));
    const auto mine = batch.subspan(first_octet_[Raw(here)] * kColumns, octets * kColumns);
    for (std::size_t i = 0; i < kColumns; ++i) {
        for (std::size_t octet = 0; octet < octets; ++octet) {
            masks[i * words + octet / 8] |= std::uint64_t{mine[i * octets + octet]}
                                            << (octet % 8 * 8);
        }
    }
}

}  // namespace ember
