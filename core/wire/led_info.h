// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lamp that tells which node is meant.
#pragma once

#include <cstdint>

#include "core/wire/attribute.h"

namespace ember {

/// LedInfo. IBA vol. 1, 14.2.5.15. LedMask 1 lights the locator, 0 darkens it.
class LedInfo : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<std::uint8_t>  kLedMask     {  0,  1};
    static constexpr Field<std::uint32_t> kReserved1   {  1, 31};
    static constexpr Field<std::uint32_t> kReserved32  { 32, 32};
    static constexpr Field<std::uint64_t> kReserved64  { 64, 64};
    static constexpr Field<std::uint64_t> kReserved128 {128, 64};
    static constexpr Field<std::uint64_t> kReserved192 {192, 64};
    static constexpr Field<std::uint64_t> kReserved256 {256, 64};
    static constexpr Field<std::uint64_t> kReserved320 {320, 64};
    static constexpr Field<std::uint64_t> kReserved384 {384, 64};
    static constexpr Field<std::uint64_t> kReserved448 {448, 64};
    // clang-format on
};
static_assert(WireStruct<LedInfo>);
static_assert(sizeof(LedInfo) == 64);

}  // namespace ember
