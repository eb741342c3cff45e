// SPDX-License-Identifier: Apache-2.0
// EmberSM: VLArbitrationTableRecord: how virtual lanes share a link.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {

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
