// SPDX-License-Identifier: Apache-2.0
// EmberSM: which sweep follows which cue, and the drawing of the rules in core/manager/DESIGN.md.

#include "core/manager/sweep_plan.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ember {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint64_t kForever = ~std::uint64_t{0};
constexpr SwitchIndex kLeaf{3};
constexpr SweepFacts kUp{.is_up = true, .is_well_known = true};
constexpr SweepFacts kDown{};

constexpr std::array<const char*, kSweepCues> kCueWords = {
    "start",
    "role",
    "new settings",
    "heavy sweep by hand",
    "light sweep by hand",
    "timer, something to confirm",
    "timer, subnet not up",
    "trap: a port changed",
    "trap: light sweep will do",
    "quarantine begins or ends",
    "scrub: a table differs",
    "scrub: another node",
    "light sweep saw a change",
    "light sweep met silence",
    "mute link",
    "round given up",
    "targeted sweep does not fit",
    "full board made room",
    "left alone for a while",
    "sweep ended with errors",
    "great loss",
    "hosts lack something",
};
constexpr std::array<const char*, 3> kScopeWords = {"light", "switch", "whole"};
constexpr std::array<const char*, 4> kPaceWords = {
    "at once", "one a second", "one a second after three for nothing", "at once, leisurely"};

std::string Drawing() {
    std::ostringstream drawing;
    drawing << "| cue | sweep | reason told | begins |\n| --- | --- | --- | --- |\n";
    for (const SweepRule& rule : kSweepRules) {
        drawing << "| " << kCueWords[std::size_t(rule.on)] << " | "
                << kScopeWords[std::size_t(rule.asks)] << " | "
                << kSweepReasonWords[std::size_t(rule.reason)] << " | "
                << kPaceWords[std::size_t(rule.pace)] << " |\n";
    }
    return drawing.str();
}

TEST(SweepRules, TheDrawingInTheDesignIsTheTable) {
    std::ifstream file(EMBER_SOURCE_DIR "/core/manager/DESIGN.md");
    ASSERT_TRUE(file) << "core/manager/DESIGN.md is missing";
    std::ostringstream design;
    design << file.rdbuf();
    EXPECT_NE(design.str().find(Drawing()), std::string::npos)
        << "core/manager/DESIGN.md should contain:\n"
        << Drawing();
}

class SweepPlanTest : public testing::Test {
protected:
    /// A heavy sweep as if it were chosen, and its end.
    SweepOrder Sweep(const SweepFacts& facts, SweepEnd end, std::uint64_t now_us) {
        const SweepOrder order = plan_.BeginHeavy(facts);
        plan_.EndHeavy(end, now_us);
        return order;
    }
    /// Traps that ask for everything and lead to nothing.
    void SweepForNothing(int times, std::uint64_t now_us) {
        for (int i = 0; i < times; ++i) {
            plan_.Hear(SweepCue::kTrap, kNoSwitch);
            const SweepOrder order = plan_.BeginHeavy(kUp);
            plan_.NoteNews(false, order.reason, now_us);
            plan_.EndHeavy({.good = true}, now_us);
        }
    }

    Settings settings_;
    SweepPlan plan_{settings_};
};

TEST_F(SweepPlanTest, NothingIsDueAtFirst) {
    EXPECT_EQ(plan_.Choose(kDown, 0), SweepChoice::kNone);
    EXPECT_EQ(plan_.hold(), SweepHold::kNothing);
    EXPECT_EQ(plan_.NextDeadlineUs(kDown, 0), kForever);
}

