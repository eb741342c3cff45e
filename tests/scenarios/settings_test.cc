// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an operator decides reaches the hardware.
//
// Goal:   every value of opensm.conf that the subnet manager acts on stands in the devices after
//         the bring-up, and policy about LIDs and deadlocks is obeyed.
// Method: whole bring-ups on simulated hardware, whose registers are read afterwards.
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "tests/support/lying.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// The PortInfos of the hardware that a test looks at: fat tree k=4, hosts first.
class Configured : public ::testing::Test {
protected:
    void BringUp(const Settings& settings, const SimWorld::Options& options = {}) {
        world_ = std::make_unique<SimWorld>(net::FatTree2(4), options);
        world_->AddManager(settings);
        ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
        ASSERT_EQ(world_->Judge(), "") << world_->Notes();
    }
    [[nodiscard]] const PortInfo& Info(std::uint32_t node, std::uint32_t port) {
        return world_->world().port(world_->sim().RowOf(node, port)).info;
    }
    /// A switch port to a host, and one to another switch.
    struct Faces {
        std::uint32_t node = 0;
        std::uint32_t to_host = 0;
        std::uint32_t to_switch = 0;
    };
    [[nodiscard]] Faces FindFaces() {
        sim::World& world = world_->world();
        for (std::uint32_t at = 0; at < world.node_count(); ++at) {
            Faces faces{at, 0, 0};
            for (std::uint32_t p = 1; world.node(at).is_switch() && p <= world.node(at).port_count;
                 ++p) {
                const std::uint32_t beyond = world.Beyond(world_->sim().RowOf(at, p));
                if (beyond == sim::kNoRow) continue;
                (world.node_of(beyond).is_switch() ? faces.to_switch : faces.to_host) = p;
            }
            if (faces.to_host != 0 && faces.to_switch != 0) return faces;
        }
        ADD_FAILURE() << "no leaf switch";
        return {};
    }

    std::unique_ptr<SimWorld> world_;
};

TEST_F(Configured, EndPortsCarryTheKeysTimesAndThresholds) {
    Settings settings = BriskSettings();
    settings.subnet_prefix = 0xFEC0000000000007;
    settings.subnet_timeout = 20;
    settings.local_phy_errors_threshold = 3;
    settings.overrun_errors_threshold = 5;
    settings.sm_sl = 4;
    settings.m_key = 0x1234;
    settings.m_key_lease_period = 60;
    settings.m_key_protection_level = 1;
    BringUp(settings);

    const PortInfo& host = Info(0, 1);
    EXPECT_EQ(host.Get(PortInfo::kGidPrefix), settings.subnet_prefix);
    EXPECT_EQ(host.Get(PortInfo::kSubnetTimeOut), 20);
    EXPECT_EQ(host.Get(PortInfo::kLocalPhyErrors), 3);
    EXPECT_EQ(host.Get(PortInfo::kOverrunErrors), 5);
    EXPECT_EQ(host.Get(PortInfo::kMasterSmSl), 4);
    EXPECT_EQ(host.Get(PortInfo::kMKey), 0x1234U);
    EXPECT_EQ(host.Get(PortInfo::kMKeyLeasePeriod), 60);
    EXPECT_EQ(host.Get(PortInfo::kMKeyProtectBits), 1);
    EXPECT_EQ(host.Get(PortInfo::kLinkDownDefaultState), LinkDownDefaultState::kPolling);
}

TEST_F(Configured, SwitchPortsTellHostsFromSwitches) {
    Settings settings = BriskSettings();
    settings.head_of_queue_lifetime = 0x11;
    settings.leaf_head_of_queue_lifetime = 0x0F;
    settings.vl_stall_count = 6;
    settings.leaf_vl_stall_count = 5;
    settings.packet_life_time = 0x10;
    BringUp(settings);

    const Faces leaf = FindFaces();
    EXPECT_EQ(Info(leaf.node, leaf.to_switch).Get(PortInfo::kHoqLife), 0x11);
    EXPECT_EQ(Info(leaf.node, leaf.to_switch).Get(PortInfo::kVlStallCount), 6);
    EXPECT_EQ(Info(leaf.node, leaf.to_host).Get(PortInfo::kHoqLife), 0x0F);
    EXPECT_EQ(Info(leaf.node, leaf.to_host).Get(PortInfo::kVlStallCount), 5);
    EXPECT_EQ(world_->world().node(leaf.node).switch_info.Get(SwitchInfo::kLifeTimeValue), 0x10);
}

