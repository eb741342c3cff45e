// SPDX-License-Identifier: Apache-2.0
// EmberSM: MultiPathRecord: a request for paths between two sets of ports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/wire/attribute.h"
#include "core/wire/path_record.h"

namespace ember {

/// MultiPathRecord without the GIDs that follow it: SGIDCount sources, then DGIDCount destinations,
/// each a prefix and a GUID. IBA vol. 1, 15.2.5.20. Only requests carry it; the answers are
/// PathRecords.
class MultiPathRecord : public Attribute<24> {
public:
    static constexpr std::size_t kGidOctets = 16;

    // clang-format off
    static constexpr Field<std::uint8_t>  kRawTraffic          {  0,  1};
    static constexpr Field<std::uint8_t>  kReserved1           {  1,  3};
    static constexpr Field<std::uint32_t> kFlowLabel           {  4, 20};
    static constexpr Field<std::uint8_t>  kHopLimit            { 24,  8};
    static constexpr Field<std::uint8_t>  kTClass              { 32,  8};
    static constexpr Field<std::uint8_t>  kReversible          { 40,  1};
    static constexpr Field<std::uint8_t>  kNumbPath            { 41,  7};
    static constexpr Field<std::uint16_t> kPKey                { 48, 16};
    static constexpr Field<std::uint16_t> kQosClass            { 64, 12};
    static constexpr Field<std::uint8_t>  kSl                  { 76,  4};
    static constexpr Field<Selector>      kMtuSelector         { 80,  2};
    static constexpr Field<Mtu>           kMtu                 { 82,  6};
    static constexpr Field<Selector>      kRateSelector        { 88,  2};
    static constexpr Field<Rate>          kRate                { 90,  6};
    static constexpr Field<Selector>      kPacketLifeTimeSelector{96, 2};
    static constexpr Field<std::uint8_t>  kPacketLifeTime      { 98,  6};
    static constexpr Field<std::uint8_t>  kServiceIdHigh       {104,  8};
    static constexpr Field<std::uint8_t>  kIndependenceSelector{112,  2};
    static constexpr Field<std::uint8_t>  kReserved114         {114,  6};
    static constexpr Field<std::uint8_t>  kSgidCount           {120,  8};
    static constexpr Field<std::uint8_t>  kDgidCount           {128,  8};
    static constexpr Field<std::uint64_t> kServiceIdLow        {136, 56};

    /// Components of the mask, by their number.
    enum Component : std::uint8_t {
        kHasRawTraffic = 0, kHasFlowLabel = 2, kHasHopLimit = 3, kHasTClass = 4,
        kHasReversible = 5, kHasNumbPath = 6, kHasPKey = 7, kHasQosClass = 8, kHasSl = 9,
        kHasMtuSelector = 10, kHasMtu = 11, kHasRateSelector = 12, kHasRate = 13,
        kHasPacketLifeTimeSelector = 14, kHasPacketLifeTime = 15, kHasServiceIdHigh = 16,
        kHasIndependenceSelector = 17, kHasSgidCount = 19, kHasDgidCount = 20,
        kHasServiceIdLow = 21,
    };
    // clang-format on
};

}  // namespace ember
