// SPDX-License-Identifier: Apache-2.0
// EmberSM: what happens to managers in a story.
#include <algorithm>

#include "tests/swarm/picks.h"
#include "tests/swarm/site.h"
#include "tests/swarm/swarm.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

using net::Random;

/// Spoils what the disk holds when the manager comes back, or nothing.
void SpoilDisk(Swarm& swarm, std::size_t seat, Random& random) {
    sim::SimStore& store = swarm.world().store(seat);
    testing::SimStateLog& log = swarm.world().state_log(seat);
    switch (random.Below(8)) {
        case 0:
            swarm.Tell("  LIDs forgotten");
            store.Forget(StoreSlot::kGuidToLid);
            return;
        case 1:
            swarm.Tell("  LIDs damaged");
            store.Damage(StoreSlot::kGuidToLid);
            return;
        case 2:
            swarm.Tell("  LIDs of some time ago");
            if (swarm.OldLids(seat).empty()) return;
            static_cast<void>(store.Save(StoreSlot::kGuidToLid, swarm.OldLids(seat)));
            return;
        case 3:
            swarm.Tell("  registrations of some time ago");
            if (!swarm.OldLog(seat).empty()) log.Put(swarm.OldLog(seat));
            return;
        case 4:
            swarm.Tell("  registrations torn");
            if (log.octets().empty()) return;
            log.octets().resize(random.Below(static_cast<std::uint32_t>(log.octets().size())));
            return;
        case 5: {
            swarm.Tell("  registrations damaged");
            if (log.octets().empty()) return;
            const auto at = random.Below(static_cast<std::uint32_t>(log.octets().size()));
            log.octets()[at] ^= static_cast<std::byte>(1 + random.Below(255));
            return;
        }
        default:
            return;
    }
}

}  // namespace

void RestartManager(Swarm& swarm, Random& random) {
    const std::size_t seat = PickSeat(swarm, random);
    swarm.Tell("  manager " + std::to_string(seat));
    swarm.Kill(seat);
    SpoilDisk(swarm, seat, random);
    swarm.Restart(seat);
}

void KillManager(Swarm& swarm, Random& random) {
    const std::size_t seat = PickSeat(swarm, random);
    swarm.Tell("  manager " + std::to_string(seat));
    swarm.Kill(seat);
    SpoilDisk(swarm, seat, random);
    swarm.Later(random.Next() % (8 * kSecond), [&swarm, seat] {
        if (!swarm.world().alive(seat)) swarm.Restart(seat);
    });
}

/// Keys and LMC stay; all else may be different, at once or from the next start on.
void ReconfigureManager(Swarm& swarm, Random& random) {
    const std::size_t seat = PickSeat(swarm, random);
    Settings common;
    const Settings& now = swarm.common();
    common.sm_key = now.sm_key;
    common.sa_key = now.sa_key;
    common.m_key = now.m_key;
    common.m_key_protection_level = now.m_key_protection_level;
    common.lmc = now.lmc;
    common.disable_multicast = now.disable_multicast;
    common.replication_key = now.replication_key;
    Settings drawn = DrawSettings(random, common);
    swarm.site().PutInto(drawn);
    swarm.world().Reconfigure(drawn, seat);
    if (!swarm.world().alive(seat)) return;
    swarm.world().sm(seat).Configure(drawn);
    swarm.world().Wake(seat);
}

/// As by SIGSTOP and SIGCONT.
void HangManager(Swarm& swarm, Random& random) {
    const std::size_t seat = PickSeat(swarm, random);
    const std::uint64_t while_us = 100 * kMs + random.Next() % (6 * kSecond);
    if (!swarm.world().alive(seat)) return;
    swarm.Tell("  manager " + std::to_string(seat));
    swarm.Hang(seat);
    swarm.Later(while_us, [&swarm, seat] { swarm.world().WakeUp(seat); });
}

/// Each switch falls to one side or the other; all cables between the sides are out for a while.
void PartSubnet(Swarm& swarm, Random& random) {
    std::vector<bool> is_there(swarm.hardware().node_count());
    for (std::size_t i = 0; i < is_there.size(); ++i) {
        is_there[i] = random.Below(2) == 0;
    }
    const std::uint64_t while_us = 200 * kMs + random.Next() % (8 * kSecond);
    for (const std::uint32_t row : swarm.trunks()) {
        const std::uint32_t one = swarm.hardware().port(row).node;
        const std::uint32_t other = swarm.hardware().port(swarm.hardware().Wired(row)).node;
        if (is_there[one] == is_there[other] || swarm.hardware().port(row).cut) continue;
        swarm.Part(sim::FabricSim::Action::kCut, row);
        swarm.Later(while_us, [&swarm, row] {
            if (swarm.hardware().port(row).cut) swarm.sim().Do(sim::FabricSim::Action::kJoin, row);
        });
    }
}

void ChangePriority(Swarm& swarm, Random& random) {
    const std::size_t seat = PickSeat(swarm, random);
    const auto priority = static_cast<std::uint8_t>(random.Below(16));
    if (!swarm.world().alive(seat)) return;
    swarm.Tell("  manager " + std::to_string(seat) + " has " + std::to_string(priority));
    swarm.world().sm(seat).SetPriority(priority);
    swarm.world().Wake(seat);
}

void HandOver(Swarm& swarm, Random& random) {
    const std::size_t to = PickSeat(swarm, random);
    const SeatPlan& plan = swarm.story().seats[to];
    const Guid guid = swarm.hardware().port(swarm.sim().RowOf(plan.node, plan.port)).guid;
    for (std::size_t seat = 0; seat < swarm.seats(); ++seat) {
        if (!swarm.world().alive(seat) || !swarm.world().sm(seat).role().is_master()) continue;
        if (swarm.world().sm(seat).OfferTo(guid) != Role::Offer::kMade) continue;
        swarm.Tell("  from " + std::to_string(seat) + " to " + std::to_string(to));
        swarm.world().Wake(seat);
    }
}

void AskForSweep(Swarm& swarm, Random& random) {
    const std::size_t seat = PickSeat(swarm, random);
    if (!swarm.world().alive(seat)) return;
    swarm.world().sm(seat).RequestSweep(random.Below(2) == 0 ? SweepCue::kHeavyRequest
                                                             : SweepCue::kLightRequest);
    swarm.world().Wake(seat);
}

void BreakStore(Swarm& swarm, Random& random) {
    const std::size_t seat = PickSeat(swarm, random);
    sim::SimStore& store = swarm.world().store(seat);
    testing::SimStateLog& log = swarm.world().state_log(seat);
    const bool is_slow = random.Below(2) == 0;
    store.SetBroken(!is_slow);
    log.SetBroken(!is_slow);
    if (is_slow) {
        store.SetBusy(20);
        log.SetBusy(20);
    }
    swarm.Later(random.Next() % (3 * kSecond), [&store, &log] {
        store.SetBroken(false);
        log.SetBroken(false);
    });
}

}  // namespace ember::swarm
