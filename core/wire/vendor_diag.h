// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a vendor has to say of a node's health.
#pragma once

#include <cstdint>

#include "core/wire/attribute.h"

namespace ember {

/// VendorDiag, Get only. IBA vol. 1, 14.2.5.14. The AttributeModifier is the index of the record;
/// NextIndex is that of the one after it, 0 when there is none. DiagData is the vendor's.
class VendorDiag : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<std::uint16_t> kNextIndex  {  0, 16};
    static constexpr Field<std::uint64_t> kDiagData0  { 16, 64};
    static constexpr Field<std::uint64_t> kDiagData8  { 80, 64};
    static constexpr Field<std::uint64_t> kDiagData16 {144, 64};
    static constexpr Field<std::uint64_t> kDiagData24 {208, 64};
    static constexpr Field<std::uint64_t> kDiagData32 {272, 64};
    static constexpr Field<std::uint64_t> kDiagData40 {336, 64};
    static constexpr Field<std::uint64_t> kDiagData48 {400, 64};
    static constexpr Field<std::uint64_t> kDiagData56 {464, 48};
    // clang-format on
};
static_assert(WireStruct<VendorDiag>);
static_assert(sizeof(VendorDiag) == 64);

}  // namespace ember
