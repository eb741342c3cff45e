// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the shares that exits have in the tables.

#include "core/discovery/port_quotas.h"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>

#include "tests/core/discovery/quotas_fixture.h"

namespace ember {
namespace {

using Verdict = PortQuotas::Verdict;

/// The board is more than an eighth full. The root has 8 ports, so an exit of it has 32 rows.
class PortShares : public QuotasTest {
protected:
    PortShares() {
        FillAnEighth();
        root_ = MeetSwitch(own_port_, 8);
    }

    NodeIndex root_ = kNoNode;
};

TEST_F(QuotasTest, AnEighthOfTheNodesIsGivenToAnyExit) {
    limits_.max_nodes = 80;
    Build();
    const NodeIndex root = MeetSwitch(own_port_, 4);
    Count(At(root, 2), 1000);
    AddStrangers(7);  // Nine nodes with the host of the manager and the switch.
    EXPECT_EQ(quotas_->Judge(At(root, 2)), Verdict::kAdmitted);
    AddStrangers(1);
    EXPECT_EQ(quotas_->Judge(At(root, 2)), Verdict::kLater);
}

TEST_F(QuotasTest, AnEighthOfTheSwitchesIsGivenToAnyExit) {
    limits_.max_switches = 40;
    Build();
    const NodeIndex root = MeetSwitch(own_port_, 4);
    Count(At(root, 2), 1000);
    for (int i = 0; i < 3; ++i)
        AddNode(NodeType::kSwitch, 1);
    EXPECT_EQ(quotas_->Judge(At(root, 2)), Verdict::kAdmitted) << "four switches";
    AddNode(NodeType::kSwitch, 1);
    EXPECT_EQ(quotas_->Judge(At(root, 2)), Verdict::kLater) << "five switches";
}

TEST_F(QuotasTest, AnEighthOfTheRowsOfPortsIsGivenToAnyExit) {
    limits_.max_ports = 400;
    Build();
    const NodeIndex root = MeetSwitch(own_port_, 4);
    Count(At(root, 2), 1000);
    AddNode(NodeType::kChannelAdapter, 43);  // 1 row and 5 are in use already.
    EXPECT_EQ(quotas_->Judge(At(root, 2)), Verdict::kAdmitted) << "49 rows";
    AddStrangers(1);
    EXPECT_EQ(quotas_->Judge(At(root, 2)), Verdict::kLater) << "50 rows";
}

TEST_F(PortShares, AnExitHasFourRowsForEachPortOfItsSwitchAndTwiceAsManyEachRound) {
    Count(At(root_, 2), 31);
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted);
    std::size_t rows = 31;
    for (const std::size_t share : {32U, 64U, 128U}) {
        Count(At(root_, 2), share - 1 - rows);
        EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted) << share;
        Count(At(root_, 2), 1);
        rows = share;
        EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kLater) << share;
        EXPECT_EQ(quotas_->Judge(At(root_, 3)), Verdict::kAdmitted) << "it leads elsewhere";
        quotas_->DoubleShares();
        EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted) << share;
    }
}

TEST_F(PortShares, ASwitchTakesARowMoreThanItHasPorts) {
    const NodeIndex far = MeetSwitch(At(root_, 2), 31);
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kLater) << "31 ports and port 0";
    EXPECT_EQ(quotas_->Judge(At(far, 2)), Verdict::kLater) << "the exit lies on the path to it";
}

TEST_F(PortShares, ANodeCountsAtEveryExitOfItsPath) {
    const NodeIndex middle = MeetSwitch(At(root_, 2), 7);
    const NodeIndex leaf = MeetSwitch(At(middle, 2), 7);
    Count(At(leaf, 2), 15);
    EXPECT_EQ(quotas_->Judge(At(leaf, 2)), Verdict::kAdmitted) << "31 rows behind the first exit";
    Count(At(leaf, 3), 1);
    EXPECT_EQ(quotas_->Judge(At(leaf, 2)), Verdict::kLater) << "32 rows behind the first exit";
    EXPECT_EQ(quotas_->Judge(At(middle, 3)), Verdict::kLater);
    EXPECT_EQ(quotas_->Judge(At(root_, 3)), Verdict::kAdmitted);
}

