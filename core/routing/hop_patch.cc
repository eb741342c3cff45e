// SPDX-License-Identifier: Apache-2.0
// EmberSM: the hop matrix after some cables went or came, without measuring it all.

#include "core/routing/hop_patch.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/graph/hops.h"

namespace ember {

void HopPatch::Begin(const Topology& topology, std::span<const LinkChange> changes,
                     Matrix<SwitchIndex, std::uint8_t> hops, const SwitchPairs& suspects,
                     Arena& scratch) {
    const std::size_t bound = topology.switch_bound();
    EMBER_ASSERT(hops.rows() >= bound);
    EMBER_ASSERT(hops.stride() >= HopStride(bound));

    topology_ = &topology;
    hops_ = hops;
    suspects_ = &suspects;
    changed_ = scratch.Take<bool>(bound);
    columns_ = scratch.Take<SwitchIndex>(bound);
    seen_ = scratch.Take<std::uint64_t>(bound);
    front_ = scratch.Take<std::uint64_t>(bound);
    next_ = scratch.Take<std::uint64_t>(bound);
    distances_ = scratch.Take<std::uint8_t>(bound * kBatch);
    first_ = 0;
    FindColumns(changes);
}

/// Looks along a row or two for each change.
void HopPatch::FindColumns(std::span<const LinkChange> changes) {
    for (const LinkChange& change : changes) {
        suspects_->AddAll(change.at);
        // Cables from a switch to itself lie on no way.
        if (change.was != kNoSwitch && change.was != change.at) MarkLoss(change);
        if (change.is != kNoSwitch && change.is != change.at) MarkGain(change);
    }
    column_count_ = 0;
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        if (changed_[i]) columns_[column_count_++] = static_cast<SwitchIndex>(i);
    }
}

/// The far end has a change of its own, so only this end is looked at.
void HopPatch::MarkLoss(const LinkChange& change) {
    const auto mine = hops_[change.at];
    const auto theirs = hops_[change.was];
    for (std::size_t column = 0; column < changed_.size(); ++column) {
        const bool led_there = mine[column] != kNoHops && theirs[column] + 1 == mine[column];
        if (!led_there || changed_[column]) continue;
        changed_[column] = !HasOther(change.at, column);
    }
}

/// Another cable of this switch still leads nearer. A new one may count: it can only be of use.
bool HopPatch::HasOther(SwitchIndex at, std::size_t column) const {
    const auto trunks = topology_->trunks(at);
    const std::uint8_t mine = hops_[at][column];
    return std::any_of(trunks.begin(), trunks.end(),
                       [&](const Trunk& trunk) { return hops_[trunk.peer][column] + 1 == mine; });
}

void HopPatch::MarkGain(const LinkChange& change) {
    const auto mine = hops_[change.at];
    const auto theirs = hops_[change.is];
    for (std::size_t column = 0; column < changed_.size(); ++column) {
        const int difference = int{mine[column]} - int{theirs[column]};
        if (difference > 1 || difference < -1) changed_[column] = true;
    }
}

Progress HopPatch::Advance() {
    if (first_ < column_count_) {
        const std::size_t count = std::min(kBatch, column_count_ - first_);
        const auto columns = columns_.subspan(first_, count);
        Measure(columns);
        Take(columns);
        first_ += count;
    }
    return first_ < column_count_ ? Progress::kMore : Progress::kDone;
}

/// Breadth first from all of these switches at once, one bit each; see HopMeter.
void HopPatch::Measure(std::span<const SwitchIndex> columns) {
    std::fill(distances_.begin(), distances_.end(), kNoHops);
    std::fill(seen_.begin(), seen_.end(), 0);
    for (std::size_t bit = 0; bit < columns.size(); ++bit) {
        const SwitchIndex root = columns[bit];
        if (!topology_->Has(root)) continue;
        seen_[Raw(root)] = std::uint64_t{1} << bit;
        distances_[Raw(root) * kBatch + bit] = 0;
    }
    std::copy(seen_.begin(), seen_.end(), front_.begin());
    for (std::uint8_t distance = 1; distance < kNoHops; ++distance) {
        if (!Spread(distance)) break;
    }
}

/// Does a round; false when no switch reached anything new.
bool HopPatch::Spread(std::uint8_t distance) {
    for (std::size_t i = 0; i < front_.size(); ++i) {
        if (front_[i] == 0) continue;
        for (const Trunk& trunk : topology_->trunks(static_cast<SwitchIndex>(i))) {
            next_[Raw(trunk.peer)] |= front_[i];
        }
    }
    bool moved = false;
    for (std::size_t i = 0; i < front_.size(); ++i) {
        std::uint64_t fresh = next_[i] & ~seen_[i];
        next_[i] = 0;
        front_[i] = fresh;
        seen_[i] |= fresh;
        moved = moved || fresh != 0;
        for (; fresh != 0; fresh &= fresh - 1) {
            distances_[i * kBatch + static_cast<std::size_t>(std::countr_zero(fresh))] = distance;
        }
    }
    return moved;
}

/// Writes the columns into the matrix, and tells where they differ.
void HopPatch::Take(std::span<const SwitchIndex> columns) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        const std::uint8_t* const fresh = distances_.data() + i * kBatch;
        const auto row = hops_[at];
        for (std::size_t bit = 0; bit < columns.size(); ++bit) {
            std::uint8_t& hops = row[Raw(columns[bit])];
            if (hops == fresh[bit]) continue;
            hops = fresh[bit];
            Suspect(at, columns[bit]);
        }
    }
}

void HopPatch::Suspect(SwitchIndex at, SwitchIndex to) const {
    suspects_->Add(at, to);
    for (const Trunk& trunk : topology_->trunks(at)) {
        suspects_->Add(trunk.peer, to);
    }
}

}  // namespace ember
