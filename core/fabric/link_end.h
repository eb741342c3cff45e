// SPDX-License-Identifier: Apache-2.0
// EmberSM: an end of a link, by a name that is valid longer than a row of the fabric.
#pragma once

#include "core/base/ids.h"
#include "core/fabric/fabric.h"

namespace ember {

/// An end of a link, by a name that is valid longer than a row of the fabric.
struct LinkEnd {
    Guid guid = kNoGuid;  ///< NodeGUID.
    PortNumber port{};
    [[nodiscard]] bool operator==(const LinkEnd&) const = default;
};

/// The name of the port `at`; an empty one for kNoPortIndex.
[[nodiscard]] inline LinkEnd EndOf(const Fabric& fabric, PortIndex at) {
    if (at == kNoPortIndex) return {};
    const Port& port = fabric.port(at);
    return {.guid = fabric.node(port.node).guid, .port = port.number};
}

/// The port of this name; kNoPortIndex: the fabric has none.
[[nodiscard]] inline PortIndex FindEnd(const Fabric& fabric, const LinkEnd& end) {
    const NodeIndex node = end.guid == kNoGuid ? kNoNode : fabric.FindNode(end.guid);
    return node == kNoNode ? kNoPortIndex : fabric.PortOf(node, end.port);
}

}  // namespace ember
