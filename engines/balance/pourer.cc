// SPDX-License-Identifier: Apache-2.0
// EmberSM: first exits, each switch taking turns with what flows through it.

#include "engines/balance/pourer.h"

#include <algorithm>
#include <limits>

#include "core/base/assert.h"

namespace ember {

void Pourer::Begin(Ledger& ledger, ExitBlock& block, bool is_regular, Arena& scratch) {
    ledger_ = &ledger;
    block_ = &block;
    exits_ = {};
    is_regular_ = is_regular;
    std::size_t most = 0;
    for (const Crowd& crowd : ledger.crowds()) {
        most = std::max<std::size_t>(most, crowd.count);
    }
    all_flows_ = scratch.Take<std::uint16_t>(ledger.topology().switch_bound() * most);
    const std::size_t bound = ledger.topology().switch_bound();
    gates_ = scratch.Take<std::uint16_t>(bound);
    ordered_ = scratch.Take<std::uint8_t>(ledger.topology().all_exits().size());
    ordered_of_ = scratch.Take<std::uint64_t>(bound * block.words());
    ordered_when_ = scratch.Take<std::uint32_t>(bound);
    age_ = 1;
}

void Pourer::Pour(std::size_t which) {
    const Crowd& crowd = ledger_->crowds()[which];
    crowd_ = which;
    count_ = crowd.count;
    flows_ = all_flows_.first(ledger_->topology().switch_bound() * count_);
    std::fill(flows_.begin(), flows_.end(), std::uint16_t{0});
    const auto order = block_->SortByDistance(crowd.at);
    FindGates(crowd.at, order);
    for (std::size_t i = order.size(); i > 0; --i) {
        PourAt(order[i - 1], crowd);
    }
    const auto row = ledger_->task().lfts[crowd.at].subspan(crowd.first, count_);
    for (std::size_t i = 0; i < count_; ++i) {
        row[i] = Raw(ledger_->receivers()[crowd.first + i].port);
    }
}

/// The first of the switches next to `to` through which each switch can reach it.
void Pourer::FindGates(SwitchIndex to, std::span<const SwitchIndex> order) {
    if (order.empty()) return;
    const auto hops = block_->hops(to);
    const std::uint8_t farthest = hops[Raw(order.back())];
    bool changes = false;
    for (const SwitchIndex here : order) {
        if (hops[Raw(here)] == farthest) break;  // There is nobody behind those.
        const auto exits = ledger_->topology().exits(here);
        std::uint16_t first = std::numeric_limits<std::uint16_t>::max();
        for (const std::uint8_t port : exits_.Read(block_->mask(here, to))) {
            const SwitchIndex peer = exits[port].peer;
            const std::uint16_t gate = peer == to ? ledger_->ranks()[Raw(here)] : gates_[Raw(peer)];
            first = std::min(first, gate);
        }
        changes = changes || gates_[Raw(here)] != first;
        gates_[Raw(here)] = first;
    }
    if (changes) ++age_;
}

/// The candidates, the preferred first. The same as for the crowd before, if those are the same and
/// no gate has changed.
std::span<const std::uint8_t> Pourer::InOrder(SwitchIndex here, SwitchIndex to) {
    const auto mask = block_->mask(here, to);
    const auto known = ordered_of_.subspan(Raw(here) * mask.size(), mask.size());
    const auto ports = exits_.ports();
    const auto ordered =
        ordered_.subspan(ledger_->topology().switch_row(here).first_exit, ports.size());
    const bool is_known =
        ordered_when_[Raw(here)] == age_ && std::equal(mask.begin(), mask.end(), known.begin());
    if (is_known) return ordered;
    std::copy(ports.begin(), ports.end(), ordered.begin());
    std::copy(mask.begin(), mask.end(), known.begin());
    ordered_when_[Raw(here)] = Sort(here, to, ordered) ? age_ : 0;
    return ordered;
}

/// Sorts candidates. False when one of them leads to `to` itself: that counts for this crowd only.
bool Pourer::Sort(SwitchIndex here, SwitchIndex to, std::span<std::uint8_t> ports) {
    const auto exits = ledger_->topology().exits(here);
    const std::span<const std::uint16_t> ranks = ledger_->ranks();
    bool holds = true;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const std::uint8_t port = ports[i];
        const SwitchIndex peer = exits[port].peer;
        holds = holds && peer != to;
        const std::uint32_t gate = peer == to ? 0 : gates_[Raw(peer)];
        const std::uint32_t key = gate << 16 | ranks[Raw(peer)];
        std::size_t place = i;
        for (; place > 0 && keys_[place - 1] > key; --place) {
            keys_[place] = keys_[place - 1];
            ports[place] = ports[place - 1];
        }
        keys_[place] = key;
        ports[place] = port;
    }
    return holds;
}

