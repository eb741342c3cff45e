// SPDX-License-Identifier: Apache-2.0
// EmberSM: hardware that is unusual, and hardware that is wrong.
//
// Goal:   enhanced port 0s, routers, CAs with several ports, loop-backs and LMCs are managed as the
//         IBA has it; nodes that stop answering, lie, or share a GUID hurt only themselves.
// Method: one oddity a test, on a fabric that is otherwise healthy.
#include <gtest/gtest.h>

#include "config/netlist/netlist.h"
#include "tests/support/checkers.h"
#include "tests/support/lies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class Lmc : public ::testing::TestWithParam<int> {};

TEST_P(Lmc, EveryLidOfAPortIsReached) {
    Settings settings = BriskSettings();
    settings.lmc = static_cast<std::uint8_t>(GetParam());
    SimWorld world(net::SingleSwitch(6));
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
    const PortInfo& info = world.world().port(world.sim().RowOf(2, 1)).info;
    EXPECT_EQ(info.Get(PortInfo::kLmc), GetParam());
    const PortInfo& base_port0 = world.world().port(world.sim().RowOf(6, 0)).info;
    EXPECT_EQ(base_port0.Get(PortInfo::kLmc), 0);
}

TEST_P(Lmc, HoldsOnAFabricWithSeveralWays) {
    Settings settings = BriskSettings();
    settings.lmc = static_cast<std::uint8_t>(GetParam());
    if (settings.lmc > 5) GTEST_SKIP() << "18 hosts of 2^LMC LIDs do not fit in 1023";
    SimWorld world(net::FatTree2(6));
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

INSTANTIATE_TEST_SUITE_P(AllValues, Lmc, ::testing::Range(0, 8));

TEST(OddHardware, EnhancedPort0IsTakenToActiveAndMayHaveAnLmc) {
    for (const bool with_lmc : {false, true}) {
        Settings settings = BriskSettings();
        settings.lmc = 2;
        settings.lmc_esp0 = with_lmc;
        SimWorld world(net::FatTree2(4), {.hardware = {.all_enhanced_port0 = true}});
        world.AddManager(settings);
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
        for (const sim::SimNode& node : world.world().nodes()) {
            if (!node.is_switch()) continue;
            const PortInfo& info = world.world().port(node.first_row).info;
            EXPECT_EQ(info.Get(PortInfo::kLmc), with_lmc ? 2 : 0);
        }
    }
}

TEST(OddHardware, TheManagerMayLiveOnASwitch) {
    for (const bool enhanced : {false, true}) {
        const net::Netlist net = net::FatTree2(4);
        SimWorld world(net, {.hardware = {.all_enhanced_port0 = enhanced}});
        world.AddManager(net.Find("S-0000000000200005"), 0, BriskSettings());
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
        EXPECT_EQ(world.sm().status().nodes, net.nodes.size());
    }
}

constexpr std::string_view kRouterNet = R"(
Switch  4 "S-a"
[1] "H-a"[1]
[2] "R-a"[1]
[3] "S-b"[3]
[4] "S-b"[4]

Switch  4 "S-b"
[1] "H-b"[2]
[2] "R-a"[2]
[3] "S-a"[3]
[4] "S-a"[4]

Hca 1 "H-a"
[1] "S-a"[1]

Hca 2 "H-b"
[2] "S-b"[1]

Rt 2 "R-a"
[1] "S-a"[2]
[2] "S-b"[2]
)";

