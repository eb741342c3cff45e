// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of a heap of switches, against a sorted set.

#include "engines/nue/switch_heap.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/routing_run.h"

namespace ember {
namespace {

TEST(SwitchHeap, GivesTheNearestSwitchFirstWhateverHasChanged) {
    constexpr std::size_t kSwitches = 50;
    testing::ArenaStorage room(SwitchHeap::ScratchBytes(kSwitches));
    SwitchHeap heap;
    std::mt19937 chance(1);
    std::vector<SwitchIndex> order;
    for (std::uint32_t row = 0; row < kSwitches; ++row) {
        order.push_back(static_cast<SwitchIndex>(row));
    }
    std::shuffle(order.begin(), order.end(), chance);
    std::vector<std::uint32_t> rank(kSwitches);
    for (std::uint32_t i = 0; i < kSwitches; ++i) {
        rank[Raw(order[i])] = i;
    }
    heap.Begin(order, kSwitches, room.arena());
    std::set<std::pair<std::uint64_t, std::uint32_t>> sorted;  // By distance and rank.
    std::map<std::uint32_t, std::uint64_t> far;
    std::size_t taken = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        ASSERT_EQ(heap.empty(), sorted.empty());
        if (chance() % 3 == 0 && !sorted.empty()) {
            const auto [distance, place] = *sorted.begin();
            const SwitchIndex at = heap.Take();
            ASSERT_EQ(at, order[place]);
            ASSERT_EQ(heap.distance(at), distance);
            ASSERT_FALSE(heap.Has(at));
            sorted.erase(sorted.begin());
            far.erase(Raw(at));
            ++taken;
            continue;
        }
        const auto row = static_cast<std::uint32_t>(chance() % kSwitches);
        const std::uint64_t distance = chance() % 20;  // Many are equal.
        if (far.count(row) != 0) sorted.erase({far[row], rank[row]});
        far[row] = distance;
        sorted.insert({distance, rank[row]});
        heap.Set(static_cast<SwitchIndex>(row), distance);
        ASSERT_TRUE(heap.Has(static_cast<SwitchIndex>(row)));
    }
    EXPECT_GT(taken, 1000U);
    heap.Clear();
    EXPECT_TRUE(heap.empty());
    EXPECT_FALSE(heap.Has(SwitchIndex{0}));
}

}  // namespace
}  // namespace ember
