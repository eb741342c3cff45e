// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts have a lane of their own: whatever they answer, or do not, holds up no switch.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/support/programming_harness.h"

namespace ember {
namespace {

using Fate = ProgrammingHarness::Fate;
using Question = ProgrammingHarness::Question;

/// A switch with hosts. The port of a host that is not ours is to be armed, and so is the switch
/// port that it is linked to.
class EndPorts : public ::testing::Test {
protected:
    EndPorts() : harness_(net::SingleSwitch(4)) {
        harness_.PlanShortest([](std::size_t) { return std::size_t{0}; });
        ForEachEndPort(harness_.fabric(), [&](PortIndex at, const Port& port) {
            if (port.number == kManagementPort || at == harness_.fabric().own_port()) return;
            host_ = at;
            switch_port_ = port.peer;
        });
        for (const PortIndex at : {host_, switch_port_}) {
            harness_.port_info(at).Set(PortInfo::kPortState, PortState::kInitialize);
            PortPlan& plan = harness_.planner.plans[at];
            plan.set = harness_.port_info(at);
            plan.set.Set(PortInfo::kPortState, PortState::kArmed);
            plan.differs = true;
        }
        harness_.Discover();
        harness_.programming.BeginRound(true);
    }

    void LetBe(PortIndex at, Fate fate) {
        harness_.fate = [at, fate](const Question& question) {
            return question.port == at ? fate : Fate::kTaken;
        };
    }
    /// Until nothing is under way any more.
    void LetTimePass() {
        Answer answer;
        while (harness_.exchange.in_flight() != 0) {
            harness_.now_us = std::max(harness_.now_us, harness_.exchange.NextDeadlineUs());
            while (harness_.exchange.Expire(harness_.now_us, answer)) {
                harness_.programming.Hear(answer, harness_.now_us);
            }
            harness_.Run(Programming::Stage::kIdle);  // Serves what was sent.
        }
    }
    [[nodiscard]] const ProgrammingOutcome& outcome() const {
        return harness_.programming.outcome();
    }
    [[nodiscard]] Guid GuidOf(PortIndex at) {
        return harness_.fabric().node(harness_.fabric().port(at).node).guid;
    }

    ProgrammingHarness harness_;
    PortIndex host_ = kNoPortIndex;
    PortIndex switch_port_ = kNoPortIndex;
};

TEST_F(EndPorts, ThatAreSilentHoldUpNoStage) {
    LetBe(host_, Fate::kRequestLost);
    const std::uint64_t began_us = harness_.now_us;
    harness_.Run(Programming::Stage::kPorts);
    harness_.Run(Programming::Stage::kReading);
    harness_.Run(Programming::Stage::kSwitches);
    harness_.RunBlocks();
    EXPECT_LE(harness_.now_us, began_us + 10'000);
    EXPECT_EQ(harness_.exchange.in_flight(), 1U) << "it may still answer";
    EXPECT_TRUE(harness_.IsAsPlanned());
    harness_.Run(Programming::Stage::kActivation);
    LetTimePass();
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
    EXPECT_EQ(outcome().failed_end_port.guid, GuidOf(host_));
    EXPECT_TRUE(harness_.fabric().port(host_).touched) << "the next round asks it again";
}

TEST_F(EndPorts, ThatRefuseAreCountedApart) {
    LetBe(host_, Fate::kRefused);
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
}

TEST_F(EndPorts, BehindASwitchPortThatRefusesAreCountedToo) {
    LetBe(switch_port_, Fate::kRefused);
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
    EXPECT_EQ(outcome().failed_end_port.guid, GuidOf(host_));
}

TEST_F(EndPorts, AreNotToBlameForASwitchThatIsSilent) {
    LetBe(switch_port_, Fate::kRequestLost);
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 1U);
    EXPECT_EQ(outcome().unanswered, 1U);
    EXPECT_EQ(outcome().end_ports_failed, 0U);
}

/// The port was read as ACTIVE, and says in the answer to a Set that its link is down.
TEST_F(EndPorts, ThatStandOtherwiseThanTheyWereReadAreLookedAtAgain) {
    harness_.fabric().port(host_).info.Set(PortInfo::kPortState, PortState::kActive);
    harness_.planner.plans[host_].set.Set(PortInfo::kPortState, PortState::kNoChange);
    harness_.keep = [&](PortIndex at, PortInfo& info) {
        if (at == host_) info.Set(PortInfo::kPortState, PortState::kDown);
    };
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(outcome().end_ports_failed, 1U);
    EXPECT_TRUE(harness_.fabric().port(host_).touched);
}

TEST_F(EndPorts, WhoseLinksAreTakenDownAreCountedApart) {
    harness_.planner.plans[host_].bounce = true;
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().bounced, 0U);
    EXPECT_EQ(outcome().end_ports_bounced, 1U);
}

TEST_F(EndPorts, ThatAnswerAfterTheActivationAreMadeActiveThen) {
    harness_.settings.transaction_retries = 3;
    harness_.exchange.Configure(harness_.settings);
    harness_.programming.Hurry(true);  // Else activation would wait for the third try.
    int lost = 2;
    harness_.fate = [&](const Question& question) {
        return question.port == host_ && lost-- > 0 ? Fate::kRequestLost : Fate::kTaken;
    };
    harness_.Run(Programming::Stage::kPorts);
    harness_.RunBlocks();
    harness_.Run(Programming::Stage::kActivation);
    EXPECT_EQ(outcome().activated, 0U);
    harness_.Run(Programming::Stage::kIdle);
    // Its third try is answered, and both ends of the link follow.
    for (int turn = 0; turn < 1000 && outcome().activated < 2; ++turn) {
        harness_.now_us = std::max(harness_.now_us + 1, harness_.exchange.NextDeadlineUs());
        Answer answer;
        while (harness_.exchange.Expire(harness_.now_us, answer)) {
            harness_.programming.Hear(answer, harness_.now_us);
        }
        harness_.Run(Programming::Stage::kIdle);  // Serves what was sent.
    }
    EXPECT_EQ(outcome().activated, 2U);
    EXPECT_EQ(outcome().end_ports_failed, 0U);
}

TEST_F(EndPorts, WhoseSetWasCarriedOutThoughItsRepetitionIsRefusedHaveNotFailed) {
    for (const PortIndex at : {switch_port_, host_}) {
        bool is_armed = false;
        harness_.fate = [&](const Question& question) {
            if (question.port != at || question.method != Method::kSet) return Fate::kTaken;
            if (is_armed) return Fate::kRefused;
            is_armed = true;
            return Fate::kAnswerLost;
        };
        harness_.programming.BeginRound(true);
        harness_.Run(Programming::Stage::kPorts);
        LetTimePass();
        harness_.Run(Programming::Stage::kIdle);
        EXPECT_EQ(outcome().failed, 0U);
        EXPECT_EQ(outcome().end_ports_failed, 0U);
        EXPECT_EQ(harness_.fabric().port(at).info.Get(PortInfo::kPortState), PortState::kArmed);
    }
}

/// A RoundAsker by itself, in the same subnet.
class TwoLanes : public EndPorts {
protected:
    TwoLanes()
        : asker_({harness_.fabric(), harness_.exchange, harness_.log}, harness_.settings,
                 of_asker_) {}

