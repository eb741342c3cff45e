// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of which exit owes room to nodes that were refused, and how much.

#include "core/discovery/room_donors.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/core/discovery/quotas_fixture.h"

namespace ember {
namespace {

/// The root with two switches of 8 ports. The first share of an exit of any of them is 32 rows, so
/// it owes room from 65 rows on. The exits to the two switches have 9 rows.
class OwedRowsTest : public QuotasTest {
protected:
    static constexpr std::uint32_t kSweep = 7;

    OwedRowsTest() {
        Build();
        root_ = MeetSwitch(own_port_, 8);
        left_ = MeetSwitch(At(root_, 2), 8);
        right_ = MeetSwitch(At(root_, 3), 8);
    }
    /// A new sweep, in which the three switches were met.
    void SweepAgain(PortIndex last = kNoPortIndex) {
        quotas_->Restart(false, last);
        for (const NodeIndex met : {root_, left_, right_})
            quotas_->Count(fabric().node(met).entry, fabric().node(met));
    }
    void RefuseSwitch(PortIndex exit, std::uint8_t ports = 8) {
        quotas_->CountRefusal(exit, NodeType::kSwitch, ports);
    }
    void RefuseHost(PortIndex exit, std::uint8_t ports = 1) {
        quotas_->CountRefusal(exit, NodeType::kChannelAdapter, ports);
    }
    /// A link of which both ends were read.
    void Cable(PortIndex one, PortIndex other) {
        fabric().Connect(one, other);
        for (const PortIndex end : {one, other}) {
            Port& port = fabric().port(end);
            port.linked = port.seen = kSweep;
            port.info.Set(PortInfo::kPortState, PortState::kActive);
        }
    }
    OwedRoom Find() { return quotas_->FindOwedRoom(kSweep); }
    PortIndex Donor() { return Find().exit; }

