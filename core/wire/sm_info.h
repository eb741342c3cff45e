// SPDX-License-Identifier: Apache-2.0
// EmberSM: SMInfo: the identity, priority and state of a subnet manager.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/attribute.h"

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

}  // namespace ember
