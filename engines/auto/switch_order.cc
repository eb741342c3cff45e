// SPDX-License-Identifier: Apache-2.0
// EmberSM: an order of all switches in which one lane needs no more than up and down.

#include "engines/auto/switch_order.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/graph/hops.h"
#include "core/graph/leaf_switches.h"
#include "core/graph/nearest.h"

namespace ember {
namespace {

constexpr std::uint8_t kNoLevel = 255;
/// In a queue already, or placed.
constexpr std::uint16_t kWaiting = 0xFFFE;

}  // namespace

void SwitchOrder::Begin(const Topology& topology, Matrix<SwitchIndex, const std::uint8_t> hops,
                        Arena& scratch) {
    topology_ = &topology;
    const std::size_t bound = topology.switch_bound();
    level_ = scratch.Take<std::uint8_t>(bound);
    place_ = scratch.Take<std::uint16_t>(bound);
    queued_ = scratch.Take<std::uint16_t>(bound);
    from_top_ = scratch.Take<SwitchIndex>(topology.switch_count());
    reached_ = scratch.Take<SwitchIndex>(topology.switch_count());
    const auto leaves = from_top_.first(CollectLeafSwitches(topology, hops, from_top_));
    LevelFromLeaves(leaves);
    const std::size_t flat = CountFlatPorts();
    is_layered_ = HasUpper() && flat == 0;
    if (is_layered_ || !HasUpper()) return;
    LevelByParity(leaves, hops);
    const std::size_t left = CountFlatPorts();
    if (left >= flat || !KeepsPaths(leaves, hops)) return LevelFromLeaves(leaves);
    is_layered_ = left == 0;
}

bool SwitchOrder::HasUpper() const {
    const auto switches = topology_->switches_by_guid();
    return std::any_of(switches.begin(), switches.end(),
                       [this](SwitchIndex at) { return level_[Raw(at)] != 0; });
}

/// Breadth first from the leaf switches. A switch that is reached from none is of level 0: no path
/// of hosts leads there.
void SwitchOrder::LevelFromLeaves(std::span<const SwitchIndex> leaves) {
    std::copy(leaves.begin(), leaves.end(), reached_.begin());
    std::fill(level_.begin(), level_.end(), kNoLevel);
    std::size_t tail = leaves.size();
    for (const SwitchIndex leaf : leaves) {
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

/// Called while levels are links to the nearest leaf switch.
void SwitchOrder::LevelByParity(std::span<const SwitchIndex> leaves,
                                Matrix<SwitchIndex, const std::uint8_t> hops) {
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        if (level_[Raw(at)] != 0) level_[Raw(at)] = LevelAbove(leaves, hops[at]);
    }
    for (const SwitchIndex leaf : leaves) {
        level_[Raw(leaf)] = LevelBelow(leaf);
    }
}

std::uint8_t SwitchOrder::LevelAbove(std::span<const SwitchIndex> leaves,
                                     std::span<const std::uint8_t> hops) const {
    const std::uint8_t links =
        NearestByParity(hops, leaves, [this](SwitchIndex leaf) { return WeightOf(leaf); });
    return std::min(links, static_cast<std::uint8_t>(kMostLevels - 1));
}

/// A leaf switch without links to the first level, and to other leaf switches, is below those that
/// it is linked to.
std::uint8_t SwitchOrder::LevelBelow(SwitchIndex leaf) const {
    std::uint8_t lowest = kNoLevel;
    for (const Trunk& trunk : topology_->trunks(leaf)) {
        lowest = std::min(lowest, level_[Raw(trunk.peer)]);
    }
    return lowest == kNoLevel || lowest == 0 ? std::uint8_t{0}
                                             : static_cast<std::uint8_t>(lowest - 1);
}

std::size_t SwitchOrder::WeightOf(SwitchIndex leaf) const {
    return std::max<std::size_t>(1, topology_->switch_row(leaf).host_count);
}

/// Paths over flat links prove nothing: they are left out, or make it no tree.
bool SwitchOrder::KeepsPaths(std::span<const SwitchIndex> leaves,
                             Matrix<SwitchIndex, const std::uint8_t> hops) {
    std::size_t all = 0;
    std::size_t turned = 0;
    const std::size_t step = leaves.size() / kLeavesTried + 1;
    for (std::size_t i = 0; i < leaves.size(); i += step) {
        for (std::size_t j = 0; j < leaves.size(); j += step) {
            if (i == j || hops[leaves[i]][Raw(leaves[j])] == kNoHops) continue;
            const Turns turns = TurnsBetween(leaves[i], leaves[j], hops);
            if (turns == Turns::kOverFlat) continue;
            const std::size_t weight = WeightOf(leaves[i]) * WeightOf(leaves[j]);
            all += weight;
            if (turns == Turns::kUpAgain) turned += weight;
        }
    }
    return all != 0 && turned * kTurnShare <= all;
}

/// Follows all shortest paths at once, link by link.
SwitchOrder::Turns SwitchOrder::TurnsBetween(SwitchIndex from, SwitchIndex to,
                                             Matrix<SwitchIndex, const std::uint8_t> hops) {
    std::fill(queued_.begin(), queued_.end(), std::uint16_t{0});
    const unsigned all = hops[from][Raw(to)];
    Turns turns = Turns::kNone;
    for (unsigned done = 0; done < all && turns == Turns::kNone; ++done) {
        for (const SwitchIndex here : topology_->switches_by_guid()) {
            if (hops[from][Raw(here)] != done || hops[here][Raw(to)] != all - done) continue;
            turns = std::max(turns, TurnsAt(here, to, hops));
        }
    }
    return turns;
}

/// Of the next links. queued_ has by switch whether some path came down to it.
SwitchOrder::Turns SwitchOrder::TurnsAt(SwitchIndex here, SwitchIndex to,
                                        Matrix<SwitchIndex, const std::uint8_t> hops) {
    Turns turns = Turns::kNone;
    for (const Trunk& trunk : topology_->trunks(here)) {
        if (hops[trunk.peer][Raw(to)] + 1 != hops[here][Raw(to)]) continue;
        if (IsFlat(here, trunk.peer)) return Turns::kOverFlat;
        const bool rises = level_[Raw(trunk.peer)] > level_[Raw(here)];
        if (rises && queued_[Raw(here)] != 0) turns = Turns::kUpAgain;
        if (!rises) queued_[Raw(trunk.peer)] = 1;
    }
    return turns;
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
