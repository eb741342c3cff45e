// SPDX-License-Identifier: Apache-2.0
// EmberSM: settings of opensm.conf that do not go together.
#pragma once

#include <cstdint>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// Looks at settings that belong together; may complete one from another as OpenSM would, where the
/// file leaves it open.
void CheckTogether(Conf& settings, Diagnostics& diagnostics);

/// Looks at options of routing that do nothing beside each other, or for the engines listed.
void CheckRouting(const Conf& settings, Diagnostics& diagnostics);

/// Looks at the keys of virtual lanes: what is dropped, never served, or without effect.
void CheckLanes(const Conf& settings, Diagnostics& diagnostics);

/// How routing_engine lists torus-2QoS.
enum class TorusUse : std::uint8_t { kNone, kAmongOthers, kAlone };
[[nodiscard]] TorusUse UseOfTorus(const Conf& settings);

/// Looks at the same keys where it is listed: those that it overrides, and weights by which lanes of
/// one level of service would share unequally, as OpenSM warns of them.
void CheckTorusLanes(const Conf& settings, Diagnostics& diagnostics);

}  // namespace ember::emberc