    NodeIndex root_ = kNoNode;
    NodeIndex left_ = kNoNode;
    NodeIndex right_ = kNoNode;
};

TEST_F(OwedRowsTest, ThereAreNoneWithoutARefusedNode) {
    Count(At(root_, 4), 65);
    EXPECT_EQ(Donor(), kNoPortIndex);
    SweepAgain();
    Count(At(root_, 4), 65);
    RefuseHost(At(right_, 2));
    EXPECT_EQ(Donor(), At(root_, 4));
    SweepAgain();
    Count(At(root_, 4), 65);
    EXPECT_EQ(Donor(), kNoPortIndex) << "in a new sweep none was refused";
}

TEST_F(OwedRowsTest, BeginAboveTwiceTheFirstShare) {
    Count(At(root_, 4), 64);
    RefuseSwitch(At(right_, 2));
    EXPECT_EQ(Donor(), kNoPortIndex);
    SweepAgain();
    Count(At(root_, 4), 65);
    RefuseSwitch(At(right_, 2));
    EXPECT_EQ(Donor(), At(root_, 4));
}

TEST_F(OwedRowsTest, OfTheLastDonorBeginWithItsSecondNode) {
    SweepAgain(At(root_, 4));
    Count(At(root_, 4), 2);
    RefuseHost(At(root_, 5));
    EXPECT_EQ(Donor(), At(root_, 4));
    SweepAgain(At(root_, 4));
    Count(At(root_, 4), 1);
    RefuseHost(At(root_, 5));
    EXPECT_EQ(Donor(), kNoPortIndex);
}

TEST_F(OwedRowsTest, DoNotDependOnTheRounds) {
    for (int i = 0; i < 5; ++i)
        quotas_->DoubleShares();
    Count(At(root_, 4), 65);
    RefuseSwitch(At(right_, 2));
    EXPECT_EQ(Donor(), At(root_, 4));
}

TEST_F(OwedRowsTest, AreTheLargestExits) {
    for (const unsigned largest : {4U, 5U, 6U}) {
        SweepAgain();
        for (const unsigned exit : {4U, 5U, 6U})
            Count(At(root_, exit), exit == largest ? 90 : 60 + exit);
        RefuseSwitch(At(right_, 2));
        EXPECT_EQ(Donor(), At(root_, largest));
    }
}

TEST_F(OwedRowsTest, OfAnExitThatLeadsToTheRefusedNodeAreNone) {
    Count(At(right_, 3), 65);
    RefuseHost(At(right_, 2));
    EXPECT_EQ(Donor(), At(right_, 3)) << "though the exit of the root leads to more";
}

TEST_F(OwedRowsTest, OfAnExitThatLeadsToLessThanAnotherOnThePathAreNone) {
    Count(At(root_, 4), 78);
    Count(At(right_, 3), 68);  // With the switch itself 77 rows behind the exit of the root.
    RefuseHost(At(right_, 2));
    EXPECT_EQ(Donor(), At(right_, 3)) << "half of the difference is no row";
    SweepAgain();
    Count(At(root_, 4), 79);
    Count(At(right_, 3), 68);
    RefuseHost(At(right_, 2));
    EXPECT_EQ(Donor(), At(root_, 4));
}

TEST_F(OwedRowsTest, AreHalfOfTheDifferenceToAnExitOnThePath) {
    Count(At(root_, 4), 105);  // 96 more than behind the exit to the right.
    for (unsigned port = 2; port <= 6; ++port)
        RefuseHost(At(right_, port), 20);
    const OwedRoom owed = Find();
    EXPECT_EQ(owed.exit, At(root_, 4));
    EXPECT_EQ(owed.nodes, 2U);
    EXPECT_EQ(owed.switches, 0U);
    EXPECT_EQ(owed.rows, 40U);
}

TEST_F(OwedRowsTest, ToNodesBesideTheExitAreAllButTheRest) {
    Count(At(root_, 4), 65);
    RefuseSwitch(At(root_, 5), 30);
    RefuseHost(At(root_, 6), 34);
    RefuseHost(At(root_, 7), 5);
    const OwedRoom owed = Find();
    EXPECT_EQ(owed.nodes, 2U);
    EXPECT_EQ(owed.switches, 1U);
    EXPECT_EQ(owed.rows, 36U) << "31 and 5: with 34 more nothing were left";
}

TEST_F(OwedRowsTest, AreNoneToANodeThatIsLargerThanAllOfThem) {
    Count(At(root_, 4), 65);
    RefuseSwitch(At(root_, 5), 64);
    EXPECT_EQ(Donor(), kNoPortIndex);
}

TEST_F(OwedRowsTest, AreFoundThroughARing) {
    Count(At(right_, 2), 65);
    RefuseSwitch(At(left_, 2));
    EXPECT_EQ(Donor(), At(root_, 3)) << "which leads to the right switch alone";
    SweepAgain();
    Cable(At(left_, 8), At(right_, 8));
    Count(At(right_, 2), 65);
    RefuseSwitch(At(left_, 2));
    EXPECT_EQ(Donor(), At(right_, 2));
}

TEST_F(OwedRowsTest, OfAnExitOnARingAreNone) {
    Cable(At(left_, 8), At(right_, 8));
    Count(At(root_, 3), 200);
    Count(At(right_, 8), 200);
    RefuseSwitch(At(left_, 2));
    EXPECT_EQ(Donor(), kNoPortIndex);
}

TEST_F(OwedRowsTest, OnARingAreOwedHoweverMuchIsBehindIt) {
    Cable(At(left_, 8), At(right_, 8));
    Count(At(root_, 3), 200);
    Count(At(root_, 4), 65);
    RefuseSwitch(At(right_, 2));
    EXPECT_EQ(Donor(), At(root_, 4));
}

TEST_F(OwedRowsTest, TakeNoLinkForARingOfWhichAnEndSaysNothing) {
    for (const bool is_down : {true, false}) {
        SweepAgain();
        Cable(At(left_, 8), At(right_, 8));
        Port& end = fabric().port(At(left_, 8));
        if (is_down) {
            end.info.Set(PortInfo::kPortState, PortState::kDown);
        } else {
            end.seen = kSweep - 1;
        }
        Count(At(root_, 3), 200);
        RefuseHost(At(left_, 2));
        EXPECT_EQ(Donor(), At(root_, 3));
    }
}

TEST_F(OwedRowsTest, OfOurOwnPortAreNone) {
    Count(own_port_, 5000);
    RefuseSwitch(At(root_, 4));
    EXPECT_EQ(Donor(), kNoPortIndex);
}

TEST_F(OwedRowsTest, ToASwitchWhereAHostWasAreNone) {
    Count(At(root_, 4), 65);
    Former(At(right_, 2));
    RefuseSwitch(At(right_, 2));
    EXPECT_EQ(Donor(), kNoPortIndex);
    RefuseHost(At(right_, 2));
    EXPECT_EQ(Donor(), At(root_, 4)) << "a host where a host was";
}

TEST_F(OwedRowsTest, ToNodesBehindASwitchWhereAHostWasAreNone) {
    Count(At(root_, 4), 65);
    Former(At(root_, 3));
    RefuseSwitch(At(right_, 2));
    RefuseHost(At(right_, 4));
    EXPECT_EQ(Donor(), kNoPortIndex);
}

TEST_F(OwedRowsTest, AreNotCountedInATargetedSweep) {
    quotas_->Restart(true);
    Count(At(root_, 4), 65);
    RefuseHost(At(right_, 2));
    EXPECT_EQ(Donor(), kNoPortIndex);
}

TEST_F(OwedRowsTest, EndWhereANodeWasTakenInAfterAll) {
    Count(At(root_, 4), 65);
    RefuseHost(At(right_, 2));
    Count(At(right_, 2), 1);
    EXPECT_EQ(Donor(), kNoPortIndex);
}

/// Behind port 2 of the root are a switch with two hosts and a switch that has two more; behind its
/// port 3 is a host. A row of each table is free.
class Forgetting : public QuotasTest {
protected:
    Forgetting() {
        Build();
        root_ = MeetSwitch(own_port_, 4);
        near_ = MeetSwitch(At(root_, 2), 4);
        far_ = MeetSwitch(At(near_, 4), 4);
        hosts_ = {MeetHost(At(near_, 2)), MeetHost(At(near_, 3)), MeetHost(At(far_, 2)),
                  MeetHost(At(far_, 3))};
        beside_ = MeetHost(At(root_, 3));
        ForEachNode(fabric(), [](NodeIndex, Node& node) { node.seen = 1; });
    }
    NodeIndex MeetHost(PortIndex exit) {
        const NodeIndex met = AddNode(NodeType::kChannelAdapter, 1);
        fabric().node(met).entry = exit;
        return met;
    }
    /// Fills the fabric with nodes elsewhere until so many rows are free.
    void Leave(std::uint32_t nodes, std::uint32_t switches) {
        while (fabric().switch_count() + switches < limits_.max_switches)
            fabric().node(AddNode(NodeType::kSwitch, 1)).seen = 1;
        while (fabric().node_count() + nodes < limits_.max_nodes)
            fabric().node(AddNode(NodeType::kChannelAdapter, 1)).seen = 1;
    }
    std::uint32_t Forget(std::uint32_t nodes, std::uint32_t switches) {
        const OwedRoom owed{At(root_, 2), nodes, switches, 5 * switches + nodes};
        return ForgetDeepest(fabric(), owed, arena_.arena());
    }
    [[nodiscard]] bool Has(NodeIndex at) { return fabric().node(at).seen != 0; }

