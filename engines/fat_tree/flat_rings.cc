// SPDX-License-Identifier: Apache-2.0
// EmberSM: rings of switches that are equally far from the leaf switches.

#include "engines/fat_tree/flat_rings.h"

#include <algorithm>

namespace ember {

void FlatRings::Begin(const RoutingTask& task) {
    task_ = task;
    has_levels_ = has_one_ = false;
    next_ = 0;
    levels_.Begin(task, UpDownRule::kFromLeaves);
    parents_ = task.scratch->Take<SwitchIndex>(task.topology->switch_bound());
    for (std::size_t i = 0; i < parents_.size(); ++i) {
        parents_[i] = static_cast<SwitchIndex>(i);
    }
}

Progress FlatRings::Advance() {
    if (!has_levels_) {
        has_levels_ = levels_.Advance() == Progress::kDone;
        return has_levels_ && !levels_.has_flat_link() ? Progress::kDone : Progress::kMore;
    }
    const auto switches = levels_.by_level();
    const std::size_t end = std::min(next_ + kSwitchesPerSlice, switches.size());
    for (; next_ < end && !has_one_; ++next_) {
        Join(switches[next_]);
    }
    return has_one_ || next_ == switches.size() ? Progress::kDone : Progress::kMore;
}

/// Joins a switch to its neighbors of the same level, each pair once. A neighbor that is of its
/// group already closes a ring.
void FlatRings::Join(SwitchIndex here) {
    const auto trunks = task_.topology->trunks(here);
    for (std::size_t i = 0; i < trunks.size(); ++i) {
        const SwitchIndex peer = trunks[i].peer;
        if (Raw(peer) <= Raw(here) || levels_.level(peer) != levels_.level(here)) continue;
        const auto same = [peer](const Trunk& trunk) { return trunk.peer == peer; };
        if (std::any_of(trunks.begin(), trunks.begin() + static_cast<std::ptrdiff_t>(i), same)) {
            continue;
        }
        const SwitchIndex one = Representative(here);
        const SwitchIndex other = Representative(peer);
        if (one == other) has_one_ = true;
        parents_[Raw(one)] = other;
    }
}

/// The switch that represents the group of `at`. Every second switch on the path is linked to the
/// next but one, so paths stay short (path halving).
SwitchIndex FlatRings::Representative(SwitchIndex at) {
    while (parents_[Raw(at)] != at) {  // Ends: these paths have no loop.
        parents_[Raw(at)] = parents_[Raw(parents_[Raw(at)])];
        at = parents_[Raw(at)];
    }
    return at;
}

}  // namespace ember
