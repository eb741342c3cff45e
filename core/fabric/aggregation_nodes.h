// SPDX-License-Identifier: Apache-2.0
// EmberSM: end nodes that are a part of a switch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/fabric/fabric.h"

namespace ember {

/// NodeInfo:DeviceID of the nodes that reduce data inside a switch (SHARP), as listings of such
/// fabrics show them: "Mellanox Technologies Aggregation Node". Each of the later switches has one,
/// at a port inside its case.
inline constexpr std::array<std::uint16_t, 1> kAggregationDevices = {0xCF09};

/// An aggregation node is no host: it says nothing of the level that its switch has in a tree, and
/// what it sends is no load to be balanced.
[[nodiscard]] inline bool IsAggregationDevice(std::uint16_t device_id) {
    return std::find(kAggregationDevices.begin(), kAggregationDevices.end(), device_id) !=
           kAggregationDevices.end();
}
[[nodiscard]] inline bool IsAggregationNode(const Node& node) {
    return node.type == NodeType::kChannelAdapter && IsAggregationDevice(node.device_id);
}

}  // namespace ember
