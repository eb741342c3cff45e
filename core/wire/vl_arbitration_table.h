// SPDX-License-Identifier: Apache-2.0
// EmberSM: VLArbitrationTable: how virtual lanes share a link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// The block of 32 entries: the upper half of the AttributeModifier. IBA vol. 1, 14.2.5.9.
enum class VlArbitrationBlock : std::uint16_t {
    kLowerLowPriority = 1,
    kUpperLowPriority = 2,
    kLowerHighPriority = 3,
    kUpperHighPriority = 4,
};

/// VLArbitrationTable: 32 pairs of a VL and a weight. IBA vol. 1, 14.2.5.9. A weight counts units
/// of 64 octets; 0 skips the entry. (The row functions are explained in guid_info.h.)
class VlArbitrationTable : public Attribute<64> {
public:
    static constexpr std::size_t kEntries = 32;

    /// AttributeModifier. Only a switch looks at the port; for other nodes it is kManagementPort.
    [[nodiscard]] static constexpr std::uint32_t Modifier(VlArbitrationBlock block,
                                                          PortNumber port) {
        return std::uint32_t{Raw(block)} << 16U | Raw(port);
    }

    [[nodiscard]] static constexpr Field<std::uint8_t> ReservedRow(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(16U * index), 4}};
    }
    [[nodiscard]] static constexpr Field<std::uint8_t> VlRow(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(16U * index + 4U), 4}};
    }
    [[nodiscard]] static constexpr Field<std::uint8_t> WeightRow(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(16U * index + 8U), 8}};
    }

    [[nodiscard]] constexpr std::uint8_t vl(std::size_t index) const { return Get(VlRow(index)); }
    [[nodiscard]] constexpr std::uint8_t weight(std::size_t index) const {
        return Get(WeightRow(index));
    }
    constexpr void SetEntry(std::size_t index, std::uint8_t vl, std::uint8_t weight) {
        EMBER_ASSERT(vl < 16);
        Set(VlRow(index), vl);
        Set(WeightRow(index), weight);
    }
};
static_assert(WireStruct<VlArbitrationTable>);
static_assert(sizeof(VlArbitrationTable) == 64);

/// VLArbitrationTableRecord. IBA vol. 1, 15.2.5.9. The port is valid for a switch only.
class VlArbitrationTableRecord : public Attribute<72> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<PortNumber>    kOutputPort{ 16,   8};
    static constexpr Field<std::uint8_t>  kBlockNum  { 24,   8};
    static constexpr Field<std::uint32_t> kReserved32{ 32,  32};
    static constexpr Part                 kTable     { 64, 512};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},         //  0
        Extent{kOutputPort},  //  1
        Extent{kBlockNum},    //  2
    };
    // clang-format on
};

}  // namespace ember
