// SPDX-License-Identifier: Apache-2.0
// EmberSM: the other subnet managers among the ports of the fabric.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"
#include "core/role/role.h"
#include "core/settings.h"

namespace ember {

/// Begins an election: invites each port whose CapabilityMask says IsSM, our own and those on edge
/// ports (option edge_switch_ports) left out. More than max_other_sms are noted by the role and not
/// heard.
void InvitePeers(const Fabric& fabric, const Settings& settings, Role& role, std::uint64_t now_us);

/// Tells the role the LIDs that its own port and the other SMs' ports have been given.
void TellLids(const Fabric& fabric, Role& role);

}  // namespace ember
