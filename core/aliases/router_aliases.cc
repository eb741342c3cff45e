// SPDX-License-Identifier: Apache-2.0
// EmberSM: the alias GUIDs by which routers send packets into the subnet.
#include "core/aliases/router_aliases.h"

namespace ember {

Guid RouterAliases::Of(Guid port) const {
    if (!are_made()) return kNoGuid;
    const PortIndex at = fabric_.FindPort(port);
    if (at == kNoPortIndex) return kNoGuid;
    const Port& row = fabric_.port(at);
    if (row.lid == kNoLid || !HasPlace(row)) return kNoGuid;
    const auto alias = static_cast<Guid>(kBase | Raw(row.lid));
    // A device that has it as its PortGUID keeps it.
    return fabric_.FindPort(alias) == kNoPortIndex ? alias : kNoGuid;
}

Guid RouterAliases::PortOf(Guid alias) const {
    if (!IsReserved(alias)) return kNoGuid;
    const PortIndex at = fabric_.PortByLid(static_cast<Lid>(Raw(alias) & 0xFFFF));
    if (at == kNoPortIndex) return kNoGuid;
    const Guid port = fabric_.port(at).guid;
    return Of(port) == alias ? port : kNoGuid;  // A further LID of the port makes no alias.
}

}  // namespace ember
