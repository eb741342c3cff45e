// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the journal: what is kept, counted, overwritten.
#include "core/log/journal.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/ids.h"

namespace ember {
namespace {

struct Kept {
    explicit Kept(std::size_t depth = 4) : ring(depth), journal(ring) {}
    std::vector<Record> ring;
    Journal journal;
};

TEST(Journal, KeepsTimeNoteAndValues) {
    Kept kept;
    kept.journal.Write<Note::kLinkLost>(12, Guid{0xA}, PortNumber{3}, Guid{0xB}, PortNumber{4});
    std::uint64_t cursor = 0;
    std::uint64_t missed = 0;
    Record record;
    ASSERT_EQ(kept.journal.Read(cursor, record, missed), Status::kOk);
    EXPECT_EQ(record.time_us, 12U);
    EXPECT_EQ(record.note, Note::kLinkLost);
    EXPECT_EQ(record.values, (std::array<std::uint64_t, kMaxValues>{0xA, 3, 0xB, 4}));
    EXPECT_EQ(kept.journal.Read(cursor, record, missed), Status::kAbsent);
    EXPECT_EQ(cursor, 1U);
    EXPECT_EQ(missed, 0U);
}

TEST(Journal, ASlowReaderLearnsHowManyItMissed) {
    Kept kept(4);
    for (std::uint64_t i = 0; i < 10; ++i) {
        kept.journal.Write<Note::kOtherSmKeyWrong>(i, Guid{i});
    }
    std::uint64_t cursor = 1;
    std::uint64_t missed = 0;
    Record record;
    ASSERT_EQ(kept.journal.Read(cursor, record, missed), Status::kOk);
    EXPECT_EQ(record.values[0], 6U) << "the oldest of the last four";
    EXPECT_EQ(missed, 5U) << "numbers 1 to 5";
    EXPECT_EQ(kept.journal.oldest_sequence(), 6U);
    EXPECT_EQ(kept.journal.next_sequence(), 10U);
    for (std::uint64_t i = 7; i < 10; ++i) {
        ASSERT_EQ(kept.journal.Read(cursor, record, missed), Status::kOk);
        EXPECT_EQ(record.values[0], i);
    }
    EXPECT_EQ(kept.journal.Read(cursor, record, missed), Status::kAbsent);
    EXPECT_EQ(missed, 5U);
}

TEST(Journal, BelowTheMinimumNotesAreCountedAndNotKept) {
    Kept kept;
    kept.journal.Write<Note::kPortArmed>(0, Guid{1}, 2);  // Debug.
    EXPECT_EQ(kept.journal.next_sequence(), 0U);
    EXPECT_EQ(kept.journal.CountOf(Note::kPortArmed), 1U);

    kept.journal.SetMinimum(Severity::kDebug);
    kept.journal.Write<Note::kPortArmed>(0, Guid{1}, 2);
    EXPECT_EQ(kept.journal.next_sequence(), 1U);
    EXPECT_EQ(kept.journal.CountOf(Note::kPortArmed), 2U);

    kept.journal.SetMinimum(Severity::kError);
    kept.journal.Write<Note::kOtherSmKeyWrong>(0, Guid{1});  // Warning.
    EXPECT_EQ(kept.journal.next_sequence(), 1U);
    kept.journal.Write<Note::kOwnPortDown>(0, Guid{1});  // Error.
    EXPECT_EQ(kept.journal.next_sequence(), 2U);
}

TEST(Journal, CountsOutliveTheRing) {
    Kept kept(2);
    for (int i = 0; i < 100; ++i) {
        kept.journal.Write<Note::kOtherSmKeyWrong>(0, Guid{1});
    }
    EXPECT_EQ(kept.journal.CountOf(Note::kOtherSmKeyWrong), 100U);
    EXPECT_EQ(kept.journal.CountOf(Note::kNodeFound), 0U);
}

TEST(Journal, WhatAPeerCanCauseAtWillIsKeptMoreAndMoreRarely) {
    Kept kept(64);
    for (int i = 0; i < 1000; ++i) {
        kept.journal.WriteSparingly<Note::kSmpKeyWrong>(0, i + 1);
    }
    std::vector<std::uint64_t> heard;
    std::uint64_t cursor = 0;
    std::uint64_t missed = 0;
    Record record;
    while (kept.journal.Read(cursor, record, missed) == Status::kOk) {
        heard.push_back(record.values[0]);
    }
    EXPECT_EQ(heard, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 40, 80, 160,
                                                 320, 640}));
    EXPECT_EQ(kept.journal.CountOf(Note::kSmpKeyWrong), 1000U);
}

TEST(JournalDeathTest, NeedsRoomForOneNote) {
    EXPECT_DEATH(Journal{std::span<Record>()}, "ring.empty");
}

}  // namespace
}  // namespace ember
