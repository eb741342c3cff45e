// SPDX-License-Identifier: Apache-2.0
// EmberSM: a trap makes the subnet manager look where something happened, and not everywhere.
//
// Goal:   after a trap of a switch only that switch and its neighborhood are asked, the subnet is
//         sound again, and what does not fit is left to a heavy sweep.
// Method: a fat tree whose timer is slow, so that every sweep counted is one that a trap caused;
//         datagrams counted where they arrive, and the hardware judged.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "board/linux_bench/profile.h"
#include "tests/support/checkers.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

class TargetedSweep : public ::testing::Test {
protected:
    TargetedSweep() : world_(net::FatTree3(6)) {
        Settings settings = MinHopSettings();
        settings.sweep_interval = 1000;
        settings.scrub_interval = 0;  // Its questions are not counted here.
        world_.AddManager<kLinuxBench>(settings);
        up_ = world_.RunUntilQuiet(30 * kSecond);
    }
    void SetUp() override { ASSERT_TRUE(up_) << world_.Notes(); }

    [[nodiscard]] const sim::World& world() { return world_.world(); }
    [[nodiscard]] std::uint32_t HomeSwitch() {
        const std::uint32_t row = world_.sim().RowOf(world_.node_of_seat(), 1);
        return world().port(world().Beyond(row)).node;
    }
    [[nodiscard]] std::vector<std::uint32_t> Trunks() {
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = 0; row < world().row_count(); ++row) {
            const std::uint32_t other = world().Beyond(row);
            if (other == sim::kNoRow || other < row) continue;
            const bool trunk =
                world().node_of(row).is_switch() && world().node_of(other).is_switch();
            if (trunk) rows.push_back(row);
        }
        return rows;
    }
    void ExpectSoundSoon() {
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    }
    [[nodiscard]] std::uint64_t Whole() {
        return world_.sm().progress().heavy_sweeps - world_.sm().progress().targeted_sweeps;
    }

    SimWorld world_;
    bool up_ = false;
};

TEST_F(TargetedSweep, ALostCableIsSeenByAskingTheSwitchesAtItsEnds) {
    const std::vector<std::uint32_t> trunks = Trunks();
    std::size_t cheap = 0;
    for (std::size_t i = 0; i < trunks.size(); i += 7) {
        const std::uint64_t whole = Whole();
        for (const Action action : {Action::kCut, Action::kJoin}) {
            const std::uint64_t asked = world_.sim().counters().Gets(AttributeId::kPortInfo);
            world_.sim().Do(action, trunks[i]);
            ExpectSoundSoon();
            // Two switches of six ports and port 0, asked twice at most; a heavy sweep asks 423.
            const std::uint64_t now = world_.sim().counters().Gets(AttributeId::kPortInfo);
            EXPECT_EQ(Whole(), whole) << world_.Notes();
            if (Whole() == whole) {
                ++cheap;
                EXPECT_LE(now - asked, 60U) << "row " << trunks[i];
            }
        }
        EXPECT_EQ(EveryPairShortest(world(), world_.node_of_seat()), "");
    }
    EXPECT_GE(world_.sm().progress().targeted_sweeps, 8U);
    EXPECT_EQ(cheap, 2 * ((trunks.size() + 6) / 7)) << "no cable needed a heavy sweep";
}

TEST_F(TargetedSweep, AHostThatIsUnpluggedLeavesAndComesBack) {
    const std::uint64_t whole = Whole();
    const std::size_t nodes = world_.sm().status().nodes;
    world_.Cut(7, 1);
    ExpectSoundSoon();
    EXPECT_EQ(world_.sm().status().nodes, nodes - 1);
    world_.Join(7, 1);
    ExpectSoundSoon();
    EXPECT_EQ(world_.sm().status().nodes, nodes);
    EXPECT_EQ(Whole(), whole);
}

/// The switch at the other end does not know what a host can do.
TEST_F(TargetedSweep, AHostThatTellsOfACapabilityIsAsked) {
    const std::uint64_t whole = Whole();
    const std::uint32_t row = world_.sim().RowOf(11, 1);
    const Guid guid = world().port(row).guid;
    ASSERT_FALSE(world().node_of(row).is_switch());
    ASSERT_NE(world_.node_of_seat(), 11U);
    const std::uint32_t had = world().port(row).info.Get(PortInfo::kCapabilityMask);
    for (const std::uint32_t mask : {had | capability_mask::kIsDeviceManagementSupported, had}) {
        world_.sim().ChangeCapabilities(row, mask);
        ExpectSoundSoon();
        const Fabric& fabric = world_.sm().fabric();
        const Port& known = fabric.port(fabric.FindPort(guid));
        EXPECT_EQ(known.info.Get(PortInfo::kCapabilityMask), mask) << world_.Notes();
    }
    EXPECT_EQ(Whole(), whole);
}

