// SPDX-License-Identifier: Apache-2.0
// EmberSM: groups on a running subnet close no credit loop together with unicast.
//
// Goal:   a tree that would close one is replaced, and members hear each other all the same; where
//         it may not be, the journal names the group and the links.
// Method: simulated grids on which several groups of all hosts are joined.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/air.h"
#include "tests/support/routing_run.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kGroupHigh = 0xFF12A01C00000000ULL;

class JointMulticast : public ::testing::Test {
protected:
    void Begin(const net::Netlist& netlist, const Settings& settings) {
        world_ = std::make_unique<SimWorld>(netlist);
        world_->AddManager(settings);
        world_->Restart();
        ASSERT_TRUE(world_->RunUntilUp(60 * kSecond)) << world_->Notes();
        air_ = std::make_unique<Air>(*world_);
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            if (netlist.nodes[i].is_switch()) continue;
            const Fabric& fabric = world_->sm().fabric();
            const NodeIndex at = fabric.FindNode(netlist.nodes[i].guid);
            if (at != kNoNode) hosts_.push_back(fabric.PortsOf(at)[0].guid);
            rows_.insert(world_->sim().RowOf(i, 1));
        }
        ASSERT_TRUE(Settle());
    }
    static Settings Of(EngineKind engine, Order order) {
        Settings settings = BriskSettings();
        settings.order = order;
        settings.qos = true;
        EXPECT_EQ(settings.routing_engine.TryPush(engine), Status::kOk);
        return settings;
    }
    MulticastUpkeep& multicast() { return world_->sm().multicast(); }
    JointOutcome outcome() { return multicast().joint().outcome; }
    bool Settle() {
        return world_->RunUntil(
            [this] {
                return world_->sm().stage() == Stage::kResting && world_->sm().is_up() &&
                       multicast().status().is_settled;
            },
            60 * kSecond);
    }
    /// All hosts join a further group.
    void JoinAll(std::uint64_t number) {
        Groups& groups = multicast().groups();
        ASSERT_TRUE(groups.Create({kGroupHigh, number}, GroupValues{.p_key = 0xFFFF}, {}).ok());
        for (const Guid host : hosts_) {
            Member who;
            who.port_guid = host;
            who.join_state = join_state::kFull;
            ASSERT_TRUE(groups.Join(groups.Find({kGroupHigh, number}), who, world_->now_us()).ok());
        }
        world_->Wake();
        ASSERT_TRUE(Settle()) << world_->Notes();
    }
    void RunLeave(std::uint64_t number) {
        Groups& groups = multicast().groups();
        const GroupIndex at = groups.Find({kGroupHigh, number});
        for (const Guid host : hosts_) {
            const MemberIndex member = groups.FindMember(at, host);
            static_cast<void>(groups.Leave(member, join_state::kAll, world_->now_us()));
        }
        world_->Wake();
        ASSERT_TRUE(Settle()) << world_->Notes();
    }
    void ExpectHeardByAll(std::uint64_t number) {
        Groups& groups = multicast().groups();
        const auto mlid = Raw(groups.group(groups.Find({kGroupHigh, number})).mlid);
        for (const std::uint32_t row : rows_) {
            const std::uint32_t beyond = world_->world().Beyond(row);
            EXPECT_EQ(air_->Flood(world_->world().port(beyond).node, mlid), rows_);
        }
        EXPECT_FALSE(air_->circle());
    }

    std::unique_ptr<SimWorld> world_;
    std::unique_ptr<Air> air_;
    std::vector<Guid> hosts_;
    std::multiset<std::uint32_t> rows_;
};

