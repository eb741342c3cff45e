// SPDX-License-Identifier: Apache-2.0
// EmberSM: attributes inside records of subnet administration, and their numbered components.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/wire/attribute.h"

namespace ember {

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

}  // namespace ember