TEST_F(TargetedSweep, OurOwnHostMayTellOfAChangeToo) {
    const std::uint64_t whole = Whole();
    const std::size_t nodes = world_.sm().status().nodes;
    const std::uint32_t row = world_.sim().RowOf(world_.node_of_seat(), 1);
    const std::uint32_t mask = world().port(row).info.Get(PortInfo::kCapabilityMask);
    world_.sim().ChangeCapabilities(row, mask | capability_mask::kIsDeviceManagementSupported);
    ExpectSoundSoon();
    EXPECT_EQ(world_.sm().status().nodes, nodes) << world_.Notes();
    EXPECT_EQ(Whole(), whole) << world_.Notes();
}

TEST_F(TargetedSweep, ASwitchThatLeavesOrRebootsIsNoticedWhole) {
    const std::size_t nodes = world_.sm().status().nodes;
    for (std::uint32_t node = 0; node < world().node_count(); node += 3) {
        if (!world().node(node).is_switch() || node == HomeSwitch()) continue;
        world_.sim().Do(Action::kPowerOff, node);
        ExpectSoundSoon();
        EXPECT_LT(world_.sm().status().nodes, nodes);
        world_.sim().Do(Action::kPowerOn, node);
        ExpectSoundSoon();
        EXPECT_EQ(world_.sm().status().nodes, nodes);
        world_.sim().Reboot(node, 1 * kMs);
        ExpectSoundSoon();
        EXPECT_EQ(world_.sm().status().nodes, nodes);
    }
}

TEST_F(TargetedSweep, CablesThatChangePlacesAreFollowed) {
    const std::vector<std::uint32_t> trunks = Trunks();
    for (std::size_t i = 0; i + 20 < trunks.size(); i += 11) {
        world_.sim().SwapLinks(trunks[i], trunks[i + 20]);
        ExpectSoundSoon();
        const Fabric& fabric = world_.sm().fabric();
        for (const std::uint32_t row : {trunks[i], trunks[i + 20]}) {
            const sim::SimNode& node = world().node_of(row);
            const PortIndex port =
                fabric.PortOf(fabric.FindNode(node.guid), PortNumber{world().port(row).number});
            ASSERT_NE(fabric.port(port).peer, kNoPortIndex);
            const Port& peer = fabric.port(fabric.port(port).peer);
            EXPECT_EQ(fabric.node(peer.node).guid, world().node_of(world().Beyond(row)).guid);
        }
    }
}

TEST_F(TargetedSweep, ManyChangesAtOnceAreNoticedToo) {
    const std::vector<std::uint32_t> trunks = Trunks();
    for (std::size_t i = 0; i < trunks.size(); i += 5) {
        world_.sim().Do(Action::kCut, trunks[i]);
    }
    ExpectSoundSoon();
    EXPECT_EQ(world_.sm().status().links + (trunks.size() + 4) / 5, 162U);
    for (std::size_t i = 0; i < trunks.size(); i += 5) {
        world_.sim().Do(Action::kJoin, trunks[i]);
    }
    ExpectSoundSoon();
    EXPECT_EQ(world_.sm().status().links, 162U);
    EXPECT_EQ(EveryPairShortest(world(), world_.node_of_seat()), "");
}

TEST(TargetedSweepOff, WithoutATimerThatConfirmsEverybodyIsAsked) {
    Settings settings;
    settings.sweep_interval = 0;
    SimWorld world(net::FatTree2(4));
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    world.Cut(3, 1);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "");
    EXPECT_EQ(world.sm().progress().targeted_sweeps, 0U);
    EXPECT_GE(world.sm().progress().heavy_sweeps, 2U);
}

TEST_F(TargetedSweep, AnOperatorsSweepAsksEverybody) {
    const std::uint64_t whole = Whole();
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.Wake();
    ExpectSoundSoon();
    EXPECT_EQ(Whole(), whole + 1);
}

}  // namespace
}  // namespace ember::testing
