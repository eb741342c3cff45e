// SPDX-License-Identifier: Apache-2.0
// EmberSM: PortInfoRecord: the PortInfo of a port.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/port_info.h"
#include "core/wire/record.h"

namespace ember {

/// PortInfoRecord. IBA vol. 1, 15.2.5.3. The LID of a switch's port is that of its port 0.
///
/// A query compares CapabilityMask as a whole. With bit 31 of the AttributeModifier set it compares
/// only the bits that are set in the query.
class PortInfoRecord : public Attribute<72> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid       {  0,  16};
    static constexpr Field<PortNumber>    kPortNum   { 16,   8};
    static constexpr Field<std::uint8_t>  kOptions   { 24,   8};
    static constexpr Part                 kPortInfo  { 32, 512};
    static constexpr Field<std::uint32_t> kPadding544{544,  32};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},                                                       //  0
        Extent{kPortNum},                                                   //  1
        Extent{kOptions},                                                   //  2
        Inside(kPortInfo, PortInfo::kMKey),                                 //  3
        Inside(kPortInfo, PortInfo::kGidPrefix),                            //  4
        Inside(kPortInfo, PortInfo::kLid),                                  //  5
        Inside(kPortInfo, PortInfo::kMasterSmLid),                          //  6
        Inside(kPortInfo, PortInfo::kCapabilityMask),                       //  7
        Inside(kPortInfo, PortInfo::kDiagCode),                             //  8
        Inside(kPortInfo, PortInfo::kMKeyLeasePeriod),                      //  9
        Inside(kPortInfo, PortInfo::kLocalPortNum),                         // 10
        Inside(kPortInfo, PortInfo::kLinkWidthEnabled),                     // 11
        Inside(kPortInfo, PortInfo::kLinkWidthSupported),                   // 12
        Inside(kPortInfo, PortInfo::kLinkWidthActive),                      // 13
        Inside(kPortInfo, PortInfo::kLinkSpeedSupported),                   // 14
        Inside(kPortInfo, PortInfo::kPortState),                            // 15
        Inside(kPortInfo, PortInfo::kPortPhysicalState),                    // 16
        Inside(kPortInfo, PortInfo::kLinkDownDefaultState),                 // 17
        Inside(kPortInfo, PortInfo::kMKeyProtectBits),                      // 18
        kNotCompared,                                                       // 19
        Inside(kPortInfo, PortInfo::kLmc),                                  // 20
        Inside(kPortInfo, PortInfo::kLinkSpeedActive),                      // 21
        Inside(kPortInfo, PortInfo::kLinkSpeedEnabled),                     // 22
        Inside(kPortInfo, PortInfo::kNeighborMtu),                          // 23
        Inside(kPortInfo, PortInfo::kMasterSmSl),                           // 24
        Inside(kPortInfo, PortInfo::kVlCap),                                // 25
        Inside(kPortInfo, PortInfo::kInitType),                             // 26
        Inside(kPortInfo, PortInfo::kVlHighLimit),                          // 27
        Inside(kPortInfo, PortInfo::kVlArbitrationHighCap),                 // 28
        Inside(kPortInfo, PortInfo::kVlArbitrationLowCap),                  // 29
        Inside(kPortInfo, PortInfo::kInitTypeReply),                        // 30
        Inside(kPortInfo, PortInfo::kMtuCap),                               // 31
        Inside(kPortInfo, PortInfo::kVlStallCount),                         // 32
        Inside(kPortInfo, PortInfo::kHoqLife),                              // 33
        Inside(kPortInfo, PortInfo::kOperationalVls),                       // 34
        Inside(kPortInfo, PortInfo::kPartitionEnforcementInbound),          // 35
        Inside(kPortInfo, PortInfo::kPartitionEnforcementOutbound),         // 36
        Inside(kPortInfo, PortInfo::kFilterRawInbound),                     // 37
        Inside(kPortInfo, PortInfo::kFilterRawOutbound),                    // 38
        Inside(kPortInfo, PortInfo::kMKeyViolations),                       // 39
        Inside(kPortInfo, PortInfo::kPKeyViolations),                       // 40
        Inside(kPortInfo, PortInfo::kQKeyViolations),                       // 41
        Inside(kPortInfo, PortInfo::kGuidCap),                              // 42
        Inside(kPortInfo, PortInfo::kClientReregister),                     // 43
        Inside(kPortInfo, PortInfo::kMulticastPKeyTrapSuppressionEnabled),  // 44
        Inside(kPortInfo, PortInfo::kSubnetTimeOut),                        // 45
        kNotCompared,                                                       // 46
        Inside(kPortInfo, PortInfo::kRespTimeValue),                        // 47
        Inside(kPortInfo, PortInfo::kLocalPhyErrors),                       // 48
        Inside(kPortInfo, PortInfo::kOverrunErrors),                        // 49
        Inside(kPortInfo, PortInfo::kMaxCreditHint),                        // 50
        kNotCompared,                                                       // 51
        Inside(kPortInfo, PortInfo::kLinkRoundTripLatency),                 // 52
        Inside(kPortInfo, PortInfo::kCapabilityMask2),                      // 53
        Inside(kPortInfo, PortInfo::kLinkSpeedExtActive),                   // 54
        Inside(kPortInfo, PortInfo::kLinkSpeedExtSupported),                // 55
        kNotCompared,                                                       // 56
        Inside(kPortInfo, PortInfo::kLinkSpeedExtEnabled),                  // 57
    };
    // clang-format on
};

}  // namespace ember
