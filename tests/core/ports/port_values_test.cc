// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the wanted PortInfo of each port.
//
// Goal:   each rule of PortValues at its bounds, and that a port which took a plan needs no other.
// Method: a subnet whose PortInfos the test writes; a port takes a Set as the IBA says.
#include "core/ports/port_values.h"

#include <gtest/gtest.h>

#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using P = PortInfo;

// Nodes of the subnet, in the order of the netlist.
constexpr std::uint32_t kManager = 0;
constexpr std::uint32_t kOne = 1;
constexpr std::uint32_t kOther = 2;
constexpr std::uint32_t kHost = 3;
constexpr std::uint32_t kRouter = 4;

/// Ports 1 of the switches lead to hosts, ports 2 to each other; port 3 of the other one leads to a
/// router, and port 4 of each is free.
net::Netlist Subnet() {
    net::Netlist net;
    net.Add(NodeType::kChannelAdapter, 1, "manager", "");
    net.Add(NodeType::kSwitch, 4, "one", "");
    net.Add(NodeType::kSwitch, 4, "other", "");
    net.Add(NodeType::kChannelAdapter, 1, "host", "");
    net.Add(NodeType::kRouter, 1, "router", "");
    net.Connect(kManager, 1, kOne, 1);
    net.Connect(kOne, 2, kOther, 2);
    net.Connect(kOther, 1, kHost, 1);
    net.Connect(kOther, 3, kRouter, 1);
    net.AssignGuids();
    return net;
}

/// No two values are alike, and none is a default.
Settings DistinctSettings() {
    Settings settings;
    settings.m_key = 0x1122334455667788;
    settings.m_key_lease_period = 600;
    settings.m_key_protection_level = 2;
    settings.subnet_prefix = 0xFE80000000000001;
    settings.sm_sl = 3;
    settings.subnet_timeout = 17;
    settings.local_phy_errors_threshold = 5;
    settings.overrun_errors_threshold = 6;
    settings.vl_stall_count = 1;
    settings.leaf_vl_stall_count = 4;
    settings.head_of_queue_lifetime = 19;
    settings.leaf_head_of_queue_lifetime = 15;
    return settings;
}

class PortValuesTest : public ::testing::Test {
protected:
    PortValuesTest() {
        ForEachPort(fabric(), [](PortIndex, Port& port) {
            port.fresh = false;
            port.info.Set(P::kMtuCap, Mtu::k4096);
            port.info.Set(P::kVlCap, VlCap::kVl0To7);
            port.info.Set(P::kLinkWidthSupported, std::uint8_t{3});
            port.info.Set(P::kLinkWidthEnabled, std::uint8_t{3});
            port.info.Set(P::kLinkSpeedSupported, std::uint8_t{7});
            port.info.Set(P::kLinkSpeedEnabled, std::uint8_t{7});
        });
    }

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] Port& PortAt(std::uint32_t node, unsigned number) {
        return fabric().port(Index(node, number));
    }
    [[nodiscard]] PortIndex Index(std::uint32_t node, unsigned number) {
        return fabric().PortOf(built_.node(node), static_cast<PortNumber>(number));
    }
    [[nodiscard]] PortPlan Plan(std::uint32_t node, unsigned number, bool all_reregister = false) {
        return values_.Plan(Index(node, number), all_reregister);
    }
    void SetState(std::uint32_t node, unsigned number, PortState state) {
        PortAt(node, number).info.Set(P::kPortState, state);
    }
    void SetCapability(std::uint32_t node, unsigned number, std::uint32_t capabilities) {
        PortAt(node, number).info.Set(P::kCapabilityMask, capabilities);
    }
    /// The port takes the Set of its plan, if it has one. A link that goes down trains anew.
    void Take(std::uint32_t node, unsigned number) {
        const PortPlan plan = Plan(node, number);
        if (!plan.differs) return;
        PortInfo& info = PortAt(node, number).info;
        PortInfo now = plan.set;
        for (const auto& field : {P::kLinkWidthEnabled, P::kLinkSpeedEnabled,
                                  P::kLinkSpeedExtEnabled, P::kClientReregister}) {
            if (now.Get(field) == 0) now.Set(field, info.Get(field));
        }
        now.Set(P::kPortPhysicalState, info.Get(P::kPortPhysicalState));
        const PortState state = plan.set.Get(P::kPortState);
        if (state == PortState::kNoChange) now.Set(P::kPortState, info.Get(P::kPortState));
        if (state == PortState::kDown) now.Set(P::kPortState, PortState::kInitialize);
        now.Set(P::kClientReregister, std::uint8_t{0});
        info = now;
    }
    /// All ports take their plans, and are ACTIVE then where they have a link.
    void Settle() {
        for (const std::uint32_t node : {kManager, kOne, kOther, kHost, kRouter}) {
            const bool is_switch = node == kOne || node == kOther;
            for (unsigned number = is_switch ? 0 : 1; number <= (is_switch ? 4 : 1); ++number) {
                Take(node, number);
                const bool has_link = PortAt(node, number).peer != kNoPortIndex;
                if (has_link) SetState(node, number, PortState::kActive);
            }
        }
    }

    testing::BuiltFabric built_{Subnet()};
    Settings settings_ = DistinctSettings();
    PortValues values_{built_.fabric(), settings_};
};

