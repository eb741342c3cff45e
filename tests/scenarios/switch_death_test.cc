// SPDX-License-Identifier: Apache-2.0
// EmberSM: a switch dies that carries directed routes, and all is well again within half a second.
//
// Goal:   the silence of one switch, and the traps that are lost with it, delay no other: what is
//         alive is routed again before the time-outs of one question are over, and none of it is
//         told as lost.
// Method: every switch of fat trees of two and three levels in turn, by several seeds of jitter;
//         the hardware is judged every few milliseconds of virtual time.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "board/linux_bench/profile.h"
#include "tests/support/checkers.h"
#include "tests/support/gated_port.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

/// From the death of a switch until all is well: what a targeted sweep that meets silence takes,
/// and a heavy one.
constexpr std::uint64_t kSoonUs = 500 * kMs;

class Death {
public:
    Death(const net::Netlist& netlist, std::uint64_t seed, const Settings& settings)
        : world_(netlist, {.faults = {.seed = seed, .jitter_ns = 20'000}}) {
        world_.AddManager<kLinuxBench>(settings);
    }

    [[nodiscard]] bool ComesUp() { return world_.RunUntilQuiet(60 * kSecond); }
    [[nodiscard]] SimWorld& world() { return world_; }
    [[nodiscard]] bool IsHome(std::uint32_t node) {
        const std::uint32_t row = world_.sim().RowOf(world_.node_of_seat(), 1);
        return world_.world().port(world_.world().Beyond(row)).node == node;
    }
    /// Microseconds until the judges are content; ~0: not within a minute.
    [[nodiscard]] std::uint64_t TimeToBeWell() {
        const std::uint64_t began_us = world_.now_us();
        for (std::uint64_t step_us = 5 * kMs; world_.now_us() - began_us < 60 * kSecond;) {
            world_.RunFor(step_us);
            if (SubnetIsSound(world_.world(), world_.node_of_seat()).empty()) {
                return world_.now_us() - began_us;
            }
            if (world_.now_us() - began_us > 2 * kSecond) step_us = 100 * kMs;
        }
        return ~std::uint64_t{0};
    }
    /// NodeGUIDs that were told as lost since `cursor`, which moves on.
    [[nodiscard]] std::set<std::uint64_t> ToldLost(std::uint64_t& cursor) {
        std::set<std::uint64_t> guids;
        LogRecord record;
        std::uint64_t missed = 0;
        while (world_.sm().log().Read(cursor, record, missed) == Status::kOk) {
            if (record.note == Note::kNodeLost) guids.insert(record.values[0]);
        }
        EXPECT_EQ(missed, 0U);
        return guids;
    }
    /// GUIDs that are really gone with a switch: its own, and its hosts'.
    [[nodiscard]] std::set<std::uint64_t> Gone() {
        std::set<std::uint64_t> guids;
        const std::vector<bool> lives = ReachableFrom(world_.world(), world_.node_of_seat());
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            if (!lives[node]) guids.insert(Raw(world_.world().node(node).guid));
        }
        return guids;
    }

private:
    SimWorld world_;
};

/// Kills every `stride`th switch, one after the other, and revives it.
void KillEach(const net::Netlist& netlist, std::uint64_t seed, std::uint32_t stride) {
    Settings settings = BriskSettings();
    settings.sweep_interval = 1000;  // The timer shall not help.
    Death death(netlist, seed, settings);
    ASSERT_TRUE(death.ComesUp()) << death.world().Notes();
    SimWorld& world = death.world();
    std::uint64_t worst_us = 0;
    for (auto node = static_cast<std::uint32_t>(seed % stride); node < world.world().node_count();
         node += stride) {
        if (!world.world().node(node).is_switch() || death.IsHome(node)) continue;
        SCOPED_TRACE("seed " + std::to_string(seed) + ", node " + std::to_string(node));
        std::uint64_t cursor = world.sm().log().next_sequence();
        world.sim().Do(Action::kPowerOff, node);
        const std::uint64_t took_us = death.TimeToBeWell();
        worst_us = std::max(worst_us, took_us);
        EXPECT_LE(took_us, kSoonUs) << world.Notes();
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        EXPECT_EQ(death.ToldLost(cursor), death.Gone()) << world.Notes();
        EXPECT_EQ(world.Judge(), "");
        world.sim().Do(Action::kPowerOn, node);
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
    ::testing::Test::RecordProperty("worst_us_of_seed_" + std::to_string(seed),
                                    std::to_string(worst_us));
}

TEST(SwitchDeath, OfEachSwitchOfTwoLevelsIsOverSoon) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        KillEach(net::FatTree2(4), seed, 1);
        KillEach(net::FatTree2(8), seed, 1);
    }
}

