// SPDX-License-Identifier: Apache-2.0
// EmberSM: registrations survive whatever a power loss leaves of their journal.
//
// Goal:   what is restored is the state after some of the requests, in their order, none of them by
//         half; and after all of them that the log had called safe.
// Method: random requests on small tables, the journal on a log in memory; then every cut, every
//         flipped octet, and a power loss at every call of the log while generations change.
#include "core/administration/registrations/sa_journal.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/core/administration/registrations/sa_journal_harness.h"

namespace ember::testing {
namespace {

TEST_F(SaJournalTest, BringsBackEverything) {
    Begin();
    Settle();
    Requests(300);
    Settle();
    EXPECT_TRUE(journal_.status().is_kept);
    EXPECT_EQ(journal_.status().bytes, log_.below().octets().size());
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
    EXPECT_EQ(restored_.source, SaRestoreSource::kJournal);
    EXPECT_EQ(restored_.journal, Status::kOk);
    EXPECT_EQ(restored_.bytes, log_.below().octets().size());
    EXPECT_EQ(restored_.beyond, 0U);
    EXPECT_NE(restored_.groups * restored_.members * restored_.aliases * restored_.services *
                  restored_.subscriptions,
              0U);
}

TEST_F(SaJournalTest, WhatWasThereBeforeItBeganIsInTheCopy) {
    for (int i = 0; i < 200; ++i) {
        Request();
    }
    Begin();
    Settle();
    EXPECT_EQ(log_.ends().size(), 1U);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, CutAtEveryOctetItIsTheStateAfterTheLastWholeFrame) {
    Requests(60);
    Begin();
    Settle();
    Requests(250);
    Settle();
    const std::vector<std::byte> whole = log_.below().octets();
    ASSERT_GT(log_.ends().size(), 20U);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        const std::vector<std::byte> octets(whole.begin(),
                                            whole.begin() + static_cast<std::ptrdiff_t>(cut));
        std::string expected = history_.front();
        for (const WatchedLog::End& end : log_.ends()) {
            if (end.at <= cut) expected = history_[end.requests];
        }
        ASSERT_EQ(Restored(octets), expected) << "cut at " << cut << " of " << whole.size();
    }
}

TEST_F(SaJournalTest, WithAnyOctetFlippedItIsTheStateBeforeThatFrame) {
    Requests(60);
    Begin();
    Settle();
    Requests(100);
    Settle();
    const std::vector<std::byte> whole = log_.below().octets();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::vector<std::byte> octets = whole;
        octets[at] ^= static_cast<std::byte>(1U << (at % 8));
        std::string expected = history_.front();
        for (const WatchedLog::End& end : log_.ends()) {
            if (end.at <= at) expected = history_[end.requests];
        }
        ASSERT_EQ(Restored(octets), expected) << "octet " << at << " of " << whole.size();
    }
}

TEST_F(SaJournalTest, OctetsOfAnotherGenerationBehindTheEndDoNotCount) {
    Begin();
    Settle();
    Requests(50);
    Settle();
    std::vector<std::byte> octets = log_.below().octets();
    const std::string state = history_.back();
    journal_.Rest();
    journal_.Begin(0);
    Settle();
    Requests(50);
    Settle();
    const std::vector<std::byte>& later = log_.below().octets();
    const std::size_t first = log_.ends().front().at;
    octets.insert(octets.end(), later.begin() + static_cast<std::ptrdiff_t>(first), later.end());
    EXPECT_EQ(Restored(octets), state);
    EXPECT_NE(restored_.beyond, 0U);
}

TEST_F(SaJournalTest, PowerLostAtAnyMomentWhileGenerationsChangeLosesNothingThatWasSafe) {
    log_.takes_images = true;
    Begin();
    Requests(10000);
    Settle();
    EXPECT_GE(log_.below().generations(), 3U);
    EXPECT_EQ(journal_.status().overflows, 0U);
    std::size_t torn = 0;
    for (const Image& image : log_.images()) {
        const std::string state = Restored(image.octets, image.has_any);
        ASSERT_TRUE(IsAfter(state, image.least)) << "image with " << image.octets.size();
        ++torn;
    }
    EXPECT_GT(torn, 200U);
}

