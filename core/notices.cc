// SPDX-License-Identifier: Apache-2.0
// EmberSM: what subscribers are told of a sweep: who came, and who went.

#include "core/subnet_manager.h"

namespace ember {
/// Traps 64 and 65 for what the sweep has found; those of nodes that are gone altogether are
/// written when they are dropped. Nobody has subscribed yet when the first sweep ends.
void SubnetManager::TellWhoCameAndWent(std::uint64_t now_us) {
    ForEachEndPort(fabric_, [&](PortIndex at, Port& port) {
        const bool is_reached =
            port.peer != kNoPortIndex || at == fabric_.own_port() || port.number == kManagementPort;
        const bool in_service = port.lid != kNoLid && is_reached;
        const bool was_in_service = port.in_service;
        if (in_service == was_in_service) return;
        port.in_service = in_service;
        if (status_.up_count == 0) return;
        multicast_.events().Write(
            {.trap = in_service ? TrapNumber::kInService : TrapNumber::kOutOfService,
             .gid = {settings_.subnet_prefix, Raw(port.guid)},
             .at_us = now_us});
    });
}

}  // namespace ember
