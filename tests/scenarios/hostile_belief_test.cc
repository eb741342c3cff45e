// SPDX-License-Identifier: Apache-2.0
// EmberSM: what one node says of itself costs no other node anything.
//
// Goal:   a switch or host that says its tables are tiny, or plays a fabric of switches, harms
// itself
//         at most: all others keep their LIDs, their ways and their groups, the subnet stays up,
//         and when the lie ends all is as before without being asked.
// Method: one liar a test, on a fabric that is otherwise healthy.
#include <gtest/gtest.h>

#include "tests/support/lying.h"
#include "tests/support/pretender.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// 4 leaves with two hosts each, and two spines.
class Belief : public ::testing::Test {
protected:
    static constexpr std::uint32_t kHosts = 8;
    static constexpr std::uint32_t kSpine = kHosts + 5;

    Belief() : world_(net::FatTree2(4)) {}

    void BringUp(const Settings& settings = BriskSettings()) {
        world_.AddManager(0, 1, settings);
        ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond)) << world_.Notes();
        ASSERT_EQ(world_.Judge(), "") << world_.Notes();
    }
    void Sweep(std::uint64_t time_us) {
        world_.sm().RequestSweep(SweepCue::kTimer);
        world_.Wake();
        world_.RunFor(time_us);
    }
    [[nodiscard]] Lid LidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).info.Get(PortInfo::kLid);
    }
    [[nodiscard]] std::vector<Lid> Lids() {
        std::vector<Lid> lids;
        for (std::uint32_t host = 0; host < kHosts; ++host) {
            lids.push_back(LidOf(host));
        }
        return lids;
    }
    /// Follows the tables of the switches; "" if a packet of each host but `outside` comes to each.
    [[nodiscard]] std::string HostsConnected(std::uint32_t outside = kHosts) {
        for (std::uint32_t from = 0; from < kHosts; ++from) {
            for (std::uint32_t to = 0; to < kHosts; ++to) {
                if (from == to || from == outside || to == outside) continue;
                if (!Arrives(from, to)) {
                    return "host " + std::to_string(from) + " does not reach " + std::to_string(to);
                }
            }
        }
        return "";
    }

    SimWorld world_;
    FreeLiar liar_{world_};

private:
    [[nodiscard]] bool Arrives(std::uint32_t from, std::uint32_t to) {
        sim::World& world = world_.world();
        std::uint32_t row = world.Beyond(world_.sim().RowOf(from, 1));
        const std::uint32_t goal = world_.sim().RowOf(to, 1);
        for (int hops = 0; hops < 8 && row != sim::kNoRow && row != goal; ++hops) {
            const std::uint32_t at = world.port(row).node;
            if (!world.node(at).is_switch()) return false;
            const std::uint32_t port = world.LftEntry(at, Raw(LidOf(to)));
            if (port == 0 || port > world.node(at).port_count) return false;
            row = world.Beyond(world_.sim().RowOf(at, port));
        }
        return row == goal;
    }
};

void SayTableOf(SwitchInfo& info, std::uint16_t lids) {
    info.Set(SwitchInfo::kLinearFdbCap, lids);
}

TEST_F(Belief, ASwitchThatSaysItsTableIsTinyIsLeftOutAlone) {
    BringUp();
    const std::vector<Lid> before = Lids();
    liar_.LieAbout<SwitchInfo>(kSpine, AttributeId::kSwitchInfo,
                               [](SwitchInfo& info, const Mad&) { SayTableOf(info, 2); });
    Sweep(20 * kSecond);
    EXPECT_EQ(Lids(), before);
    EXPECT_EQ(HostsConnected(), "") << world_.Notes();
    EXPECT_TRUE(world_.sm().is_up()) << world_.Notes();
    EXPECT_EQ(world_.sm().status().lids.left_out, 1U);
    EXPECT_GE(world_.Heard(Note::kSwitchLeftOut), 1U) << world_.Notes();
    for (std::uint32_t leaf = kHosts; leaf < kHosts + 4; ++leaf) {
        const std::uint32_t port =
            world_.world()
                .port(world_.world().Wired(world_.sim().RowOf(kSpine, leaf - kHosts + 1)))
                .number;
        for (const Lid lid : before) {
            EXPECT_NE(world_.world().LftEntry(leaf, Raw(lid)), port) << "a route leads through it";
        }
    }
    liar_.BeHonest();
    Sweep(20 * kSecond);
    EXPECT_GE(world_.Heard(Note::kSwitchTakenIn), 1U) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    EXPECT_EQ(Lids(), before);
}

