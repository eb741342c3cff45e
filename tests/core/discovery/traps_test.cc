// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the sweeps that traps ask for, and of how many traps are heard.

#include "core/discovery/traps.h"

#include <bit>
#include <gtest/gtest.h>

namespace ember {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr TrapIssuer kHost{.port = Guid{1}, .is_switch = false};
constexpr TrapIssuer kSwitch{.port = Guid{2}, .is_switch = true};

Notice Generic(TrapNumber number) {
    Notice notice;
    notice.Set(Notice::kIsGeneric, std::uint8_t{1});
    notice.Set(Notice::kTrapNumber, number);
    return notice;
}

/// How many of `traps` are heard that come evenly in `seconds`, each with another content.
int Heard(TrapDesk& desk, const TrapIssuer& issuer, TrapNumber number, int traps, int seconds) {
    Notice notice = Generic(number);
    int heard = 0;
    for (int i = 0; i < traps; ++i) {
        notice.Set(Notice::kDataDetails0, static_cast<std::uint64_t>(i));
        const std::uint64_t now_us = kSecond * static_cast<std::uint64_t>(seconds) *
                                     static_cast<std::uint64_t>(i) /
                                     static_cast<std::uint64_t>(traps);
        if (desk.Admits(issuer, notice, now_us)) ++heard;
    }
    return heard;
}

TEST(TrapWishes, Trap128OfAHostAsksForNothing) {
    const Notice notice = Generic(TrapNumber::kLinkStateChange);
    EXPECT_EQ(WishOf(notice, true), TrapWish::kHeavySweep);
    EXPECT_EQ(WishOf(notice, false), TrapWish::kNothing);
}

TEST(TrapWishes, ANewNodeDescriptionAloneAsksForNoSweep) {
    auto changes = std::bit_cast<LocalChangesNotice>(Generic(TrapNumber::kLocalChanges));
    EXPECT_EQ(WishOf(changes, false), TrapWish::kHeavySweep) << "of capabilities";
    changes.Set(LocalChangesNotice::kOtherLocalChanges, std::uint8_t{1});
    changes.Set(LocalChangesNotice::kNodeDescriptionChange, std::uint8_t{1});
    EXPECT_EQ(WishOf(changes, false), TrapWish::kDescription);
    changes.Set(LocalChangesNotice::kLinkWidthEnabledChange, std::uint8_t{1});
    EXPECT_EQ(WishOf(changes, false), TrapWish::kHeavySweep);
}

TEST(TrapWishes, EveryOtherTrapAsksForALightSweep) {
    EXPECT_EQ(WishOf(Generic(TrapNumber::kBadPKey), true), TrapWish::kLightSweep);
    Notice vendor = Generic(TrapNumber::kLinkStateChange);
    vendor.Set(Notice::kIsGeneric, std::uint8_t{0});
    EXPECT_EQ(WishOf(vendor, true), TrapWish::kLightSweep);
}

TEST(TrapDesk, HearsAHostEightTimesAtOnceAndThenOnceInTenSeconds) {
    TrapDesk desk;
    EXPECT_EQ(Heard(desk, kHost, TrapNumber::kLocalLinkIntegrity, 200'000, 100), 8 + 9);
    TrapDesk another;
    EXPECT_EQ(Heard(another, kHost, TrapNumber::kLocalChanges, 200'000, 100), 8 + 9);
}

TEST(TrapDesk, HearsASwitchOfItsPortsFourTimesASecond) {
    TrapDesk desk;
    EXPECT_EQ(Heard(desk, kSwitch, TrapNumber::kLinkStateChange, 200'000, 100), 32 + 399);
    EXPECT_EQ(Heard(desk, kSwitch, TrapNumber::kBadPKeyAtSwitch, 200'000, 100), 8 + 9)
        << "its advice has a share of its own";
}

TEST(TrapDesk, AnIssuerLeavesTheSharesOfOthersAlone) {
    TrapDesk desk;
    EXPECT_LT(Heard(desk, kHost, TrapNumber::kLocalLinkIntegrity, 20'000, 1), 10);
    EXPECT_EQ(Heard(desk, {.port = Guid{3}, .is_switch = false}, TrapNumber::kBadPKey, 8, 1), 8);
    EXPECT_EQ(Heard(desk, kSwitch, TrapNumber::kLinkStateChange, 20, 1), 20);
}

TEST(TrapDesk, AShareIsWholeAgainAfterAWhile) {
    TrapDesk desk;
    const Notice notice = Generic(TrapNumber::kBadQKey);
    for (const std::uint64_t now_us : {std::uint64_t{0}, 80 * kSecond}) {
        for (int i = 0; i < 8; ++i)
            EXPECT_TRUE(desk.Admits(kHost, notice, now_us)) << i;
        EXPECT_FALSE(desk.Admits(kHost, notice, now_us));
    }
}

TEST(TrapDesk, IssuersWithoutARowHaveOneShareTogetherAndSwitchesAreStillHeard) {
    TrapDesk desk;
    const Notice advice = Generic(TrapNumber::kLocalChanges);
    int heard = 0;
    for (std::uint64_t guid = 100; guid < 5100; ++guid) {
        if (desk.Admits({.port = Guid{guid}, .is_switch = false}, advice, kSecond)) ++heard;
    }
    EXPECT_EQ(heard, 64 + 64) << "64 issuers with a row, and the share of all others";
    for (std::uint64_t guid = 10; guid < 90; ++guid) {
        EXPECT_TRUE(desk.Admits({.port = Guid{guid}, .is_switch = true},
                                Generic(TrapNumber::kLinkStateChange), 2 * kSecond));
    }
}

}  // namespace
}  // namespace ember
