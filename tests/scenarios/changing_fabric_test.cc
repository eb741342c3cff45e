// SPDX-License-Identifier: Apache-2.0
// EmberSM: cables are pulled and plugged, nodes reboot, and the subnet heals.
//
// Goal:   after every change the subnet is sound again, by a trap or at the latest by the next
// light
//         sweep, and no more is written than the change asks for.
// Method: one change at a time, then many at random moments while the sweep is under way.
#include <gtest/gtest.h>
#include <string>

#include "config/netlist/random.h"
#include "tests/support/checkers.h"
#include "tests/support/row_check.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

/// The rows of one end of every cable between switches.
std::vector<std::uint32_t> Trunks(const sim::World& world) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const std::uint32_t other = world.Beyond(row);
        if (other == sim::kNoRow || other < row) continue;
        if (world.node_of(row).is_switch() && world.node_of(other).is_switch()) rows.push_back(row);
    }
    return rows;
}

/// The rows of hosts' ports.
std::vector<std::uint32_t> Hosts(const sim::World& world) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const bool is_host = !world.node_of(row).is_switch() && world.Beyond(row) != sim::kNoRow;
        if (is_host) rows.push_back(row);
    }
    return rows;
}

std::uint32_t NodeOf(const sim::World& world, Guid guid) {
    std::uint32_t at = 0;
    while (at < world.node_count() && world.node(at).guid != guid) {
        ++at;
    }
    return at;
}

class UpFabric : public ::testing::Test {
protected:
    UpFabric() : world_(net::FatTree2(6)) {
        world_.AddManager();
        up_ = world_.RunUntilQuiet(30 * kSecond);
    }
    void SetUp() override {
        ASSERT_TRUE(up_) << world_.Notes();
        ASSERT_EQ(world_.Judge(), "");
    }
    [[nodiscard]] std::uint64_t LftSets() {
        return world_.sim().counters().Sets(AttributeId::kLinearForwardingTable);
    }
    void ExpectSoundWithin(std::uint64_t limit_us) {
        EXPECT_TRUE(world_.RunUntil([&] { return world_.Judge().empty(); }, limit_us))
            << world_.Judge() << '\n'
            << world_.Notes();
    }

    SimWorld world_;
    bool up_ = false;
};

TEST_F(UpFabric, HealsOverTheOtherSpinesWithinMillisecondsOfALostUplink) {
    const std::uint32_t uplink = Trunks(world_.world()).front();
    world_.sim().Do(Action::kCut, uplink);
    EXPECT_NE(world_.Judge(), "");
    ExpectSoundWithin(300 * kMs);  // The trap, not the light sweep of a second.
    EXPECT_GE(world_.Heard(Note::kTrapLinkState), 1U);
}

TEST_F(UpFabric, WritesOnlyBlocksThatALostUplinkChanged) {
    const std::uint64_t before = LftSets();
    world_.sim().Do(Action::kCut, Trunks(world_.world()).front());
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(world_.Judge(), "");
    EXPECT_GT(LftSets(), before);
    EXPECT_LE(LftSets() - before, world_.world().switch_count());  // All LIDs are in one block.
}

TEST_F(UpFabric, TakesALinkIntoUseAgainWhenItComesBack) {
    const std::uint32_t uplink = Trunks(world_.world()).front();
    world_.sim().Do(Action::kCut, uplink);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    world_.sim().Do(Action::kJoin, uplink);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(world_.Judge(), "");
    EXPECT_EQ(world_.world().port(uplink).info.Get(PortInfo::kPortState), PortState::kActive);
}

TEST_F(UpFabric, FindsALostLinkByTheLightSweepWhenEveryTrapIsLost) {
    world_.sim().faults().loss = 1'000'000;
    world_.sim().Do(Action::kCut, Trunks(world_.world()).front());
    world_.RunFor(kMs);  // The traps go into the void.
    world_.sim().faults().loss = 0;
    ExpectSoundWithin(3 * kSecond);
}

TEST_F(UpFabric, GivesARebootedSwitchItsLidAndRoutesAgain) {
    for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
        if (!world_.world().node(node).is_switch()) continue;
        const std::uint32_t row = world_.world().node(node).first_row;
        const Lid before = world_.world().port(row).info.Get(PortInfo::kLid);
        world_.sim().Reboot(node, 50 * kMs);
        EXPECT_EQ(world_.world().node(node).powered, false);
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        EXPECT_EQ(world_.Judge(), "") << "switch " << node;
        EXPECT_EQ(world_.world().port(row).info.Get(PortInfo::kLid), before);
    }
}

TEST_F(UpFabric, GivesARebootedHostItsLidAgain) {
    const std::uint32_t host = 5;
    const std::uint32_t row = world_.sim().RowOf(host, 1);
    const Lid before = world_.world().port(row).info.Get(PortInfo::kLid);
    world_.sim().Reboot(host, 500 * kMs);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "");
    EXPECT_EQ(world_.world().port(row).info.Get(PortInfo::kLid), before);
}

TEST_F(UpFabric, AsksAHostThatLeftForLongToRegisterAgain) {
    const std::uint32_t host = 5;
    world_.sim().Do(Action::kPowerOff, host);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(world_.sm().status().nodes, world_.world().node_count() - 1);
    const std::uint64_t before = world_.sim().counters().reregistrations;
    world_.sim().Do(Action::kPowerOn, host);
    ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(world_.sim().counters().reregistrations, before + 1);
    EXPECT_EQ(world_.sm().status().nodes, world_.world().node_count());
}