    testing::ArenaStorage arena_{8192};
    NodeIndex root_ = kNoNode;
    NodeIndex near_ = kNoNode;
    NodeIndex far_ = kNoNode;
    NodeIndex beside_ = kNoNode;
    std::array<NodeIndex, 4> hosts_{};
};

TEST_F(Forgetting, TakesNoNodeWhereThereIsRoom) {
    Leave(3, 1);
    EXPECT_EQ(Forget(3, 1), 0U);
}

TEST_F(Forgetting, TakesTheDeepestAndNoMoreThanAreOwed) {
    Leave(1, 1);
    EXPECT_EQ(Forget(2, 0), 1U);
    EXPECT_NE(Has(hosts_[2]), Has(hosts_[3]));
    EXPECT_TRUE(Has(hosts_[0]) && Has(hosts_[1]) && Has(near_) && Has(far_) && Has(beside_));
}

TEST_F(Forgetting, TakesTheDeepestSwitchWithWhatIsBehindIt) {
    Leave(1, 0);
    EXPECT_EQ(Forget(1, 1), 3U);
    EXPECT_FALSE(Has(far_) || Has(hosts_[2]) || Has(hosts_[3]));
    EXPECT_TRUE(Has(hosts_[0]) && Has(hosts_[1]) && Has(near_) && Has(beside_));
}

TEST_F(Forgetting, CountsWhatLiesBehindASwitchAmongTheNodes) {
    Leave(0, 0);
    EXPECT_EQ(Forget(3, 1), 3U);
    EXPECT_TRUE(Has(hosts_[0]) && Has(hosts_[1]));
}

TEST_F(Forgetting, NeverTakesTheNodeNextToTheExit) {
    Leave(0, 0);
    EXPECT_EQ(Forget(100, 50), 5U);
    EXPECT_TRUE(Has(near_) && Has(beside_) && Has(root_));
}

TEST_F(Forgetting, FreesRowsOfPorts) {
    Leave(2, 2);
    const auto free_rows = limits_.max_ports - fabric().ports_in_use();
    const OwedRoom owed{At(root_, 2), 1, 0, static_cast<std::uint32_t>(free_rows) + 3};
    EXPECT_EQ(ForgetDeepest(fabric(), owed, arena_.arena()), 3U);
    EXPECT_FALSE(Has(hosts_[2]) || Has(hosts_[3])) << "of a row each";
    EXPECT_FALSE(Has(far_) && Has(hosts_[0]) && Has(hosts_[1])) << "and another one";
}

}  // namespace
}  // namespace ember
