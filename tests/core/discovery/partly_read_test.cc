// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what is kept of switches that have told a part only.

#include "core/discovery/partly_read.h"

#include <gtest/gtest.h>

#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

constexpr std::uint32_t kBefore = 7;
constexpr std::uint32_t kNow = 8;

/// The manager's host at port 1 of the switch `near`, whose port 2 leads to port 1 of the switch
/// `far`. Hosts are at port 3 of `near`, and at port 2 of `far`. All was found in the last sweep;
/// in this one the manager's host has told all, and `near` its NodeInfo.
class PartlyRead : public ::testing::Test {
protected:
    PartlyRead() {
        ForEachNode(fabric(), [](NodeIndex, Node& node) { node.seen = kBefore; });
        ForEachSwitch(fabric(), [](SwitchIndex, Switch& row) { row.seen = kBefore; });
        ForEachPort(fabric(), [](PortIndex, Port& port) {
            port.seen = kBefore;
            port.linked = port.peer != kNoPortIndex ? kBefore : 0;
        });
        Port& own = fabric().port(fabric().own_port());
        NodeAt(kOwn).seen = own.seen = own.linked = kNow;
        PortAt(kNear, 1).linked = kNow;
        NodeAt(kNear).seen = kNow;
    }
    static net::Netlist Net() {
        net::Netlist netlist;
        netlist.Add(NodeType::kChannelAdapter, 1, "own", "own");
        netlist.Add(NodeType::kSwitch, 4, "near", "near");
        netlist.Add(NodeType::kSwitch, 4, "far", "far");
        netlist.Add(NodeType::kChannelAdapter, 1, "host", "host");
        netlist.Add(NodeType::kChannelAdapter, 1, "other", "other");
        netlist.Connect(kOwn, 1, kNear, 1);
        netlist.Connect(kNear, 2, kFar, 1);
        netlist.Connect(kNear, 3, kHost, 1);
        netlist.Connect(kFar, 2, kOther, 1);
        netlist.AssignGuids();
        return netlist;
    }
    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] Node& NodeAt(std::uint32_t node) { return fabric().node(built_.node(node)); }
    [[nodiscard]] Switch& SwitchAt(std::uint32_t node) {
        return fabric().switch_row(built_.switch_index(node));
    }
    [[nodiscard]] Port& PortAt(std::uint32_t node, unsigned number) {
        return fabric().port(fabric().PortOf(built_.node(node), static_cast<PortNumber>(number)));
    }
    void ExpectLeftAlone(std::uint32_t node) {
        EXPECT_EQ(SwitchAt(node).seen, kBefore);
        EXPECT_EQ(PortAt(node, 0).seen, kBefore);
        EXPECT_EQ(PortAt(node, 2).linked, kBefore);
    }

    static constexpr std::uint32_t kOwn = 0, kNear = 1, kFar = 2, kHost = 3, kOther = 4;
    testing::BuiltFabric built_{Net()};
};

TEST_F(PartlyRead, AKnownSwitchThatWasMetStaysWithItsPort0AndItsHosts) {
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(SwitchAt(kNear).seen, kNow);
    EXPECT_EQ(PortAt(kNear, 0).seen, kNow);
    EXPECT_EQ(PortAt(kNear, 3).linked, kNow);
    EXPECT_EQ(PortAt(kHost, 1).linked, kNow);
    EXPECT_EQ(PortAt(kHost, 1).seen, kNow);
    EXPECT_EQ(NodeAt(kHost).seen, kNow);
    EXPECT_EQ(PortAt(kNear, 3).seen, kBefore) << "its own ports were not read";
    EXPECT_EQ(PortAt(kNear, 4).linked, 0U) << "no link was there";
}

TEST_F(PartlyRead, ASwitchThatWasNotMetIsLeftAlone) {
    KeepPartlyRead(fabric(), kNow, true);
    ExpectLeftAlone(kFar);
    EXPECT_EQ(NodeAt(kFar).seen, kBefore);
    EXPECT_EQ(NodeAt(kOther).seen, kBefore) << "the host behind it";
    EXPECT_EQ(PortAt(kNear, 2).linked, kBefore) << "the link to it";
    EXPECT_EQ(PortAt(kFar, 1).linked, kBefore);
}

TEST_F(PartlyRead, TheLinkToASwitchThatWasMetStays) {
    NodeAt(kFar).seen = kNow;
    SwitchAt(kFar).seen = PortAt(kFar, 0).seen = kNow;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(PortAt(kNear, 2).linked, kNow);
    EXPECT_EQ(PortAt(kFar, 1).linked, kNow);
    EXPECT_EQ(PortAt(kFar, 1).seen, kBefore) << "a switch's port that was not read";
    EXPECT_EQ(NodeAt(kOther).seen, kNow) << "the other switch has not told of its host either";
}

TEST_F(PartlyRead, ASwitchThatNeverAnsweredIsLeftOut) {
    SwitchAt(kNear).seen = 0;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(SwitchAt(kNear).seen, 0U);
    EXPECT_EQ(PortAt(kNear, 0).seen, kBefore);
    EXPECT_EQ(NodeAt(kHost).seen, kBefore);
}

