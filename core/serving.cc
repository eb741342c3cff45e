// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the subnet administrator answers from, and when.

#include "core/subnet_manager.h"

namespace ember {

/// The tables stand still while nothing is found out and nothing is programmed: then they have a
/// number, which is not given again once they have moved.
void SubnetManager::RefreshView() {
    bool moves = true;
    switch (status_.stage) {
        case Stage::kResting:
        case Stage::kElecting:
        case Stage::kLightSweep:
            moves = false;
            break;
        case Stage::kDiscovering:
        case Stage::kPreparing:
        case Stage::kProgramming:
        case Stage::kActivating:
            break;
    }
    if (moves || tables_moved_) ++generation_;  // They may have moved since the last look.
    tables_moved_ = moves;
    view_.lfts = programming_.programmed();
    view_.generation = generation_;
}

/// Answered is by the master, from the end of its first sweep on, also while it sweeps again.
bool SubnetManager::StepAdministration(std::uint64_t now_us) {
    RefreshView();
    const bool serves = role_.is_master() && !role_.is_first_sweep();
    if (serves != administration_.serves()) reports_.Begin();
    administration_.Serve(serves);
    bool more = administration_.Step(now_us);
    if (!serves) {
        records_.Rest(now_us);  // What was to be written is the next master's matter.
        return more;
    }
    more = reports_.Step(now_us) || more;
    records_.Step(now_us);  // What the answers just begun want to know of devices.
    return more;
}

void SubnetManager::StepRole(std::uint64_t now_us) {
    role_.Step(now_us);
    ObeyRole(now_us);
    if (follows_ && role_.is_succeeded()) ForsakeRegistered();
    if (status_.stage == Stage::kResting && now_us >= save_again_us_) SaveLids(now_us);
}

}  // namespace ember