    void AskPort(PortIndex at) {
        Ask ask{};
        ASSERT_TRUE(asker_.Prepare(at, AttributeId::kPortInfo, ask));
        ask.method = Method::kGet;
        ask.modifier = Raw(harness_.fabric().port(at).number);
        asker_.Post(ask, RoundAsker::Kind::kCheckSet, Raw(at), harness_.now_us);
    }
    /// The answer to the question that is overdue first.
    [[nodiscard]] Answer Silence() {
        Answer answer;
        while (!harness_.exchange.Expire(harness_.now_us, answer)) {
            harness_.now_us = std::max(harness_.now_us + 1, harness_.exchange.NextDeadlineUs());
        }
        return answer;
    }

    ProgrammingOutcome of_asker_;
    RoundAsker asker_;
};

TEST_F(TwoLanes, AreCountedApart) {
    AskPort(host_);
    harness_.now_us += 500;
    AskPort(switch_port_);
    EXPECT_EQ(asker_.in_flight(), 1U);
    EXPECT_EQ(asker_.end_ports_in_flight(), 1U);
    EXPECT_EQ(asker_.end_ports_moved_us(), harness_.now_us - 500);
    for (int i = 0; i < 2; ++i) {
        const std::uint64_t moved_us = asker_.end_ports_moved_us();
        const Answer answer = Silence();
        EXPECT_TRUE(asker_.Take(answer, harness_.now_us));
        const bool is_of_host = answer.cookie.subject == Raw(host_);
        EXPECT_EQ(asker_.end_ports_moved_us(), is_of_host ? harness_.now_us : moved_us);
    }
    EXPECT_EQ(asker_.in_flight(), 0U);
    EXPECT_EQ(asker_.end_ports_in_flight(), 0U);
}

TEST_F(TwoLanes, DropAnswersToWhatWasAbandoned) {
    AskPort(host_);
    AskPort(switch_port_);
    asker_.Abandon();
    EXPECT_EQ(asker_.in_flight(), 0U);
    EXPECT_EQ(asker_.end_ports_in_flight(), 0U);
    EXPECT_EQ(harness_.exchange.in_flight(), 0U);
    Answer late;
    late.attribute = AttributeId::kPortInfo;
    EXPECT_FALSE(asker_.Take(late, harness_.now_us));
    AskPort(switch_port_);
    late.cookie.detail = RoundAsker::kEndPortLane;
    EXPECT_FALSE(asker_.Take(late, harness_.now_us)) << "nothing is under way in its lane";
}

TEST_F(TwoLanes, KnowOurOwnPortFromAHosts) {
    const PortIndex own = harness_.fabric().own_port();
    EXPECT_FALSE(asker_.IsOfHost(own));
    EXPECT_FALSE(asker_.IsOfHostLink(harness_.fabric().port(own).peer));
    EXPECT_TRUE(asker_.IsOfHost(host_));
    EXPECT_FALSE(asker_.IsOfHost(switch_port_));
    EXPECT_TRUE(asker_.IsOfHostLink(switch_port_));
}

TEST_F(TwoLanes, TrySwitchesLessOftenWhenHastened) {
    harness_.settings.transaction_retries = 5;
    harness_.exchange.Configure(harness_.settings);
    asker_.Hasten();
    AskPort(host_);
    AskPort(switch_port_);
    EXPECT_EQ(Silence().cookie.subject, Raw(switch_port_));
    asker_.BeginRound();
    AskPort(switch_port_);
    EXPECT_EQ(Silence().cookie.subject, Raw(host_)) << "the usual tries last longer";
}

TEST_F(TwoLanes, CountAPortThatNoPathLeadsTo) {
    Fabric& fabric = harness_.fabric();
    fabric.node(fabric.port(switch_port_).node).entry = kNoPortIndex;
    Ask ask{};
    EXPECT_FALSE(asker_.FindPath(host_, ask));
    EXPECT_EQ(of_asker_.end_ports_failed, 0U);
    EXPECT_FALSE(asker_.Prepare(host_, AttributeId::kPortInfo, ask));
    EXPECT_EQ(of_asker_.end_ports_failed, 1U);
    EXPECT_EQ(of_asker_.failed, 0U);
}

}  // namespace
}  // namespace ember
