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

/// True when more rows than its share were met behind an exit on the path. Our own port has no
/// share: every path leads through it.
bool PortQuotas::IsCrowded(PortIndex exit) const {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (round_ >= kMostRounds || IsRoomy()) return false;
    bool is_crowded = false;
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        if (at == fabric_.own_port()) return false;
        const std::size_t ports = fabric_.node(fabric_.port(at).node).port_count;
        is_crowded = rows_[at] >= (ports * kFirstShare) << round_;
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
        const std::size_t sum = rows_[at] + rows;
        rows_[at] = static_cast<std::uint16_t>(std::min<std::size_t>(sum, 0xFFFF));
        return true;
    });
    if (!LiesBehindEndNode(fabric_, exit)) return;
    ++untrusted_nodes_;
    if (node.type == NodeType::kSwitch) ++untrusted_switches_;
    untrusted_rows_ += rows;
}

void PortQuotas::DoubleShares() {
    EMBER_ASSERT(rows_.size() != 0);
    if (round_ < kMostRounds) ++round_;
}

}  // namespace ember
