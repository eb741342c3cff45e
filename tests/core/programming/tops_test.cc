// SPDX-License-Identifier: Apache-2.0
// EmberSM: LinearFDBTop, and what lies above it.
#include <algorithm>
#include <gtest/gtest.h>

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

/// A ring of five with 5 + 5 * 4 * 4 LIDs, two blocks, that a former subnet manager filled with
/// tables of which LIDs above 40 run round for ever. The tops hide them.
class Tops : public ::testing::Test {
protected:
    Tops() : bench_(net::Ring(5, 4), 2) {
        bench_.PlanRound(true);
        bench_.BurnIn();
        for (std::uint32_t at = 0; at < bench_.switches(); ++at) {
            for (std::uint32_t lid = kOldTop + 1; lid <= Raw(bench_.top()); ++lid) {
                bench_.hardware(at).lft[lid] = RoundPort(at);
            }
            SetTop(at, Lid{kOldTop});
        }
        bench_.PlanShortest(First);
    }

    void SetTop(std::uint32_t at, Lid top) {
        bench_.hardware(at).info.Set(SwitchInfo::kLinearFdbTop, top);
    }
    [[nodiscard]] Lid TopOf(std::uint32_t at) {
        return bench_.hardware(at).info.Get(SwitchInfo::kLinearFdbTop);
    }
    /// The port to the next switch of the ring.
    [[nodiscard]] std::uint8_t RoundPort(std::uint32_t at) {
        const auto next = (at + 1) % static_cast<std::uint32_t>(bench_.switches());
        const Lid lid = bench_.fabric()
                            .port(bench_.fabric().ManagementPortOf(static_cast<SwitchIndex>(next)))
                            .lid;
        return bench_.ShortestPorts(static_cast<SwitchIndex>(at), lid)[0];
    }
    [[nodiscard]] std::size_t PlaceOfLast(AttributeId attribute) const {
        std::size_t place = 0;
        for (std::size_t i = 0; i < bench_.seen.size(); ++i) {
            const Question& one = bench_.seen[i];
            if (one.method == Method::kSet && one.attribute == attribute) place = i;
        }
        return place;
    }
    [[nodiscard]] std::size_t PlaceOfFirst(AttributeId attribute) const {
        const auto found =
            std::find_if(bench_.seen.begin(), bench_.seen.end(), [&](const Question& one) {
                return one.method == Method::kSet && one.attribute == attribute;
            });
        return static_cast<std::size_t>(found - bench_.seen.begin());
    }

    static constexpr std::uint16_t kOldTop = 40;
    Bench bench_;
};

TEST_F(Tops, RiseWhenTheBlocksAboveThemAreRight) {
    const ProgrammingOutcome& outcome = bench_.Round(true);
    EXPECT_EQ(bench_.circle(), "");
    EXPECT_TRUE(bench_.IsAsPlanned());
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_EQ(outcome.switches_set, 5U);
    EXPECT_GT(PlaceOfFirst(AttributeId::kSwitchInfo), PlaceOfLast(kLft));
}

TEST_F(Tops, OfSwitchesThatNobodyProgrammedRiseLastToo) {
    for (std::uint32_t at = 0; at < bench_.switches(); ++at) {
        SetTop(at, kNoLid);  // What lies above is as the chip came up.
    }
    EXPECT_EQ(bench_.Round(true).detours, 0U);
    EXPECT_EQ(bench_.circle(), "");
    EXPECT_TRUE(bench_.IsAsPlanned());
    EXPECT_GT(PlaceOfFirst(AttributeId::kSwitchInfo), PlaceOfLast(kLft));
}

TEST_F(Tops, HideEntriesThatNeedNotDropFirst) {
    for (std::uint32_t at = 0; at < bench_.switches(); ++at) {
        for (std::uint32_t lid = 1; lid <= kOldTop; ++lid) {
            bench_.hardware(at).lft[lid] = bench_.planned(at, lid);
        }
    }
    const ProgrammingOutcome& outcome = bench_.Round(true);
    EXPECT_EQ(outcome.blocks_read, 5U);  // Of each the first, with dead entries 41 to 63 in it.
    EXPECT_EQ(outcome.detours, 0U);
    EXPECT_EQ(outcome.blocks_set, 10U);
    EXPECT_EQ(bench_.circle(), "");
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Tops, FallBeforeAnyBlockIsWritten) {
    for (std::uint32_t at = 0; at < bench_.switches(); ++at) {
        SetTop(at, static_cast<Lid>(Raw(bench_.top()) + 10));
    }
    bench_.Round(true);
    EXPECT_TRUE(bench_.IsAsPlanned());
    EXPECT_LT(PlaceOfLast(AttributeId::kSwitchInfo), PlaceOfFirst(kLft));
}

