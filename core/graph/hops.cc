// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many links lie between any two switches, or how much they weigh.

#include "core/graph/hops.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/assert.h"

namespace ember {

void HopMeter::Begin(const Topology& topology, std::span<const HopWeight> weights,
                     Matrix<SwitchIndex, std::uint8_t> hops, Arena& scratch) {
    EMBER_ASSERT(hops.rows() >= topology.switch_bound());
    EMBER_ASSERT(hops.stride() >= HopStride(topology.switch_bound()));

    topology_ = &topology;
    hops_ = hops;
    first_ = 0;
    next_switch_ = 0;
    is_under_way_ = false;
    is_settled_ = true;
    weights_.Begin(topology, weights, scratch);
    if (!weights_.empty()) return;
    seen_ = scratch.Take<std::uint64_t>(topology.switch_bound());
    front_ = scratch.Take<std::uint64_t>(topology.switch_bound());
    next_ = scratch.Take<std::uint64_t>(topology.switch_bound());
}

Progress HopMeter::Advance() {
    EMBER_ASSERT(topology_ != nullptr);  // Begin() came before.
    if (first_ >= topology_->switch_bound()) return Progress::kDone;
    if (!is_under_way_ && !ClearBatch()) return Progress::kMore;
    weights_.empty() ? AdvanceByBits() : AdvanceByWeights();
    return first_ < topology_->switch_bound() ? Progress::kMore : Progress::kDone;
}

/// Clears a part of 64 columns, where every switch knows itself. True when all are cleared: that
/// touches the whole matrix, which takes long when it is done for the first time.
bool HopMeter::ClearBatch() {
    EMBER_ASSERT(first_ + 64 <= hops_.stride());
    const std::size_t end = std::min(topology_->switch_bound(), next_switch_ + kRowsPerSlice);
    for (; next_switch_ < end; ++next_switch_) {
        const auto at = static_cast<SwitchIndex>(next_switch_);
        const auto row = hops_[at].subspan(first_, 64);
        std::fill(row.begin(), row.end(), kNoHops);
        const bool is_column = next_switch_ - first_ < 64;
        if (is_column && topology_->Has(at)) row[next_switch_ - first_] = 0;
    }
    if (next_switch_ < topology_->switch_bound()) return false;
    next_switch_ = 0;
    is_under_way_ = true;
    return true;
}

void HopMeter::AdvanceByBits() {
    EMBER_ASSERT(first_ % 64 == 0 && seen_.size() == topology_->switch_bound());
    const std::size_t bound = topology_->switch_bound();
    std::fill(seen_.begin(), seen_.end(), 0);
    for (std::size_t i = first_; i < bound && i < first_ + 64; ++i) {
        if (topology_->Has(static_cast<SwitchIndex>(i)))
            seen_[i] = std::uint64_t{1} << (i - first_);
    }
    std::copy(seen_.begin(), seen_.end(), front_.begin());
    for (std::uint8_t distance = 1; distance < kNoHops; ++distance) {
        if (!Spread(distance)) break;
    }
    first_ += 64;
    is_under_way_ = false;
}

/// Takes each search one hop on. False when none reached a new switch.
bool HopMeter::Spread(std::uint8_t distance) {
    EMBER_ASSERT(distance != 0 && distance != kNoHops);
    for (std::size_t i = 0; i < front_.size(); ++i) {
        if (front_[i] == 0) continue;
        for (const Trunk& trunk : topology_->trunks(static_cast<SwitchIndex>(i))) {
            next_[Raw(trunk.peer)] |= front_[i];
        }
    }
    return Settle(distance);
}

bool HopMeter::Settle(std::uint8_t distance) {
    bool moved = false;
    for (std::size_t i = 0; i < front_.size(); ++i) {
        std::uint64_t fresh = next_[i] & ~seen_[i];
        next_[i] = 0;
        front_[i] = fresh;
        if (fresh == 0) continue;

        moved = true;
        seen_[i] |= fresh;
        std::uint8_t* const row = hops_[static_cast<SwitchIndex>(i)].data() + first_;
        for (; fresh != 0; fresh &= fresh - 1) {
            row[std::countr_zero(fresh)] = distance;
        }
    }
    return moved;
}

/// A part of a round.
void HopMeter::AdvanceByWeights() {
    EMBER_ASSERT(first_ % 64 == 0 && next_switch_ < topology_->switch_bound());
    const std::size_t bound = topology_->switch_bound();
    for (std::size_t trunks = 0; next_switch_ < bound && trunks < kTrunksPerSlice; ++next_switch_) {
        const auto at = static_cast<SwitchIndex>(next_switch_);
        if (Relax(at)) is_settled_ = false;
        trunks += topology_->switch_row(at).trunk_count + std::size_t{1};
    }
    if (next_switch_ < bound) return;
    if (is_settled_) {
        first_ += 64;
        is_under_way_ = false;
    }
    is_settled_ = true;
    next_switch_ = 0;
}

/// Takes the distances that are shorter through a neighbor. False when none is.
bool HopMeter::Relax(SwitchIndex at) {
    const auto trunks = topology_->trunks(at);
    const auto weights = weights_.of(at);
    EMBER_ASSERT(weights.size() == trunks.size());
    const auto row = hops_[at].subspan(first_, 64);
    std::array<std::uint8_t, 64> least;  // Local, so that the loop becomes vector instructions.
    std::copy(row.begin(), row.end(), least.begin());
    for (std::size_t i = 0; i < trunks.size(); ++i) {
        const std::uint8_t* const theirs = hops_[trunks[i].peer].data() + first_;
        const std::uint8_t weight = weights[i];
        const auto most = static_cast<std::uint8_t>(kNoHops - weight);  // More would not fit.
        for (std::size_t column = 0; column < 64; ++column) {
            const auto sum = static_cast<std::uint8_t>(std::min(theirs[column], most) + weight);
            least[column] = std::min(least[column], sum);
        }
    }
    if (std::equal(least.begin(), least.end(), row.begin())) return false;
    std::copy(least.begin(), least.end(), row.begin());
    return true;
}

}  // namespace ember
