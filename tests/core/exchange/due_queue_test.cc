// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the queue of deadlines.
#include "core/exchange/due_queue.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace ember {
namespace {

TEST(DueQueue, TheEarliestDeadlineStandsInFront) {
    std::array<DueQueue::Entry, 4> entries;
    DueQueue due(entries);
    due.Add(2, 300);
    due.Add(0, 100);
    due.Add(3, 200);

    EXPECT_EQ(due.first_us(), 100U);
    EXPECT_EQ(due.first_slot(), 0U);
    due.Remove(0);
    EXPECT_EQ(due.first_slot(), 3U);
    EXPECT_FALSE(due.Has(0));
    EXPECT_TRUE(due.Has(2));
}

TEST(DueQueueDeathTest, ASlotHasOneDeadline) {
    std::array<DueQueue::Entry, 2> entries;
    DueQueue due(entries);
    due.Add(1, 5);
    EXPECT_DEATH(due.Add(1, 6), "!Has\\(slot\\)");
    EXPECT_DEATH(due.Remove(0), "Has\\(slot\\)");
}

RC_GTEST_PROP(DueQueue, IsAnOrderedSetWhateverIsAddedAndRemoved, ()) {
    constexpr std::uint16_t kSlots = 40;
    std::array<DueQueue::Entry, kSlots> entries;
    DueQueue due(entries);
    std::map<std::uint16_t, std::uint64_t> model;
    const auto steps =
        *rc::gen::container<std::vector<std::pair<std::uint16_t, std::uint64_t>>>(rc::gen::pair(
            rc::gen::inRange<std::uint16_t>(0, kSlots), rc::gen::inRange<std::uint64_t>(0, 50)));
    for (const auto& [slot, at_us] : steps) {
        if (model.erase(slot) != 0) {
            due.Remove(slot);
        } else {
            model[slot] = at_us;
            due.Add(slot, at_us);
        }
        RC_ASSERT(due.size() == model.size());
        std::uint64_t earliest = ~std::uint64_t{0};
        for (const auto& [held, deadline] : model) {
            RC_ASSERT(due.Has(held));
            earliest = std::min(earliest, deadline);
        }
        if (model.empty()) continue;
        RC_ASSERT(due.first_us() == earliest);
        RC_ASSERT(model.at(due.first_slot()) == earliest);
    }
}

}  // namespace
}  // namespace ember
