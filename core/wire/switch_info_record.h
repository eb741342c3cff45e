// SPDX-License-Identifier: Apache-2.0
// EmberSM: SwitchInfoRecord: the SwitchInfo of a switch.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"
#include "core/wire/switch_info.h"

namespace ember {

/// SwitchInfoRecord. IBA vol. 1, 15.2.5.5. The record ends with MulticastFDBTop.
class SwitchInfoRecord : public Attribute<24> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<std::uint16_t> kReserved16{ 16,  16};
    static constexpr Part                 kSwitchInfo{ 32, 160};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},                                                         //  0
        kNotCompared,                                                         //  1
        Inside(kSwitchInfo, SwitchInfo::kLinearFdbCap),                       //  2
        Inside(kSwitchInfo, SwitchInfo::kRandomFdbCap),                       //  3
        Inside(kSwitchInfo, SwitchInfo::kMulticastFdbCap),                    //  4
        Inside(kSwitchInfo, SwitchInfo::kLinearFdbTop),                       //  5
        Inside(kSwitchInfo, SwitchInfo::kDefaultPort),                        //  6
        Inside(kSwitchInfo, SwitchInfo::kDefaultMulticastPrimaryPort),        //  7
        Inside(kSwitchInfo, SwitchInfo::kDefaultMulticastNotPrimaryPort),     //  8
        Inside(kSwitchInfo, SwitchInfo::kLifeTimeValue),                      //  9
        Inside(kSwitchInfo, SwitchInfo::kPortStateChange),                    // 10
        Inside(kSwitchInfo, SwitchInfo::kOptimizedSlToVlMappingProgramming),  // 11
        Inside(kSwitchInfo, SwitchInfo::kLidsPerPort),                        // 12
        Inside(kSwitchInfo, SwitchInfo::kPartitionEnforcementCap),            // 13
        Inside(kSwitchInfo, SwitchInfo::kInboundEnforcementCap),              // 14
        Inside(kSwitchInfo, SwitchInfo::kOutboundEnforcementCap),             // 15
        Inside(kSwitchInfo, SwitchInfo::kFilterRawInboundCap),                // 16
        Inside(kSwitchInfo, SwitchInfo::kFilterRawOutboundCap),               // 17
        Inside(kSwitchInfo, SwitchInfo::kEnhancedPort0),                      // 18
    };
    // clang-format on
};

}  // namespace ember