TEST_F(SweepPlanTest, EachRuleAsksForWhatItSays) {
    for (const SweepRule& rule : kSweepRules) {
        SweepPlan plan(settings_);
        rule.asks == SweepScope::kSwitch ? plan.Hear(rule.on, kLeaf) : plan.Hear(rule.on);
        const bool is_heavy = rule.asks != SweepScope::kLight;
        EXPECT_EQ(plan.wants_heavy(), is_heavy) << kCueWords[std::size_t(rule.on)];
        EXPECT_EQ(plan.Choose(kUp, kSecond), is_heavy ? SweepChoice::kHeavy : SweepChoice::kLight)
            << kCueWords[std::size_t(rule.on)];
        if (!is_heavy) continue;
        const SweepOrder order = plan.BeginHeavy(kUp);
        EXPECT_EQ(order.reason, rule.reason);
        EXPECT_EQ(order.targets.size(), rule.asks == SweepScope::kSwitch ? 1U : 0U);
        EXPECT_EQ(order.is_leisurely, rule.pace == SweepPace::kLeisurely);
        EXPECT_FALSE(plan.wants_heavy());
    }
}

TEST_F(SweepPlanTest, ASwitchIsAskedAloneOnlyWhereTheRestIsKnown) {
    const std::array<SweepFacts, 3> unknown = {
        {{}, {.is_up = true}, {.is_up = false, .is_well_known = true}}};
    for (const SweepFacts& facts : unknown) {
        plan_.Hear(SweepCue::kTrap, kLeaf);
        EXPECT_TRUE(plan_.BeginHeavy(facts).targets.empty());
    }
    plan_.Hear(SweepCue::kTrap, kLeaf);
    ASSERT_EQ(plan_.BeginHeavy(kUp).targets.size(), 1U);
}

TEST_F(SweepPlanTest, WithoutATimerEverythingIsAsked) {
    settings_.sweep_interval = 0;
    plan_.Hear(SweepCue::kTrap, kLeaf);
    EXPECT_TRUE(plan_.BeginHeavy(kUp).targets.empty());
}

TEST_F(SweepPlanTest, ASwitchIsAskedOnceHoweverOftenItIsNamed) {
    plan_.Hear(SweepCue::kTrap, kLeaf);
    plan_.Hear(SweepCue::kTableDiffers, kLeaf);
    const SweepOrder order = plan_.BeginHeavy(kUp);
    ASSERT_EQ(order.targets.size(), 1U);
    EXPECT_EQ(order.targets[0], kLeaf);
    EXPECT_EQ(order.reason, SweepReason::kTrap);
}

TEST_F(SweepPlanTest, MoreSwitchesThanASweepCanNameAreEverything) {
    for (std::uint16_t i = 0; i < Discovery::kMaxTargets; ++i) {
        plan_.Hear(SweepCue::kTrap, SwitchIndex{i});
    }
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, 7), 7U);
    plan_.Hear(SweepCue::kTrap, SwitchIndex{Discovery::kMaxTargets});
    EXPECT_TRUE(plan_.BeginHeavy(kUp).targets.empty());
}

TEST_F(SweepPlanTest, ATrapsReasonGivesWayAndNoOther) {
    plan_.Hear(SweepCue::kTrap, kNoSwitch);
    plan_.Hear(SweepCue::kHeavyRequest);
    plan_.Hear(SweepCue::kConfiguration);
    EXPECT_EQ(plan_.BeginHeavy(kUp).reason, SweepReason::kRequest);
}

TEST_F(SweepPlanTest, ThreeTrapsForNothingPaceTheFourth) {
    SweepForNothing(2, 10 * kSecond);
    plan_.Hear(SweepCue::kTrap, kNoSwitch);
    EXPECT_EQ(plan_.Choose(kUp, 10 * kSecond), SweepChoice::kHeavy);
    SweepForNothing(1, 10 * kSecond);
    plan_.Hear(SweepCue::kTrap, kNoSwitch);
    EXPECT_EQ(plan_.Choose(kUp, 11 * kSecond - 1), SweepChoice::kNone);
    EXPECT_EQ(plan_.hold(), SweepHold::kTrapsPaced);
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, 10 * kSecond), 11 * kSecond);
    EXPECT_EQ(plan_.Choose(kUp, 11 * kSecond), SweepChoice::kHeavy);
    EXPECT_EQ(plan_.hold(), SweepHold::kNothing);
}

