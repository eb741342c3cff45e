// SPDX-License-Identifier: Apache-2.0
// EmberSM: how VL arbitration suits a routing that has lanes for each level of service.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/settings/lane_settings.h"
#include "core/settings/settings.h"

namespace ember {

/// Lanes of a level of service on links between switches, at most; the second level has those
/// behind. torus-2QoS, osm_torus.c.
inline constexpr std::size_t kLevelVls = 4;
/// Lanes of links to end ports: one a level.
inline constexpr std::size_t kEndVls = 2;

/// A table of VL arbitration, of both blocks.
enum class ShareTable : std::uint8_t { kHigh, kLow };

/// The origin of a table of VL arbitration for ports of a kind.
enum class ShareSource : std::uint8_t { kOwnKey, kGeneralKey, kDefault };

[[nodiscard]] ShareSource SourceOf(const Settings& settings, LanePorts kind, ShareTable table);

/// The lanes of each level share a link between switches equally, where a routing takes `lanes` of
/// them, so that packets of one level are served alike. Of LanePorts::kSwitchExternal.
[[nodiscard]] bool SharesLevelsEqually(const Settings& settings, ShareTable table,
                                       std::size_t lanes);

/// Ports of the kind give no weight to lanes that links of end ports do not have.
[[nodiscard]] bool ServesEndLanesAlone(const Settings& settings, LanePorts kind, ShareTable table);

}  // namespace ember
