// SPDX-License-Identifier: Apache-2.0
// EmberSM: a tree of switches, laid out for walking.

#include "engines/fat_tree/shape.h"

namespace ember {

namespace {

/// Sorts by rank, then address, with the octet last in which those below one switch differ.
std::uint64_t NumberKey(TreeTuple tuple, std::uint16_t rank) {
    std::uint64_t key = std::min<std::uint16_t>(rank, 0xFF);
    for (std::size_t place = 1; place < kMaxTreeRank; ++place) {
        if (place != rank) key = key << 8U | TupleOctet(tuple, place);
    }
    const bool has_octet = rank >= 1 && rank < kMaxTreeRank;
    return has_octet ? key << 8U | TupleOctet(tuple, rank) : key;
}

}  // namespace

void TreeShape::Begin(const Topology& topology, const TreeRanks& ranks, const TreeHosts& hosts,
                      const TreeTuples& tuples, Arena& scratch) {
    topology_ = &topology;
    ranks_ = &ranks;
    hosts_ = &hosts;
    std::size_t trunks = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        trunks += topology.trunks(at).size();
    }
    const std::size_t bound = topology.switch_bound();
    number_ = Table<SwitchIndex, std::uint16_t>(scratch.Take<std::uint16_t>(bound));
    place_ = Table<SwitchIndex, std::uint16_t>(scratch.Take<std::uint16_t>(bound));
    by_tuple_ = scratch.Take<SwitchIndex>(ranks.count());
    group_of_ = scratch.Take<std::uint32_t>(ranks.count());
    switches_ = scratch.Take<TreeSwitch>(ranks.count());
    groups_ = scratch.Take<TreeGroup>(trunks);
    ports_ = scratch.Take<TreePort>(trunks);
    number_.fill(kNoTreeNumber);
    group_count_ = 0;
    port_count_ = 0;
    next_ = 0;
    has_counted_ = false;
    has_sides_ = false;
    has_unnamed_ = false;
    NumberSwitches(tuples, scratch);
}

void TreeShape::NumberSwitches(const TreeTuples& tuples, Arena& scratch) {
    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(switches_.size());
    const auto rows = scratch.Take<SwitchIndex>(switches_.size());
    std::size_t count = 0;
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        if (ranks_->Has(at)) by_tuple_[count++] = at;
    }
    for (std::size_t i = 0; i < count; ++i) {
        keys[i] = tuples.tuple(by_tuple_[i]);
    }
    SortByKey(keys, by_tuple_, scratch);

    for (std::size_t i = 0; i < count; ++i) {
        rows[i] = by_tuple_[i];
        const bool is_named = tuples.tuple(rows[i]) != kNoTuple;
        place_[rows[i]] = is_named ? static_cast<std::uint16_t>(i) : kNoPlace;
        has_unnamed_ = has_unnamed_ || !is_named;
        keys[i] = NumberKey(tuples.tuple(rows[i]), ranks_->rank(rows[i]));
    }
    SortByKey(keys, rows, scratch);
    for (std::size_t i = 0; i < count; ++i) {
        number_[rows[i]] = static_cast<std::uint16_t>(i);
        switches_[i].row = rows[i];
        switches_[i].rank = ranks_->rank(rows[i]);
        group_of_[i] = 0;
    }
}

Progress TreeShape::Advance() {
    const std::size_t end = std::min(next_ + kSwitchesPerSlice, switches_.size());
    for (; next_ < end; ++next_) {
        has_counted_ ? BuildSwitch(switches_[next_]) : CountHosts(switches_[next_]);
    }
    if (next_ < switches_.size()) return Progress::kMore;
    if (has_counted_) return Progress::kDone;
    has_counted_ = true;  // Groups tell what their peers have.
    next_ = 0;
    return Progress::kMore;
}

void TreeShape::BuildSwitch(TreeSwitch& here) {
    here.first_group = group_count_;
    here.down_count = BuildGroups(here, Side::kDown);
    here.side_count = BuildGroups(here, Side::kSideways);
    here.up_count = BuildGroups(here, Side::kUp);
    MeasureSpan(here);
    has_sides_ = has_sides_ || here.side_count > 0;
}

/// The groups on one side, in ascending order of their first ports. Returns how many.
std::uint16_t TreeShape::BuildGroups(const TreeSwitch& here, Side side) {
    const std::uint32_t first = group_count_;
    for (const Trunk& trunk : topology_->trunks(here.row)) {
        const std::uint16_t rank = ranks_->rank(trunk.peer);
        const bool is_there = side == Side::kDown       ? rank > here.rank
                              : side == Side::kSideways ? rank == here.rank
                                                        : rank < here.rank;
        if (!is_there) continue;
        // Earlier switches' groups to the same peer have lower numbers.
        std::uint32_t& group = group_of_[number_[trunk.peer]];
        const bool is_known =
            group >= first && group < group_count_ && groups_[group].peer == number_[trunk.peer];
        if (!is_known) {
            group = group_count_++;
            groups_[group].peer = number_[trunk.peer];
            groups_[group].place = place_[trunk.peer];
            groups_[group].peer_port = Raw(trunk.peer_port);
            groups_[group].peer_has_hosts = switches_[number_[trunk.peer]].host_count > 0;
        }
        ++groups_[group].port_count;
    }
    for (TreeGroup& group : groups_.subspan(first, group_count_ - first)) {
        if (group.port_count > 1) BuildPorts(here, group);
    }
    return static_cast<std::uint16_t>(group_count_ - first);
}

/// The links of a group of several, in ascending order of their ports here.
void TreeShape::BuildPorts(const TreeSwitch& here, TreeGroup& group) {
    group.first_port = port_count_;
    for (const Trunk& trunk : topology_->trunks(here.row)) {
        if (number_[trunk.peer] == group.peer) {
            ports_[port_count_++].peer_port = Raw(trunk.peer_port);
        }
    }
}

void TreeShape::CountHosts(TreeSwitch& here) {
    for (const Exit& exit : topology_->exits(here.row).subspan(1)) {
        if (exit.destination == kNoDestination) continue;
        const HostClass host_class = hosts_->host_class(exit.destination);
        if (host_class != HostClass::kNone) ++here.host_count;
        if (host_class == HostClass::kCompute) here.is_leaf = true;
    }
}

void TreeShape::MeasureSpan(TreeSwitch& here) {
    if (here.down_count == 0) return;
    const auto below = groups_.subspan(here.first_group, here.down_count);
    std::uint16_t low = below[0].peer;
    std::uint16_t high = below[0].peer;
    for (const TreeGroup& group : below) {
        low = std::min(low, group.peer);
        high = std::max(high, group.peer);
    }
    here.low = low;
    here.span = static_cast<std::uint16_t>(high - low + 1);
}

}  // namespace ember
