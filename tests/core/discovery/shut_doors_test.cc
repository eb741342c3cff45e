// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of ports behind which a fabric is left alone.

#include "core/discovery/shut_doors.h"

#include <gtest/gtest.h>

namespace ember {
namespace {

using Word = ShutDoors::Word;

constexpr LinkEnd kDoor{.guid = Guid{0x20}, .port = PortNumber{3}};
constexpr LinkEnd kOther{.guid = Guid{0x21}, .port = PortNumber{3}};
constexpr Guid kSwitch{0x77};
constexpr std::uint64_t kMinute = ShutDoors::kProbationUs;

/// A whole sweep that meets the door.
[[nodiscard]] Word Sweep(ShutDoors& doors, Guid behind, std::uint64_t now_us) {
    doors.BeginSweep();
    const Word word = doors.Meet(kDoor, behind, now_us);
    doors.EndSweep();
    return word;
}

TEST(ShutDoors, OpenWhenTheSameSwitchWasThereForAMinute) {
    ShutDoors doors;
    EXPECT_EQ(doors.NextLookUs(), kNever);
    EXPECT_EQ(Sweep(doors, kSwitch, 5), Word::kNew);
    EXPECT_EQ(Sweep(doors, kSwitch, 6), Word::kShut);
    EXPECT_EQ(doors.NextLookUs(), 5 + kMinute);
    EXPECT_FALSE(doors.TakeLook(4 + kMinute));
    EXPECT_TRUE(doors.TakeLook(5 + kMinute));
    EXPECT_FALSE(doors.TakeLook(6 + kMinute));
    EXPECT_EQ(Sweep(doors, kSwitch, 6 + kMinute), Word::kOpen);
    EXPECT_EQ(doors.NextLookUs(), kNever);
    EXPECT_EQ(Sweep(doors, kSwitch, 7 + kMinute), Word::kNew) << "an end node was there meanwhile";
}

TEST(ShutDoors, StayShutWhileTheSwitchChanges) {
    ShutDoors doors;
    for (std::uint64_t minute = 0; minute < 10; ++minute) {
        EXPECT_NE(Sweep(doors, static_cast<Guid>(0x100 + minute), minute * kMinute), Word::kOpen);
    }
}

TEST(ShutDoors, StayShutWhileSomethingNewComesBehindThem) {
    ShutDoors doors;
    EXPECT_EQ(Sweep(doors, kSwitch, 0), Word::kNew);
    doors.Disturb(kDoor, kMinute - 1);
    doors.Disturb(kOther, kMinute - 1);
    EXPECT_EQ(Sweep(doors, kSwitch, kMinute), Word::kShut);
    EXPECT_EQ(doors.NextLookUs(), 2 * kMinute - 1);
    EXPECT_EQ(Sweep(doors, kSwitch, 2 * kMinute - 1), Word::kOpen);
}

TEST(ShutDoors, AreForgottenWhenAWholeSweepDoesNotMeetThem) {
    ShutDoors doors;
    EXPECT_EQ(Sweep(doors, kSwitch, 0), Word::kNew);
    doors.BeginSweep();
    doors.EndSweep();
    EXPECT_EQ(doors.NextLookUs(), kNever);
    EXPECT_EQ(Sweep(doors, kSwitch, kMinute), Word::kNew);
}

TEST(ShutDoors, GiveWayWhenTheyAreTooMany) {
    ShutDoors doors;
    for (std::uint64_t i = 0; i <= ShutDoors::kMost; ++i) {
        EXPECT_EQ(doors.Meet({.guid = Guid{i + 1}, .port = PortNumber{1}}, kSwitch, i), Word::kNew);
    }
    EXPECT_EQ(doors.Meet({.guid = Guid{1}, .port = PortNumber{1}}, kSwitch, 50), Word::kNew);
}

}  // namespace
}  // namespace ember
