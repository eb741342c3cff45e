// SPDX-License-Identifier: Apache-2.0
// EmberSM: LinearForwardingTable: the output port for each of 64 LIDs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// LinearForwardingTable: the output port for each of 64 LIDs; kNoPort drops the packet. IBA vol.
/// 1, 14.2.5.10. The AttributeModifier is the block: block b holds the LIDs 64b to 64b + 63. (Row()
/// is explained in guid_info.h.)
class LinearForwardingTable : public Attribute<64> {
public:
    static constexpr std::size_t kEntries = 64;

    [[nodiscard]] static constexpr Field<PortNumber> Row(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(8U * index), 8}};
    }

    [[nodiscard]] constexpr PortNumber port(std::size_t index) const { return Get(Row(index)); }
    constexpr void SetPort(std::size_t index, PortNumber port) { Set(Row(index), port); }
};
static_assert(WireStruct<LinearForwardingTable>);
static_assert(sizeof(LinearForwardingTable) == 64);

/// LinearForwardingTableRecord. IBA vol. 1, 15.2.5.6.
class LinearForwardingTableRecord : public Attribute<72> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<std::uint16_t> kBlockNum  { 16,  16};
    static constexpr Field<std::uint32_t> kReserved32{ 32,  32};
    static constexpr Part                 kTable     { 64, 512};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},       //  0
        Extent{kBlockNum},  //  1
    };
    // clang-format on
};

}  // namespace ember
