// SPDX-License-Identifier: Apache-2.0
// EmberSM: SLtoVLMappingTableRecord: the virtual lane of each service level from port to port.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"
#include "core/wire/sl_to_vl_mapping_table.h"

namespace ember {

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
