// SPDX-License-Identifier: Apache-2.0
// EmberSM: GUIDInfoRecord: eight GUIDs of a port.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/guid_info.h"
#include "core/wire/record.h"

namespace ember {

/// GUIDInfoRecord. IBA vol. 1, 15.2.5.18. Component kFirstGuid + n is GUID n of the block. In a Set
/// or Delete the component mask selects the GUIDs that are changed.
class GuidInfoRecord : public Attribute<72> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<std::uint8_t>  kBlockNum  { 16,   8};
    static constexpr Field<std::uint8_t>  kReserved24{ 24,   8};
    static constexpr Field<std::uint32_t> kReserved32{ 32,  32};
    static constexpr Part                 kTable     { 64, 512};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},                      //  0
        Extent{kBlockNum},                 //  1
        kNotCompared,                      //  2
        kNotCompared,                      //  3
        Inside(kTable, GuidInfo::Row(0)),  //  4
        Inside(kTable, GuidInfo::Row(1)),  //  5
        Inside(kTable, GuidInfo::Row(2)),  //  6
        Inside(kTable, GuidInfo::Row(3)),  //  7
        Inside(kTable, GuidInfo::Row(4)),  //  8
        Inside(kTable, GuidInfo::Row(5)),  //  9
        Inside(kTable, GuidInfo::Row(6)),  // 10
        Inside(kTable, GuidInfo::Row(7)),  // 11
    };
    // clang-format on
    static constexpr unsigned kFirstGuid = 4;
};

}  // namespace ember
