// SPDX-License-Identifier: Apache-2.0
// EmberSM: MulticastForwardingTable: the output ports for each of 32 multicast LIDs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// MulticastForwardingTable: for each of 32 multicast LIDs a mask of 16 output ports. IBA vol. 1,
/// 14.2.5.12. Bit n of a mask at position p, counted from the lowest, is port 16p + n. (Row() is
/// explained in guid_info.h.)
class MulticastForwardingTable : public Attribute<64> {
public:
    static constexpr std::size_t kEntries = 32;
    static constexpr std::size_t kPortsPerPosition = 16;
    static constexpr std::uint32_t kMaxBlock = 511;
    static constexpr std::uint8_t kMaxPosition = 15;

    /// AttributeModifier: block b holds the LIDs 0xC000 + 32b to 0xC000 + 32b + 31.
    [[nodiscard]] static constexpr std::uint32_t Modifier(std::uint32_t block,
                                                          std::uint8_t position) {
        EMBER_ASSERT(block <= kMaxBlock);
        EMBER_ASSERT(position <= kMaxPosition);
        return std::uint32_t{position} << 28U | block;
    }

    [[nodiscard]] static constexpr Field<std::uint16_t> Row(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(16U * index), 16}};
    }

    [[nodiscard]] constexpr std::uint16_t mask(std::size_t index) const { return Get(Row(index)); }
    constexpr void SetMask(std::size_t index, std::uint16_t mask) { Set(Row(index), mask); }
};
static_assert(WireStruct<MulticastForwardingTable>);
static_assert(sizeof(MulticastForwardingTable) == 64);

/// MulticastForwardingTableRecord. IBA vol. 1, 15.2.5.8. Position p has the ports 16p to 16p + 15.
class MulticastForwardingTableRecord : public Attribute<72> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<std::uint8_t>  kPosition  { 16,   4};
    static constexpr Field<std::uint8_t>  kReserved20{ 20,   3};
    static constexpr Field<std::uint16_t> kBlockNum  { 23,   9};
    static constexpr Field<std::uint32_t> kReserved32{ 32,  32};
    static constexpr Part                 kTable     { 64, 512};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},       //  0
        Extent{kPosition},  //  1
        kNotCompared,       //  2
        Extent{kBlockNum},  //  3
    };
    // clang-format on
};

}  // namespace ember
