// SPDX-License-Identifier: Apache-2.0
// EmberSM: which LFT blocks are written, in which order, and what is known of them.
#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>

#include "config/netlist/topologies.h"
#include "tests/core/programming/bench.h"

namespace ember {
namespace {

using Fate = Bench::Fate;
using Question = Bench::Question;

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
    Blocks() : bench_(net::ParallelLinks(2, 16), 2) { bench_.PlanShortest(First); }

    Bench bench_;
};

TEST_F(Blocks, OfAFreshSubnetAreWrittenOnceBlockByBlockOverAllSwitches) {
    const ProgrammingOutcome& outcome = bench_.Round(true);
    const auto sets = bench_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 6U);
    for (std::uint32_t i = 0; i < 6; ++i) {
        EXPECT_EQ(sets[i].modifier, i / 2);
        EXPECT_EQ(Raw(sets[i].at), i % 2);
    }
    EXPECT_EQ(outcome.blocks_set, 6U);
    EXPECT_EQ(outcome.blocks_right, 0U);
    EXPECT_EQ(outcome.blocks_read, 0U);  // The tops were 0: nobody had written anything.
    EXPECT_EQ(outcome.detours, 0U);
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, ThatAreKnownToBeRightAreLeftAlone) {
    bench_.Round(true);
    bench_.seen.clear();
    const ProgrammingOutcome& outcome = bench_.Round();
    EXPECT_TRUE(bench_.seen.empty());
    EXPECT_EQ(outcome.blocks_right, 6U);
    EXPECT_EQ(outcome.blocks_set, 0U);
    EXPECT_TRUE(bench_.programming.IsKnown(SwitchIndex{1}, 2));
    EXPECT_EQ(bench_.programming.ProgrammedRow(SwitchIndex{1})[5], bench_.planned(1, 5));
}

