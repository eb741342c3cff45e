// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lanes of a routing reach the switches, and clients are told what fits them.
//
// Goal:   once the subnet is up, switches give the service levels of paths the lanes that were
//         proved, whatever the keys say, and all others what the keys say; a path record has the
//         service level of the routing; where there are no lanes, dfsssp is refused by name.
// Method: a simulated ring, whose routes close a cycle on one lane.
#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <span>
#include <string>

#include "core/wire/path_record.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/switch_info.h"
#include "tests/support/lane_engine.h"
#include "tests/support/lying.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using P = PathRecord;

constexpr std::uint32_t kRing = 8;

/// dfsssp, with keys that give no service level the lane of its number.
Settings DfssspSettings() {
    Settings settings = BriskSettings();
    settings.qos = true;
    EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kDfsssp), Status::kOk);
    for (const LanePorts kind : {LanePorts::kAny, LanePorts::kSwitchExternal}) {
        for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
            const auto vl = static_cast<std::uint8_t>((sl + 3) % 8);
            EXPECT_EQ(settings.lanes[Raw(kind)].sl_to_vl.TryPush(vl), Status::kOk);
        }
    }
    return settings;
}

class RoutedLanes : public ::testing::Test {
protected:
    explicit RoutedLanes(const net::Netlist& netlist = net::Ring(kRing, 1)) : world_(netlist) {}
    /// The VL of an SL at a turn, as the switch has it.
    [[nodiscard]] unsigned LaneAt(const sim::SimNode& node, std::uint32_t in, std::uint32_t out,
                                  unsigned sl) {
        const std::span<const std::uint8_t> octets = world_.world().SlToVl(node.first_row, in, out);
        return sl % 2 == 0 ? octets[sl / 2] >> 4U : octets[sl / 2] & 15U;
    }
    /// Calls `see(node, in, out)` for every turn of a switch to a link that is up.
    template <typename See>
    void ForEachTurn(const See& see) {
        std::size_t turns = 0;
        for (const sim::SimNode& node : world_.world().nodes()) {
            for (std::uint32_t out = 1; node.is_switch() && out <= node.port_count; ++out) {
                const PortInfo& info = world_.world().port(node.first_row + out).info;
                if (info.Get(PortInfo::kPortState) == PortState::kDown) continue;
                for (std::uint32_t in = 0; in <= node.port_count; ++in) {
                    see(node, in, out);
                    ++turns;
                }
            }
        }
        EXPECT_GT(turns, 0U);
    }
    [[nodiscard]] const RoutingLanes& programmed() {
        return world_.sm().router().programmed_lanes();
    }
    void Start(const Settings& settings) {
        world_.AddManager(settings);
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilUp(60 * kSecond)) << world_.Notes();
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }
    void ExpectLanes(unsigned lanes) {
        ForEachTurn([&](const sim::SimNode& node, std::uint32_t in, std::uint32_t out) {
            const PortInfo& info = world_.world().port(node.first_row + out).info;
            const unsigned of_link = DataVls(info.Get(PortInfo::kOperationalVls));
            for (unsigned sl = 0; sl < kSlToVlEntries; ++sl) {
                const unsigned wanted = (sl < lanes ? sl : (sl + 3) % 8) % of_link;
                EXPECT_EQ(LaneAt(node, in, out, sl), wanted) << in << " to " << out << ", " << sl;
            }
        });
    }

    /// Turns at which switches drop packets of an SL.
    [[nodiscard]] std::size_t Drops(unsigned sl) {
        std::size_t drops = 0;
        ForEachTurn([&](const sim::SimNode& node, std::uint32_t in, std::uint32_t out) {
            if (LaneAt(node, in, out, sl) == SlToVlMappingTable::kDrop) ++drops;
        });
        return drops;
    }

    SimWorld world_;
};