TEST_F(Tops, StayWhereABlockAboveThemWasNotAcknowledged) {
    for (const Fate what : {Fate::kRequestLost, Fate::kAnswerLost}) {
        bench_.fate = [&](const Question& question) {
            const bool is_it = question.method == Method::kSet && question.attribute == kLft &&
                               question.at == SwitchIndex{2} && question.modifier == 1;
            return is_it ? what : Fate::kTaken;
        };
        EXPECT_GT(bench_.Round(true).failed, 0U);
        EXPECT_EQ(Raw(TopOf(2)), kOldTop);
        EXPECT_EQ(TopOf(3), bench_.top());
        EXPECT_EQ(bench_.circle(), "");
    }
    bench_.fate = [](const Question&) { return Fate::kTaken; };
    EXPECT_EQ(bench_.Round().failed, 0U);
    EXPECT_TRUE(bench_.IsAsPlanned());
    EXPECT_EQ(bench_.circle(), "");
}

TEST_F(Tops, RiseWhereABlockBelowThemWasNotAcknowledged) {
    bench_.fate = [&](const Question& question) {
        const bool is_it = question.method == Method::kSet && question.attribute == kLft &&
                           question.at == SwitchIndex{2} && question.modifier == 0;
        return is_it ? Fate::kAnswerLost : Fate::kTaken;
    };
    SetTop(2, Lid{70});
    EXPECT_GT(bench_.Round(true).failed, 0U);
    EXPECT_EQ(TopOf(2), bench_.top());
}

TEST_F(Tops, RiseFirstForWhoeverRefusesBlocksAboveThem) {
    bench_.fate = [&](const Question& question) {
        const bool is_beyond = question.method == Method::kSet && question.attribute == kLft &&
                               question.modifier > Raw(TopOf(Raw(question.at))) / 64U;
        return is_beyond ? Fate::kRefused : Fate::kTaken;
    };
    EXPECT_EQ(bench_.Round(true).failed, 5U);
    EXPECT_EQ(TopOf(2), bench_.top());
    EXPECT_EQ(bench_.Round().failed, 0U);
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Tops, DoNotRiseAboveLidsThatAreFrozen) {
    // Switch 2 knows all LIDs already, the wrong way round, and cannot be made to drop any.
    bench_.PlanRound(true);
    bench_.BurnIn();
    for (std::uint32_t at = 0; at < bench_.switches(); ++at) {
        if (at != 2) SetTop(at, Lid{kOldTop});
    }
    bench_.PlanRound(false);
    bench_.fate = [&](const Question& question) {
        const bool is_it = question.method == Method::kSet && question.attribute == kLft &&
                           question.at == SwitchIndex{2};
        return is_it ? Fate::kRequestLost : Fate::kTaken;
    };
    EXPECT_GT(bench_.Round(true).failed, 0U);
    EXPECT_EQ(Raw(TopOf(1)), kOldTop);
    EXPECT_EQ(bench_.circle(), "");

    bench_.fate = [](const Question&) { return Fate::kTaken; };
    EXPECT_EQ(bench_.Round().failed, 0U);
    EXPECT_TRUE(bench_.IsAsPlanned());
    EXPECT_EQ(bench_.circle(), "");
}

TEST_F(Tops, ThatAreNotTakenAreTriedAgain) {
    bench_.fate = [](const Question& question) {
        return question.attribute == AttributeId::kSwitchInfo ? Fate::kRefused : Fate::kTaken;
    };
    EXPECT_EQ(bench_.Round(true).failed, 5U);
    EXPECT_EQ(bench_.journal.CountOf(Note::kSetRefused), 5U);
    EXPECT_EQ(Raw(TopOf(0)), kOldTop);
    bench_.fate = [](const Question&) { return Fate::kTaken; };
    bench_.seen.clear();
    EXPECT_EQ(bench_.Round().failed, 0U);
    EXPECT_TRUE(bench_.SetsOf(kLft).empty());
    EXPECT_TRUE(bench_.IsAsPlanned());
}

TEST_F(Tops, ComeInOneSetWithEverythingElseOfSwitchInfo) {
    bench_.hardware(0).info.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    bench_.hardware(1).info.Set(SwitchInfo::kLifeTimeValue, std::uint8_t{3});
    const ProgrammingOutcome& outcome = bench_.Round(true);
    EXPECT_EQ(bench_.SetsOf(AttributeId::kSwitchInfo).size(), 5U);
    EXPECT_EQ(outcome.changes_cleared, 1U);
    EXPECT_EQ(bench_.hardware(0).info.Get(SwitchInfo::kPortStateChange), 0);
    EXPECT_EQ(bench_.hardware(1).info.Get(SwitchInfo::kLifeTimeValue),
              bench_.settings.packet_life_time);
}

TEST_F(Tops, ThatAreRightCostNothing) {
    bench_.Round(true);
    bench_.seen.clear();
    EXPECT_EQ(bench_.Round().switches_set, 0U);
    bench_.hardware(3).info.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    EXPECT_EQ(bench_.Round().changes_cleared, 1U);
    ASSERT_EQ(bench_.seen.size(), 1U);
    EXPECT_EQ(Raw(bench_.seen[0].at), 3);
    EXPECT_EQ(bench_.fabric().switch_row(SwitchIndex{3}).info.Get(SwitchInfo::kPortStateChange), 0);
}

}  // namespace
}  // namespace ember