TEST_F(SweepPlanTest, ARequestIsNotPacedForTheTrapBeforeIt) {
    SweepForNothing(3, 10 * kSecond);
    plan_.Hear(SweepCue::kTrap, kNoSwitch);
    plan_.Hear(SweepCue::kHeavyRequest);
    EXPECT_EQ(plan_.Choose(kUp, 10 * kSecond), SweepChoice::kHeavy);
}

TEST_F(SweepPlanTest, ASwitchThatIsNamedIsNotPacedForTheTrapsOfOthers) {
    SweepForNothing(3, 10 * kSecond);
    plan_.Hear(SweepCue::kTrap, kLeaf);
    EXPECT_EQ(plan_.Choose(kUp, 10 * kSecond), SweepChoice::kHeavy);
}

TEST_F(SweepPlanTest, NewsEndThePace) {
    SweepForNothing(3, 10 * kSecond);
    plan_.NoteNews(true, SweepReason::kTrap, 10 * kSecond);
    plan_.Hear(SweepCue::kTrap, kNoSwitch);
    EXPECT_EQ(plan_.Choose(kUp, 10 * kSecond), SweepChoice::kHeavy);
}

TEST_F(SweepPlanTest, HintsStartOneLightSweepASecond) {
    plan_.Hear(SweepCue::kTrapHint);
    EXPECT_EQ(plan_.Choose(kUp, 5 * kSecond), SweepChoice::kLight);
    plan_.Hear(SweepCue::kTrapHint);
    EXPECT_EQ(plan_.Choose(kUp, 6 * kSecond - 1), SweepChoice::kNone);
    EXPECT_EQ(plan_.hold(), SweepHold::kHintPaced);
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, 5 * kSecond), 6 * kSecond);
    EXPECT_EQ(plan_.Choose(kUp, 6 * kSecond), SweepChoice::kLight);
}

TEST_F(SweepPlanTest, ALightSweepByHandIsNotPaced) {
    plan_.Hear(SweepCue::kTrapHint);
    EXPECT_EQ(plan_.Choose(kUp, 5 * kSecond), SweepChoice::kLight);
    plan_.Hear(SweepCue::kLightRequest);
    EXPECT_EQ(plan_.Choose(kUp, 5 * kSecond), SweepChoice::kLight);
}

TEST_F(SweepPlanTest, WhatIsNotUpIsNotSweptLightly) {
    plan_.Hear(SweepCue::kLightRequest);
    EXPECT_EQ(plan_.Choose(kDown, kSecond), SweepChoice::kNone);
    EXPECT_EQ(plan_.hold(), SweepHold::kHeavyInstead);
    EXPECT_EQ(plan_.Choose(kDown, kSecond), SweepChoice::kNone);
    EXPECT_EQ(plan_.hold(), SweepHold::kNothing);
}

TEST_F(SweepPlanTest, AGoodSweepIsFollowedByALightOneAfterTheInterval) {
    settings_.sweep_interval = 10;
    Sweep(kUp, {.good = true}, kSecond);
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, kSecond), 11 * kSecond);
    EXPECT_EQ(plan_.Choose(kUp, 11 * kSecond - 1), SweepChoice::kNone);
    EXPECT_EQ(plan_.Choose(kUp, 11 * kSecond), SweepChoice::kLight);
    plan_.EndLight(12 * kSecond);
    EXPECT_EQ(plan_.timer_us(), 22 * kSecond);
}

TEST_F(SweepPlanTest, WithoutAnIntervalNothingFollowsAGoodSweep) {
    settings_.sweep_interval = 0;
    Sweep(kUp, {.good = true, .cleared = true}, kSecond);
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, kSecond), kForever);
}

