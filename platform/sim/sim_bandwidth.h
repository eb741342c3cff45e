// SPDX-License-Identifier: Apache-2.0
// EmberSM: how simulated devices take limits of bandwidth.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/wire/attribute.h"
#include "core/wire/bandwidth.h"

namespace ember::sim {

/// The attribute of simulated hosts and routers, which no other device has. Its modifier: the port
/// in octet 1, what a table is for in octet 0.
inline constexpr AttributeId kSimBandwidth{0xFFB0};
/// Octet 0 of the modifier: all that the port sends, or 1 + the number of a virtual port.
inline constexpr std::uint32_t kSimVirtualPorts = 8;  ///< As many as a GUID table has places.
inline constexpr std::uint32_t kSimBandwidthTables = 1 + kSimVirtualPorts;

/// A table: Mbit/s of 16 service levels; 0 is no limit.
class SimBandwidthTable : public Attribute<64> {
public:
    [[nodiscard]] static constexpr Field<std::uint32_t> Row(std::size_t sl) {
        EMBER_ASSERT(sl < kBandwidthSls);
        return {{static_cast<std::uint16_t>(32U * sl), 32}};
    }
    [[nodiscard]] constexpr std::uint32_t rate(std::size_t sl) const { return Get(Row(sl)); }
    constexpr void SetRate(std::size_t sl, std::uint32_t mbps) { Set(Row(sl), mbps); }
};

class SimBandwidth final : public BandwidthCodec {
public:
    [[nodiscard]] AttributeId attribute() const override { return kSimBandwidth; }
    [[nodiscard]] bool Takes(const DeviceKind& device) const override {
        return device.type != NodeType::kSwitch;
    }
    [[nodiscard]] std::uint32_t ModifierOf(const BandwidthTarget& target) const override {
        const std::uint32_t table = target.is_virtual ? 1U + target.virtual_port : 0U;
        return std::uint32_t{Raw(target.port)} << 8U | table;
    }
    [[nodiscard]] SmpData Encode(const BandwidthRates& rates) const override {
        SimBandwidthTable table;
        for (std::size_t sl = 0; sl < rates.size(); ++sl) {
            table.SetRate(sl, rates[sl]);
        }
        return table.octets();
    }
};

}  // namespace ember::sim
