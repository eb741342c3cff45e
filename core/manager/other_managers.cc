// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet manager among others: its role, offers, and what others may have done
// meanwhile.

#include <algorithm>

#include "core/manager/subnet_manager.h"
#include "core/port_tables/devices.h"
#include "core/replication/peers_met.h"

namespace ember {
namespace {

/// A standby may have taken over from a master that did not run for so long: it does so 0.5 s after
/// the last word of the master at the earliest, and a master speaks every 50 ms.
inline constexpr std::uint64_t kAbsentUs = 400 * kMillisecondUs;
/// Where no other subnet manager was met, a new one may have come in so long.
inline constexpr std::uint64_t kLongAbsentUs = 5 * kSecondUs;
/// After so long a whole sweep shows whether it has: it is master in less than that at times.
inline constexpr std::uint64_t kNewcomerUs = kSecondUs;
/// Between two whole sweeps because ports seem to bear the LID of another master: one may lie.
inline constexpr std::uint64_t kOverruledUs = kSecondUs;
/// A sweep before an election that took so long is made again.
inline constexpr std::uint64_t kLongElectionUs = kSecondUs;

}  // namespace

namespace {

/// A host that fell silent and is back, with its link up all the while, does not know that what it
/// had registered has ended. The round that is to come asks it.
[[nodiscard]] bool OwesAsking(const Fabric& fabric, const Settings& settings) {
    bool owes = false;
    ForEachEndPort(fabric, [&](PortIndex, const Port& port) {
        const bool is_host = fabric.node(port.node).type != NodeType::kSwitch;
        if (owes || !is_host || !port.has_info || !port.fresh) return;
        const bool is_active = port.info.Get(PortInfo::kPortState) == PortState::kActive;
        const bool can_be_asked = (port.info.Get(PortInfo::kCapabilityMask) &
                                   capability_mask::kIsClientReregistrationSupported) != 0;
        owes = is_active && can_be_asked;
    });
    return owes && !settings.no_clients_rereg;
}

}  // namespace

void SubnetManager::NoteAsking(std::uint64_t now_us) {
    replication_.SetOwesAsking(OwesAsking(fabric_, settings_), now_us);
}

/// A sweep that follows a long election needs no other, unless the role has changed since.
void SubnetManager::BeginElection(std::uint64_t now_us) {
    election_began_us_ = now_us;
    if (is_elected_ && role_.is_master()) return BeginRound(now_us);
    if (role_.has_swept()) NoteAsking(now_us);
    InvitePeers(fabric_, settings_, role_, now_us);
    serve_ = false;
    Enter(Stage::kElecting, now_us);
    role_.Step(now_us);
}

void SubnetManager::EndElection(std::uint64_t now_us) {
    role_.Conclude(now_us);
    ObeyRole(now_us);  // Anything but kServe gives the sweep up, and the stage is kResting.
    if (status_.stage != Stage::kElecting) return;
    const bool goes_on = serve_ && role_.is_master();
    serve_ = false;
    if (!goes_on || after_light_sweep_) {
        AfterSweep(true, now_us);
        return;
    }
    // No trap has told a new master what has changed while others were waited for.
    if (role_.is_first_sweep() && now_us - election_began_us_ >= kLongElectionUs) {
        Enter(Stage::kResting, now_us);
        plan_.Hear(SweepCue::kRole);
        BeginHeavySweep(now_us);
        is_elected_ = true;
        return;
    }
    BeginRound(now_us);
}

void SubnetManager::BeginRound(std::uint64_t now_us) {
    Enter(Stage::kPreparing, now_us);
    round_.Begin(status_.last_reason, election_began_us_, now_us);
}

void SubnetManager::Leave() {
    if (!exchange_.port_is_alive()) return;
    const std::uint64_t now_us = platform_.clock.NowUs();
    role_.Leave(now_us);
    ObeyRole(now_us);
}

Role::Offer SubnetManager::OfferTo(Guid standby) {
    if (!exchange_.port_is_alive()) return Role::Offer::kBusy;
    const std::uint64_t now_us = platform_.clock.NowUs();
    replication_.TakeForForeign(standby, now_us);
    const Role::Offer offer = role_.OfferTo(standby, now_us);
    ObeyRole(now_us);
    return offer;
}

void SubnetManager::SetPriority(std::uint8_t priority) {
    const std::uint64_t now_us = platform_.clock.NowUs();
    role_.SetPriority(priority, now_us);
    ObeyRole(now_us);
}

/// Advances no sweep: the next master makes one of its own, as for the first time. A standby is
/// told before what it does not know yet.
bool SubnetManager::HandOver() {
    const std::uint64_t now_us = platform_.clock.NowUs();
    if (role_.leaves(now_us)) {
        static_cast<void>(ReceiveSome(now_us));
        ExpireSome(now_us);
        replication_.HoldOffer(now_us);
        role_.Step(now_us);
        static_cast<void>(replication_.Step(role_.has_swept(), now_us));
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
        case Act::kSendTrap:
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

/// The process was stopped, or its machine was. Another subnet manager may be master by now, and
/// what we were about to write was decided on a subnet as it was before. So nothing is written, and
/// no client is answered, before a whole sweep has shown who is master and what was set meanwhile.
void SubnetManager::ObserveAbsence(std::uint64_t now_us) {
    const std::uint64_t absent_us = now_us - std::min(now_us, due_us_);
    const auto others = role_.others();
    const bool has_others = std::any_of(others.begin(), others.end(),
                                        [](const OtherSm& other) { return other.counts; });
    if (absent_us < (has_others ? kAbsentUs : kLongAbsentUs)) {
        if (absent_us >= kNewcomerUs && MaySweep()) plan_.Hear(SweepCue::kRole);
        return;
    }
    due_us_ = now_us;
    if (!MaySweep() || !exchange_.port_is_alive()) return;
    log_.Write<Note::kWasAbsent>(now_us, absent_us / kMillisecondUs);
    role_.SuspectOtherMaster();
    GiveUpSweep();
    multicast_.Pause();
    Enter(Stage::kResting, now_us);
    plan_.Hear(SweepCue::kRole);
}

/// A targeted sweep met a port that bears the LID of another master by now: that one may have
/// written any switch.
bool SubnetManager::IsOverruled(std::uint64_t now_us) {
    if (!role_.has_swept() || now_us < next_overruled_us_) return false;
    bool is_overruled = false;
    ForEachEndPort(fabric_, [&](PortIndex at, const Port& port) {
        const bool was_ours = port.touched && !port.fresh && port.has_info;
        is_overruled = is_overruled || (was_ours && BearsOtherMaster(fabric_, at));
    });
    if (is_overruled) next_overruled_us_ = now_us + kOverruledUs;
    return is_overruled;
}

}  // namespace ember