TEST(OddHardware, RoutersAndHalfCabledCasAreManaged) {
    net::NetErrors errors;
    const net::Netlist net = net::ParseNetlist(kRouterNet, "router.net", errors);
    ASSERT_TRUE(errors.empty()) << errors.front();
    SimWorld world(net);
    world.AddManager(net.Find("H-a"), 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
    EXPECT_EQ(world.sm().status().nodes, 5U);
    EXPECT_EQ(world.sm().status().end_ports, 6U);  // H-b's port 1 has no cable.
}

TEST(OddHardware, ACableFromASwitchToItselfDoesNoHarm) {
    net::Netlist net;
    const std::uint32_t host = net.Add(NodeType::kChannelAdapter, 1, "H", "host");
    const std::uint32_t other = net.Add(NodeType::kChannelAdapter, 1, "G", "guest");
    const std::uint32_t hub = net.Add(NodeType::kSwitch, 8, "S", "switch");
    net.Connect(host, 1, hub, 1);
    net.Connect(other, 1, hub, 2);
    net.Connect(hub, 3, hub, 4);
    net.AssignGuids();
    SimWorld world(net);
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(OddHardware, TwoHostsBackToBackNeedNoSwitch) {
    net::Netlist net;
    net.Add(NodeType::kChannelAdapter, 1, "H", "host");
    net.Add(NodeType::kChannelAdapter, 1, "G", "guest");
    net.Connect(0, 1, 1, 1);
    net.AssignGuids();
    SimWorld world(net);
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(OddHardware, TablesThatHoldRubbishAfterPowerUpAreCleaned) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        SimWorld world(net::FatTree2(6));
        for (std::uint32_t i = 0; i < world.world().node_count(); ++i) {
            if (world.world().node(i).is_switch()) world.world().ScrambleLft(i, seed);
        }
        world.AddManager();
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
}

TEST(OddHardware, SwitchesWithSmallTablesLimitTheLids) {
    SimWorld world(net::FatTree2(4), {.hardware = {.linear_fdb_cap = 64}});
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(OddHardware, TwoHostsWithOneGuidAreReportedAndTheOthersWork) {
    net::Netlist net = net::FatTree2(4);
    net.nodes[2].guid = net.nodes[5].guid;
    SimWorld world(net);
    world.AddManager();
    world.RunFor(20 * kSecond);
    EXPECT_GE(world.Heard(Note::kDuplicateGuid), 1U) << world.Notes();
    // Every port that has a unique GUID is served.
    const sim::World& hardware = world.world();
    for (std::uint32_t i = 0; i < hardware.node_count(); ++i) {
        if (i == 2 || i == 5) continue;
        const sim::SimNode& node = hardware.node(i);
        const std::uint32_t row = node.first_row + (node.is_switch() ? 0U : 1U);
        EXPECT_NE(hardware.port(row).info.Get(PortInfo::kLid), kNoLid) << "node " << i;
    }
}

TEST(OddHardware, TwoSwitchesWithOneGuidDoNotBringTheManagerDown) {
    net::Netlist net = net::FatTree2(4);
    const std::size_t first = net.nodes.size() - net.switch_count();
    net.nodes[first + 1].guid = net.nodes[first + 4].guid;
    SimWorld world(net);
    world.AddManager();
    world.RunFor(20 * kSecond);
    EXPECT_GE(world.Heard(Note::kDuplicateGuid), 1U) << world.Notes();
}

TEST(OddHardware, AHostThatTakesTheGuidOfASwitchCostsNobodyElseHisPlace) {
    const net::Netlist net = net::FatTree2(4);
    const std::size_t leaf = net.nodes.size() - net.switch_count();
    for (std::size_t victim = leaf; victim < net.nodes.size(); ++victim) {
        SCOPED_TRACE("switch " + std::to_string(victim - leaf));
        net::Netlist forged = net;
        forged.nodes[5].guid = net.nodes[victim].guid;
        SimWorld world(forged);
        world.AddManager(0, 1, BriskSettings());
        world.RunFor(20 * kSecond);
        EXPECT_GE(world.Heard(Note::kDuplicateGuid), 1U) << world.Notes();
        // The node that answers first has the GUID. Neither may both lose it, nor may it change
        // hands.
        const std::size_t nodes = world.sm().fabric().node_count();
        EXPECT_GE(nodes, net.nodes.size() - 1) << world.Notes();
        world.RunFor(5 * kSecond);
        EXPECT_TRUE(world.sm().is_up()) << world.Notes();
    }
}

TEST(OddHardware, TwoHostsWithOnePortGuidDoNotKeepTheManagerSweeping) {
    net::Netlist net = net::FatTree2(4);
    net.nodes[2].ports[1].guid = Guid{0xABCD};
    net.nodes[5].ports[1].guid = Guid{0xABCD};
    SimWorld world(net);
    world.AddManager(0, 1, BriskSettings());
    world.RunFor(20 * kSecond);
    EXPECT_TRUE(world.sm().is_up()) << world.Notes();
    EXPECT_GE(world.Heard(Note::kDuplicateGuid), 1U) << world.Notes();
    EXPECT_LE(world.sm().progress().heavy_sweeps, 20U + 5U) << "one for each turn of the timer";
}

TEST(OddHardware, ASwitchWithTheGuidOfOurOwnNodeIsLeftAlone) {
    net::Netlist net = net::FatTree2(4);
    net.nodes.back().guid = net.nodes[0].guid;
    SimWorld world(net);
    world.AddManager(0, 1, BriskSettings());
    EXPECT_TRUE(world.RunUntil([&] { return world.sm().is_up(); }, 20 * kSecond)) << world.Notes();
}

TEST(OddHardware, NodesThatFallSilentAtAnyMomentAreLeftOut) {
    for (std::uint64_t mads = 0; mads < 24; ++mads) {
        SCOPED_TRACE("silent after " + std::to_string(mads) + " requests");
        SimWorld world(net::FatTree2(4));
        Settings settings = BriskSettings();
        settings.transaction_timeout = 20;
        world.AddManager(settings);
        world.sim().Silence(3, mads);  // A host.
        const auto hosts =
            static_cast<std::uint32_t>(world.world().node_count() - world.world().switch_count());
        world.sim().Silence(hosts + 5, mads);  // A spine.
        world.RunFor(20 * kSecond);
        world.sim().EndSilence(3);
        world.sim().EndSilence(hosts + 5);
        world.sm().RequestSweep(SweepCue::kHeavyRequest);
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
}

class Liars : public ::testing::TestWithParam<int> {};

TEST_P(Liars, HurtNobodyButThemselves) {
    const auto lie = static_cast<Lie>(GetParam());
    for (const bool a_switch : {false, true}) {
        SCOPED_TRACE(a_switch ? "a spine lies" : "a host lies");
        SimWorld world(net::FatTree2(4));
        const auto hosts =
            static_cast<std::uint32_t>(world.world().node_count() - world.world().switch_count());
        const std::uint32_t liar = a_switch ? hosts + 5 : 3;
        Settings settings = BriskSettings();
        settings.transaction_timeout = 20;
        world.AddManager(settings);
        Lies lies;
        lies.Tell(liar, lie);
        world.sim().SetLiar(&lies);
        world.RunFor(20 * kSecond);
        for (std::uint32_t i = 0; i < hosts; ++i) {
            if (i == liar) continue;
            const PortInfo& info = world.world().port(world.sim().RowOf(i, 1)).info;
            EXPECT_NE(info.Get(PortInfo::kLid), kNoLid) << "host " << i << '\n' << world.Notes();
        }
        world.sim().SetLiar(nullptr);
        world.sm().RequestSweep(SweepCue::kHeavyRequest);
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
}

INSTANTIATE_TEST_SUITE_P(AllLies, Liars, ::testing::Range(1, static_cast<int>(Lie::kCount)));

}  // namespace
}  // namespace ember::testing