TEST_F(Belief, NorDoesItTakeLidsAwayInARestart) {
    BringUp();
    const std::vector<Lid> before = Lids();
    liar_.LieAbout<SwitchInfo>(kSpine, AttributeId::kSwitchInfo,
                               [](SwitchInfo& info, const Mad&) { SayTableOf(info, 5); });
    world_.Restart();
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(Lids(), before);
    EXPECT_EQ(HostsConnected(), "") << world_.Notes();
}

TEST_F(Belief, NorBeforeAnyLidWasGiven) {
    liar_.LieAbout<SwitchInfo>(kSpine, AttributeId::kSwitchInfo,
                               [](SwitchInfo& info, const Mad&) { SayTableOf(info, 3); });
    world_.AddManager(0, 1, BriskSettings());
    world_.RunFor(20 * kSecond);
    for (const Lid lid : Lids()) {
        EXPECT_NE(lid, kNoLid);
    }
    EXPECT_EQ(HostsConnected(), "") << world_.Notes();
}

TEST_F(Belief, ASwitchWithoutRoomForGroupsDoesNotLimitThoseOfOthers) {
    BringUp();
    const std::size_t before = world_.sm().status().multicast.mlid_count;
    liar_.LieAbout<SwitchInfo>(kSpine, AttributeId::kSwitchInfo, [](SwitchInfo& info, const Mad&) {
        info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{1});
    });
    Sweep(10 * kSecond);
    EXPECT_EQ(world_.sm().status().multicast.mlid_count, before);
    // Hosts of different leaves, in a group that the spine says it cannot hold.
    Groups& groups = world_.sm().multicast().groups();
    const Gid mgid{0xFF12A01C00000000ULL, 7};
    ASSERT_TRUE(groups.Create(mgid, GroupValues{.p_key = 0xFFFF}, {}).ok());
    const GroupIndex group = groups.Find(mgid);
    for (const std::uint32_t host : {1U, 4U, 7U}) {
        const Guid guid = world_.world().port(world_.sim().RowOf(host, 1)).guid;
        ASSERT_TRUE(
            groups.Join(group, {.port_guid = guid, .owner = guid, .join_state = 1}, world_.now_us())
                .ok());
    }
    world_.Wake();
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(world_.sm().status().multicast.lost_members, 0U) << world_.Notes();
    const MlidIndex mlid = groups.group(group).mlid;
    ASSERT_GE(Raw(mlid), 1U);
    const auto block = world_.world().MftBlock(kSpine, Raw(mlid) / 32, 0);
    const std::size_t mask = Raw(mlid) % 32U * std::size_t{2};
    EXPECT_EQ(block[mask] | block[mask + 1], 0) << "it is in the tree";
}

TEST_F(Belief, AHostThatPosesAsASwitchWithATinyTableHarmsItselfOnly) {
    BringUp();
    const std::vector<Lid> before = Lids();
    constexpr std::uint32_t kLiar = 6;
    liar_.Lie([](std::uint32_t node, const Mad& asked, Mad& mad) {
        if (node != kLiar) return;
        auto smp = std::bit_cast<LidSmp>(mad);
        const AttributeId id = smp.header.attribute_id;
        if (id == AttributeId::kNodeInfo) {
            auto info = std::bit_cast<NodeInfo>(smp.data);
            info.Set(NodeInfo::kNodeType, NodeType::kSwitch);
            info.Set(NodeInfo::kNumPorts, std::uint8_t{2});
            info.Set(NodeInfo::kNodeGuid, Guid{0xBADBAD});
            info.Set(NodeInfo::kPortGuid, Guid{0xBADBAD});
            smp.data = info.octets();
        } else if (id == AttributeId::kSwitchInfo) {
            auto info = std::bit_cast<SwitchInfo>(DataOf(asked));
            SayTableOf(info, 2);
            smp.data = info.octets();
        } else if (id != AttributeId::kPortInfo && id != AttributeId::kNodeDescription) {
            smp.data = DataOf(asked);
        }
        smp.header.status = static_cast<std::uint16_t>(smp.header.status & 0x8000);
        smp.header.method = Method::kGetResp;
        mad = std::bit_cast<Mad>(smp);
    });
    world_.Cut(kLiar, 1);
    world_.RunFor(2 * kSecond);
    world_.Join(kLiar, 1);
    world_.RunFor(20 * kSecond);
    for (std::uint32_t host = 0; host < kHosts; ++host) {
        if (host != kLiar) {
            EXPECT_EQ(LidOf(host), before[host]) << "host " << host;
        }
    }
    EXPECT_EQ(HostsConnected(kLiar), "") << world_.Notes();
    EXPECT_TRUE(world_.sm().is_up()) << world_.Notes();
}

