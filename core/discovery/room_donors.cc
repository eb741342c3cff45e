// SPDX-License-Identifier: Apache-2.0
// EmberSM: which part of the fabric has room that other nodes are owed.

#include "core/discovery/room_donors.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// The first share of an exit: rows of ports for each port of its switch.
inline constexpr std::size_t kFirstShare = 4;
/// The mark of the switches from which rings lead to the exit that owes room.
inline constexpr std::uint16_t kOwes = 0xFFFF;
static_assert(kOwes > exit_rows::kMost + 1, "marks of other switches stay below");

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

std::size_t FirstShareOf(const Fabric& fabric, PortIndex exit) {
    return fabric.node(fabric.port(exit).node).port_count * kFirstShare;
}

OwedRoom RoomDonors::Find(std::uint32_t sweep, PortIndex last) {
    EMBER_ASSERT(rows_.size() != 0);
    EMBER_ASSERT(rows_.size() >= fabric_.port_bound());
    OwedRoom owed;
    MarkRings(sweep);
    MarkDonors();
    const PortIndex exit = FindDonor(last);
    if (exit == kNoPortIndex) return owed;
    MarkSwitchesOf(exit);
    owed.exit = exit;
    ForEachRefused([&](PortIndex refused) {
        ForEachSwitchOn(refused, [&](std::uint16_t mark, std::uint16_t behind) {
            if (mark != kOwes) return true;
            AddIfOwed(refused, behind, owed);
            return false;
        });
    });
    return owed.nodes != 0 ? owed : OwedRoom{};
}

template <typename Visit>
void RoomDonors::ForEachRefused(Visit visit) const {
    for (std::size_t i = 0; i < fabric_.port_bound(); ++i) {
        const auto exit = static_cast<PortIndex>(i);
        if (fabric_.port(exit).node != kNoNode && exit_rows::IsRefused(rows_[exit])) visit(exit);
    }
}

/// Calls `visit(mark, behind)` for each switch on the path to a refused node, from the far end on,
/// until it returns false. `behind`: what the exits on no ring lead to at most, from there on.
template <typename Visit>
void RoomDonors::ForEachSwitchOn(PortIndex refused, Visit visit) const {
    std::uint16_t behind = 0;
    ForEachExitOn(fabric_, refused, [&](PortIndex at) {
        if (at == fabric_.own_port()) return false;
        behind = std::max(behind, exit_rows::Count(rows_[at]));
        return visit(MarkOf(fabric_.port(at).node), behind);
    });
}

/// Calls `visit(mark)` for the switch of `exit`, and for those on the path to it as long as the
/// links are on rings.
template <typename Visit>
void RoomDonors::ForEachSwitchByRings(PortIndex exit, Visit visit) const {
    ForEachExitOn(fabric_, exit, [&](PortIndex at) {
        const bool leads_on = at == exit || rows_[at] == exit_rows::kOnRing;
        if (at == fabric_.own_port() || !leads_on) return false;
        visit(MarkOf(fabric_.port(at).node));
        return true;
    });
}

/// The mark of a switch: no path leads out of its port 0, so that row counts nothing.
std::uint16_t& RoomDonors::MarkOf(NodeIndex at) const {
    EMBER_ASSERT(fabric_.node(at).type == NodeType::kSwitch);
    return rows_[fabric_.node(at).first_port];
}

/// Both ends of a link must have said that it is up: a link to a port that has none is a host's
/// invention.
void RoomDonors::MarkRings(std::uint32_t sweep) {
    const auto has_said_so = [&](PortIndex end) {
        const Port& port = fabric_.port(end);
        return port.linked == sweep && port.seen == sweep && HasLink(port.info) &&
               fabric_.node(port.node).type == NodeType::kSwitch;
    };
    ForEachPort(fabric_, [&](PortIndex at, const Port& port) {
        const bool is_first_end = port.peer != kNoPortIndex && Raw(at) < Raw(port.peer);
        if (is_first_end && has_said_so(at) && has_said_so(port.peer)) MarkRing(at, port.peer);
    });
}

