// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts have a lane of their own: whatever they answer, or do not, holds up no switch.
#include <bit>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/core/programming/bench.h"

namespace ember {
namespace {

using Fate = Bench::Fate;
using Question = Bench::Question;

/// One switch with hosts, of which one, that is not ours, is to be armed, and so is its door.
class EndPorts : public ::testing::Test {
protected:
    EndPorts() : bench_(net::SingleSwitch(4)) {
        bench_.PlanShortest([](std::size_t) { return std::size_t{0}; });
        ForEachEndPort(bench_.fabric(), [&](PortIndex at, const Port& port) {
            if (port.number == kManagementPort || at == bench_.fabric().own_port()) return;
            host_ = at;
            door_ = port.peer;
        });
        for (const PortIndex at : {host_, door_}) {
            bench_.port_info(at).Set(PortInfo::kPortState, PortState::kInitialize);
            PortPlan& plan = bench_.planner.plans[at];
            plan.set = bench_.port_info(at);
            plan.set.Set(PortInfo::kPortState, PortState::kArmed);
            plan.differs = true;
        }
        bench_.Discover();
        bench_.programming.BeginRound(true);
    }

    void LetBe(PortIndex at, Fate fate) {
        bench_.fate = [at, fate](const Question& question) {
            return question.port == at ? fate : Fate::kTaken;
        };
    }
    /// Until nothing is under way any more.
    void LetTimePass() {
        Answer answer;
        while (bench_.exchange.in_flight() != 0) {
            bench_.now_us = std::max(bench_.now_us, bench_.exchange.NextDeadlineUs());
            while (bench_.exchange.Expire(bench_.now_us, answer)) {
                bench_.programming.OnAnswer(answer, bench_.now_us);
            }
            bench_.Run(Programming::Stage::kIdle);  // Serves what was sent.
        }
    }
    [[nodiscard]] const ProgrammingOutcome& outcome() const { return bench_.programming.outcome(); }
    [[nodiscard]] Guid GuidOf(PortIndex at) {
        return bench_.fabric().node(bench_.fabric().port(at).node).guid;
    }

    Bench bench_;
    PortIndex host_ = kNoPortIndex;
    PortIndex door_ = kNoPortIndex;
};

TEST_F(EndPorts, ThatAreSilentHoldUpNoStage) {
    LetBe(host_, Fate::kRequestLost);
    const std::uint64_t began_us = bench_.now_us;
    bench_.Run(Programming::Stage::kPorts);
    bench_.Run(Programming::Stage::kReading);
    bench_.Run(Programming::Stage::kSwitches);
    bench_.RunBlocks();
    EXPECT_LE(bench_.now_us, began_us + 10'000);
    EXPECT_EQ(bench_.exchange.in_flight(), 1U) << "it may still answer";
    EXPECT_TRUE(bench_.IsAsPlanned());
    bench_.Run(Programming::Stage::kActivation);
    LetTimePass();
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
    EXPECT_EQ(outcome().failed_end_port.guid, GuidOf(host_));
    EXPECT_TRUE(bench_.fabric().port(host_).touched) << "the next round asks it again";
}

TEST_F(EndPorts, ThatRefuseAreCountedApart) {
    LetBe(host_, Fate::kRefused);
    bench_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
}

TEST_F(EndPorts, BehindADoorThatRefusesAreCountedToo) {
    LetBe(door_, Fate::kRefused);
    bench_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
    EXPECT_EQ(outcome().failed_end_port.guid, GuidOf(host_));
}

TEST_F(EndPorts, AreNotToBlameForASwitchThatIsSilent) {
    LetBe(door_, Fate::kRequestLost);
    bench_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 1U);
    EXPECT_EQ(outcome().unanswered, 1U);
    EXPECT_EQ(outcome().end_ports_failed, 0U);
}

/// It was read as ACTIVE, and says in the answer to a Set that its link is down.
TEST_F(EndPorts, ThatStandOtherwiseThanTheyWereReadAreLookedAtAgain) {
    bench_.fabric().port(host_).info.Set(PortInfo::kPortState, PortState::kActive);
    bench_.planner.plans[host_].set.Set(PortInfo::kPortState, PortState::kNoChange);
    bench_.keep = [&](PortIndex at, PortInfo& info) {
        if (at == host_) info.Set(PortInfo::kPortState, PortState::kDown);
    };
    bench_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
    EXPECT_TRUE(bench_.fabric().port(host_).touched);
}

TEST_F(EndPorts, WhoseLinksAreTakenDownAreCountedApart) {
    bench_.planner.plans[host_].bounce = true;
    bench_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().bounced, 0U);
    EXPECT_EQ(outcome().end_ports_bounced, 1U);
}

TEST_F(EndPorts, ThatAnswerAfterTheActivationAreMadeActiveThen) {
    bench_.settings.transaction_retries = 3;
    bench_.exchange.Configure(bench_.settings);
    bench_.programming.Hurry(true);  // Else activation would wait for the third try.
    int lost = 2;
    bench_.fate = [&](const Question& question) {
        return question.port == host_ && lost-- > 0 ? Fate::kRequestLost : Fate::kTaken;
    };
    bench_.Run(Programming::Stage::kPorts);
    bench_.RunBlocks();
    bench_.Run(Programming::Stage::kActivation);
    EXPECT_EQ(outcome().activated, 0U);
    bench_.Run(Programming::Stage::kIdle);
    // Its third try is answered, and both ends of the link follow.
    for (int turn = 0; turn < 1000 && outcome().activated < 2; ++turn) {
        bench_.now_us = std::max(bench_.now_us + 1, bench_.exchange.NextDeadlineUs());
        Answer answer;
        while (bench_.exchange.Expire(bench_.now_us, answer)) {
            bench_.programming.OnAnswer(answer, bench_.now_us);
        }
        bench_.Run(Programming::Stage::kIdle);  // Serves what was sent.
    }
    EXPECT_EQ(outcome().activated, 2U);
    EXPECT_EQ(outcome().end_ports_failed, 0U);
}

TEST_F(EndPorts, WhoseSetWasCarriedOutThoughItsRepetitionIsRefusedHaveNotFailed) {
    for (const PortIndex at : {door_, host_}) {
        bool is_armed = false;
        bench_.fate = [&](const Question& question) {
            if (question.port != at || question.method != Method::kSet) return Fate::kTaken;
            if (is_armed) return Fate::kRefused;
            is_armed = true;
            return Fate::kAnswerLost;
        };
        bench_.programming.BeginRound(true);
        bench_.Run(Programming::Stage::kPorts);
        LetTimePass();
        bench_.Run(Programming::Stage::kIdle);
        EXPECT_EQ(outcome().failed, 0U);
        EXPECT_EQ(outcome().end_ports_failed, 0U);
        EXPECT_EQ(bench_.fabric().port(at).info.Get(PortInfo::kPortState), PortState::kArmed);
    }
}

}  // namespace
}  // namespace ember