/// A torus: where a switch has no room for routes, the engine auto takes lanes that rise on the
/// way, and turns from that switch drop.
class TorusLanes : public RoutedLanes {
protected:
    TorusLanes() : RoutedLanes(net::Torus(std::array{2U, 3U}, 1)) {}
    [[nodiscard]] std::uint32_t LastSwitch() {
        std::uint32_t node = static_cast<std::uint32_t>(world_.world().node_count()) - 1;
        while (!world_.world().node(node).is_switch()) {
            --node;
        }
        return node;
    }
    /// By what it says the last switch has, or has not, room for routes.
    void LeaveOut(bool is_left_out) {
        if (!is_left_out) return liar_.BeHonest();
        liar_.LieAbout<SwitchInfo>(LastSwitch(), AttributeId::kSwitchInfo,
                                   [](SwitchInfo& info, const Mad&) {
                                       info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{2});
                                   });
    }
    void Settle() {
        world_.sm().RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake();
        world_.RunFor(5 * kSecond);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }
    void StartWithLanesThatDrop() {
        Start(AutoSettings());
        ASSERT_TRUE(programmed().is_one_lane());
        ASSERT_EQ(Drops(0), 0U);
        LeaveOut(true);
        Settle();
        ASSERT_FALSE(programmed().is_one_lane()) << world_.Notes();
        ASSERT_GT(Drops(0), 0U);
    }
    [[nodiscard]] static Settings AutoSettings() {
        Settings settings = BriskSettings();
        EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kAuto), Status::kOk);
        return settings;
    }

    FreeLiar liar_{world_};
};

TEST_F(RoutedLanes, SwitchesHaveThoseThatWereProved) {
    Start(DfssspSettings());
    ASSERT_EQ(programmed().count, 2);
    EXPECT_EQ(world_.sm().router().verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_NE(world_.Notes().find("hops, 2 VLs,"), std::string::npos) << world_.Notes();
    ExpectLanes(2);
}

TEST_F(RoutedLanes, AreWrittenWithoutAnotherSweepWhenTheEngineChanges) {
    Settings settings = DfssspSettings();
    const EngineList dfsssp = settings.routing_engine;
    settings.routing_engine = MinHopSettings().routing_engine;
    Start(settings);
    ASSERT_TRUE(programmed().is_one_lane());
    ExpectLanes(0);
    settings.routing_engine = dfsssp;
    world_.sm().Configure(settings);
    world_.Wake();
    world_.RunFor(kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectLanes(2);
}

/// Goal: both ends of a path are told one service level, that of the routing. Method: a client on
/// each host asks for the paths to all others.
TEST_F(RoutedLanes, PathRecordsHaveTheServiceLevelOfThePath) {
    Start(DfssspSettings());
    std::set<unsigned> told;
    const Fabric& fabric = world_.sm().fabric();
    for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
        if (world_.world().node(node).is_switch() || node == world_.node_of_seat()) continue;
        SaClient client(world_, node);
        for (std::uint32_t lid = 1; lid <= Raw(fabric.top_lid()); ++lid) {
            P asked;
            asked.Set(P::kSlid, client.lid());
            asked.Set(P::kDlid, static_cast<Lid>(lid));
            asked.Set(P::kReversible, std::uint8_t{1});
            constexpr std::uint64_t kMask = std::uint64_t{1} << P::kHasSlid |
                                            std::uint64_t{1} << P::kHasDlid |
                                            std::uint64_t{1} << P::kHasReversible;
            const SaMad answer = client.Ask(Method::kGet, SaAttribute::kPathRecord, kMask, asked);
            ASSERT_EQ(answer.header.status, 0U) << lid;
            P path;
            std::copy_n(answer.data.begin(), sizeof path, path.octets().begin());
            const auto place = [&](Lid at) {
                const Port& port = fabric.port(fabric.PortByLid(at));
                const Node& owner = fabric.node(port.node);
                if (owner.type == NodeType::kSwitch) return owner.switch_index;
                return fabric.node(fabric.port(port.peer).node).switch_index;
            };
            const std::uint8_t sl = programmed().path_sl.Of({.from = place(client.lid()),
                                                             .to = place(static_cast<Lid>(lid)),
                                                             .lid = static_cast<Lid>(lid)});
            EXPECT_EQ(path.Get(P::kSl), sl);
            told.insert(sl);
        }
    }
    EXPECT_EQ(told.size(), 2U) << "both lanes are used";
}

TEST_F(RoutedLanes, WithoutQosAreThoseOfDfssspToo) {
    Settings settings = DfssspSettings();
    settings.qos = false;
    Start(settings);
    EXPECT_EQ(programmed().count, 2);
    EXPECT_EQ(world_.Heard(Note::kSafeRoutingTaken), 0U) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "");
}

TEST_F(RoutedLanes, WithoutLanesDfssspIsRefusedByName) {
    Settings settings = DfssspSettings();
    settings.routing_lanes = false;
    Start(settings);
    EXPECT_GE(world_.Heard(Note::kSafeRoutingTaken), 1U) << world_.Notes();
    EXPECT_NE(world_.Notes().find(
                  "cannot route this fabric: its paths need several VLs, and by routing_lanes"),
              std::string::npos)
        << world_.Notes();
    EXPECT_EQ(world_.Judge(), "");
}