TEST(LinkMtu, IsTheSmallerOneAndAlwaysACode) {
    const auto mtu = [](std::uint8_t one, std::uint8_t other) {
        PortInfo near_end;
        PortInfo far_end;
        near_end.Set(P::kMtuCap, static_cast<Mtu>(one));
        far_end.Set(P::kMtuCap, static_cast<Mtu>(other));
        return LinkMtu(near_end, far_end);
    };
    EXPECT_EQ(mtu(5, 4), Mtu::k2048);
    EXPECT_EQ(mtu(3, 5), Mtu::k1024);
    EXPECT_EQ(mtu(0, 5), Mtu::k256) << "faulty firmware";
    EXPECT_EQ(mtu(15, 15), Mtu::k4096) << "a code that does not exist";
}

TEST_F(PortValuesTest, APortThatWasSetToItsPlanNeedsNoOther) {
    Settle();
    Settle();  // A bounced link trains once.
    ForEachPort(fabric(), [&](PortIndex at, const Port&) {
        const PortPlan plan = values_.Plan(at, false);
        EXPECT_FALSE(plan.differs) << Raw(at);
        EXPECT_EQ(plan.changes, 0U) << Raw(at);
        EXPECT_FALSE(plan.bounce || plan.reregister) << Raw(at);
    });
}

TEST_F(PortValuesTest, AnEndPortWithoutALidAndAFreePortHaveNoPlan) {
    PortAt(kHost, 1).lid = kNoLid;
    EXPECT_FALSE(Plan(kHost, 1).differs);
    EXPECT_FALSE(Plan(kOne, 4).differs);
    PortAt(kOther, 2).has_info = false;
    EXPECT_FALSE(Plan(kOne, 2).differs) << "its peer did not answer";
}

