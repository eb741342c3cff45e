// SPDX-License-Identifier: Apache-2.0
// EmberSM: SMInfoRecord: the SMInfo of a subnet manager.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"
#include "core/wire/sm_info.h"

namespace ember {

/// SMInfoRecord. IBA vol. 1, 15.2.5.11. The SM_Key is secret and the ActCount of other SMs is not
/// known, so no query compares them.
class SmInfoRecord : public Attribute<32> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<std::uint16_t> kReserved16{ 16,  16};
    static constexpr Part                 kSmInfo    { 32, 168};
    static constexpr Part                 kPadding200{200, 56};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},                        //  0
        kNotCompared,                        //  1
        Inside(kSmInfo, SmInfo::kGuid),      //  2
        kNotCompared,                        //  3
        kNotCompared,                        //  4
        Inside(kSmInfo, SmInfo::kPriority),  //  5
        Inside(kSmInfo, SmInfo::kSmState),   //  6
    };
    // clang-format on
};

}  // namespace ember
