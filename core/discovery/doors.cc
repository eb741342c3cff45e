// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many rows of tables the nodes behind one port get.

#include "core/discovery/doors.h"

#include <algorithm>

namespace ember {
namespace {

/// A table's divisor: so large a part is given out freely, and all guests get another.
inline constexpr std::size_t kPart = 8;
/// The first share of a door: rows of ports for each port of its switch.
inline constexpr std::size_t kFirstShare = 4;
/// Shares double so often at most; then no door is crowded any more.
inline constexpr unsigned kMostRounds = 16;

}  // namespace

bool IsEdgePort(const Fabric& fabric, const Settings& settings, PortIndex door) {
    const std::span<const SwitchPort> listed = settings.manager_tables.edge_ports;
    if (listed.empty() || door == kNoPortIndex) return false;
    const Port& port = fabric.port(door);
    const SwitchPort wanted{fabric.node(port.node).guid, port.number};
    const auto before = [](const SwitchPort& one, const SwitchPort& other) {
        return one.guid != other.guid ? one.guid < other.guid : one.port < other.port;
    };
    return std::binary_search(listed.begin(), listed.end(), wanted, before);
}

void Doors::Begin(Arena& scratch) {
    EMBER_ASSERT(rows_.size() == 0);
    rows_ =
        Table<PortIndex, std::uint16_t>(scratch.Take<std::uint16_t>(fabric_.limits().max_ports));
}

void Doors::Restart(bool is_targeted) {
    EMBER_ASSERT(rows_.size() != 0);
    rows_.fill(0);
    round_ = 0;
    is_targeted_ = is_targeted;
    guest_nodes_ = guest_switches_ = guest_rows_ = 0;
}

/// True while less than an eighth of each table is in use.
bool Doors::IsRoomy() const {
    return fabric_.node_count() < fabric_.limits().max_nodes / kPart &&
           fabric_.switch_count() < fabric_.limits().max_switches / kPart &&
           fabric_.ports_in_use() < fabric_.limits().max_ports / kPart;
}

bool Doors::HasGuestShareLeft() const {
    return guest_nodes_ < fabric_.limits().max_nodes / kPart &&
           guest_switches_ < fabric_.limits().max_switches / kPart &&
           guest_rows_ < fabric_.limits().max_ports / kPart;
}

/// True when more rows than its share were met behind a door on the path. Our own port has no
/// share: every path leads through it.
bool Doors::IsCrowded(PortIndex door) const {
    if (round_ >= kMostRounds || IsRoomy()) return false;
    bool is_crowded = false;
    ForEachDoorTo(fabric_, door, [&](PortIndex at) {
        if (at == fabric_.own_port()) return false;
        const std::size_t ports = fabric_.node(fabric_.port(at).node).port_count;
        is_crowded = rows_[at] >= (ports * kFirstShare) << round_;
        return !is_crowded;
    });
    return is_crowded;
}

Doors::Answer Doors::Ask(PortIndex door) const {
    if (LiesBehindEndNode(fabric_, door)) {
        // A targeted sweep counts only a part of the guests.
        if (is_targeted_ || !HasGuestShareLeft()) return Answer::kShut;
        if (round_ == 0) return Answer::kLater;
    }
    return IsCrowded(door) ? Answer::kLater : Answer::kOpen;
}

void Doors::Count(PortIndex door, const Node& node) {
    const std::size_t rows = node.port_count + (node.type == NodeType::kSwitch ? 1U : 0U);
    ForEachDoorTo(fabric_, door, [&](PortIndex at) {
        const std::size_t sum = rows_[at] + rows;
        rows_[at] = static_cast<std::uint16_t>(std::min<std::size_t>(sum, 0xFFFF));
        return true;
    });
    if (!LiesBehindEndNode(fabric_, door)) return;
    ++guest_nodes_;
    if (node.type == NodeType::kSwitch) ++guest_switches_;
    guest_rows_ += rows;
}

void Doors::OpenWider() {
    if (round_ < kMostRounds) ++round_;
}

}  // namespace ember
