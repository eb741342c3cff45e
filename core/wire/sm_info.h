// SPDX-License-Identifier: Apache-2.0
// EmberSM: SMInfo: the identity, priority and state of a subnet manager.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// SMInfo:SMState. IBA vol. 1, 14.2.5.13.
enum class SmState : std::uint8_t { kNotActive, kDiscovering, kStandby, kMaster };

/// The command of a Set(SMInfo): its AttributeModifier. IBA vol. 1, 14.4.1.
enum class SmControl : std::uint32_t {
    kHandover = 1,
    kAcknowledge = 2,
    kDisable = 3,
    kStandby = 4,
    kDiscover = 5,
};

/// SMInfo. IBA vol. 1, 14.2.5.13.
class SmInfo : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<Guid>          kGuid        {  0, 64};
    static constexpr Field<std::uint64_t> kSmKey       { 64, 64};
    static constexpr Field<std::uint32_t> kActCount    {128, 32};
    static constexpr Field<std::uint8_t>  kPriority    {160,  4};  ///< 0..15, 15 wins.
    static constexpr Field<SmState>       kSmState     {164,  4};
    static constexpr Part                 kReserved168 {168, 344};
    // clang-format on
};

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
