// SPDX-License-Identifier: Apache-2.0
// EmberSM: the registrations of clients, over restarts and changes of the master.

#include "core/journal/registrations.h"

#include <utility>

#include "core/base/assert.h"
#include "core/port_tables/devices.h"

namespace ember {

Registrations::Registrations(std::span<std::byte> buffer, const Parts& parts,
                             const Settings& settings)
    : parts_(parts),
      settings_(settings),
      journal_(buffer, SaJournal::Parts{parts.state_log, parts.log, TablesOf(parts, changes_)}),
      restorer_(buffer,
                SaRestorer::Parts{parts.state_log, parts.fabric, TablesOf(parts, changes_)}) {}

SaTables Registrations::TablesOf(const Parts& parts, SaStateFork& changes) {
    return {parts.multicast.groups(), parts.records.aliases(), parts.records.services(),
            parts.records.subscriptions(), changes};
}

void Registrations::Hear(Act act) {
    switch (act) {
        case Act::kNothing:
        case Act::kSendTrap:
        case Act::kLook:
        case Act::kSweep:
            break;
        case Act::kFollow:
        case Act::kSleep:
            follows_ = true;
            are_taken_over_ = is_replica_used_ = false;
            is_overruled_ = is_overruled_ || offers_;
            offers_ = false;
            break;
        case Act::kHandOver:
            offers_ = true;
            break;
        case Act::kServe:
        case Act::kAwait:
            offers_ = false;
            break;
    }
}

void Registrations::Observe(bool forgets_all) {
    const Fabric& fabric = parts_.fabric;
    was_lid_shared_ = was_lid_shared_ || is_lid_shared_;
    is_lid_shared_ = IsOwnLidShared();
    parts_.records.guid_tables().Observe([&](PortIndex at) {
        const Port& port = fabric.port(at);
        return !forgets_all && HasOurTables(fabric, at) &&
               port.info.Get(PortInfo::kLid) == port.lid;
    });
}

void Registrations::BeginFirstSweep() {
    may_restore_ = (may_restore_ || !has_begun_) && !is_succeeded_;
    has_begun_ = true;
}

/// True when some switch has the LID of another SM in MasterSMLID: that SM may have been master
/// while our own port had no link.
bool Registrations::IsManagedByAnother() const {
    EMBER_ASSERT(parts_.fabric.own_port() != kNoPortIndex);
    const Fabric& fabric = parts_.fabric;
    const Lid own = fabric.port(fabric.own_port()).lid;
    bool is_foreign = false;
    ForEachEndPort(fabric, [&](PortIndex, const Port& port) {
        if (!port.has_info || fabric.node(port.node).type != NodeType::kSwitch) return;
        const Lid master = port.info.Get(PortInfo::kMasterSmLid);
        is_foreign = is_foreign || (master != kNoLid && master != own);
    });
    return is_foreign;
}

void Registrations::Forget(bool merges, std::uint64_t now_us) {
    EMBER_ASSERT(has_begun_);
    are_taken_over_ = are_taken_over_ && replica_ != Replica::kNone;
    const bool was_lid_shared = std::exchange(was_lid_shared_, false);
    are_merged_ = false;
    if (replica_ != Replica::kNone) return UseReplica(now_us);
    const bool is_ambiguous = was_lid_shared || is_lid_taken_ || HasLostOwnLid();
    are_merged_ = merges && holds_ && !is_ambiguous;
    if (merges && holds_) return Merge(now_us);
    if (holds_ && (is_overruled_ || !IsManagedByAnother())) return;
    holds_ = false;
    journal_.Rest();
    parts_.multicast.Forget();
    parts_.records.Forget();
    // A standby that has followed a real master, even for a short time, does not restore the
    // journal of an earlier run.
    if (follows_ && IsManagedByAnother()) may_restore_ = false;
    if (!may_restore_) {
        parts_.multicast.HoldTables();
        return;
    }
    const Calendar* const calendar = parts_.calendar;
    restorer_.Begin({.octets = settings_.manager_tables.registrations,
                     .unix_s = calendar == nullptr ? 0 : calendar->UnixSeconds()});
}

void Registrations::UseReplica(std::uint64_t now_us) {
    EMBER_ASSERT(replica_ != Replica::kNone);
    may_restore_ = false;
    if (is_replica_used_) return;
    is_replica_used_ = true;
    are_taken_over_ = replica_ == Replica::kWhole;
    const SaTables all = tables();
    const std::size_t groups = all.groups.group_count();
    const std::size_t members = all.groups.member_count();
    const std::size_t services = all.services.count();
    const std::size_t subscriptions = all.subscriptions.count();
    if (are_taken_over_) {
        parts_.log.Write<Note::kReplicaUsed>(now_us, groups, members, services, subscriptions);
    } else {
        parts_.log.Write<Note::kReplicaLate>(now_us, groups, members, services, subscriptions);
    }
}

/// True when some other port bears our LID. Two subnets that were apart may have given it twice, to
/// both masters: then no port says which of them has set it.
bool Registrations::IsOwnLidShared() const {
    const Fabric& fabric = parts_.fabric;
    EMBER_ASSERT(fabric.own_port() != kNoPortIndex);
    const Lid own = fabric.port(fabric.own_port()).lid;
    bool is_shared = false;
    ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
        const bool bears = port.has_info && port.info.Get(PortInfo::kLid) == own;
        is_shared = is_shared || (bears && at != fabric.own_port());
    });
    return is_shared;
}

