// SPDX-License-Identifier: Apache-2.0
// EmberSM: the registrations of clients, over restarts and changes of the master.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/records.h"
#include "core/administration/registrations/sa_journal.h"
#include "core/administration/registrations/sa_restorer.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/multicast/multicast_upkeep.h"
#include "core/platform.h"
#include "core/role/table.h"
#include "core/settings/settings.h"

namespace ember {

/// The part that a standby has of the registrations of the master that it follows.
enum class Replica : std::uint8_t {
    kNone,   ///< Nothing that could be used.
    kLate,   ///< Much, but not all, or some that has ended: clients are asked to register again.
    kWhole,  ///< All that was registered there, but for the last moment.
};

/// Decides when groups, members, alias GUIDs, services and subscriptions are kept, forgotten and
/// restored.
///
/// Registrations are kept while we are master, and while another SM claims to be master but has not
/// shown that it serves. The first sweep of a run restores them if no other SM has served since the
/// journal was written.
class Registrations {
public:
    /// All outlive it.
    struct Parts {
        const Fabric& fabric;
        Log& log;
        MulticastUpkeep& multicast;
        Records& records;
        StateLog* state_log = nullptr;       ///< nullptr: no registration survives a restart.
        const Calendar* calendar = nullptr;  ///< nullptr: leases are not shortened by a restart.
    };

    /// `buffer`: state_buffer_bytes. `settings` may change underneath.
    Registrations(std::span<std::byte> buffer, const Parts& parts, const Settings& settings);
    Registrations(const Registrations&) = delete;
    Registrations& operator=(const Registrations&) = delete;

    /// Takes an act of the role machine.
    void Hear(Act act);
    /// After a sweep, before LIDs are given: looks whether another manager's port bears our LID,
    /// though we gave it another one.
    void LookForOwnLid();
    /// Before anything is set after a sweep: what is known of the GUID tables of ports that may
    /// have been reset, or get another LID, holds no longer. `forgets_all`: of no port.
    void Observe(bool forgets_all);
    /// The first sweep as master has met the fabric. Call Forget(), then Restore() until it returns
    /// false.
    void BeginFirstSweep();
    /// Forgets all registrations, unless they still hold: only our own port was down for a while,
    /// or the SM that we handed over to has not shown that it serves. `merges`: a lower master has
    /// yielded to us, who served all the time: of ports that it has not taken over from us they
    /// hold too.
    void Forget(bool merges, std::uint64_t now_us);
    /// Restores a slice. True: there is more to restore.
    [[nodiscard]] bool Restore(std::uint64_t now_us);
    /// A sweep as master has ended, and clients are served.
    void Keep();
    /// Another SM manages the subnet and has shown that it serves: registrations, and the journal,
    /// hold no longer. Does nothing if no SM has claimed to be master before.
    void Discard();

    /// A master of our kind begins to send what is registered there: what is here is changed by
    /// that from now on, and no journal is kept of it.
    void BeginReplica();
    /// Sets the state for a takeover from that master. `source`: its LID; kNoLid: as told before.
    void JudgeReplica(Replica replica, Lid source = kNoLid) {
        replica_ = replica;
        if (source != kNoLid) source_ = source;
    }
    [[nodiscard]] Replica replica() const { return replica_; }
    /// In a first sweep: the LID of the master before, if what clients had registered with it is
    /// known here. None of them has to register again because of us. kNoLid: that is not so.
    [[nodiscard]] Lid taken_over_from() const { return are_taken_over_ ? source_ : kNoLid; }
    /// Since Forget(): ours hold, and only clients of the master that yielded register again. Not
    /// where it had our LID, as it forgot what we gave it, as we served beside it or because it has
    /// given ours away: its clients are not to be told from ours.
    [[nodiscard]] bool are_merged() const { return are_merged_; }
    [[nodiscard]] SaTables tables() { return TablesOf(parts_, changes_); }

    /// Writes a part of the journal that is due. True: call again soon.
    bool Step(std::uint64_t now_us) { return journal_.Step(now_us); }
    /// The process ends: writes the entries that the journal lacks. True: it waits for the disk.
    [[nodiscard]] bool HandOver(std::uint64_t now_us) { return journal_.HandOver(now_us); }
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return journal_.NextDeadlineUs(); }

    [[nodiscard]] const SaJournal& journal() const { return journal_; }
    /// The result of restoring, when this run became master first.
    [[nodiscard]] const SaRestored& restored() const { return restorer_.outcome(); }

private:
    [[nodiscard]] static SaTables TablesOf(const Parts& parts, SaStateFork& changes);
    [[nodiscard]] bool IsManagedByAnother() const;
    [[nodiscard]] bool IsOwnLidShared() const;
    [[nodiscard]] bool HasLostOwnLid() const;
    void UseReplica(std::uint64_t now_us);
    void Merge(std::uint64_t now_us);
    void LogRestored(std::uint64_t now_us);

    Parts parts_;
    const Settings& settings_;
    SaStateFork changes_;
    SaJournal journal_;
    SaRestorer restorer_;
    bool has_begun_ = false;     ///< BeginFirstSweep() was called.
    bool may_restore_ = false;   ///< In the first sweep: no other SM was master meanwhile.
    bool holds_ = false;         ///< Registrations are kept, and no other SM has served.
    bool is_succeeded_ = false;  ///< Another SM has served since we did.
    Replica replica_ = Replica::kNone;
    bool is_replica_used_ = false;  ///< As master, and the log was told.
    Lid source_ = kNoLid;           ///< Of the master that the replica is of.
    bool are_taken_over_ = false;   ///< All that was registered with the master before is ours.
    bool are_merged_ = false;       ///< See are_merged().
    bool is_lid_taken_ = false;     ///< See LookForOwnLid(); in this round.
    bool is_lid_shared_ = false;    ///< In the last round some other port bore our LID.
    bool was_lid_shared_ = false;   ///< In one before it, and since the last first sweep.
    bool follows_ = false;          ///< Another SM is master; it has not shown yet that it serves.
    bool offers_ = false;           ///< The subnet is offered to another SM.
    bool is_overruled_ = false;     ///< We were master, and handed over to the SM that we follow.
};

}  // namespace ember
