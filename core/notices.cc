// SPDX-License-Identifier: Apache-2.0
// EmberSM: what subscribers are told: who came, who went, and the traps of the fabric.

#include "core/subnet_manager.h"

namespace ember {
namespace {

/// Notices that only subnet administration issues: from a port of the fabric they are forged.
[[nodiscard]] bool IsOurs(const Notice& notice) {
    const auto number = notice.Get(Notice::kTrapNumber);
    return notice.Get(Notice::kIsGeneric) != 0 && number >= TrapNumber::kInService &&
           number <= TrapNumber::kMulticastDeleted;
}

}  // namespace

/// A trap that repeats too often is damped for subscribers as for us.
void SubnetManager::ForwardTrap(const Notice& notice,
                                TrapWish wish,
                                PortIndex issuer,
                                std::uint64_t now_us) {
    if (wish == TrapWish::kNothing || IsOurs(notice)) return;
    multicast_.events().Write({.trap = notice.Get(Notice::kTrapNumber),
                               .gid = {},
                               .at_us = now_us,
                               .issuer = fabric_.port(issuer).guid,
                               .notice = notice});
}

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
