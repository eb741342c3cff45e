// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches that have not answered all questions on a lossy path.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"

namespace ember {

/// Keeps a switch that was known before and met in this sweep, but has not answered all questions.
/// Its SwitchInfo and its port 0 stay as they were. So do the links at ports that it has not
/// reported, to hosts and to switches that were met as well. The sweep is unsettled then, so
/// another follows. A new switch without answers cannot be managed and is left out.
///
/// Where paths are not `is_lossy`, only the links of a trusted switch that has told of itself stay:
/// its agent drops questions that come too fast, which says nothing about its ports.
void KeepPartlyRead(Fabric& fabric, std::uint32_t sweep, bool is_lossy);

/// True when our own port is linked to a switch of which only the NodeInfo is known.
[[nodiscard]] bool IsOwnNeighborPartlyRead(const Fabric& fabric, std::uint32_t sweep);

}  // namespace ember