TEST_F(PartlyRead, ASwitchWhosePort0WasNeverReadIsLeftOut) {
    PortAt(kNear, 0).has_info = false;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(SwitchAt(kNear).seen, kBefore);
    EXPECT_EQ(PortAt(kNear, 0).seen, kBefore);
    EXPECT_EQ(NodeAt(kHost).seen, kBefore);
}

TEST_F(PartlyRead, ALinkThatTheOtherEndReportsDownIsLost) {
    Port& far = PortAt(kHost, 1);
    far.info.Set(PortInfo::kPortState, PortState::kDown);
    far.seen = kNow;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(PortAt(kNear, 3).linked, kBefore);
    EXPECT_EQ(far.linked, kBefore);
    EXPECT_EQ(NodeAt(kHost).seen, kBefore);
    far.seen = kBefore;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(NodeAt(kHost).seen, kNow) << "an earlier report denies nothing";
}

TEST_F(PartlyRead, APortThatHasReportedOrWasNeverReadKeepsNoLink) {
    PortAt(kNear, 3).seen = kNow;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(PortAt(kNear, 3).linked, kBefore);
    EXPECT_EQ(NodeAt(kHost).seen, kBefore);
    PortAt(kNear, 3).seen = kBefore;
    PortAt(kNear, 3).has_info = false;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(PortAt(kNear, 3).linked, kBefore);
    EXPECT_EQ(NodeAt(kHost).seen, kBefore);
}

TEST_F(PartlyRead, AHostWhosePortWasNeverReadStaysButItsPortIsNotCalledRead) {
    PortAt(kHost, 1).has_info = false;
    PortAt(kHost, 1).seen = 0;
    KeepPartlyRead(fabric(), kNow, true);
    EXPECT_EQ(NodeAt(kHost).seen, kNow);
    EXPECT_EQ(PortAt(kHost, 1).linked, kNow);
    EXPECT_EQ(PortAt(kHost, 1).seen, 0U);
}

/// An agent with a short queue drops some of the questions that come at once.
TEST_F(PartlyRead, OnAGoodPathASwitchThatHasToldOfItselfKeepsThePortsThatItDidNotTellOf) {
    SwitchAt(kNear).seen = PortAt(kNear, 0).seen = kNow;
    KeepPartlyRead(fabric(), kNow, false);
    EXPECT_EQ(PortAt(kNear, 3).linked, kNow);
    EXPECT_EQ(NodeAt(kHost).seen, kNow);
    EXPECT_EQ(PortAt(kHost, 1).seen, kNow);
}

TEST_F(PartlyRead, OnAGoodPathASwitchThatHasNotToldOfItselfIsLeftAlone) {
    KeepPartlyRead(fabric(), kNow, false);
    ExpectLeftAlone(kNear);
    SwitchAt(kNear).seen = kNow;
    KeepPartlyRead(fabric(), kNow, false);
    EXPECT_EQ(PortAt(kNear, 3).linked, kBefore) << "port 0 was not read";
    EXPECT_EQ(NodeAt(kHost).seen, kBefore);
}

TEST_F(PartlyRead, OurNeighborHasToldAllWhenItsSwitchInfoAndPort0WereRead) {
    SwitchAt(kNear).seen = PortAt(kNear, 0).seen = kNow;
    EXPECT_FALSE(IsOwnNeighborPartlyRead(fabric(), kNow));
    SwitchAt(kNear).seen = kBefore;
    EXPECT_TRUE(IsOwnNeighborPartlyRead(fabric(), kNow)) << "no SwitchInfo";
    SwitchAt(kNear).seen = kNow;
    PortAt(kNear, 0).seen = kBefore;
    EXPECT_TRUE(IsOwnNeighborPartlyRead(fabric(), kNow)) << "no PortInfo";
}

TEST_F(PartlyRead, WithoutALinkInThisSweepThereIsNoSuchNeighbor) {
    ASSERT_TRUE(IsOwnNeighborPartlyRead(fabric(), kNow));
    fabric().port(fabric().own_port()).linked = kBefore;
    EXPECT_FALSE(IsOwnNeighborPartlyRead(fabric(), kNow)) << "it was not met in this sweep";
    fabric().port(fabric().own_port()).linked = kNow;
    fabric().Disconnect(fabric().own_port());
    EXPECT_FALSE(IsOwnNeighborPartlyRead(fabric(), kNow)) << "no link";
    fabric().SetOwnPort(kNoPortIndex);
    EXPECT_FALSE(IsOwnNeighborPartlyRead(fabric(), kNow)) << "no port";
}

TEST_F(PartlyRead, AHostAsOurNeighborHasNoMoreToTell) {
    fabric().Disconnect(fabric().own_port());
    fabric().Connect(fabric().own_port(), NodeAt(kHost).first_port);
    EXPECT_FALSE(IsOwnNeighborPartlyRead(fabric(), kNow));
}

}  // namespace
}  // namespace ember