TEST_F(SaJournalTest, ABusyLogIsAskedAgainAndLosesNothing) {
    Begin();
    for (int i = 0; i < 40; ++i) {
        log_.below().SetBusy(chance_() % 4);
        Requests(20);
        const bool is_small = log_.below().octets().size() <= 2 * SaJournal::kLeastBytes;
        EXPECT_TRUE(is_small);
    }
    log_.below().SetBusy(0);
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, MoreThanTheBufferHoldsIsCopiedAnew) {
    Begin();
    Settle();
    Requests(20);
    Settle();
    log_.below().SetBusy(1'000'000);
    for (int i = 0; i < 400; ++i) {
        Request();
    }
    log_.below().SetBusy(0);
    Settle();
    EXPECT_EQ(journal_.status().overflows, 1U);
    EXPECT_EQ(log_.below().generations(), 2U);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, ABrokenLogIsToldOfAndTriedAgain) {
    log_.below().SetBroken(true);
    Begin();
    static_cast<void>(journal_.Step(now_us_));
    EXPECT_EQ(journal_.status().failures, 1U);
    EXPECT_EQ(journal_.status().last_error, Status::kDevice);
    EXPECT_FALSE(journal_.status().is_kept);
    Requests(50);
    log_.below().SetBroken(false);
    now_us_ += 20 * kSecondUs;
    Settle();
    EXPECT_TRUE(journal_.status().is_kept);
    EXPECT_EQ(journal_.status().last_error, Status::kOk);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
    log_.below().SetBroken(true);
    Requests(50);
    log_.below().SetBroken(false);
    now_us_ += 20 * kSecondUs;
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, AFullLogIsBegunAnew) {
    Begin();
    Settle();
    log_.below().SetCapacity(3'000);
    Requests(60);
    Settle();
    EXPECT_GE(log_.below().generations(), 2U);
    log_.below().SetCapacity(1 << 20U);
    now_us_ += 20 * kSecondUs;
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, OneThatIsDiscardedSaysNothing) {
    Begin();
    Settle();
    Requests(100);
    Settle();
    journal_.Discard();
    Request();
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.front());
    EXPECT_EQ(restored_.journal, Status::kOk);
    journal_.Begin(0);
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, APauseWritesNothingAndTheEndHandsOverTheRest) {
    Begin();
    Settle();
    Request();
    Request();
    static_cast<void>(journal_.Step(now_us_));
    const std::uint64_t before = log_.below().appends();
    EXPECT_FALSE(journal_.HandOver(now_us_));
    EXPECT_EQ(log_.below().appends(), before + 1);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
    EXPECT_FALSE(journal_.HandOver(now_us_));
    EXPECT_EQ(log_.below().appends(), before + 1) << "once";
}

TEST_F(SaJournalTest, WhatIsHandedOverAtTheEndIsWholeAtAnyMomentOfACopy) {
    for (int steps = 0; steps < 12; ++steps) {
        journal_.Rest();
        Requests(20);
        journal_.Begin(static_cast<std::uint32_t>(steps));
        for (int i = 0; i < steps; ++i) {
            static_cast<void>(journal_.Step(now_us_));
            Request();
        }
        log_.below().SetBusy(3);
        int calls = 0;
        while (journal_.HandOver(now_us_)) {  // Time stands still: nothing is waited for.
            ASSERT_LT(++calls, 200);
        }
        EXPECT_EQ(Restored(log_.below().octets()), history_.back()) << "after steps " << steps;
    }
}

TEST_F(SaJournalTest, WhatABrokenLogDoesNotTakeIsGivenUpAtTheEnd) {
    Begin();
    Settle();
    Request();
    log_.below().SetBroken(true);
    EXPECT_FALSE(journal_.HandOver(now_us_));
    EXPECT_FALSE(journal_.HandOver(now_us_));
    log_.below().SetBroken(false);
    journal_.Rest();
    journal_.Begin(1);
    log_.below().SetBroken(true);
    int calls = 0;
    while (journal_.HandOver(now_us_)) {
        ASSERT_LT(++calls, 200);
    }
}

TEST_F(SaJournalTest, AHundredJoinsCostOneWrite) {
    Begin();
    Settle();
    const std::uint64_t before = log_.below().appends();
    for (int i = 0; i < 40; ++i) {
        Request();
        now_us_ += kMillisecondUs;
        static_cast<void>(journal_.Step(now_us_));
    }
    now_us_ += SaJournal::kGatherUs;
    static_cast<void>(journal_.Step(now_us_));
    EXPECT_LE(log_.below().appends() - before, 2U);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

}  // namespace
}  // namespace ember::testing
