// SPDX-License-Identifier: Apache-2.0
// EmberSM: cables that come and go.
//
// Goal:   a cable that flaps is left out of the routes for a while, longer each time, and comes
//         back when it has been still; no node is ever cut off by that.
// Method: whole subnet managers on simulated fabrics whose cables are cut and joined by hand, and a
//         management port into which traps are slipped.
#include <bit>
#include <gtest/gtest.h>

#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

Settings FlapSettings() {
    Settings settings = BriskSettings();
    settings.flapping_link_count = 3;
    settings.flapping_link_window = 60;
    settings.flapping_link_hold = 20;
    return settings;
}

/// A fabric whose first cable between two switches can be made to flap.
class Flapping {
public:
    explicit Flapping(const net::Netlist& netlist, const Settings& settings = FlapSettings())
        : world_(netlist) {
        world_.AddManager(settings);
        EXPECT_TRUE(world_.RunUntilQuiet(20 * kSecond));
        for (std::uint32_t i = 0; i < world().node_count() && row_ == 0; ++i) {
            const sim::SimNode& node = world().node(i);
            for (std::uint32_t p = 1; node.is_switch() && p <= node.port_count; ++p) {
                const std::uint32_t beyond = world().Beyond(node.first_row + p);
                if (beyond == sim::kNoRow || !world().node_of(beyond).is_switch()) continue;
                row_ = node.first_row + p;
                break;
            }
        }
    }

    [[nodiscard]] sim::World& world() { return world_.world(); }
    [[nodiscard]] SimWorld& sim() { return world_; }
    [[nodiscard]] SubnetManager& sm() { return world_.sm(); }
    [[nodiscard]] std::uint32_t row() const { return row_; }
    void Aim(std::uint32_t row) { row_ = row; }

    void Cut() { world_.sim().Do(sim::FabricSim::Action::kCut, row_); }
    void Join() { world_.sim().Do(sim::FabricSim::Action::kJoin, row_); }
    /// Down for half a second, and up for half a second.
    void Flap(int times = 1) {
        for (int i = 0; i < times; ++i) {
            Cut();
            world_.RunFor(500 * kMs);
            Join();
            world_.RunFor(500 * kMs);
        }
    }
    /// LIDs whose packets leave by that cable, at either end.
    [[nodiscard]] std::size_t Routes() {
        std::size_t routes = 0;
        for (const std::uint32_t row : {row_, world().Wired(row_)}) {
            for (std::uint32_t lid = 1; lid <= Raw(sm().status().top_lid); ++lid) {
                const std::uint8_t out = world().LftEntry(world().port(row).node, lid);
                if (out == world().port(row).number) ++routes;
            }
        }
        return routes;
    }
    [[nodiscard]] PortState State() { return world().port(row_).info.Get(PortInfo::kPortState); }
    [[nodiscard]] std::size_t CountOf(LinkVerdict verdict) {
        return sm().flapping().CountOf(verdict);
    }
    [[nodiscard]] bool AllConnected() {
        const std::string wrong = EveryPairConnected(world(), world_.node_of_seat());
        EXPECT_EQ(wrong, "");
        return wrong.empty();
    }
    [[nodiscard]] bool WaitFor(LinkVerdict verdict, std::size_t count, std::uint64_t limit_us) {
        return world_.RunUntil([&] { return CountOf(verdict) == count; }, limit_us);
    }

private:
    SimWorld world_;
    std::uint32_t row_ = 0;
};

TEST(FlappingLink, IsLeftOutAndComesBackWhenItHasBeenStill) {
    Flapping fabric(net::FatTree2(8));
    ASSERT_GT(fabric.Routes(), 0U);
    fabric.Flap(2);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    fabric.Flap();
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkQuarantined), 1U);
    EXPECT_EQ(fabric.Routes(), 0U);
    EXPECT_EQ(fabric.State(), PortState::kInitialize);  // The link trains, and carries no data.
    EXPECT_TRUE(fabric.AllConnected());
    EXPECT_TRUE(fabric.sm().is_up());

    fabric.sim().RunFor(17 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
    fabric.sim().RunFor(4 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkReleased), 1U);
    EXPECT_EQ(fabric.State(), PortState::kActive);
    EXPECT_EQ(fabric.sim().Judge(), "");
    EXPECT_EQ(fabric.sm().flapping().statistics().quarantines, 1U);
    EXPECT_EQ(fabric.sm().flapping().statistics().releases, 1U);
}