TEST_F(PortShares, OurOwnPortHasNoShare) {
    Count(own_port_, 60000);
    EXPECT_EQ(quotas_->Judge(own_port_), Verdict::kAdmitted);
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted);
}

TEST_F(PortShares, MoreRowsThanTheCounterHoldsStayMany) {
    for (int i = 0; i < 300; ++i)
        Count(At(root_, 2), 254);
    for (int i = 0; i < 10; ++i)
        quotas_->DoubleShares();
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kLater) << "a share is 32768 rows";
    for (int i = 0; i < 6; ++i)
        quotas_->DoubleShares();
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted) << "in the end no exit is crowded";
    quotas_->DoubleShares();
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted);
}

TEST_F(PortShares, NewNodesBehindTheExitThatOwedRoomComeAfterAllOthers) {
    const NodeIndex beyond = MeetSwitch(At(root_, 2), 8);
    quotas_->Restart(false, At(root_, 2));
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted) << "a known node";
    EXPECT_EQ(quotas_->Judge(At(root_, 3)), Verdict::kAdmitted) << "another exit";
    for (int round = 0; round < 16; ++round) {
        EXPECT_EQ(quotas_->Judge(At(beyond, 2)), Verdict::kLater);
        quotas_->DoubleShares();
    }
    EXPECT_EQ(quotas_->Judge(At(beyond, 2)), Verdict::kAdmitted);
    quotas_->Restart(false);
    EXPECT_EQ(quotas_->Judge(At(beyond, 2)), Verdict::kAdmitted);
}

TEST_F(PortShares, ANewSweepBeginsWithFirstShares) {
    quotas_->DoubleShares();
    Count(At(root_, 2), 40);
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted);
    quotas_->Restart(false);
    Count(At(root_, 2), 31);
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted) << "the 40 rows are forgotten";
    Count(At(root_, 2), 1);
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kLater) << "the round is forgotten";
}

/// A host was at port 2 of the root. Now a switch answers there.
class UntrustedShares : public QuotasTest {
protected:
    void Plant() {
        Build();
        root_ = MeetSwitch(own_port_, 8);
        Former(At(root_, 2));
        Former(At(root_, 3));
        one_ = MeetSwitch(At(root_, 2), 8);
        quotas_->DoubleShares();
    }
    void ExpectShareEndsAfter(std::size_t nodes, NodeType type, std::uint8_t ports) {
        for (std::size_t i = 0; i < nodes; ++i) {
            ASSERT_EQ(quotas_->Judge(At(one_, 3)), Verdict::kAdmitted) << i;
            CountNode(At(one_, 2), type, ports);
        }
        EXPECT_EQ(quotas_->Judge(At(one_, 3)), Verdict::kRefused);
        EXPECT_EQ(quotas_->Judge(At(root_, 4)), Verdict::kAdmitted) << "an honest exit";
        EXPECT_EQ(quotas_->Judge(At(root_, 3)), Verdict::kAdmitted) << "one node is taken in";
        const NodeIndex other = MeetSwitch(At(root_, 3), 8);
        EXPECT_EQ(quotas_->Judge(At(other, 2)), Verdict::kRefused) << "all have one share";
    }

    NodeIndex root_ = kNoNode;
    NodeIndex one_ = kNoNode;  ///< The switch where a host was.
};

