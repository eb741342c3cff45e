// SPDX-License-Identifier: Apache-2.0
// EmberSM: the engine auto on a running subnet says what it takes the fabric for.
//
// Goal:   an operator reads in the journal what auto takes the fabric for, what it chose and why
//         nothing else; the lanes of the routing reach the switches.
// Method: a simulated ring, with lanes and without; a torus that loses a link.
#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class RecognisedFabric : public ::testing::Test {
protected:
    void Start(bool qos, bool lanes = true) {
        Settings settings = BriskSettings();
        settings.qos = qos;
        settings.routing_lanes = lanes;
        EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kAuto), Status::kOk);
        world_.AddManager(settings);
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilUp(60 * kSecond)) << world_.Notes();
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }

    SimWorld world_{net::Ring(8, 1)};
};

TEST_F(RecognisedFabric, IsToldOnceWithWhatWasChosen) {
    Start(true);
    EXPECT_EQ(world_.Heard(Note::kShapeTaken), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kShapeDoubted), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSchemeGivenUp), 0U) << world_.Notes();
    EXPECT_NE(world_.Notes().find("auto takes the fabric for: ring; it routes by: dimension order, "
                                  "on 2 VLs; 0 routes"),
              std::string::npos)
        << world_.Notes();
    EXPECT_NE(world_.Notes().find("no tree: links join switches of one level"), std::string::npos);
    EXPECT_EQ(world_.sm().router().programmed_lanes().count, 2);
    EXPECT_EQ(world_.Judge(), "");
}

TEST_F(RecognisedFabric, WithoutQosHasTheLanesThatItsRoutesNeed) {
    Start(false);
    EXPECT_EQ(world_.Heard(Note::kSchemeGivenUp), 0U) << world_.Notes();
    EXPECT_EQ(world_.sm().router().programmed_lanes().count, 2);
    EXPECT_EQ(world_.Judge(), "");
}

TEST_F(RecognisedFabric, WithoutLanesIsRoutedOnOneWhichIsTold) {
    Start(true, false);
    EXPECT_EQ(world_.Heard(Note::kSchemeGivenUp), 1U) << world_.Notes();
    EXPECT_NE(world_.Notes().find("a scheme with shorter paths was given up: its paths need "
                                  "several VLs, and by routing_lanes"),
              std::string::npos)
        << world_.Notes();
    EXPECT_TRUE(world_.sm().router().programmed_lanes().is_one_lane());
    EXPECT_EQ(world_.sm().router().verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(world_.Judge(), "");
}

TEST_F(RecognisedFabric, IsLookedAtWhereNoEngineIsListed) {
    Settings settings = BriskSettings();
    settings.order = Order::kBalanced;
    world_.AddManager(settings);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilUp(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.sm().router().verdict().engine, "auto");
    settings.order = Order::kOpensm;
    world_.sm().Configure(settings);
    world_.Wake();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.sm().router().verdict().engine, "minhop");
}

/// OpenSM's rule: the service levels of a routing are all that there is.
TEST_F(RecognisedFabric, TellsThatItsLanesStandInForThoseOfLevels) {
    const std::array<QosLevel, 2> levels{QosLevel{.sl = 0}, QosLevel{.sl = 3}};
    Settings settings = BriskSettings();
    settings.order = Order::kOpensm;
    settings.qos = true;
    settings.manager_tables.qos_levels = levels;
    EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kAuto), Status::kOk);
    world_.AddManager(settings);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLevelsOutOfForce), 1U) << world_.Notes();
    settings.manager_tables.qos_levels = {};
    world_.sm().Configure(settings);
    world_.Wake();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLevelsOutOfForce), 1U) << "no levels, nothing to tell";
}

/// Goal: the journal names stray cables, four of them, and counts the others. Method: six cables
/// between leaf switches of a tree of 16.
TEST(RecognisedTree, NamesStrayCables) {
    std::string error;
    net::Netlist netlist = net::TopologyByName("ft2:16", error);
    ASSERT_EQ(error, "");
    std::vector<std::uint32_t> leaves;
    for (const net::NetNode& node : netlist.nodes) {
        if (node.is_switch()) continue;
        if (leaves.empty() || leaves.back() != node.ports[1].peer) {
            leaves.push_back(node.ports[1].peer);
        }
    }
    ASSERT_EQ(leaves.size(), 16U);
    for (std::size_t i = 0; i < 6; ++i) {
        for (const std::uint32_t end : {leaves[i], leaves[i + 8]}) {
            netlist.nodes[end].ports.emplace_back();
        }
        netlist.ConnectAny(leaves[i], leaves[i + 8]);
    }
    SimWorld world{netlist};
    Settings settings = BriskSettings();
    EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kAuto), Status::kOk);
    world.AddManager(settings);
    world.Restart();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kOddCable), 4U) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kOddCables), 1U) << world.Notes();
    EXPECT_EQ(world.Judge(), "");
}