void Pourer::PourAt(SwitchIndex here, const Crowd& crowd) {
    Source source{.ports = exits_.Read(block_->mask(here, crowd.at)),
                  .flows = flows_.subspan(Raw(here) * std::size_t{count_}, count_),
                  .row = ledger_->task().lfts[here].subspan(crowd.first, count_),
                  .loads = ledger_->loads(here),
                  .exits = ledger_->topology().exits(here),
                  .own = ledger_->senders(here)};
    EMBER_ASSERT(!source.ports.empty());  // There is a way, so there is a first step.
    if (source.ports.size() == 1) return PourAll(source);

    std::size_t receivers = source.flows.size();  // Of those to which something flows.
    if (source.own == 0) {
        const auto idle = std::count(source.flows.begin(), source.flows.end(), std::uint16_t{0});
        if (idle > 0) GiveAny(source);
        receivers -= static_cast<std::size_t>(idle);
    }
    if (receivers == 0) return;
    source.ports = InOrder(here, crowd.at);
    // Turns begin anew with every crowd below a regular tree that narrows upwards: the cables down
    // to it are as unevenly used as those up, and random pairs meet less when both are the same.
    const bool narrows = is_regular_ && source.own != 0 && receivers >= source.ports.size();
    const std::size_t turn = narrows ? 0 : FirstTurn(receivers, source.ports.size());
    if (narrows && source.ports.size() == source.flows.size() &&
        std::all_of(source.flows.begin(), source.flows.end(),
                    [](auto flow) { return flow == 0; })) {
        PourEvenly(source);
    } else {
        PourEach(source, {.at = turn, .limit = narrows ? kNoLimit : 0});
    }
}

/// There is no choice.
void Pourer::PourAll(const Source& source) {
    const std::uint8_t port = source.ports[0];
    std::uint16_t* const next = &FlowAt(source.exits[port].peer, 0);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < source.flows.size(); ++i) {
        const auto flow = static_cast<std::uint16_t>(source.flows[i] + source.own);
        next[i] = static_cast<std::uint16_t>(next[i] + flow);
        sum += flow;
    }
    source.loads[port] += sum;
    std::fill(source.row.begin(), source.row.end(), port);
}

/// As PourEach(), where each candidate gets one receiver and has no other flow to pass on: that is
/// what the leaves of a full tree do, most of all there is to do.
void Pourer::PourEvenly(const Source& source) const {
    const Source from = source;  // A copy, as in PourEach().
    std::uint16_t* const next = flows_.data();
    const std::size_t count = count_;
    for (std::size_t i = 0; i < from.ports.size(); ++i) {
        const std::uint8_t port = from.ports[i];
        from.loads[port] += from.own;
        std::uint16_t& sum = next[Raw(from.exits[port].peer) * count + i];
        sum = static_cast<std::uint16_t>(sum + from.own);
    }
    std::copy(from.ports.begin(), from.ports.end(), from.row.begin());
}

/// Sends every flow through the candidate whose turn it is; or through the one with the least load,
/// if that one is so far behind that it is not because of turns which were not needed.
void Pourer::PourEach(const Source& source, Turn turn) {
    // Copies: writing an octet of the row could otherwise change any of them, for all the compiler
    // knows.
    const Source from = source;
    std::uint16_t* const next = flows_.data();
    const std::size_t count = count_;
    for (std::size_t i = 0; i < from.flows.size(); ++i) {
        const auto flow = static_cast<std::uint16_t>(from.flows[i] + from.own);
        if (flow == 0) continue;
        std::uint8_t port = from.ports[turn.at];
        turn.at = turn.at + 1 < from.ports.size() ? turn.at + 1 : 0;
        if (from.loads[port] > turn.limit) {
            const std::uint8_t emptiest = Emptiest(from);
            turn.limit = from.loads[emptiest] + kTurnsBehind * flow;
            if (from.loads[port] > turn.limit) port = emptiest;
        }
        from.row[i] = port;
        from.loads[port] += flow;
        std::uint16_t& sum = next[Raw(from.exits[port].peer) * count + i];
        sum = static_cast<std::uint16_t>(sum + flow);
    }
}

std::uint8_t Pourer::Emptiest(const Source& source) {
    std::uint8_t emptiest = source.ports[0];
    for (const std::uint8_t port : source.ports) {
        if (source.loads[port] < source.loads[emptiest]) emptiest = port;
    }
    return emptiest;
}

/// Nothing flows here, so any candidate will do; turns, so that no port stands out.
void Pourer::GiveAny(const Source& source) const {
    const auto ports = source.ports;  // Copies, as in PourEach().
    const auto row = source.row;
    std::size_t turn = FirstTurn(1, ports.size());
    for (std::uint8_t& exit : row) {
        exit = ports[turn];
        turn = turn + 1 < ports.size() ? turn + 1 : 0;
    }
}

}  // namespace ember
