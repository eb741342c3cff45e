// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast and unicast together, where each by itself is free of credit loops.

#include "core/multicast/joint_proof.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/joint_run.h"

namespace ember {
namespace {

using testing::HasCycle;
using testing::JointRun;

Settings Balanced(bool qos) {
    Settings settings;
    settings.order = Order::kBalanced;
    settings.qos = qos;
    return settings;
}

/// A mesh of 4 x 4 switches with a host each, routed by dimension order on one lane.
class JointProofOnAMesh : public ::testing::Test {
protected:
    explicit JointProofOnAMesh(bool qos = true)
        : joint_(net::Mesh(std::array{4U, 4U}, 1), dor_, Balanced(qos)) {}

    std::vector<std::uint32_t> Hosts() const {
        std::vector<std::uint32_t> hosts;
        for (std::uint32_t i = 0; i < joint_.netlist().nodes.size(); ++i) {
            if (!joint_.netlist().nodes[i].is_switch()) hosts.push_back(i);
        }
        return hosts;
    }
    /// A bit for each MLID up to this one.
    BitSet Changed(MlidIndex mlid) {
        BitSet set(words_);
        set.Add(Raw(mlid));
        return set;
    }

    std::array<std::uint64_t, 1> words_{};
    Dor dor_;
    JointRun joint_;
};

TEST_F(JointProofOnAMesh, ATreeOfAllHostsIsFreeBesideAllUnicast) {
    joint_.AddGroup(Hosts());
    EXPECT_EQ(joint_.Prove().outcome, JointOutcome::kFree);
    EXPECT_TRUE(joint_.proof().verdict().is_beside_kept);
    EXPECT_FALSE(joint_.proof().verdict().has_management);
    EXPECT_EQ(joint_.Prove(true).outcome, JointOutcome::kFree);
    EXPECT_TRUE(joint_.proof().verdict().has_management);
    EXPECT_EQ(joint_.proof().verdict().trees, 1U);
    EXPECT_FALSE(HasCycle(joint_.Walk(true)));
}

/// Goal: neither routes nor any of the two trees close a credit loop, but all together do, and the
/// verdict names a tree and links that follow each other.
TEST_F(JointProofOnAMesh, TwoTreesCloseALoopWithUnicastAndItIsNamed) {
    ASSERT_FALSE(joint_.verdict().findings.anything_may_deadlock);
    const MlidIndex first = joint_.AddGroup(Hosts());
    ASSERT_EQ(joint_.Prove().outcome, JointOutcome::kFree);
    const MlidIndex second = joint_.AddGroup(Hosts());
    EXPECT_TRUE(HasCycle(joint_.Walk(false)));
    for (const bool is_whole : {false, true}) {
        const JointVerdict verdict = joint_.Prove(is_whole);
        ASSERT_EQ(verdict.outcome, JointOutcome::kEndPorts);
        EXPECT_TRUE(verdict.mlid == first || verdict.mlid == second);
        ASSERT_EQ(verdict.cycle.length, 4U);
        std::set<Guid> switches;
        for (std::size_t i = 0; i < 4; ++i) {
            const Channel& channel = verdict.cycle.channels[i];
            const Fabric& fabric = joint_.fabric();
            const NodeIndex at = fabric.FindNode(channel.switch_guid);
            const Port& port = fabric.port(fabric.PortOf(at, channel.port));
            const Guid next = fabric.node(fabric.port(port.peer).node).guid;
            EXPECT_EQ(next, verdict.cycle.channels[(i + 1) % 4].switch_guid);
            switches.insert(channel.switch_guid);
        }
        EXPECT_EQ(switches.size(), 4U);
    }
}

TEST_F(JointProofOnAMesh, TreesOnLanesOfTheirOwnCloseNone) {
    joint_.AddGroup(Hosts());
    joint_.AddGroup(Hosts(), 5);
    EXPECT_FALSE(HasCycle(joint_.Walk(true)));
    EXPECT_EQ(joint_.Prove().outcome, JointOutcome::kFree);
    EXPECT_EQ(joint_.Prove(true).outcome, JointOutcome::kFree);
    EXPECT_TRUE(joint_.proof().verdict().has_management);
}

/// The maps of switches are not known: all service levels may have one lane.
class JointProofWithoutQos : public JointProofOnAMesh {
protected:
    JointProofWithoutQos() : JointProofOnAMesh(false) {}
};

TEST_F(JointProofWithoutQos, ServiceLevelsSeparateNothing) {
    joint_.AddGroup(Hosts());
    joint_.AddGroup(Hosts(), 5);
    EXPECT_EQ(joint_.Prove().outcome, JointOutcome::kEndPorts);
}

/// Goal: what was found of everything stands while trees change that add no turn to unicast.
TEST_F(JointProofOnAMesh, ATreeOfTurnsThatUnicastTakesNeedsNoSearch) {
    joint_.AddGroup(Hosts());
    ASSERT_EQ(joint_.Prove(true).outcome, JointOutcome::kFree);
    const std::vector<std::uint32_t> hosts = Hosts();
    const BitSet one_link = Changed(joint_.AddGroup({hosts[0], hosts[1]}));
    EXPECT_EQ(joint_.Prove(false, &one_link).outcome, JointOutcome::kFree);
    EXPECT_TRUE(joint_.proof().verdict().has_management);
    EXPECT_EQ(joint_.proof().verdict().trees, 1U);  // As before: none was counted anew.
    const BitSet all = Changed(joint_.AddGroup(Hosts()));
    EXPECT_EQ(joint_.Prove(false, &all).outcome, JointOutcome::kEndPorts);
}

TEST_F(JointProofOnAMesh, WithoutRoomIsSaidToBeNotProved) {
    joint_.AddGroup(Hosts());
    Arena& scratch = joint_.run().scratch();
    const Arena::Frame frame(scratch);
    const std::size_t rest = scratch.size_bytes() - scratch.used_bytes();
    static_cast<void>(scratch.Take<std::byte>(rest - rest % Arena::kGrain - 4096));
    EXPECT_EQ(joint_.Prove().outcome, JointOutcome::kNoRoom);
    EXPECT_EQ(joint_.Prove(true).outcome, JointOutcome::kNoRoom);
}

/// Under routing by dimension order that is so whatever the switch.
TEST_F(JointProofOnAMesh, TreesOfUnicastPathsToOneSwitchCloseNone) {
    const MlidIndex first = joint_.AddGroup(Hosts());
    const MlidIndex second = joint_.AddGroup(Hosts());
    ASSERT_EQ(joint_.Prove().outcome, JointOutcome::kEndPorts);
    const Matrix<SwitchIndex, const std::uint8_t> lfts = joint_.run().lfts();
    Trees::Roots roots;
    std::set<SwitchIndex> tried;
    joint_.trees().FindRoot(second, roots);
    while (roots.root != kNoSwitch) {  // Each switch once.
        EXPECT_TRUE(tried.insert(roots.root).second);
        for (const MlidIndex mlid : {first, second}) {
            const TreeOutcome outcome = joint_.trees().PlanAlong(mlid, roots.root, lfts);
            EXPECT_FALSE(outcome.is_refused);
            EXPECT_EQ(outcome.members, 16U);
            EXPECT_EQ(outcome.lost, 0U);
        }
        EXPECT_EQ(joint_.Prove().outcome, JointOutcome::kFree);
        EXPECT_FALSE(HasCycle(joint_.Walk(false)));
        joint_.trees().FindRoot(second, roots);
    }
    EXPECT_EQ(tried.size(), 16U);
}

TEST_F(JointProofOnAMesh, BreadthFirstTreesReachAllAndAreJudgedLikewise) {
    const MlidIndex first = joint_.AddGroup(Hosts());
    const MlidIndex second = joint_.AddGroup({Hosts()[0], Hosts()[15]});
    for (std::uint32_t node = 0; node < joint_.netlist().nodes.size(); ++node) {
        if (!joint_.netlist().nodes[node].is_switch()) continue;
        const SwitchIndex root = joint_.run().built().switch_index(node);
        const TreeOutcome of_all = joint_.trees().PlanFrom(first, root);
        EXPECT_FALSE(of_all.is_refused);
        EXPECT_EQ(of_all.lost, 0U);
        static_cast<void>(joint_.trees().PlanFrom(second, root));
        for (std::size_t i = 0; i < joint_.tables().position_bound(); ++i) {
            // The host ports of the two are open in both.
            const unsigned all = joint_.tables().WantedMask(first, i);
            EXPECT_EQ(joint_.tables().WantedMask(second, i) & ~all, 0U);
        }
        EXPECT_EQ(joint_.Prove().outcome == JointOutcome::kFree, !HasCycle(joint_.Walk(false)));
    }
}

/// Shortest paths of a ring close a credit loop by themselves.
TEST(JointProofOnARing, UnicastThatMayDeadlockIsLeftToItsOwnVerdict) {
    MinHop min_hop;
    JointRun joint(net::Ring(6, 1), min_hop, Balanced(true));
    ASSERT_TRUE(joint.verdict().findings.end_ports_may_deadlock);
    EXPECT_EQ(joint.Prove().outcome, JointOutcome::kUnicast);
}

/// Two lanes of unicast, by service levels; a group on one of them, and one on another lane.
TEST(JointProofOnATorus, CountsEachLaneByItself) {
    Auto any;
    JointRun joint(net::Torus(std::array{5U, 5U}, 1), any, Balanced(true));
    ASSERT_EQ(joint.run().router().programmed_lanes().count, 2);
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t i = 0; i < joint.netlist().nodes.size(); ++i) {
        if (!joint.netlist().nodes[i].is_switch()) hosts.push_back(i);
    }
    for (const std::uint8_t sl : std::array<std::uint8_t, 3>{7, 0, 0}) {
        joint.AddGroup(hosts, sl);
        const bool is_closed = HasCycle(joint.Walk(false));
        EXPECT_EQ(joint.Prove(true).outcome == JointOutcome::kEndPorts, is_closed);
        if (sl == 7) {
            EXPECT_FALSE(is_closed);  // Alone on its lane.
        }
    }
}

}  // namespace
}  // namespace ember
