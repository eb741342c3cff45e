// SPDX-License-Identifier: Apache-2.0
// EmberSM: which LFT blocks are read, and which are not believed to be as they were.
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/programming_harness.h"

namespace ember {
namespace {

using Fate = ProgrammingHarness::Fate;
using Question = ProgrammingHarness::Question;

constexpr AttributeId kLft = AttributeId::kLinearForwardingTable;

/// Two switches, 2 + 2 * 16 * 4 LIDs: three blocks.
class Reading : public ::testing::Test {
protected:
    Reading() : harness_(net::ParallelLinks(2, 16), 2) {
        harness_.PlanShortest([](std::size_t) { return std::size_t{0}; });
    }
    [[nodiscard]] std::vector<Question> Gets() const {
        std::vector<Question> gets;
        std::copy_if(harness_.seen.begin(), harness_.seen.end(), std::back_inserter(gets),
                     [](const Question& one) { return one.method == Method::kGet; });
        return gets;
    }

    ProgrammingHarness harness_;
};

TEST_F(Reading, GoesBlockByBlockOverAllSwitches) {
    harness_.BurnIn();
    EXPECT_EQ(harness_.Round(true).blocks_read, 6U);
    const auto gets = Gets();
    ASSERT_EQ(gets.size(), 6U);
    for (std::uint32_t i = 0; i < 6; ++i) {
        EXPECT_EQ(gets[i].attribute, kLft);
        EXPECT_EQ(gets[i].modifier, i / 2);
        EXPECT_EQ(Raw(gets[i].at), i % 2);
    }
}

TEST_F(Reading, IsDoneOnce) {
    harness_.BurnIn();
    harness_.Round(true);
    harness_.seen.clear();
    EXPECT_EQ(harness_.Round().blocks_read, 0U);
    EXPECT_TRUE(harness_.seen.empty());
    harness_.programming.ReadAnew();
    EXPECT_EQ(harness_.Round().blocks_read, 6U);
    EXPECT_EQ(harness_.Round().blocks_read, 0U) << "and no more than that";
}

TEST_F(Reading, LeavesOutSwitchesThatAreLeftOut) {
    harness_.BurnIn();
    Fabric& fabric = harness_.fabric();
    fabric.node(fabric.switch_row(SwitchIndex{1}).node).is_left_out = true;
    EXPECT_EQ(harness_.Round(true).blocks_read, 3U);
    for (const Question& get : Gets()) {
        EXPECT_EQ(Raw(get.at), 0);
    }
}

TEST_F(Reading, OfASwitchThatAnotherHadProgrammedAreReadUpToItsTop) {
    harness_.BurnIn();
    harness_.hardware(0).info.Set(SwitchInfo::kLinearFdbTop, Lid{70});
    const ProgrammingOutcome& outcome = harness_.Round(true);
    EXPECT_EQ(outcome.blocks_read, 2U + 3U);
    const auto sets = harness_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 1U);  // A block that was not read is written, right or not.
    EXPECT_EQ(Raw(sets[0].at), 0);
    EXPECT_EQ(sets[0].modifier, 2U);
    EXPECT_EQ(outcome.blocks_right, 5U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Reading, ThatCannotBeReadAreWritten) {
    harness_.BurnIn();
    harness_.fate = [](const Question& question) {
        const bool is_it = question.method == Method::kGet && question.modifier == 1 &&
                           question.at == SwitchIndex{1};
        return is_it ? Fate::kRefused : Fate::kTaken;
    };
    const ProgrammingOutcome& outcome = harness_.Round(true);
    ASSERT_FALSE(harness_.SetsOf(kLft).empty());
    for (const Question& set : harness_.SetsOf(kLft)) {
        EXPECT_EQ(Raw(set.at), 1);
        EXPECT_EQ(set.modifier, 1U);
    }
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Reading, AreReadAgainWhenAnotherWasMasterMeanwhile) {
    harness_.Round(true);
    harness_.hardware(1).lft[3] = 255;  // Whose top is as before.
    EXPECT_EQ(harness_.Round(true).blocks_read, 6U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Reading, OfASwitchThatWasResetAreWrittenAgain) {
    harness_.Round(true);
    harness_.seen.clear();
    harness_.hardware(1).info.Set(SwitchInfo::kLinearFdbTop, kNoLid);
    std::fill(harness_.hardware(1).lft.begin(), harness_.hardware(1).lft.end(), std::uint8_t{255});
    const ProgrammingOutcome& outcome = harness_.Round();
    EXPECT_EQ(outcome.blocks_read, 0U);
    EXPECT_EQ(outcome.blocks_set, 3U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Reading, OfASwitchWhoseTopLooksRightButNoLinkIsUpAreReadAgain) {
    harness_.Round(true);
    harness_.seen.clear();
    for (const Port& port :
         harness_.fabric().PortsOf(harness_.fabric().switch_row(SwitchIndex{1}).node)) {
        if (port.number == kManagementPort || port.peer == kNoPortIndex) continue;
        harness_.port_info(harness_.fabric().IndexOf(port))
            .Set(PortInfo::kPortState, PortState::kInitialize);
    }
    harness_.hardware(1).lft[3] = 255;
    EXPECT_EQ(harness_.Round().blocks_read, 3U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Reading, OfASwitchThatLostItsLidAreReadAgain) {
    harness_.Round(true);
    const PortIndex management = harness_.fabric().ManagementPortOf(SwitchIndex{0});
    harness_.port_info(management).Set(PortInfo::kLid, kNoLid);
    EXPECT_EQ(harness_.Round().blocks_read, 3U);
}

}  // namespace
}  // namespace ember
