// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is sent to ports, and what is made of their answers.
#include <bit>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/support/programming_harness.h"

namespace ember {
namespace {

using Fate = ProgrammingHarness::Fate;
using Question = ProgrammingHarness::Question;

/// A switch with hosts; the link of the first host is in INIT.
class Ports : public ::testing::Test {
protected:
    Ports() : harness_(net::SingleSwitch(4)) {
        harness_.PlanShortest([](std::size_t) { return std::size_t{0}; });
        ForEachEndPort(harness_.fabric(), [&](PortIndex at, const Port& port) {
            if (port.number == kManagementPort || host_ != kNoPortIndex) return;
            host_ = at;
            switch_port_ = port.peer;
        });
        harness_.port_info(host_).Set(PortInfo::kPortState, PortState::kInitialize);
        harness_.port_info(switch_port_).Set(PortInfo::kPortState, PortState::kInitialize);
        PlanToArm(host_);
        PlanToArm(switch_port_);
    }

    void PlanToArm(PortIndex at) {
        PortPlan& plan = harness_.planner.plans[at];
        plan.set = harness_.port_info(at);
        plan.set.Set(PortInfo::kPortState, PortState::kArmed);
        plan.set.Set(PortInfo::kMasterSmLid, Lid{1});
        plan.set.Set(PortInfo::kLid, Lid{5});
        plan.set.Set(PortInfo::kSubnetTimeOut, std::uint8_t{18});
        plan.changes = ManagedBit(PortInfo::kMasterSmLid) | ManagedBit(PortInfo::kLid) |
                       ManagedBit(PortInfo::kSubnetTimeOut);
        plan.differs = true;
    }
    void Begin() {
        harness_.Discover();
        harness_.programming.BeginRound(true);
    }
    [[nodiscard]] PortState StateOf(PortIndex at) {
        return harness_.port_info(at).Get(PortInfo::kPortState);
    }
    [[nodiscard]] const ProgrammingOutcome& outcome() const {
        return harness_.programming.outcome();
    }

