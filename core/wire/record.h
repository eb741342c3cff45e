// SPDX-License-Identifier: Apache-2.0
// EmberSM: attributes inside records of subnet administration, and their numbered components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/base/assert.h"
#include "core/wire/attribute.h"

namespace ember {

/// A row of a record that holds a whole attribute, a table or a text: any number of whole octets.
struct Part : Extent {
    [[nodiscard]] constexpr std::size_t octet() const { return bit / 8U; }
    [[nodiscard]] constexpr std::size_t octets() const { return width / 8U; }
};

/// A component that no query may compare: a reserved row, or a secret.
inline constexpr Extent kNotCompared{0, 0};

/// The extent of an attribute's field in the record that holds the attribute at `part`.
[[nodiscard]] constexpr Extent Inside(Part part, Extent field) {
    EMBER_ASSERT(field.bit + field.width <= part.width);
    return {static_cast<std::uint16_t>(part.bit + field.bit), field.width};
}

/// Writes the front of an attribute into a record, as many octets as the part has.
template <std::size_t kRecord, std::size_t kWhole>
constexpr void Put(Attribute<kRecord>& record, Part part, const Attribute<kWhole>& whole) {
    EMBER_ASSERT(part.octets() <= kWhole && part.octet() + part.octets() <= kRecord);
    for (std::size_t i = 0; i < part.octets(); ++i) {
        record.octets()[part.octet() + i] = whole.octets()[i];
    }
}

/// The attribute that a record holds at `part`; zeros where the part is shorter.
template <typename Whole, std::size_t kRecord>
[[nodiscard]] constexpr Whole Take(const Attribute<kRecord>& record, Part part) {
    Whole whole;
    EMBER_ASSERT(part.octets() <= whole.octets().size() && part.octet() + part.octets() <= kRecord);
    for (std::size_t i = 0; i < part.octets(); ++i) {
        whole.octets()[i] = record.octets()[part.octet() + i];
    }
    return whole;
}

/// Tiles() for records, where a row may be longer than 64 bits if it begins and ends with an octet.
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
