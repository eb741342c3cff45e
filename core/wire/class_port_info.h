// SPDX-License-Identifier: Apache-2.0
// EmberSM: ClassPortInfo: the capabilities of an agent of a management class.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/attribute.h"

namespace ember {

/// ClassPortInfo, an attribute of every class. IBA vol. 1, 13.4.8.1.
class ClassPortInfo : public Attribute<72> {
public:
    // clang-format off
    static constexpr Field<std::uint8_t>  kBaseVersion       {  0,  8};
    static constexpr Field<std::uint8_t>  kClassVersion      {  8,  8};
    static constexpr Field<std::uint16_t> kCapabilityMask    { 16, 16};
    static constexpr Field<std::uint32_t> kCapabilityMask2   { 32, 27};
    static constexpr Field<std::uint8_t>  kRespTimeValue     { 59,  5};  ///< 4.096 us x 2^value.
    static constexpr Field<std::uint64_t> kRedirectGidPrefix { 64, 64};
    static constexpr Field<Guid>          kRedirectGidGuid   {128, 64};
    static constexpr Field<std::uint8_t>  kRedirectTc        {192,  8};
    static constexpr Field<std::uint8_t>  kRedirectSl        {200,  4};
    static constexpr Field<std::uint32_t> kRedirectFl        {204, 20};
    static constexpr Field<Lid>           kRedirectLid       {224, 16};  ///< 0: not redirected.
    static constexpr Field<std::uint16_t> kRedirectPKey      {240, 16};
    static constexpr Field<std::uint8_t>  kReserved256       {256,  8};
    static constexpr Field<std::uint32_t> kRedirectQp        {264, 24};
    static constexpr Field<std::uint32_t> kRedirectQKey      {288, 32};
    static constexpr Field<std::uint64_t> kTrapGidPrefix     {320, 64};
    static constexpr Field<Guid>          kTrapGidGuid       {384, 64};
    static constexpr Field<std::uint8_t>  kTrapTc            {448,  8};
    static constexpr Field<std::uint8_t>  kTrapSl            {456,  4};
    static constexpr Field<std::uint32_t> kTrapFl            {460, 20};
    static constexpr Field<Lid>           kTrapLid           {480, 16};
    static constexpr Field<std::uint16_t> kTrapPKey          {496, 16};
    static constexpr Field<std::uint8_t>  kTrapHl            {512,  8};
    static constexpr Field<std::uint32_t> kTrapQp            {520, 24};
    static constexpr Field<std::uint32_t> kTrapQKey          {544, 32};
    // clang-format on
};

/// ClassPortInfo:CapabilityMask of subnet administration. IBA vol. 1, 15.2.5.1, and 13.4.8.1.
namespace sa_capability {
inline constexpr std::uint16_t kGetSetNotice = 1U << 1U;  ///< Of all classes: Set(InformInfo).
inline constexpr std::uint16_t kUdMulticast = 1U << 9U;
inline constexpr std::uint16_t kMultiPath = 1U << 10U;
inline constexpr std::uint16_t kPortInfoCapabilityMaskMatch = 1U << 13U;
}  // namespace sa_capability

/// ClassPortInfo:CapabilityMask2 of subnet administration. IBA vol. 1, 15.2.5.1.
namespace sa_capability2 {
inline constexpr std::uint32_t kQos = 1U << 1U;
inline constexpr std::uint32_t kMulticastTop = 1U << 3U;
inline constexpr std::uint32_t kAliasGuids = 1U << 5U;
inline constexpr std::uint32_t kFullPortInfoRecord = 1U << 6U;
inline constexpr std::uint32_t kExtendedSpeeds = 1U << 7U;
inline constexpr std::uint32_t kMulticastServiceRecords = 1U << 8U;
inline constexpr std::uint32_t kPortInfoCapabilityMask2Match = 1U << 10U;
inline constexpr std::uint32_t kSendOnlyFullMember = 1U << 12U;
inline constexpr std::uint32_t kLinkWidth2x = 1U << 13U;
inline constexpr std::uint32_t kHdr = 1U << 15U;
}  // namespace sa_capability2

}  // namespace ember
