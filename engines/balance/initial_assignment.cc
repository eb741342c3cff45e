// SPDX-License-Identifier: Apache-2.0
// EmberSM: first exits, each switch taking its candidates in turn.

#include "engines/balance/initial_assignment.h"

#include <algorithm>
#include <limits>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::size_t kAhead = 8;  // Masks asked for before they are read.

}  // namespace

void InitialAssignment::Begin(LinkLoads& link_loads, ExitBlock& block, bool is_regular,
                              Arena& scratch) {
    link_loads_ = &link_loads;
    block_ = &block;
    exits_ = {};
    is_regular_ = is_regular;
    std::size_t most = 0;
    for (const LeafSwitch& leaf : link_loads.leaves()) {
        most = std::max<std::size_t>(most, leaf.count);
    }
    all_flows_ = scratch.Take<std::uint16_t>(link_loads.topology().switch_bound() * most);
    const std::size_t bound = link_loads.topology().switch_bound();
    penultimate_ = scratch.Take<std::uint16_t>(bound);
    ordered_ = scratch.Take<std::uint8_t>(link_loads.topology().all_exits().size());
    ordered_of_ = scratch.Take<std::uint64_t>(bound * block.words());
    ordered_when_ = scratch.Take<std::uint32_t>(bound);
    generation_ = 1;
    rows_.Begin(link_loads.topology(), link_loads.task().tables.lfts, scratch);
}

void InitialAssignment::Assign(std::size_t leaf) {
    const LeafSwitch& to = link_loads_->leaves()[leaf];
    leaf_ = leaf;
    count_ = to.count;
    flows_ = all_flows_.first(link_loads_->topology().switch_bound() * count_);
    std::fill(flows_.begin(), flows_.end(), std::uint16_t{0});
    const auto order = block_->SortByDistance(to.at);
    FindPenultimate(to.at, order);
    rows_.Open(to.first, to.count);
    for (std::size_t i = order.size(); i > 0; --i) {
        const SwitchIndex soon = order[i - 1 - std::min(kAhead, i - 1)];
        __builtin_prefetch(block_->mask(soon, to.at).data());
        AssignAt(order[i - 1], to);
    }
    const auto row = rows_.Row(to.at);
    for (std::size_t i = 0; i < count_; ++i) {
        row[i] = Raw(link_loads_->receivers()[to.first + i].port);
    }
}

/// Finds, for each switch, the first by GUID of the switches next to `to` through which it can
/// reach `to`.
void InitialAssignment::FindPenultimate(SwitchIndex to, std::span<const SwitchIndex> order) {
    if (order.empty()) return;
    const auto hops = block_->hops(to);
    const std::uint8_t farthest = hops[Raw(order.back())];
    bool changes = false;
    for (const SwitchIndex here : order) {
        if (hops[Raw(here)] == farthest) break;  // No switch is behind those.
        const auto exits = link_loads_->topology().exits(here);
        std::uint16_t first = std::numeric_limits<std::uint16_t>::max();
        for (const std::uint8_t port : exits_.Read(block_->mask(here, to))) {
            const SwitchIndex peer = exits[port].peer;
            const std::uint16_t last =
                peer == to ? link_loads_->ranks()[Raw(here)] : penultimate_[Raw(peer)];
            first = std::min(first, last);
        }
        changes = changes || penultimate_[Raw(here)] != first;
        penultimate_[Raw(here)] = first;
    }
    if (changes) ++generation_;
}

/// The candidates, the preferred first: in the order kept from the leaf before, if the candidates
/// are the same and penultimate_ has not changed.
std::span<const std::uint8_t> InitialAssignment::ByPreference(SwitchIndex here, SwitchIndex to) {
    const auto mask = block_->mask(here, to);
    const auto known = ordered_of_.subspan(Raw(here) * mask.size(), mask.size());
    const auto ports = exits_.ports();
    const auto ordered =
        ordered_.subspan(link_loads_->topology().switch_row(here).first_exit, ports.size());
    const bool is_known = ordered_when_[Raw(here)] == generation_ &&
                          std::equal(mask.begin(), mask.end(), known.begin());
    if (is_known) return ordered;
    std::copy(ports.begin(), ports.end(), ordered.begin());
    std::copy(mask.begin(), mask.end(), known.begin());
    ordered_when_[Raw(here)] = Sort(here, to, ordered) ? generation_ : 0;
    return ordered;
}

