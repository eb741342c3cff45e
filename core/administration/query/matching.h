// SPDX-License-Identifier: Apache-2.0
// EmberSM: the record of a question, compared with the records that there are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/base/assert.h"
#include "core/wire/attribute.h"

namespace ember {

/// The component that names a port by its LID: the first of every record that has one.
inline constexpr unsigned kLidComponent = 0;

/// Extents of two records hold the same bits.
[[nodiscard]] inline bool SameBits(std::span<const std::uint8_t> one,
                                   std::span<const std::uint8_t> other, Extent extent) {
    EMBER_ASSERT(extent.last() < one.size());
    EMBER_ASSERT(extent.last() < other.size());
    // All octets but the first and the last count as a whole.
    for (std::size_t i = extent.first(); i <= extent.last(); ++i) {
        unsigned mask = 0xFF;
        if (i == extent.first()) mask &= 0xFFU >> (extent.bit % 8U);
        if (i == extent.last()) mask &= 0xFFU << extent.shift();
        if (((one[i] ^ other[i]) & mask) != 0) return false;
    }
    return true;
}

/// True when `record` agrees with the question in every component of `components` that the mask
/// sets, those of `settled` left out: bits whose components were looked at otherwise. Components
/// without width, and numbers beyond `components`, are not compared. IBA vol. 1, 15.4.4.
[[nodiscard]] inline bool Matches(const Query& query, std::span<const Extent> components,
                                  std::span<const std::uint8_t> record, std::uint64_t settled) {
    const std::uint64_t numbered =
        components.size() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << components.size()) - 1;
    std::uint64_t left = query.component_mask & numbered & ~settled;
    while (left != 0) {  // At most 64 times: a bit is cleared each.
        const Extent extent = components[static_cast<std::size_t>(std::countr_zero(left))];
        left &= left - 1;
        if (extent.width == 0) continue;
        if (extent.last() >= query.record.size()) return false;  // The record is cut off.
        if (!SameBits(query.record, record, extent)) return false;
    }
    return true;
}

/// The record of the question; zeros where the question came without its end.
template <typename Record>
[[nodiscard]] inline Record Asked(const Query& query) {
    Record asked;
    const std::size_t size = std::min(sizeof(Record), query.record.size());
    std::copy_n(query.record.begin(), size, asked.octets().begin());
    return asked;
}

/// Hands a finished record over; the span is exactly as long.
template <std::size_t kOctets>
void Deliver(const Attribute<kOctets>& record, std::span<std::uint8_t> out) {
    EMBER_ASSERT(out.size() >= kOctets);
    std::copy(record.octets().begin(), record.octets().end(), out.begin());
}

}  // namespace ember
