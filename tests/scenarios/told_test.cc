// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the log tells of a subnet that changes.
//
// Goal:   an operator reads who came and who went, both ends of cables, by the names that people
//         know, and a sum where there is much to tell.
// Method: one change at a time; the log is read as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "config/netlist/topologies.h"
#include "tests/support/lies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Action = sim::FabricSim::Action;

/// A two-level tree that is up; every node has a name, `node-` and its number.
class ToldFabric : public ::testing::Test {
protected:
    ToldFabric() : world_(Named()) {
        world_.AddManager();
        up_ = world_.RunUntilQuiet(30 * kSecond);
        for (std::uint32_t i = 0; i < world_.world().node_count(); ++i) {
            if (world_.world().node(i).is_switch()) last_switch_ = i;
        }
    }
    void SetUp() override { ASSERT_TRUE(up_) << world_.Notes(); }

    static net::Netlist Named() {
        net::Netlist net = net::FatTree2(6);
        for (std::size_t i = 0; i < net.nodes.size(); ++i) {
            net.nodes[i].description = "node-" + std::to_string(i);
        }
        return net;
    }
    /// "0x... "node-3" port 2": an end of a cable, as the log has it.
    [[nodiscard]] std::string EndText(std::uint32_t row) {
        const std::string node = std::to_string(world_.world().port(row).node);
        return "\"node-" + node + "\" port " + std::to_string(world_.world().port(row).number);
    }
    /// A cable between switches: the row of one end.
    [[nodiscard]] std::uint32_t Trunk() {
        const sim::World& world = world_.world();
        for (std::uint32_t row = 0; row < world.row_count(); ++row) {
            const std::uint32_t other = world.Beyond(row);
            if (other == sim::kNoRow || !world.node_of(row).is_switch()) continue;
            if (world.node_of(other).is_switch()) return row;
        }
        ADD_FAILURE() << "no cable between switches";
        return 0;
    }

    SimWorld world_;
    std::uint32_t last_switch_ = 0;
    bool up_ = false;
};

TEST_F(ToldFabric, ABringUpIsToldAsASum) {
    const std::size_t nodes = world_.world().node_count();
    EXPECT_EQ(world_.Heard(Note::kNodesFound), 1U);
    EXPECT_EQ(world_.Heard(Note::kNodeFound), nodes) << "each at debug";
    EXPECT_EQ(world_.Heard(Note::kNodeJoined) + world_.Heard(Note::kNodeReturned), 0U);
    EXPECT_EQ(world_.Heard(Note::kLinkUp), 0U);
    EXPECT_EQ(world_.Heard(Note::kReregistersAsked), 1U);
    EXPECT_EQ(world_.Heard(Note::kRoleBegins), 1U);
    EXPECT_EQ(world_.Heard(Note::kHeavySweepStarted), world_.Heard(Note::kHeavySweepFinished));
    EXPECT_GE(world_.Heard(Note::kEngineFinished), 1U);
    EXPECT_GE(world_.Heard(Note::kVerified), 1U);
    EXPECT_GE(world_.Heard(Note::kSubnetUp), 1U);
    EXPECT_GE(world_.Heard(Note::kBlocksProgrammed), 1U);
    world_.RunFor(10 * kSecond);
    EXPECT_GE(world_.Heard(Note::kLightSweepStarted), 1U);
    EXPECT_EQ(world_.Heard(Note::kLightSweepStarted), world_.Heard(Note::kLightSweepFinished));
    world_.sm().Stop();
    EXPECT_EQ(world_.Heard(Note::kStopped), 1U);
    EXPECT_GT(world_.Heard(Note::kReregisterAsked), 1U) << "each at debug";
    EXPECT_THAT(world_.Notes(), Not(HasSubstr("found 0x")));
}

TEST_F(ToldFabric, ACableIsToldWithBothEndsWhenItGoesAndWhenItComes) {
    const std::uint32_t row = Trunk();
    const std::uint32_t other = world_.world().Beyond(row);
    world_.sim().Do(Action::kCut, row);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(world_.Heard(Note::kLinkLost), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLinkUp), 0U);
    EXPECT_GE(world_.Heard(Note::kSweepTargeted), 1U);
    EXPECT_GE(world_.Heard(Note::kRoutesMended), 1U);
    world_.sim().Do(Action::kJoin, row);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(world_.Heard(Note::kLinkLost), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLinkUp), 1U) << world_.Notes();
    const std::string notes = world_.Notes();
    EXPECT_THAT(notes, HasSubstr("lost the cable between 0x"));
    EXPECT_THAT(notes, HasSubstr(" is up"));
    EXPECT_THAT(notes, HasSubstr(EndText(row)));
    EXPECT_THAT(notes, HasSubstr(EndText(other)));
}

