// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of what clients have registered.
#pragma once

#include "core/administration/registrations/services.h"
#include "core/administration/registrations/subscriptions.h"
#include "core/aliases/alias_guids.h"
#include "core/multicast/groups.h"

namespace ember {

/// All that survives a restart of the subnet manager, or a change of the master.
struct SaTables {
    Groups& groups;
    AliasGuids& aliases;
    Services& services;
    Subscriptions& subscriptions;
    SaStateFork& changes;  ///< Hears of all of them.
    /// The state that standbys are told besides; nullptr: the journal is not for them.
    SubnetState* subnet = nullptr;

    /// `sink` hears of changes from now on, which may be already so.
    void Watch(SaStateSink& sink) const {
        groups.Watch(&changes);
        aliases.Watch(&changes);
        services.Watch(&changes);
        subscriptions.Watch(&changes);
        changes.Add(sink);
        if (subnet != nullptr) subnet->Watch(&sink);
    }
    /// And not any more.
    void Unwatch(const SaStateSink& sink) const {
        changes.Remove(sink);
        if (subnet != nullptr) subnet->Watch(nullptr);
    }
};

}  // namespace ember
