// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is known of the P_Keys of our own port.
#include "core/partitions/own_p_keys.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace ember {
namespace {

constexpr Guid kPort{7};

TEST(OwnPKeys, AreKnownOfThePortThatTheyWereLearnedOf) {
    OwnPKeys p_keys;
    EXPECT_FALSE(p_keys.AreOf(kPort));
    EXPECT_FALSE(p_keys.AreOf(kNoGuid)) << "nothing is known of no port";
    p_keys.Learn(kPort, std::array<std::uint16_t, 1>{kDefaultPKey});
    EXPECT_TRUE(p_keys.AreOf(kPort));
    EXPECT_FALSE(p_keys.AreOf(Guid{8}));
    p_keys.Forget();
    EXPECT_FALSE(p_keys.AreOf(kPort));
    EXPECT_FALSE(p_keys.AreOf(kNoGuid));
}

TEST(OwnPKeys, AreFoundByIndexAndByTheirForm) {
    OwnPKeys p_keys;
    p_keys.Learn(kPort, std::array<std::uint16_t, 4>{kDefaultPKey, kNoPKey, 0x0001, 0x8001});
    EXPECT_EQ(p_keys.At(0), kDefaultPKey);
    EXPECT_EQ(p_keys.At(1), kNoPKey);
    EXPECT_EQ(p_keys.At(2), 0x0001);
    EXPECT_EQ(p_keys.At(4), kNoPKey) << "behind the table";
    EXPECT_EQ(p_keys.At(0xFFFF), kNoPKey);
    EXPECT_EQ(p_keys.IndexOf(0x8001), 3U);
    EXPECT_EQ(p_keys.IndexOf(0x0001), 2U);
    EXPECT_EQ(p_keys.IndexOf(0x8002), OwnPKeys::kMost);
    EXPECT_EQ(p_keys.IndexOf(kNoPKey), OwnPKeys::kMost) << "an empty entry is no P_Key";
}

TEST(OwnPKeys, OfALongTableTheFirstEntriesCountAndAShorterOneReplacesIt) {
    OwnPKeys p_keys;
    p_keys.Learn(kPort, std::vector<std::uint16_t>(OwnPKeys::kMost + 5, 0x8001));
    EXPECT_EQ(p_keys.At(OwnPKeys::kMost - 1), 0x8001);
    EXPECT_EQ(p_keys.At(OwnPKeys::kMost), kNoPKey);
    p_keys.Learn(kPort, std::array<std::uint16_t, 1>{kDefaultPKey});
    EXPECT_EQ(p_keys.At(1), kNoPKey);
    EXPECT_EQ(p_keys.IndexOf(0x8001), OwnPKeys::kMost);
}

}  // namespace
}  // namespace ember
