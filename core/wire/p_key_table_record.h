// SPDX-License-Identifier: Apache-2.0
// EmberSM: P_KeyTableRecord: 32 partitions of a port.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/p_key_table.h"
#include "core/wire/record.h"

namespace ember {

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
