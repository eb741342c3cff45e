// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the log is told when the process starts.
#include "platform/linux/embersm/start_notes.h"

#include <array>
#include <gtest/gtest.h>

namespace ember {
namespace {

struct Told {
    std::array<LogRecord, 16> ring{};
    Log log{ring};
};

TEST(StartNotes, TellWhereItSitsAndHowLargeItIs) {
    Told told;
    const std::array<MemoryRow, 2> rows{MemoryRow{"one", 3}, MemoryRow{"other", 4}};
    NoteSeat(told.log, Guid{0xA}, rows, 0);
    EXPECT_EQ(told.log.CountOf(Note::kStarted), 1U);
    EXPECT_EQ(told.ring[0].values[0], 0xAU);
    EXPECT_EQ(told.ring[0].values[1], 7U);
}

TEST(StartNotes, TellWhatBecameOfTheProcessBefore) {
    const std::pair<Fate::Kind, Note> kFates[] = {
        {Fate::Kind::kExit, Note::kRestartedAfterExit},
        {Fate::Kind::kSignal, Note::kRestartedAfterSignal},
        {Fate::Kind::kHang, Note::kRestartedAfterHang}};
    for (const auto& [kind, note] : kFates) {
        Told told;
        Supervision supervision;
        supervision.restarts = 2;
        supervision.before.kind = kind;
        supervision.before.number = 11;
        NoteRestart(told.log, supervision, 0);
        EXPECT_EQ(told.log.CountOf(note), 1U);
        EXPECT_EQ(told.ring[0].values[0], 2U);
        EXPECT_EQ(told.ring[0].values[1], 11U);
    }
    Told nothing;
    NoteRestart(nothing.log, {}, 0);
    EXPECT_EQ(nothing.log.next_sequence(), 0U);
}

TEST(StartNotes, TellWithWhichConfigurationItStarts) {
    const std::pair<ConfigurationSource, Note> kSources[] = {
        {ConfigurationSource::kSupplied, Note::kBlobAccepted},
        {ConfigurationSource::kLastGood, Note::kLastBlobKept},
        {ConfigurationSource::kOther, Note::kOtherBlobTaken}};
    for (const auto& [source, note] : kSources) {
        Told told;
        ConfigurationReport report{};
        report.outcome.source = source;
        report.outcome.supplied.verdict = BlobVerdict::kAbsent;
        report.outcome.supplied.counter = 7;
        report.outcome.stored.counter = 7;
        NoteConfiguration(told.log, report, 0);
        EXPECT_EQ(told.log.CountOf(note), 1U);
        EXPECT_EQ(told.log.next_sequence(), 1U) << "and nothing else";
        EXPECT_EQ(told.ring[0].values[0], 7U);
    }
}

TEST(StartNotes, TellWhatWasRefusedGivenUpAndNotStored) {
    Told told;
    ConfigurationReport report{};
    report.outcome.source = ConfigurationSource::kLastGood;
    report.outcome.supplied.verdict = BlobVerdict::kForged;
    report.outcome.ended_starts = 2;
    report.outcome.counter_read = Status::kMalformed;
    report.outcome.kept = Status::kDevice;
    NoteConfiguration(told.log, report, 0);
    EXPECT_EQ(told.log.CountOf(Note::kBlobRefused), 1U);
    EXPECT_EQ(told.log.CountOf(Note::kLastBlobKept), 1U);
    EXPECT_EQ(told.log.CountOf(Note::kTrialDied), 1U);
    EXPECT_EQ(told.log.CountOf(Note::kStoreMalformed), 1U);
    EXPECT_EQ(told.log.CountOf(Note::kStoreFailed), 1U);
}

}  // namespace
}  // namespace ember
