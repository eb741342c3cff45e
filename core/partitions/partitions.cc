// SPDX-License-Identifier: Apache-2.0
// EmberSM: which partitions ports are in, and so which ports may communicate.
#include "core/partitions/partitions.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

/// A row of a run, and how late the file says it: a port is later than the classes before it.
struct Candidate {
    PortPartition says{};
    unsigned turn = 0;
};

Candidate As(const PartitionClass& row) {
    return {{.p_key = row.p_key,
             .membership = row.membership,
             .is_first = row.is_first,
             .line = row.line},
            2U * row.turn};
}

Candidate As(const PartitionMember& row) {
    return {{.p_key = row.p_key,
             .membership = row.membership,
             .is_first = row.is_first,
             .line = row.line},
            2U * row.turn + 1U};
}

/// Takes what `run` says of the partition `p_key`, if it is its next, and keeps what is said later.
template <typename Row>
void TakeFrom(std::span<const Row>& run, std::uint16_t p_key, Candidate& latest) {
    if (run.empty() || run.front().p_key != p_key) return;
    const Candidate found = As(run.front());
    if (found.turn >= latest.turn) latest = found;
    run = run.subspan(1);
}

/// The run from the row of `p_key` on.
template <typename Row>
std::span<const Row> From(std::span<const Row> run, std::uint16_t p_key) {
    const auto at =
        std::lower_bound(run.begin(), run.end(), p_key,
                         [](const Row& row, std::uint16_t key) { return row.p_key < key; });
    return run.subspan(static_cast<std::size_t>(at - run.begin()));
}

PortClass ClassOf(NodeType type) {
    if (type == NodeType::kSwitch) return PortClass::kSwitches;
    return type == NodeType::kRouter ? PortClass::kRouters : PortClass::kCas;
}

/// The P_Key by which the first port sends to the other in the partition with the lowest base that
/// lets it; kNoPKey: there is none.
std::uint16_t FirstOfBoth(PartitionWalk of_one, PartitionWalk of_other) {
    PortPartition mine{};
    PortPartition theirs{};
    bool has_both = of_one.Next(mine) && of_other.Next(theirs);
    while (has_both) {  // Each turn takes a row: at most 8 * kMostPartitions.
        const bool is_mine_done = mine.p_key <= theirs.p_key;
        const bool is_theirs_done = theirs.p_key <= mine.p_key;
        const bool may_talk = MayCommunicate(mine.membership, theirs.membership);
        if (is_mine_done && is_theirs_done && may_talk) return mine.SentPKey();
        has_both =
            (!is_mine_done || of_one.Next(mine)) && (!is_theirs_done || of_other.Next(theirs));
    }
    return kNoPKey;
}

}  // namespace

bool PartitionWalk::Next(PortPartition& found) {
    if (is_default_) {
        is_default_ = false;
        found = {.p_key = kDefaultPKey & kPKeyBase, .membership = Membership::kFull};
        return true;
    }
    std::uint16_t least = kFullMembership;  // Above every base.
    for (const auto& run : classes_) {
        if (!run.empty()) least = std::min(least, run.front().p_key);
    }
    if (!ports_.empty()) least = std::min(least, ports_.front().p_key);
    if (least == kFullMembership) return false;

    Candidate latest{};
    for (auto& run : classes_) {
        TakeFrom(run, least, latest);
    }
    TakeFrom(ports_, least, latest);
    EMBER_ASSERT(latest.says.p_key == least);
    found = latest.says;
    return true;
}

std::span<const PartitionClass> Partitions::RowsOf(PortClass ports) const {
    EMBER_ASSERT(AreConfigured());
    const std::span<const PartitionClass> rows = tables_->partition_classes;
    const auto is_below = [](const PartitionClass& row, PortClass value) {
        return row.ports < value;
    };
    const auto is_above = [](PortClass value, const PartitionClass& row) {
        return value < row.ports;
    };
    const auto first = std::lower_bound(rows.begin(), rows.end(), ports, is_below);
    const auto end = std::upper_bound(first, rows.end(), ports, is_above);
    return rows.subspan(static_cast<std::size_t>(first - rows.begin()),
                        static_cast<std::size_t>(end - first));
}

