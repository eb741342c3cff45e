// SPDX-License-Identifier: Apache-2.0
// EmberSM: links between switches that run slower than what is beside them.
#pragma once

#include <vector>

#include "core/base/ids.h"
#include "core/graph/topology.h"
#include "core/wire/rate.h"

namespace ember::plan {

/// A link at whose both ends there are faster ones.
struct SlowLink {
    SwitchIndex one = kNoSwitch;
    PortNumber port{};
    SwitchIndex other = kNoSwitch;
    PortNumber other_port{};
    Rate rate = Rate::kNone;
    Rate beside = Rate::kNone;  ///< The slower of what is fastest at either end.
};

/// Each once, the slowest first, then by the GUIDs and ports of their ends. A tree whose levels
/// have rates of their own has none.
[[nodiscard]] std::vector<SlowLink> SlowLinks(const Topology& topology);

}  // namespace ember::plan
