// SPDX-License-Identifier: Apache-2.0
// EmberSM: P_KeyTable: the partitions of a port.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// The top bit of a P_Key: set for a full member, clear for a limited one. IBA vol. 1, 10.9.1.
inline constexpr std::uint16_t kFullMembership = 0x8000;
inline constexpr std::uint16_t kDefaultPKey = 0xFFFF;  ///< Full member of the default partition.
inline constexpr std::uint16_t kNoPKey = 0;            ///< P_KeyBase 0 is invalid: an empty entry.

/// P_KeyTable: 32 P_Keys of a port. IBA vol. 1, 14.2.5.7. (Row() is explained in guid_info.h.)
class PKeyTable : public Attribute<64> {
public:
    static constexpr std::size_t kEntries = 32;

    /// AttributeModifier: `block` b holds the entries 32b to 32b + 31. Only a switch looks at the
    /// port; for other nodes it is kManagementPort.
    [[nodiscard]] static constexpr std::uint32_t Modifier(PortNumber port, std::uint16_t block) {
        return std::uint32_t{Raw(port)} << 16U | block;
    }

    [[nodiscard]] static constexpr Field<std::uint16_t> Row(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(16U * index), 16}};
    }

    [[nodiscard]] constexpr std::uint16_t p_key(std::size_t index) const { return Get(Row(index)); }
    constexpr void SetPKey(std::size_t index, std::uint16_t p_key) { Set(Row(index), p_key); }
};
static_assert(WireStruct<PKeyTable>);
static_assert(sizeof(PKeyTable) == 64);

/// P_KeyTableRecord. IBA vol. 1, 15.2.5.10. The port is valid for a switch only.
class PKeyTableRecord : public Attribute<72> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<std::uint16_t> kBlockNum  { 16,  16};
    static constexpr Field<PortNumber>    kPortNum   { 32,   8};
    static constexpr Field<std::uint32_t> kReserved40{ 40,  24};
    static constexpr Part                 kTable     { 64, 512};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},       //  0
        Extent{kBlockNum},  //  1
        Extent{kPortNum},   //  2
    };
    // clang-format on
};

}  // namespace ember
