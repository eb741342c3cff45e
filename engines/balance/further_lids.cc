// SPDX-License-Identifier: Apache-2.0
// EmberSM: exits for the LIDs that an LMC adds.

#include "engines/balance/further_lids.h"

#include <algorithm>
#include <tuple>

#include "core/base/assert.h"

namespace ember {

void FurtherLids::Begin(Ledger& ledger, ExitBlock& block, Arena& scratch) {
    ledger_ = &ledger;
    block_ = &block;
    sorted_for_ = kNoSwitch;
    next_ = 0;
    offset_ = 1;
    used_.fill(0);
    flows_ = scratch.Take<std::uint16_t>(ledger.topology().switch_bound());
    passed_ = scratch.Take<std::uint16_t>(ledger.topology().switch_bound());
}

Progress FurtherLids::Advance() {
    const auto receivers = ledger_->receivers();
    while (next_ < receivers.size() && offset_ >= 1U << receivers[next_].lmc) {
        ++next_;
        offset_ = 1;
    }
    if (next_ == receivers.size()) return Progress::kDone;

    const Receiver& receiver = receivers[next_];
    if (block_->Load(receiver.at) == Progress::kMore) return Progress::kMore;
    if (receiver.at != sorted_for_) {
        order_ = block_->SortByDistance(receiver.at);
        sorted_for_ = receiver.at;
    }
    RouteLid(receiver);
    ++offset_;
    return Progress::kMore;
}

void FurtherLids::RouteLid(const Receiver& receiver) {
    const std::size_t lid = Raw(receiver.lid);
    const bool flows = !(receiver.port == kManagementPort);
    flows_[Raw(receiver.at)] = 0;
    for (const SwitchIndex at : order_) {
        flows_[Raw(at)] = flows ? ledger_->senders(at) : std::uint16_t{0};
    }
    for (std::size_t i = order_.size(); i > 0; --i) {
        const SwitchIndex here = order_[i - 1];
        const auto row = ledger_->task().lfts[here];
        const auto ports = exits_.Read(block_->mask(here, receiver.at));
        const std::uint16_t flow = flows_[Raw(here)];
        std::uint8_t port = ports[(next_ + offset_) % ports.size()];
        if (flow != 0 && ports.size() > 1) port = Choose(here, row.subspan(lid, offset_));
        row[lid + offset_] = port;
        if (flow == 0) continue;
        ledger_->loads(here)[port] += flow;
        std::uint16_t& next = flows_[Raw(ledger_->topology().exits(here)[port].peer)];
        next = static_cast<std::uint16_t>(next + flow);
    }
    ledger_->task().lfts[receiver.at][lid + offset_] = Raw(receiver.port);
}

/// `earlier`: the exits of the port's LIDs before this one. exits_ holds the candidates.
std::uint8_t FurtherLids::Choose(SwitchIndex here, std::span<const std::uint8_t> earlier) {
    const auto exits = ledger_->topology().exits(here);
    const auto loads = ledger_->loads(here);
    for (const std::uint8_t port : earlier) {
        ++used_[port];
        ++passed_[Raw(exits[port].peer)];
    }
    using Merit = std::tuple<std::uint16_t, std::uint16_t, std::uint32_t>;
    std::uint8_t best = kNoHops;
    Merit least;
    for (const std::uint8_t port : exits_.ports()) {
        const Merit merit{passed_[Raw(exits[port].peer)], used_[port], loads[port]};
        if (best != kNoHops && merit >= least) continue;
        best = port;
        least = merit;
    }
    for (const std::uint8_t port : earlier) {
        used_[port] = 0;
        passed_[Raw(exits[port].peer)] = 0;
    }
    EMBER_ASSERT(best != kNoHops);
    return best;
}

}  // namespace ember
