// SPDX-License-Identifier: Apache-2.0
// EmberSM: which LFT blocks are written, in which order, and what is known of them.
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>

#include "config/netlist/topologies.h"
#include "tests/support/programming_harness.h"

namespace ember {
namespace {

using Fate = ProgrammingHarness::Fate;
using Question = ProgrammingHarness::Question;

constexpr AttributeId kLft = AttributeId::kLinearForwardingTable;

std::size_t First(std::size_t /*count*/) {
    return 0;
}
std::size_t Last(std::size_t count) {
    return count - 1;
}

bool SetsBlock(const Question& question) {
    return question.method == Method::kSet && question.attribute == kLft;
}

/// Two switches, 2 + 2 * 16 * 4 LIDs: three blocks.
class Blocks : public ::testing::Test {
protected:
    Blocks() : harness_(net::ParallelLinks(2, 16), 2) { harness_.PlanShortest(First); }

    ProgrammingHarness harness_;
};

TEST_F(Blocks, OfAFreshSubnetAreWrittenOnceBlockByBlockOverAllSwitches) {
    const ProgrammingOutcome& outcome = harness_.Round(true);
    const auto sets = harness_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 6U);
    for (std::uint32_t i = 0; i < 6; ++i) {
        EXPECT_EQ(sets[i].modifier, i / 2);
        EXPECT_EQ(Raw(sets[i].at), i % 2);
    }
    EXPECT_EQ(outcome.blocks_set, 6U);
    EXPECT_EQ(outcome.blocks_right, 0U);
    EXPECT_EQ(outcome.blocks_read, 0U);  // The tops were 0: no manager had written anything.
    EXPECT_EQ(outcome.detours, 0U);
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Blocks, ThatAreKnownToBeRightAreLeftAlone) {
    harness_.Round(true);
    harness_.seen.clear();
    const ProgrammingOutcome& outcome = harness_.Round();
    EXPECT_TRUE(harness_.seen.empty());
    EXPECT_EQ(outcome.blocks_right, 6U);
    EXPECT_EQ(outcome.blocks_set, 0U);
    EXPECT_TRUE(harness_.programming.IsKnown(SwitchIndex{1}, 2));
    EXPECT_EQ(harness_.programming.ProgrammedRow(SwitchIndex{1})[5], harness_.planned(1, 5));
}

TEST_F(Blocks, OnlyThoseThatDifferAreWritten) {
    harness_.Round(true);
    harness_.seen.clear();
    harness_.planned(1, 70) = 255;
    harness_.Round();
    const auto sets = harness_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(Raw(sets[0].at), 1);
    EXPECT_EQ(sets[0].modifier, 1U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

/// A round in which the blocks of some entries are said to be all that may differ.
const ProgrammingOutcome& ExpectingRound(ProgrammingHarness& harness,
                                         std::initializer_list<std::uint16_t> lids) {
    harness.Discover();
    harness.programming.BeginRound(false, true);
    for (const auto stage : {Programming::Stage::kPorts, Programming::Stage::kReading,
                             Programming::Stage::kSwitches}) {
        harness.Run(stage);
    }
    harness.programming.ExpectChanges();
    for (const std::uint16_t lid : lids) {
        harness.programming.Expect(SwitchIndex{1}, Lid{lid});
    }
    harness.RunBlocks();
    return harness.programming.outcome();
}

TEST_F(Blocks, ThatAreNotExpectedToDifferAreNotCompared) {
    harness_.Round(true);
    harness_.seen.clear();
    harness_.planned(1, 70) = 255;
    ASSERT_GE(Raw(harness_.top()), 128) << "the highest LID is in a block of its own";
    harness_.planned(1, Raw(harness_.top())) = 255;
    const ProgrammingOutcome& outcome = ExpectingRound(harness_, {70, 70, 10});
    const auto sets = harness_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(sets[0].modifier, 1U);
    EXPECT_EQ(outcome.blocks_right, 5U);
    EXPECT_FALSE(harness_.IsAsPlanned()) << "an entry that is not expected is not compared";
    harness_.Round();
    EXPECT_TRUE(harness_.IsAsPlanned()) << "until everything is compared";
}

TEST_F(Blocks, AreAllComparedAfterARoundThatDidNotEndWell) {
    harness_.Round(true);
    harness_.planned(1, 70) = 255;
    harness_.fate = [](const ProgrammingHarness::Question& question) {
        return question.attribute == kLft ? ProgrammingHarness::Fate::kRefused
                                          : ProgrammingHarness::Fate::kTaken;
    };
    harness_.Round();
    harness_.fate = [](const ProgrammingHarness::Question&) {
        return ProgrammingHarness::Fate::kTaken;
    };
    EXPECT_FALSE(harness_.IsAsPlanned());
    ExpectingRound(harness_, {});
    EXPECT_TRUE(harness_.IsAsPlanned());
    // And after one that was given up before its end.
    harness_.planned(1, 140) = 255;
    harness_.Discover();
    harness_.programming.BeginRound(false);
    ExpectingRound(harness_, {});
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Blocks, AreSentAgainWhenADatagramIsLost) {
    std::map<std::uint32_t, int> tries;
    harness_.fate = [&](const Question& question) {
        if (!SetsBlock(question) || question.at != SwitchIndex{0}) return Fate::kTaken;
        const bool is_first = tries[question.modifier]++ == 0;
        if (!is_first || question.modifier == 2) return Fate::kTaken;
        return question.modifier == 0 ? Fate::kRequestLost : Fate::kAnswerLost;
    };
    const ProgrammingOutcome& outcome = harness_.Round(true);
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_EQ(outcome.blocks_set, 6U);
    EXPECT_EQ(harness_.SetsOf(kLft).size(), 8U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Blocks, WhoseAnswersAreLostAreUnknownAndWrittenAgainInTheNextRound) {
    harness_.Round(true);
    harness_.planned(1, 70) = 255;
    harness_.fate = [](const Question& question) {
        return SetsBlock(question) ? Fate::kAnswerLost : Fate::kTaken;
    };
    EXPECT_GT(harness_.Round().failed, 0U);
    EXPECT_FALSE(harness_.programming.IsKnown(SwitchIndex{1}, 1));
    EXPECT_TRUE(harness_.programming.IsKnown(SwitchIndex{1}, 0));
    EXPECT_EQ(harness_.log.CountOf(Note::kSetUnanswered), 1U);

    harness_.fate = [](const Question&) { return Fate::kTaken; };
    harness_.seen.clear();
    EXPECT_EQ(harness_.Round().failed, 0U);
    for (const Question& set : harness_.SetsOf(kLft)) {
        EXPECT_EQ(Raw(set.at), 1);
        EXPECT_EQ(set.modifier, 1U);
    }
    EXPECT_TRUE(harness_.programming.IsKnown(SwitchIndex{1}, 1));
    EXPECT_TRUE(harness_.IsAsPlanned());
    EXPECT_EQ(harness_.loop(), "");
}

TEST_F(Blocks, ThatAreRefusedAreCountedAndTheRefusalIsNotBelieved) {
    harness_.Round(true);
    const std::uint8_t before = harness_.planned(1, 70);
    harness_.planned(1, 70) = 255;
    harness_.fate = [](const Question& question) {
        return SetsBlock(question) ? Fate::kRefused : Fate::kTaken;
    };
    EXPECT_GT(harness_.Round().failed, 0U);
    EXPECT_EQ(harness_.programming.ProgrammedRow(SwitchIndex{1})[70], before);
    EXPECT_FALSE(harness_.programming.IsKnown(SwitchIndex{1}, 1));
    EXPECT_EQ(harness_.log.CountOf(Note::kSetRefused), 1U);
}

TEST_F(Blocks, ToWhichNoWayIsKnownAreCounted) {
    harness_.Round(true);
    harness_.planned(1, 70) = 255;
    harness_.fabric().node(harness_.fabric().switch_row(SwitchIndex{1}).node).entry = kNoPortIndex;
    harness_.seen.clear();
    EXPECT_GT(harness_.Round().failed, 0U);
    EXPECT_TRUE(harness_.seen.empty());
    EXPECT_TRUE(harness_.programming.IsKnown(SwitchIndex{1}, 1));  // The block is as it was.
}

TEST_F(Blocks, AbandonedAreNotAnswered) {
    harness_.Discover();
    harness_.programming.BeginRound(true);
    harness_.programming.Begin(Programming::Stage::kReading);
    harness_.programming.Step(harness_.now_us);
    harness_.Run(Programming::Stage::kSwitches);
    harness_.RunBlocks();
    harness_.planned(0, 3) = 255;
    harness_.programming.BeginRound(false);
    harness_.Discover();
    harness_.programming.Abandon();
    EXPECT_TRUE(harness_.programming.done());
    EXPECT_EQ(harness_.exchange.in_flight(), 0U);
    Answer late;
    late.cookie = {.client = kProgrammingClient, .kind = 3, .detail = 0, .subject = 0};
    late.status = Status::kTimeout;
    harness_.programming.Hear(late, harness_.now_us);
    EXPECT_EQ(harness_.programming.outcome().failed, 0U);
    EXPECT_TRUE(harness_.programming.done());
}

/// Nine switches in a ring, whose routing turns round.
class RingBlocks : public ::testing::Test {
protected:
    RingBlocks() : harness_(net::Ring(9, 2)) {
        harness_.PlanRound(true);
        harness_.BurnIn();
        harness_.Round(true);
        harness_.seen.clear();
        harness_.PlanRound(false);
    }

    ProgrammingHarness harness_;
};

TEST_F(RingBlocks, DropWhatLeadsAwayBeforeAnythingIsTurned) {
    const ProgrammingOutcome& outcome = harness_.Round();
    EXPECT_EQ(harness_.loop(), "");
    EXPECT_TRUE(harness_.IsAsPlanned());
    EXPECT_GE(outcome.detours, 1U);
    EXPECT_LE(outcome.blocks_set, 18U);
    EXPECT_EQ(outcome.failed, 0U);
    // Whatever a detour turns is new at once or drops; no switch gets a third block.
    std::map<SwitchIndex, int> times;
    for (const Question& set : harness_.SetsOf(kLft)) {
        EXPECT_LE(++times[set.at], 2);
    }
}

TEST_F(RingBlocks, SecondRoundBeginsWhenAllDetoursAreAcknowledged) {
    std::map<SwitchIndex, int> times;
    bool late_detour = false;
    bool second_began = false;
    harness_.fate = [&](const Question& question) {
        if (!SetsBlock(question)) return Fate::kTaken;
        const int time = times[question.at]++;
        // The first detour is lost once: it is sent again a timeout later.
        if (question.at == SwitchIndex{0} && time == 0) return Fate::kRequestLost;
        const bool is_second = question.at != SwitchIndex{0} && time == 1;
        if (is_second) second_began = true;
        if (question.at == SwitchIndex{0} && time == 1) late_detour = second_began;
        return Fate::kTaken;
    };
    harness_.Round();
    EXPECT_TRUE(second_began);
    EXPECT_FALSE(late_detour);
    EXPECT_EQ(harness_.loop(), "");
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(RingBlocks, KeepTheirHotLidsWhereADetourFails) {
    for (const Fate what : {Fate::kRefused, Fate::kRequestLost, Fate::kAnswerLost}) {
        SCOPED_TRACE(static_cast<int>(what));
        ProgrammingHarness harness(net::Ring(9, 2));
        harness.PlanRound(true);
        harness.BurnIn();
        harness.Round(true);
        harness.PlanRound(false);
        harness.fate = [&](const Question& question) {
            return SetsBlock(question) && question.at == SwitchIndex{4} ? what : Fate::kTaken;
        };
        EXPECT_GT(harness.Round().failed, 0U);
        EXPECT_EQ(harness.loop(), "");
        EXPECT_FALSE(harness.IsAsPlanned());

        harness.fate = [](const Question&) { return Fate::kTaken; };
        EXPECT_EQ(harness.Round().failed, 0U);
        EXPECT_EQ(harness.loop(), "");
        EXPECT_TRUE(harness.IsAsPlanned());
    }
}

TEST_F(RingBlocks, ThatMaySayAnythingDropBeforeOthersTurn) {
    std::map<SwitchIndex, int> times;
    harness_.fate = [&](const Question& question) {
        const bool is_it = SetsBlock(question) && question.at == SwitchIndex{4};
        return is_it && times[question.at]++ > 0 ? Fate::kAnswerLost : Fate::kTaken;
    };
    EXPECT_GT(harness_.Round().failed, 0U);  // Switch 4 has turned round, and we do not know it.
    harness_.fate = [](const Question&) { return Fate::kTaken; };
    harness_.PlanRound(true);
    EXPECT_EQ(harness_.Round().failed, 0U);
    EXPECT_EQ(harness_.loop(), "");
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST(PavedWays, SaveTheDetourOfPathsThatJoinThem) {
    // Ways of a tree in use already: another port of the same leaf is no detour.
    ProgrammingHarness harness(net::FatTree2(4));
    harness.PlanShortest(First);
    harness.BurnIn();
    harness.Round(true);
    harness.PlanShortest(Last);
    const ProgrammingOutcome& outcome = harness.Round();
    EXPECT_GT(outcome.blocks_set, 0U);
    EXPECT_EQ(outcome.detours, 0U);
    EXPECT_EQ(harness.loop(), "");
    EXPECT_TRUE(harness.IsAsPlanned());
}

}  // namespace
}  // namespace ember
