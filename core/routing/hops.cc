// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many cables lie between any two switches.

#include "core/routing/hops.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

void HopMeter::Begin(const Topology& topology,
                     Matrix<SwitchIndex, std::uint8_t> hops,
                     Arena& scratch) {
    EMBER_ASSERT(hops.rows() >= topology.switch_bound());
    EMBER_ASSERT(hops.stride() >= HopStride(topology.switch_bound()));

    topology_ = &topology;
    hops_ = hops;
    seen_ = scratch.Take<std::uint64_t>(topology.switch_bound());
    front_ = scratch.Take<std::uint64_t>(topology.switch_bound());
    next_ = scratch.Take<std::uint64_t>(topology.switch_bound());
    first_ = 0;
}

Progress HopMeter::Advance() {
    if (first_ >= topology_->switch_bound()) return Progress::kDone;

    StartBatch();
    for (std::uint8_t distance = 1; distance < kNoHops; ++distance) {
        if (!Spread(distance)) break;
    }

    first_ += 64;
    return first_ < topology_->switch_bound() ? Progress::kMore : Progress::kDone;
}

void HopMeter::StartBatch() {
    const std::size_t bound = topology_->switch_bound();
    for (std::size_t i = 0; i < bound; ++i) {
        const auto row = hops_[static_cast<SwitchIndex>(i)].subspan(first_, 64);
        std::fill(row.begin(), row.end(), kNoHops);
        seen_[i] = 0;
        front_[i] = 0;
    }
    for (std::size_t i = first_; i < bound && i < first_ + 64; ++i) {
        if (!topology_->Has(static_cast<SwitchIndex>(i))) continue;
        seen_[i] = front_[i] = std::uint64_t{1} << (i - first_);
        hops_[static_cast<SwitchIndex>(i)][i] = 0;
    }
}

/// One round. False when nobody reached anything new.
bool HopMeter::Spread(std::uint8_t distance) {
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

}  // namespace ember
