// SPDX-License-Identifier: Apache-2.0
// EmberSM: the log, which neither formats nor allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "core/log/blanks.h"
#include "core/log/log_levels.h"
#include "core/log/words.h"

namespace ember {

/// A note as it was written: when, which sentence, and the values of its blanks.
struct LogRecord {
    std::uint64_t time_us = 0;
    std::array<std::uint64_t, kMaxValues> values{};
    Note note = Note::kEnd;
};

/// The last notes written, in a ring over borrowed storage.
///
/// Writing a note costs a few stores. A reader (syslog, a console) keeps a cursor, reads the
/// records behind it and renders them (core/log/render.h). Writers never wait for a reader: one
/// that is too slow learns how many records it missed. Every note is counted, whether or not it
/// is kept, so the counters serve as statistics and as marks for tests.
class Log {
public:
    explicit Log(std::span<LogRecord> ring) : ring_(ring) { EMBER_ASSERT(!ring.empty()); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// Writes a note with its values, one for each blank of its sentence. `now_us` is the time of
    /// the note, in microseconds of the caller's clock.
    template <Note kNote, typename... Values>
    void Write(std::uint64_t now_us, Values... values) {
        static_assert(kNote != Note::kEnd);
        static_assert(sizeof...(Values) == BlanksIn(kNote),
                      "this sentence has a different number of blanks");
        Append(now_us, kNote, {static_cast<std::uint64_t>(values)...});
    }

    /// As Write(), for a note that a hostile peer can cause at will: the first ten are kept, then
    /// only the 20th, 40th, 80th and so on. All are counted.
    template <Note kNote, typename... Values>
    void WriteSparingly(std::uint64_t now_us, Values... values) {
        static_assert(sizeof...(Values) == BlanksIn(kNote),
                      "this sentence has a different number of blanks");
        if (IsRepressed(CountOf(kNote) + 1)) {
            ++counts_[static_cast<std::size_t>(kNote)];
            return;
        }
        Append(now_us, kNote, {static_cast<std::uint64_t>(values)...});
    }

    /// How often the note was written since the start, kept or not.
    [[nodiscard]] std::uint64_t CountOf(Note note) const {
        EMBER_ASSERT(note < Note::kEnd);
        return counts_[static_cast<std::size_t>(note)];
    }

    /// Other notes are counted, but not kept. Notes of kInfo and above are kept at first.
    void SetLevels(const LogLevels& levels) { levels_ = levels; }
    void SetMinimum(Severity minimum) { levels_ = LogLevels(minimum); }
    [[nodiscard]] const LogLevels& levels() const { return levels_; }

    /// Sequence number of the next record; the first one has 0.
    [[nodiscard]] std::uint64_t next_sequence() const { return next_; }
    /// Sequence number of the oldest record that the ring still holds.
    [[nodiscard]] std::uint64_t oldest_sequence() const {
        return next_ <= ring_.size() ? 0 : next_ - ring_.size();
    }

    /// Copies the record of the sequence number `cursor` and adds 1 to the cursor. When the record
    /// was overwritten, the oldest one is taken instead and `missed` grows by the number of records
    /// in between. kAbsent when no record has that number yet.
    Status Read(std::uint64_t& cursor, LogRecord& record, std::uint64_t& missed) const;

private:
    [[nodiscard]] std::size_t SlotOf(std::uint64_t sequence) const {
        return static_cast<std::size_t>(sequence % ring_.size());
    }
    [[nodiscard]] static bool IsRepressed(std::uint64_t count);
    void Append(std::uint64_t now_us, Note note,
                const std::array<std::uint64_t, kMaxValues>& values);

    std::span<LogRecord> ring_;
    std::uint64_t next_ = 0;
    LogLevels levels_;
    std::array<std::uint64_t, kNotes> counts_{};
};

}  // namespace ember
