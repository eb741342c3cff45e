// SPDX-License-Identifier: Apache-2.0
// EmberSM: attributes as tables of fields, as the specification prints them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/base/be.h"

namespace ember {

/// Where a field lies, as the specification tabulates it: bit 0 is the top bit of octet 0.
/// A field touches at most eight octets (Tiles() checks that).
struct Extent {
    std::uint16_t bit;
    std::uint16_t width;

    [[nodiscard]] constexpr std::size_t first() const { return bit / 8U; }
    [[nodiscard]] constexpr std::size_t last() const { return (bit + width - 1U) / 8U; }
    /// How far the field's lowest bit lies above the lowest bit of its last octet.
    [[nodiscard]] constexpr unsigned shift() const { return 7U - (bit + width - 1U) % 8U; }
    [[nodiscard]] constexpr std::uint64_t mask() const {
        return ~std::uint64_t{0} >> (64U - width);
    }
};

/// An extent that holds a Value.
template <WireScalar Value>
struct Field : Extent {};

/// True when the extents, in order, cover exactly `bits` bits without a gap or an overlap, and each
/// touches at most eight octets.
[[nodiscard]] consteval bool Tiles(std::size_t bits, std::initializer_list<Extent> extents) {
    std::size_t next = 0;
    for (const Extent& extent : extents) {
        const bool fits_word = extent.width > 0 && extent.bit % 8 + extent.width <= 64;
        if (extent.bit != next || !fits_word) return false;
        next += extent.width;
    }
    return next == bits;
}

/// Tiles() for the rows of a table by index: row(0), row(1) ... row(kRows - 1) cover exactly `bits`
/// bits from `first_bit` on.
template <std::size_t kRows, typename RowOf>
[[nodiscard]] consteval bool RowsTile(std::size_t first_bit, std::size_t bits, RowOf row) {
    std::size_t next = first_bit;
    for (std::size_t i = 0; i < kRows; ++i) {
        const Extent extent = row(i);
        const bool fits_word = extent.width > 0 && extent.bit % 8 + extent.width <= 64;
        if (extent.bit != next || !fits_word) return false;
        next += extent.width;
    }
    return next == first_bit + bits;
}

/// The octets of an attribute, read and written one field at a time.
template <std::size_t kOctets>
class Attribute {
public:
    /// The value of `field`.
    template <WireScalar Value>
    [[nodiscard]] constexpr Value Get(Field<Value> field) const {
        std::uint64_t word = 0;
        for (std::size_t i = field.first(); i <= field.last(); ++i) {
            word = (word << 8U) | octets_[i];
        }
        return static_cast<Value>((word >> field.shift()) & field.mask());
    }

    /// Writes the low `width` bits of `value`. Other fields in the same octets keep their values.
    template <WireScalar Value>
    constexpr void Set(Field<Value> field, Value value) {
        const std::uint64_t keep = ~(field.mask() << field.shift());
        const std::uint64_t bits = (static_cast<std::uint64_t>(value) & field.mask())
                                   << field.shift();
        std::uint64_t word = 0;
        for (std::size_t i = field.first(); i <= field.last(); ++i) {
            word = (word << 8U) | octets_[i];
        }
        word = (word & keep) | bits;
        for (std::size_t i = field.last() + 1; i > field.first(); --i) {
            octets_[i - 1] = static_cast<std::uint8_t>(word);
            word >>= 8U;
        }
    }

    [[nodiscard]] constexpr const std::array<std::uint8_t, kOctets>& octets() const {
        return octets_;
    }
    [[nodiscard]] constexpr std::array<std::uint8_t, kOctets>& octets() { return octets_; }
    friend constexpr bool operator==(const Attribute&, const Attribute&) = default;

private:
    std::array<std::uint8_t, kOctets> octets_{};
};

}  // namespace ember
