// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store in flash memory with damaged records and worn places.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "core/base/crc32.h"
#include "platform/flash/flash_store.h"
#include "tests/platform/flash/flash_store_fixture.h"

namespace ember::testing::flash {
namespace {

TEST_P(FlashStoreTest, NeverBringsOlderOctetsBackWhenNewerOnesAreDamaged) {
    const auto store = Open();
    ASSERT_EQ(store->Save(kCounter, Filled(8, 1)), Status::kOk);
    ASSERT_EQ(store->Save(kCounter, Filled(8, 2)), Status::kOk);
    const Octets wanted = Filled(8, 2);
    const auto at =
        std::search(flash_->octets().begin(), flash_->octets().end(), wanted.begin(), wanted.end());
    ASSERT_NE(at, flash_->octets().end());
    *at ^= std::byte{4};
    EXPECT_EQ(StatusOfLoad(*Open(), kCounter), Status::kMalformed);
    *at ^= std::byte{4};
    // Its predecessor's header: what comes behind it is found all the same.
    flash_->octets()[5 * 4096 + 9] ^= std::byte{1};
    EXPECT_EQ(Read(*Open(), kCounter), wanted);
    const auto next = Open();
    ASSERT_EQ(next->Save(kCounter, Filled(8, 3)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), Filled(8, 3));
}

/// Goal:   of the table of LIDs what was there before is better than nothing; and what is written
/// next counts, with both damaged ones behind it.
TEST_P(FlashStoreTest, BringsAnOlderTableOfLidsBackWhenTheNewestIsDamaged) {
    for (const bool in_other_copy : {false, true}) {
        SCOPED_TRACE(in_other_copy);
        const Octets older = Filled(6000, 1);
        const Octets wanted = Filled(in_other_copy ? 5000 : 100, 2);
        {
            const auto store = Open();
            ASSERT_EQ(store->Save(kLids, older), Status::kOk);
            ASSERT_EQ(store->Save(kLids, wanted), Status::kOk);
            EXPECT_FALSE(store->fell_back());
        }
        auto& octets = flash_->octets();
        // The older one holds the same octets somewhere, as they repeat.
        const auto at = std::find_end(octets.begin(), octets.end(), wanted.begin(), wanted.end());
        ASSERT_NE(at, octets.end());
        *at ^= std::byte{4};
        const auto store = Open();
        EXPECT_TRUE(store->fell_back());
        EXPECT_EQ(Read(*store, kLids), older);
        EXPECT_EQ(Read(*Open(), kLids), older) << "as often as one looks";
        flash_->CutAt(1, 7);
        EXPECT_NE(store->Save(kLids, Filled(90, 3)), Status::kOk);
        flash_->PowerUp();
        EXPECT_EQ(Read(*Open(), kLids), older) << "it is not what is erased first";
        ASSERT_EQ(Open()->Save(kLids, Filled(90, 3)), Status::kOk);
        EXPECT_EQ(Read(*Open(), kLids), Filled(90, 3));
        EXPECT_FALSE(Open()->fell_back());
        std::fill(octets.begin(), octets.end(), std::byte{0xFF});
    }
}

TEST_P(FlashStoreTest, HasNoTableOfLidsWhenAllOfThemAreDamaged) {
    for (const unsigned seed : {1U, 2U}) {
        ASSERT_EQ(Open()->Save(kLids, Filled(100, seed)), Status::kOk);
    }
    auto& octets = flash_->octets();
    for (const unsigned seed : {1U, 2U}) {
        const Octets wanted = Filled(100, seed);
        *std::search(octets.begin(), octets.end(), wanted.begin(), wanted.end()) ^= std::byte{4};
    }
    const auto store = Open();
    EXPECT_FALSE(store->fell_back());
    EXPECT_EQ(StatusOfLoad(*store, kLids), Status::kMalformed);
    ASSERT_EQ(store->Save(kLids, Filled(100, 3)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kLids), Filled(100, 3));
}

/// A record saved behind the highest number there is would not be found again.
TEST_P(FlashStoreTest, SavesNothingThatCannotHaveANumber) {
    for (const std::uint64_t forged : {~std::uint64_t{0}, ~std::uint64_t{0} - 1}) {
        std::fill(flash_->octets().begin(), flash_->octets().end(), std::byte{0xFF});
        ASSERT_EQ(Open()->Save(kCounter, Filled(8, 1)), Status::kOk);
        const std::span<std::byte> header = std::span(flash_->octets()).subspan(5 * 4096, 32);
        for (unsigned i = 0; i < 8; ++i) {
            header[8 + i] = static_cast<std::byte>(forged >> (56 - 8 * i));
        }
        const std::uint32_t crc = Crc32(header.first(28));
        for (unsigned i = 0; i < 4; ++i) {
            header[28 + i] = static_cast<std::byte>(crc >> (24 - 8 * i));
        }
        const auto store = Open();
        const bool is_none = forged == ~std::uint64_t{0};
        EXPECT_EQ(store->Save(kCounter, Filled(8, 2)), is_none ? Status::kOk : Status::kFull);
        EXPECT_EQ(Read(*Open(), kCounter), Filled(8, is_none ? 2 : 1));
    }
}

TEST_P(FlashStoreTest, TakesTheOtherCopyWhenAPlaceIsWornAndSaysWhenBothAre) {
    const auto store = Open();
    ASSERT_EQ(store->Save(kCounter, Filled(8, 1)), Status::kOk);
    const Octets low(8, std::byte{0});
    const std::uint32_t grain = GetParam() == Kind::kNor ? 32 : 512;
    flash_->WearOut(5 * 4096 + 3 * grain);  // An octet of the second record in the first copy.
    ASSERT_EQ(store->Save(kCounter, low), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), low);
    flash_->WearOut(8 * 4096 + grain);
    EXPECT_EQ(store->Save(kBlob, Octets(100, std::byte{0})), Status::kDevice);
}

TEST_P(FlashStoreTest, TriesTheSecondCopyOfAnEmptySlotWhenTheFirstCannotBeErased) {
    flash_->Break(5);
    const auto store = Open();
    ASSERT_EQ(store->Save(kCounter, Filled(8, 1)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), Filled(8, 1));
    flash_->Break(9);
    EXPECT_EQ(store->Save(kBlob, Filled(8, 1)), Status::kDevice) << "a single copy has no other";
    ASSERT_EQ(store->Save(kLids, Filled(8, 2)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), Filled(8, 1));
}

}  // namespace
}  // namespace ember::testing::flash
