// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the scratch memory of a routing run.

#include "core/routing/run_scratch.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

constexpr std::size_t kBytes = 1024;
constexpr std::size_t kGrain = Arena::kGrain;

class RunScratchTest : public ::testing::Test {
protected:
    RunScratchTest() : storage_(kBytes) {
        Take();  // The arena is not empty when the run begins.
        scratch_.Begin(arena());
        Take();
        scratch_.EndTopology();
        Take();
        scratch_.EndBefore();
    }
    [[nodiscard]] Arena& arena() { return storage_.arena(); }
    void Take() { ASSERT_EQ(arena().Take<std::uint8_t>(kGrain).size(), kGrain); }

    testing::ArenaStorage storage_;
    RunScratch scratch_;
};

TEST_F(RunScratchTest, WorkAtHandBeginsBehindWhatIsKnown) {
    EXPECT_EQ(scratch_.floor(), 3 * kGrain);
    EXPECT_EQ(scratch_.room(), arena().size_bytes() - 3 * kGrain);
    EXPECT_EQ(scratch_.room_behind_topology(), arena().size_bytes() - 2 * kGrain);
    Take();
    scratch_.Rewind();
    EXPECT_EQ(arena().used_bytes(), 3 * kGrain);
}

TEST_F(RunScratchTest, WhatIsForgottenGivesItsPlaceAtTheNextRewind) {
    scratch_.ForgetBefore();
    EXPECT_EQ(arena().used_bytes(), 3 * kGrain);
    EXPECT_EQ(scratch_.floor(), 2 * kGrain);
    scratch_.Rewind();
    EXPECT_EQ(arena().used_bytes(), 2 * kGrain);
}

TEST_F(RunScratchTest, TheArenaStandsInTheEndWhereItStoodAtBegin) {
    Take();
    scratch_.GiveBack();
    EXPECT_EQ(arena().used_bytes(), kGrain);
}

}  // namespace
}  // namespace ember