TEST_F(PortValuesTest, AHostGetsEveryValueInOneSet) {
    const PortPlan plan = Plan(kHost, 1);
    EXPECT_TRUE(plan.differs);
    EXPECT_FALSE(plan.bounce);
    EXPECT_EQ(plan.set.Get(P::kMKey), 0x1122334455667788U);
    EXPECT_EQ(plan.set.Get(P::kMKeyLeasePeriod), 600);
    EXPECT_EQ(plan.set.Get(P::kMKeyProtectBits), 2);
    EXPECT_EQ(plan.set.Get(P::kGidPrefix), 0xFE80000000000001U);
    EXPECT_EQ(plan.set.Get(P::kLid), PortAt(kHost, 1).lid);
    EXPECT_EQ(plan.set.Get(P::kLmc), 0);
    EXPECT_EQ(plan.set.Get(P::kMasterSmLid), PortAt(kManager, 1).lid);
    EXPECT_EQ(plan.set.Get(P::kMasterSmSl), 3);
    EXPECT_EQ(plan.set.Get(P::kSubnetTimeOut), 17);
    EXPECT_EQ(plan.set.Get(P::kLocalPhyErrors), 5);
    EXPECT_EQ(plan.set.Get(P::kOverrunErrors), 6);
    EXPECT_EQ(plan.set.Get(P::kLinkDownDefaultState), LinkDownDefaultState::kPolling);
    EXPECT_EQ(plan.set.Get(P::kNeighborMtu), Mtu::k4096);
    EXPECT_EQ(plan.set.Get(P::kOperationalVls), VlCap::kVl0To7);
    EXPECT_EQ(plan.set.Get(P::kHoqLife), 0) << "it is the switches' and the routers'";
    EXPECT_EQ(plan.set.Get(P::kPortState), PortState::kArmed);
    EXPECT_EQ(plan.set.Get(P::kPortPhysicalState), PortPhysicalState::kNoChange);
    EXPECT_NE(plan.changes & ManagedBit(P::kLid), 0U);
    EXPECT_EQ(plan.changes & ManagedBit(P::kLmc), 0U) << "0 is right as it is";
    EXPECT_EQ(Plan(kRouter, 1).set.Get(P::kHoqLife), 15);
}

TEST_F(PortValuesTest, APortGetsTheLmcOfItsRow) {
    PortAt(kHost, 1).lmc = 2;
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kLmc), 2);
}

TEST_F(PortValuesTest, ASwitchPortGetsLifetimesByTheTypeOfItsPeer) {
    const PortPlan to_switch = Plan(kOne, 2);
    EXPECT_EQ(to_switch.set.Get(P::kHoqLife), 19);
    EXPECT_EQ(to_switch.set.Get(P::kVlStallCount), 1);
    for (const PortPlan& to_end_port : {Plan(kOther, 1), Plan(kOther, 3)}) {
        EXPECT_EQ(to_end_port.set.Get(P::kHoqLife), 15);
        EXPECT_EQ(to_end_port.set.Get(P::kVlStallCount), 4);
        EXPECT_EQ(to_end_port.set.Get(P::kLocalPhyErrors), 5);
        EXPECT_EQ(to_end_port.set.Get(P::kOverrunErrors), 6);
        EXPECT_EQ(to_end_port.set.Get(P::kLinkDownDefaultState), LinkDownDefaultState::kPolling);
        EXPECT_EQ(to_end_port.set.Get(P::kMKey), 0x1122334455667788U);
        EXPECT_EQ(to_end_port.set.Get(P::kLid), kNoLid);
    }
}

TEST_F(PortValuesTest, OnlyAnEnhancedPort0HasStatesAndThresholds) {
    SetState(kOne, 0, PortState::kInitialize);
    const PortPlan base = Plan(kOne, 0);
    EXPECT_EQ(base.set.Get(P::kLid), PortAt(kOne, 0).lid);
    EXPECT_EQ(base.set.Get(P::kLocalPhyErrors), 0);
    EXPECT_EQ(base.set.Get(P::kNeighborMtu), Mtu::kNone);
    EXPECT_EQ(base.set.Get(P::kPortState), PortState::kNoChange);
    fabric()
        .switch_row(built_.switch_index(kOne))
        .info.Set(SwitchInfo::kEnhancedPort0, std::uint8_t{1});
    const PortPlan enhanced = Plan(kOne, 0);
    EXPECT_EQ(enhanced.set.Get(P::kLocalPhyErrors), 5);
    EXPECT_EQ(enhanced.set.Get(P::kOverrunErrors), 6);
    EXPECT_EQ(enhanced.set.Get(P::kNeighborMtu), Mtu::k4096) << "its own MTUCap";
    EXPECT_EQ(enhanced.set.Get(P::kLinkDownDefaultState), LinkDownDefaultState::kPolling);
    EXPECT_EQ(enhanced.set.Get(P::kPortState), PortState::kArmed);
    EXPECT_FALSE(enhanced.bounce);
}