TEST(FlappingLink, IsUsedAgainByOrdersWithoutMemory) {
    Settings settings = FlapSettings();
    settings.order = Order::kOpensm;
    Flapping fabric(net::FatTree2(8), settings);
    const std::size_t before = fabric.Routes();
    fabric.Flap(3);
    EXPECT_EQ(fabric.Routes(), 0U);
    fabric.sim().RunFor(25 * kSecond);
    EXPECT_EQ(fabric.Routes(), before);
    EXPECT_EQ(fabric.sim().Judge(), "");
}

TEST(FlappingLink, IsLeftOutForTwiceAsLongEachTime) {
    Flapping fabric(net::FatTree2(4));
    std::uint64_t hold_us = 20 * kSecond;
    for (int i = 0; i < 3; ++i, hold_us *= 2) {
        fabric.Flap(3);
        ASSERT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U) << i;
        fabric.sim().RunFor(hold_us - 3 * kSecond);
        EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U) << i;
        fabric.sim().RunFor(4 * kSecond);
        EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U) << i;
    }
    // Well for long, it is treated as new.
    fabric.sim().RunFor(400 * kSecond);
    fabric.Flap(3);
    fabric.sim().RunFor(21 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_EQ(fabric.sm().flapping().statistics().quarantines, 4U);
}

TEST(FlappingLink, StaysOutWhileItGoesOnFlapping) {
    Flapping fabric(net::FatTree2(4));
    fabric.Flap(3);
    fabric.sim().RunFor(15 * kSecond);
    fabric.Flap();
    fabric.sim().RunFor(15 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_EQ(fabric.Routes(), 0U);
    fabric.sim().RunFor(8 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_EQ(fabric.sim().Judge(), "");
}

TEST(FlappingLink, CountsWhatCameAndWentBetweenTwoSweeps) {
    Settings settings = FlapSettings();
    settings.sweep_on_trap = false;
    Flapping fabric(net::FatTree2(4), settings);
    for (int i = 0; i < 3; ++i) {
        fabric.Cut();
        fabric.sim().RunFor(kMs);
        fabric.Join();
        ASSERT_TRUE(fabric.sim().RunUntilUp(5 * kSecond));
    }
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
}

TEST(FlappingLink, ThatJoinsTwoHalvesIsOnlyDamped) {
    Flapping fabric(net::ParallelLinks(1, 2));
    fabric.Flap(6);
    fabric.sim().RunFor(5 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkNeeded), 1U);
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkQuarantined), 0U);
    EXPECT_EQ(fabric.sim().Judge(), "");
}

TEST(FlappingLink, ToAHostIsOnlyDamped) {
    Flapping fabric(net::FatTree2(4));
    const std::uint32_t host = fabric.sim().node_of_seat() == 0 ? 1U : 0U;
    fabric.Aim(fabric.world().node(host).first_row + 1);
    fabric.Flap(5);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkNeeded), 1U);
    fabric.sim().RunFor(5 * kSecond);
    EXPECT_EQ(fabric.sim().Judge(), "");
}

TEST(FlappingLink, ComesBackAtOnceWhenTheOthersHaveFailed) {
    Flapping fabric(net::ParallelLinks(2, 2));
    const std::uint32_t other = fabric.row() + 1;
    ASSERT_NE(fabric.world().Beyond(other), sim::kNoRow);
    fabric.Flap(3);
    ASSERT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_TRUE(fabric.AllConnected());
    fabric.sim().sim().Do(sim::FabricSim::Action::kCut, other);
    fabric.sim().RunFor(2 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_EQ(fabric.sim().Judge(), "");
    // And is left out again once there is another.
    fabric.sim().sim().Do(sim::FabricSim::Action::kJoin, other);
    fabric.sim().RunFor(3 * kSecond);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_TRUE(fabric.AllConnected());
}

TEST(FlappingLink, OfTwoThatFlapTogetherOneStays) {
    Flapping fabric(net::ParallelLinks(2, 2));
    const std::uint32_t first = fabric.row();
    for (int i = 0; i < 4; ++i) {
        fabric.Aim(first);
        fabric.Flap();
        fabric.Aim(first + 1);
        fabric.Flap();
    }
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_TRUE(fabric.AllConnected());
}

TEST(FlappingLink, StaysInUseUnderThePolicyDamp) {
    Settings settings = FlapSettings();
    settings.flapping_link_policy = FlappingLinkPolicy::kDamp;
    Flapping fabric(net::FatTree2(4), settings);
    fabric.Flap(5);
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkDamped), 1U);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    fabric.sim().RunFor(5 * kSecond);
    EXPECT_EQ(fabric.sim().Judge(), "");
}