/// With a host on the manager's own leaf that can play a fabric.
class FakeFabric : public Belief {
protected:
    void SetUp() override {
        world_.AddManager(0, 1, BriskSettings());
        ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond)) << world_.Notes();
        DirectedPath way;
        const Fabric& fabric = world_.sm().fabric();
        const Guid guid = world_.world().port(world_.sim().RowOf(1, 1)).guid;
        ASSERT_EQ(fabric.PathTo(fabric.FindPort(guid), way), Status::kOk);
        host_.emplace(world_.attachment(), way);
        world_.Interpose(*host_);
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond)) << world_.Notes();
    }
    /// Runs, and says in how many of a hundred looks the subnet was up.
    unsigned UpWhile(std::uint64_t time_us) {
        const std::uint64_t end_us = world_.now_us() + time_us;
        unsigned looks = 0;
        unsigned up = 0;
        while (world_.now_us() < end_us) {
            if (host_->has_more()) world_.Wake();
            world_.RunFor(200);
            ++looks;
            if (world_.sm().is_up()) ++up;
        }
        return up * 100 / looks;
    }
    void ExpectOthersServed() {
        for (std::uint32_t host = 0; host < kHosts; ++host) {
            if (host != 1) {
                EXPECT_NE(LidOf(host), kNoLid) << "host " << host;
            }
        }
        EXPECT_EQ(HostsConnected(1), "") << world_.Notes();
    }

    std::optional<Pretender> host_;
};

TEST_F(FakeFabric, IsOneNodeAndAnEighthOfTheTablesWhereAHostWas) {
    host_->is_on = true;
    EXPECT_GE(UpWhile(20 * kSecond), 95U) << world_.Notes();
    ExpectOthersServed();
    const SubnetStatus status = world_.sm().status();
    EXPECT_LE(status.switches, 6U + 1U + kSimSmall.max_switches / 8) << world_.Notes();
    EXPECT_FALSE(world_.sm().fabric().shortage().any());
    EXPECT_GE(status.discovery.shut, 1U);
    EXPECT_GE(world_.Heard(Note::kQuotaUsedUp), 1U);
}

TEST_F(FakeFabric, ThatStaysTheSameForAMinuteIsAsGoodAsOneThatWasThereBefore) {
    host_->is_on = true;
    UpWhile(90 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kDoorOpened), 1U) << world_.Notes();
    ExpectOthersServed();
}

TEST_F(FakeFabric, ThatIsAnotherWithEveryAnswerIsNeverTakenIn) {
    host_->is_on = true;
    host_->is_fickle = true;
    UpWhile(200 * kSecond);
    EXPECT_GE(world_.Heard(Note::kQuotaUsedUp), 1U);
    EXPECT_EQ(world_.Heard(Note::kDoorOpened), 0U) << world_.Notes();
    ExpectOthersServed();
}

TEST_F(FakeFabric, ThatWasThereBeforeUsTakesNobodysPlace) {
    host_->is_on = true;
    world_.Restart();
    UpWhile(20 * kSecond);
    ExpectOthersServed();
}

TEST_F(FakeFabric, ThatIsAnotherWithEveryAnswerTakesNobodysPlaceEither) {
    host_->is_on = true;
    host_->is_fickle = true;
    world_.Restart();
    UpWhile(20 * kSecond);
    ExpectOthersServed();
}

