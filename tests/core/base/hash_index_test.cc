// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the index by GUID.
#include "core/base/hash_index.h"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <vector>

namespace ember {
namespace {

using Index = HashIndex<NodeIndex>;

struct Made {
    explicit Made(std::size_t capacity) : slots(Index::SlotsFor(capacity)), index(slots) {}
    std::vector<Index::Slot> slots;
    Index index;
};

TEST(HashIndex, FindsWhatWasInsertedAndNothingElse) {
    Made made(4);
    made.index.Insert(Guid{7}, NodeIndex{3});
    EXPECT_EQ(made.index.Find(Guid{7}, kNoNode), NodeIndex{3});
    EXPECT_EQ(made.index.Find(Guid{8}, kNoNode), kNoNode);
    EXPECT_EQ(made.index.Find(kNoGuid, kNoNode), kNoNode);
}

TEST(HashIndex, InsertingAKeyTwiceReplacesItsRow) {
    Made made(4);
    made.index.Insert(Guid{7}, NodeIndex{3});
    made.index.Insert(Guid{7}, NodeIndex{4});
    EXPECT_EQ(made.index.Find(Guid{7}, kNoNode), NodeIndex{4});
    EXPECT_EQ(made.index.size(), 1U);
}

TEST(HashIndex, RemovingWhatIsNotThereDoesNothing) {
    Made made(4);
    made.index.Insert(Guid{7}, NodeIndex{3});
    made.index.Remove(Guid{8});
    made.index.Remove(kNoGuid);
    EXPECT_EQ(made.index.size(), 1U);
}

TEST(HashIndex, HoldsItsCapacityAndIsThenHalfFull) {
    for (const std::size_t capacity : {1U, 2U, 3U, 100U, 65534U}) {
        Made made(capacity);
        for (std::size_t i = 1; i <= capacity; ++i) {
            made.index.Insert(Guid{i}, static_cast<NodeIndex>(i));
        }
        EXPECT_EQ(made.index.size(), capacity);
        EXPECT_LE(made.index.size() * 2, made.slots.size());
    }
}

TEST(HashIndex, ProbesStayShortForGuidsAsVendorsNumberThem) {
    // Runs with a common prefix and a stride of 1, 2, 4 … 64 Ki, as found on real nodes.
    for (unsigned shift = 0; shift <= 16; ++shift) {
        constexpr std::size_t kCapacity = 10000;
        Made made(kCapacity);
        for (std::uint64_t i = 0; i < kCapacity; ++i) {
            made.index.Insert(Guid{0x0002C90300000000 + (i << shift)}, NodeIndex{1});
        }
        std::size_t longest = 0;
        std::size_t run = 0;
        for (const Index::Slot& slot : made.slots) {
            run = slot.key == kNoGuid ? 0 : run + 1;
            longest = std::max(longest, run);
        }
        EXPECT_LT(longest, 64U) << "stride of 2^" << shift;
    }
}

TEST(HashIndexDeathTest, RefusesTheNullGuidAndStorageThatIsNoPowerOfTwo) {
    Made made(4);
    EXPECT_DEATH(made.index.Insert(kNoGuid, NodeIndex{1}), "kNoGuid");
    std::vector<Index::Slot> odd(6);
    EXPECT_DEATH(Index{odd}, "has_single_bit");
}

RC_GTEST_PROP(HashIndex, IsAMapWhateverIsInsertedAndRemoved, ()) {
    constexpr std::uint64_t kKeys = 24;
    Made made(kKeys);
    std::map<std::uint64_t, std::uint16_t> model;
    const auto spread = *rc::gen::element<std::uint64_t>(1, 64, 0x10000, 0x9E3779B97F4A7C15);
    const auto steps = *rc::gen::container<std::vector<std::uint64_t>>(
        rc::gen::inRange<std::uint64_t>(1, kKeys + 1));
    std::uint16_t row = 0;
    for (const std::uint64_t key : steps) {
        if (model.erase(key) != 0) {
            made.index.Remove(Guid{key * spread});
        } else {
            model[key] = ++row;
            made.index.Insert(Guid{key * spread}, NodeIndex{row});
        }
        RC_ASSERT(made.index.size() == model.size());
        for (std::uint64_t other = 1; other <= kKeys; ++other) {
            const auto at = model.find(other);
            const NodeIndex expected = at == model.end() ? kNoNode : NodeIndex{at->second};
            RC_ASSERT(made.index.Find(Guid{other * spread}, kNoNode) == expected);
        }
    }
    made.index.clear();
    RC_ASSERT(made.index.size() == 0U);
    RC_ASSERT(made.index.Find(Guid{spread}, kNoNode) == kNoNode);
}

}  // namespace
}  // namespace ember
