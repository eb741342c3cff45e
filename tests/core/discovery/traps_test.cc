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
int Heard(TrapAdmission& admission, const TrapIssuer& issuer, TrapNumber number, int traps,
          int seconds) {
    Notice notice = Generic(number);
    int heard = 0;
    for (int i = 0; i < traps; ++i) {
        notice.Set(Notice::kDataDetails0, static_cast<std::uint64_t>(i));
        const std::uint64_t now_us = kSecond * static_cast<std::uint64_t>(seconds) *
                                     static_cast<std::uint64_t>(i) /
                                     static_cast<std::uint64_t>(traps);
        if (admission.Admits(issuer, notice, now_us)) ++heard;
    }
    return heard;
}

TEST(TrapRequests, Trap128OfAHostAsksForNothing) {
    const Notice notice = Generic(TrapNumber::kLinkStateChange);
    EXPECT_EQ(RequestOf(notice, true), TrapRequest::kHeavySweep);
    EXPECT_EQ(RequestOf(notice, false), TrapRequest::kNothing);
}

TEST(TrapRequests, ANewNodeDescriptionAloneAsksForNoSweep) {
    auto changes = std::bit_cast<LocalChangesNotice>(Generic(TrapNumber::kLocalChanges));
    EXPECT_EQ(RequestOf(changes, false), TrapRequest::kHeavySweep) << "of capabilities";
    changes.Set(LocalChangesNotice::kOtherLocalChanges, std::uint8_t{1});
    changes.Set(LocalChangesNotice::kNodeDescriptionChange, std::uint8_t{1});
    EXPECT_EQ(RequestOf(changes, false), TrapRequest::kDescription);
    changes.Set(LocalChangesNotice::kLinkWidthEnabledChange, std::uint8_t{1});
    EXPECT_EQ(RequestOf(changes, false), TrapRequest::kHeavySweep);
}

TEST(TrapRequests, EveryOtherTrapAsksForALightSweep) {
    EXPECT_EQ(RequestOf(Generic(TrapNumber::kBadPKey), true), TrapRequest::kLightSweep);
    Notice vendor = Generic(TrapNumber::kLinkStateChange);
    vendor.Set(Notice::kIsGeneric, std::uint8_t{0});
    EXPECT_EQ(RequestOf(vendor, true), TrapRequest::kLightSweep);
}

TEST(TrapAdmission, HearsAHostEightTimesAtOnceAndThenOnceInTenSeconds) {
    TrapAdmission admission;
    EXPECT_EQ(Heard(admission, kHost, TrapNumber::kLocalLinkIntegrity, 200'000, 100), 8 + 9);
    TrapAdmission another;
    EXPECT_EQ(Heard(another, kHost, TrapNumber::kLocalChanges, 200'000, 100), 8 + 9);
}

TEST(TrapAdmission, HearsASwitchOfItsPortsFourTimesASecond) {
    TrapAdmission admission;
    EXPECT_EQ(Heard(admission, kSwitch, TrapNumber::kLinkStateChange, 200'000, 100), 32 + 399);
    EXPECT_EQ(Heard(admission, kSwitch, TrapNumber::kBadPKeyAtSwitch, 200'000, 100), 8 + 9)
        << "its advice has a share of its own";
}

TEST(TrapAdmission, AnIssuerLeavesTheSharesOfOthersAlone) {
    TrapAdmission admission;
    EXPECT_LT(Heard(admission, kHost, TrapNumber::kLocalLinkIntegrity, 20'000, 1), 10);
    EXPECT_EQ(Heard(admission, {.port = Guid{3}, .is_switch = false}, TrapNumber::kBadPKey, 8, 1),
              8);
    EXPECT_EQ(Heard(admission, kSwitch, TrapNumber::kLinkStateChange, 20, 1), 20);
}

TEST(TrapAdmission, AShareIsWholeAgainAfterAWhile) {
    TrapAdmission admission;
    const Notice notice = Generic(TrapNumber::kBadQKey);
    for (const std::uint64_t now_us : {std::uint64_t{0}, 80 * kSecond}) {
        for (int i = 0; i < 8; ++i)
            EXPECT_TRUE(admission.Admits(kHost, notice, now_us)) << i;
        EXPECT_FALSE(admission.Admits(kHost, notice, now_us));
    }
}

TEST(TrapAdmission, IssuersWithoutARowHaveOneShareTogetherAndSwitchesAreStillHeard) {
    TrapAdmission admission;
    const Notice advice = Generic(TrapNumber::kLocalChanges);
    int heard = 0;
    for (std::uint64_t guid = 100; guid < 5100; ++guid) {
        if (admission.Admits({.port = Guid{guid}, .is_switch = false}, advice, kSecond)) ++heard;
    }
    EXPECT_EQ(heard, 64 + 64) << "64 issuers with a row, and the share of all others";
    for (std::uint64_t guid = 10; guid < 90; ++guid) {
        EXPECT_TRUE(admission.Admits({.port = Guid{guid}, .is_switch = true},
                                     Generic(TrapNumber::kLinkStateChange), 2 * kSecond));
    }
}

}  // namespace
}  // namespace ember
