// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what happens on a simulated fabric: links, reboots, silence and traps.
#include <gtest/gtest.h>

#include "tests/platform/sim/fabric_sim_fixture.h"

namespace ember::sim::fabric_sim {
namespace {

TEST(Links, LoseWhatIsOnTheirWayWhenTheyGoDown) {
    FabricSim::Options options;
    options.timing.hop_ns = 1'000'000;
    FabricSim sim(Line(), options);
    Attachment& port = sim.Attach(0, 1);
    sim.DoAt(1'500, FabricSim::Action::kCut, sim.RowOf(2, 2));
    Probe ask(sim, port);
    EXPECT_FALSE(ask.Get({1, 2, 1}, AttributeId::kNodeInfo).came);
    EXPECT_TRUE(ask.Get({1}, AttributeId::kNodeInfo).came);
    sim.Do(FabricSim::Action::kJoin, sim.RowOf(2, 2));
    sim.AdvanceToNextEvent(sim.clock().NowUs() + 100'000);
    EXPECT_TRUE(ask.Get({1, 2, 1}, AttributeId::kNodeInfo).came);
}

TEST(Nodes, ForgetEverythingWhenTheyReboot) {
    FabricSim sim(Line());
    Attachment& port = sim.Attach(0, 1);
    Probe ask(sim, port);
    SetLid(sim, 3, 0, 7);
    SetRoute(sim, 3, 1, 2);
    sim.Reboot(3, 10'000);
    EXPECT_FALSE(ask.Get({1, 2}, AttributeId::kNodeInfo).came);
    sim.AdvanceToNextEvent(sim.clock().NowUs() + 200'000);
    const Reply reply = ask.Get({1, 2}, AttributeId::kPortInfo, 0);
    ASSERT_TRUE(reply.came);
    EXPECT_EQ(reply.As<PortInfo>().Get(PortInfo::kLid), kNoLid);
    EXPECT_EQ(sim.world().LftEntry(3, 1), 255);
    const auto info = ask.Get({1, 2}, AttributeId::kSwitchInfo).As<SwitchInfo>();
    EXPECT_EQ(info.Get(SwitchInfo::kLinearFdbTop), kNoLid);
}

TEST(Nodes, FallSilentAfterAsManyAnswersAsTold) {
    FabricSim sim(Line());
    Probe ask(sim, sim.Attach(0, 1));
    sim.Silence(3, 2);
    EXPECT_TRUE(ask.Get({1, 2}, AttributeId::kNodeInfo).came);
    EXPECT_TRUE(ask.Get({1, 2}, AttributeId::kNodeInfo).came);
    EXPECT_FALSE(ask.Get({1, 2}, AttributeId::kNodeInfo).came);
    EXPECT_TRUE(ask.Get({1, 2, 1}, AttributeId::kNodeInfo).came) << "it still forwards";
    sim.EndSilence(3);
    EXPECT_TRUE(ask.Get({1, 2}, AttributeId::kNodeInfo).came);
}

/// The subnet manager sits on h0 and knows LIDs; s3 loses the cable to h1.
class Traps : public ::testing::Test {
protected:
    Traps() : sim_(Line()), port_(sim_.Attach(0, 1)) {
        SetLid(sim_, 0, 1, 1);
        SetLid(sim_, 3, 0, 7);
        SetRoute(sim_, 3, 1, 2);
        SetRoute(sim_, 2, 1, 1);
        SetRoute(sim_, 2, 7, 2);
        SetRoute(sim_, 3, 7, 0);
    }
    bool Hear(Envelope& trap, std::uint64_t within_us) {
        if (!sim_.AdvanceToNextEvent(sim_.clock().NowUs() + within_us)) return false;
        return port_.Receive(trap) == Status::kOk;
    }

    FabricSim sim_;
    Attachment& port_;
};

TEST_F(Traps, AreSentAgainUntilTheyAreRepressed) {
    sim_.Do(FabricSim::Action::kCut, sim_.RowOf(1, 1));
    Envelope trap;
    ASSERT_TRUE(Hear(trap, 1'000));
    EXPECT_EQ(trap.mad.header.method, Method::kTrap);
    EXPECT_EQ(trap.peer, Lid{7});
    const auto notice = std::bit_cast<LinkStateNotice>(DataOf(trap.mad));
    EXPECT_EQ(notice.Get(Notice::kTrapNumber), TrapNumber::kLinkStateChange);
    EXPECT_EQ(notice.Get(LinkStateNotice::kLidAddr), Lid{7});
    ASSERT_TRUE(Hear(trap, 1'100'000)) << "again";
    trap.mad.header.method = Method::kTrapRepress;
    EXPECT_EQ(port_.Send(trap), Status::kOk);
    EXPECT_FALSE(Hear(trap, 5'000'000));
    EXPECT_EQ(sim_.counters().traps, 2U);
}

TEST_F(Traps, ARepressOfAManagersOwnTrapComesToTheManager) {
    Attachment& other = sim_.Attach(3, 0);
    SetRoute(sim_, 2, 7, 2);
    Envelope repress;
    repress.peer = Lid{7};
    repress.p_key_index = 3;
    repress.mad.header.mgmt_class = MgmtClass::kSubnLid;
    repress.mad.header.method = Method::kTrapRepress;
    repress.mad.header.transaction_id = TransactionId{0xABCDE};
    ASSERT_EQ(port_.Send(repress), Status::kOk);
    ASSERT_TRUE(sim_.AdvanceToNextEvent(sim_.clock().NowUs() + 1'000));
    Envelope heard;
    ASSERT_EQ(other.Receive(heard), Status::kOk);
    EXPECT_EQ(heard.peer, Lid{1});
    EXPECT_EQ(TransactionId{heard.mad.header.transaction_id}, TransactionId{0xABCDE});
    EXPECT_EQ(heard.p_key_index, 3);
}

TEST_F(Traps, AreNotSentWithoutALid) {
    SetLid(sim_, 3, 0, 0);
    sim_.Do(FabricSim::Action::kCut, sim_.RowOf(1, 1));
    Envelope trap;
    EXPECT_FALSE(Hear(trap, 5'000'000));
    EXPECT_EQ(sim_.counters().traps, 0U);
}

TEST_F(Traps, TellOfANewDescription) {
    SetLid(sim_, 1, 1, 2);
    sim_.Rename(1, "another name");
    Envelope trap;
    ASSERT_TRUE(Hear(trap, 1'000));
    const auto notice = std::bit_cast<LocalChangesNotice>(DataOf(trap.mad));
    EXPECT_EQ(notice.Get(Notice::kTrapNumber), TrapNumber::kLocalChanges);
    EXPECT_EQ(notice.Get(LocalChangesNotice::kNodeDescriptionChange), 1);
}

}  // namespace
}  // namespace ember::sim::fabric_sim
