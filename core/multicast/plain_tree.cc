// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tree where shortest paths do not make one; and the proof of all trees.

#include <algorithm>

#include "core/base/assert.h"
#include "core/multicast/tree_transition.h"
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

bool Trees::MayLoop(MlidIndex mlid) {
    TreeTransition transition(fabric_, tables_, mlid);
    return transition.MayLoop(memory_.order.first(switches_), memory_.checked, memory_.queue);
}

}  // namespace ember