TEST_F(ToldFabric, ANodeThatGoesAndComesBackIsToldByItsNameBothTimes) {
    const std::string name = "\"node-" + std::to_string(last_switch_) + "\", a switch";
    world_.sim().Do(Action::kPowerOff, last_switch_);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(world_.Heard(Note::kNodeLost), 1U) << world_.Notes();
    EXPECT_THAT(world_.Notes(), HasSubstr("lost 0x"));
    EXPECT_THAT(world_.Notes(), HasSubstr(name)) << "though its rows are free by now";
    world_.sim().Do(Action::kPowerOn, last_switch_);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(world_.Heard(Note::kNodeReturned), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kNodeJoined), 0U);
    EXPECT_GE(world_.Heard(Note::kLinkUp), 1U);
    EXPECT_THAT(world_.Notes(), HasSubstr(" is back, a switch with "));
}

TEST_F(ToldFabric, TheMapOfNamesGoesBeforeWhatNodesSay) {
    const Guid guid = world_.world().node(last_switch_).guid;
    const std::string_view name = "spine of the east wing";
    const std::vector<std::uint8_t> octets(name.begin(), name.end());
    const std::vector<NodeName> names{
        {.guid = guid, .first = 0, .octets = static_cast<std::uint32_t>(octets.size())}};
    Settings settings = BriskSettings();
    settings.manager_tables.node_names = names;
    settings.manager_tables.name_octets = octets;
    world_.sm().Configure(settings);
    world_.Wake();
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    world_.sim().Do(Action::kPowerOff, last_switch_);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_THAT(world_.Notes(), HasSubstr("\"spine of the east wing\", a switch"));
    EXPECT_THAT(world_.Notes(), HasSubstr("\"node-")) << "the others by their NodeDescriptions";
    std::array<char, kMaxNameOctets> room{};
    EXPECT_EQ(world_.sm().names().NameOf(Guid{0xDEAD}, room), 0U);
}

TEST(ToldSubnet, ANodeThatWasNeverThereIsNew) {
    SimWorld world(net::FatTree2(4));
    const auto last = static_cast<std::uint32_t>(world.world().node_count() - 1);
    world.sim().Do(Action::kPowerOff, last);
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    world.sim().Do(Action::kPowerOn, last);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(world.Heard(Note::kNodeJoined), 1U) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kNodeReturned), 0U);
}

TEST(ToldSubnet, OfManyChangesAtOnceTheFirstAreToldAndTheNumberOfTheOthers) {
    SimWorld world(net::FatTree2(16));  // 128 hosts, 8 a leaf, and 128 cables between switches.
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    for (std::uint32_t i = 0; i < world.world().node_count(); ++i) {
        const bool is_own = i == world.node_of_seat();
        if (!world.world().node(i).is_switch() && !is_own) world.sim().Do(Action::kPowerOff, i);
    }
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_GE(world.Heard(Note::kChangesUntold), 1U) << world.Notes();
    EXPECT_LE(world.Heard(Note::kNodeLost), 2 * SweepNotes::kLoggedEach);
    EXPECT_GE(world.Heard(Note::kNodeLost), SweepNotes::kLoggedEach);
}

/// Half of the hosts go and come twenty times within a second.
TEST(ToldSubnet, OfSweepAfterSweepLittleIsTold) {
    SimWorld world(net::FatTree2(16));
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    const auto told = [&] {
        return world.Heard(Note::kNodeLost) + world.Heard(Note::kNodeJoined) +
               world.Heard(Note::kNodeReturned) + world.Heard(Note::kLinkLost) +
               world.Heard(Note::kLinkUp);
    };
    const std::size_t told_before = told();
    const std::size_t sweeps_before = world.Heard(Note::kHeavySweepFinished);
    for (int round = 0; round < 40; ++round) {
        for (std::uint32_t i = 0; i < world.world().node_count(); i += 2) {
            if (world.world().node(i).is_switch() || i == world.node_of_seat()) continue;
            world.sim().Do(round % 2 == 0 ? Action::kPowerOff : Action::kPowerOn, i);
        }
        world.Wake();
        world.RunFor(kSecond / 40);
    }
    const std::size_t sweeps = world.Heard(Note::kHeavySweepFinished) - sweeps_before;
    EXPECT_GE(sweeps, 10U);
    EXPECT_LE(told() - told_before,
              2 * (SweepNotes::kLoggedInWindow + 6 * SweepNotes::kLoggedEach) + 6 * sweeps);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
}

TEST(ToldSubnet, OurOwnCableIsToldOnceWhenItGoesAndOnceWhenItComes) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    world.Cut(world.node_of_seat(), 1);
    world.RunFor(30 * kSecond);
    EXPECT_EQ(world.Heard(Note::kOwnPortDown), 1U) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kOwnPortUp), 0U);
    world.Join(world.node_of_seat(), 1);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kOwnPortUp), 1U) << world.Notes();
}