TEST_F(SweepPlanTest, WhatWasClearedOrTakenForGrantedIsConfirmedByAHeavySweep) {
    settings_.sweep_interval = 10;
    for (const SweepEnd end :
         {SweepEnd{.good = true, .cleared = true}, SweepEnd{.good = true, .targeted = true}}) {
        SweepPlan plan(settings_);
        static_cast<void>(plan.BeginHeavy(kUp));
        plan.EndHeavy({.good = true}, 0);  // The timer of this one is not put off.
        static_cast<void>(plan.BeginHeavy(kUp));
        plan.EndHeavy(end, 5 * kSecond);
        const std::uint64_t due_us = end.targeted ? 10 * kSecond : 15 * kSecond;
        EXPECT_EQ(plan.timer_us(), due_us);
        EXPECT_EQ(plan.Choose(kUp, due_us), SweepChoice::kHeavy);
        EXPECT_EQ(plan.BeginHeavy(kUp).reason, SweepReason::kTimer);
    }
}

TEST_F(SweepPlanTest, ALightSweepDoesNotPutOffWhatConfirms) {
    settings_.sweep_interval = 10;
    Sweep(kUp, {.good = true, .cleared = true}, 0);
    plan_.EndLight(4 * kSecond);
    EXPECT_EQ(plan_.timer_us(), 10 * kSecond);
}