TEST_F(Blocks, OnlyThoseThatDifferAreWritten) {
    bench_.Round(true);
    bench_.seen.clear();
    bench_.planned(1, 70) = 255;
    bench_.Round();
    const auto sets = bench_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(Raw(sets[0].at), 1);
    EXPECT_EQ(sets[0].modifier, 1U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

/// A round in which the blocks of some entries are said to be all that may differ.
const ProgrammingOutcome& ExpectingRound(Bench& bench, std::initializer_list<std::uint16_t> lids) {
    bench.Discover();
    bench.programming.BeginRound(false, true);
    for (const auto stage : {Programming::Stage::kPorts, Programming::Stage::kReading,
                             Programming::Stage::kSwitches}) {
        bench.Run(stage);
    }
    bench.programming.ExpectChanges();
    for (const std::uint16_t lid : lids) {
        bench.programming.Expect(SwitchIndex{1}, Lid{lid});
    }
    bench.RunBlocks();
    return bench.programming.outcome();
}

TEST_F(Blocks, ThatAreNotExpectedToDifferAreNotCompared) {
    bench_.Round(true);
    bench_.seen.clear();
    bench_.planned(1, 70) = 255;
    ASSERT_GE(Raw(bench_.top()), 128) << "the highest LID is in a block of its own";
    bench_.planned(1, Raw(bench_.top())) = 255;
    const ProgrammingOutcome& outcome = ExpectingRound(bench_, {70, 70, 10});
    const auto sets = bench_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(sets[0].modifier, 1U);
    EXPECT_EQ(outcome.blocks_right, 5U);
    EXPECT_FALSE(bench_.IsAsPlanned()) << "whoever expects too little gets too little";
    bench_.Round();
    EXPECT_TRUE(bench_.IsAsPlanned()) << "until everything is compared";
}

TEST_F(Blocks, AreAllComparedAfterARoundThatDidNotEndWell) {
    bench_.Round(true);
    bench_.planned(1, 70) = 255;
    bench_.fate = [](const Bench::Question& question) {
        return question.attribute == kLft ? Bench::Fate::kRefused : Bench::Fate::kTaken;
    };
    bench_.Round();
    bench_.fate = [](const Bench::Question&) { return Bench::Fate::kTaken; };
    EXPECT_FALSE(bench_.IsAsPlanned());
    ExpectingRound(bench_, {});
    EXPECT_TRUE(bench_.IsAsPlanned());
    // And after one that was given up before its end.
    bench_.planned(1, 140) = 255;
    bench_.Discover();
    bench_.programming.BeginRound(false);
    ExpectingRound(bench_, {});
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, OfASwitchThatAnotherHadProgrammedAreReadUpToItsTop) {
    bench_.BurnIn();
    bench_.hardware(0).info.Set(SwitchInfo::kLinearFdbTop, Lid{70});
    const ProgrammingOutcome& outcome = bench_.Round(true);
    EXPECT_EQ(outcome.blocks_read, 2U + 3U);
    const auto sets = bench_.SetsOf(kLft);
    ASSERT_EQ(sets.size(), 1U);  // What was not read is written, right or not.
    EXPECT_EQ(Raw(sets[0].at), 0);
    EXPECT_EQ(sets[0].modifier, 2U);
    EXPECT_EQ(outcome.blocks_right, 5U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, ThatCannotBeReadAreWritten) {
    bench_.BurnIn();
    bench_.fate = [](const Question& question) {
        const bool is_it = question.method == Method::kGet && question.modifier == 1 &&
                           question.at == SwitchIndex{1};
        return is_it ? Fate::kRefused : Fate::kTaken;
    };
    const ProgrammingOutcome& outcome = bench_.Round(true);
    ASSERT_FALSE(bench_.SetsOf(kLft).empty());
    for (const Question& set : bench_.SetsOf(kLft)) {
        EXPECT_EQ(Raw(set.at), 1);
        EXPECT_EQ(set.modifier, 1U);
    }
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, AreReadAgainWhenAnotherWasMasterMeanwhile) {
    bench_.Round(true);
    bench_.hardware(1).lft[3] = 255;  // Whose top is as before.
    EXPECT_EQ(bench_.Round(true).blocks_read, 6U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, OfASwitchThatWasResetAreWrittenAgain) {
    bench_.Round(true);
    bench_.seen.clear();
    bench_.hardware(1).info.Set(SwitchInfo::kLinearFdbTop, kNoLid);
    std::fill(bench_.hardware(1).lft.begin(), bench_.hardware(1).lft.end(), std::uint8_t{255});
    const ProgrammingOutcome& outcome = bench_.Round();
    EXPECT_EQ(outcome.blocks_read, 0U);
    EXPECT_EQ(outcome.blocks_set, 3U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, OfASwitchWhoseTopLooksRightButNoLinkIsUpAreReadAgain) {
    bench_.Round(true);
    bench_.seen.clear();
    for (const Port& port :
         bench_.fabric().PortsOf(bench_.fabric().switch_row(SwitchIndex{1}).node)) {
        if (port.number == kManagementPort || port.peer == kNoPortIndex) continue;
        bench_.port_info(bench_.fabric().IndexOf(port))
            .Set(PortInfo::kPortState, PortState::kInitialize);
    }
    bench_.hardware(1).lft[3] = 255;
    EXPECT_EQ(bench_.Round().blocks_read, 3U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, OfASwitchThatLostItsLidAreReadAgain) {
    bench_.Round(true);
    const PortIndex door = bench_.fabric().ManagementPortOf(SwitchIndex{0});
    bench_.port_info(door).Set(PortInfo::kLid, kNoLid);
    EXPECT_EQ(bench_.Round().blocks_read, 3U);
}

TEST_F(Blocks, AreSentAgainWhenADatagramIsLost) {
    std::map<std::uint32_t, int> tries;
    bench_.fate = [&](const Question& question) {
        if (!SetsBlock(question) || question.at != SwitchIndex{0}) return Fate::kTaken;
        const bool is_first = tries[question.modifier]++ == 0;
        if (!is_first || question.modifier == 2) return Fate::kTaken;
        return question.modifier == 0 ? Fate::kRequestLost : Fate::kAnswerLost;
    };
    const ProgrammingOutcome& outcome = bench_.Round(true);
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_EQ(outcome.blocks_set, 6U);
    EXPECT_EQ(bench_.SetsOf(kLft).size(), 8U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Blocks, WhoseAnswersAreLostAreUnknownAndWrittenAgainInTheNextRound) {
    bench_.Round(true);
    bench_.planned(1, 70) = 255;
    bench_.fate = [](const Question& question) {
        return SetsBlock(question) ? Fate::kAnswerLost : Fate::kTaken;
    };
    EXPECT_GT(bench_.Round().failed, 0U);
    EXPECT_FALSE(bench_.programming.IsKnown(SwitchIndex{1}, 1));
    EXPECT_TRUE(bench_.programming.IsKnown(SwitchIndex{1}, 0));
    EXPECT_EQ(bench_.journal.CountOf(Note::kSetUnanswered), 1U);

    bench_.fate = [](const Question&) { return Fate::kTaken; };
    bench_.seen.clear();
    EXPECT_EQ(bench_.Round().failed, 0U);
    for (const Question& set : bench_.SetsOf(kLft)) {
        EXPECT_EQ(Raw(set.at), 1);
        EXPECT_EQ(set.modifier, 1U);
    }
    EXPECT_TRUE(bench_.programming.IsKnown(SwitchIndex{1}, 1));
    EXPECT_TRUE(bench_.IsAsPlanned());
    EXPECT_EQ(bench_.circle(), "");
}

TEST_F(Blocks, ThatAreRefusedAreCountedAndTheRefusalIsNotBelieved) {
    bench_.Round(true);
    const std::uint8_t before = bench_.planned(1, 70);
    bench_.planned(1, 70) = 255;
    bench_.fate = [](const Question& question) {
        return SetsBlock(question) ? Fate::kRefused : Fate::kTaken;
    };
    EXPECT_GT(bench_.Round().failed, 0U);
    EXPECT_EQ(bench_.programming.ProgrammedRow(SwitchIndex{1})[70], before);
    EXPECT_FALSE(bench_.programming.IsKnown(SwitchIndex{1}, 1));
    EXPECT_EQ(bench_.journal.CountOf(Note::kSetRefused), 1U);
}

TEST_F(Blocks, ToWhichNoWayIsKnownAreCounted) {
    bench_.Round(true);
    bench_.planned(1, 70) = 255;
    bench_.fabric().node(bench_.fabric().switch_row(SwitchIndex{1}).node).entry = kNoPortIndex;
    bench_.seen.clear();
    EXPECT_GT(bench_.Round().failed, 0U);
    EXPECT_TRUE(bench_.seen.empty());
    EXPECT_TRUE(bench_.programming.IsKnown(SwitchIndex{1}, 1));  // It is still what it was.
}

TEST_F(Blocks, AbandonedAreNotAnswered) {
    bench_.Discover();
    bench_.programming.BeginRound(true);
    bench_.programming.Begin(Programming::Stage::kReading);
    bench_.programming.Pump(bench_.now_us);
    bench_.Run(Programming::Stage::kSwitches);
    bench_.RunBlocks();
    bench_.planned(0, 3) = 255;
    bench_.programming.BeginRound(false);
    bench_.Discover();
    bench_.programming.Abandon();
    EXPECT_TRUE(bench_.programming.done());
    EXPECT_EQ(bench_.exchange.in_flight(), 0U);
    Answer late;
    late.cookie = {.client = Client::kProgramming, .kind = 3, .detail = 0, .subject = 0};
    late.status = Status::kTimeout;
    bench_.programming.OnAnswer(late, bench_.now_us);
    EXPECT_EQ(bench_.programming.outcome().failed, 0U);
    EXPECT_TRUE(bench_.programming.done());
}

/// Nine switches in a ring, whose routing turns round.
class RingBlocks : public ::testing::Test {
protected:
    RingBlocks() : bench_(net::Ring(9, 2)) {
        bench_.PlanRound(true);
        bench_.BurnIn();
        bench_.Round(true);
        bench_.seen.clear();
        bench_.PlanRound(false);
    }

    Bench bench_;
};

TEST_F(RingBlocks, DropWhatLeadsAwayBeforeAnythingIsTurned) {
    const ProgrammingOutcome& outcome = bench_.Round();
    EXPECT_EQ(bench_.circle(), "");
    EXPECT_TRUE(bench_.IsAsPlanned());
    EXPECT_GE(outcome.detours, 1U);
    EXPECT_LE(outcome.blocks_set, 18U);
    EXPECT_EQ(outcome.failed, 0U);
    // Whatever a detour turns is new at once or drops; nobody gets a third block.
    std::map<SwitchIndex, int> times;
    for (const Question& set : bench_.SetsOf(kLft)) {
        EXPECT_LE(++times[set.at], 2);
    }
}

TEST_F(RingBlocks, SecondRoundBeginsWhenAllDetoursAreAcknowledged) {
    std::map<SwitchIndex, int> times;
    bool late_detour = false;
    bool second_began = false;
    bench_.fate = [&](const Question& question) {
        if (!SetsBlock(question)) return Fate::kTaken;
        const int time = times[question.at]++;
        // The first detour is lost once: it is sent again a timeout later.
        if (question.at == SwitchIndex{0} && time == 0) return Fate::kRequestLost;
        const bool is_second = question.at != SwitchIndex{0} && time == 1;
        if (is_second) second_began = true;
        if (question.at == SwitchIndex{0} && time == 1) late_detour = second_began;
        return Fate::kTaken;
    };
    bench_.Round();
    EXPECT_TRUE(second_began);
    EXPECT_FALSE(late_detour);
    EXPECT_EQ(bench_.circle(), "");
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(RingBlocks, KeepTheirHotLidsWhereADetourFails) {
    for (const Fate what : {Fate::kRefused, Fate::kRequestLost, Fate::kAnswerLost}) {
        SCOPED_TRACE(static_cast<int>(what));
        Bench bench(net::Ring(9, 2));
        bench.PlanRound(true);
        bench.BurnIn();
        bench.Round(true);
        bench.PlanRound(false);
        bench.fate = [&](const Question& question) {
            return SetsBlock(question) && question.at == SwitchIndex{4} ? what : Fate::kTaken;
        };
        EXPECT_GT(bench.Round().failed, 0U);
        EXPECT_EQ(bench.circle(), "");
        EXPECT_FALSE(bench.IsAsPlanned());

        bench.fate = [](const Question&) { return Fate::kTaken; };
        EXPECT_EQ(bench.Round().failed, 0U);
        EXPECT_EQ(bench.circle(), "");
        EXPECT_TRUE(bench.IsAsPlanned());
    }
}

TEST_F(RingBlocks, ThatMaySayAnythingDropBeforeOthersTurn) {
    std::map<SwitchIndex, int> times;
    bench_.fate = [&](const Question& question) {
        const bool is_it = SetsBlock(question) && question.at == SwitchIndex{4};
        return is_it && times[question.at]++ > 0 ? Fate::kAnswerLost : Fate::kTaken;
    };
    EXPECT_GT(bench_.Round().failed, 0U);  // Switch 4 has turned round, and we do not know it.
    bench_.fate = [](const Question&) { return Fate::kTaken; };
    bench_.PlanRound(true);
    EXPECT_EQ(bench_.Round().failed, 0U);
    EXPECT_EQ(bench_.circle(), "");
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST(PavedWays, SaveTheDetourOfWhoeverJoinsThem) {
    // Ways of a tree in use already: another port of the same leaf is no detour.
    Bench bench(net::FatTree2(4));
    bench.PlanShortest(First);
    bench.BurnIn();
    bench.Round(true);
    bench.PlanShortest(Last);
    const ProgrammingOutcome& outcome = bench.Round();
    EXPECT_GT(outcome.blocks_set, 0U);
    EXPECT_EQ(outcome.detours, 0U);
    EXPECT_EQ(bench.circle(), "");
    EXPECT_TRUE(bench.IsAsPlanned());
}

}  // namespace
}  // namespace ember
