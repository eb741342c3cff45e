// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of what clients believe to be registered.
#pragma once

#include "core/administration/services.h"
#include "core/administration/subscriptions.h"
#include "core/fabric/alias_guids.h"
#include "core/fabric/groups.h"

namespace ember {

/// All that survives a restart of the subnet manager.
struct SaTables {
    Groups& groups;
    AliasGuids& aliases;
    Services& services;
    Subscriptions& subscriptions;

    /// Who hears of changes; nullptr: nobody.
    void Watch(SaStateSink* sink) const {
        groups.Watch(sink);
        aliases.Watch(sink);
        services.Watch(sink);
        subscriptions.Watch(sink);
    }
};

}  // namespace ember
