// SPDX-License-Identifier: Apache-2.0
// EmberSM: a configuration on trial is confirmed by routes of its own, not by tables of before.
//
// Goal:   a configuration whose engines cannot route the fabric is rolled back at its deadline with
//         the reason, though the subnet is up with the tables that the switches have.
// Method: a damaged tree on which OpenSM's updn loses a pair and minhop does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/common/headline.h"
#include "tests/platform/linux/configuration/reload_harness.h"

namespace ember::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TrialRoutes : public ReloadTest {
protected:
    /// Of the tree's four leaves one is gone, and from the first to the second a packet goes up,
    /// down to the third, up and down: minhop goes there, which closes no circle, and updn does
    /// not.
    void Damage() {
        std::vector<std::uint32_t> uplinks;
        const sim::World& world = world_.world();
        for (std::uint32_t row = 0; row < world.row_count(); ++row) {
            const std::uint32_t other = world.Wired(row);
            if (other == sim::kNoRow || row > other) continue;
            if (world.node_of(row).is_switch() && world.node_of(other).is_switch()) {
                uplinks.push_back(row);
            }
        }
        ASSERT_EQ(uplinks.size(), 8U) << "two of each leaf, in its order";
        world_.sim().Do(sim::FabricSim::Action::kCut, uplinks[0]);
        world_.sim().Do(sim::FabricSim::Action::kCut, uplinks[3]);
        gone_ = world.port(uplinks[6]).node;
        world_.sim().Do(sim::FabricSim::Action::kPowerOff, gone_);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
        ASSERT_EQ(verdict().outcome, RoutingOutcome::kVerified) << world_.Notes();
    }
    void DoToEverySwitch(sim::FabricSim::Action action) {
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            if (!world_.world().node(node).is_switch() || node == gone_) continue;
            world_.sim().Do(action, node);
        }
    }
    void Load(const char* conf, std::uint64_t counter) {
        Put(BlobOfConf(conf, counter));
        ASSERT_EQ(Reload(), "");
        world_.Wake();
    }
    void LetTheDeadlinePass() { Watch(Reloader::kTrialUs / kSecond + 2); }
    [[nodiscard]] const Verdict& verdict() { return world_.sm().router().verdict(); }
    [[nodiscard]] std::string Said() {
        std::array<char, 640> room{};
        FixedText text(room);
        AddConfiguration(text, report_);
        return std::string(text.text());
    }
    [[nodiscard]] std::string Headline() {
        std::array<char, 256> room{};
        FixedText text(room);
        AddHeadline(text, world_.sm());
        return std::string(text.text());
    }

    std::uint32_t gone_ = 0;  ///< A switch without power.
};

TEST_F(TrialRoutes, RollsBackAListOfWhichNoEngineCouldRouteAndSaysSo) {
    Damage();
    Load("order opensm\nrouting_engine updn\n", 6);
    Watch(60);
    ASSERT_TRUE(world_.sm().is_up());
    ASSERT_EQ(verdict().outcome, RoutingOutcome::kKept) << world_.Notes();
    EXPECT_TRUE(report_.outcome.on_trial) << "it was never proved";
    EXPECT_THAT(Said(), HasSubstr("waits for routes of its own"));
    EXPECT_EQ(Headline(), "SUBNET UP WITH KEPT TABLES: no engine could route the fabric");
    LetTheDeadlinePass();
    EXPECT_EQ(world_.Heard(Note::kTrialUnrouted), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kTrialRolledBack), 0U) << "the subnet was up";
    EXPECT_EQ(report_.outcome.counter(), 5U);
    world_.RunFor(10 * kSecond);
    EXPECT_EQ(verdict().engine, "auto");
    EXPECT_EQ(Headline(), "SUBNET UP");
    EXPECT_FALSE(LoadTrialRecord(store_).value().on_trial);

    // The whole fabric loses its power: only what an engine makes brings it up again.
    DoToEverySwitch(sim::FabricSim::Action::kPowerOff);
    world_.RunFor(5 * kSecond);
    DoToEverySwitch(sim::FabricSim::Action::kPowerOn);
    world_.RunFor(60 * kSecond);
    ASSERT_TRUE(world_.sm().is_up()) << world_.Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(verdict().engine, "auto");
    EXPECT_EQ(world_.Judge(), "");
}

