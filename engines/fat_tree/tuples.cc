// SPDX-License-Identifier: Apache-2.0
// EmberSM: the address of a switch in a tree.

#include "engines/fat_tree/tuples.h"

namespace ember {

namespace {

/// The address of the switch at which a search starts: zeros as far as the leaves' octet.
TreeTuple FirstTuple(std::uint16_t rank, std::uint16_t leaf_rank) {
    TreeTuple tuple = WithTupleOctet(kNoTuple, 0, static_cast<std::uint8_t>(rank));
    for (std::size_t place = 1; place <= leaf_rank; ++place) {
        tuple = WithTupleOctet(tuple, place, 0);
    }
    return tuple;
}

constexpr int kTopValue = 254;  // Of an octet that tells switches apart; 255 means unused.

}  // namespace

void TreeTuples::Begin(const Topology& topology, const TreeRanks& ranks,
                       std::span<const bool> has_compute_node, std::uint16_t leaf_rank,
                       Arena& scratch) {
    EMBER_ASSERT(leaf_rank < kMaxTreeRank);
    topology_ = &topology;
    ranks_ = &ranks;
    has_compute_node_ = has_compute_node;
    leaf_rank_ = leaf_rank;
    tuple_ = Table<SwitchIndex, TreeTuple>(scratch.Take<TreeTuple>(topology.switch_bound()));
    queue_ = scratch.Take<SwitchIndex>(topology.switch_bound());
    taken_ = scratch.Take<TreeTuple>(SlotsFor(topology.switch_bound()));
    tuple_.fill(kNoTuple);
    std::fill(taken_.begin(), taken_.end(), kNoTuple);
    queued_ = 0;
}

bool TreeTuples::StartAtLeaf(SwitchIndex leaf) {
    return Search(leaf, FirstTuple(ranks_->rank(leaf), leaf_rank_));
}

bool TreeTuples::StartAtRoots() {
    std::uint8_t searches = 0;
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        if (ranks_->rank(at) != 0 || tuple_[at] != kNoTuple) continue;
        TreeTuple tuple = FirstTuple(0, leaf_rank_);
        if (leaf_rank_ > 1) tuple = WithTupleOctet(tuple, 7, searches++);
        int value = 0;
        while (value <= kTopValue) {
            tuple = WithTupleOctet(tuple, 1, static_cast<std::uint8_t>(value));
            if (Occupy(tuple)) break;
            ++value;
        }
        if (value > kTopValue || !Search(at, tuple)) return false;
    }
    return true;
}

bool TreeTuples::Search(SwitchIndex start, TreeTuple tuple) {
    const bool from_root = ranks_->rank(start) == 0;
    (void)Occupy(tuple);  // A root's is taken already.
    tuple_[start] = tuple;
    const std::size_t first = queued_;
    queue_[queued_++] = start;
    for (std::size_t next = first; next < queued_; ++next) {  // A switch joins the queue once.
        const SwitchIndex here = queue_[next];
        const std::uint16_t rank = ranks_->rank(here);
        if (rank < leaf_rank_ && !Give(here, Way::kDown)) return false;
        const bool stays_below = from_root && has_compute_node_[Raw(here)];
        if (rank > 0 && !stays_below && !Give(here, Way::kUp)) return false;
    }
    return true;
}

/// Addresses for the neighbors of `here` on one side that have none.
bool TreeTuples::Give(SwitchIndex here, Way way) {
    const std::uint16_t rank = ranks_->rank(here);
    const auto next_rank = static_cast<std::uint16_t>(way == Way::kDown ? rank + 1 : rank - 1);
    const std::size_t place = way == Way::kDown ? rank + std::size_t{1} : rank;
    TreeTuple tuple = WithTupleOctet(tuple_[here], 0, static_cast<std::uint8_t>(next_rank));
    // Leaves of all searches share one set of addresses.
    if (next_rank == leaf_rank_) tuple |= TreeTuple{0xFF};
    int value = 0;
    for (const Trunk& trunk : topology_->trunks(here)) {
        if (ranks_->rank(trunk.peer) != next_rank || tuple_[trunk.peer] != kNoTuple) continue;
        if (!TakeFree(tuple, place, trunk.peer, value)) return false;
    }
    return true;
}

/// The first free value from `value` on, which is left behind it.
bool TreeTuples::TakeFree(TreeTuple tuple, std::size_t place, SwitchIndex at, int& value) {
    while (value <= kTopValue) {
        const TreeTuple wanted = WithTupleOctet(tuple, place, static_cast<std::uint8_t>(value++));
        if (!Occupy(wanted)) continue;
        tuple_[at] = wanted;
        queue_[queued_++] = at;
        return true;
    }
    return false;
}

/// False: another switch has that address.
bool TreeTuples::Occupy(TreeTuple tuple) {
    const std::size_t mask = taken_.size() - 1;
    std::size_t slot = static_cast<std::uint32_t>((tuple * 0x9E3779B97F4A7C15U) >> 32U) & mask;
    while (taken_[slot] != kNoTuple) {  // Ends: there are more slots than switches.
        if (taken_[slot] == tuple) return false;
        slot = (slot + 1) & mask;
    }
    taken_[slot] = tuple;
    return true;
}

}  // namespace ember
