// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the role decides, and the end of a run.

#include "core/subnet_manager.h"

namespace ember {

void SubnetManager::Leave() {
    if (!exchange_.port_is_alive()) return;
    const std::uint64_t now_us = platform_.clock.NowUs();
    role_.Leave(now_us);
    ObeyRole(now_us);
}

/// Advances no sweep: the next master makes one of its own, as for the first time.
bool SubnetManager::HandOver() {
    const std::uint64_t now_us = platform_.clock.NowUs();
    if (role_.leaves(now_us)) {
        static_cast<void>(ReceiveSome(now_us));
        ExpireSome(now_us);
        role_.Step(now_us);
        ObeyRole(now_us);
    }
    const bool waits = registrations_.HandOver(now_us);
    return role_.leaves(now_us) || waits;
}

/// Does what the role has decided. kServe inside an election is for EndElection() to take.
void SubnetManager::ObeyRole(std::uint64_t now_us) {
    const Act act = role_.TakeAct();
    registrations_.Hear(act);
    switch (act) {
        case Act::kNothing:
        case Act::kTell:
            return;
        case Act::kLook:
            plan_.Hear(SweepCue::kRole);
            return;
        case Act::kServe:
            serve_ = true;
            if (status_.stage == Stage::kResting) plan_.Hear(SweepCue::kRole);
            return;
        case Act::kSweep:
            GiveUpSweep();
            Enter(Stage::kResting, now_us);
            plan_.Hear(SweepCue::kRole);
            return;
        case Act::kFollow:
        case Act::kSleep:
            lids_.NoteOtherMaster();
            [[fallthrough]];
        case Act::kHandOver:
        case Act::kAwait:
            GiveUpSweep();
            multicast_.Pause();  // The next master writes the tables.
            plan_.Abandon();
            status_.up = false;
            Enter(Stage::kResting, now_us);
            return;
    }
}

}  // namespace ember
