// SPDX-License-Identifier: Apache-2.0
// EmberSM: several subnet managers of this kind: who feeds whom, and what holds after a takeover.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/registrations/sa_journal.h"
#include "core/administration/registrations/sa_packing.h"
#include "core/administration/registrations/sa_replica.h"
#include "core/fabric/fabric.h"
#include "core/journal/registrations.h"
#include "core/partitions/own_p_keys.h"
#include "core/replication/feed.h"
#include "core/replication/follower.h"
#include "core/replication/heirs.h"
#include "core/replication/peers.h"
#include "core/replication/replicated_state.h"
#include "core/replication/rivals.h"
#include "core/role/role.h"

namespace ember {

/// Keeps the registrations of clients, and what else a master knows, in all subnet managers of this
/// kind.
///
/// The upkeep introduces the SMs that the role has met to ReplicationPeers. As master it keeps a
/// journal of registrations, whose log is the memory of the standbys (ReplicationFeed). As standby
/// it applies that journal to its own tables (SaReplica); when it takes over from that master,
/// Registrations keeps them.
///
/// A master packs records where a standby receives them, and a standby unpacks them where a master
/// keeps what it sends: none is both.
class ReplicationUpkeep {
public:
    /// Empty but for `peers` on a board that does not replicate.
    struct Memory {
        std::span<ReplicationPeer> peers;  ///< Limits::max_other_sms.
        std::span<std::byte> journal;      ///< Limits::replication_bytes, as the next two.
        std::span<std::byte> sent;
        std::span<std::byte> received;
        SaReplica::Memory replica;
        std::span<std::uint64_t> lid_marks;  ///< BitSet::WordsFor() max_lid + 1.
    };
    /// All outlive it.
    struct Parts {
        ReplicationPeers::Parts peers;
        Role& role;
        const OwnPKeys& own_p_keys;
        const Fabric& fabric;
        Registrations& registrations;
        LidUpkeep& lids;
        KnownMKeys& m_keys;
        FlappingLinks& flapping;
    };

    /// `settings` may change underneath.
    ReplicationUpkeep(const Memory& memory, const Parts& parts, const Settings& settings);
    ReplicationUpkeep(const ReplicationUpkeep&) = delete;
    ReplicationUpkeep& operator=(const ReplicationUpkeep&) = delete;

    /// Before the role sends an offer of the subnet: holds it as long as Heirs says.
    void HoldOffer(std::uint64_t now_us) { heirs_.HoldOffer(now_us); }
    /// Does a slice of what is due. `is_routed`: we are master, and datagrams find their way by
    /// LIDs. True: there is more to do at once.
    bool Step(bool is_routed, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;
    /// An operator wants the standby at `guid` to be master: one that has never answered a greeting
    /// is of another kind, then.
    void TakeForForeign(Guid guid, std::uint64_t now_us);
    /// Takes a datagram of kReplicationClass. False: it was dropped.
    bool Take(const Envelope& envelope, std::uint64_t now_us);

    [[nodiscard]] const ReplicationPeers& peers() const { return peers_; }
    [[nodiscard]] const Rivals& rivals() const { return rivals_; }
    [[nodiscard]] const ReplicationFeed& feed() const { return feed_; }
    [[nodiscard]] const ReplicationFollower& follower() const { return follower_; }
    /// The journal that standbys are fed with.
    [[nodiscard]] const SaJournal& journal() const { return journal_; }
    /// As master: entries of the journal that a standby which is fed has not acknowledged, up to a
    /// record more than it lacks. Of a copy that is under way, those that are ready for it.
    [[nodiscard]] std::size_t BehindEntries(const ReplicationPeer& peer) const;
    /// As master: the journal holds all that clients have registered. False while those that were
    /// asked to register again, as this master began without what the one before knew, may not
    /// have answered.
    [[nodiscard]] bool IsComplete(std::uint64_t now_us) const {
        return journal_.follows() && now_us >= answered_us_ && !owes_asking_;
    }
    /// As master, before an election and after a round: `owes`: clients are back that have yet to
    /// be asked what they had registered. A standby that takes over asks all until then.
    void SetOwesAsking(bool owes, std::uint64_t now_us);
    /// The registrations of the master that we follow are here: no client will be asked for them.
    [[nodiscard]] bool holds_replica() const {
        return parts_.registrations.replica() == Replica::kWhole;
    }
    /// The board feeds and follows.
    [[nodiscard]] bool replicates() const { return replicates_; }

private:
    [[nodiscard]] SaTables AllTables();
    [[nodiscard]] std::uint16_t PKeyIndex(Guid own) const;
    [[nodiscard]] bool IsStrict() const;
    void FollowNewMaster(std::uint64_t now_us);
    void SetMetLids();
    void MeetPeers(Guid own, std::uint64_t now_us);
    [[nodiscard]] Guid Master() const;
    [[nodiscard]] bool IsConsistentAgain() const;
    bool StepConsistency(std::uint64_t now_us);
    bool StepFeed(std::uint64_t now_us);
    void EndFeed();
    bool StepFollower(std::uint64_t now_us);
    [[nodiscard]] Status TakeRecord();
    void EndRecord(std::uint64_t now_us);
    void ForgetReplica();
    void ObserveAsking(bool is_routed, std::uint64_t now_us);
    void ObserveHandover();
    void ObserveMaster(std::uint64_t now_us);
    void JudgeReplica(std::uint64_t now_us);

    Parts parts_;
    const Settings& settings_;
    bool replicates_;
    ReplicationPeers peers_;
    ReplicatedState state_of_subnet_;
    std::span<std::byte> unpacked_;
    ReplicationFeed feed_;
    PackingLog packing_;
    SaJournal journal_;
    ReplicationFollower follower_;
    SaReplica replica_;
    Heirs heirs_;
    Rivals rivals_;
    bool is_applying_ = false;               ///< The record at hand is.
    bool was_whole_ = false;                 ///< The log was told that the replica is.
    ReplicationHello hello_;                 ///< By the master that we follow, last,
    Lid source_lid_ = kNoLid;                ///< From where,
    std::uint64_t hello_us_ = 0;             ///< at this time; 0: nothing.
    SmState state_ = SmState::kDiscovering;  ///< Our role in the last step.
    bool is_unheard_ = false;  ///< The master serves on, and its greetings do not come through.
    // Reasons for which we stand aside.
    std::array<std::uint8_t, 32> other_digest_{};  ///< Of the master's configuration.
    bool differs_in_format_ = false;
    std::uint64_t answered_us_ =
        0;                      ///< By then the clients that we asked as a master have answered.
    bool was_routed_ = false;   ///< In the last Step().
    bool owes_asking_ = false;  ///< See SetOwesAsking().
    bool takes_over_ = false;   ///< In the last one that was not: what clients registered is known.
};

}  // namespace ember