TEST_F(FakeFabric, LeavesNothingBehindWhenItEnds) {
    host_->is_on = true;
    host_->is_fickle = true;
    world_.Restart();
    UpWhile(20 * kSecond);
    host_->is_on = false;
    world_.RunFor(60 * kSecond);
    EXPECT_EQ(world_.sm().status().nodes, 14U) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

TEST(FullBoard, TakesInThoseWhoComeForThoseWhoWent) {
    constexpr Limits kTight = [] {
        Limits limits = kSimSmall;
        limits.max_nodes = 5;
        limits.max_switches = 2;
        return limits;
    }();
    for (const bool at_once : {false, true}) {
        SCOPED_TRACE(at_once ? "at once" : "one after the other");
        using Action = sim::FabricSim::Action;
        SimWorld world(net::SingleSwitch(6));
        for (const std::uint32_t off : {4U, 5U}) {
            world.sim().Do(Action::kPowerOff, off);
        }
        Settings settings = BriskSettings();
        settings.sweep_on_trap = false;
        settings.sweep_interval = 5;
        world.AddManager<kTight>(0, 1, settings);
        ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
        for (const std::uint32_t off : {2U, 3U}) {
            world.sim().Do(Action::kPowerOff, off);
        }
        if (!at_once) world.RunFor(10 * kSecond);
        for (const std::uint32_t on : {4U, 5U}) {
            world.sim().Do(Action::kPowerOn, on);
        }
        world.RunFor(60 * kSecond);
        EXPECT_EQ(world.sm().status().nodes, 5U) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
}

TEST(Growth, ASwitchMayTakeThePlaceOfAHost) {
    // A hub with three hosts; beside it, not cabled to it, a switch with three hosts and a spare
    // one.
    net::Netlist netlist;
    const std::uint32_t hub = netlist.Add(NodeType::kSwitch, 8, "hub", "");
    const std::uint32_t late = netlist.Add(NodeType::kSwitch, 8, "late", "");
    for (std::uint32_t i = 0; i < 3; ++i) {
        const std::string name = std::to_string(i);
        const std::uint32_t near = netlist.Add(NodeType::kChannelAdapter, 1, "n" + name, "");
        const std::uint32_t far = netlist.Add(NodeType::kChannelAdapter, 1, "f" + name, "");
        netlist.Connect(near, 1, hub, 1 + i);
        netlist.Connect(far, 1, late, 1 + i);
    }
    const std::uint32_t spare = netlist.Add(NodeType::kChannelAdapter, 1, "spare", "");
    netlist.Connect(spare, 1, late, 8);
    netlist.AssignGuids();
    SimWorld world(netlist);
    world.AddManager(2, 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
    ASSERT_EQ(world.sm().status().nodes, 4U);
    world.sim().SwapLinks(world.sim().RowOf(6, 1), world.sim().RowOf(late, 8));
    world.RunFor(20 * kSecond);
    EXPECT_EQ(world.sm().status().switches, 2U) << world.Notes();
    EXPECT_EQ(world.sm().status().nodes, 7U) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(EdgePorts, HoldHostsAndNoSwitches) {
    SimWorld world(net::FatTree2(4));
    // Where the first leaf is cabled to a spine.
    const sim::World& hardware = world.world();
    const std::uint32_t near_end = hardware.Wired(world.sim().RowOf(8 + 4, 1));
    const std::array<SwitchPort, 1> edges{{{hardware.node(hardware.port(near_end).node).guid,
                                            PortNumber{hardware.port(near_end).number}}}};
    Settings settings = BriskSettings();
    settings.manager_tables.edge_ports = edges;
    world.AddManager(0, 1, settings);
    world.RunFor(10 * kSecond);
    EXPECT_GE(world.Heard(Note::kEdgePortRefused), 1U) << world.Notes();
    const PortIndex at = [&] {
        const Fabric& fabric = world.sm().fabric();
        return fabric.PortOf(fabric.FindNode(edges[0].guid), edges[0].port);
    }();
    EXPECT_EQ(world.sm().fabric().port(at).peer, kNoPortIndex);
    EXPECT_TRUE(world.sm().is_up()) << world.Notes();
}

}  // namespace
}  // namespace ember::testing
