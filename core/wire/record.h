// SPDX-License-Identifier: Apache-2.0
// EmberSM: attributes inside records of subnet administration, and their numbered components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/base/assert.h"
#include "core/wire/attribute.h"

namespace ember {

/// A row of a record that holds a whole attribute, a table or a text: whole octets, of any number.
struct Part : Extent {
    [[nodiscard]] constexpr std::size_t octet() const { return bit / 8U; }
    [[nodiscard]] constexpr std::size_t octets() const { return width / 8U; }
};

/// A component that is never compared: a reserved row, or a secret. See record classes.
inline constexpr Extent kNotCompared{0, 0};

/// Where a field of an attribute lies in the record that holds the attribute.
[[nodiscard]] constexpr Extent Inside(Part part, Extent field) {
    EMBER_ASSERT(field.bit + field.width <= part.width);
    return {static_cast<std::uint16_t>(part.bit + field.bit), field.width};
}

/// Writes the front of an attribute, as much of it as the record has room for.
template <std::size_t kRecord, std::size_t kWhole>
constexpr void Put(Attribute<kRecord>& record, Part part, const Attribute<kWhole>& whole) {
    EMBER_ASSERT(part.octets() <= kWhole && part.octet() + part.octets() <= kRecord);
    for (std::size_t i = 0; i < part.octets(); ++i) {
        record.octets()[part.octet() + i] = whole.octets()[i];
    }
}

/// The attribute that a record holds; zeros where the record leaves its end out.
template <typename Whole, std::size_t kRecord>
[[nodiscard]] constexpr Whole Take(const Attribute<kRecord>& record, Part part) {
    Whole whole;
    EMBER_ASSERT(part.octets() <= whole.octets().size() && part.octet() + part.octets() <= kRecord);
    for (std::size_t i = 0; i < part.octets(); ++i) {
        whole.octets()[i] = record.octets()[part.octet() + i];
    }
    return whole;
}

/// Tiles() for records: the same, and rows of more than 64 bits begin and end with an octet.
[[nodiscard]] consteval bool RecordTiles(std::size_t bits, std::initializer_list<Extent> extents) {
    std::size_t next = 0;
    for (const Extent& extent : extents) {
        const bool whole_octets = extent.bit % 8 == 0 && extent.width % 8 == 0;
        const bool fits_word = extent.bit % 8 + extent.width <= 64;
        if (extent.bit != next || extent.width == 0) return false;
        if (!whole_octets && !fits_word) return false;
        next += extent.width;
    }
    return next == bits;
}

}  // namespace ember
