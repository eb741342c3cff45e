// SPDX-License-Identifier: Apache-2.0
// EmberSM: sweeps that miss more than half of the nodes.
//
// Goal:   the subnet is not said to be up by a sweep that was deceived; one that is up without most
//         of its nodes says so; and no honest loss holds traffic up.
// Method: a switch that says for a while that it is none, beside the manager and far from it;
// cables
//         that are cut for good.
#include <gtest/gtest.h>

#include "platform/common/headline.h"
#include "tests/support/checkers.h"
#include "tests/support/lying.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class GreatLosses : public ::testing::Test {
protected:
    GreatLosses() : world_(net::FatTree2(4)) {
        world_.AddManager(BriskSettings());
        is_up_ = world_.RunUntilQuiet(30 * kSecond);
    }
    void SetUp() override { ASSERT_TRUE(is_up_) << world_.Notes(); }

    [[nodiscard]] std::uint32_t SwitchOf(std::uint32_t host) {
        return world_.world().port(world_.world().Beyond(world_.sim().RowOf(host, 1))).node;
    }
    [[nodiscard]] std::uint32_t LastHost() {
        std::uint32_t host = 0;
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            if (!world_.world().node(node).is_switch()) host = node;
        }
        return host;
    }
    void Sweep() {
        world_.sm().RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake();
    }
    void LieAboutType(std::uint32_t node, NodeType type) {
        liar_.LieAbout<NodeInfo>(node, AttributeId::kNodeInfo,
                                 [this, type](NodeInfo& info, const Mad&) {
                                     info.Set(NodeInfo::kNodeType, type);
                                     ++lies_;
                                 });
    }
    [[nodiscard]] bool IsWhole() {
        return world_.sm().status().nodes == world_.world().node_count() && world_.sm().is_up() &&
               world_.Judge().empty();
    }
    /// All cables of the manager's leaf switch to other switches.
    void CutTrunks(bool joins) {
        const std::uint32_t leaf = SwitchOf(world_.node_of_seat());
        for (std::uint32_t port = 1; port <= world_.world().node(leaf).port_count; ++port) {
            const std::uint32_t row = world_.sim().RowOf(leaf, port);
            const std::uint32_t beyond = world_.world().Wired(row);
            if (beyond == sim::kNoRow || !world_.world().node_of(beyond).is_switch()) continue;
            joins ? world_.Join(leaf, port) : world_.Cut(leaf, port);
        }
    }

    SimWorld world_;
    FreeLiar liar_{world_};
    int lies_ = 0;
    bool is_up_ = false;
};

/// No switch is known then: nothing else would tell that there is one.
TEST_F(GreatLosses, ByALieOfTheSwitchInFrontAreMended) {
    for (const NodeType type : {NodeType::kRouter, NodeType::kChannelAdapter}) {
        LieAboutType(SwitchOf(world_.node_of_seat()), type);
        Sweep();
        world_.RunFor(100 * kMs);
        EXPECT_GT(lies_, 0);
        EXPECT_FALSE(world_.sm().is_up()) << "in doubt\n" << world_.Notes();
        liar_.BeHonest();
        EXPECT_TRUE(world_.RunUntil([&] { return IsWhole(); }, 30 * kSecond)) << world_.Notes();
        EXPECT_EQ(world_.Heard(Note::kNodesLostForGood), 0U) << world_.Notes();
        EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp);
    }
    EXPECT_GE(world_.Heard(Note::kNodesLostInDoubt), 2U);
}

/// The lie outlasts the doubt.
TEST_F(GreatLosses, ByALongLieOfTheSwitchInFrontAreToldAndMended) {
    LieAboutType(SwitchOf(world_.node_of_seat()), NodeType::kRouter);
    Sweep();
    ASSERT_TRUE(
        world_.RunUntil([&] { return world_.Heard(Note::kNodesLostForGood) != 0; }, 20 * kSecond))
        << world_.Notes();
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kNodesLost);
    world_.RunFor(100 * kSecond);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kNodesLost);
    liar_.BeHonest();
    EXPECT_TRUE(world_.RunUntil([&] { return IsWhole(); }, 60 * kSecond)) << world_.Notes();
    EXPECT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp);
}

