// SPDX-License-Identifier: Apache-2.0
// EmberSM: an end of a cable, by a name that outlives the rows of the fabric.
#pragma once

#include "core/base/ids.h"
#include "core/fabric/fabric.h"

namespace ember {

/// One end of a cable, by a name that outlives the rows of Fabric.
struct LinkEnd {
    Guid guid = kNoGuid;  ///< NodeGUID.
    PortNumber port{};
    [[nodiscard]] bool operator==(const LinkEnd&) const = default;
};

/// The port `at` as an end; that of kNoPortIndex is nobody's.
[[nodiscard]] inline LinkEnd EndOf(const Fabric& fabric, PortIndex at) {
    if (at == kNoPortIndex) return {};
    const Port& port = fabric.port(at);
    return {.guid = fabric.node(port.node).guid, .port = port.number};
}

}  // namespace ember
