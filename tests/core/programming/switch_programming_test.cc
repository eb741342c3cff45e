// SPDX-License-Identifier: Apache-2.0
// EmberSM: LinearFDBTop, and what lies above it.
#include <algorithm>
#include <gtest/gtest.h>

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

/// A ring of five with 5 + 5 * 4 * 4 LIDs, two blocks, that a former subnet manager filled with
/// tables of which LIDs above 40 run round for ever. The tops hide them.
class Tops : public ::testing::Test {
protected:
    Tops() : harness_(net::Ring(5, 4), 2) {
        harness_.PlanRound(true);
        harness_.BurnIn();
        for (std::uint32_t at = 0; at < harness_.switches(); ++at) {
            for (std::uint32_t lid = kOldTop + 1; lid <= Raw(harness_.top()); ++lid) {
                harness_.hardware(at).lft[lid] = RoundPort(at);
            }
            SetTop(at, Lid{kOldTop});
        }
        harness_.PlanShortest(First);
    }

    void SetTop(std::uint32_t at, Lid top) {
        harness_.hardware(at).info.Set(SwitchInfo::kLinearFdbTop, top);
    }
    [[nodiscard]] Lid TopOf(std::uint32_t at) {
        return harness_.hardware(at).info.Get(SwitchInfo::kLinearFdbTop);
    }
    /// The port to the next switch of the ring.
    [[nodiscard]] std::uint8_t RoundPort(std::uint32_t at) {
        const auto next = (at + 1) % static_cast<std::uint32_t>(harness_.switches());
        const Lid lid =
            harness_.fabric()
                .port(harness_.fabric().ManagementPortOf(static_cast<SwitchIndex>(next)))
                .lid;
        return harness_.ShortestPorts(static_cast<SwitchIndex>(at), lid)[0];
    }
    [[nodiscard]] std::size_t PlaceOfLast(AttributeId attribute) const {
        std::size_t place = 0;
        for (std::size_t i = 0; i < harness_.seen.size(); ++i) {
            const Question& one = harness_.seen[i];
            if (one.method == Method::kSet && one.attribute == attribute) place = i;
        }
        return place;
    }
    [[nodiscard]] std::size_t PlaceOfFirst(AttributeId attribute) const {
        const auto found =
            std::find_if(harness_.seen.begin(), harness_.seen.end(), [&](const Question& one) {
                return one.method == Method::kSet && one.attribute == attribute;
            });
        return static_cast<std::size_t>(found - harness_.seen.begin());
    }

    static constexpr std::uint16_t kOldTop = 40;
    ProgrammingHarness harness_;
};

TEST_F(Tops, RiseWhenTheBlocksAboveThemAreRight) {
    const ProgrammingOutcome& outcome = harness_.Round(true);
    EXPECT_EQ(harness_.loop(), "");
    EXPECT_TRUE(harness_.IsAsPlanned());
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_EQ(outcome.switches_set, 5U);
    EXPECT_GT(PlaceOfFirst(AttributeId::kSwitchInfo), PlaceOfLast(kLft));
}

TEST_F(Tops, OfSwitchesWithoutTablesRiseLastToo) {
    for (std::uint32_t at = 0; at < harness_.switches(); ++at) {
        SetTop(at, kNoLid);  // Entries above the top are as the chip came up.
    }
    EXPECT_EQ(harness_.Round(true).detours, 0U);
    EXPECT_EQ(harness_.loop(), "");
    EXPECT_TRUE(harness_.IsAsPlanned());
    EXPECT_GT(PlaceOfFirst(AttributeId::kSwitchInfo), PlaceOfLast(kLft));
}

TEST_F(Tops, HideEntriesThatNeedNotDropFirst) {
    for (std::uint32_t at = 0; at < harness_.switches(); ++at) {
        for (std::uint32_t lid = 1; lid <= kOldTop; ++lid) {
            harness_.hardware(at).lft[lid] = harness_.planned(at, lid);
        }
    }
    const ProgrammingOutcome& outcome = harness_.Round(true);
    EXPECT_EQ(outcome.blocks_read, 5U);  // Of each the first, with dead entries 41 to 63 in it.
    EXPECT_EQ(outcome.detours, 0U);
    EXPECT_EQ(outcome.blocks_set, 10U);
    EXPECT_EQ(harness_.loop(), "");
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Tops, FallBeforeAnyBlockIsWritten) {
    for (std::uint32_t at = 0; at < harness_.switches(); ++at) {
        SetTop(at, static_cast<Lid>(Raw(harness_.top()) + 10));
    }
    harness_.Round(true);
    EXPECT_TRUE(harness_.IsAsPlanned());
    EXPECT_LT(PlaceOfLast(AttributeId::kSwitchInfo), PlaceOfFirst(kLft));
}

