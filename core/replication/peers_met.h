// SPDX-License-Identifier: Apache-2.0
// EmberSM: the other subnet managers among the ports of the fabric.
#pragma once

#include <cstdint>

#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/role/role.h"
#include "core/settings/settings.h"

namespace ember {

/// Begins an election: invites each port with IsSM in its CapabilityMask, except our own port and
/// those on edge ports (option edge_switch_ports). The role notes SMs beyond max_other_sms and does
/// not hear them.
void InvitePeers(const Fabric& fabric, const Settings& settings, Role& role, std::uint64_t now_us);

/// Begins the election of a light sweep: the SMs that were met are asked again. An SM that did not
/// count, and whose port says IsSM no longer, is not waited for.
void ReviewPeers(const Fabric& fabric, Role& role);

/// Tells the role the LIDs that its own port and the other SMs' ports have been given.
void SetRoleLids(const Fabric& fabric, Role& role);

/// Answers a request for SMInfo, if the role wants it answered. False: the port was full, so the
/// answer is lost, and the peer repeats its question.
[[nodiscard]] bool ServeSmInfo(const Fabric& fabric, Role& role, Exchange& exchange,
                               const Envelope& request, std::uint64_t now_us);

}  // namespace ember