/// A link that comes back with one lane among links of eight.
TEST_F(RoutedLanes, OfALinkThatShrinksEndTheRoutingAndAreNamed) {
    Start(DfssspSettings());
    const net::Netlist netlist = net::Ring(kRing, 1);
    std::uint32_t node = 0;
    while (!netlist.nodes[node].is_switch()) {
        ++node;
    }
    std::uint32_t port = 1;
    while (!netlist.nodes[netlist.nodes[node].ports[port].peer].is_switch()) {
        ++port;
    }
    world_.Cut(node, port);
    PortInfo& info = world_.world().port(world_.world().node(node).first_row + port).info;
    info.Set(PortInfo::kVlCap, VlCap::kVl0);
    world_.RunFor(5 * kSecond);
    world_.Join(node, port);
    world_.RunFor(5 * kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_NE(world_.Notes().find("a link has fewer data VLs than it needs"), std::string::npos)
        << world_.Notes();
    EXPECT_TRUE(programmed().is_one_lane());
    ExpectLanes(0);
    EXPECT_EQ(world_.Judge(), "");
}

TEST_F(TorusLanes, OfRoutesThatAreGoneDropNothing) {
    StartWithLanesThatDrop();
    LeaveOut(false);
    Settle();
    ASSERT_TRUE(programmed().is_one_lane()) << world_.Notes();
    EXPECT_EQ(Drops(0), 0U);
    EXPECT_EQ(world_.Judge(), "");
}

/// The link was down while routes of one lane took over.
TEST_F(TorusLanes, OfALinkThatComesBackLaterDropNothing) {
    StartWithLanesThatDrop();
    std::uint32_t out = 0;
    ForEachTurn([&](const sim::SimNode& node, std::uint32_t in, std::uint32_t to) {
        const std::uint32_t row = node.first_row + to;
        const bool is_trunk = world_.world().node_of(world_.world().Beyond(row)).is_switch();
        if (is_trunk && LaneAt(node, in, to, 0) == SlToVlMappingTable::kDrop) out = row;
    });
    ASSERT_NE(out, 0U);
    world_.sim().Do(sim::FabricSim::Action::kCut, out);
    LeaveOut(false);
    Settings settings = AutoSettings();
    settings.routing_engine = MinHopSettings().routing_engine;
    world_.sm().Configure(settings);
    Settle();
    ASSERT_TRUE(programmed().is_one_lane()) << world_.Notes();
    world_.sim().Do(sim::FabricSim::Action::kJoin, out);
    Settle();
    EXPECT_EQ(Drops(0), 0U);
    EXPECT_EQ(world_.Judge(), "");
}

/// Keys that count no longer.
TEST_F(RoutedLanes, OfKeysThatAreTurnedOffDropNothing) {
    Settings settings = MinHopSettings();
    settings.qos = true;
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        const std::uint8_t vl = sl == 5 ? SlToVlMappingTable::kDrop : std::uint8_t{0};
        ASSERT_EQ(settings.lanes[Raw(LanePorts::kAny)].sl_to_vl.TryPush(vl), Status::kOk);
    }
    Start(settings);
    ASSERT_GT(Drops(5), 0U);
    settings.qos = false;
    world_.sm().Configure(settings);
    world_.Wake();
    world_.RunFor(5 * kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Drops(5), 0U);
}

/// An engine whose maps are by input and output port.
TEST(RoutedLaneMaps, ReachEveryTurn) {
    SimWorld world(net::FatTree2(4));
    LaneEngine engine;
    engine.lanes_in_use = 2;
    engine.lane = 1;
    Settings settings = BriskSettings();
    settings.qos = true;
    world.AddManager(settings);
    world.TakeEngines({&engine});
    world.Restart();
    ASSERT_TRUE(world.RunUntilUp(60 * kSecond)) << world.Notes();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    std::size_t turns = 0;
    for (const sim::SimNode& node : world.world().nodes()) {
        for (std::uint32_t out = 1; node.is_switch() && out <= node.port_count; ++out) {
            const PortInfo& info = world.world().port(node.first_row + out).info;
            if (info.Get(PortInfo::kPortState) == PortState::kDown) continue;
            for (std::uint32_t in = 0; in <= node.port_count; ++in) {
                for (const std::uint8_t octet : world.world().SlToVl(node.first_row, in, out)) {
                    EXPECT_EQ(octet, 0x11) << in << " to " << out;
                }
                ++turns;
            }
        }
    }
    EXPECT_GT(turns, 0U);
}

}  // namespace
}  // namespace ember::testing
