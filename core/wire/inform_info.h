// SPDX-License-Identifier: Apache-2.0
// EmberSM: InformInfo, a subscription to notices, and the notice of a Report.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/gid.h"
#include "core/base/ids.h"
#include "core/wire/notice.h"
#include "core/wire/record.h"

namespace ember {

/// InformInfo: 36 octets, and 4 of padding to whole words of 8. IBA vol. 1, 13.4.8.3.
class InformInfo : public Attribute<40> {
public:
    // Values that stand for "any".
    static constexpr Lid kAnyLid{0xFFFF};
    static constexpr std::uint16_t kAnyType = 0xFFFF;
    static constexpr std::uint16_t kAnyNumber = 0xFFFF;
    static constexpr std::uint32_t kAnyProducer = 0xFFFFFF;

    // clang-format off
    static constexpr Field<std::uint64_t> kGidHigh       {  0, 64};
    static constexpr Field<std::uint64_t> kGidLow        { 64, 64};
    static constexpr Field<Lid>           kLidRangeBegin {128, 16};
    static constexpr Field<Lid>           kLidRangeEnd   {144, 16};
    static constexpr Field<std::uint16_t> kReserved160   {160, 16};
    static constexpr Field<std::uint8_t>  kIsGeneric     {176,  8};
    static constexpr Field<std::uint8_t>  kSubscribe     {184,  8};
    static constexpr Field<std::uint16_t> kType          {192, 16};
    static constexpr Field<std::uint16_t> kTrapNumber    {208, 16};  ///< Or DeviceID.
    static constexpr Field<std::uint32_t> kQpn           {224, 24};
    static constexpr Field<std::uint8_t>  kReserved248   {248,  3};
    static constexpr Field<std::uint8_t>  kRespTimeValue {251,  5};
    static constexpr Field<std::uint8_t>  kReserved256   {256,  8};
    static constexpr Field<std::uint32_t> kProducerType  {264, 24};  ///< Or VendorID.
    static constexpr Field<std::uint32_t> kReserved288   {288, 32};
    // clang-format on

    [[nodiscard]] constexpr Gid gid() const { return {Get(kGidHigh), Get(kGidLow)}; }
};

/// InformInfoRecord: 60 octets, and 4 of padding. IBA vol. 1, 15.2.5.12.
class InformInfoRecord : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<std::uint64_t> kSubscriberGidHigh {  0,  64};
    static constexpr Field<std::uint64_t> kSubscriberGidLow  { 64,  64};
    static constexpr Field<std::uint16_t> kSubscriberEnum    {128,  16};
    static constexpr Field<std::uint64_t> kReserved144       {144,  48};
    static constexpr Part                 kInformInfo        {192, 320};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{0, 128},                                    //  0 SubscriberGID
        Extent{kSubscriberEnum},                           //  1
        kNotCompared,                                      //  2
        Extent{192, 128},                                  //  3 GID
        Inside(kInformInfo, InformInfo::kLidRangeBegin),   //  4
        Inside(kInformInfo, InformInfo::kLidRangeEnd),     //  5
        kNotCompared,                                      //  6
        Inside(kInformInfo, InformInfo::kIsGeneric),       //  7
        Inside(kInformInfo, InformInfo::kSubscribe),       //  8
        Inside(kInformInfo, InformInfo::kType),            //  9
        Inside(kInformInfo, InformInfo::kTrapNumber),      // 10
        Inside(kInformInfo, InformInfo::kQpn),             // 11
        kNotCompared,                                      // 12
        Inside(kInformInfo, InformInfo::kRespTimeValue),   // 13
        kNotCompared,                                      // 14
        Inside(kInformInfo, InformInfo::kProducerType),    // 15
    };
    // clang-format on
};

/// The Notice of a Report: a Notice as an SMP carries it, and the IssuerGID. IBA vol. 1, 13.4.8.2.
class ReportedNotice : public Attribute<80> {
public:
    // clang-format off
    static constexpr Part                 kNotice        {  0, 512};
    static constexpr Field<std::uint64_t> kIssuerGidHigh {512,  64};
    static constexpr Field<std::uint64_t> kIssuerGidLow  {576,  64};
    // clang-format on
};

}  // namespace ember
