// SPDX-License-Identifier: Apache-2.0
// EmberSM: restores what clients had registered before a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/registrations/sa_applier.h"
#include "core/administration/registrations/sa_file.h"
#include "core/administration/registrations/sa_frames.h"
#include "core/administration/registrations/sa_tables.h"
#include "core/fabric/fabric.h"
#include "core/platform.h"

namespace ember {

/// Where registrations came from.
enum class SaRestoreSource : std::uint8_t {
    kNothing,  ///< None were kept, or they may not count any more.
    kJournal,  ///< The journal of the run before.
    kFile,     ///< sa_db_file, as no journal counted.
};

/// The outcome of a restoration.
struct SaRestored {
    SaRestoreSource source = SaRestoreSource::kNothing;
    /// Of the journal: kOk; kAbsent: there was none; kMalformed: not even its beginning is right;
    /// kDevice: it could not be read.
    Status journal = Status::kAbsent;
    /// Of sa_db_file: kOk; kAbsent: there is none, or a journal counts; kMalformed: it is no
    /// SaFile.
    Status file = Status::kAbsent;
    std::uint64_t bytes = 0;       ///< Of the source that counted.
    std::uint64_t beyond = 0;      ///< Octets behind it that did not; seen, not all there are.
    std::uint32_t generation = 0;  ///< Of the journal.
    // Kept.
    std::uint64_t groups = 0;
    std::uint64_t members = 0;
    std::uint64_t aliases = 0;
    std::uint64_t services = 0;
    std::uint64_t subscriptions = 0;
    // Not kept.
    std::uint64_t gone = 0;      ///< Of ports that the sweep has not found.
    std::uint64_t expired = 0;   ///< Services whose lease ended meanwhile.
    std::uint64_t unusable = 0;  ///< Entries that make no sense, or do not fit this board.
    std::uint64_t moved = 0;     ///< Groups that are kept, but have another MLID now.
};

/// Restores the registrations of clients, once the first sweep of a run has found the ports.
///
/// The journal is read twice, a buffer at a time: first to learn how far it is right, then to obey
/// it. Registrations of ports that are not in the fabric are dropped at the end. Leases go on from
/// what was left when the journal was last written to, less the age of the log where the machine
/// knows it. The tables tell their sink nothing of these changes.
///
/// A journal that counts is newer than any file, though it may say that nothing is registered. When
/// there is none, or a damaged one, the configuration's file is read in the same way.
class SaRestorer {
public:
    /// All outlive the restorer.
    struct Parts {
        StateLog* log;  ///< Or nullptr.
        const Fabric& fabric;
        SaTables tables;
    };
    /// `buffer` is free between Begin() and the end; no frame that is longer is read.
    SaRestorer(std::span<std::byte> buffer, const Parts& parts)
        : buffer_(buffer), parts_(parts), applier_({parts.fabric, parts.tables}) {}
    SaRestorer(const SaRestorer&) = delete;
    SaRestorer& operator=(const SaRestorer&) = delete;

    /// Begins with the journal. The tables are empty. The octets of `file` stay until the end.
    void Begin(const SaFile& file);
    /// Entries that one Step() obeys at most: some find their place by a walk over a table.
    static constexpr int kEntriesAtOnce = 64;
    /// A slice of it, below a millisecond. True: call again; false: it is done.
    bool Step(std::uint64_t now_us);
    [[nodiscard]] const SaRestored& outcome() const { return outcome_; }

private:
    enum class State : std::uint8_t { kDone, kMeasuring, kObeying, kJudging };

    void BeginReading(bool of_file);
    [[nodiscard]] Status& StatusOfSource() { return is_file_ ? outcome_.file : outcome_.journal; }
    [[nodiscard]] std::size_t Fill();
    [[nodiscard]] std::uint64_t AgeUs() const;
    void GiveUpSource();
    void Measure();
    void EndMeasuring();
    void ObeySome(std::uint64_t now_us);
    [[nodiscard]] bool OpenFrame();
    void Judge(std::uint64_t now_us);

    std::span<std::byte> buffer_;
    Parts parts_;
    SaApplier applier_;
    State state_ = State::kDone;
    SaFile file_;
    bool is_file_ = false;                ///< The file is read; below, the journal means either.
    std::uint64_t at_ = 0;                ///< In the journal: where the next frame begins.
    std::uint32_t generation_ = 0;        ///< Of the journal.
    std::uint32_t sequence_ = 0;          ///< The number of the next frame.
    bool is_complete_ = false;            ///< The copy at the beginning has been read to its end.
    std::uint64_t clock_us_ = 0;          ///< Of the writer, when it was last heard.
    std::span<const std::byte> unread_;   ///< Of the buffer: the frames behind the one at hand.
    std::span<const std::byte> entries_;  ///< Of the frame at hand: those still to be obeyed.
    SaRestored outcome_;
};

}  // namespace ember
