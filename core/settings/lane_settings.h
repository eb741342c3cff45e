// SPDX-License-Identifier: Apache-2.0
// EmberSM: how the virtual lanes of a kind of ports share a link, as opensm.conf says it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/static_vector.h"

namespace ember {

/// The kinds of ports that `qos_*` keys tell apart, in the order of the keys.
enum class LanePorts : std::uint8_t {
    kAny,             ///< `qos_*`: what a kind does not say itself.
    kCa,              ///< `qos_ca_*`: ports of channel adapters.
    kSwitch0,         ///< `qos_sw0_*`: enhanced port 0 of switches.
    kSwitchExternal,  ///< `qos_swe_*`: the other ports of switches.
    kRouter,          ///< `qos_rtr_*`
};
inline constexpr std::size_t kLanePortKinds = 5;

/// An entry of a VL arbitration table. IBA vol. 1, 7.6.9.2.
struct VlWeight {
    std::uint8_t vl = 0;      ///< 0..14.
    std::uint8_t weight = 0;  ///< Units of 64 octets; 0 skips the entry.
    [[nodiscard]] bool operator==(const VlWeight&) const = default;
};
inline constexpr std::size_t kMostVlWeights = 64;  ///< Two blocks of 32.
inline constexpr std::size_t kSlToVlEntries = 16;  ///< A VL for each service level.

using VlWeights = StaticVector<VlWeight, kMostVlWeights>;

/// The values of the keys of one kind of ports; unset ones are empty.
struct LaneSettings {
    std::int32_t high_limit = -1;  ///< PortInfo:VLHighLimit, 0..255; -1: unset.
    VlWeights high;
    VlWeights low;
    StaticVector<std::uint8_t, kSlToVlEntries> sl_to_vl;  ///< None or all; 15 drops the packet.
    [[nodiscard]] bool operator==(const LaneSettings&) const = default;
};

}  // namespace ember
