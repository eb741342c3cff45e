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

/// A row that is no number: a whole attribute, a table, a text or what is reserved. Any number of
/// whole octets.
struct Part : Extent {
    [[nodiscard]] constexpr std::size_t octet() const { return bit / 8U; }
    [[nodiscard]] constexpr std::size_t octets() const { return width / 8U; }
};

/// A row of a table, and whether its extent is one that it may have.
struct TableRow : Extent {
    constexpr TableRow(Extent field)
        : Extent(field), is_sound(width > 0 && bit % 8 + width <= 64) {}
    constexpr TableRow(Part part)
        : Extent(part), is_sound(width > 0 && bit % 8 == 0 && width % 8 == 0) {}
    bool is_sound;
};

/// True when the rows, in order, cover exactly the bits from `first` to `end` without a gap or an
/// overlap, and each field touches at most eight octets.
[[nodiscard]] consteval bool Tiles(std::size_t end, std::initializer_list<TableRow> rows,
                                   std::size_t first = 0) {
    for (const TableRow& row : rows) {
        if (row.bit != first || !row.is_sound) return false;
        first += row.width;
    }
    return first == end;
}

/// Tiles() for a table by index: row(0), row(1) ... row(kRows - 1).
template <std::size_t kRows, typename RowOf>
[[nodiscard]] consteval bool RowsTile(std::size_t first, std::size_t end, RowOf row) {
    for (std::size_t i = 0; i < kRows; ++i) {
        if (!Tiles(first + row(i).width, {row(i)}, first)) return false;
        first += row(i).width;
    }
    return first == end;
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

/// Tiles() for all of an attribute or record; for the end of one whose front is another's.
template <typename Whole>
[[nodiscard]] consteval bool Tiles(std::initializer_list<TableRow> rows, std::size_t first = 0) {
    static_assert(WireStruct<Whole>);
    return Tiles(8 * sizeof(Whole), rows, first);
}

}  // namespace ember