TEST(SwitchDeath, OfEachSwitchOfThreeLevelsIsOverSoon) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        KillEach(net::FatTree3(4), seed, 1);
        KillEach(net::FatTree3(6), seed, 5);
    }
    KillEach(net::FatTree3(8), 4, 11);
}

TEST(SwitchDeath, OfWhichOneTrapOnlyIsHeardIsOverSoon) {
    Settings settings = BriskSettings();
    settings.sweep_interval = 1000;
    // Every switch dies four times within seconds: its cables shall not be put into quarantine.
    settings.flapping_link_count = 16;
    settings.flapping_link_window = 1;
    Death death(net::FatTree3(4), 1, settings);
    SimWorld& world = death.world();
    GatedPort gate(world.attachment());
    world.Interpose(gate);
    world.Restart();
    ASSERT_TRUE(death.ComesUp()) << world.Notes();
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (!world.world().node(node).is_switch() || death.IsHome(node)) continue;
        for (std::uint32_t heard = 0; heard < 4; ++heard) {
            SCOPED_TRACE("node " + std::to_string(node) + ", trap " + std::to_string(heard));
            Lid one = kNoLid;
            std::set<Lid> others;
            gate.lets_in = [&](const Envelope& envelope) {
                if (envelope.mad.header.method != Method::kTrap) return true;
                if (one == kNoLid && !others.contains(envelope.peer) && others.size() < heard) {
                    others.insert(envelope.peer);
                } else if (one == kNoLid && !others.contains(envelope.peer)) {
                    one = envelope.peer;
                }
                return envelope.peer == one;
            };
            world.sim().Do(Action::kPowerOff, node);
            if (!world.RunUntil([&] { return one != kNoLid; }, 20 * kMs)) {
                gate.LoseNothing();  // Fewer are sent than this turn wants to lose.
            } else {
                EXPECT_LE(death.TimeToBeWell(), 2 * kSoonUs) << world.Notes();
                gate.LoseNothing();
            }
            world.sim().Do(Action::kPowerOn, node);
            ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        }
    }
}

TEST(SwitchDeath, WhileTablesAreWrittenGivesTheRoundUp) {
    Settings settings = BriskSettings();
    settings.sweep_interval = 1000;
    std::uint64_t given_up = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Death death(net::FatTree3(4), seed, settings);
        SimWorld& world = death.world();
        ASSERT_TRUE(death.ComesUp()) << world.Notes();
        std::vector<std::uint32_t> switches;
        for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
            if (world.world().node(node).is_switch() && !death.IsHome(node)) {
                switches.push_back(node);
            }
        }
        // A cable is lost, and when its ways are being written another switch dies.
        const std::uint32_t first = switches[static_cast<std::size_t>(seed % switches.size())];
        const std::uint32_t dead =
            switches[static_cast<std::size_t>((seed * 7 + 3) % switches.size())];
        world.Cut(first, 1);
        const bool writes =
            world.RunUntil([&] { return world.sm().stage() == Stage::kProgramming; }, 100 * kMs);
        world.sim().Do(Action::kPowerOff, dead);
        EXPECT_LE(death.TimeToBeWell(), 2 * kSoonUs) << "seed " << seed << writes << world.Notes();
        given_up += world.Heard(Note::kRoundGivenUp);
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "");
    }
    EXPECT_GT(given_up, 0U);
}

TEST(LostTraps, AreMadeUpForByALightSweepSoonAfterATargetedOne) {
    Settings settings = BriskSettings();
    settings.sweep_interval = 1000;
    settings.scrub_interval = 0;  // The scrub might come by first.
    Death death(net::FatTree3(4), 1, settings);
    SimWorld& world = death.world();
    GatedPort gate(world.attachment());
    world.Interpose(gate);
    world.Restart();
    ASSERT_TRUE(death.ComesUp()) << world.Notes();
    std::vector<std::uint32_t> trunks;
    for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
        const std::uint32_t other = world.world().Beyond(row);
        const bool is_trunk = other != sim::kNoRow && other > row &&
                              world.world().node_of(row).is_switch() &&
                              world.world().node_of(other).is_switch();
        if (is_trunk) trunks.push_back(row);
    }
    // Whatever is said of the second cable is lost.
    world.sim().Do(Action::kCut, trunks.front());
    world.RunFor(2 * kMs);
    gate.lets_in = [](const Envelope& envelope) {
        return envelope.mad.header.method != Method::kTrap;
    };
    world.sim().Do(Action::kCut, trunks.back());
    EXPECT_LE(death.TimeToBeWell(), kSecond) << world.Notes();
    EXPECT_GE(world.sm().progress().light_sweeps, 1U);
}

}  // namespace
}  // namespace ember::testing
