// SPDX-License-Identifier: Apache-2.0
// EmberSM: trees of which all are parts of one: of unicast's paths to a switch, or breadth first.

#include <algorithm>
#include <limits>

#include "core/base/assert.h"
#include "core/multicast/trees.h"

namespace ember {

/// By distance and then in the order of switches. Looks once at each pair of a switch and a switch
/// with members.
void Trees::FindRoot(MlidIndex mlid, Roots& roots) {
    TreeOutcome outcome;
    Gather(mlid, outcome);
    const Roots last = roots;
    roots.root = kNoSwitch;
    std::uint64_t nearest = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t i = 0; i < switches_; ++i) {
        const SwitchIndex at = memory_.order[i];
        if (!CanForward(at) || Farthest(at, kNoHops) >= kNoHops) continue;
        const std::uint64_t distance = DistanceToAll(at);
        const bool was_before =
            distance < last.distance || (distance == last.distance && i < last.place);
        if (was_before || distance >= nearest) continue;
        nearest = distance;
        roots = {.distance = distance, .place = i + 1, .root = at};
    }
}

/// Opens the links of the unicast path, as far as a switch that a path before led through. False:
/// it leads to no switch that can forward, or not to the root.
bool Trees::FollowUnicast(SwitchIndex from, SwitchIndex root,
                          Matrix<SwitchIndex, const std::uint8_t> lfts) {
    const Lid lid = fabric_.port(fabric_.ManagementPortOf(root)).lid;
    if (Raw(lid) >= lfts.stride()) return false;
    SwitchIndex at = from;
    for (std::size_t hops = 0; hops < switches_; ++hops) {
        Spot& spot = Meet(at);
        if (spot.is_entered) return true;
        spot.is_entered = true;
        if (Raw(at) >= lfts.rows()) return false;
        const auto number = static_cast<PortNumber>(lfts[at][Raw(lid)]);
        CollectTrunks(at, 0);
        std::size_t t = 0;
        while (t < trunk_count_ && trunks_[t].port != number) {
            ++t;
        }
        if (t == trunk_count_ || !CanForward(trunks_[t].peer)) return false;
        Open(at, number);
        Open(trunks_[t].peer, trunks_[t].peer_port);
        at = trunks_[t].peer;
    }
    return false;
}

bool Trees::GrowAlong(SwitchIndex root, Matrix<SwitchIndex, const std::uint8_t> lfts) {
    Meet(root).is_entered = true;
    for (std::size_t i = 0; i < targets_; ++i) {
        if (!FollowUnicast(memory_.targets[i], root, lfts)) return false;
    }
    return true;
}

TreeOutcome Trees::PlanAlong(MlidIndex mlid, SwitchIndex root,
                             Matrix<SwitchIndex, const std::uint8_t> lfts) {
    TreeOutcome outcome;
    Gather(mlid, outcome);
    const bool has_two = outcome.members - outcome.lost >= 2;
    if (!has_two) std::fill_n(memory_.draft.begin(), tables_.position_bound(), std::uint16_t{0});
    outcome.is_refused = has_two && !(CanForward(root) && GrowAlong(root, lfts) && Prove(outcome));
    if (!outcome.is_refused) Publish(mlid, outcome);
    return outcome;
}

TreeOutcome Trees::PlanFrom(MlidIndex mlid, SwitchIndex root) {
    TreeOutcome outcome{.is_plain = true};
    Gather(mlid, outcome);
    const bool has_two = outcome.members - outcome.lost >= 2;
    if (!has_two) std::fill_n(memory_.draft.begin(), tables_.position_bound(), std::uint16_t{0});
    outcome.is_refused = has_two && !CanForward(root);
    if (outcome.is_refused) return outcome;
    if (has_two) {
        GrowPlain(root, outcome);
        outcome.is_refused = !Prove(outcome);
    }
    if (!outcome.is_refused) Publish(mlid, outcome);
    return outcome;
}

}  // namespace ember