/// A link by which neither of its switches was entered closes a ring with the paths to both.
void RoomDonors::MarkRing(PortIndex one, PortIndex other) {
    EMBER_ASSERT(one != other);
    NodeIndex near_node = fabric_.port(one).node;
    NodeIndex far_node = fabric_.port(other).node;
    if (fabric_.node(near_node).entry == other || fabric_.node(far_node).entry == one) return;
    rows_[one] = rows_[other] = exit_rows::kOnRing;
    std::size_t near_hops = HopsTo(fabric_, near_node);
    std::size_t far_hops = HopsTo(fabric_, far_node);
    // Each turn is a hop nearer to the SM, until both paths meet: the exits passed are on the ring.
    while (near_node != far_node && near_hops + far_hops != 0) {
        NodeIndex& farther = near_hops > far_hops ? near_node : far_node;
        --(near_hops > far_hops ? near_hops : far_hops);
        const PortIndex entry = fabric_.node(farther).entry;
        if (entry == kNoPortIndex) return;
        rows_[entry] = exit_rows::kOnRing;
        farther = fabric_.port(entry).node;
    }
}

/// Marks the switches on the paths to refused nodes: by 1 more than what the exits from there to
/// one of these nodes lead to.
void RoomDonors::MarkDonors() {
    ForEachRefused([this](PortIndex refused) {
        ForEachSwitchOn(refused, [](std::uint16_t& mark, std::uint16_t behind) {
            if (mark != 0 && mark <= behind + 1) return false;  // Nor is it more further on.
            mark = static_cast<std::uint16_t>(behind + 1);
            return true;
        });
    });
}

bool RoomDonors::IsDonor(PortIndex exit) const {
    EMBER_ASSERT(exit_rows::Count(rows_[exit]) != 0);
    bool is_donor = false;
    ForEachSwitchByRings(exit, [&](std::uint16_t mark) {
        is_donor = is_donor || (mark != 0 && mark < rows_[exit]);  // By 2 rows at least.
    });
    return is_donor;
}

/// The exit that leads to the most of those that owe room; kNoPortIndex: none does. Our own port
/// owes none: every path leads through it.
PortIndex RoomDonors::FindDonor(PortIndex last) const {
    PortIndex found = kNoPortIndex;
    for (std::size_t i = 0; i < fabric_.port_bound(); ++i) {
        const auto exit = static_cast<PortIndex>(i);
        const Port& port = fabric_.port(exit);
        if (port.node == kNoNode || port.number == kManagementPort) continue;
        if (exit == fabric_.own_port()) continue;
        const std::uint16_t rows = exit_rows::Count(rows_[exit]);
        if (rows == 0 || (exit != last && rows <= 2 * FirstShareOf(fabric_, exit))) continue;
        if (found != kNoPortIndex && rows <= rows_[found]) continue;
        if (IsDonor(exit)) found = exit;
    }
    return found;
}

void RoomDonors::MarkSwitchesOf(PortIndex exit) {
    ForEachSwitchByRings(exit, [](std::uint16_t& mark) { mark = kOwes; });
}

/// `behind`: what exits on the path to the refused node lead to. If it is something, the exit that
/// owes gives half of what it has more: the rest may go to the same exit.
void RoomDonors::AddIfOwed(PortIndex refused, std::uint16_t behind, OwedRoom& owed) const {
    EMBER_ASSERT(exit_rows::IsRefused(rows_[refused]));
    EMBER_ASSERT(rows_[owed.exit] <= exit_rows::kMost);
    const bool is_switch = rows_[refused] >= exit_rows::kRefusedSwitch;
    const std::uint32_t base = is_switch ? exit_rows::kRefusedSwitch : exit_rows::kRefusedHost;
    const std::uint32_t given = owed.rows + rows_[refused] - base + (is_switch ? 1U : 0U);
    const std::uint32_t has = rows_[owed.exit];
    const bool is_owed = behind == 0 ? given < has : behind < has && 2 * given <= has - behind;
    if (!is_owed) return;
    owed.rows = given;
    ++owed.nodes;
    if (is_switch) ++owed.switches;
}

}  // namespace ember