    ProgrammingHarness harness_;
    PortIndex host_ = kNoPortIndex;
    PortIndex switch_port_ = kNoPortIndex;
};

TEST_F(Ports, ThatDifferAreSetOnceAndTheOthersLeftAlone) {
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(harness_.SetsOf(AttributeId::kPortInfo).size(), 2U);
    EXPECT_EQ(harness_.seen.size(), 2U);
    EXPECT_EQ(outcome().ports_set, 2U);
    EXPECT_GT(outcome().ports_right, 0U);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(StateOf(host_), PortState::kArmed);
    EXPECT_EQ(harness_.fabric().port(host_).info.Get(PortInfo::kPortState), PortState::kArmed);
    EXPECT_FALSE(harness_.fabric().port(host_).fresh);
    EXPECT_EQ(harness_.log.CountOf(Note::kPortArmed), 2U);
}

TEST_F(Ports, ThatWereNotTouchedAreNotLookedAtWhenToldSo) {
    harness_.Discover();
    harness_.fabric().port(switch_port_).touched = false;
    harness_.fabric().port(host_).touched = true;
    harness_.programming.BeginRound(false, true);
    harness_.Run(Programming::Stage::kPorts);
    const auto sets = harness_.SetsOf(AttributeId::kPortInfo);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(sets[0].port, host_);
    EXPECT_FALSE(harness_.fabric().port(host_).touched);
    harness_.programming.BeginRound(false);
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(harness_.SetsOf(AttributeId::kPortInfo).size(), 3U) << "a whole round looks at all";
}

TEST_F(Ports, AreMeantByNumberAndByTheBitOfExtendedSpeeds) {
    harness_.planner.plans[switch_port_].extended = true;
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    for (const Question& set : harness_.SetsOf(AttributeId::kPortInfo)) {
        const std::uint32_t number = Raw(harness_.fabric().port(set.port).number);
        EXPECT_EQ(set.modifier, number | (set.port == switch_port_ ? 0x80000000U : 0U));
    }
}

TEST_F(Ports, ThatAskTheirClientsToRegisterAndThatBounceAreTold) {
    harness_.planner.plans[host_].reregister = true;
    harness_.planner.plans[switch_port_].bounce = true;
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(harness_.log.CountOf(Note::kReregisterAsked), 1U);
    EXPECT_EQ(outcome().bounced, 1U);
}

TEST_F(Ports, AreFreshForANewMasterUntilASetIsTaken) {
    harness_.Discover();
    Port& host = harness_.fabric().port(host_);
    host.fresh = false;
    harness_.programming.BeginRound(false);
    EXPECT_FALSE(host.fresh);
    harness_.fate = [](const Question&) { return Fate::kRequestLost; };
    harness_.programming.BeginRound(true);
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_TRUE(host.fresh) << "its clients are asked in the next round";
    harness_.fate = [](const Question&) { return Fate::kTaken; };
    harness_.programming.BeginRound(false);
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_FALSE(host.fresh);
}

TEST_F(Ports, RememberTheFieldsThatTheyDoNotKeep) {
    harness_.keep = [&](PortIndex at, PortInfo& info) {
        if (at == host_) info.Set(PortInfo::kSubnetTimeOut, std::uint8_t{7});
    };
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(harness_.fabric().port(host_).unkept, ManagedBit(PortInfo::kSubnetTimeOut));
    EXPECT_EQ(harness_.fabric().port(switch_port_).unkept, 0U);
    EXPECT_EQ(outcome().failed, 0U);
    harness_.programming.ForgetUnkept();
    EXPECT_EQ(harness_.fabric().port(host_).unkept, 0U);
}

TEST_F(Ports, AreAlwaysSetWhatMakesThemOurs) {
    harness_.keep = [&](PortIndex at, PortInfo& info) {
        if (at != host_) return;
        info.Set(PortInfo::kMasterSmLid, Lid{77});
        info.Set(PortInfo::kLid, Lid{78});
    };
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(harness_.fabric().port(host_).unkept, 0U);
}

/// P_Key tables are written beside the Sets of ports, and let switch ports enforce.
TEST_F(Ports, AreNotBlamedForWhatIsPlannedWhileTheirSetIsUnderWay) {
    PortPlan& plan = harness_.planner.plans[switch_port_];
    harness_.keep = [&](PortIndex at, PortInfo&) {
        if (at != switch_port_) return;
        plan.set.Set(PortInfo::kPartitionEnforcement, std::uint8_t{3});
        plan.set.Set(PortInfo::kHoqLife, std::uint8_t{9});
        plan.changes |=
            ManagedBit(PortInfo::kPartitionEnforcement) | ManagedBit(PortInfo::kHoqLife);
    };
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    const Port& port = harness_.fabric().port(switch_port_);
    EXPECT_EQ(port.unkept, 0U);
    EXPECT_TRUE(port.touched) << "the next round sets what is planned now";
    EXPECT_FALSE(harness_.fabric().port(host_).touched);
}

TEST_F(Ports, AreSetAgainWhatTheyDoNotEnforce) {
    PortPlan& plan = harness_.planner.plans[switch_port_];
    plan.set.Set(PortInfo::kPartitionEnforcement, std::uint8_t{3});
    plan.changes |= ManagedBit(PortInfo::kPartitionEnforcement);
    harness_.keep = [&](PortIndex at, PortInfo& info) {
        if (at == switch_port_) info.Set(PortInfo::kPartitionEnforcement, std::uint8_t{0});
    };
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(harness_.fabric().port(switch_port_).unkept, 0U);
    EXPECT_TRUE(harness_.fabric().port(switch_port_).touched);
}

/// A Set of before was repeated after the P_Key table was written, and has ended enforcement.
TEST_F(Ports, ThatEnforceNoMoreAreSetBeforeOthersGoToActive) {
    harness_.port_info(switch_port_).Set(PortInfo::kPortState, PortState::kActive);
    harness_.planner.plans.clear();
    Begin();
    harness_.fabric().port(switch_port_).p_key_guard = PKeyGuard::kOn;
    PortPlan& plan = harness_.planner.plans[switch_port_];
    plan.set = harness_.port_info(switch_port_);
    plan.set.Set(PortInfo::kPortState, PortState::kNoChange);
    plan.set.Set(PortInfo::kPartitionEnforcement, std::uint8_t{3});
    plan.changes = ManagedBit(PortInfo::kPartitionEnforcement);
    plan.differs = true;
    harness_.Run(Programming::Stage::kActivation);
    EXPECT_EQ(harness_.SetsOf(AttributeId::kPortInfo).size(), 1U);
    EXPECT_EQ(harness_.port_info(switch_port_).Get(PortInfo::kPartitionEnforcement), 3U);
}

TEST_F(Ports, AreTriedOnceMoreAfterTenRounds) {
    Port& host = harness_.fabric().port(host_);
    host.unkept = ManagedBit(PortInfo::kSubnetTimeOut) | ManagedBit(PortInfo::kNeighborMtu);
    host.info.Set(PortInfo::kPortState, PortState::kActive);
    for (int round = 0; round < 9; ++round) {
        harness_.programming.BeginRound(false);
    }
    EXPECT_NE(host.unkept & ManagedBit(PortInfo::kSubnetTimeOut), 0U);
    harness_.programming.BeginRound(false);
    EXPECT_EQ(host.unkept, ManagedBit(PortInfo::kNeighborMtu)) << "which takes its link down";
    host.info.Set(PortInfo::kPortState, PortState::kInitialize);
    for (int round = 0; round < 10; ++round) {
        harness_.programming.BeginRound(false);
    }
    EXPECT_EQ(host.unkept, 0U);
}

TEST_F(Ports, ThatDoNotBecomeArmedAreFailures) {
    harness_.keep = [&](PortIndex at, PortInfo& info) {
        if (at == host_) info.Set(PortInfo::kPortState, PortState::kInitialize);
    };
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 1U);
    EXPECT_EQ(harness_.log.CountOf(Note::kPortStateFailed), 1U);
}

TEST_F(Ports, ThatRefuseOrAreSilentKeepWhatWasRead) {
    for (const Fate what : {Fate::kRefused, Fate::kRequestLost}) {
        harness_.fate = [&](const Question& question) {
            return question.port == host_ ? what : Fate::kTaken;
        };
        Begin();
        harness_.Run(Programming::Stage::kPorts);
        EXPECT_EQ(outcome().failed, 1U);
        const Port& port = harness_.fabric().port(host_);
        EXPECT_EQ(port.info.Get(PortInfo::kPortState), PortState::kInitialize);
        EXPECT_EQ(port.unkept, 0U);
    }
    EXPECT_EQ(harness_.log.CountOf(Note::kSetRefused), 1U);
    EXPECT_EQ(harness_.log.CountOf(Note::kSetUnanswered), 1U);
}

TEST_F(Ports, ToWhichNoWayIsKnownAreFailures) {
    harness_.fabric().node(harness_.fabric().port(switch_port_).node).entry = kNoPortIndex;
    harness_.fabric().SetOwnPort(host_);  // Whose node is not entered.
    Begin();
    harness_.Run(Programming::Stage::kPorts);
    EXPECT_EQ(outcome().failed, 1U);
    EXPECT_EQ(outcome().ports_set, 1U);
}

/// Both ends armed.
class Activation : public Ports {
protected:
    Activation() {
        Begin();
        harness_.Run(Programming::Stage::kPorts);
        harness_.seen.clear();
    }
};

TEST_F(Activation, MakesBothEndsActive) {
    harness_.Run(Programming::Stage::kActivation);
    EXPECT_EQ(outcome().activated, 2U);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(StateOf(host_), PortState::kActive);
    EXPECT_EQ(StateOf(switch_port_), PortState::kActive);
    EXPECT_EQ(harness_.log.CountOf(Note::kPortActivated), 2U);
    for (const Question& set : harness_.SetsOf(AttributeId::kPortInfo)) {
        EXPECT_EQ(std::bit_cast<PortInfo>(set.data).Get(PortInfo::kClientReregister), 0);
    }
}

/// The port of a host, whose clients can register again.
TEST_F(Activation, ThatComesLateAmongOthersAsksClientsToRegisterAgain) {
    const auto asks = [&] {
        for (const Question& set : harness_.SetsOf(AttributeId::kPortInfo)) {
            if (set.port != host_) continue;
            return std::bit_cast<PortInfo>(set.data).Get(PortInfo::kClientReregister) == 1;
        }
        return false;
    };
    struct Case {
        bool minds_others;
        std::uint64_t later_us;
        bool asks;
    };
    for (const Case& one :
         {Case{false, 2'000'000, false}, Case{true, 100'000, false}, Case{true, 500'000, true}}) {
        for (const PortIndex at : {host_, switch_port_}) {
            harness_.port_info(at).Set(PortInfo::kPortState, PortState::kInitialize);
        }
        harness_.planner.plans[host_].reregister = false;
        Begin();
        if (one.minds_others) harness_.programming.MindOthers(harness_.now_us);
        harness_.Run(Programming::Stage::kPorts);
        const std::uint32_t before = outcome().reregistered;
        harness_.planner.plans[host_].reregister = true;  // The host can register again.
        harness_.seen.clear();
        harness_.now_us += one.later_us;
        harness_.Run(Programming::Stage::kActivation);
        EXPECT_EQ(StateOf(host_), PortState::kActive);
        EXPECT_EQ(asks(), one.asks) << one.minds_others << ' ' << one.later_us;
        EXPECT_EQ(outcome().reregistered - before, one.asks ? 1U : 0U);
    }
}

TEST_F(Activation, AValueThatIsSetLateAmongOthersAsksClientsToRegisterAgain) {
    struct Case {
        bool minds_others;
        std::uint64_t later_us;
        bool asks;
    };
    for (const Case& one :
         {Case{false, 2'000'000, false}, Case{true, 100'000, false}, Case{true, 500'000, true}}) {
        harness_.planner.plans[host_].differs = false;
        harness_.planner.plans[host_].reregister = false;
        harness_.programming.BeginRound(false);
        if (one.minds_others) harness_.programming.MindOthers(harness_.now_us);
        harness_.Run(Programming::Stage::kPorts);
        harness_.planner.plans[host_].differs = true;
        harness_.planner.can_register_again.insert(host_);
        harness_.now_us += one.later_us;
        const std::uint32_t before = outcome().reregistered;
        harness_.Run(Programming::Stage::kPorts);
        EXPECT_EQ(outcome().reregistered - before, one.asks ? 1U : 0U)
            << one.minds_others << ' ' << one.later_us;
    }
}

TEST_F(Activation, LeavesALinkAloneWhosePeerWasNotArmed) {
    harness_.fabric().port(host_).info.Set(PortInfo::kPortState, PortState::kInitialize);
    harness_.Run(Programming::Stage::kActivation);
    EXPECT_TRUE(harness_.seen.empty());
}

TEST_F(Activation, AsksAPortThatRefusesBecauseItsPeerHasMadeItActive) {
    harness_.fate = [&](const Question& question) {
        if (question.port != host_ || question.method != Method::kSet) return Fate::kTaken;
        harness_.port_info(host_).Set(PortInfo::kPortState, PortState::kActive);
        return Fate::kRefused;
    };
    harness_.Run(Programming::Stage::kActivation);
    EXPECT_EQ(outcome().activated, 2U);
    EXPECT_EQ(outcome().failed, 0U);
    EXPECT_EQ(harness_.fabric().port(host_).info.Get(PortInfo::kPortState), PortState::kActive);
}

TEST_F(Activation, FailsWhereThePortIsNotActiveAfterAll) {
    harness_.fate = [&](const Question& question) {
        const bool is_it = question.port == host_ && question.method == Method::kSet;
        return is_it ? Fate::kRefused : Fate::kTaken;
    };
    harness_.Run(Programming::Stage::kActivation);
    EXPECT_EQ(outcome().activated, 1U);
    EXPECT_EQ(outcome().failed, 1U);
    EXPECT_EQ(harness_.log.CountOf(Note::kPortStateFailed), 1U);
}

TEST_F(Activation, FailsWhereNoPortAnswers) {
    harness_.fate = [&](const Question& question) {
        return question.port == host_ ? Fate::kAnswerLost : Fate::kTaken;
    };
    harness_.Run(Programming::Stage::kActivation);
    EXPECT_EQ(outcome().failed, 1U);
    EXPECT_EQ(harness_.log.CountOf(Note::kSetUnanswered), 1U);
}

}  // namespace
}  // namespace ember