TEST(FlappingLink, IsTakenInAtOnceWhenThePolicyBecomesDamp) {
    Flapping fabric(net::FatTree2(4));
    fabric.Flap(3);
    ASSERT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U);
    Settings settings = FlapSettings();
    settings.flapping_link_policy = FlappingLinkPolicy::kDamp;
    fabric.sm().Configure(settings);
    fabric.sim().Wake();
    ASSERT_TRUE(fabric.sim().RunUntilQuiet(10 * kSecond));
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U);
    EXPECT_EQ(fabric.sim().Judge(), "");
}

/// More cables than there are rows: the oldest are forgotten, and nothing else happens.
TEST(FlappingLink, OfManyTheLastAreKnown) {
    Flapping fabric(net::FatTree2(12));
    for (std::uint32_t i = 0; i < fabric.world().node_count(); ++i) {
        const sim::SimNode& node = fabric.world().node(i);
        if (node.is_switch() && i != fabric.world().node_count() - 1) continue;
        if (i == fabric.sim().node_of_seat()) continue;
        fabric.sim().sim().Reboot(i, 100 * kMs);
    }
    fabric.sim().RunFor(10 * kSecond);
    std::size_t live = 0;
    for (const FlappingLink& row : fabric.sm().flapping().rows()) {
        if (row.is_live()) ++live;
    }
    EXPECT_EQ(live, kSimSmall.max_flapping_links);
    EXPECT_GT(fabric.sm().flapping().statistics().losses, kSimSmall.max_flapping_links);
    EXPECT_EQ(fabric.sim().Judge(), "");
}

/// Whatever flaps by chance, everybody is reached when it has ended, and no cable stays out.
TEST(FlappingLink, RandomFlapsCutNobodyOff) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SimWorld::Options options;
        options.faults.seed = seed;
        SimWorld world(net::RandomGraph(seed, 12, 4, 2), options);
        world.AddManager(FlapSettings());
        ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond));
        world.sim().FlapRandomly(300 * kMs, 200 * kMs);
        world.RunFor(60 * kSecond);
        world.sim().FlapRandomly(0, 0);
        world.RunFor(3 * kSecond);
        EXPECT_EQ(EveryPairConnected(world.world(), world.node_of_seat()), "") << seed;
        EXPECT_GT(world.sm().flapping().statistics().quarantines, 0U);
        world.RunFor(1400 * kSecond);  // 64 times 20 s, the longest quarantine, and more.
        EXPECT_EQ(world.sm().flapping().CountOf(LinkVerdict::kQuarantined), 0U);
        EXPECT_EQ(world.Judge(), "") << seed;
    }
}

/// Its cables are all lost at once, each time: none of them is to blame.
TEST(RestartedSwitch, IsNotAsManyFlappingCables) {
    Flapping fabric(net::FatTree2(8));
    const std::uint32_t leaf = fabric.world().port(fabric.row()).node;
    const std::uint32_t spine = fabric.world().port(fabric.world().Wired(fabric.row())).node;
    const std::uint32_t restarted =
        leaf == fabric.world()
                    .port(fabric.world().Beyond(fabric.world().node(0).first_row + 1))
                    .node
            ? spine
            : leaf;
    for (int i = 0; i < 6; ++i) {
        fabric.sim().sim().Reboot(restarted, 3 * kSecond);
        fabric.sim().RunFor(9 * kSecond);
    }
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 0U) << fabric.sim().Notes();
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkQuarantined), 0U);
    EXPECT_GE(fabric.sim().Heard(Note::kNodeRestarts), 1U) << fabric.sim().Notes();
    EXPECT_EQ(fabric.sim().Heard(Note::kLinkNeeded), 0U);
    EXPECT_TRUE(fabric.sim().RunUntil([&] { return fabric.sim().Judge().empty(); }, 20 * kSecond))
        << fabric.sim().Judge();
    // A cable that flaps is one, still.
    fabric.sim().RunFor(100 * kSecond);
    fabric.Flap(3);
    EXPECT_EQ(fabric.CountOf(LinkVerdict::kQuarantined), 1U) << fabric.sim().Notes();
}

}  // namespace
}  // namespace ember::testing