/// Sorts candidates. False when one of them leads to `to` itself: such an order serves this leaf
/// only.
bool InitialAssignment::Sort(SwitchIndex here, SwitchIndex to, std::span<std::uint8_t> ports) {
    const auto exits = link_loads_->topology().exits(here);
    const std::span<const std::uint16_t> ranks = link_loads_->ranks();
    bool holds = true;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const std::uint8_t port = ports[i];
        const SwitchIndex peer = exits[port].peer;
        holds = holds && peer != to;
        const std::uint32_t last = peer == to ? 0 : penultimate_[Raw(peer)];
        const std::uint32_t key = last << 16 | ranks[Raw(peer)];
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

void InitialAssignment::AssignAt(SwitchIndex here, const LeafSwitch& leaf) {
    Source source{.ports = exits_.Read(block_->mask(here, leaf.at)),
                  .flows = flows_.subspan(Raw(here) * std::size_t{count_}, count_),
                  .row = rows_.Row(here),
                  .loads = link_loads_->loads(here),
                  .exits = link_loads_->topology().exits(here),
                  .own = link_loads_->senders(here)};
    EMBER_ASSERT(!source.ports.empty());  // There is a path, so there is a first step.
    if (source.ports.size() == 1) return AssignOnlyExit(source);

    std::size_t receivers = source.flows.size();  // With a flow to them.
    if (source.own == 0) {
        const auto idle = std::count(source.flows.begin(), source.flows.end(), std::uint16_t{0});
        if (idle > 0) AssignWithoutFlow(source);
        receivers -= static_cast<std::size_t>(idle);
    }
    if (receivers == 0) return;
    source.ports = ByPreference(here, leaf.at);
    // Below a regular tree that narrows upwards, turns begin anew with every leaf: the links down
    // to the leaf are as unevenly used as those up, and random pairs share fewer links when both
    // are the same.
    const bool narrows = is_regular_ && source.own != 0 && receivers >= source.ports.size();
    const std::size_t turn = narrows ? 0 : FirstTurn(receivers, source.ports.size());
    if (narrows && source.ports.size() == source.flows.size() &&
        std::all_of(source.flows.begin(), source.flows.end(),
                    [](auto flow) { return flow == 0; })) {
        AssignOneEach(source);
    } else {
        AssignInTurn(source, {.at = turn, .limit = narrows ? kNoLimit : 0});
    }
}

/// Where there is one candidate.
void InitialAssignment::AssignOnlyExit(const Source& source) {
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

/// As AssignInTurn(), where each candidate gets one receiver and no flow of others: the case of the
/// leaf switches of a full tree, which is most of the work.
void InitialAssignment::AssignOneEach(const Source& source) const {
    const Source from = source;  // A copy, as in AssignInTurn().
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

/// Sends every flow through the next candidate; or through the one with the least load, if its load
/// is so much lower that turns that were not needed do not explain it.
void InitialAssignment::AssignInTurn(const Source& source, Turn turn) {
    // A copy: the compiler must otherwise assume that writing an octet of the row changes any of
    // them.
    const Source from = source;
    std::uint16_t* const next = flows_.data();
    const std::size_t count = count_;
    for (std::size_t i = 0; i < from.flows.size(); ++i) {
        const auto flow = static_cast<std::uint16_t>(from.flows[i] + from.own);
        if (flow == 0) continue;
        std::uint8_t port = from.ports[turn.at];
        turn.at = turn.at + 1 < from.ports.size() ? turn.at + 1 : 0;
        if (from.loads[port] > turn.limit) {
            const std::uint8_t least = LeastLoaded(from);
            turn.limit = from.loads[least] + kTurnsBehind * flow;
            if (from.loads[port] > turn.limit) port = least;
        }
        from.row[i] = port;
        from.loads[port] += flow;
        std::uint16_t& sum = next[Raw(from.exits[port].peer) * count + i];
        sum = static_cast<std::uint16_t>(sum + flow);
    }
}

std::uint8_t InitialAssignment::LeastLoaded(const Source& source) {
    std::uint8_t least = source.ports[0];
    for (const std::uint8_t port : source.ports) {
        if (source.loads[port] < source.loads[least]) least = port;
    }
    return least;
}

/// For receivers without a flow any candidate will do; turns are taken so that no port has many of
/// them.
void InitialAssignment::AssignWithoutFlow(const Source& source) const {
    const std::size_t turns = source.ports.size();
    std::size_t turn = FirstTurn(1, turns);
    for (std::size_t i = 0; i < source.row.size();) {
        const std::size_t count = std::min(turns - turn, source.row.size() - i);
        std::copy_n(&source.ports[turn], count, &source.row[i]);
        i += count;
        turn = 0;
    }
}

}  // namespace ember
