// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of a multicast LID while they change.

#include "core/multicast/tree_transition.h"

#include <algorithm>
#include <utility>

namespace ember {

/// The tree that is programmed and the one that is wanted each have what the other has not.
bool TreeTransition::HaveParted() const {
    bool has_new = false;
    bool has_old = false;
    for (std::size_t i = 0; i < tables_.position_bound(); ++i) {
        const std::uint16_t old_mask = tables_.ProgrammedMask(mlid_, i);
        const std::uint16_t mask = tables_.WantedMask(mlid_, i);
        has_new = has_new || (mask & ~old_mask) != 0;
        has_old = has_old || (old_mask & ~mask) != 0;
    }
    return has_new && has_old;
}

/// Either tree leaves by that port.
bool TreeTransition::IsUsed(SwitchIndex at, PortNumber port) const {
    const MftTables::Run& run = tables_.run(at);
    const std::size_t part = Raw(port) / MftTables::kPorts;
    if (part >= run.count) return false;  // The switch knows no multicast.
    const std::size_t i = run.first + part;
    const unsigned masks = tables_.ProgrammedMask(mlid_, i) | tables_.WantedMask(mlid_, i);
    return (masks >> (Raw(port) % MftTables::kPorts) & 1U) != 0;
}

/// The link at `port` is in use and closes a loop with those before. Only links to a switch with a
/// higher row count, so that each is met once. A link in quarantine counts too: the old tree's
/// packets still pass there. A link that is up, and behind which nothing answers, may lead to a
/// switch that was lost by its silence: that still forwards by its old entries, so it counts as one
/// switch with all such links.
bool TreeTransition::ClosesLoop(SwitchIndex at, const Port& port, TreeCheck& check) {
    if (port.number == kManagementPort) return false;
    if (port.peer == kNoPortIndex) {
        if (!port.has_info || !HasLink(port.info) || !IsUsed(at, port.number)) return false;
        const SwitchIndex before = std::exchange(silent_, at);
        return before != kNoSwitch && (before == at || check.AddLink(before, at));
    }
    const Port& peer = fabric_.port(port.peer);
    const SwitchIndex beyond = fabric_.node(peer.node).switch_index;
    if (beyond == kNoSwitch || beyond <= at) return false;
    const bool is_there = IsUsed(at, port.number) || IsUsed(beyond, peer.number);
    return is_there && check.AddLink(at, beyond);
}

bool TreeTransition::MayLoop(std::span<const SwitchIndex> switches,
                             std::span<TreeCheck::Spot> spots, std::span<SwitchIndex> queue) {
    // If one contains the other, whatever is in between is part of it.
    if (!HaveParted()) return false;
    TreeCheck check(fabric_, tables_, spots, queue);
    std::fill(spots.begin(), spots.end(), TreeCheck::Spot{});
    check.BeginLinks();
    silent_ = kNoSwitch;
    for (const SwitchIndex at : switches) {
        for (const Port& port : fabric_.PortsOf(fabric_.switch_row(at).node)) {
            if (ClosesLoop(at, port, check)) return true;
        }
    }
    return false;
}

}  // namespace ember
