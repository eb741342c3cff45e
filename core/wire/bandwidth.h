// SPDX-License-Identifier: Apache-2.0
// EmberSM: limits of bandwidth, which each vendor's devices take in an attribute of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/mad.h"
#include "core/wire/node_info.h"
#include "core/wire/smp.h"

namespace ember {

/// The limits of service levels 0 to 15, in Mbit/s; 0: no limit.
inline constexpr std::size_t kBandwidthSls = 16;
using BandwidthRates = std::array<std::uint32_t, kBandwidthSls>;

/// The kind of a device, by its NodeInfo.
struct DeviceKind {
    NodeType type{};
    std::uint32_t vendor_id = 0;
    std::uint16_t device_id = 0;
    std::uint32_t revision = 0;
};

/// Whose limits a table of a port holds.
struct BandwidthTarget {
    PortNumber port{};  ///< Of the device.
    /// Of one of its virtual ports; else of all that the port sends.
    bool is_virtual = false;
    /// 0: the interface of the PortGUID; n: that of place n of the port's GUID table.
    std::uint8_t virtual_port = 0;
    [[nodiscard]] bool operator==(const BandwidthTarget&) const = default;
};

/// How devices take limits of bandwidth: a Get and Set of subnet management whose attribute no
/// specification has. A board for such devices supplies one (docs/porting.md). Its functions depend
/// on their arguments alone: what was written is compared with what they say later.
class BandwidthCodec {
public:
    /// The attribute: one of those that IBA vol. 1, 14.2.5 leaves to vendors, 0xFF00..0xFFFF.
    [[nodiscard]] virtual AttributeId attribute() const = 0;
    /// Whether ports of such a device take limits. A port of any other is told nothing.
    [[nodiscard]] virtual bool Takes(const DeviceKind& device) const = 0;
    /// The AttributeModifier of a table. Tables of one port have different ones.
    [[nodiscard]] virtual std::uint32_t ModifierOf(const BandwidthTarget& target) const = 0;
    /// The octets of a table. A device that takes coarser rates gets the next lower one that
    /// limits.
    [[nodiscard]] virtual SmpData Encode(const BandwidthRates& rates) const = 0;

protected:
    ~BandwidthCodec() = default;  // A static object of the board.
};

}  // namespace ember
