// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is to be balanced: who hangs where, and what every cable carries.

#include "engines/balance/ledger.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void Ledger::Begin(const RoutingTask& task, Matrix<SwitchIndex, const std::uint8_t> hops) {
    const Topology& here = *task.topology;
    Arena& scratch = *task.scratch;
    task_ = task;
    receiver_count_ = 0;
    crowd_count_ = 0;
    receivers_ = scratch.Take<Receiver>(here.destinations().size());
    crowds_ = scratch.Take<Crowd>(here.switch_count());
    senders_ = scratch.Take<std::uint16_t>(here.switch_bound());
    ranks_ = scratch.Take<std::uint16_t>(here.switch_bound());
    loads_ = scratch.Take<std::uint32_t>(here.all_exits().size());
    const auto switches = scratch.Take<SwitchIndex>(here.switch_count());
    for (const Destination& destination : here.destinations()) {
        if (destination.at == kNoSwitch || destination.is_switch()) continue;
        ++senders_[Raw(destination.at)];
    }

    SortByNumber(here, switches, scratch);
    for (std::size_t i = 0; i < switches.size(); ++i) {
        ranks_[Raw(switches[i])] = static_cast<std::uint16_t>(i);
    }
    const auto crowded = std::remove_if(switches.begin(), switches.end(),
                                        [this](SwitchIndex at) { return senders_[Raw(at)] == 0; });
    crowd_order_.Begin(switches.first(static_cast<std::size_t>(crowded - switches.begin())), hops);
}

Progress Ledger::Advance() {
    const Progress progress = crowd_order_.Advance([this](SwitchIndex at) { AddReceivers(at); });
    if (progress == Progress::kMore) return progress;

    crowds_ = crowds_.first(crowd_count_);
    end_receivers_ = receiver_count_;
    for (const Destination& destination : topology().destinations()) {
        if (!destination.is_switch()) continue;
        receivers_[receiver_count_++] = {.lid = destination.lid,
                                         .at = destination.at,
                                         .port = kManagementPort,
                                         .lmc = destination.lmc};
    }
    receivers_ = receivers_.first(receiver_count_);
    return Progress::kDone;
}

void Ledger::AddReceivers(SwitchIndex at) {
    Crowd& crowd = crowds_[crowd_count_++];
    crowd = {.at = at, .first = static_cast<std::uint32_t>(receiver_count_), .count = 0};
    for (const Exit& exit : topology().exits(at)) {
        if (exit.destination == kNoDestination) continue;
        const Destination& destination = topology().destination(exit.destination);
        if (destination.is_switch()) continue;
        receivers_[receiver_count_++] = {
            .lid = destination.lid, .at = at, .port = destination.port, .lmc = destination.lmc};
        ++crowd.count;
    }
    EMBER_ASSERT(crowd.count == senders_[Raw(at)]);
}

}  // namespace ember