TEST_F(Tops, StayWhereABlockAboveThemWasNotAcknowledged) {
    for (const Fate what : {Fate::kRequestLost, Fate::kAnswerLost}) {
        harness_.fate = [&](const Question& question) {
            const bool is_it = question.method == Method::kSet && question.attribute == kLft &&
                               question.at == SwitchIndex{2} && question.modifier == 1;
            return is_it ? what : Fate::kTaken;
        };
        EXPECT_GT(harness_.Round(true).failed, 0U);
        EXPECT_EQ(Raw(TopOf(2)), kOldTop);
        EXPECT_EQ(TopOf(3), harness_.top());
        EXPECT_EQ(harness_.loop(), "");
    }
    harness_.fate = [](const Question&) { return Fate::kTaken; };
    EXPECT_EQ(harness_.Round().failed, 0U);
    EXPECT_TRUE(harness_.IsAsPlanned());
    EXPECT_EQ(harness_.loop(), "");
}

TEST_F(Tops, RiseWhereABlockBelowThemWasNotAcknowledged) {
    harness_.fate = [&](const Question& question) {
        const bool is_it = question.method == Method::kSet && question.attribute == kLft &&
                           question.at == SwitchIndex{2} && question.modifier == 0;
        return is_it ? Fate::kAnswerLost : Fate::kTaken;
    };
    SetTop(2, Lid{70});
    EXPECT_GT(harness_.Round(true).failed, 0U);
    EXPECT_EQ(TopOf(2), harness_.top());
}

TEST_F(Tops, RiseFirstForASwitchThatRefusesBlocksAboveThem) {
    harness_.fate = [&](const Question& question) {
        const bool is_beyond = question.method == Method::kSet && question.attribute == kLft &&
                               question.modifier > Raw(TopOf(Raw(question.at))) / 64U;
        return is_beyond ? Fate::kRefused : Fate::kTaken;
    };
    EXPECT_EQ(harness_.Round(true).failed, 5U);
    EXPECT_EQ(TopOf(2), harness_.top());
    EXPECT_EQ(harness_.Round().failed, 0U);
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Tops, DoNotRiseAboveLidsThatAreFrozen) {
    // Switch 2 knows all LIDs already, the wrong way round, and cannot be made to drop any.
    harness_.PlanRound(true);
    harness_.BurnIn();
    for (std::uint32_t at = 0; at < harness_.switches(); ++at) {
        if (at != 2) SetTop(at, Lid{kOldTop});
    }
    harness_.PlanRound(false);
    harness_.fate = [&](const Question& question) {
        const bool is_it = question.method == Method::kSet && question.attribute == kLft &&
                           question.at == SwitchIndex{2};
        return is_it ? Fate::kRequestLost : Fate::kTaken;
    };
    EXPECT_GT(harness_.Round(true).failed, 0U);
    EXPECT_EQ(Raw(TopOf(1)), kOldTop);
    EXPECT_EQ(harness_.loop(), "");

    harness_.fate = [](const Question&) { return Fate::kTaken; };
    EXPECT_EQ(harness_.Round().failed, 0U);
    EXPECT_TRUE(harness_.IsAsPlanned());
    EXPECT_EQ(harness_.loop(), "");
}

TEST_F(Tops, ThatAreNotTakenAreTriedAgain) {
    harness_.fate = [](const Question& question) {
        return question.attribute == AttributeId::kSwitchInfo ? Fate::kRefused : Fate::kTaken;
    };
    EXPECT_EQ(harness_.Round(true).failed, 5U);
    EXPECT_EQ(harness_.log.CountOf(Note::kSetRefused), 5U);
    EXPECT_EQ(Raw(TopOf(0)), kOldTop);
    harness_.fate = [](const Question&) { return Fate::kTaken; };
    harness_.seen.clear();
    EXPECT_EQ(harness_.Round().failed, 0U);
    EXPECT_TRUE(harness_.SetsOf(kLft).empty());
    EXPECT_TRUE(harness_.IsAsPlanned());
}

TEST_F(Tops, ComeInOneSetWithEverythingElseOfSwitchInfo) {
    harness_.hardware(0).info.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    harness_.hardware(1).info.Set(SwitchInfo::kLifeTimeValue, std::uint8_t{3});
    const ProgrammingOutcome& outcome = harness_.Round(true);
    EXPECT_EQ(harness_.SetsOf(AttributeId::kSwitchInfo).size(), 5U);
    EXPECT_EQ(outcome.changes_cleared, 1U);
    EXPECT_EQ(harness_.hardware(0).info.Get(SwitchInfo::kPortStateChange), 0);
    EXPECT_EQ(harness_.hardware(1).info.Get(SwitchInfo::kLifeTimeValue),
              harness_.settings.packet_life_time);
}

TEST_F(Tops, ThatAreRightCostNothing) {
    harness_.Round(true);
    harness_.seen.clear();
    EXPECT_EQ(harness_.Round().switches_set, 0U);
    harness_.hardware(3).info.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    EXPECT_EQ(harness_.Round().changes_cleared, 1U);
    ASSERT_EQ(harness_.seen.size(), 1U);
    EXPECT_EQ(Raw(harness_.seen[0].at), 3);
    EXPECT_EQ(harness_.fabric().switch_row(SwitchIndex{3}).info.Get(SwitchInfo::kPortStateChange),
              0);
}

}  // namespace
}  // namespace ember
