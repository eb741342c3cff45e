// SPDX-License-Identifier: Apache-2.0
// EmberSM: the traffic that is to be balanced, and what every link carries of it.

#include "engines/balance/link_loads.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void LinkLoads::Begin(const RoutingTask& task, Matrix<SwitchIndex, const std::uint8_t> hops) {
    const Topology& here = *task.topology;
    Arena& scratch = *task.scratch;
    task_ = task;
    turns_ = HostTurns(here, task.options->tables);
    receiver_count_ = 0;
    leaf_count_ = 0;
    receivers_ = scratch.Take<Receiver>(here.destinations().size());
    leaves_ = scratch.Take<LeafSwitch>(here.switch_count());
    senders_ = scratch.Take<std::uint16_t>(here.switch_bound());
    ranks_ = scratch.Take<std::uint16_t>(here.switch_bound());
    loads_ = scratch.Take<std::uint32_t>(here.all_exits().size());
    const auto switches = scratch.Take<SwitchIndex>(here.switch_count());
    for (const Destination& destination : here.destinations()) {
        if (turns_.Of(destination) != HostTurn::kNone) ++senders_[Raw(destination.at)];
    }

    SortByNumber(here, switches, scratch);
    for (std::size_t i = 0; i < switches.size(); ++i) {
        ranks_[Raw(switches[i])] = static_cast<std::uint16_t>(i);
    }
    const auto leaves_end =
        std::remove_if(switches.begin(), switches.end(),
                       [this](SwitchIndex at) { return senders_[Raw(at)] == 0; });
    leaf_order_.Begin(switches.first(static_cast<std::size_t>(leaves_end - switches.begin())),
                      hops);
}

Progress LinkLoads::Advance() {
    const Progress progress = leaf_order_.Advance([this](SwitchIndex at) { AddReceivers(at); });
    if (progress == Progress::kMore) return progress;

    leaves_ = leaves_.first(leaf_count_);
    end_receivers_ = receiver_count_;
    for (const Destination& destination : topology().destinations()) {
        if (!destination.is_switch()) continue;
        receivers_[receiver_count_++] = {.lid = destination.lid,
                                         .at = destination.at,
                                         .port = kManagementPort,
                                         .lmc = destination.lmc};
    }
    switch_receivers_end_ = receiver_count_;
    for (const Destination& destination : topology().destinations()) {
        if (destination.is_switch() || destination.at == kNoSwitch) continue;
        if (turns_.Of(destination) != HostTurn::kNone) continue;
        receivers_[receiver_count_++] = {.lid = destination.lid,
                                         .at = destination.at,
                                         .port = destination.port,
                                         .lmc = destination.lmc};
    }
    receivers_ = receivers_.first(receiver_count_);
    return Progress::kDone;
}

void LinkLoads::AddReceivers(SwitchIndex at) {
    LeafSwitch& leaf = leaves_[leaf_count_++];
    leaf = {.at = at, .first = static_cast<std::uint32_t>(receiver_count_), .count = 0};
    for (const HostTurn turn : HostTurns::kTurns) {
        if (leaf.count == senders_[Raw(at)]) break;
        AddReceivers(leaf, turn);
    }
    EMBER_ASSERT(leaf.count == senders_[Raw(at)]);
}

void LinkLoads::AddReceivers(LeafSwitch& leaf, HostTurn turn) {
    for (const Exit& exit : topology().exits(leaf.at)) {
        if (exit.destination == kNoDestination) continue;
        const Destination& destination = topology().destination(exit.destination);
        if (turns_.Of(destination) != turn) continue;
        receivers_[receiver_count_++] = {.lid = destination.lid,
                                         .at = leaf.at,
                                         .port = destination.port,
                                         .lmc = destination.lmc};
        ++leaf.count;
    }
}

}  // namespace ember