TEST_F(TrialRoutes, DoesNotConfirmByTheSafeRouting) {
    Damage();
    // The tables of the switches are lost, and updn cannot make them anew.
    DoToEverySwitch(sim::FabricSim::Action::kPowerOff);
    world_.RunFor(5 * kSecond);
    DoToEverySwitch(sim::FabricSim::Action::kPowerOn);
    Load("order opensm\nrouting_engine updn\n", 6);
    Watch(60);
    ASSERT_TRUE(world_.sm().is_up()) << world_.Notes();
    EXPECT_THAT(Headline(), HasSubstr("SUBNET UP BY THE SAFE ROUTING: neither updn nor "));
    EXPECT_EQ(world_.Judge(), "");
    EXPECT_TRUE(report_.outcome.on_trial) << "it was never proved";
    LetTheDeadlinePass();
    EXPECT_EQ(world_.Heard(Note::kTrialUnrouted), 1U) << world_.Notes();
    world_.RunFor(10 * kSecond);
    EXPECT_EQ(verdict().engine, "auto");
    EXPECT_EQ(Headline(), "SUBNET UP");
    EXPECT_EQ(world_.Heard(Note::kSafeRoutingEnded), 1U) << world_.Notes();
}

TEST_F(TrialRoutes, ConfirmsAFallbackOfItsList) {
    Damage();
    Load("order opensm\nrouting_engine updn,minhop\n", 6);
    Watch(30);
    ASSERT_EQ(verdict().engine, "minhop");
    EXPECT_EQ(report_.confirmed_trials, 2U);
    EXPECT_EQ(Headline(), "SUBNET UP BY A FALLBACK: minhop routes, as updn was refused");
}

TEST_F(TrialRoutes, DoesNotConfirmAtAnOrderlyEndWhatWasNotProved) {
    Damage();
    Load("order opensm\nrouting_engine updn\n", 6);
    ASSERT_TRUE(Sweep());
    reloader_->EndInOrder(true);
    EXPECT_TRUE(LoadTrialRecord(store_).value().on_trial);
}

TEST_F(TrialRoutes, SaysWhatItWaitsFor) {
    Load("lmc 0\nsweep_interval 60\n", 6);
    reloader_->WatchTrial(false);
    EXPECT_THAT(Said(), HasSubstr("on trial: waits for SUBNET UP; 120 s are left"));
    ASSERT_TRUE(Sweep());
    reloader_->WatchTrial(false);
    EXPECT_THAT(Said(), HasSubstr("the subnet is up with it, waits for the next light sweep"));
    EXPECT_THAT(Said(), Not(HasSubstr("waits for SUBNET UP")));
}

TEST_F(TrialRoutes, TellsWhichChangedKeysTakeARestart) {
    Load("guid 0x1234\nsm_inactive TRUE\nlmc 0\n", 6);
    EXPECT_EQ(world_.Heard(Note::kRestartNeeded), 2U);
    EXPECT_THAT(world_.Notes(), HasSubstr("the key guid has changed; it takes a restart"));
    EXPECT_THAT(world_.Notes(), HasSubstr("the key sm_inactive has changed"));
    EXPECT_THAT(Said(), HasSubstr("guid has changed and takes a restart"));
    ASSERT_TRUE(Sweep());
    Load("lmc 0\n", 7);
    EXPECT_EQ(world_.Heard(Note::kRestartNeeded), 2U);
    EXPECT_EQ(report_.restart_keys.size(), 0U);
}

}  // namespace
}  // namespace ember::test
