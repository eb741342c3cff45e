// SPDX-License-Identifier: Apache-2.0
// EmberSM: what was not told on a way on which datagrams are lost.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"

namespace ember {

/// On a lossy way a switch that was met in this sweep, and known before, but has not told all that
/// it was asked, stays as it was: its SwitchInfo, its port 0, and cables at ports that it has not
/// told of to hosts and to switches that were met as well. Such a sweep is unsettled, so another
/// follows and asks again. One of which nothing is known yet cannot be managed, and is left out.
void KeepUntold(Fabric& fabric, std::uint32_t sweep);

/// Our own port is cabled to a switch of which nothing is known but its name.
[[nodiscard]] bool IsOwnNeighborUntold(const Fabric& fabric, std::uint32_t sweep);

}  // namespace ember
