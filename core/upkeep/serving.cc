// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator as a part of the subnet manager: what it answers from, and
// when.

#include "core/upkeep/serving.h"

#include <algorithm>

namespace ember {

Serving::Serving(const Memory& memory, const Parts& parts, const Settings& settings)
    : parts_(parts),
      settings_(settings),
      view_{parts.fabric, settings_, parts.partitions, {}, 0},
      records_(
          memory.records,
          Records::Parts{view_, parts.exchange, parts.log, parts.managers, parts.multicast.groups(),
                         parts.multicast.tables(), parts.multicast.events()}),
      administration_(memory.administration,
                      Administration::Parts{parts.port, parts.log, view_, records_}),
      gmps_(memory.reports, parts.port, parts.entropy, settings_),
      reports_(Reports::Parts{gmps_, parts.log, view_, records_.subscriptions(),
                              parts.multicast.events()}) {}

void Serving::Refresh(Lfts lfts, bool moves) {
    if (moves || has_moved_) ++generation_;  // They may have moved since the last look.
    has_moved_ = moves;
    view_.lfts = lfts;
    view_.generation = generation_;
}

bool Serving::Step(bool serves, std::uint64_t now_us) {
    if (serves != administration_.serves()) reports_.Begin();
    administration_.Serve(serves);
    bool more = administration_.Step(now_us);
    if (!serves) {
        records_.Rest(now_us);  // What was to be written is the next master's matter.
        return more;
    }
    more = reports_.Step(now_us) || more;
    records_.Step(now_us);  // What the answers just begun want to know of devices.
    return more;
}

bool Serving::Hear(const Envelope& envelope, std::uint64_t now_us) {
    return administration_.Take(envelope, now_us) || reports_.Take(envelope, now_us);
}

void Serving::FollowSweep(bool has_clients, std::uint64_t now_us) {
    records_.FollowSweep();
    TellWhoCameAndWent(has_clients, now_us);
}

/// Events of nodes that are gone altogether are written when these are dropped.
void Serving::TellWhoCameAndWent(bool has_clients, std::uint64_t now_us) {
    Fabric& fabric = parts_.fabric;
    ForEachEndPort(fabric, [&](PortIndex at, Port& port) {
        const bool is_reached =
            port.peer != kNoPortIndex || at == fabric.own_port() || port.number == kManagementPort;
        const bool in_service = port.lid != kNoLid && is_reached;
        const bool was_in_service = port.in_service;
        if (in_service == was_in_service) return;
        port.in_service = in_service;
        if (!has_clients) return;
        parts_.multicast.events().Write(
            {.trap = in_service ? TrapNumber::kInService : TrapNumber::kOutOfService,
             .gid = {settings_.subnet_prefix, Raw(port.guid)},
             .at_us = now_us});
    });
}

std::uint64_t Serving::NextDeadlineUs() const {
    return std::min(
        {administration_.NextDeadlineUs(), records_.NextDeadlineUs(), reports_.NextDeadlineUs()});
}

}  // namespace ember