PartitionWalk Partitions::Of(PortIndex port) const {
    PartitionWalk walk;
    if (!IsLive(port)) return walk;
    if (!AreConfigured()) {
        walk.is_default_ = true;
        return walk;
    }
    const Node& node = fabric_.node(fabric_.port(port).node);
    // Only port 0 of a switch has a PortGUID and is an end port.
    const PortIndex end_port = node.type == NodeType::kSwitch ? node.first_port : port;
    return WalkOf(fabric_.port(end_port).guid, node.type, end_port == fabric_.own_port());
}

PartitionWalk Partitions::WalkOf(Guid guid, NodeType type, bool is_own) const {
    EMBER_ASSERT(AreConfigured());
    PartitionWalk walk;
    walk.classes_[0] = RowsOf(PortClass::kAll);
    walk.classes_[1] = RowsOf(ClassOf(type));
    if (is_own) walk.classes_[2] = RowsOf(PortClass::kSelf);

    const std::span<const PartitionMember> rows = tables_->partition_ports;
    const auto is_below = [](const PartitionMember& row, Guid value) {
        return row.port_guid < value;
    };
    const auto is_above = [](Guid value, const PartitionMember& row) {
        return value < row.port_guid;
    };
    const auto first = std::lower_bound(rows.begin(), rows.end(), guid, is_below);
    const auto end = std::upper_bound(first, rows.end(), guid, is_above);
    walk.ports_ = rows.subspan(static_cast<std::size_t>(first - rows.begin()),
                               static_cast<std::size_t>(end - first));
    return walk;
}

PortPartition Partitions::Find(PortIndex port, std::uint16_t p_key) const {
    const auto base = static_cast<std::uint16_t>(p_key & kPKeyBase);
    PartitionWalk walk = Of(port);
    PortPartition found{};
    if (walk.is_default_) {
        return SamePartition(base, kDefaultPKey) && walk.Next(found) ? found : PortPartition{};
    }
    Candidate latest{};
    for (auto run : walk.classes_) {
        run = From(run, base);
        TakeFrom(run, base, latest);
    }
    std::span<const PartitionMember> ports = From(walk.ports_, base);
    TakeFrom(ports, base, latest);
    return latest.says;
}

const PartitionRow* Partitions::RowOf(std::uint16_t p_key) const {
    if (!AreConfigured()) return nullptr;
    const auto base = static_cast<std::uint16_t>(p_key & kPKeyBase);
    const std::span<const PartitionRow> rows = From(tables_->partitions, base);
    return rows.empty() || rows.front().p_key != base ? nullptr : rows.data();
}

std::uint16_t Partitions::FirstOf(PortIndex port) const {
    FirstPartition first;
    PortPartition one{};
    for (PartitionWalk walk = Of(port); walk.Next(one);) {
        first.Take(one);
    }
    return first.p_key();
}

bool Partitions::ShareConfigured(PortIndex one, PortIndex other, std::uint16_t p_key) const {
    const Membership first = Find(one, p_key).membership;
    if (one == other) return first != Membership::kNone;
    return MayCommunicate(first, Find(other, p_key).membership);
}

bool Partitions::ShareConfigured(PortIndex one, PortIndex other) const {
    if (one == other) return IsLive(one);
    // Most pairs share the default partition, or no two ports of the subnet do.
    return ShareConfigured(one, other, kDefaultPKey) || FirstConfigured(one, other) != kNoPKey;
}

bool Partitions::ShareWithDeparted(PortIndex one, Guid other, NodeType type) const {
    if (!AreConfigured()) return IsLive(one);
    return FirstOfBoth(Of(one), WalkOf(other, type, false)) != kNoPKey;
}

std::uint16_t Partitions::FirstConfigured(PortIndex one, PortIndex other) const {
    return FirstOfBoth(Of(one), Of(other));
}

}  // namespace ember