TEST_F(UpFabric, SurvivesTheLossOfItsOwnLink) {
    world_.Cut(world_.node_of_seat(), 1);
    world_.RunFor(5 * kSecond);
    world_.Join(world_.node_of_seat(), 1);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

TEST_F(UpFabric, LearnsANewDescriptionWithoutASweep) {
    world_.sim().Rename(3, "renamed");
    world_.RunFor(500 * kMs);
    const Fabric& fabric = world_.sm().fabric();
    const Node& node = fabric.node(fabric.FindNode(world_.world().node(3).guid));
    EXPECT_EQ(std::string(node.description.begin(), node.description.begin() + 7), "renamed");
}

TEST_F(UpFabric, RepressesEveryTrapItHasHeard) {
    world_.sim().Do(Action::kCut, Trunks(world_.world()).front());
    world_.RunFor(20 * kSecond);
    // Both switches spoke once; a trap that is not repressed comes every second.
    EXPECT_LE(world_.sim().counters().traps, 4U);
}

/// Random actions while everything goes on, then calm.
void Shake(std::uint64_t seed) {
    SCOPED_TRACE("replay with seed " + std::to_string(seed));
    net::Random random(seed);
    SimWorld world(net::RandomGraph(seed, 10, 4, 2),
                   {.faults = {.seed = seed, .loss = sim::kPercent}});
    world.AddManager();
    const std::vector<std::uint32_t> trunks = Trunks(world.world());
    for (int i = 0; i < 30; ++i) {
        const std::uint64_t at_us = random.Below(3'000'000);
        const std::uint64_t back_us = at_us + random.Below(500'000);
        if (random.Below(3) == 0) {
            const std::uint32_t nodes = static_cast<std::uint32_t>(world.world().node_count());
            const std::uint32_t node = 1 + random.Below(nodes - 1);  // Not the manager's own.
            world.sim().DoAt(at_us, Action::kPowerOff, node);
            world.sim().DoAt(back_us, Action::kPowerOn, node);
        } else {
            const std::uint32_t row =
                trunks[random.Below(static_cast<std::uint32_t>(trunks.size()))];
            world.sim().DoAt(at_us, Action::kCut, row);
            world.sim().DoAt(back_us, Action::kJoin, row);
        }
    }
    world.RunFor(4 * kSecond);
    ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(ChangingFabric, IsSoundAfterAnyNumberOfChangesUnderTheSweep) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Shake(seed);
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(ChangingFabric, IsSoundAfterAStormOfFlaps) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        SimWorld world(net::FatTree2(6), {.faults = {.seed = seed}});
        Settings settings = BriskSettings();
        settings.flapping_link_policy = FlappingLinkPolicy::kDamp;  // Else most would be left out.
        world.AddManager(settings);
        world.sim().FlapRandomly(20 * kMs, 15 * kMs);
        world.RunFor(10 * kSecond);
        world.sim().FlapRandomly(0, 0);
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
}

TEST(ChangingFabric, KeepsTwoHalvesApartAndJoinsThemAgain) {
    SimWorld world(net::ParallelLinks(1, 4));
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    const std::uint32_t bridge = Trunks(world.world()).front();
    world.sim().Do(Action::kCut, bridge);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(world.sm().status().nodes, 5U);
    EXPECT_EQ(world.Judge(), "");
    world.sim().Do(Action::kJoin, bridge);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(world.sm().status().nodes, 10U);
    EXPECT_EQ(world.Judge(), "");
}

TEST(ChangingFabric, FollowsHostsThatChangedPlaces) {
    SimWorld world(net::Ring(5, 1), {});
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    // Two hosts change places.
    world.sim().SwapLinks(world.sim().RowOf(2, 1), world.sim().RowOf(3, 1));
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

/// A spine answers some questions of a sweep, a leaf switch is met through it, then it is silent:
/// it is dropped, and the leaf switch stays.
TEST_F(UpFabric, NamesNoRowOfANodeThatIsGone) {
    const Fabric& fabric = world_.sm().fabric();
    std::size_t dropped = 0;
    for (std::uint64_t answers = 0; answers < 24; ++answers) {
        const std::uint32_t host = Hosts(world_.world()).back();
        const std::uint32_t leaf = world_.world().port(world_.world().Beyond(host)).node;
        const NodeIndex at = fabric.FindNode(world_.world().node(leaf).guid);
        ASSERT_NE(fabric.node(at).entry, kNoPortIndex);
        const Guid spine = fabric.node(fabric.port(fabric.node(at).entry).node).guid;
        const std::uint32_t silent = NodeOf(world_.world(), spine);
        world_.sim().Silence(silent, answers);
        world_.sm().RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake();
        const bool is_gone = world_.RunUntil(
            [&] {
                EXPECT_EQ(LostRowOf(fabric), "") << answers;
                return fabric.FindNode(spine) == kNoNode;
            },
            5 * kSecond);
        dropped += is_gone ? 1U : 0U;
        world_.sim().EndSilence(silent);
        ExpectSoundWithin(30 * kSecond);
    }
    EXPECT_GT(dropped, 0U);
}

}  // namespace
}  // namespace ember::testing
