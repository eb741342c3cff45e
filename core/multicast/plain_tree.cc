// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tree where shortest paths do not make one; and the proof of all trees.

#include <algorithm>
#include <utility>

#include "core/base/assert.h"
#include "core/multicast/trees.h"

namespace ember {

/// Breadth first from the root, over switches that know multicast.
void Trees::SearchFrom(SwitchIndex root) {
    EMBER_ASSERT(root != kNoSwitch);
    std::size_t known = 0;
    memory_.queue[known++] = root;
    Meet(root).is_entered = true;
    for (std::size_t next = 0; next < known; ++next) {  // Every switch once.
        const SwitchIndex at = memory_.queue[next];
        CollectTrunks(at, 0);
        for (std::size_t t = 0; t < trunk_count_; ++t) {
            const Trunk& trunk = trunks_[t];
            Spot& spot = Meet(trunk.peer);
            if (spot.is_entered || !CanForward(trunk.peer)) continue;
            spot.is_entered = true;
            spot.before = at;
            spot.port_before = trunk.port;
            spot.port_back = trunk.peer_port;
            memory_.queue[known++] = trunk.peer;
        }
        EMBER_ASSERT(known <= memory_.queue.size());
    }
}

/// The switch is on another island: its members receive nothing.
void Trees::Lose(SwitchIndex target, TreeOutcome& outcome) {
    const MftTables::Run& run = tables_.run(target);
    EMBER_ASSERT(run.first + run.count <= memory_.draft.size());
    for (std::size_t i = run.first; i < run.first + run.count; ++i) {
        outcome.lost += static_cast<std::uint32_t>(__builtin_popcount(memory_.draft[i]));
        memory_.draft[i] = 0;
    }
}

void Trees::GrowPlain(SwitchIndex root, TreeOutcome& outcome) {
    SearchFrom(root);
    for (std::size_t i = 0; i < targets_; ++i) {
        const SwitchIndex target = memory_.targets[i];
        if (!Meet(target).is_entered) {
            Lose(target, outcome);
            continue;
        }
        // Up to the root; a path that is open already leads there. Ends: switches come nearer.
        std::size_t hops = 0;
        for (SwitchIndex at = target; at != root; ++hops) {
            const Spot& spot = Meet(at);
            Open(at, spot.port_back);
            Open(spot.before, spot.port_before);
            at = spot.before;
        }
        EMBER_ASSERT(hops < switches_);
    }
}

bool Trees::Prove(TreeOutcome& outcome) {
    EMBER_ASSERT(outcome.lost <= outcome.members);
    TreeCheck check(fabric_, tables_, memory_.checked, memory_.queue);
    std::fill(memory_.checked.begin(), memory_.checked.end(), TreeCheck::Spot{});
    SwitchIndex from = kNoSwitch;
    for (std::size_t i = 0; i < targets_ && from == kNoSwitch; ++i) {
        const MftTables::Run& run = tables_.run(memory_.targets[i]);
        for (std::size_t p = run.first; p < run.first + run.count; ++p) {
            if (memory_.draft[p] != 0) from = memory_.targets[i];
        }
    }
    if (from == kNoSwitch) return true;  // No member is reached, and none is said to be.
    const TreeCheck::Finding finding =
        check.Follow(from, memory_.draft.first(tables_.position_bound()));
    return finding.is_tree() && finding.reached == outcome.members - outcome.lost;
}

/// The tree that is programmed and the one that is wanted each have what the other has not.
bool Trees::HaveParted(MlidIndex mlid) const {
    bool has_new = false;
    bool has_old = false;
    for (std::size_t i = 0; i < tables_.position_bound(); ++i) {
        const std::uint16_t old_mask = tables_.ProgrammedMask(mlid, i);
        const std::uint16_t mask = tables_.WantedMask(mlid, i);
        has_new = has_new || (mask & ~old_mask) != 0;
        has_old = has_old || (old_mask & ~mask) != 0;
    }
    return has_new && has_old;
}

/// Either tree leaves by that port.
bool Trees::IsUsed(MlidIndex mlid, SwitchIndex at, PortNumber port) const {
    const MftTables::Run& run = tables_.run(at);
    const std::size_t part = Raw(port) / MftTables::kPorts;
    if (part >= run.count) return false;  // The switch knows no multicast.
    const std::size_t i = run.first + part;
    const unsigned masks = tables_.ProgrammedMask(mlid, i) | tables_.WantedMask(mlid, i);
    return (masks >> (Raw(port) % MftTables::kPorts) & 1U) != 0;
}

/// The link at `port` is in use and closes a loop with those before. Only links to a switch with a
/// higher row count, so that each is met once. A link in quarantine counts too: the old tree's
/// packets still pass there. A link that is up, and behind which nothing answers, may lead to a
/// switch that was lost by its silence: that still forwards by its old entries, so it counts as one
/// switch with all such links. `silent`: the switch before that has one.
bool Trees::ClosesLoop(MlidIndex mlid, SwitchIndex at, const Port& port, TreeCheck& check,
                       SwitchIndex& silent) const {
    if (port.number == kManagementPort) return false;
    if (port.peer == kNoPortIndex) {
        if (!port.has_info || !HasLink(port.info) || !IsUsed(mlid, at, port.number)) return false;
        const SwitchIndex before = std::exchange(silent, at);
        return before != kNoSwitch && (before == at || check.AddLink(before, at));
    }
    const Port& peer = fabric_.port(port.peer);
    const SwitchIndex beyond = fabric_.node(peer.node).switch_index;
    if (beyond == kNoSwitch || beyond <= at) return false;
    const bool is_there = IsUsed(mlid, at, port.number) || IsUsed(mlid, beyond, peer.number);
    return is_there && check.AddLink(at, beyond);
}

bool Trees::MayLoop(MlidIndex mlid) {
    // If one contains the other, whatever is in between is part of it.
    if (!HaveParted(mlid)) return false;
    TreeCheck check(fabric_, tables_, memory_.checked, memory_.queue);
    std::fill(memory_.checked.begin(), memory_.checked.end(), TreeCheck::Spot{});
    check.BeginLinks();
    SwitchIndex silent = kNoSwitch;
    for (std::size_t s = 0; s < switches_; ++s) {
        const SwitchIndex at = memory_.order[s];
        for (const Port& port : fabric_.PortsOf(fabric_.switch_row(at).node)) {
            if (ClosesLoop(mlid, at, port, check, silent)) return true;
        }
    }
    return false;
}

}  // namespace ember
