// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether paths whose entries stay keep their lanes too.
#pragma once

#include <span>

#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"

namespace ember {

/// Service levels of paths are `before`'s, and so is the lane of each at every turn but those from
/// or to a port of `changes`; and all links have the lanes that turns to them give. So packets that
/// pass no port of `changes` have the lanes that they had, and none is dropped for want of one.
[[nodiscard]] bool KeepsLanes(const Topology& topology, std::span<const LinkChange> changes,
                              const RoutingLanes& now, const RoutingLanes& before);

}  // namespace ember
