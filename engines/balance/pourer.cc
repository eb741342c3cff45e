// SPDX-License-Identifier: Apache-2.0
// EmberSM: first exits, each switch taking turns with what flows through it.

#include "engines/balance/pourer.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void Pourer::Begin(Ledger& ledger, ExitBlock& block, Arena& scratch) {
    ledger_ = &ledger;
    block_ = &block;
    std::size_t most = 0;
    for (const Crowd& crowd : ledger.crowds()) {
        most = std::max<std::size_t>(most, crowd.count);
    }
    all_flows_ = scratch.Take<std::uint16_t>(ledger.topology().switch_bound() * most);
}

void Pourer::Pour(std::size_t which) {
    const Crowd& crowd = ledger_->crowds()[which];
    crowd_ = which;
    count_ = crowd.count;
    flows_ = all_flows_.first(ledger_->topology().switch_bound() * count_);
    std::fill(flows_.begin(), flows_.end(), std::uint16_t{0});
    const auto order = block_->SortByDistance(crowd.at);
    for (std::size_t i = order.size(); i > 0; --i) {
        PourAt(order[i - 1], crowd);
    }
    const auto row = ledger_->task().lfts[crowd.at].subspan(crowd.first, count_);
    for (std::size_t i = 0; i < count_; ++i) {
        row[i] = Raw(ledger_->receivers()[crowd.first + i].port);
    }
}

void Pourer::PourAt(SwitchIndex here, const Crowd& crowd) {
    const Source source{.ports = exits_.Read(block_->mask(here, crowd.at)),
                        .flows = flows_.subspan(Raw(here) * std::size_t{count_}, count_),
                        .row = ledger_->task().lfts[here].subspan(crowd.first, count_),
                        .loads = ledger_->loads(here),
                        .exits = ledger_->topology().exits(here),
                        .own = ledger_->senders(here)};
    EMBER_ASSERT(!source.ports.empty());  // There is a way, so there is a first step.
    if (source.ports.size() == 1) return PourAll(source);

    std::uint16_t any = 0;
    for (const std::uint16_t flow : source.flows) {
        any = static_cast<std::uint16_t>(any | flow);
    }
    if (any != 0) return PourEach(source);
    source.own != 0 ? PourEvenly(source) : GiveAny(source);
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

/// Every receiver gets the same. All candidates with the least load take one each, then all that
/// have the next load.
void Pourer::PourEvenly(const Source& source) {
    std::size_t receiver = 0;
    while (receiver < source.row.size()) {  // Each turn gives to one at least.
        std::uint32_t least = source.loads[source.ports[0]];
        for (const std::uint8_t port : source.ports) {
            least = std::min(least, source.loads[port]);
        }
        for (const std::uint8_t port : source.ports) {
            if (source.loads[port] != least) continue;
            if (receiver == source.row.size()) return;
            source.row[receiver] = port;
            source.loads[port] += source.own;
            std::uint16_t& flow = FlowAt(source.exits[port].peer, receiver++);
            flow = static_cast<std::uint16_t>(flow + source.own);
        }
    }
}

void Pourer::PourEach(const Source& source) {
    GiveAny(source);
    for (std::size_t i = 0; i < source.flows.size(); ++i) {
        const auto flow = static_cast<std::uint16_t>(source.flows[i] + source.own);
        if (flow == 0) continue;
        std::uint8_t best = source.ports[0];
        std::uint32_t least = source.loads[best];
        for (const std::uint8_t port : source.ports.subspan(1)) {
            if (source.loads[port] >= least) continue;
            best = port;
            least = source.loads[port];
        }
        source.row[i] = best;
        source.loads[best] += flow;
        std::uint16_t& next = FlowAt(source.exits[best].peer, i);
        next = static_cast<std::uint16_t>(next + flow);
    }
}

/// Nothing flows here, so any candidate will do; turns, so that no port stands out.
void Pourer::GiveAny(const Source& source) const {
    std::size_t turn = crowd_ % source.ports.size();
    for (std::uint8_t& exit : source.row) {
        exit = source.ports[turn];
        turn = turn + 1 < source.ports.size() ? turn + 1 : 0;
    }
}

}  // namespace ember
