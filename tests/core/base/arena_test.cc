// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the working memory of a computation.
#include "core/base/arena.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

namespace ember {
namespace {

struct Lent {
    alignas(Arena::kGrain) std::array<std::byte, 4 * Arena::kGrain> octets{};
    Arena arena{octets};
};

TEST(Arena, AppetiteIsRoundedUpToGrains) {
    EXPECT_EQ(Arena::BytesFor<std::uint8_t>(0), 0U);
    EXPECT_EQ(Arena::BytesFor<std::uint8_t>(1), Arena::kGrain);
    EXPECT_EQ(Arena::BytesFor<std::uint8_t>(64), Arena::kGrain);
    EXPECT_EQ(Arena::BytesFor<std::uint32_t>(17), 2 * Arena::kGrain);
}

TEST(Arena, TakenMemoryIsZeroAndDoesNotOverlap) {
    Lent lent;
    lent.octets.fill(std::byte{0xFF});
    const auto one = lent.arena.Take<std::uint64_t>(3);
    const auto other = lent.arena.Take<std::uint64_t>(3);
    for (const std::uint64_t value : one) {
        EXPECT_EQ(value, 0U);
    }
    EXPECT_GE(other.data(), one.data() + one.size());
    EXPECT_EQ(lent.arena.used_bytes(), 2 * Arena::kGrain);
}

TEST(Arena, UnsetMemoryIsTakenAsItIs) {
    Lent lent;
    lent.octets.fill(std::byte{0xFF});
    const auto one = lent.arena.TakeUnset<std::uint8_t>(3);
    const auto other = lent.arena.Take<std::uint8_t>(1);
    EXPECT_EQ(one[2], 0xFFU) << "it was not written to";
    EXPECT_GE(other.data(), one.data() + one.size());
    EXPECT_EQ(lent.arena.used_bytes(), 2 * Arena::kGrain);
}

TEST(Arena, AFrameGivesBackWhatWasTakenInIt) {
    Lent lent;
    static_cast<void>(lent.arena.Take<std::uint8_t>(1));
    {
        const Arena::Frame frame(lent.arena);
        static_cast<void>(lent.arena.Take<std::uint8_t>(130));
        EXPECT_EQ(lent.arena.used_bytes(), 4 * Arena::kGrain);
    }
    EXPECT_EQ(lent.arena.used_bytes(), Arena::kGrain);
    EXPECT_EQ(lent.arena.peak_bytes(), 4 * Arena::kGrain) << "the most ever used is remembered";
    lent.arena.Reset();
    EXPECT_EQ(lent.arena.used_bytes(), 0U);
}

TEST(Arena, RewindGivesBackAsFarAsTheMark) {
    Lent lent;
    static_cast<void>(lent.arena.Take<std::uint8_t>(1));
    const std::size_t mark = lent.arena.used_bytes();
    static_cast<void>(lent.arena.Take<std::uint8_t>(1));
    lent.arena.Rewind(mark);
    EXPECT_EQ(lent.arena.used_bytes(), mark);
    EXPECT_DEATH(lent.arena.Rewind(mark + 1), "mark <= used_");
}

TEST(ArenaDeathTest, TakingMoreThanItsStorageIsRefused) {
    Lent lent;
    static_cast<void>(lent.arena.Take<std::uint8_t>(3 * Arena::kGrain));
    static_cast<void>(lent.arena.Take<std::uint8_t>(Arena::kGrain));
    EXPECT_DEATH(static_cast<void>(lent.arena.Take<std::uint8_t>(1)), "storage_.size");
}

}  // namespace
}  // namespace ember
