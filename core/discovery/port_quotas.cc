// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many rows of tables the nodes behind one port get.

#include "core/discovery/port_quotas.h"

#include <algorithm>

namespace ember {
namespace {

/// A table's divisor. This part of a table is given out freely, and untrusted switches together get
/// another such part.
inline constexpr std::size_t kPart = 8;
/// The first share of an exit: rows of ports for each port of its switch.
inline constexpr std::size_t kFirstShare = 4;
/// Shares double this often at most. After that no exit is crowded.
inline constexpr unsigned kMostRounds = 16;

/// Exits on the path to a node.
std::size_t HopsTo(const Fabric& fabric, NodeIndex at) {
    std::size_t hops = 0;
    ForEachExitOn(fabric, fabric.node(at).entry, [&hops](PortIndex) {
        ++hops;
        return true;
    });
    return hops;
}

}  // namespace

bool IsEdgePort(const Fabric& fabric, const Settings& settings, PortIndex exit) {
    const std::span<const SwitchPort> listed = settings.manager_tables.edge_ports;
    if (listed.empty() || exit == kNoPortIndex) return false;
    const Port& port = fabric.port(exit);
    const SwitchPort wanted{fabric.node(port.node).guid, port.number};
    const auto before = [](const SwitchPort& one, const SwitchPort& other) {
        return one.guid != other.guid ? one.guid < other.guid : one.port < other.port;
    };
    return std::binary_search(listed.begin(), listed.end(), wanted, before);
}

void PortQuotas::Begin(Arena& scratch) {
    EMBER_ASSERT(rows_.size() == 0);
    rows_ =
        Table<PortIndex, std::uint16_t>(scratch.Take<std::uint16_t>(fabric_.limits().max_ports));
}

void PortQuotas::Restart(bool is_targeted) {
    EMBER_ASSERT(rows_.size() != 0);
    rows_.fill(0);
    round_ = 0;
    is_targeted_ = is_targeted;
    has_refused_ = false;
    untrusted_nodes_ = untrusted_switches_ = untrusted_rows_ = 0;
}

/// True while less than an eighth of each table is in use.
bool PortQuotas::IsRoomy() const {
    return fabric_.node_count() < fabric_.limits().max_nodes / kPart &&
           fabric_.switch_count() < fabric_.limits().max_switches / kPart &&
           fabric_.ports_in_use() < fabric_.limits().max_ports / kPart;
}

bool PortQuotas::HasUntrustedShareLeft() const {
    return untrusted_nodes_ < fabric_.limits().max_nodes / kPart &&
           untrusted_switches_ < fabric_.limits().max_switches / kPart &&
           untrusted_rows_ < fabric_.limits().max_ports / kPart;
}

std::size_t PortQuotas::FirstShareOf(PortIndex exit) const {
    return fabric_.node(fabric_.port(exit).node).port_count * kFirstShare;
}

std::uint16_t PortQuotas::RowsBehind(PortIndex exit) const {
    return rows_[exit] == kRefused ? std::uint16_t{0} : rows_[exit];
}

/// True when more than twice the first share is behind `exit`, and only behind that. Our own port
/// has no share: every path leads through it.
bool PortQuotas::IsCrowding(PortIndex exit) const {
    if (exit == fabric_.own_port() || rows_[exit] == kOnRing) return false;
    return RowsBehind(exit) > 2 * FirstShareOf(exit);
}

/// The mark of a switch: no path leads out of its port 0, so that row counts nothing.
std::uint16_t& PortQuotas::MarkOf(NodeIndex at) {
    EMBER_ASSERT(fabric_.node(at).type == NodeType::kSwitch);
    return rows_[fabric_.IndexOf(fabric_.PortsOf(at).front())];
}

/// Marks the switches that owe room to the node that was refused behind `exit`: those on the path
/// to it, up to an exit that has its first share already.
void PortQuotas::MarkDebtors(PortIndex exit) {
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        if (at == fabric_.own_port()) return false;
        if (rows_[at] != kOnRing && RowsBehind(at) >= FirstShareOf(at)) return false;
        std::uint16_t& mark = MarkOf(fabric_.port(at).node);
        const bool is_new = mark != kOnRing;
        mark = kOnRing;
        return is_new;
    });
}

/// True when the switch owes room, or a path of rings leads to it from one that does.
bool PortQuotas::IsDebtor(NodeIndex at) {
    if (MarkOf(at) == kOnRing) return true;
    bool is_debtor = false;
    ForEachExitOn(fabric_, fabric_.node(at).entry, [&](PortIndex exit) {
        if (exit == fabric_.own_port() || rows_[exit] != kOnRing) return false;
        is_debtor = MarkOf(fabric_.port(exit).node) == kOnRing;
        return !is_debtor;
    });
    return is_debtor;
}

