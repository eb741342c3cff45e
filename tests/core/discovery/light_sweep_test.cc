// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a light sweep asks, and of what its answers ask for.

#include "core/discovery/light_sweep.h"

#include <gtest/gtest.h>

#include "tests/core/discovery/light_sweep_fixture.h"

namespace ember::light_sweep {
namespace {

TEST_F(LightSweepTest, AsksEachSwitchForItsSwitchInfoAndNoMoreWhereNothingIsNew) {
    EXPECT_TRUE(sweep_.done()) << "none has begun";
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), (Sentences{"SwitchInfo 1", "SwitchInfo 1.2"}));
    EXPECT_FALSE(sweep_.hungry());
    Reply("SwitchInfo 1.2", SwitchAt(kFar).info);
    EXPECT_FALSE(sweep_.done());
    Reply("SwitchInfo 1", SwitchAt(kNear).info);
    EXPECT_TRUE(sweep_.done());
    EXPECT_EQ(sweep_.outcome().asked, 2U);
    EXPECT_FALSE(sweep_.outcome().wants_heavy());
    EXPECT_FALSE(sweep_.outcome().has_seen_enough());
}

TEST_F(LightSweepTest, ASwitchWithNewsHasChanged) {
    SwitchInfo news = SwitchAt(kNear).info;
    news.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    SwitchInfo reset = SwitchAt(kFar).info;
    reset.Set(SwitchInfo::kLinearFdbTop, Lid{0});
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", news);
    EXPECT_EQ(sweep_.outcome().changed, 1U) << "PortStateChange";
    EXPECT_TRUE(sweep_.outcome().has_seen_enough()) << "one answer is still under way";
    Reply("SwitchInfo 1.2", reset);
    EXPECT_EQ(sweep_.outcome().changed, 2U) << "LinearFDBTop";
    EXPECT_EQ(sweep_.outcome().silent, 0U);
    EXPECT_TRUE(sweep_.outcome().wants_heavy());
    EXPECT_EQ(SwitchAt(kNear).info.Get(SwitchInfo::kPortStateChange), 0) << "no row is written";
    EXPECT_EQ(SwitchAt(kFar).info.Get(SwitchInfo::kLinearFdbTop), Lid{20});
}

TEST_F(LightSweepTest, OtherValuesOfASwitchInfoAreNoChange) {
    SwitchInfo info = SwitchAt(kNear).info;
    info.Set(SwitchInfo::kLifeTimeValue, std::uint8_t{9});
    info.Set(SwitchInfo::kMulticastFdbTop, Lid{0xC005});
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", info);
    EXPECT_FALSE(sweep_.outcome().wants_heavy());
}

TEST_F(LightSweepTest, ASwitchThatRefusesHasChanged) {
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", SwitchAt(kNear).info, kRefusal);
    EXPECT_EQ(sweep_.outcome().changed, 1U);
    EXPECT_EQ(sweep_.outcome().silent, 0U);
}

TEST_F(LightSweepTest, ASwitchIsSilentAfterAsManyTriesAsTheSettingsSay) {
    for (const std::uint32_t tries : {1U, 2U, 4U}) {
        port_.sent.clear();
        settings_.transaction_retries = tries;
        exchange_.Configure(settings_);
        sweep_.Begin(now_us_);
        Reply("SwitchInfo 1", SwitchAt(kNear).info);
        RunToEnd();
        EXPECT_EQ(port_.sent.size(), tries);
        EXPECT_EQ(sweep_.outcome().silent, 1U);
        EXPECT_EQ(sweep_.outcome().changed, 0U);
        EXPECT_TRUE(sweep_.outcome().wants_heavy());
        EXPECT_FALSE(sweep_.outcome().has_seen_enough()) << "a later answer may still tell more";
    }
}

TEST_F(LightSweepTest, ASwitchWithoutAPathIsSilentAtOnce) {
    NodeAt(kFar).entry = kNoPortIndex;
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"});
    EXPECT_EQ(sweep_.outcome().asked, 2U);
    EXPECT_EQ(sweep_.outcome().silent, 1U);
}

TEST_F(LightSweepTest, ANodeWithoutADescriptionIsAskedForItOnce) {
    for (const std::uint32_t node : {kOwn, kFar, kHost})
        NodeAt(node).has_description = false;
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), (Sentences{"SwitchInfo 1", "SwitchInfo 1.2", "NodeDescription",
                                  "NodeDescription 1.2", "NodeDescription 1.2.2"}));
    SmpData name{};
    name[0] = 'x';
    Reply("NodeDescription 1.2", name);
    EXPECT_TRUE(NodeAt(kFar).has_description);
    EXPECT_EQ(NodeAt(kFar).description[0], 'x');
    EXPECT_EQ(NodeAt(kFar).description[1], 0);
    Reply("NodeDescription", name, kRefusal);
    EXPECT_FALSE(NodeAt(kOwn).has_description);
    ReplyOfSwitches();
    RunToEnd();
    EXPECT_FALSE(NodeAt(kHost).has_description);
    EXPECT_FALSE(sweep_.outcome().wants_heavy()) << "a name asks for no sweep";
}

TEST_F(LightSweepTest, AsksAsManyQuestionsAsTheWindowAdmits) {
    settings_.max_wire_smps = 1;
    exchange_.Configure(settings_);
    SetState(kFar, 5, PortState::kActive);
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"});
    sweep_.Step(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"}) << "the window is full";
    EXPECT_TRUE(sweep_.hungry());
    Reply("SwitchInfo 1", SwitchAt(kNear).info);
    EXPECT_FALSE(sweep_.done()) << "no question is under way, but there are more";
    sweep_.Step(now_us_);
    Reply("SwitchInfo 1.2", SwitchAt(kFar).info);
    sweep_.Step(now_us_);
    Reply("NodeInfo 1.2.5", InfoOf(NodeType::kChannelAdapter, kStranger, 1));
    sweep_.Step(now_us_);
    EXPECT_FALSE(sweep_.hungry());
    EXPECT_TRUE(sweep_.done());
    EXPECT_EQ(sweep_.outcome().awoken, 1U);
}

TEST_F(LightSweepTest, AsksOurOwnPortBothQuestionsOnceThroughAWindowOfOne) {
    settings_.max_wire_smps = 1;
    settings_.transaction_retries = 1;
    exchange_.Configure(settings_);
    LoseOwnLink();
    NodeAt(kOwn).has_description = false;
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"NodeDescription"});
    RunToEnd();
    EXPECT_EQ(Asked(), (Sentences{"NodeDescription", "NodeInfo 1"}))
        << "though neither is answered";
}

TEST_F(LightSweepTest, AnAbandonedSweepIsOverAndTheNextOneCountsAnew) {
    settings_.max_wire_smps = 1;
    exchange_.Configure(settings_);
    SwitchInfo news = SwitchAt(kNear).info;
    news.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", news);
    sweep_.Step(now_us_);
    sweep_.Abandon();
    EXPECT_TRUE(sweep_.done());
    EXPECT_FALSE(sweep_.hungry());
    EXPECT_EQ(exchange_.in_flight(), 0U);
    port_.sent.clear();
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"}) << "from the first switch on";
    EXPECT_EQ(sweep_.outcome().changed, 0U);
    EXPECT_EQ(sweep_.outcome().asked, 1U);
}

}  // namespace
}  // namespace ember::light_sweep
