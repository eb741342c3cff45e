// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of notes as text.
#include "core/log/render.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace ember {
namespace {

constexpr std::array<std::string_view, 2> kEngines = {"minhop", "updn"};

std::string Text(Note note, std::array<std::uint64_t, kMaxValues> values) {
    std::array<char, kMaxRenderedOctets> text{};
    return std::string(Render({0, values, note}, kEngines, text));
}

TEST(Render, FillsEveryKindOfBlank) {
    EXPECT_EQ(Text(Note::kLinkConflict, {0x2C9, 7, 0xABCDEF0123456789, 254}),
              "0x00000000000002c9 port 7 was met from two sides; it is now linked to "
              "0xabcdef0123456789 port 254");
    EXPECT_EQ(Text(Note::kHeavySweepStarted, {3, 3}), "heavy sweep 3 started: trap");
    EXPECT_EQ(Text(Note::kLimitExhausted, {1, 4, 5}),
              "the fabric exceeds max_switches = 4: it needs at least 5; what does not fit is left "
              "alone");
    EXPECT_EQ(Text(Note::kRoleChanged, {1, 3, 0}),
              "role DISCOVERING -> MASTER: nobody ranks higher");
    EXPECT_EQ(Text(Note::kEngineFailed, {1, 6}), "routing by updn failed: limit reached");
    EXPECT_EQ(Text(Note::kPhaseFinished, {3, 12, 0}), "routing took 12 us and 0 SMPs");
    EXPECT_EQ(Text(Note::kNodeFound, {1, 2, 36}),
              "found 0x0000000000000001, a switch with 36 ports");
    EXPECT_EQ(Text(Note::kPortStateFailed, {1, 2, 4, 0x1C}),
              "0x0000000000000001 port 2 did not go to state 4: MAD status 0x1c");
    EXPECT_EQ(Text(Note::kLidMoved, {1, 5, 0xBFFF}),
              "moved 0x0000000000000001 from LID 5 to LID 49151");
}

TEST(Render, ANumberWithoutAWordIsShownAsANumber) {
    EXPECT_EQ(Text(Note::kEngineFailed, {2, 99}), "routing by #2 failed: #99");
}

TEST(Render, WhatDoesNotFitIsCutOff) {
    std::array<char, 8> text{};
    EXPECT_EQ(Render({0, {}, Note::kStopped}, kEngines, text), "subnet m");
    EXPECT_EQ(Render({0, {}, Note::kStopped}, kEngines, std::span<char>()), "");
}

TEST(Render, EverySentenceFitsWithTheLargestValuesAndLeavesNoBlank) {
    constexpr std::uint64_t kLargest = ~std::uint64_t{0};
    for (std::size_t i = 0; i < kNotes; ++i) {
        const std::string text =
            Text(static_cast<Note>(i), {kLargest, kLargest, kLargest, kLargest});
        EXPECT_LT(text.size(), kMaxRenderedOctets) << text;
        EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
    }
}

TEST(Render, SeveritiesHaveWordsAndWordsSeverities) {
    for (const Severity severity :
         {Severity::kDebug, Severity::kInfo, Severity::kWarning, Severity::kError}) {
        const Result<Severity> found = SeverityOf(WordOf(severity));
        ASSERT_TRUE(found.ok());
        EXPECT_EQ(found.value(), severity);
    }
    EXPECT_EQ(SeverityOf("loud").status(), Status::kAbsent);
    EXPECT_EQ(SeverityOf("").status(), Status::kAbsent);
}

}  // namespace
}  // namespace ember