/// True when more rows than its share were met behind an exit on the path. Our own port has no
/// share: every path leads through it.
bool PortQuotas::IsCrowded(PortIndex exit) const {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (round_ >= kMostRounds || IsRoomy()) return false;
    bool is_crowded = false;
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        if (at == fabric_.own_port()) return false;
        if (rows_[at] == kOnRing) return true;
        is_crowded = RowsBehind(at) >= FirstShareOf(at) << round_;
        return !is_crowded;
    });
    return is_crowded;
}

PortQuotas::Verdict PortQuotas::Judge(PortIndex exit) const {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(exit != kNoPortIndex);
    if (LiesBehindEndNode(fabric_, exit)) {
        // A targeted sweep counts only a part of the untrusted switches.
        if (is_targeted_ || !HasUntrustedShareLeft()) return Verdict::kRefused;
        if (round_ == 0) return Verdict::kLater;
    }
    return IsCrowded(exit) ? Verdict::kLater : Verdict::kAdmitted;
}

void PortQuotas::Count(PortIndex exit, const Node& node) {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(exit != kNoPortIndex);
    const std::size_t rows = node.port_count + (node.type == NodeType::kSwitch ? 1U : 0U);
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        if (rows_[at] == kOnRing) return true;
        const std::size_t sum = RowsBehind(at) + rows;
        rows_[at] = static_cast<std::uint16_t>(std::min<std::size_t>(sum, kRefused - 1));
        return true;
    });
    if (!LiesBehindEndNode(fabric_, exit)) return;
    ++untrusted_nodes_;
    if (node.type == NodeType::kSwitch) ++untrusted_switches_;
    untrusted_rows_ += rows;
}

void PortQuotas::CountLink(PortIndex one, PortIndex other) {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(one != kNoPortIndex && other != kNoPortIndex);
    NodeIndex near_node = fabric_.port(one).node;
    NodeIndex far_node = fabric_.port(other).node;
    if (fabric_.node(near_node).entry == other || fabric_.node(far_node).entry == one) return;
    rows_[one] = rows_[other] = kOnRing;
    std::size_t near_hops = HopsTo(fabric_, near_node);
    std::size_t far_hops = HopsTo(fabric_, far_node);
    // Each turn is a hop nearer to the SM, until both paths meet: the exits passed are on the ring.
    while (near_node != far_node && near_hops + far_hops != 0) {
        NodeIndex& farther = near_hops > far_hops ? near_node : far_node;
        --(near_hops > far_hops ? near_hops : far_hops);
        const PortIndex entry = fabric_.node(farther).entry;
        if (entry == kNoPortIndex) return;
        rows_[entry] = kOnRing;
        farther = fabric_.port(entry).node;
    }
}

void PortQuotas::CountRefusal(PortIndex exit, NodeType type) {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(exit != kNoPortIndex);
    // A host may play the switch where an end node was. Targeted sweeps count only a part.
    const bool is_doubtful = type == NodeType::kSwitch && fabric_.port(exit).had_end_node;
    if (is_targeted_ || is_doubtful || LiesBehindEndNode(fabric_, exit)) return;
    if (rows_[exit] == 0) rows_[exit] = kRefused;
    has_refused_ = true;
}

PortIndex PortQuotas::FindCrowdingExit() {
    EMBER_ASSERT(rows_.size() != 0);
    PortIndex found = kNoPortIndex;
    if (!has_refused_) return found;
    const auto for_each_exit = [this](auto visit) {
        for (std::size_t i = 0; i < fabric_.port_bound(); ++i) {
            const auto exit = static_cast<PortIndex>(i);
            if (fabric_.port(exit).node != kNoNode) visit(exit);
        }
    };
    for_each_exit([this](PortIndex exit) {
        if (rows_[exit] == kRefused) MarkDebtors(exit);
    });
    for_each_exit([&](PortIndex exit) {
        if (!IsCrowding(exit)) return;
        if (found != kNoPortIndex && rows_[exit] <= rows_[found]) return;
        if (IsDebtor(fabric_.port(exit).node)) found = exit;
    });
    return found;
}

void PortQuotas::DoubleShares() {
    EMBER_ASSERT(rows_.size() != 0);
    if (round_ < kMostRounds) ++round_;
}

}  // namespace ember
