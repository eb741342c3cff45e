// SPDX-License-Identifier: Apache-2.0
// EmberSM: how datagrams travel through a simulated fabric, and what goes wrong on the way.
#include "platform/sim/fabric_sim.h"

#include <cstring>
#include <gtest/gtest.h>

#include "tests/platform/sim/fabric_sim_fixture.h"

namespace ember::sim::fabric_sim {
namespace {

TEST(DirectedRoute, WritesTheWayBackAndCountsTheHopsAsTheIbaHasIt) {
    FabricSim sim(Line());
    Probe ask(sim, sim.Attach(0, 1));
    const Reply reply = ask.Get({1, 2, 1}, AttributeId::kNodeInfo);
    ASSERT_TRUE(reply.came);
    const auto smp = std::bit_cast<DirectedSmp>(reply.mad);
    EXPECT_EQ(smp.header.hop_pointer, 0);
    EXPECT_EQ(smp.header.hop_count, 3);
    EXPECT_NE(smp.header.status & kDirectionBit, 0);
    EXPECT_EQ(smp.header.method, Method::kGetResp);
    EXPECT_EQ(smp.return_path[1], 1);
    EXPECT_EQ(smp.return_path[2], 2);
    EXPECT_EQ(smp.return_path[3], 1);
}

TEST(DirectedRoute, EndsWhereThereIsNoWay) {
    FabricSim sim(Line());
    Probe ask(sim, sim.Attach(0, 1));
    EXPECT_TRUE(ask.Get({}, AttributeId::kNodeInfo).came);
    EXPECT_FALSE(ask.Get({2}, AttributeId::kNodeInfo).came) << "a CA has no other port";
    EXPECT_FALSE(ask.Get({1, 3}, AttributeId::kNodeInfo).came) << "no cable";
    EXPECT_FALSE(ask.Get({1, 9}, AttributeId::kNodeInfo).came) << "no such port";
    EXPECT_FALSE(ask.Get({1, 0}, AttributeId::kNodeInfo).came) << "port 0 leads nowhere";
    EXPECT_FALSE(ask.Get({1, 2, 1, 1}, AttributeId::kNodeInfo).came) << "CAs pass nothing on";
    EXPECT_TRUE(ask.Get({1, 1}, AttributeId::kNodeInfo).came) << "back home by the switch";
    EXPECT_EQ(sim.counters().undeliverable, 5U);
}

TEST(DirectedRoute, MayGoAllOfSixtyThreeHops) {
    FabricSim sim(Line());
    Attachment& port = sim.Attach(0, 1);
    Probe ask(sim, port);
    DirectedSmp smp{};
    smp.header.base_version = kBaseVersion;
    smp.header.mgmt_class = MgmtClass::kSubnDirected;
    smp.header.class_version = kSubnClassVersion;
    smp.header.method = Method::kGet;
    smp.header.attribute_id = AttributeId::kNodeInfo;
    smp.dr_slid = kPermissiveLid;
    smp.dr_dlid = kPermissiveLid;
    smp.header.hop_count = 63;
    smp.initial_path.fill(2);  // To and fro over the cable between the switches.
    smp.initial_path[1] = 1;
    EXPECT_TRUE(ask.Exchange(std::bit_cast<Mad>(smp), kPermissiveLid).came);
    smp.header.hop_count = 64;
    EXPECT_FALSE(ask.Exchange(std::bit_cast<Mad>(smp), kPermissiveLid).came);
    smp.header.hop_count = 3;
    smp.header.hop_pointer = 1;
    EXPECT_FALSE(ask.Exchange(std::bit_cast<Mad>(smp), kPermissiveLid).came);
}

TEST(DirectedRoute, MayBeginAtASwitch) {
    FabricSim sim(Line());
    Probe ask(sim, sim.Attach(2, 0));
    const auto own = ask.Get({}, AttributeId::kNodeInfo).As<NodeInfo>();
    EXPECT_EQ(own.Get(NodeInfo::kLocalPortNum), PortNumber{0});
    EXPECT_TRUE(ask.Get({2, 1}, AttributeId::kNodeInfo).came);
    EXPECT_TRUE(ask.Get({1}, AttributeId::kNodeInfo).came);
}

TEST(LidRoute, FollowsTheTablesOfTheSwitches) {
    FabricSim sim(Line());
    Probe ask(sim, sim.Attach(0, 1));
    SetLid(sim, 0, 1, 1);
    SetLid(sim, 1, 1, 2);
    const auto get = [&] { return ask.AskByLid(Lid{2}, Method::kGet, AttributeId::kNodeInfo, 0); };
    EXPECT_FALSE(get().came);
    SetRoute(sim, 2, 2, 2);
    SetRoute(sim, 3, 2, 1);
    EXPECT_FALSE(get().came) << "nothing leads back to LID 1";
    SetRoute(sim, 2, 1, 1);
    SetRoute(sim, 3, 1, 2);
    ASSERT_TRUE(get().came);
    EXPECT_EQ(get().As<NodeInfo>().Get(NodeInfo::kNodeGuid), sim.world().node(1).guid);
    sim.world().node(3).switch_info.Set(SwitchInfo::kLinearFdbTop, Lid{1});
    EXPECT_FALSE(get().came) << "beyond LinearFDBTop";
}

TEST(LidRoute, CountsALoopAndGoesOn) {
    FabricSim sim(Line());
    Probe ask(sim, sim.Attach(0, 1));
    SetLid(sim, 0, 1, 1);
    SetRoute(sim, 2, 9, 2);
    SetRoute(sim, 3, 9, 2);
    EXPECT_FALSE(ask.AskByLid(Lid{9}, Method::kGet, AttributeId::kNodeInfo, 0).came);
    EXPECT_EQ(sim.counters().looped, 1U);
}

TEST(LidRoute, CarriesDataOnlyOverActivePorts) {
    FabricSim sim(Line());
    Attachment& here = sim.Attach(0, 1);
    Attachment& there = sim.Attach(1, 1);
    SetLid(sim, 0, 1, 1);
    SetLid(sim, 1, 1, 2);
    SetRoute(sim, 2, 2, 2);
    SetRoute(sim, 3, 2, 1);
    Envelope query;
    query.peer = Lid{2};
    query.queue_pair = 1;
    query.mad.header.mgmt_class = MgmtClass::kSubnAdm;
    EXPECT_EQ(here.Send(query), Status::kOk);
    EXPECT_FALSE(sim.AdvanceToNextEvent(1'000));
    for (const auto& [node, port] : {std::pair{0U, 1U}, {2U, 2U}, {3U, 1U}}) {
        sim.world().port(sim.RowOf(node, port)).info.Set(PortInfo::kPortState, PortState::kActive);
    }
    EXPECT_EQ(here.Send(query), Status::kOk);
    ASSERT_TRUE(sim.AdvanceToNextEvent(2'000));
    EXPECT_EQ(there.Receive(query), Status::kOk);
    EXPECT_EQ(query.peer, Lid{1});
    EXPECT_EQ(query.queue_pair, 1);
}

TEST(LidRoute, ChangesQuestionsAndDropsAnswersAndReports) {
    FabricSim::Options options;
    options.faults.corruption = 100 * kPercent;
    FabricSim sim(Line(), options);
    Attachment& here = sim.Attach(0, 1);
    Attachment& there = sim.Attach(1, 1);
    SetLid(sim, 0, 1, 1);
    SetLid(sim, 1, 1, 2);
    SetRoute(sim, 2, 2, 2);
    SetRoute(sim, 3, 2, 1);
    for (const auto& [node, port] : {std::pair{0U, 1U}, {2U, 2U}, {3U, 1U}}) {
        sim.world().port(sim.RowOf(node, port)).info.Set(PortInfo::kPortState, PortState::kActive);
    }
    const auto arrive = [&](Method method) {
        int count = 0;
        for (int i = 0; i < 100; ++i) {
            Envelope sent;
            sent.peer = Lid{2};
            sent.queue_pair = 1;
            sent.mad.header.mgmt_class = MgmtClass::kSubnAdm;
            sent.mad.header.method = method;
            EXPECT_EQ(here.Send(sent), Status::kOk);
            Envelope got;
            while (sim.AdvanceToNextEvent(sim.clock().NowUs() + 1000)) {
                EXPECT_EQ(there.Receive(got), Status::kOk);
                EXPECT_NE(std::memcmp(&got.mad, &sent.mad, sizeof(Mad)), 0);
                ++count;
            }
        }
        return count;
    };
    EXPECT_GT(arrive(Method::kSet), 50);
    EXPECT_GT(arrive(Method::kReportResp), 50);
    EXPECT_EQ(arrive(Method::kGetResp), 0) << "a client would believe it";
    EXPECT_EQ(arrive(Method::kReport), 0) << "a client would believe it";
}

TEST(Managers, TalkToEachOtherBySmInfo) {
    FabricSim sim(Line());
    Attachment& here = sim.Attach(0, 1);
    Attachment& there = sim.Attach(1, 1);
    DirectedSmp smp{};
    smp.header.base_version = kBaseVersion;
    smp.header.mgmt_class = MgmtClass::kSubnDirected;
    smp.header.class_version = kSubnClassVersion;
    smp.header.method = Method::kGet;
    smp.header.attribute_id = AttributeId::kSmInfo;
    smp.header.hop_count = 3;
    smp.dr_slid = kPermissiveLid;
    smp.dr_dlid = kPermissiveLid;
    smp.initial_path = {0, 1, 2, 1};
    Envelope envelope;
    envelope.mad = std::bit_cast<Mad>(smp);
    EXPECT_EQ(here.Send(envelope), Status::kOk);
    ASSERT_TRUE(sim.AdvanceToNextEvent(1'000));
    ASSERT_EQ(there.Receive(envelope), Status::kOk);
    EXPECT_EQ(envelope.mad.header.hop_pointer, 4);
    envelope.mad.header.method = Method::kGetResp;
    envelope.mad.header.status = kDirectionBit;
    EXPECT_EQ(there.Send(envelope), Status::kOk);
    ASSERT_TRUE(sim.AdvanceToNextEvent(2'000));
    EXPECT_EQ(here.Receive(envelope), Status::kOk);
    EXPECT_EQ(sim.counters().Gets(AttributeId::kSmInfo), 1U);
}

TEST(Time, IsAsLongAsTheWayAndTheAgentsWork) {
    FabricSim::Options options;
    options.timing = {.hop_ns = 1'000'000, .agent_ns = 3'000'000};
    FabricSim sim(Line(), options);
    Attachment& port = sim.Attach(0, 1);
    Probe ask(sim, port);
    EXPECT_TRUE(ask.Get({1, 2, 1}, AttributeId::kNodeInfo).came);
    EXPECT_EQ(sim.clock().NowUs(), 2U * 3 * 1000 + 3000);
}

TEST(Time, StandsStillInInstantMode) {
    FabricSim::Options options;
    options.timing.instant = true;
    FabricSim sim(Line(), options);
    Attachment& port = sim.Attach(0, 1);
    Probe ask(sim, port);
    EXPECT_TRUE(ask.Get({1, 2, 1}, AttributeId::kNodeInfo).came);
    EXPECT_EQ(sim.clock().NowUs(), 0U);
}

TEST(Time, AnAgentServesOneRequestAfterTheOther) {
    FabricSim::Options options;
    options.timing = {.hop_ns = 0, .agent_ns = 1'000'000, .agent_backlog = 2};
    FabricSim sim(Line(), options);
    Attachment& port = sim.Attach(0, 1);
    DirectedSmp smp{};
    smp.header.base_version = kBaseVersion;
    smp.header.mgmt_class = MgmtClass::kSubnDirected;
    smp.header.class_version = kSubnClassVersion;
    smp.header.method = Method::kGet;
    smp.header.attribute_id = AttributeId::kNodeInfo;
    smp.header.hop_count = 1;
    smp.dr_slid = kPermissiveLid;
    smp.dr_dlid = kPermissiveLid;
    smp.initial_path[1] = 1;
    Envelope envelope;
    envelope.mad = std::bit_cast<Mad>(smp);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(port.Send(envelope), Status::kOk);
    }
    int answers = 0;
    while (sim.AdvanceToNextEvent(100'000)) {
        ++answers;
        EXPECT_EQ(port.Receive(envelope), Status::kOk);
        EXPECT_EQ(sim.clock().NowUs(), static_cast<std::uint64_t>(answers) * 1000);
    }
    EXPECT_EQ(answers, 3) << "one at work, two waiting; VL15 drops the rest";
    EXPECT_EQ(sim.counters().overrun, 7U);
}

class Broken : public ::testing::Test {
protected:
    /// How many of 2,000 questions are answered, and how often.
    std::size_t AnswersTo(const Faults& faults) {
        FabricSim::Options options;
        options.faults = faults;
        FabricSim sim(Line(), options);
        Attachment& port = sim.Attach(0, 1);
        Probe ask(sim, port);
        std::size_t answers = 0;
        for (int i = 0; i < 2000; ++i) {
            if (ask.Get({1, 2, 1}, AttributeId::kNodeInfo).came) ++answers;
            Envelope more;
            while (sim.AdvanceToNextEvent(sim.clock().NowUs() + 1000)) {
                EXPECT_EQ(port.Receive(more), Status::kOk);
                ++answers;
            }
        }
        counters_ = sim.counters();
        trace_ = sim.trace();
        return answers;
    }

    Counters counters_;
    std::uint64_t trace_ = 0;
};

TEST_F(Broken, LosesAsManyDatagramsAsItWasTold) {
    const std::size_t answers = AnswersTo({.loss = 10 * kPercent});
    EXPECT_NEAR(static_cast<double>(answers), 2000 * 0.9 * 0.9, 80);
    EXPECT_EQ(answers + counters_.lost, 2000U);
}

TEST_F(Broken, DoublesAsManyDatagramsAsItWasTold) {
    const std::size_t answers = AnswersTo({.duplication = 10 * kPercent});
    EXPECT_NEAR(static_cast<double>(answers), 2000 * 1.1 * 1.1, 100);
}

TEST_F(Broken, ChangesAnswersAndDropsChangedRequests) {
    const std::size_t answers = AnswersTo({.corruption = 10 * kPercent});
    EXPECT_LT(answers, 1900U);
    EXPECT_NEAR(static_cast<double>(counters_.corrupted), 2000 * 0.19, 80);
}

TEST_F(Broken, IsAFunctionOfTheSeed) {
    const Faults faults{.seed = 3,
                        .loss = 5 * kPercent,
                        .duplication = 5 * kPercent,
                        .corruption = 5 * kPercent,
                        .jitter_ns = 50'000};
    AnswersTo(faults);
    const std::uint64_t first = trace_;
    AnswersTo(faults);
    EXPECT_EQ(trace_, first);
    Faults other = faults;
    other.seed = 4;
    AnswersTo(other);
    EXPECT_NE(trace_, first);
}

}  // namespace
}  // namespace ember::sim::fabric_sim
