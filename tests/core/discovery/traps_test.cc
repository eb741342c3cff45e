// SPDX-License-Identifier: Apache-2.0
// EmberSM: what traps ask for, and how often.

#include "core/discovery/traps.h"

#include <bit>
#include <gtest/gtest.h>

namespace ember {
namespace {

Notice Generic(TrapNumber number) {
    Notice notice;
    notice.Set(Notice::kIsGeneric, std::uint8_t{1});
    notice.Set(Notice::kTrapNumber, number);
    return notice;
}

TEST(TrapDesk, ALinkStateChangeWantsAHeavySweep) {
    TrapDesk desk;
    EXPECT_EQ(desk.Judge(Lid{1}, Generic(TrapNumber::kLinkStateChange), 0), TrapWish::kHeavySweep);
}

TEST(TrapDesk, ANewDescriptionAloneWantsOnlyThat) {
    TrapDesk desk;
    auto changes = std::bit_cast<LocalChangesNotice>(Generic(TrapNumber::kLocalChanges));
    changes.Set(LocalChangesNotice::kOtherLocalChanges, std::uint8_t{1});
    changes.Set(LocalChangesNotice::kNodeDescriptionChange, std::uint8_t{1});
    EXPECT_EQ(desk.Judge(Lid{1}, changes, 0), TrapWish::kDescription);

    changes.Set(LocalChangesNotice::kLinkWidthEnabledChange, std::uint8_t{1});
    EXPECT_EQ(desk.Judge(Lid{1}, changes, 0), TrapWish::kHeavySweep);
}

TEST(TrapDesk, OthersWantALightSweep) {
    TrapDesk desk;
    EXPECT_EQ(desk.Judge(Lid{1}, Generic(TrapNumber::kBadPKey), 0), TrapWish::kLightSweep);
    Notice vendor = Generic(TrapNumber::kLinkStateChange);
    vendor.Set(Notice::kIsGeneric, std::uint8_t{0});
    EXPECT_EQ(desk.Judge(Lid{1}, vendor, 0), TrapWish::kLightSweep);
}

TEST(TrapDesk, TheTenthOfTheSameIsIgnoredUntilItHasBeenQuiet) {
    TrapDesk desk;
    Notice notice = Generic(TrapNumber::kLinkStateChange);
    std::uint64_t now_us = 0;
    for (std::uint16_t i = 1; i < TrapDesk::kPatience; ++i) {
        notice.Set(Notice::kNoticeCount, i);  // A repetition may count itself.
        EXPECT_EQ(desk.Judge(Lid{1}, notice, now_us), TrapWish::kHeavySweep);
        now_us += TrapDesk::kWindowUs;
    }
    EXPECT_EQ(desk.Judge(Lid{1}, notice, now_us), TrapWish::kNothing);
    EXPECT_EQ(desk.Judge(Lid{2}, notice, now_us), TrapWish::kHeavySweep);  // Another issuer.
    now_us += TrapDesk::kWindowUs;
    EXPECT_EQ(desk.Judge(Lid{1}, notice, now_us), TrapWish::kNothing);  // Each arrival renews it.
    now_us += TrapDesk::kWindowUs + 1;
    EXPECT_EQ(desk.Judge(Lid{1}, notice, now_us), TrapWish::kHeavySweep);
}

TEST(TrapDesk, AFloodOfDifferentTrapsCostsNoMoreThanItsTable) {
    TrapDesk desk;
    for (std::uint16_t lid = 1; lid < 5000; ++lid) {
        EXPECT_EQ(desk.Judge(Lid{lid}, Generic(TrapNumber::kLinkStateChange), lid),
                  TrapWish::kHeavySweep);
    }
}

}  // namespace
}  // namespace ember