/// A manager that is new to us has not set the ports that we know. One that we gave another LID may
/// have.
void Registrations::LookForOwnLid() {
    const Fabric& fabric = parts_.fabric;
    is_lid_taken_ = false;
    const PortIndex own = fabric.own_port();
    if (own == kNoPortIndex || fabric.port(own).lid == kNoLid) return;
    const Lid ours = fabric.port(own).lid;
    ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
        if (at == own || !port.has_info || port.lid == kNoLid || port.lid == ours) return;
        const std::uint32_t mask = port.info.Get(PortInfo::kCapabilityMask);
        const bool is_manager = (mask & capability_mask::kIsSm) != 0;
        const bool bears = port.info.Get(PortInfo::kLid) == ours;
        is_lid_taken_ = is_lid_taken_ || (is_manager && bears);
    });
}

/// True when another master has given our port another LID, and ours to some other port, which may
/// be its own: then ports that it has set bear the LID that we take for ours.
bool Registrations::HasLostOwnLid() const {
    const Fabric& fabric = parts_.fabric;
    EMBER_ASSERT(fabric.own_port() != kNoPortIndex);
    const Port& own = fabric.port(fabric.own_port());
    return own.info.Get(PortInfo::kLid) != own.lid && IsOwnLidShared();
}

/// A port bears the LID of the master that has set it last. A port that the other master has set
/// may have left groups since, as it registered there; it is asked for all again.
void Registrations::Merge(std::uint64_t now_us) {
    EMBER_ASSERT(parts_.fabric.own_port() != kNoPortIndex);
    const Fabric& fabric = parts_.fabric;
    const Lid own = fabric.port(fabric.own_port()).lid;
    const auto is_taken = [&fabric, own](Guid owner) {
        const PortIndex at = fabric.FindPort(owner);
        return at != kNoPortIndex && fabric.port(at).info.Get(PortInfo::kMasterSmLid) != own;
    };
    const SaTables all = tables();
    const std::size_t gone =
        all.groups.Drop([&](const Member& member) { return is_taken(member.owner); }, now_us) +
        all.services.Drop([&](const Services::Row& row) { return is_taken(row.owner); }) +
        all.subscriptions.Drop([&](const Subscription& row) { return is_taken(row.subscriber); });
    parts_.log.Write<Note::kRegistrationsMerged>(
        now_us, all.groups.member_count(), all.services.count(), all.subscriptions.count(), gone);
}

bool Registrations::Restore(std::uint64_t now_us) {
    EMBER_ASSERT(has_begun_);
    if (!may_restore_) return false;
    if (restorer_.Step(now_us)) return true;
    // Only after our own journal it is certain that other MLIDs in the tables are of ended groups.
    if (restored().source != SaRestoreSource::kJournal) parts_.multicast.HoldTables();
    LogRestored(now_us);
    return false;
}

void Registrations::LogRestored(std::uint64_t now_us) {
    Log& log = parts_.log;
    const SaRestored& back = restored();
    const bool is_damaged = back.journal != Status::kOk && back.journal != Status::kAbsent;
    if (is_damaged) {
        log.Write<Note::kSaJournalDamaged>(now_us, static_cast<std::uint64_t>(back.journal));
    } else if (back.beyond != 0) {
        log.Write<Note::kSaJournalCut>(now_us, back.bytes);
    }
    if (back.source == SaRestoreSource::kNothing) return;
    if (back.source == SaRestoreSource::kFile) {
        log.Write<Note::kSaFileRead>(now_us);
    } else if (!settings_.manager_tables.registrations.empty()) {
        log.Write<Note::kSaFilePassedOver>(now_us);
    }
    log.Write<Note::kSaRestored>(now_us, back.groups, back.members, back.services,
                                 back.subscriptions);
    if (back.gone + back.expired + back.unusable + back.moved == 0) return;
    log.Write<Note::kSaNotRestored>(now_us, back.gone, back.expired, back.unusable, back.moved);
}

/// Registrations held since we were master are no fewer than those that we told that master.
void Registrations::BeginReplica() {
    if (!is_succeeded_) journal_.Rest();  // Else it rests, or writes down that it says nothing.
    if (holds_) replica_ = Replica::kLate;
}

void Registrations::Keep() {
    EMBER_ASSERT(has_begun_);
    replica_ = Replica::kNone;
    are_taken_over_ = false;  // A port that another master sets from now on registers with that.
    follows_ = false;
    is_overruled_ = false;
    is_succeeded_ = false;
    may_restore_ = false;
    holds_ = true;
    if (journal_.rests()) journal_.Begin(restorer_.outcome().generation);
}

/// Until now registrations were kept, here and in the journal: an SM that claims to be master need
/// not be one.
void Registrations::Discard() {
    if (!follows_) return;
    follows_ = false;
    is_overruled_ = false;
    is_succeeded_ = true;
    may_restore_ = false;
    holds_ = false;
    journal_.Discard();
}

}  // namespace ember