TEST_F(Configured, OperationalVlsAreBoundedByTheOption) {
    Settings settings = BriskSettings();
    settings.max_op_vls = 2;
    BringUp(settings);
    const Faces leaf = FindFaces();
    EXPECT_EQ(Info(leaf.node, leaf.to_switch).Get(PortInfo::kOperationalVls), VlCap::kVl0To1);
    EXPECT_EQ(Info(0, 1).Get(PortInfo::kOperationalVls), VlCap::kVl0To1);
}

TEST_F(Configured, NewVlsOnARunningLinkTakeItDownAndUpAgain) {
    BringUp(BriskSettings());
    Settings settings = BriskSettings();
    settings.max_op_vls = 1;
    world_->sm().Configure(settings);
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "") << world_->Notes();
    EXPECT_EQ(Info(0, 1).Get(PortInfo::kOperationalVls), VlCap::kVl0);
    EXPECT_EQ(Info(0, 1).Get(PortInfo::kPortState), PortState::kActive);
}

/// The answer of a host that takes its link down comes back over that link, if it does.
TEST_F(Configured, NewVlsTakeEachEndOfALinkDownOnce) {
    BringUp(BriskSettings());
    std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> times;
    FreeLiar observer(*world_);
    observer.Lie([&](std::uint32_t node, const Mad& asked, const Mad&) {
        const bool is_set = asked.header.method == Method::kSet &&
                            asked.header.attribute_id == AttributeId::kPortInfo;
        if (!is_set) return;
        const auto info = std::bit_cast<PortInfo>(DataOf(asked));
        if (info.Get(PortInfo::kPortState) != PortState::kDown) return;
        ++times[{node, asked.header.attribute_modifier & 0xFFU}];
    });
    Settings settings = BriskSettings();
    settings.max_op_vls = 1;
    settings.max_wire_smps = 1;
    world_->sm().Configure(settings);
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "") << world_->Notes();
    EXPECT_GE(times.size(), 16U) << "each of 16 links has an end that took it down";
    for (const auto& [end, count] : times) {
        EXPECT_EQ(count, 1U) << "port " << end.second << " of node " << end.first;
    }
}

TEST_F(Configured, SpeedAndWidthAreLeftAloneOrForced) {
    Settings settings = BriskSettings();
    settings.force_link_speed = 1;
    settings.force_link_width = link_width::k1x;
    BringUp(settings);
    const Faces leaf = FindFaces();
    EXPECT_EQ(Info(leaf.node, leaf.to_switch).Get(PortInfo::kLinkSpeedEnabled), 1);
    EXPECT_EQ(Info(leaf.node, leaf.to_switch).Get(PortInfo::kLinkWidthEnabled), link_width::k1x);
}

TEST_F(Configured, NobodyIsAskedToRegisterAgainWhenTheOptionSaysSo) {
    Settings settings = BriskSettings();
    settings.no_clients_rereg = true;
    BringUp(settings);
    EXPECT_EQ(world_->sim().counters().reregistrations, 0U);

    BringUp(BriskSettings());
    std::uint32_t hosts = 0;
    for (std::uint32_t at = 0; at < world_->world().node_count(); ++at) {
        if (!world_->world().node(at).is_switch()) ++hosts;
    }
    EXPECT_EQ(world_->sim().counters().reregistrations, hosts);  // Once each, in all the sweeps.
}

TEST_F(Configured, ReassigningLidsForgetsWhatWasThere) {
    Settings settings = BriskSettings();
    settings.order = Order::kGuid;
    BringUp(settings);
    const Lid before = Info(1, 1).Get(PortInfo::kLid);
    world_->Kill();
    settings.order = Order::kOpensm;
    settings.reassign_lids = true;
    world_->Reconfigure(settings);
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "") << world_->Notes();
    // The store and the ports held the other order; nothing of it is left.
    std::set<unsigned> lids;
    for (std::uint32_t row = 0; row < world_->world().row_count(); ++row) {
        lids.insert(Raw(world_->world().port(row).info.Get(PortInfo::kLid)));
    }
    lids.erase(0);
    EXPECT_EQ(*lids.rbegin(), lids.size());
    EXPECT_NE(Info(1, 1).Get(PortInfo::kLid), before);
}

