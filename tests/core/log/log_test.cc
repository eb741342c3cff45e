// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the log: records that are kept, counted and overwritten.
#include "core/log/log.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/ids.h"

namespace ember {
namespace {

struct Kept {
    explicit Kept(std::size_t depth = 4) : ring(depth), log(ring) {}
    std::vector<LogRecord> ring;
    Log log;
};

TEST(Log, KeepsTimeNoteAndValues) {
    Kept kept;
    kept.log.Write<Note::kLinkLost>(12, Guid{0xA}, PortNumber{3}, Guid{0xB}, PortNumber{4});
    std::uint64_t cursor = 0;
    std::uint64_t missed = 0;
    LogRecord record;
    ASSERT_EQ(kept.log.Read(cursor, record, missed), Status::kOk);
    EXPECT_EQ(record.time_us, 12U);
    EXPECT_EQ(record.note, Note::kLinkLost);
    EXPECT_EQ(record.values, (std::array<std::uint64_t, kMaxValues>{0xA, 3, 0xB, 4}));
    EXPECT_EQ(kept.log.Read(cursor, record, missed), Status::kAbsent);
    EXPECT_EQ(cursor, 1U);
    EXPECT_EQ(missed, 0U);
}

TEST(Log, ASlowReaderLearnsHowManyItMissed) {
    Kept kept(4);
    for (std::uint64_t i = 0; i < 10; ++i) {
        kept.log.Write<Note::kOtherSmKeyWrong>(i, Guid{i});
    }
    std::uint64_t cursor = 1;
    std::uint64_t missed = 0;
    LogRecord record;
    ASSERT_EQ(kept.log.Read(cursor, record, missed), Status::kOk);
    EXPECT_EQ(record.values[0], 6U) << "the oldest of the last four";
    EXPECT_EQ(missed, 5U) << "numbers 1 to 5";
    EXPECT_EQ(kept.log.oldest_sequence(), 6U);
    EXPECT_EQ(kept.log.next_sequence(), 10U);
    for (std::uint64_t i = 7; i < 10; ++i) {
        ASSERT_EQ(kept.log.Read(cursor, record, missed), Status::kOk);
        EXPECT_EQ(record.values[0], i);
    }
    EXPECT_EQ(kept.log.Read(cursor, record, missed), Status::kAbsent);
    EXPECT_EQ(missed, 5U);
}

TEST(Log, BelowTheMinimumNotesAreCountedAndNotKept) {
    Kept kept;
    kept.log.Write<Note::kPortArmed>(0, Guid{1}, 2);  // Debug.
    EXPECT_EQ(kept.log.next_sequence(), 0U);
    EXPECT_EQ(kept.log.CountOf(Note::kPortArmed), 1U);

    kept.log.SetMinimum(Severity::kDebug);
    kept.log.Write<Note::kPortArmed>(0, Guid{1}, 2);
    EXPECT_EQ(kept.log.next_sequence(), 1U);
    EXPECT_EQ(kept.log.CountOf(Note::kPortArmed), 2U);

    kept.log.SetMinimum(Severity::kError);
    kept.log.Write<Note::kOtherSmKeyWrong>(0, Guid{1});  // Warning.
    EXPECT_EQ(kept.log.next_sequence(), 1U);
    kept.log.Write<Note::kOwnPortDown>(0, Guid{1});  // Error.
    EXPECT_EQ(kept.log.next_sequence(), 2U);
}

TEST(Log, CountsOutliveTheRing) {
    Kept kept(2);
    for (int i = 0; i < 100; ++i) {
        kept.log.Write<Note::kOtherSmKeyWrong>(0, Guid{1});
    }
    EXPECT_EQ(kept.log.CountOf(Note::kOtherSmKeyWrong), 100U);
    EXPECT_EQ(kept.log.CountOf(Note::kNodeFound), 0U);
}

TEST(Log, ANoteWrittenSparinglyIsKeptMoreAndMoreRarely) {
    Kept kept(64);
    for (int i = 0; i < 1000; ++i) {
        kept.log.WriteSparingly<Note::kSmpKeyWrong>(0, i + 1);
    }
    std::vector<std::uint64_t> heard;
    std::uint64_t cursor = 0;
    std::uint64_t missed = 0;
    LogRecord record;
    while (kept.log.Read(cursor, record, missed) == Status::kOk) {
        heard.push_back(record.values[0]);
    }
    EXPECT_EQ(heard, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 40, 80, 160,
                                                 320, 640}));
    EXPECT_EQ(kept.log.CountOf(Note::kSmpKeyWrong), 1000U);
}

TEST(JournalDeathTest, NeedsRoomForOneNote) {
    EXPECT_DEATH(Log{std::span<LogRecord>()}, "ring.empty");
}

}  // namespace
}  // namespace ember