TEST_F(PortValuesTest, WidthAndSpeedsAreWrittenOnlyToChangeThem) {
    PortPlan plan = Plan(kHost, 1);
    EXPECT_EQ(plan.set.Get(P::kLinkWidthEnabled), link_width::kNoChange);
    EXPECT_EQ(plan.set.Get(P::kLinkSpeedEnabled), link_speed::kNoChange);
    PortInfo& info = PortAt(kHost, 1).info;
    info.Set(P::kLinkWidthEnabled, std::uint8_t{1});
    info.Set(P::kLinkSpeedEnabled, std::uint8_t{1});
    plan = Plan(kHost, 1);
    EXPECT_EQ(plan.set.Get(P::kLinkWidthEnabled), link_width::kSupported);
    EXPECT_EQ(plan.set.Get(P::kLinkSpeedEnabled), link_speed::kSupported);
    EXPECT_NE(plan.changes & ManagedBit(P::kLinkWidthEnabled), 0U);
    info.Set(P::kLinkWidthEnabled, link_width::kSupported);
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kLinkWidthEnabled), link_width::kNoChange) << "as written";
    info.Set(P::kLinkWidthEnabled, std::uint8_t{1});
    settings_.force_link_width = 0;
    settings_.force_link_speed = 0;
    plan = Plan(kHost, 1);
    EXPECT_EQ(plan.set.Get(P::kLinkWidthEnabled), link_width::kNoChange) << "left alone";
    EXPECT_EQ(plan.set.Get(P::kLinkSpeedEnabled), link_speed::kNoChange);
    settings_.force_link_width = link_width::k4x;
    settings_.force_link_speed = link_speed::kQdr;
    plan = Plan(kHost, 1);
    EXPECT_EQ(plan.set.Get(P::kLinkWidthEnabled), link_width::k4x);
    EXPECT_EQ(plan.set.Get(P::kLinkSpeedEnabled), link_speed::kQdr);
}

TEST_F(PortValuesTest, AWidthOf2xIsForDevicesThatHaveCapabilityMask2) {
    settings_.force_link_width = link_width::k2x;
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kLinkWidthEnabled), link_width::kNoChange);
    SetCapability(kHost, 1, capability_mask::kIsCapabilityMask2Supported);
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kLinkWidthEnabled), link_width::k2x);
    EXPECT_EQ(Plan(kOther, 2).set.Get(P::kLinkWidthEnabled), link_width::kNoChange);
    SetCapability(kOther, 0,
                  capability_mask::kIsCapabilityMask2Supported);  // Told at port 0 alone.
    EXPECT_EQ(Plan(kOther, 2).set.Get(P::kLinkWidthEnabled), link_width::k2x);
}

TEST_F(PortValuesTest, ExtendedSpeedsNeedBothEnds) {
    constexpr std::uint32_t kExtended = capability_mask::kIsExtendedSpeedsSupported;
    PortAt(kHost, 1).info.Set(P::kLinkSpeedExtSupported, std::uint8_t{7});
    EXPECT_FALSE(Plan(kHost, 1).extended);
    SetCapability(kHost, 1, kExtended);
    EXPECT_TRUE(Plan(kHost, 1).extended) << "the device alone says how it is asked";
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kLinkSpeedExtEnabled), link_speed_ext::kNoChange);
    SetCapability(kOther, 0, kExtended);  // Port 0 of a switch reports it for all its ports.
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kLinkSpeedExtEnabled), link_speed_ext::kSupported);
    EXPECT_TRUE(Plan(kOther, 1).extended);
}

