// SPDX-License-Identifier: Apache-2.0
// EmberSM: a type for every number with a meaning. Such numbers compare and copy; they do not add.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/be.h"

namespace ember {

/// The number inside a strong type: the only way out. A search for "Raw(" finds every use.
template <Enum Id>
[[nodiscard]] constexpr auto Raw(Id id) {
    return static_cast<std::underlying_type_t<Id>>(id);
}

/// 64-bit EUI of a node, port or system image. 0 is no GUID. IBA vol. 1, 4.1.
enum class Guid : std::uint64_t {};
inline constexpr Guid kNoGuid{0};

/// Local identifier: 0 reserved, 1..0xBFFF unicast, 0xC000..0xFFFE multicast, 0xFFFF permissive.
/// IBA vol. 1, 4.1.3.
enum class Lid : std::uint16_t {};
inline constexpr Lid kNoLid{0};
inline constexpr Lid kTopUnicastLid{0xBFFF};
inline constexpr Lid kPermissiveLid{0xFFFF};

/// A port of a node: 0 is a switch's management port, 1..254 are external ports. In a forwarding
/// table 255 drops the packet. IBA vol. 1, 18.2.4.3.
enum class PortNumber : std::uint8_t {};
inline constexpr PortNumber kManagementPort{0};
inline constexpr PortNumber kNoPort{255};

/// Rows of the fabric's tables. An index is valid from the adding to the removal of its node.
enum class NodeIndex : std::uint16_t {};
enum class SwitchIndex : std::uint16_t {};
enum class PortIndex : std::uint32_t {};
inline constexpr NodeIndex kNoNode{0xFFFF};
inline constexpr SwitchIndex kNoSwitch{0xFFFF};
inline constexpr PortIndex kNoPortIndex{0xFFFFFFFF};

/// Number of 64-entry blocks of a LinearForwardingTable up to and including `top`.
[[nodiscard]] constexpr std::uint32_t LftBlocks(Lid top) {
    return std::uint32_t{Raw(top)} / 64U + 1U;
}

}  // namespace ember
