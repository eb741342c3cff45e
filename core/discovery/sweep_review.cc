// SPDX-License-Identifier: Apache-2.0
// EmberSM: which nodes and links outlast a sweep.

#include "core/discovery/sweep_review.h"

#include <algorithm>
#include <span>

#include "core/base/assert.h"
#include "core/discovery/partly_read.h"
#include "core/fabric/port_news.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// So many sweeps make room one after the other, before one in kRoomPause does.
inline constexpr std::uint32_t kMostRooms = 16;
inline constexpr std::uint32_t kRoomPause = 64;

}  // namespace

void SweepReview::KeepPartlyReadSwitches(std::uint64_t now_us) {
    if (outcome_.targeted || outcome_.own_port_down || outcome_.cut_off) return;
    // Our own neighbor's missing answers are looked at first: with it all others would be lost.
    const bool is_cut_off = IsOwnNeighborPartlyRead(fabric_, outcome_.sweep);
    if (outcome_.silent != 0) KeepPartlyRead(fabric_, outcome_.sweep, exchange_.is_lossy());
    if (!is_cut_off) return;
    outcome_.cut_off = true;
    notes_.OwnNeighbor(fabric_.port(fabric_.own_port()), true, now_us);
}

void SweepReview::Run(const OwedRoom& owed, std::uint64_t now_us, SubnetEvents& events) {
    if (!outcome_.own_port_down) {
        if (outcome_.late != 0 || outcome_.silent != 0) KeepHosts();
        links_.Review(now_us);
    }
    FindUnsettled();
    DropUnusable(now_us, events);
    if (!outcome_.own_port_down) MakeRoom(owed, now_us, events);
    // A node that was refused because of a node that is lost now can be taken in by a new sweep.
    const bool was_refused =
        outcome_.conflicts != 0 || outcome_.refused != 0 || fabric_.shortage().is_too_large();
    if (was_refused && outcome_.nodes_lost != 0) outcome_.unsettled = true;
}

bool SweepReview::IsUnusable(const Node& node) const {
    if (node.seen != outcome_.sweep) return true;
    if (node.type == NodeType::kSwitch) {
        return fabric_.switch_row(node.switch_index).seen != outcome_.sweep ||
               fabric_.port(node.first_port).seen != outcome_.sweep;
    }
    const std::span<const Port> ports = fabric_.PortsOf(fabric_.port(node.first_port).node);
    return std::none_of(ports.begin(), ports.end(), [this](const Port& port) {
        return port.seen == outcome_.sweep || (port.linked == outcome_.sweep && IsStale(port));
    });
}

/// A known host stays as it was until its link goes down or every try has timed out. A host whose
/// NodeInfo was read, or is late, counts as met.
void SweepReview::KeepHosts() {
    ForEachPort(fabric_, [&](PortIndex at, Port& port) {
        if (port.peer == kNoPortIndex || at == fabric_.own_port()) return;
        if (IsSwitchPort(fabric_, at)) return;
        Port& exit = fabric_.port(port.peer);
        if (exit.seen != outcome_.sweep || !IsSwitchPort(fabric_, port.peer)) return;
        if (port.linked != outcome_.sweep && outcome_.late != 0) {
            port.linked = outcome_.sweep;
            exit.linked = outcome_.sweep;
            fabric_.node(port.node).seen = outcome_.sweep;
        }
        const bool is_kept = port.linked == outcome_.sweep && port.has_info;
        if (is_kept && !IsStale(port)) port.seen = outcome_.sweep;
    });
}

/// A switch that was met, but whose answers are missing: sweep again. Not for hosts and untrusted
/// switches.
void SweepReview::FindUnsettled() {
    ForEachSwitch(fabric_, [this](SwitchIndex, const Switch& row) {
        const Node& node = fabric_.node(row.node);
        const bool was_met = node.seen == outcome_.sweep && IsUnusable(node);
        if (was_met && !IsUntrustedSwitch(fabric_, node)) outcome_.unsettled = true;
    });
}

/// Removes nodes that were not met, or whose answers are missing. No question is under way: its
/// answer would name a row.
void SweepReview::DropUnusable(std::uint64_t now_us, SubnetEvents& events) {
    fabric_.RemoveNodes([&](NodeIndex, const Node& node) {
        if (!IsUnusable(node)) return false;
        notes_.LostNode(node, now_us);
        WriteOutOfService(node, now_us, events);
        return true;
    });
}

/// Writes trap 65 (out of service) for each end port of a lost node that was in service.
void SweepReview::WriteOutOfService(const Node& node, std::uint64_t now_us,
                                    SubnetEvents& events) const {
    const std::uint32_t rows = node.type == NodeType::kSwitch ? 1U : node.port_count;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const Port& port = fabric_.port(static_cast<PortIndex>(Raw(node.first_port) + i));
        if (!port.in_service) continue;
        events.Write({.trap = TrapNumber::kOutOfService,
                      .node_type = node.type,
                      .gid = {settings_.subnet_prefix, Raw(port.guid)},
                      .at_us = now_us});
    }
}

/// Forgets nodes that have room which refused nodes are owed. Nodes that keep taking each other's
/// room do not keep sweeps going for ever.
void SweepReview::MakeRoom(const OwedRoom& owed, std::uint64_t now_us, SubnetEvents& events) {
    if (outcome_.targeted) return;  // Targeted sweeps count no refusals.
    if (owed.exit == kNoPortIndex) rooms_in_a_row_ = 0;
    const bool is_paused =
        rooms_in_a_row_ >= kMostRooms && outcome_.sweep - made_room_ < kRoomPause;
    // The next sweep gives away the room of nodes that are lost.
    if (owed.exit == kNoPortIndex || is_paused || outcome_.nodes_lost != 0) return;
    donor_ = EndOf(fabric_, owed.exit);
    made_room_ = outcome_.sweep;
    ++rooms_in_a_row_;
    const std::uint32_t forgotten = ForgetDeepest(fabric_, owed, scratch_);
    if (forgotten == 0) return;
    log_.WriteSparingly<Note::kRoomMade>(now_us, forgotten, donor_.guid, donor_.port);
    outcome_.made_room = true;
    DropUnusable(now_us, events);
}

}  // namespace ember