/// Master, then standby under a higher one that moves a LID, then master again.
Lid LidAfterComingBack(bool honor) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.honor_guid2lid_file = honor;
    settings.sminfo_polling_timeout = 200;
    settings.polling_retry_number = 2;
    world.AddManager(0, 1, settings);
    EXPECT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    const std::uint32_t row = world.sim().RowOf(2, 1);
    const Lid first = world.world().port(row).info.Get(PortInfo::kLid);

    Settings other = settings;
    other.sm_priority = 9;
    other.order = Order::kGuid;
    other.reassign_lids = true;
    const std::size_t higher = world.AddManager(1, 1, other);
    EXPECT_TRUE(world.RunUntil(
        [&] {
            return world.sm(higher).role().is_master() && world.sm(higher).is_up() &&
                   world.sm(0).role().state() == SmState::kStandby;
        },
        60 * kSecond))
        << world.Notes(0) << world.Notes(higher);
    const Lid second = world.world().port(row).info.Get(PortInfo::kLid);
    EXPECT_NE(first, second);

    world.Kill(higher);
    EXPECT_TRUE(world.RunUntil(
        [&] { return world.sm(0).role().is_master() && world.sm(0).is_up(); }, 60 * kSecond))
        << world.Notes(0);
    const Lid third = world.world().port(row).info.Get(PortInfo::kLid);
    EXPECT_EQ(third, honor ? first : second);
    EXPECT_EQ(world.Judge(0), "") << world.Notes(0);
    return third;
}

TEST(LeavingStandby, LearnsTheLidsOfTheMasterBefore) {
    LidAfterComingBack(false);
}

TEST(LeavingStandby, GoesBackToItsOwnLidsWhenTheOptionSaysSo) {
    LidAfterComingBack(true);
}

net::Netlist SmallTorus() {
    constexpr std::array<std::uint32_t, 2> kSizes{4, 4};
    return net::Torus(kSizes, 1);
}

TEST(DeadlockPolicy, MinHopOnATorusIsProgrammedWithAWarningAndTheCycle) {
    SimWorld world(SmallTorus());
    world.AddManager(MinHopSettings());
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
    EXPECT_EQ(world.sm().router().verdict().outcome, RoutingOutcome::kWarned);
    EXPECT_GE(world.Heard(Note::kCreditLoop), 1U);
    EXPECT_GE(world.Heard(Note::kCreditLoopMember), 3U);
    EXPECT_GE(world.Heard(Note::kCreditLoopAccepted), 1U);
}

TEST(DeadlockPolicy, UnderRequireDeadlockFreeNothingIsProgrammed) {
    SimWorld world(SmallTorus());
    Settings settings = MinHopSettings();
    settings.require_deadlock_free = true;
    settings.no_fallback = true;
    world.AddManager(settings);
    EXPECT_FALSE(world.RunUntilUp(10 * kSecond));
    EXPECT_GE(world.Heard(Note::kCreditLoopRefused), 1U) << world.Notes();
    EXPECT_GE(world.Heard(Note::kRoutingRefused), 1U);
    EXPECT_EQ(world.sim().counters().Sets(AttributeId::kLinearForwardingTable), 0U);
    for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
        const sim::SimPort& port = world.world().port(row);
        if (port.number == 0) continue;  // A switch's own, which is always up, or no port at all.
        EXPECT_NE(port.info.Get(PortInfo::kPortState), PortState::kActive);
    }
}

TEST(Timer, NoSweepIntervalMeansNoSweepOnceAllIsWell) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.sweep_interval = 0;
    settings.scrub_interval = 0;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(10 * kSecond)) << world.Notes();
    world.RunFor(kSecond);
    const std::uint64_t requests = world.sim().counters().requests;
    world.RunFor(120 * kSecond);
    EXPECT_EQ(world.sim().counters().requests, requests);
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.Wake();
    world.RunFor(kSecond);
    EXPECT_GT(world.sim().counters().requests, requests);
}

TEST(Timer, ForceHeavySweepMakesEveryTimedSweepHeavy) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.force_heavy_sweep = true;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(10 * kSecond)) << world.Notes();
    const std::uint64_t heavy = world.sm().status().heavy_sweeps;
    world.RunFor(10 * kSecond);
    EXPECT_GE(world.sm().status().heavy_sweeps, heavy + 8);
    EXPECT_EQ(world.sm().status().light_sweeps, 0U);
}

}  // namespace
}  // namespace ember::testing
