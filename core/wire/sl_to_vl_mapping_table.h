// SPDX-License-Identifier: Apache-2.0
// EmberSM: SLtoVLMappingTable: the virtual lane of each service level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// SLtoVLMappingTable: the VL of each of 16 SLs, SL 0 in the top four bits of octet 0. VL 15 drops
/// the packet. IBA vol. 1, 14.2.5.8. (Row() is explained in guid_info.h.)
class SlToVlMappingTable : public Attribute<64> {
public:
    static constexpr std::size_t kEntries = 16;
    static constexpr std::uint8_t kDrop = 15;

    // clang-format off
    static constexpr Part                 kReserved64  { 64, 448};
    // clang-format on

    /// AttributeModifier at a switch: packets from `in` to `out`. Elsewhere it is 0.
    [[nodiscard]] static constexpr std::uint32_t Modifier(PortNumber in, PortNumber out) {
        return std::uint32_t{Raw(in)} << 8U | Raw(out);
    }

    /// AttributeModifier at a switch whose SwitchInfo:OptimizedSLtoVLMappingProgramming is on:
    /// packets from any port to any port, in one Set. A Get cannot use it.
    static constexpr std::uint32_t kEveryPairOfPorts = 0x00030000;
    /// Likewise: packets from any port to `out`.
    [[nodiscard]] static constexpr std::uint32_t FromEveryPort(PortNumber out) {
        return 0x00020000U | Raw(out);
    }

    [[nodiscard]] static constexpr Field<std::uint8_t> Row(std::size_t sl) {
        EMBER_ASSERT(sl < kEntries);
        return {{static_cast<std::uint16_t>(4U * sl), 4}};
    }

    [[nodiscard]] constexpr std::uint8_t vl(std::size_t sl) const { return Get(Row(sl)); }
    constexpr void SetVl(std::size_t sl, std::uint8_t vl) {
        EMBER_ASSERT(vl <= kDrop);
        Set(Row(sl), vl);
    }
};

/// SLtoVLMappingTableRecord. IBA vol. 1, 15.2.5.4. The ports are valid for a switch only.
class SlToVlMappingTableRecord : public Attribute<16> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<PortNumber>    kInputPort { 16,   8};
    static constexpr Field<PortNumber>    kOutputPort{ 24,   8};
    static constexpr Field<std::uint32_t> kReserved32{ 32,  32};
    static constexpr Part                 kTable     { 64,  64};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},         //  0
        Extent{kInputPort},   //  1
        Extent{kOutputPort},  //  2
    };
    // clang-format on
};

}  // namespace ember