/// Its neighbor is taken for a router: it tells of a link by trap 128, which hosts have no right
/// to.
TEST_F(GreatLosses, TrapsOfTheOnlyNeighborAreHeard) {
    Settings settings = BriskSettings();
    settings.scrub_interval = 0;
    world_.sm().Configure(settings);
    world_.Wake();
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond));
    LieAboutType(SwitchOf(world_.node_of_seat()), NodeType::kRouter);
    Sweep();
    ASSERT_TRUE(
        world_.RunUntil([&] { return world_.Heard(Note::kNodesLostForGood) != 0; }, 20 * kSecond))
        << world_.Notes();
    liar_.BeHonest();
    world_.RunFor(100 * kSecond);
    EXPECT_EQ(world_.sm().status().switches, 0U) << "nothing has told";
    const std::uint32_t leaf = SwitchOf(world_.node_of_seat());
    world_.Cut(leaf, world_.world().node(leaf).port_count);
    world_.RunFor(5 * kSecond);
    world_.Join(leaf, world_.world().node(leaf).port_count);
    EXPECT_TRUE(world_.RunUntil([&] { return IsWhole(); }, 30 * kSecond)) << world_.Notes();
}

/// A lie of the last sweep before rest is found by the scrub.
TEST_F(GreatLosses, ALieAboutTheTypeOfAFarSwitchIsFound) {
    const std::uint32_t leaf = SwitchOf(LastHost());
    for (const NodeType type : {NodeType::kRouter, NodeType::kChannelAdapter}) {
        LieAboutType(leaf, type);
        Sweep();
        world_.RunFor(3 * kSecond);
        liar_.BeHonest();
        EXPECT_TRUE(world_.RunUntil([&] { return IsWhole(); }, 60 * kSecond)) << world_.Notes();
    }
    EXPECT_GT(lies_, 0);
}

/// The part that is left is served at once, and is up some seconds later, with a reservation.
TEST_F(GreatLosses, OfCablesHoldNothingUpAndAreTold) {
    const std::uint32_t manager = world_.node_of_seat();
    CutTrunks(false);
    EXPECT_TRUE(
        world_.RunUntil([&] { return world_.Heard(Note::kNodesLostInDoubt) != 0; }, 2 * kSecond));
    EXPECT_FALSE(world_.sm().is_up());
    EXPECT_EQ(EveryPairConnected(world_.world(), manager), "") << "while it is in doubt";
    EXPECT_TRUE(world_.RunUntil([&] { return world_.sm().is_up(); }, 3 * kSecond))
        << world_.Notes();
    EXPECT_EQ(world_.sm().status().nodes, 3U);
    EXPECT_EQ(world_.Heard(Note::kNodesLostForGood), 1U);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kNodesLost);
    world_.RunFor(60 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kNodesLostForGood), 1U) << "told once";
    CutTrunks(true);
    EXPECT_TRUE(world_.RunUntil([&] { return IsWhole(); }, 30 * kSecond)) << world_.Notes();
    EXPECT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp);
}

/// An operator who has the rest switched off says so by a sweep.
TEST_F(GreatLosses, EndWithASweepByHand) {
    CutTrunks(false);
    ASSERT_TRUE(world_.RunUntil([&] { return ConditionOf(world_.sm()) == Condition::kNodesLost; },
                                10 * kSecond))
        << world_.Notes();
    Sweep();
    ASSERT_TRUE(world_.RunUntilQuiet(10 * kSecond));
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp);
    world_.RunFor(60 * kSecond);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp);
}

/// Half is no such loss: a rack that is switched off.
TEST_F(GreatLosses, AreOfMoreThanHalf) {
    for (const std::uint32_t host : {5U, 6U, 7U}) {
        world_.Cut(host, 1);
    }
    world_.RunFor(10 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kNodesLostInDoubt), 0U) << world_.Notes();
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp);
}

}  // namespace
}  // namespace ember::testing
