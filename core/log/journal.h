// SPDX-License-Identifier: Apache-2.0
// EmberSM: a log that neither formats nor allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "core/log/blanks.h"
#include "core/log/words.h"

namespace ember {

/// One note as it was written.
struct Record {
    std::uint64_t time_us = 0;
    std::array<std::uint64_t, kMaxValues> values{};
    Note note = Note::kEnd;
};

/// The last notes written, in a ring over borrowed storage.
///
/// Writing one costs a few stores. Whoever wants text (syslog, a console) reads the records after
/// the sequence number where it stopped and renders them (core/log/render.h); a reader that is too
/// slow learns how many it missed, and nobody waits for it. Every note is counted, whether or not
/// its severity is kept, so the counters double as statistics and as marks for tests.
class Journal {
public:
    explicit Journal(std::span<Record> ring) : ring_(ring) { EMBER_ASSERT(!ring.empty()); }
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Writes a note with its values, one for each blank of its sentence.
    template <Note kNote, typename... Values>
    void Write(std::uint64_t now_us, Values... values) {
        static_assert(kNote != Note::kEnd);
        static_assert(sizeof...(Values) == BlanksIn(kNote),
                      "this sentence has a different number of blanks");
        Append(now_us, kNote, {static_cast<std::uint64_t>(values)...});
    }

    /// As Write(), for what a hostile peer can cause at will: the first ten are kept, then only the
    /// 20th, 40th, 80th and so on. All are counted.
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

    /// How often the note was written since start, kept or not.
    [[nodiscard]] std::uint64_t CountOf(Note note) const {
        return counts_[static_cast<std::size_t>(note)];
    }

    /// Notes below it are counted, but not kept. kInfo at first.
    void SetMinimum(Severity minimum) { minimum_ = minimum; }
    [[nodiscard]] Severity minimum() const { return minimum_; }

    /// Sequence number of the next note to be kept; the first one is 0.
    [[nodiscard]] std::uint64_t next_sequence() const { return next_; }
    /// Sequence number of the oldest note that can still be read.
    [[nodiscard]] std::uint64_t oldest_sequence() const {
        return next_ <= ring_.size() ? 0 : next_ - ring_.size();
    }

    /// Copies the record at `cursor` and moves the cursor on. When it was overwritten already, the
    /// oldest one is taken instead and `missed` grows by the number in between. kAbsent when there
    /// is none after the cursor.
    Status Read(std::uint64_t& cursor, Record& record, std::uint64_t& missed) const;

private:
    [[nodiscard]] std::size_t SlotOf(std::uint64_t sequence) const {
        return static_cast<std::size_t>(sequence % ring_.size());
    }
    [[nodiscard]] static bool IsRepressed(std::uint64_t count);
    void Append(std::uint64_t now_us,
                Note note,
                const std::array<std::uint64_t, kMaxValues>& values);

    std::span<Record> ring_;
    std::uint64_t next_ = 0;
    Severity minimum_ = Severity::kInfo;
    std::array<std::uint64_t, kNotes> counts_{};
};

}  // namespace ember