TEST(ToldSubnet, ACableThatWasDownBetweenTwoSweepsIsToldAsRetrained) {
    Settings settings = BriskSettings();
    settings.sweep_on_trap = false;  // The light sweep comes when all is up again.
    SimWorld world(net::FatTree2(4));
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    const auto last = static_cast<std::uint32_t>(world.world().node_count() - 1);
    world.RunFor(kSecond / 2);  // No sweep comes while it is down.
    world.sim().Reboot(last, 1000);
    world.RunFor(60 * kSecond);
    EXPECT_GE(world.Heard(Note::kLinkRetrained), 1U) << world.Notes();
}

TEST(ToldSubnet, ANarrowOrSlowCableIsToldOnce) {
    SimWorld world(net::FatTree2(4));
    sim::World& hardware = world.world();
    for (std::uint32_t row = 0; row < hardware.row_count(); ++row) {
        const std::uint32_t other = hardware.Beyond(row);
        if (other == sim::kNoRow) continue;
        if (!hardware.node_of(row).is_switch() || !hardware.node_of(other).is_switch()) continue;
        for (const std::uint32_t end : {row, other}) {
            PortInfo& info = hardware.port(end).info;
            info.Set(PortInfo::kLinkWidthActive, std::uint8_t{link_width::k1x});
            info.Set(PortInfo::kLinkSpeedActive, std::uint8_t{link_speed::kSdr});
            info.Set(PortInfo::kLinkSpeedExtActive, std::uint8_t{link_speed_ext::kNone});
        }
        break;
    }
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.Wake();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(world.Heard(Note::kLinkWidthReduced), 1U) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kLinkSpeedReduced), 1U) << world.Notes();
    EXPECT_THAT(world.Notes(), HasSubstr("runs at width 1X, both ends can do 4X"));
}

/// A subnet in which a node, host 3 or the last switch, is silent after `mads` answers.
void ExpectSilenceTold(std::uint64_t mads, Note note, bool is_switch = false) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.transaction_timeout = 20;
    world.AddManager(settings);
    const auto last = static_cast<std::uint32_t>(world.world().node_count() - 1);
    world.sim().Silence(is_switch ? last : 3, mads);
    world.RunFor(20 * kSecond);
    EXPECT_GE(world.Heard(note), 1U) << mads << '\n' << world.Notes();
}

TEST(ToldSubnet, ANodeThatIsSilentFromTheBeginningOrFallsSilent) {
    ExpectSilenceTold(0, Note::kNeighborSilent);
    ExpectSilenceTold(1, Note::kPeerSilent);
    ExpectSilenceTold(4, Note::kEndPortsFailed);
    ExpectSilenceTold(8, Note::kErrorsDuringInitialization, true);
}

TEST(ToldSubnet, ANodeThatMakesNoSense) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    Lies lies;
    lies.Tell(3, Lie::kNoGuids);
    world.sim().SetLiar(&lies);
    world.RunFor(20 * kSecond);
    EXPECT_GE(world.Heard(Note::kNodeUnusable), 1U) << world.Notes();
}

/// The first host sits with the manager; the others say that they have LID 5.
SimWorld& WithTheSameLids(SimWorld& world, std::uint32_t hosts) {
    std::uint32_t given = 0;
    for (std::uint32_t i = 1; i < world.world().node_count() && given < hosts; ++i) {
        if (world.world().node(i).is_switch()) continue;
        world.world().port(world.sim().RowOf(i, 1)).info.Set(PortInfo::kLid, Lid{5});
        ++given;
    }
    EXPECT_EQ(given, hosts);
    world.AddManager();
    EXPECT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    return world;
}

TEST(ToldSubnet, LidsThatTwoHaveAndThoseThatMove) {
    SimWorld few(net::FatTree2(6));
    WithTheSameLids(few, 2);
    EXPECT_EQ(few.Heard(Note::kLidDuplicate), 1U) << few.Notes();
    EXPECT_EQ(few.Heard(Note::kLidMoved), 1U);
    EXPECT_EQ(few.Heard(Note::kLidsMoved), 0U);
    SimWorld many(net::FatTree2(6));
    WithTheSameLids(many, LidOutcome::kMostEvents + 3);
    EXPECT_EQ(many.Heard(Note::kLidMoved), LidOutcome::kMostEvents) << many.Notes();
    EXPECT_EQ(many.Heard(Note::kLidsMoved), 1U);
}

TEST(ToldSubnet, DatagramsThatMakeNoSense) {
    SimWorld world(net::FatTree2(4));
    world.sim().faults().corruption = 100'000;
    world.AddManager();
    world.RunFor(30 * kSecond);
    EXPECT_GE(world.Heard(Note::kMadDropped), 1U) << world.Notes();
}

}  // namespace
}  // namespace ember::testing
