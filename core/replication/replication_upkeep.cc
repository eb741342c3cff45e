// SPDX-License-Identifier: Apache-2.0
// EmberSM: several subnet managers of this kind: who feeds whom, and what holds after a takeover.
#include "core/replication/replication_upkeep.h"

#include <algorithm>
#include <utility>

#include "core/replication/peers_met.h"
#include "core/wire/p_key_table.h"

namespace ember {
namespace {

/// A master that answers so long after its last greeting goes on serving without telling us.
constexpr std::uint64_t kUnheardUs = 400 * kMillisecondUs;
/// A standby that still waits for a word of the master so long after the last one may have been cut
/// off from it, and it served on.
constexpr std::uint64_t kCutOffUs = 3 * kSecondUs;
/// Clients that were asked to register again have done so by then.
constexpr std::uint64_t kAnsweredUs = 3 * kSecondUs;

}  // namespace

ReplicationUpkeep::ReplicationUpkeep(const Memory& memory, const Parts& parts,
                                     const Settings& settings)
    : parts_(parts),
      settings_(settings),
      replicates_(!memory.sent.empty()),
      peers_(memory.peers, parts.peers, settings),
      state_of_subnet_(memory.lid_marks, {parts.lids, parts.m_keys, parts.flapping,
                                          parts.peers.codes, parts.peers.entropy}),
      unpacked_(memory.sent),
      feed_(memory.sent, {peers_, parts.peers.entropy, parts.peers.log}),
      packing_(memory.received, feed_),
      journal_(memory.journal, {&packing_, parts.peers.log, AllTables(), false}),
      follower_(memory.received, peers_),
      replica_(memory.replica, {parts.fabric, AllTables()}),
      heirs_({parts.role, peers_, feed_, journal_, parts.peers.log, settings}, replicates_),
      rivals_({parts.role, peers_, parts.peers.log}) {}

SaTables ReplicationUpkeep::AllTables() {
    SaTables tables = parts_.registrations.tables();
    tables.subnet = &state_of_subnet_;
    return tables;
}

/// The index of the default P_Key, of which all are members; where it is not known, the first.
std::uint16_t ReplicationUpkeep::PKeyIndex(Guid own) const {
    if (!parts_.own_p_keys.AreOf(own)) return 0;
    const std::size_t full = parts_.own_p_keys.IndexOf(kDefaultPKey);
    return full == OwnPKeys::kMost ? std::uint16_t{0} : static_cast<std::uint16_t>(full);
}

/// An SM that answers a greeting does so from where the role has met it. The master that a standby
/// follows may have been given another LID since.
void ReplicationUpkeep::SetMetLids() {
    StaticVector<Lid, StrangerBudget::kMostMet> met;
    const OtherSm* const watched = parts_.role.watched_sm();
    if (watched != nullptr && watched->lid != kNoLid) static_cast<void>(met.TryPush(watched->lid));
    for (const OtherSm& other : parts_.role.others()) {
        if (other.counts && other.lid != kNoLid) static_cast<void>(met.TryPush(other.lid));
    }
    peers_.SetMet({met.begin(), met.size()});
}

/// More of them than rows: the role, which has as many, has told of it.
void ReplicationUpkeep::MeetPeers(Guid own, std::uint64_t now_us) {
    const auto all = parts_.role.others();
    const bool lacks_lid = std::any_of(all.begin(), all.end(), [](const OtherSm& other) {
        return other.counts && other.lid == kNoLid;  // The SM came after the last round.
    });
    if (lacks_lid) SetRoleLids(parts_.fabric, parts_.role);
    const auto can_be_greeted = [](const OtherSm& other) {
        return other.counts && other.lid != kNoLid;
    };
    for (auto other = all.begin(); other != all.end(); ++other) {
        if (!can_be_greeted(*other)) continue;
        // Two ports may claim one GUID. The first is told: they must not take turns in one row.
        const bool is_double = std::any_of(all.begin(), other, [&](const OtherSm& before) {
            return can_be_greeted(before) && before.guid == other->guid;
        });
        if (is_double) continue;
        static_cast<void>(peers_.Meet(other->guid, other->lid, PKeyIndex(own), now_us));
    }
}

/// The master that we follow; kNoGuid: none.
Guid ReplicationUpkeep::Master() const {
    return parts_.role.state() == SmState::kStandby ? parts_.role.watched() : kNoGuid;
}

bool ReplicationUpkeep::Step(bool is_routed, std::uint64_t now_us) {
    if (!parts_.role.knows_own_port()) return false;
    const SmInfo own = parts_.role.manager(0);
    const Guid guid = own.Get(SmInfo::kGuid);
    peers_.SetSelf({.guid = guid,
                    .state = own.Get(SmInfo::kSmState),
                    .priority = own.Get(SmInfo::kPriority),
                    .format = replicates_ ? kReplicationFormat : std::uint16_t{0}});
    if (is_routed && peers_.is_on()) MeetPeers(guid, now_us);
    SetMetLids();
    ObserveAsking(is_routed, now_us);
    const bool is_complete = IsComplete(now_us);
    heirs_.SetComplete(is_complete);
    feed_.Report(is_complete, now_us);
    peers_.Step(is_routed, now_us);
    if (const ReplicationPeer* const master = peers_.Proved(Master());
        master != nullptr && master->hello.state == SmState::kMaster) {
        parts_.role.Confirm(master->guid, master->heard_us, master->lid);
    }
    FollowNewMaster(now_us);
    const bool wants_sweep = rivals_.Step(now_us);
    parts_.m_keys.Seek(rivals_.rival());
    if (wants_sweep) return true;
    if (StepConsistency(now_us)) return true;
    if (!replicates_) return false;
    ObserveHandover();
    if (is_routed) return StepFeed(now_us);
    EndFeed();
    return StepFollower(now_us);
}

/// The SM that we follow says that it is not master, and a proved peer that it is: the one has
/// handed over to the other. A sweep would tell no more, and may take seconds where M_Keys hide.
void ReplicationUpkeep::FollowNewMaster(std::uint64_t now_us) {
    Role& role = parts_.role;
    const OtherSm* const watched = role.watched_sm();
    if (role.state() != SmState::kStandby || watched == nullptr || role.misses() == 0) return;
    if (watched->state == SmState::kMaster) return;
    for (const ReplicationPeer& row : peers_.rows()) {
        const bool is_master =
            row.is_proved() && row.has_greeted && row.hello.state == SmState::kMaster;
        if (!is_master || row.hello_us <= role.watched_heard_us()) continue;
        role.FollowPeer(row.guid, row.lid, row.hello.priority, now_us);
        return;
    }
}

/// A master that runs our configuration is heard, or ours has become that of the master that it
/// differed from.
bool ReplicationUpkeep::IsConsistentAgain() const {
    if (settings_.configuration.digest == other_digest_ && !differs_in_format_) return true;
    const auto is_alike = [this](const ReplicationPeer& peer) {
        return peer.is_proved() && peer.has_greeted && peer.hello.state == SmState::kMaster &&
               peers_.IsConfiguredAlike(peer) && peers_.IsFormattedAlike(peer);
    };
    const std::span<const ReplicationPeer> rows = peers_.rows();
    return std::any_of(rows.begin(), rows.end(), is_alike);
}

bool ReplicationUpkeep::IsStrict() const {
    return settings_.standby_consistency == StandbyConsistency::kStrict && peers_.is_on();
}

void ReplicationUpkeep::TakeForForeign(Guid guid, std::uint64_t now_us) {
    heirs_.TakeForForeign(guid);
    static_cast<void>(heirs_.TrustHeirs(IsStrict(), now_us));  // Its role is asked next.
}

/// standby_consistency. True: our role has changed.
bool ReplicationUpkeep::StepConsistency(std::uint64_t now_us) {
    Role& role = parts_.role;
    const bool is_strict = IsStrict();
    if (heirs_.TrustHeirs(is_strict, now_us)) return true;
    if (role.stands_down()) {
        if (is_strict && !IsConsistentAgain()) return false;
        role.StandBy(now_us);
        return true;
    }
    const ReplicationPeer* const master = is_strict ? peers_.Proved(Master()) : nullptr;
    if (master == nullptr || !master->has_greeted || master->hello.state != SmState::kMaster) {
        return false;
    }
    differs_in_format_ = !peers_.IsFormattedAlike(*master);
    if (!differs_in_format_ && peers_.IsConfiguredAlike(*master)) return false;
    other_digest_ = master->hello.digest;
    return role.StandDown(now_us);
}

std::uint64_t ReplicationUpkeep::NextDeadlineUs() const {
    if (!parts_.role.knows_own_port()) return kNever;  // Step() does nothing before.
    return std::min({heirs_.NextDeadlineUs(), peers_.NextDeadlineUs(), feed_.NextDeadlineUs(),
                     journal_.NextDeadlineUs()});
}

// As master.

bool ReplicationUpkeep::StepFeed(std::uint64_t now_us) {
    if (follower_.source() != kNoGuid) ForgetReplica();
    feed_.Step(now_us);
    if (feed_.wants_generation(now_us)) {
        journal_.Begin(0);
    } else if (!journal_.rests() && !feed_.feeds_any()) {
        EndFeed();
        return false;
    }
    if (!journal_.rests()) state_of_subnet_.Step();
    if (!feed_.IsUnderWay()) journal_.AskNow(now_us);
    const bool more = journal_.Step(now_us);
    feed_.Step(now_us);
    return more;
}

std::size_t ReplicationUpkeep::BehindEntries(const ReplicationPeer& peer) const {
    if (!peer.is_fed) return 0;
    const std::size_t waiting = journal_.waiting_entries();
    if (!feed_.IsBehind(peer)) return waiting;
    return waiting + packing_.entries();
}

void ReplicationUpkeep::EndFeed() {
    if (journal_.rests()) return;
    journal_.Rest();
    feed_.Stop();
}

// As standby.

/// No standby is trusted with the subnet that lacks this, but for a bounded time.
void ReplicationUpkeep::SetOwesAsking(bool owes, std::uint64_t now_us) {
    owes_asking_ = owes;
    if (!owes || !replicates_) return;
    heirs_.SetComplete(false);
    static_cast<void>(heirs_.TrustHeirs(IsStrict(), now_us));
}

/// A master that begins to serve without what the one before knew has asked all clients. Until they
/// have answered it does not say that a standby has all: who succeeds it asks them too.
void ReplicationUpkeep::ObserveAsking(bool is_routed, std::uint64_t now_us) {
    if (!is_routed) {
        takes_over_ = parts_.registrations.taken_over_from() != kNoLid;
    } else if (!was_routed_ && !takes_over_) {
        answered_us_ = now_us + kAnsweredUs;
    }
    was_routed_ = is_routed;
}

/// A master hands over when it has told of everything, or its greetings say that changes wait. Of
/// one that has sent no greeting nothing is known.
void ReplicationUpkeep::ObserveHandover() {
    const SmState before = state_;
    state_ = parts_.role.state();
    const bool is_handed_over = before == SmState::kStandby && state_ == SmState::kMaster;
    if (!is_handed_over || parts_.registrations.replica() == Replica::kNone) return;
    if (hello_us_ != 0) return;
    parts_.registrations.JudgeReplica(Replica::kLate);
}

void ReplicationUpkeep::ForgetReplica() {
    follower_.Forget();
    replica_.Forget();
    state_of_subnet_.Forget();
    is_applying_ = false;
    was_whole_ = false;
    hello_us_ = 0;
}

/// Notes what the master that we follow says of what we are fed, and whether it still says so.
void ReplicationUpkeep::ObserveMaster(std::uint64_t now_us) {
    const ReplicationPeer* const master = peers_.Proved(Master());
    if (master != nullptr && master->has_greeted && master->guid == follower_.source()) {
        hello_ = master->hello;
        hello_us_ = master->hello_us;
        source_lid_ = master->lid;
        is_unheard_ = false;
    }
    const bool follows = Master() != kNoGuid;
    const bool serves_on = follows && parts_.role.watched_heard_us() > hello_us_ + kUnheardUs;
    const bool may_serve_on = follows && now_us > hello_us_ + kCutOffUs;
    is_unheard_ = is_unheard_ || serves_on || may_serve_on;
}

/// The replica is whole if it is all that the master has told us of, and that is all there was when
/// its last greeting came.
void ReplicationUpkeep::JudgeReplica(std::uint64_t now_us) {
    if (parts_.role.is_master()) return;  // The replica is in use.
    Replica replica = replica_.is_whole() ? Replica::kLate : Replica::kNone;
    if (replica == Replica::kNone)
        replica = std::min(parts_.registrations.replica(), Replica::kLate);
    const bool is_all = hello_us_ != 0 && !is_unheard_ && !is_applying_ && follower_.HasAll(hello_);
    if (replica_.is_whole() && is_all) replica = Replica::kWhole;
    parts_.registrations.JudgeReplica(replica, source_lid_);
    if (was_whole_ || replica != Replica::kWhole) return;
    was_whole_ = true;
    const SaTables tables = parts_.registrations.tables();
    parts_.peers.log.Write<Note::kReplicaWhole>(
        now_us, follower_.source(), tables.groups.group_count(), tables.groups.member_count(),
        tables.services.count(), tables.subscriptions.count());
}

/// A record that is here is applied also when the master has just died.
bool ReplicationUpkeep::StepFollower(std::uint64_t now_us) {
    const Guid master = Master();
    if (master != kNoGuid && follower_.source() != master) {
        if (follower_.source() != kNoGuid) ForgetReplica();
        parts_.registrations.JudgeReplica(Replica::kNone);
        return false;
    }
    if (follower_.source() == kNoGuid) return false;
    ObserveMaster(now_us);
    if (!follower_.has_record()) {
        JudgeReplica(now_us);
        return false;
    }
    if (!is_applying_) {
        if (follower_.is_first()) parts_.registrations.BeginReplica();
        if (TakeRecord() != Status::kOk) {
            ForgetReplica();  // The master feeds us anew when it misses our acknowledgement.
            return false;
        }
        is_applying_ = true;
    }
    if (replica_.Step(now_us)) return true;
    EndRecord(now_us);
    return true;
}

Status ReplicationUpkeep::TakeRecord() {
    const std::span<const std::byte> record = follower_.record();
    if (!IsPacked(record)) return replica_.Take(record);
    const Result<std::size_t> octets = UnpackFrame(record, unpacked_);
    return octets.ok() ? replica_.Take(unpacked_.first(octets.value())) : octets.status();
}

void ReplicationUpkeep::EndRecord(std::uint64_t now_us) {
    is_applying_ = false;
    Log& log = parts_.peers.log;
    if (replica_.is_overfull()) {
        log.Write<Note::kReplicaTooLarge>(now_us, follower_.source(), replica_.unusable());
        follower_.Done(PieceVerdict::kTooLarge);
        parts_.registrations.JudgeReplica(Replica::kNone);
        ForgetReplica();
        return;
    }
    follower_.Done(PieceVerdict::kWanted);
}

bool ReplicationUpkeep::Take(const Envelope& envelope, std::uint64_t now_us) {
    if (!peers_.Take(envelope, now_us)) return false;
    const ReplicationPeers::Heard& heard = peers_.heard();
    if (heard.from == kNoGuid || !replicates_) return true;
    if (heard.kind == ReplicationKind::kPieceAck) {
        feed_.Hear(heard, now_us);
    } else if (heard.from == Master()) {
        follower_.Hear(heard);
    }
    return true;
}

}  // namespace ember