TEST_F(JointMulticast, TreesOfAMeshAreReplacedUntilTheyCloseNoCreditLoop) {
    Begin(net::Mesh(std::array{4U, 4U}, 1), Of(EngineKind::kAuto, Order::kBalanced));
    for (std::uint64_t number = 1; number <= 8; ++number) {
        JoinAll(number);
        EXPECT_EQ(outcome(), JointOutcome::kFree) << number << world_->Notes();
    }
    EXPECT_GE(world_->Heard(Note::kTreeRerooted), 1U) << world_->Notes();
    EXPECT_GE(multicast().status().rerooted_trees, world_->Heard(Note::kTreeRerooted));
    EXPECT_EQ(world_->Heard(Note::kMulticastLoop), 0U) << world_->Notes();
    for (std::uint64_t number = 1; number <= 8; ++number) {
        ExpectHeardByAll(number);
    }
    // Once more with nothing kept: all trees at once.
    world_->sm().RequestSweep(SweepCue::kHeavyRequest);
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond));
    ASSERT_TRUE(Settle());
    EXPECT_EQ(outcome(), JointOutcome::kFree) << world_->Notes();
    EXPECT_TRUE(multicast().joint().has_management);
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(JointMulticast, UnderOpensmsOrderALoopIsToldWithItsLinksUntilItEnds) {
    Begin(net::Ring(8, 1), Of(EngineKind::kAuto, Order::kOpensm));
    JoinAll(1);
    EXPECT_EQ(outcome(), JointOutcome::kEndPorts) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kMulticastLoop), 1U) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kMulticastLoopMember), 8U) << world_->Notes();
    const Groups& groups = multicast().groups();
    EXPECT_EQ(multicast().joint().mlid, groups.group(groups.Find({kGroupHigh, 1})).mlid);
    ExpectHeardByAll(1);
    RunLeave(1);
    EXPECT_EQ(outcome(), JointOutcome::kFree);
    EXPECT_EQ(world_->Heard(Note::kMulticastLoopEnded), 1U) << world_->Notes();
}

TEST_F(JointMulticast, UnderOpensmsOrderTreesStay) {
    Begin(net::Torus(std::array{5U, 5U}, 1), Of(EngineKind::kAuto, Order::kOpensm));
    JoinAll(1);
    EXPECT_EQ(outcome(), JointOutcome::kEndPorts) << world_->Notes();
    EXPECT_EQ(multicast().status().rerooted_trees, 0U);
    EXPECT_EQ(world_->Heard(Note::kMulticastLoop), 1U) << world_->Notes();
    ExpectHeardByAll(1);
}

/// Goal: on a torus with lanes, a fat tree and a cube groups are free too.
TEST_F(JointMulticast, OtherFabricsAreFreeToo) {
    for (const auto& net :
         {net::FatTree3(4), net::Torus(std::array{5U, 5U}, 1), net::Torus(std::array{6U, 6U}, 1),
          net::Ring(5, 1), net::Ring(8, 1), net::Torus(std::array{4U, 4U, 4U}, 1),
          net::Torus(std::array{3U, 3U, 3U}, 1)}) {
        hosts_.clear();
        rows_.clear();
        air_.reset();
        Begin(net, Of(EngineKind::kAuto, Order::kBalanced));
        for (std::uint64_t number = 1; number <= 6; ++number) {
            JoinAll(number);
        }
        EXPECT_EQ(outcome(), JointOutcome::kFree) << net.nodes.size() << " nodes\n"
                                                  << world_->Notes();
        ExpectHeardByAll(6);
    }
}

/// Goal: a loop that takes traffic of switches' own LIDs too is told with its links. Method: a
/// fabric on which all hosts' packets alone close none, found by trying seeds.
TEST_F(JointMulticast, ALoopWithTrafficOfSwitchesIsTold) {
    Begin(WildNetlist({.seed = 34, .switches = 8, .extra_cables = 9, .hosts = 5}),
          Of(EngineKind::kAuto, Order::kOpensm));
    JoinAll(1);
    EXPECT_EQ(outcome(), JointOutcome::kManagement) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kMulticastManagementLoop), 1U) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kMulticastLoopMember), multicast().joint().cycle.length);
    EXPECT_EQ(world_->Heard(Note::kMulticastLoop), 0U);
}

}  // namespace
}  // namespace ember::testing
