// SPDX-License-Identifier: Apache-2.0
// EmberSM: PathRecord: a path from one port to another.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/attribute.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// The Selector of a value in a request: what the value bounds. IBA vol. 1, 15.2.5.16. kBest is the
/// shortest PacketLifeTime, and the largest MTU or rate. Answers have kExactly.
enum class Selector : std::uint8_t { kAbove = 0, kBelow = 1, kExactly = 2, kBest = 3 };

/// PathRecord. IBA vol. 1, 15.2.5.16.
class PathRecord : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<std::uint64_t> kServiceId           {  0, 64};
    static constexpr Field<std::uint64_t> kDgidPrefix          { 64, 64};
    static constexpr Field<Guid>          kDgidGuid            {128, 64};
    static constexpr Field<std::uint64_t> kSgidPrefix          {192, 64};
    static constexpr Field<Guid>          kSgidGuid            {256, 64};
    static constexpr Field<Lid>           kDlid                {320, 16};
    static constexpr Field<Lid>           kSlid                {336, 16};
    static constexpr Field<std::uint8_t>  kRawTraffic          {352,  1};
    static constexpr Field<std::uint8_t>  kReserved353         {353,  3};
    static constexpr Field<std::uint32_t> kFlowLabel           {356, 20};
    static constexpr Field<std::uint8_t>  kHopLimit            {376,  8};
    static constexpr Field<std::uint8_t>  kTClass              {384,  8};
    static constexpr Field<std::uint8_t>  kReversible          {392,  1};
    static constexpr Field<std::uint8_t>  kNumbPath            {393,  7};
    static constexpr Field<std::uint16_t> kPKey                {400, 16};
    static constexpr Field<std::uint16_t> kQosClass            {416, 12};
    static constexpr Field<std::uint8_t>  kSl                  {428,  4};
    static constexpr Field<Selector>      kMtuSelector         {432,  2};
    static constexpr Field<Mtu>           kMtu                 {434,  6};
    static constexpr Field<Selector>      kRateSelector        {440,  2};
    static constexpr Field<Rate>          kRate                {442,  6};
    static constexpr Field<Selector>      kPacketLifeTimeSelector{448, 2};
    static constexpr Field<std::uint8_t>  kPacketLifeTime      {450,  6};
    static constexpr Field<std::uint8_t>  kPreference          {456,  8};
    static constexpr Field<std::uint64_t> kReserved464         {464, 48};

    /// Components of the mask, by their number.
    enum Component : std::uint8_t {
        kHasServiceIdHigh = 0, kHasServiceIdLow = 1, kHasDgid = 2, kHasSgid = 3, kHasDlid = 4,
        kHasSlid = 5, kHasRawTraffic = 6, kHasFlowLabel = 8, kHasHopLimit = 9, kHasTClass = 10,
        kHasReversible = 11, kHasNumbPath = 12, kHasPKey = 13, kHasQosClass = 14, kHasSl = 15,
        kHasMtuSelector = 16, kHasMtu = 17, kHasRateSelector = 18, kHasRate = 19,
        kHasPacketLifeTimeSelector = 20, kHasPacketLifeTime = 21,
    };
    // clang-format on
};

}  // namespace ember
