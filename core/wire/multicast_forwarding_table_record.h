// SPDX-License-Identifier: Apache-2.0
// EmberSM: MulticastForwardingTableRecord: the output ports for 32 multicast LIDs at a switch.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/multicast_forwarding_table.h"
#include "core/wire/record.h"

namespace ember {

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