TEST_F(SweepPlanTest, ALightSweepLooksAgainAfterATargetedOne) {
    settings_.sweep_interval = 10;
    Sweep(kUp, {.good = true, .targeted = true}, kSecond);
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, kSecond), kSecond + 300'000);
    EXPECT_EQ(plan_.Choose(kUp, kSecond + 299'999), SweepChoice::kNone);
    EXPECT_EQ(plan_.Choose(kUp, kSecond + 300'000), SweepChoice::kLight);
    EXPECT_EQ(plan_.Choose(kUp, kSecond + 300'001), SweepChoice::kNone);
}

TEST_F(SweepPlanTest, ErrorsAreFollowedAtOnceThreeTimesAndThenByTheTimer) {
    settings_.sweep_interval = 10;
    for (int i = 0; i < 3; ++i) {
        Sweep(kDown, {}, kSecond);
        EXPECT_TRUE(plan_.wants_heavy()) << i;
    }
    Sweep(kDown, {}, kSecond);
    EXPECT_FALSE(plan_.wants_heavy());
    EXPECT_EQ(plan_.Choose(kDown, 11 * kSecond), SweepChoice::kHeavy);
    EXPECT_EQ(plan_.BeginHeavy(kDown).reason, SweepReason::kErrors);
    plan_.ForgiveErrors();
    plan_.EndHeavy({}, kSecond);
    EXPECT_TRUE(plan_.wants_heavy());
}

TEST_F(SweepPlanTest, ErrorsAreFollowedWithoutATimerToo) {
    settings_.sweep_interval = 0;
    for (int i = 0; i < 4; ++i) {
        Sweep(kDown, {}, kSecond);
    }
    EXPECT_EQ(plan_.timer_us(), 11 * kSecond);
}

TEST_F(SweepPlanTest, LinksThatWereTakenDownAreLookedAtUntilTheyAreTrained) {
    settings_.sweep_interval = 0;
    Sweep(kDown, {.bounced = true}, 0);
    Sweep(kDown, {.good = true}, 1);  // At once, while they train.
    for (const std::uint64_t due_us : {300'000U, 900'000U, 2'100'000U, 4'500'000U}) {
        EXPECT_EQ(plan_.NextDeadlineUs(kUp, due_us - 1), due_us);
        EXPECT_EQ(plan_.Choose(kUp, due_us - 1), SweepChoice::kNone);
        EXPECT_EQ(plan_.Choose(kUp, due_us), SweepChoice::kLight);
        plan_.EndLight(due_us);
    }
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, 5 * kSecond), kForever);
}

TEST_F(SweepPlanTest, WhereTheSubnetIsNotUpThatLookIsHeavy) {
    settings_.sweep_interval = 0;
    Sweep(kDown, {.bounced = true}, 0);
    Sweep(kDown, {.good = true}, 1);
    EXPECT_EQ(plan_.Choose(kDown, 300'000), SweepChoice::kHeavy);
    EXPECT_EQ(plan_.BeginHeavy(kDown).reason, SweepReason::kErrors);
}

TEST_F(SweepPlanTest, EverySweepIsHeavyWhereThatIsDemanded) {
    settings_.sweep_interval = 10;
    settings_.force_heavy_sweep = true;
    Sweep(kUp, {.good = true}, 0);
    EXPECT_EQ(plan_.Choose(kUp, 10 * kSecond), SweepChoice::kHeavy);
}

TEST_F(SweepPlanTest, HostsThatLackAreFollowedThreeTimesAtLeisure) {
    settings_.sweep_interval = 10;
    for (int i = 0; i < 3; ++i) {
        plan_.FollowEndPorts(true, kSecond);
        ASSERT_TRUE(plan_.wants_heavy()) << i;
        EXPECT_TRUE(plan_.BeginHeavy(kUp).is_leisurely);
        plan_.EndHeavy({.good = true}, kSecond);
    }
    plan_.FollowEndPorts(true, kSecond);
    EXPECT_FALSE(plan_.wants_heavy());
    EXPECT_EQ(plan_.Choose(kUp, 11 * kSecond), SweepChoice::kHeavy);  // The timer's sweep confirms.
    plan_.ForgetEndPorts();
    plan_.FollowEndPorts(true, kSecond);
    EXPECT_TRUE(plan_.wants_heavy());
}

TEST_F(SweepPlanTest, ErrorsAndHostsInTurnEarnNoRetriesAnew) {
    settings_.sweep_interval = 10;
    int sweeps = 0;
    for (bool good = false; sweeps == 0 || plan_.wants_heavy(); good = !good) {
        ASSERT_LT(++sweeps, 20);
        Sweep(kUp, {.good = good}, kSecond);
        if (good) plan_.FollowEndPorts(true, kSecond);
        if (!good) plan_.ForgetEndPorts();  // The host that lacks was not met.
    }
    EXPECT_EQ(sweeps, 7);
    EXPECT_EQ(plan_.timer_us(), 11 * kSecond);
}

TEST_F(SweepPlanTest, HostsThatFellBackAreLookedAtWhenTheTimerIsDue) {
    settings_.sweep_interval = 0;
    plan_.FollowEndPorts(false, kSecond);
    EXPECT_FALSE(plan_.wants_heavy());
    EXPECT_EQ(plan_.timer_us(), 11 * kSecond);
}

TEST_F(SweepPlanTest, AnotherCueEndsTheLeisure) {
    plan_.FollowEndPorts(true, kSecond);
    plan_.Hear(SweepCue::kHeavyRequest);
    EXPECT_FALSE(plan_.BeginHeavy(kUp).is_leisurely);
}

TEST_F(SweepPlanTest, AfterTheSubnetIsAnothersNothingIsWanted) {
    settings_.sweep_interval = 10;
    Sweep(kUp, {.good = true, .targeted = true}, kSecond);
    plan_.Hear(SweepCue::kTrapHint);
    plan_.Hear(SweepCue::kHeavyRequest);
    plan_.Abandon();
    EXPECT_EQ(plan_.NextDeadlineUs(kUp, kSecond), kForever);
    EXPECT_EQ(plan_.Choose(kUp, 100 * kSecond), SweepChoice::kNone);
}

TEST_F(SweepPlanTest, APortWithoutALinkIsTriedAgainInASecond) {
    settings_.sweep_interval = 10;
    Sweep(kDown, {}, kSecond);
    plan_.EndAtOwnPort(kSecond);
    EXPECT_EQ(plan_.timer_us(), 2 * kSecond);
}

}  // namespace
}  // namespace ember
