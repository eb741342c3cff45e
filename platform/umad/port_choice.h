// SPDX-License-Identifier: Apache-2.0
// EmberSM: which of the local ports the subnet manager attaches to.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/ids.h"
#include "platform/umad/umad_port.h"

namespace ember {

/// A local port, as the driver describes it.
struct LocalPort {
    std::string ca;
    int port = 0;
    Guid guid = kNoGuid;
    unsigned link_state = 0;  ///< PortInfo:PortState: 1 is DOWN, 2 INIT, 3 ARMED, 4 ACTIVE.
};

/// The first port that fits `choice` and whose link is above DOWN, else the first that fits, else
/// null. OpenSM's rule. `ports` come in the driver's order.
[[nodiscard]] const LocalPort* ChoosePort(std::span<const LocalPort> ports,
                                          const UmadChoice& choice);

/// A sentence that says why nothing fits, naming what there is.
[[nodiscard]] std::string ExplainNoPort(std::span<const LocalPort> ports, const UmadChoice& choice);

}  // namespace ember
