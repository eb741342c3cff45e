// SPDX-License-Identifier: Apache-2.0
// EmberSM: MCMemberRecord: a port's membership in a multicast group.
#pragma once

#include <cstdint>

#include "core/base/gid.h"
#include "core/base/ids.h"
#include "core/wire/attribute.h"
#include "core/wire/path_record.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// MCMemberRecord: 52 octets, and 4 of padding to whole words of 8. IBA vol. 1, 15.2.5.17.
class McMemberRecord : public Attribute<56> {
public:
    // clang-format off
    static constexpr Field<std::uint64_t> kMgidHigh               {  0, 64};
    static constexpr Field<std::uint64_t> kMgidLow                { 64, 64};
    static constexpr Field<std::uint64_t> kPortGidPrefix          {128, 64};
    static constexpr Field<Guid>          kPortGidGuid            {192, 64};
    static constexpr Field<std::uint32_t> kQKey                   {256, 32};
    static constexpr Field<Lid>           kMlid                   {288, 16};
    static constexpr Field<Selector>      kMtuSelector            {304,  2};
    static constexpr Field<Mtu>           kMtu                    {306,  6};
    static constexpr Field<std::uint8_t>  kTClass                 {312,  8};
    static constexpr Field<std::uint16_t> kPKey                   {320, 16};
    static constexpr Field<Selector>      kRateSelector           {336,  2};
    static constexpr Field<Rate>          kRate                   {338,  6};
    static constexpr Field<Selector>      kPacketLifeTimeSelector {344,  2};
    static constexpr Field<std::uint8_t>  kPacketLifeTime         {346,  6};
    static constexpr Field<std::uint8_t>  kSl                     {352,  4};
    static constexpr Field<std::uint32_t> kFlowLabel              {356, 20};
    static constexpr Field<std::uint8_t>  kHopLimit               {376,  8};
    static constexpr Field<std::uint8_t>  kScope                  {384,  4};
    static constexpr Field<std::uint8_t>  kJoinState              {388,  4};  ///< join_state.
    static constexpr Field<std::uint8_t>  kProxyJoin              {392,  1};
    static constexpr Field<std::uint32_t> kReserved393            {393, 23};
    static constexpr Field<std::uint32_t> kReserved416            {416, 32};

    /// Components of the mask, by their number.
    enum Component : std::uint8_t {
        kHasMgid = 0, kHasPortGid = 1, kHasQKey = 2, kHasMlid = 3, kHasMtuSelector = 4,
        kHasMtu = 5, kHasTClass = 6, kHasPKey = 7, kHasRateSelector = 8, kHasRate = 9,
        kHasPacketLifeTimeSelector = 10, kHasPacketLifeTime = 11, kHasSl = 12, kHasFlowLabel = 13,
        kHasHopLimit = 14, kHasScope = 15, kHasJoinState = 16, kHasProxyJoin = 17,
    };
    // clang-format on

    [[nodiscard]] constexpr Gid mgid() const { return {Get(kMgidHigh), Get(kMgidLow)}; }
    constexpr void SetMgid(const Gid& mgid) {
        Set(kMgidHigh, mgid.high);
        Set(kMgidLow, mgid.low);
    }
};

}  // namespace ember
