// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many rows of tables the nodes behind one port get.

#include "core/discovery/port_quotas.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

/// A table's divisor. This part of a table is given out freely, and untrusted switches together get
/// another such part.
inline constexpr std::size_t kPart = 8;
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

void PortQuotas::Restart(bool is_targeted, PortIndex last) {
    EMBER_ASSERT(rows_.size() != 0);
    rows_.fill(0);
    round_ = 0;
    last_ = last;
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

/// True when more rows than its share were met behind an exit on the path. Our own port has no
/// share: every path leads through it.
bool PortQuotas::IsCrowded(PortIndex exit) const {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (round_ >= kMostRounds || IsRoomy()) return false;
    bool is_crowded = false;
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        if (at == fabric_.own_port()) return false;
        is_crowded = exit_rows::Count(rows_[at]) >= FirstShareOf(fabric_, at) << round_;
        return !is_crowded;
    });
    return is_crowded;
}

/// True for an exit without a known node that lies behind the exit that owed room last.
bool PortQuotas::ComesLast(PortIndex exit) const {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (last_ == kNoPortIndex || round_ >= kMostRounds) return false;
    if (fabric_.port(exit).peer != kNoPortIndex) return false;
    bool comes_last = false;
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        comes_last = at == last_;
        return !comes_last;
    });
    return comes_last;
}

PortQuotas::Verdict PortQuotas::Judge(PortIndex exit) const {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(exit != kNoPortIndex);
    if (LiesBehindEndNode(fabric_, exit)) {
        // A targeted sweep counts only a part of the untrusted switches.
        if (is_targeted_ || !HasUntrustedShareLeft()) return Verdict::kRefused;
        if (round_ == 0) return Verdict::kLater;
    }
    return IsCrowded(exit) || ComesLast(exit) ? Verdict::kLater : Verdict::kAdmitted;
}

void PortQuotas::Count(PortIndex exit, const Node& node) {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(exit != kNoPortIndex);
    const std::size_t rows = node.port_count + (node.type == NodeType::kSwitch ? 1U : 0U);
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        const std::size_t sum = exit_rows::Count(rows_[at]) + rows;
        rows_[at] = static_cast<std::uint16_t>(std::min<std::size_t>(sum, exit_rows::kMost));
        return true;
    });
    if (!LiesBehindEndNode(fabric_, exit)) return;
    ++untrusted_nodes_;
    if (node.type == NodeType::kSwitch) ++untrusted_switches_;
    EMBER_ASSERT(untrusted_switches_ <= untrusted_nodes_);
    untrusted_rows_ += rows;
}

void PortQuotas::CountRefusal(PortIndex exit, NodeType type, std::uint8_t ports) {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(exit != kNoPortIndex);
    const bool is_switch = type == NodeType::kSwitch;
    // A host may play the switch where an end node was. Targeted sweeps count only a part.
    const bool is_suspect = is_switch && fabric_.port(exit).had_end_node;
    if (is_targeted_ || is_suspect || LiesBehindEndNode(fabric_, exit)) return;
    if (exit_rows::Count(rows_[exit]) != 0) return;  // Another node was met there.
    const std::uint16_t base = is_switch ? exit_rows::kRefusedSwitch : exit_rows::kRefusedHost;
    rows_[exit] = static_cast<std::uint16_t>(base + ports);
    EMBER_ASSERT(exit_rows::IsRefused(rows_[exit]));
    has_refused_ = true;
}

OwedRoom PortQuotas::FindOwedRoom(std::uint32_t sweep) {
    EMBER_ASSERT(rows_.size() != 0);
    return has_refused_ ? RoomDonors(fabric_, rows_).Find(sweep, last_) : OwedRoom{};
}

void PortQuotas::DoubleShares() {
    EMBER_ASSERT(rows_.size() != 0);
    if (round_ < kMostRounds) ++round_;
}

}  // namespace ember
