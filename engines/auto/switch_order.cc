// SPDX-License-Identifier: Apache-2.0
// EmberSM: an order of all switches in which one lane needs no more than up and down.

#include "engines/auto/switch_order.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/graph/leaf_switches.h"

namespace ember {
namespace {

constexpr std::uint8_t kNoLevel = 255;
/// In a queue already, or placed.
constexpr std::uint16_t kWaiting = 0xFFFE;

}  // namespace

void SwitchOrder::Begin(const Topology& topology,
                        Matrix<SwitchIndex, const std::uint8_t> hops,
                        Arena& scratch) {
    topology_ = &topology;
    const std::size_t bound = topology.switch_bound();
    level_ = scratch.Take<std::uint8_t>(bound);
    place_ = scratch.Take<std::uint16_t>(bound);
    queued_ = scratch.Take<std::uint16_t>(bound);
    from_top_ = scratch.Take<SwitchIndex>(topology.switch_count());
    reached_ = scratch.Take<SwitchIndex>(topology.switch_count());
    FindLevels(CollectLeafSwitches(topology, hops, reached_));
    const auto switches = topology.switches_by_guid();
    const bool has_upper = std::any_of(switches.begin(), switches.end(),
                                       [this](SwitchIndex at) { return level_[Raw(at)] != 0; });
    is_layered_ = has_upper && std::all_of(switches.begin(), switches.end(),
                                           [this](SwitchIndex at) { return JoinsTwoLevels(at); });
}

/// Breadth first from the leaf switches, the first ones of reached_. A switch that is reached from
/// none is of level 0: no path of hosts leads there.
void SwitchOrder::FindLevels(std::size_t leaves) {
    std::fill(level_.begin(), level_.end(), kNoLevel);
    std::size_t tail = leaves;
    for (const SwitchIndex leaf : reached_.first(leaves)) {
        level_[Raw(leaf)] = 0;
    }
    for (std::size_t head = 0; head < tail; ++head) {  // Each switch joins once.
        const SwitchIndex here = reached_[head];
        const std::size_t next = std::min<std::size_t>(level_[Raw(here)] + 1U, kMostLevels - 1);
        for (const Trunk& trunk : topology_->trunks(here)) {
            if (level_[Raw(trunk.peer)] != kNoLevel) continue;
            level_[Raw(trunk.peer)] = static_cast<std::uint8_t>(next);
            reached_[tail++] = trunk.peer;
        }
    }
    std::replace(level_.begin(), level_.end(), kNoLevel, std::uint8_t{0});
}

std::size_t SwitchOrder::CountFlatPorts() const {
    std::size_t count = 0;
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        const auto trunks = topology_->trunks(at);
        count += static_cast<std::size_t>(std::count_if(
            trunks.begin(), trunks.end(), [&](const Trunk& to) { return IsFlat(at, to.peer); }));
    }
    return count;
}

bool SwitchOrder::JoinsTwoLevels(SwitchIndex at) const {
    const auto trunks = topology_->trunks(at);
    return std::none_of(trunks.begin(), trunks.end(),
                        [&](const Trunk& trunk) { return IsFlat(at, trunk.peer); });
}

void SwitchOrder::Arrange(bool by_level) {
    std::fill(place_.begin(), place_.end(), kNoPlace);
    heads_.fill(kNoPlace);
    tails_.fill(kNoPlace);
    count_ = 0;
    while (count_ < from_top_.size()) {  // Once for each island.
        SearchFrom(BestRoot(by_level), by_level);
    }
}

/// Of the switches without a place one of the highest level, of these one with most links, the
/// first of equals by GUID.
SwitchIndex SwitchOrder::BestRoot(bool by_level) const {
    SwitchIndex best = kNoSwitch;
    std::size_t most = 0;
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        if (place_[Raw(at)] != kNoPlace) continue;
        const std::size_t level = by_level ? level_[Raw(at)] : 0U;
        const std::size_t worth = level << 16U | topology_->trunks(at).size();
        if (best != kNoSwitch && worth <= most) continue;
        best = at;
        most = worth;
    }
    EMBER_ASSERT(best != kNoSwitch);
    return best;
}

void SwitchOrder::SearchFrom(SwitchIndex root, bool by_level) {
    Push(root, by_level);
    for (SwitchIndex here = Pop(); here != kNoSwitch; here = Pop()) {  // Each switch once.
        place_[Raw(here)] = static_cast<std::uint16_t>(count_);
        from_top_[count_++] = here;
        for (const Trunk& trunk : topology_->trunks(here)) {
            if (place_[Raw(trunk.peer)] == kNoPlace) Push(trunk.peer, by_level);
        }
    }
}

void SwitchOrder::Push(SwitchIndex at, bool by_level) {
    const std::size_t queue = by_level ? level_[Raw(at)] : 0U;
    place_[Raw(at)] = kWaiting;
    queued_[Raw(at)] = kNoPlace;
    if (heads_[queue] == kNoPlace) {
        heads_[queue] = static_cast<std::uint16_t>(Raw(at));
    } else {
        queued_[tails_[queue]] = static_cast<std::uint16_t>(Raw(at));
    }
    tails_[queue] = static_cast<std::uint16_t>(Raw(at));
}

/// The first of the highest level; kNoSwitch: none waits.
SwitchIndex SwitchOrder::Pop() {
    for (std::size_t queue = kMostLevels; queue > 0; --queue) {
        std::uint16_t& head = heads_[queue - 1];
        if (head == kNoPlace) continue;
        const auto first = static_cast<SwitchIndex>(head);
        head = queued_[head];
        return first;
    }
    return kNoSwitch;
}

}  // namespace ember
