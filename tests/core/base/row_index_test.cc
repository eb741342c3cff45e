// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the index by keys that stand in the rows.
#include "core/base/row_index.h"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <vector>

namespace ember {
namespace {

using Index = RowIndex<NodeIndex>;

/// A table of GUIDs and its index.
struct Made {
    explicit Made(std::size_t capacity)
        : guids(capacity + 1), slots(Index::SlotsFor(capacity)), index(slots) {}
    [[nodiscard]] NodeIndex Find(Guid guid) const {
        return index.Find(index.HashOf(guid),
                          [&](NodeIndex row) { return guids[Raw(row)] == guid; });
    }
    void Insert(Guid guid, NodeIndex row) {
        guids[Raw(row)] = guid;
        index.Insert(index.HashOf(guid), row);
    }
    void Remove(NodeIndex row) {
        index.Remove(index.HashOf(guids[Raw(row)]), row,
                     [&](NodeIndex other) { return index.HashOf(guids[Raw(other)]); });
    }
    std::vector<Guid> guids;
    std::vector<NodeIndex> slots;
    Index index;
};

TEST(RowIndex, FindsInsertedKeysAndNoOthers) {
    Made made(4);
    made.Insert(Guid{7}, NodeIndex{3});
    EXPECT_EQ(made.Find(Guid{7}), NodeIndex{3});
    EXPECT_EQ(made.Find(Guid{8}), kNoNode);
    EXPECT_EQ(made.Find(kNoGuid), kNoNode);
}

TEST(RowIndex, ARowMayGetAnotherNumber) {
    Made made(4);
    made.Insert(Guid{7}, NodeIndex{3});
    made.guids[4] = Guid{7};
    made.index.Renumber(made.index.HashOf(Guid{7}), NodeIndex{3}, NodeIndex{4});
    made.guids[3] = kNoGuid;
    EXPECT_EQ(made.Find(Guid{7}), NodeIndex{4});
    EXPECT_EQ(made.index.size(), 1U);
}

TEST(RowIndex, HoldsItsCapacityAndIsThenHalfFull) {
    for (const std::size_t capacity : {1U, 2U, 3U, 100U, 65534U}) {
        Made made(capacity);
        for (std::size_t i = 1; i <= capacity; ++i) {
            made.Insert(Guid{i}, static_cast<NodeIndex>(i));
        }
        EXPECT_EQ(made.index.size(), capacity);
        EXPECT_LE(made.index.size() * 2, made.slots.size());
    }
}

TEST(RowIndex, ProbesStayShortForGuidsAsVendorsNumberThem) {
    // Runs with a common prefix and a stride of 1, 2, 4 … 64 Ki, as found on real nodes.
    for (unsigned shift = 0; shift <= 16; ++shift) {
        constexpr std::size_t kCapacity = 10000;
        Made made(kCapacity);
        for (std::uint64_t i = 0; i < kCapacity; ++i) {
            made.Insert(Guid{0x0002C90300000000 + (i << shift)}, static_cast<NodeIndex>(i));
        }
        std::size_t longest = 0;
        std::size_t run = 0;
        for (const NodeIndex slot : made.slots) {
            run = slot == Index::kEmpty ? 0 : run + 1;
            longest = std::max(longest, run);
        }
        EXPECT_LT(longest, 64U) << "stride of 2^" << shift;
    }
}

TEST(RowIndex, TheSecretDecidesWhichKeysShareASlot) {
    // Keys that lie in one slot of an index, found by trying, are spread by another secret.
    constexpr std::size_t kCapacity = 256;
    Made known(kCapacity);
    Made other(kCapacity);
    other.index.SetSecret(0x5EC2E7);
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t key = 1; chosen.size() < 64; ++key) {
        if (known.index.Hash(1, key) % known.slots.size() == 7) chosen.push_back(key);
    }
    std::map<std::uint64_t, unsigned> slots;
    for (const std::uint64_t key : chosen) {
        ++slots[other.index.Hash(1, key) % other.slots.size()];
    }
    EXPECT_GE(slots.size(), 48U);
    EXPECT_NE(known.index.HashOf(Guid{1}), other.index.HashOf(Guid{1}));
}

TEST(RowIndexDeathTest, RefusesToRemoveAnAbsentRowAndStorageThatIsNoPowerOfTwo) {
    Made made(4);
    EXPECT_DEATH(made.Remove(NodeIndex{1}), "kEmpty");
    EXPECT_DEATH(made.index.Insert(1, Index::kEmpty), "kEmpty");
    made.Insert(Guid{7}, NodeIndex{3});
    EXPECT_DEATH(made.index.SetSecret(1), "count_");
    std::vector<NodeIndex> odd(6);
    EXPECT_DEATH(Index{odd}, "has_single_bit");
}

RC_GTEST_PROP(RowIndex, AgreesWithAMapAfterAnyInsertsAndRemovals, ()) {
    constexpr std::uint16_t kKeys = 24;
    Made made(kKeys);
    std::map<std::uint64_t, std::uint16_t> model;
    const auto spread = *rc::gen::element<std::uint64_t>(1, 64, 0x10000, 0x9E3779B97F4A7C15);
    const auto steps = *rc::gen::container<std::vector<std::uint64_t>>(
        rc::gen::inRange<std::uint64_t>(1, kKeys + 1));
    for (const std::uint64_t key : steps) {
        const auto row = static_cast<std::uint16_t>(kKeys + 1 - key);
        if (model.erase(key) != 0) {
            made.Remove(NodeIndex{row});
            made.guids[row] = kNoGuid;
        } else {
            model[key] = row;
            made.Insert(Guid{key * spread}, NodeIndex{row});
        }
        RC_ASSERT(made.index.size() == model.size());
        for (std::uint64_t other = 1; other <= kKeys; ++other) {
            const auto at = model.find(other);
            const NodeIndex expected = at == model.end() ? kNoNode : NodeIndex{at->second};
            RC_ASSERT(made.Find(Guid{other * spread}) == expected);
        }
    }
    made.index.clear();
    RC_ASSERT(made.index.size() == 0U);
    RC_ASSERT(made.Find(Guid{spread}) == kNoNode);
}

}  // namespace
}  // namespace ember
