// SPDX-License-Identifier: Apache-2.0
// EmberSM: SwitchInfo: the capabilities of a switch and the extent of its tables.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// SwitchInfo. IBA vol. 1, 14.2.5.4. The SM writes LinearFDBTop, the three default ports,
/// LifeTimeValue, PortStateChange, OptimizedSLtoVLMappingProgramming and MulticastFDBTop; the rest
/// is the switch's own.
class SwitchInfo : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<std::uint16_t> kLinearFdbCap                  {  0, 16};
    static constexpr Field<std::uint16_t> kRandomFdbCap                  { 16, 16};
    static constexpr Field<std::uint16_t> kMulticastFdbCap               { 32, 16};
    static constexpr Field<Lid>           kLinearFdbTop                  { 48, 16};
    static constexpr Field<PortNumber>    kDefaultPort                   { 64,  8};
    static constexpr Field<PortNumber>    kDefaultMulticastPrimaryPort   { 72,  8};
    static constexpr Field<PortNumber>    kDefaultMulticastNotPrimaryPort{ 80,  8};
    static constexpr Field<std::uint8_t>  kLifeTimeValue                 { 88,  5};
    /// Read: a port changed its state since this was cleared. Writing 1 clears, 0 does nothing.
    static constexpr Field<std::uint8_t>  kPortStateChange               { 93,  1};
    static constexpr Field<std::uint8_t>  kOptimizedSlToVlMappingProgramming{94, 2};
    static constexpr Field<std::uint16_t> kLidsPerPort                   { 96, 16};
    static constexpr Field<std::uint16_t> kPartitionEnforcementCap       {112, 16};
    static constexpr Field<std::uint8_t>  kInboundEnforcementCap         {128,  1};
    static constexpr Field<std::uint8_t>  kOutboundEnforcementCap        {129,  1};
    static constexpr Field<std::uint8_t>  kFilterRawInboundCap           {130,  1};
    static constexpr Field<std::uint8_t>  kFilterRawOutboundCap          {131,  1};
    static constexpr Field<std::uint8_t>  kEnhancedPort0                 {132,  1};
    static constexpr Field<std::uint8_t>  kReserved133                   {133,  3};
    static constexpr Field<std::uint8_t>  kReserved136                   {136,  8};
    static constexpr Field<Lid>           kMulticastFdbTop               {144, 16};
    static constexpr Part                 kReserved160                   {160, 352};
    // clang-format on
};

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
