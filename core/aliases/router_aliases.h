// SPDX-License-Identifier: Apache-2.0
// EmberSM: the alias GUIDs by which routers send packets into the subnet.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/settings/settings.h"

namespace ember {

/// The alias that each end port has under `rtr_aguid_enable 1`, made from its base LID: a router
/// that forwards into this subnet takes the low 16 bits of the destination GID for the LID, and
/// keeps no table of GUIDs. An alias is computed, so it takes no row of AliasGuids, which decides
/// whether a client's alias stands in its way.
class RouterAliases {
public:
    /// The place of the alias in a port's GUID table: the first behind the PortGUID.
    static constexpr std::uint8_t kPlace = 1;
    /// The other 48 bits: the OUI of Open Fabrics, as of the GUIDs that an SA makes.
    static constexpr std::uint64_t kBase = 0x0014050000000000;

    static_assert((kBase & 0xFFFFU) == 0);
    /// Both outlive it and may change underneath.
    RouterAliases(const Fabric& fabric, const Settings& settings)
        : fabric_(fabric), settings_(settings) {}
    RouterAliases(const RouterAliases&) = delete;
    RouterAliases& operator=(const RouterAliases&) = delete;

    /// Ports are to have such aliases.
    [[nodiscard]] bool are_made() const { return settings_.rtr_aguid_enable == kMakeRouterAliases; }
    /// No client may have this GUID: it is the alias of some LID, assigned or not.
    [[nodiscard]] bool IsReserved(Guid guid) const {
        return are_made() && (Raw(guid) & ~std::uint64_t{0xFFFF}) == kBase;
    }
    /// A port whose GUID table has place kPlace.
    [[nodiscard]] static bool HasPlace(const Port& port) {
        return port.info.Get(PortInfo::kGuidCap) > kPlace;
    }
    /// The alias of the port with this PortGUID; kNoGuid: it has none.
    [[nodiscard]] Guid Of(Guid port) const;
    /// The PortGUID of the port with this alias; kNoGuid: no port has it.
    [[nodiscard]] Guid PortOf(Guid alias) const;

private:
    const Fabric& fabric_;
    const Settings& settings_;
};

}  // namespace ember