/// Goal: where no file names roots the journal says what was taken for them. Method: updn on a tree
/// of four spines.
TEST(RecognisedTree, IsToldWithTheRootsThatWereAssumed) {
    SimWorld world{net::FatTree2(8)};
    Settings settings = BriskSettings();
    EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
    world.AddManager(settings);
    world.Restart();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kRootsAssumed), 1U) << world.Notes();
    EXPECT_NE(world.Notes().find("updn takes 4 switches for roots, "), std::string::npos)
        << world.Notes();
    EXPECT_EQ(world.sm().router().verdict().choice.assumed_roots, 4U);
}

/// Goal: where end ports hang on several roots the journal says over what they are connected.
/// Method: updn under OpenSM's order on a tree of four spines, hosts on two of them.
TEST(RecognisedTree, IsToldWithTheSwitchOverWhichRootsAreBridged) {
    net::Netlist netlist = net::FatTree2(8);
    std::vector<Guid> roots;
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const auto& ports = netlist.nodes[i].ports;
        const bool is_root =
            netlist.nodes[i].is_switch() &&
            std::all_of(ports.begin(), ports.end(), [&](const net::NetPort& port) {
                return port.peer == net::kNoPeer || netlist.nodes[port.peer].is_switch();
            });
        if (is_root) roots.push_back(netlist.nodes[i].guid);
    }
    for (const std::size_t number : {0U, 1U}) {
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            if (netlist.nodes[i].guid != roots[number]) continue;
            netlist.nodes[i].ports.emplace_back();
            const std::string name = "storage" + std::to_string(number);
            const std::uint32_t host = netlist.Add(NodeType::kChannelAdapter, 1, name, name);
            netlist.Connect(i, netlist.nodes[i].port_count(), host, 1);
            break;
        }
    }
    netlist.AssignGuids();
    std::sort(roots.begin(), roots.end());
    SimWorld world{netlist};
    Settings settings = BriskSettings();
    settings.order = Order::kOpensm;
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
    world.AddManager(settings);
    world.Restart();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kRootsBridged), 1U) << world.Notes();
    EXPECT_EQ(world.sm().router().verdict().engine, "updn");
    EXPECT_EQ(world.Judge(), "");
}

/// Goal: a lost link changes the SL to VL maps of the ports at its ends at most, and VL arbitration
/// nowhere. Method: a link between two switches of a torus is cut.
TEST(RecognisedTorus, ALostLinkChangesNoMapsElsewhere) {
    SimWorld world{net::Torus(std::array{5U, 5U}, 1)};
    Settings settings = BriskSettings();
    settings.order = Order::kBalanced;
    settings.qos = true;
    world.AddManager(settings);
    world.Restart();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    ASSERT_EQ(world.sm().router().programmed_lanes().count, 2);
    const auto sets = [&](AttributeId id) { return world.sim().counters().Sets(id); };
    const std::uint64_t maps = sets(AttributeId::kSlToVlMappingTable);
    const std::uint64_t arbitrations = sets(AttributeId::kVlArbitrationTable);
    ASSERT_GT(maps, 500U);
    std::uint32_t cable = 0;
    while (!world.world().node_of(cable).is_switch() ||
           world.world().Beyond(cable) == sim::kNoRow ||
           !world.world().node_of(world.world().Beyond(cable)).is_switch()) {
        ++cable;
    }
    for (const auto action : {sim::FabricSim::Action::kCut, sim::FabricSim::Action::kJoin}) {
        world.sim().Do(action, cable);
        world.RunFor(kSecond);
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        EXPECT_EQ(world.sm().router().verdict().outcome, RoutingOutcome::kVerified);
        EXPECT_EQ(world.Judge(), "");
    }
    EXPECT_LE(sets(AttributeId::kSlToVlMappingTable) - maps, 4U * 7U);
    EXPECT_LE(sets(AttributeId::kVlArbitrationTable) - arbitrations, 4U * 4U);
}

}  // namespace
}  // namespace ember::testing