TEST_F(PortValuesTest, ALinkThatIsUpIsBouncedOnlyForItsMtuOrVls) {
    Settle();
    Settle();
    PortAt(kHost, 1).info.Set(P::kMtuCap, Mtu::k2048);
    for (const PortState state : {PortState::kActive, PortState::kArmed}) {
        SetState(kOther, 1, state);
        const PortPlan plan = Plan(kOther, 1);
        EXPECT_TRUE(plan.bounce);
        EXPECT_EQ(plan.changes, ManagedBit(P::kNeighborMtu));
        EXPECT_EQ(plan.set.Get(P::kPortState), PortState::kDown);
        EXPECT_EQ(plan.set.Get(P::kNeighborMtu), Mtu::k2048);
    }
    SetState(kOther, 1, PortState::kInitialize);
    EXPECT_FALSE(Plan(kOther, 1).bounce);
    EXPECT_EQ(Plan(kOther, 1).set.Get(P::kPortState), PortState::kArmed);

    PortAt(kHost, 1).info.Set(P::kMtuCap, Mtu::k4096);
    SetState(kOther, 1, PortState::kActive);
    settings_.max_op_vls = 1;
    EXPECT_TRUE(Plan(kOther, 1).bounce);
    settings_.max_op_vls = 5;
    settings_.leaf_head_of_queue_lifetime = 14;
    const PortPlan plan = Plan(kOther, 1);
    EXPECT_TRUE(plan.differs);
    EXPECT_FALSE(plan.bounce);
    EXPECT_EQ(plan.changes, ManagedBit(P::kHoqLife));
    EXPECT_EQ(plan.set.Get(P::kPortState), PortState::kNoChange);
}

TEST_F(PortValuesTest, AFieldThatTheDeviceDoesNotKeepIsNotSetAgain) {
    Settle();
    Settle();
    PortAt(kHost, 1).info.Set(P::kMtuCap, Mtu::k2048);
    PortAt(kOther, 1).unkept = ManagedBit(P::kNeighborMtu);
    EXPECT_FALSE(Plan(kOther, 1).differs);
    EXPECT_FALSE(Plan(kOther, 1).bounce);
}

TEST_F(PortValuesTest, ALinkInQuarantineIsNotArmed) {
    Settle();
    Settle();
    SetState(kOne, 2, PortState::kInitialize);
    EXPECT_EQ(Plan(kOne, 2).set.Get(P::kPortState), PortState::kArmed);
    PortAt(kOne, 2).quarantined = true;
    EXPECT_FALSE(Plan(kOne, 2).differs);
    EXPECT_EQ(Plan(kOne, 2).set.Get(P::kPortState), PortState::kNoChange);
}

TEST_F(PortValuesTest, ALinkToAPortWithoutALidStaysInInit) {
    Settle();
    Settle();
    PortAt(kHost, 1).lid = kNoLid;
    EXPECT_TRUE(Plan(kOther, 1).bounce) << "it is ACTIVE";
    EXPECT_EQ(Plan(kOther, 1).set.Get(P::kPortState), PortState::kDown);
    SetState(kOther, 1, PortState::kInitialize);
    EXPECT_FALSE(Plan(kOther, 1).differs);
}

TEST_F(PortValuesTest, APortWithoutALidThatIsUpAloneGoesDown) {
    Settle();
    Settle();
    PortAt(kHost, 1).lid = kNoLid;
    EXPECT_FALSE(Plan(kHost, 1).differs) << "the switch takes the link down";
    SetState(kOther, 1, PortState::kInitialize);
    EXPECT_TRUE(Plan(kHost, 1).bounce);
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kPortState), PortState::kDown);
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kMKey), 0x1122334455667788U);
    SetState(kHost, 1, PortState::kInitialize);
    EXPECT_FALSE(Plan(kHost, 1).differs);
}

