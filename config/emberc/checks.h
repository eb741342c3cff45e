// SPDX-License-Identifier: Apache-2.0
// EmberSM: settings of opensm.conf that do not go together.
#pragma once

#include <string_view>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "core/base/engine_kind.h"

namespace ember::emberc {

/// Looks at settings that belong together; may complete one from another as OpenSM would, where the
/// file leaves it open.
void CheckTogether(Conf& settings, Diagnostics& diagnostics);

/// Looks at options of routing that do nothing beside each other, or for the engines listed.
void CheckRouting(const Conf& settings, Diagnostics& diagnostics);

/// Whether an engine that may be asked looks at the option, or it is not for engines alone.
[[nodiscard]] bool IsHeardByEngines(const Conf& settings, std::string_view key);

/// Whether the engine may be asked: it is listed, or a step may have it.
[[nodiscard]] bool AsksEngine(const Conf& settings, EngineKind kind);

/// Whether the engine is the only one that is listed; never beside rch_policy_file.
[[nodiscard]] bool AsksOnly(const Conf& settings, EngineKind kind);

/// Looks at the keys of virtual lanes: what is dropped, never served, or without effect.
void CheckLanes(const Conf& settings, Diagnostics& diagnostics);

/// Looks at the same keys where torus-2QoS is listed: those that it overrides, and weights by which
/// lanes of one level of service would share unequally, as OpenSM warns of them.
void CheckTorusLanes(const Conf& settings, Diagnostics& diagnostics);

}  // namespace ember::emberc
