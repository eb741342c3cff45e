// SPDX-License-Identifier: Apache-2.0
// EmberSM: what clients registered, over a restart.

#include "core/subnet_manager.h"

namespace ember {

SaTables SubnetManager::Registered() {
    return {multicast_.groups(), records_.aliases(), records_.services(), records_.subscriptions()};
}

/// Whether some switch was told of another master since we last told it of ourselves: that one may
/// have come and gone while our own port had no link.
bool SubnetManager::IsManagedByAnother() const {
    const Lid own = fabric_.port(fabric_.own_port()).lid;
    bool is_foreign = false;
    ForEachEndPort(fabric_, [&](PortIndex, const Port& port) {
        if (!port.has_info || fabric_.node(port.node).type != NodeType::kSwitch) return;
        const Lid master = port.info.Get(PortInfo::kMasterSmLid);
        is_foreign = is_foreign || (master != kNoLid && master != own);
    });
    return is_foreign;
}

/// The first sweep as master: what we knew is of before another was, or there is nothing yet. But
/// when only our own port was gone for a while, or whom we handed over to has not shown that it
/// serves, all of it still holds, and its journal goes on.
void SubnetManager::ForgetRegistered() {
    if (registers_ && (is_overruled_ || !IsManagedByAnother())) return;
    registers_ = false;
    sa_journal_.Rest();
    multicast_.Forget();
    records_.Forget();
    // What was written down in an earlier life is not restored by a standby that has followed a
    // real master, however short.
    if (follows_ && IsManagedByAnother()) may_restore_ = false;
    if (!may_restore_) {
        multicast_.HoldTables();
        return;
    }
    const Calendar* const calendar = platform_.calendar;
    sa_restorer_.Begin({.octets = settings_.tables.registrations,
                        .unix_s = calendar == nullptr ? 0 : calendar->UnixSeconds()});
}

/// True: there is more of it.
bool SubnetManager::RestoreRegistered(std::uint64_t now_us) {
    if (!may_restore_) return false;
    if (sa_restorer_.Step(now_us)) return true;
    const SaRestored& back = sa_restorer_.outcome();
    // Only our own journal says that what switches forward beyond it is of groups that ended.
    if (back.source != SaRestoreSource::kJournal) multicast_.HoldTables();
    const bool is_damaged = back.journal != Status::kOk && back.journal != Status::kAbsent;
    if (is_damaged) {
        journal_.Write<Note::kSaJournalDamaged>(now_us, static_cast<std::uint64_t>(back.journal));
    } else if (back.beyond != 0) {
        journal_.Write<Note::kSaJournalCut>(now_us, back.bytes);
    }
    if (back.source == SaRestoreSource::kNothing) return false;
    if (back.source == SaRestoreSource::kFile) {
        journal_.Write<Note::kSaFileRead>(now_us);
    } else if (!settings_.tables.registrations.empty()) {
        journal_.Write<Note::kSaFilePassedOver>(now_us);
    }
    journal_.Write<Note::kSaRestored>(now_us, back.groups, back.members, back.services,
                                      back.subscriptions);
    if (back.gone + back.expired + back.unusable + back.moved == 0) return false;
    journal_.Write<Note::kSaNotRestored>(now_us, back.gone, back.expired, back.unusable,
                                         back.moved);
    return false;
}

/// A sweep as master has ended, and clients are served.
void SubnetManager::KeepRegistered() {
    follows_ = false;
    is_overruled_ = false;
    is_succeeded_ = false;
    may_restore_ = false;
    registers_ = true;
    if (sa_journal_.rests()) sa_journal_.Begin(sa_restorer_.outcome().generation);
}

/// Another manages the subnet, and it has shown that it serves. Until then what clients registered
/// is kept, here and in the log: whoever says of itself that it is master need not be one.
void SubnetManager::ForsakeRegistered() {
    follows_ = false;
    is_overruled_ = false;
    is_succeeded_ = true;
    may_restore_ = false;
    registers_ = false;
    sa_journal_.Forsake();
}

}  // namespace ember
