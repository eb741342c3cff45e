// SPDX-License-Identifier: Apache-2.0
// EmberSM: exits for the LIDs that an LMC adds.

#include "engines/balance/further_lids.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void FurtherLids::Begin(LinkLoads& link_loads, ExitBlock& block, std::span<const SwitchIndex> rows,
                        Arena& scratch) {
    link_loads_ = &link_loads;
    block_ = &block;
    rows_ = rows;
    exits_ = {};
    next_ = 0;
    offset_ = 1;
    used_.fill(0);
    passed_ = scratch.Take<std::uint16_t>(link_loads.topology().switch_bound());
}

Progress FurtherLids::Advance() {
    const auto receivers = link_loads_->receivers();
    while (next_ < receivers.size() && offset_ >= 1U << receivers[next_].lmc) {
        ++next_;
        offset_ = 1;
    }
    if (next_ == receivers.size()) return Progress::kDone;

    const Receiver& receiver = receivers[next_];
    if (block_->Load(receiver.at) == Progress::kMore) return Progress::kMore;
    RouteLid(receiver);
    ++offset_;
    return Progress::kMore;
}

void FurtherLids::RouteLid(const Receiver& receiver) {
    const std::size_t lid = Raw(receiver.lid);
    const RoutingTask& task = link_loads_->task();
    for (const SwitchIndex here : link_loads_->topology().switches_by_guid()) {
        const auto row = task.tables.lfts[rows_[Raw(here)]];
        const auto ports = exits_.Read(block_->mask(here, receiver.at));
        if (ports.size() < 2) {
            row[lid + offset_] = row[lid];  // The only exit there is, or none.
        } else {
            row[lid + offset_] = Choose(here, ports, row.subspan(lid, offset_));
        }
    }
}

/// `earlier`: the exits of the port's LIDs before this one.
std::uint8_t FurtherLids::Choose(SwitchIndex here, std::span<const std::uint8_t> ports,
                                 std::span<const std::uint8_t> earlier) {
    const auto exits = link_loads_->topology().exits(here);
    for (const std::uint8_t port : earlier) {
        ++used_[port];
        ++passed_[Raw(exits[port].peer)];
    }
    const auto last = std::find(ports.begin(), ports.end(), earlier.back());
    EMBER_ASSERT(last != ports.end());
    auto turn = static_cast<std::size_t>(last - ports.begin());
    std::uint8_t best = kNoHops;
    std::uint32_t least = 0;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        turn = turn + 1 < ports.size() ? turn + 1 : 0;
        const std::uint8_t port = ports[turn];
        const std::uint32_t uses =
            std::uint32_t{passed_[Raw(exits[port].peer)]} << 16 | used_[port];
        if (best != kNoHops && uses >= least) continue;
        best = port;
        least = uses;
    }
    for (const std::uint8_t port : earlier) {
        used_[port] = 0;
        passed_[Raw(exits[port].peer)] = 0;
    }
    return best;
}

}  // namespace ember
