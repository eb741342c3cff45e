// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is to be balanced: who hangs where, and what every cable carries.

#include "engines/balance/ledger.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

namespace {

/// Crowds that one slice places at most, counted as looks at those that wait.
constexpr std::size_t kLooksPerSlice = 1 << 17;

}  // namespace

void Ledger::Begin(const RoutingTask& task, Matrix<SwitchIndex, const std::uint8_t> hops) {
    const Topology& here = *task.topology;
    Arena& scratch = *task.scratch;
    task_ = task;
    hops_ = hops;
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

    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(here.switch_count());
    std::copy(here.switches_by_guid().begin(), here.switches_by_guid().end(), switches.begin());
    for (std::size_t i = 0; i < switches.size(); ++i) {
        keys[i] = Raw(here.switch_row(switches[i]).guid);
    }
    SortByKey(keys, switches, scratch);
    for (std::size_t i = 0; i < switches.size(); ++i) {
        ranks_[Raw(switches[i])] = static_cast<std::uint16_t>(i);
    }
    const auto crowded = std::remove_if(switches.begin(), switches.end(),
                                        [this](SwitchIndex at) { return senders_[Raw(at)] == 0; });
    waiting_ = switches.first(static_cast<std::size_t>(crowded - switches.begin()));
}

Progress Ledger::Advance() {
    std::size_t looks = 0;
    while (!waiting_.empty() && looks < kLooksPerSlice) {  // Each turn places one at least.
        looks += 2 * waiting_.size();
        PlaceNearest();
    }
    if (!waiting_.empty()) return Progress::kMore;

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

/// Places the first that waits, then all that are as near to it as anyone.
void Ledger::PlaceNearest() {
    const auto row = hops_[waiting_[0]];
    AddReceivers(waiting_[0]);
    const auto rest = waiting_.subspan(1);
    std::uint8_t least = kNoHops;
    for (const SwitchIndex at : rest) {
        least = std::min(least, row[Raw(at)]);
    }
    std::size_t kept = 0;
    for (const SwitchIndex at : rest) {
        if (row[Raw(at)] == least && least != kNoHops) {
            AddReceivers(at);
        } else {
            rest[kept++] = at;
        }
    }
    waiting_ = rest.first(kept);
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
