// SPDX-License-Identifier: Apache-2.0
// EmberSM: LinkRecord: a link, seen from one of its ends.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// LinkRecord. IBA vol. 1, 15.2.5.13. The LID of a switch is that of its port 0.
class LinkRecord : public Attribute<8> {
public:
    // clang-format off
    static constexpr Field<Lid>           kFromLid   {  0,  16};
    static constexpr Field<PortNumber>    kFromPort  { 16,   8};
    static constexpr Field<PortNumber>    kToPort    { 24,   8};
    static constexpr Field<Lid>           kToLid     { 32,  16};
    static constexpr Field<std::uint16_t> kReserved48{ 48,  16};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kFromLid},   //  0
        Extent{kFromPort},  //  1
        Extent{kToPort},    //  2
        Extent{kToLid},     //  3
    };
    // clang-format on
};

}  // namespace ember
