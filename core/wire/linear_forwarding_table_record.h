// SPDX-License-Identifier: Apache-2.0
// EmberSM: LinearForwardingTableRecord: the output ports for 64 LIDs at a switch.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/linear_forwarding_table.h"
#include "core/wire/record.h"

namespace ember {

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
