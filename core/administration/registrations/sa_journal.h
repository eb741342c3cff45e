// SPDX-License-Identifier: Apache-2.0
// EmberSM: the journal of what clients register, from which it is restored after a restart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/registrations/sa_frames.h"
#include "core/administration/registrations/sa_tables.h"
#include "core/base/time.h"
#include "core/log/log.h"
#include "core/platform.h"

namespace ember {

/// The journal of registrations as the status page shows it.
struct SaJournalStatus {
    bool is_kept = false;           ///< A log is there, and everything is written to it.
    std::uint64_t changes = 0;      ///< Made by clients while it was awake, log or not.
    std::uint64_t bytes = 0;        ///< Of the generation that is written.
    std::uint64_t safe_bytes = 0;   ///< Of these, safe from a power loss.
    std::uint64_t frames = 0;       ///< Since start.
    std::uint64_t generations = 0;  ///< Come into force since start.
    std::uint64_t overflows = 0;    ///< More changed at once than the buffer holds: copied anew.
    std::uint64_t failures = 0;     ///< Of the log underneath.
    Status last_error = Status::kOk;
};

/// Keeps a journal of the tables of subnet administration.
///
/// Every change is an entry in a buffer; what came about within kGatherUs goes to the log as one
/// frame (sa_frames.h), so that hundreds of joins cost no more writes than one, and what is in the
/// log is the state between two requests. When the log has grown to twice what a copy takes, a new
/// generation is begun: rows are copied to it, some in each step, with the changes that happen
/// meanwhile in between. A row that is copied later tells what it is then, and a row that was
/// copied before is followed by its changes: in the end all is told. Nothing waits for the log: it
/// is asked again.
///
/// A log that keeps nothing, as its readers have applied what was appended, is never too long: a
/// copy would only tell them what they know.
class SaJournal final : private SaStateSink {
public:
    /// All outlive the journal. Without a log it only counts changes.
    struct Parts {
        StateLog* log;
        Log& notes;
        SaTables tables;
        bool keeps_frames = true;  ///< The log grows with each of them.
    };
    /// How long an entry may wait for others.
    static constexpr std::uint64_t kGatherUs = 50'000;
    /// Below this no generation is made anew, however little it tells.
    static constexpr std::uint64_t kLeastBytes = 65'536;

    /// Half of `buffer`, 1 KiB or more, is for copying, the other half for what changes meanwhile.
    /// An empty one is for a journal that never begins.
    SaJournal(std::span<std::byte> buffer, const Parts& parts);
    SaJournal(const SaJournal&) = delete;
    SaJournal& operator=(const SaJournal&) = delete;

    /// From now on everything is kept, beginning with all there is, in a generation above `last`,
    /// which the log has in force, and above all that were written from here. Without a log it
    /// goes on resting. Entries of SubnetState are written if the tables have one.
    void Begin(std::uint32_t last);
    /// Nothing is written until Begin(); what the log has in force stays. The buffer is free.
    void Rest();
    /// As Rest(), and the log is made to say that there is nothing: another manages the subnet now,
    /// and what is registered there we do not hear.
    void Discard();
    /// The process ends: hands over what the log does not have yet, to the end of a copy that is
    /// under way. True: the log wants to be asked again, or there is more to copy; false: it has
    /// all, or it failed. The caller sets a bound to its calls.
    [[nodiscard]] bool HandOver(std::uint64_t now_us);

    /// Does a slice of what is due. True when there is more to do at once.
    bool Step(std::uint64_t now_us);
    /// A log that was busy is so no longer: Step() need not wait until it is time to ask it again.
    void AskNow(std::uint64_t now_us) {
        if (was_busy_) due_us_ = std::min(due_us_, now_us);
    }
    /// Changes that are gathered wait for no others.
    void Hurry(std::uint64_t now_us) {
        if (follows() && due_us_ != 0 && due_us_ != kNever) due_us_ = std::min(due_us_, now_us);
    }
    /// When Step() has work; kNever: with the next change.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return due_us_; }
    [[nodiscard]] bool rests() const { return state_ == State::kResting; }
    [[nodiscard]] SaJournalStatus status() const;
    /// Everything was copied to the log, and only changes are appended.
    [[nodiscard]] bool follows() const { return state_ == State::kFollowing && !has_overflown_; }
    /// Entries that the log lacks. Of a copy that is under way, those that are ready for it.
    [[nodiscard]] std::size_t waiting_entries() const {
        return buffer_.empty() ? 0
                               : CountEntries(buffer_.first(used_).subspan(sizeof(SaFrameHead)));
    }

private:
    enum class State : std::uint8_t {
        kResting,
        kBeginning,   ///< The log is asked for a new generation.
        kCopying,     ///< Rows are copied to it.
        kClosing,     ///< The last of the copy waits for the log.
        kCommitting,  ///< The generation is to come into force.
        kFollowing,   ///< The generation is in force; changes are appended.
        kFailed,      ///< To be begun anew, in a while.
    };
    /// Which table is copied.
    enum class Table : std::uint8_t {
        kAliases,
        kGroups,
        kMembers,
        kServices,
        kSubscriptions,
        kSubnet,
        kEnd
    };

    /// A change of one of the tables.
    void Hear(SaEntryKind kind, std::span<const std::byte> body) override;
    void Add(SaEntryKind kind, std::span<const std::byte> body);
    [[nodiscard]] bool HasRoomFor(std::size_t body_bytes) const;
    void StartAnew();
    void Fail(Status status, std::uint64_t now_us);
    bool Ask(std::uint64_t now_us);
    bool Copy(std::uint64_t now_us);
    void CopyRow();
    [[nodiscard]] std::size_t BoundOf(Table table) const;
    bool CommitCopy(std::uint64_t now_us);
    bool Follow(std::uint64_t now_us);
    [[nodiscard]] Status Send(std::uint64_t now_us);

    std::span<std::byte> buffer_;
    Parts parts_;
    State state_ = State::kResting;
    bool is_discarded_ = false;   ///< The generation is to say nothing.
    bool has_overflown_ = false;  ///< Something was not taken: all is to be copied anew.
    bool was_busy_ = false;       ///< The log, when it was asked last.
    std::size_t used_;            ///< Of the buffer, the room for the head included.
    Table table_ = Table::kEnd;
    std::size_t row_ = 0;
    std::uint32_t generation_ = 0;
    std::uint32_t sequence_ = 0;
    std::uint64_t copied_bytes_ = 0;  ///< The size of the copy.
    std::uint64_t due_us_ = kNever;
    SaJournalStatus status_;
};

}  // namespace ember