/// After a takeover of what clients had registered with the master before, at LID 40.
TEST_F(PortValuesTest, ClientsThatTheMasterBeforeHadLostReregister) {
    ForEachPort(fabric(), [](PortIndex, Port& port) {
        port.fresh = true;
        port.info.Set(P::kPortState, PortState::kActive);
        port.info.Set(P::kMasterSmLid, Lid{40});
    });
    SetCapability(kHost, 1, capability_mask::kIsClientReregistrationSupported);
    fabric().node(PortAt(kOne, 0).node).entry = Index(kManager, 1);
    fabric().node(PortAt(kOther, 0).node).entry = Index(kOne, 2);
    fabric().node(PortAt(kHost, 1).node).entry = Index(kOther, 1);
    values_.KnowRegistrations(Lid{40});
    EXPECT_FALSE(Plan(kHost, 1, true).reregister) << "it has served them to its end";
    PortAt(kOne, 2).info.Set(P::kPortState, PortState::kInitialize);
    EXPECT_TRUE(Plan(kHost, 1, true).reregister) << "it was cut off from them";
    PortAt(kOne, 2).info.Set(P::kPortState, PortState::kActive);
    PortAt(kManager, 1).info.Set(P::kPortState, PortState::kInitialize);
    EXPECT_FALSE(Plan(kHost, 1, true).reregister) << "only we were";
}

TEST_F(PortValuesTest, ClientsReregisterWithANewMasterAndAtANewPort) {
    Settle();
    Settle();
    SetCapability(kHost, 1, capability_mask::kIsClientReregistrationSupported);
    EXPECT_FALSE(Plan(kHost, 1).reregister);
    EXPECT_EQ(Plan(kHost, 1).set.Get(P::kClientReregister), 0);
    EXPECT_TRUE(Plan(kHost, 1, true).reregister);
    EXPECT_TRUE(Plan(kHost, 1, true).differs) << "though no field does";
    EXPECT_EQ(Plan(kHost, 1, true).set.Get(P::kClientReregister), 1);
    EXPECT_FALSE(Plan(kManager, 1, true).reregister) << "it has no such capability";
    SetCapability(kOne, 0, capability_mask::kIsClientReregistrationSupported);
    EXPECT_FALSE(Plan(kOne, 0, true).reregister) << "a switch has no clients";
    PortAt(kHost, 1).fresh = true;
    EXPECT_TRUE(Plan(kHost, 1).reregister);
    PortAt(kHost, 1).fresh = false;
    PortAt(kHost, 1).info.Set(P::kMasterSmLid, Lid{99});
    EXPECT_TRUE(Plan(kHost, 1).reregister);
    settings_.no_clients_rereg = true;
    EXPECT_FALSE(Plan(kHost, 1, true).reregister);
}

TEST_F(PortValuesTest, APortThatBabblesIsDisabledAndNothingElseChanged) {
    PortAt(kOther, 1).shall_go_down = true;
    const PortPlan plan = Plan(kOther, 1);
    EXPECT_TRUE(plan.differs);
    EXPECT_EQ(plan.changes, 0U);
    EXPECT_EQ(plan.set.Get(P::kPortState), PortState::kDown);
    EXPECT_EQ(plan.set.Get(P::kPortPhysicalState), PortPhysicalState::kDisabled);
    EXPECT_EQ(plan.set.Get(P::kHoqLife), 0) << "as it was read";
    EXPECT_EQ(plan.set.Get(P::kLinkWidthEnabled), link_width::kNoChange);
    EXPECT_EQ(plan.set.Get(P::kLinkSpeedEnabled), link_speed::kNoChange);
    fabric().Disconnect(Index(kOther, 1));
    EXPECT_FALSE(Plan(kOther, 1).differs) << "without a link there is nothing to disable";
}

}  // namespace
}  // namespace ember
