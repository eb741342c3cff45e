// SPDX-License-Identifier: Apache-2.0
// EmberSM: fields are read and written where the tables say, and nowhere else.

#include "core/wire/attribute.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/base/ids.h"

namespace ember {
namespace {

using Octets = std::array<std::uint8_t, 64>;

/// The plain definition of a field: `width` bits from bit `bit` on, the first one the highest.
std::uint64_t ReadBitByBit(const Octets& octets, Extent extent) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < extent.width; ++i) {
        const unsigned bit = extent.bit + i;
        value = value << 1U | ((unsigned{octets[bit / 8U]} >> (7U - bit % 8U)) & 1U);
    }
    return value;
}

/// Any extent that a table may have: at most eight octets touched, inside 64 octets.
Extent AnyExtent() {
    const auto bit = *rc::gen::inRange<std::uint16_t>(0, 512);
    const int most = std::min(64 - bit % 8, 512 - bit);
    return {bit, *rc::gen::inRange<std::uint16_t>(1, static_cast<std::uint16_t>(most + 1))};
}

Attribute<64> AnyAttribute() {
    Attribute<64> attribute;
    attribute.octets() = *rc::gen::container<Octets>(rc::gen::arbitrary<std::uint8_t>());
    return attribute;
}

RC_GTEST_PROP(Attribute, GetReadsTheBitsOfTheFieldInTheirOrder, ()) {
    const Attribute<64> attribute = AnyAttribute();
    const Field<std::uint64_t> field{AnyExtent()};
    RC_ASSERT(attribute.Get(field) == ReadBitByBit(attribute.octets(), field));
}

RC_GTEST_PROP(Attribute, SetIsReadBack, (std::uint64_t value)) {
    Attribute<64> attribute = AnyAttribute();
    const Field<std::uint64_t> field{AnyExtent()};
    attribute.Set(field, value);
    RC_ASSERT(attribute.Get(field) == (value & field.mask()));
}

RC_GTEST_PROP(Attribute, SetLeavesEveryOtherBitAlone, (std::uint64_t value)) {
    const Attribute<64> before = AnyAttribute();
    const Field<std::uint64_t> field{AnyExtent()};
    Attribute<64> after = before;
    after.Set(field, value);
    for (std::uint16_t bit = 0; bit < 512; ++bit) {
        if (bit >= field.bit && bit < field.bit + field.width) continue;
        const Extent one{bit, 1};
        RC_ASSERT(ReadBitByBit(after.octets(), one) == ReadBitByBit(before.octets(), one));
    }
}

TEST(Attribute, ALidTravelsMostSignificantOctetFirst) {
    Attribute<64> attribute;
    attribute.Set(Field<Lid>{{128, 16}}, Lid{0x1234});
    EXPECT_EQ(attribute.octets()[16], 0x12);
    EXPECT_EQ(attribute.octets()[17], 0x34);
}

TEST(Attribute, BeStoresTheMostSignificantOctetFirst) {
    const Be<std::uint32_t> value{0xA1B2C3D4U};
    const auto octets = std::bit_cast<std::array<std::uint8_t, 4>>(value);
    EXPECT_EQ(octets, (std::array<std::uint8_t, 4>{0xA1, 0xB2, 0xC3, 0xD4}));
    EXPECT_EQ(std::uint32_t{value}, 0xA1B2C3D4U);
}

// Tiles() and RowsTile() run at compile time only; what they refuse is claimed here.
static_assert(Tiles(16, {Extent{0, 4}, Extent{4, 12}}));
static_assert(!Tiles(16, {Extent{0, 4}, Extent{5, 11}}), "a gap");
static_assert(!Tiles(16, {Extent{0, 4}, Extent{3, 13}}), "an overlap");
static_assert(!Tiles(16, {Extent{0, 4}, Extent{4, 11}}), "too short");
static_assert(!Tiles(16, {Extent{0, 4}, Extent{4, 13}}), "too long");
static_assert(!Tiles(16, {Extent{4, 12}, Extent{0, 4}}), "out of order");
static_assert(Tiles(96, {Part{16, 80}}, 16));
static_assert(!Tiles(80, {Extent{0, 80}}), "a field of more than eight octets");
static_assert(!Tiles(12, {Part{0, 12}}), "a part that is no whole number of octets");
static_assert(!Tiles<Attribute<2>>({Extent{0, 12}}), "shorter than the attribute");
static_assert(!Tiles(128, {Extent{0, 65}, Extent{65, 63}}), "wider than a word");
static_assert(!Tiles(72, {Extent{0, 4}, Extent{4, 62}, Extent{66, 6}}), "touches nine octets");
static_assert(!Tiles(16, {Extent{0, 0}, Extent{0, 16}}), "no bits at all");

consteval Extent Nibble(std::size_t index) {
    return {static_cast<std::uint16_t>(4U * index), 4};
}
consteval Extent EveryOtherNibble(std::size_t index) {
    return {static_cast<std::uint16_t>(8U * index), 4};
}
static_assert(RowsTile<16>(0, 64, Nibble));
static_assert(!RowsTile<15>(0, 64, Nibble), "a row is missing");
static_assert(!RowsTile<16>(4, 64, Nibble), "begins elsewhere");
static_assert(!RowsTile<16>(0, 64, EveryOtherNibble), "gaps");

}  // namespace
}  // namespace ember