TEST_F(UntrustedShares, OneNodeIsTakenInAtOnceAndThoseBehindItAfterAllOthers) {
    Build();
    const NodeIndex root = MeetSwitch(own_port_, 8);
    Former(At(root, 2));
    EXPECT_EQ(quotas_->Judge(At(root, 2)), Verdict::kAdmitted);
    const NodeIndex one = MeetSwitch(At(root, 2), 8);
    EXPECT_EQ(quotas_->Judge(At(one, 2)), Verdict::kLater);
    const NodeIndex next = MeetSwitch(At(one, 2), 8);
    EXPECT_EQ(quotas_->Judge(At(next, 2)), Verdict::kLater);
    quotas_->DoubleShares();
    EXPECT_EQ(quotas_->Judge(At(one, 2)), Verdict::kAdmitted);
    EXPECT_EQ(quotas_->Judge(At(next, 2)), Verdict::kAdmitted);
}

TEST_F(UntrustedShares, TogetherGetAnEighthOfTheNodes) {
    limits_.max_nodes = 80;
    Plant();
    ExpectShareEndsAfter(10, NodeType::kChannelAdapter, 1);
}

TEST_F(UntrustedShares, TogetherGetAnEighthOfTheSwitches) {
    limits_.max_switches = 40;
    Plant();
    ExpectShareEndsAfter(5, NodeType::kSwitch, 1);
}

TEST_F(UntrustedShares, TogetherGetAnEighthOfTheRowsOfPorts) {
    limits_.max_ports = 400;
    Plant();
    ExpectShareEndsAfter(10, NodeType::kSwitch, 4);  // Five rows each.
}

TEST_F(UntrustedShares, AreNotUsedUpByNodesBehindHonestExits) {
    limits_.max_nodes = 80;
    Plant();
    for (int i = 0; i < 20; ++i)
        Count(At(root_, 4), 1);
    EXPECT_EQ(quotas_->Judge(At(one_, 2)), Verdict::kAdmitted);
    ExpectShareEndsAfter(10, NodeType::kChannelAdapter, 1);
    quotas_->Restart(false);
    EXPECT_EQ(quotas_->Judge(At(one_, 2)), Verdict::kLater) << "a new sweep, a new share";
}

TEST_F(UntrustedShares, AreNoneInATargetedSweep) {
    Plant();
    quotas_->Restart(true);
    EXPECT_EQ(quotas_->Judge(At(root_, 2)), Verdict::kAdmitted);
    EXPECT_EQ(quotas_->Judge(At(one_, 2)), Verdict::kRefused);
    EXPECT_EQ(quotas_->Judge(At(root_, 4)), Verdict::kAdmitted);
}

TEST(EdgePorts, ArePortsOfTheListAndNoOthers) {
    QuotasBoard board;
    board.Build();
    const NodeIndex one = board.AddNode(NodeType::kSwitch, 4);
    const NodeIndex other = board.AddNode(NodeType::kSwitch, 4);
    const Fabric& fabric = board.fabric();
    const std::array listed = {
        SwitchPort{fabric.node(one).guid, PortNumber{2}},
        SwitchPort{fabric.node(one).guid, PortNumber{4}},
        SwitchPort{fabric.node(other).guid, PortNumber{1}},
    };
    Settings settings;
    EXPECT_FALSE(IsEdgePort(fabric, settings, board.At(one, 2))) << "none are listed";
    settings.manager_tables.edge_ports = listed;
    EXPECT_TRUE(IsEdgePort(fabric, settings, board.At(one, 2)));
    EXPECT_TRUE(IsEdgePort(fabric, settings, board.At(one, 4)));
    EXPECT_TRUE(IsEdgePort(fabric, settings, board.At(other, 1)));
    EXPECT_FALSE(IsEdgePort(fabric, settings, board.At(one, 1)));
    EXPECT_FALSE(IsEdgePort(fabric, settings, board.At(one, 3)));
    EXPECT_FALSE(IsEdgePort(fabric, settings, board.At(other, 2)));
    EXPECT_FALSE(IsEdgePort(fabric, settings, kNoPortIndex));
}

}  // namespace
}  // namespace ember
