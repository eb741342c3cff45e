// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of what clients have registered.
#pragma once

#include "core/administration/registrations/services.h"
#include "core/administration/registrations/subscriptions.h"
#include "core/fabric/alias_guids.h"
#include "core/fabric/groups.h"

namespace ember {

/// All that survives a restart of the subnet manager.
struct SaTables {
    Groups& groups;
    AliasGuids& aliases;
    Services& services;
    Subscriptions& subscriptions;

    /// `sink` hears of changes; nullptr: no sink does.
    void Watch(SaStateSink* sink) const {
        groups.Watch(sink);
        aliases.Watch(sink);
        services.Watch(sink);
        subscriptions.Watch(sink);
    }
};

}  // namespace ember
