// SPDX-License-Identifier: Apache-2.0
// EmberSM: the journal of what clients register, from which it is restored after a restart.
#include "core/administration/registrations/sa_journal.h"

#include <algorithm>
#include <cstring>

#include "core/base/assert.h"

namespace ember {
namespace {

/// A log that is busy is asked again after so long; one that failed, after so much longer.
inline constexpr std::uint64_t kAskAgainUs = 5 * kMillisecondUs;
inline constexpr std::uint64_t kRetryUs = 10 * kSecondUs;
/// Rows looked at in one step: a tenth of a millisecond or so.
inline constexpr int kRowsAtOnce = 512;

}  // namespace

SaJournal::SaJournal(std::span<std::byte> buffer, const Parts& parts)
    : buffer_(buffer), parts_(parts), used_(sizeof(SaFrameHead)) {
    EMBER_ASSERT(buffer_.empty() || buffer_.size() >= 4 * (sizeof(SaFrameHead) + kMaxSaEntryBytes));
}

void SaJournal::Begin(std::uint32_t last) {
    parts_.tables.Watch(*this);
    if (parts_.log == nullptr) return;
    EMBER_ASSERT(!buffer_.empty());
    generation_ = std::max(generation_, last) + 1;
    is_discarded_ = false;
    StartAnew();
}

void SaJournal::Rest() {
    parts_.tables.Unwatch(*this);
    state_ = State::kResting;
    was_busy_ = false;
    used_ = sizeof(SaFrameHead);
    due_us_ = kNever;
}

void SaJournal::Discard() {
    if (parts_.log == nullptr || is_discarded_) return;
    parts_.tables.Unwatch(*this);
    ++generation_;
    is_discarded_ = true;
    StartAnew();
}

bool SaJournal::HandOver(std::uint64_t now_us) {
    const bool is_copied = state_ == State::kFollowing && !has_overflown_;
    if (state_ == State::kResting || state_ == State::kFailed) return false;
    if (is_copied && used_ == sizeof(SaFrameHead)) return false;
    if (is_copied) {  // Not by Follow(), which waits for more.
        const Status sent = Send(now_us);
        if (sent == Status::kBusy) return true;
        if (sent == Status::kOk) return false;
        if (sent != Status::kFull) {
            Fail(sent, now_us);
            return false;
        }
        ++generation_;
        StartAnew();
        return true;
    }
    due_us_ = 0;
    static_cast<void>(Step(now_us));
    return true;
}

void SaJournal::StartAnew() {
    EMBER_ASSERT(parts_.log != nullptr);
    state_ = State::kBeginning;
    was_busy_ = false;
    used_ = sizeof(SaFrameHead);
    has_overflown_ = false;
    due_us_ = 0;
}

bool SaJournal::HasRoomFor(std::size_t body_bytes) const {
    EMBER_ASSERT(used_ <= buffer_.size());
    return buffer_.size() - used_ >= sizeof(SaEntryHead) + body_bytes;
}

void SaJournal::Add(SaEntryKind kind, std::span<const std::byte> body) {
    EMBER_ASSERT(body.size() == BodyBytes(kind) && HasRoomFor(body.size()));
    const SaEntryHead head{kind, static_cast<std::uint8_t>(body.size())};
    std::memcpy(buffer_.data() + used_, &head, sizeof(head));
    used_ += sizeof(head);
    std::copy(body.begin(), body.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += body.size();
}

void SaJournal::Hear(SaEntryKind kind, std::span<const std::byte> body) {
    if (!IsOfSubnet(kind)) ++status_.changes;
    switch (state_) {
        case State::kResting:
        case State::kBeginning:
        case State::kFailed:
            return;  // Everything will be copied.
        case State::kCopying:
        case State::kClosing:
        case State::kCommitting:
        case State::kFollowing:
            break;
    }
    if (has_overflown_ || !HasRoomFor(body.size())) {
        has_overflown_ = true;
        due_us_ = 0;
        return;
    }
    Add(kind, body);
    // Of when it is we learn in the next Step(), which is due at once.
    // A log that is busy is not asked with each change: its answer would take a checksum of all.
    const bool is_long = used_ >= buffer_.size() / 2 && !was_busy_;
    if (state_ == State::kFollowing && (due_us_ == kNever || is_long)) due_us_ = 0;
}

void SaJournal::Fail(Status status, std::uint64_t now_us) {
    EMBER_ASSERT(status != Status::kOk);
    ++status_.failures;
    status_.last_error = status;
    state_ = State::kFailed;
    due_us_ = now_us + kRetryUs;
    parts_.notes.WriteSparingly<Note::kSaJournalFailed>(now_us, static_cast<std::uint64_t>(status));
}

bool SaJournal::Step(std::uint64_t now_us) {
    if (now_us < due_us_) return false;
    if (has_overflown_ && state_ != State::kCommitting) {
        ++status_.overflows;
        ++generation_;
        StartAnew();
    }
    switch (state_) {
        case State::kResting:
            return false;
        case State::kFailed:
            ++generation_;
            StartAnew();
            return true;
        case State::kBeginning:
            return Ask(now_us);
        case State::kCopying:
        case State::kClosing:
            return Copy(now_us);
        case State::kCommitting:
            return CommitCopy(now_us);
        case State::kFollowing:
            return Follow(now_us);
    }
    return false;
}

bool SaJournal::Ask(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kBeginning);
    const Status begun = parts_.log->Begin();
    if (begun == Status::kBusy) {
        due_us_ = now_us + kAskAgainUs;
        return false;
    }
    if (begun != Status::kOk) {
        Fail(begun, now_us);
        return false;
    }
    state_ = State::kCopying;
    sequence_ = 0;
    table_ = is_discarded_ ? Table::kEnd : Table::kAliases;
    row_ = 0;
    status_.bytes = 0;
    return true;
}

std::size_t SaJournal::BoundOf(Table table) const {
    switch (table) {
        case Table::kAliases:
            return parts_.tables.aliases.bound();
        case Table::kGroups:
            return parts_.tables.groups.group_bound();
        case Table::kMembers:
            return parts_.tables.groups.member_bound();
        case Table::kServices:
            return parts_.tables.services.bound();
        case Table::kSubscriptions:
            return parts_.tables.subscriptions.bound();
        case Table::kSubnet:
            return parts_.tables.subnet == nullptr ? 0 : parts_.tables.subnet->bound();
        case Table::kEnd:
            break;
    }
    return 0;
}

/// The row at hand, if it is in use.
void SaJournal::CopyRow() {
    EMBER_ASSERT(row_ < BoundOf(table_));
    const SaTables& tables = parts_.tables;
    const auto add = [this](SaEntryKind kind, const auto& entry) {
        Add(kind, std::as_bytes(std::span(&entry, 1)));
    };
    switch (table_) {
        case Table::kAliases: {
            const AliasGuids::Row& row = tables.aliases.row(static_cast<AliasIndex>(row_));
            if (row.alias == kNoGuid) return;
            add(SaEntryKind::kAlias, AliasEntry{row.alias, row.port, row.place});
            return;
        }
        case Table::kGroups: {
            const auto at = static_cast<GroupIndex>(row_);
            if (!tables.groups.IsLive(at)) return;
            add(SaEntryKind::kGroup, EntryOf(tables.groups.group(at)));
            return;
        }
        case Table::kMembers: {
            const auto at = static_cast<MemberIndex>(row_);
            if (!tables.groups.IsLive(at)) return;
            const Member& member = tables.groups.member(at);
            add(SaEntryKind::kMember, EntryOf(tables.groups.group(member.group).mgid, member));
            return;
        }
        case Table::kServices: {
            const auto at = static_cast<ServiceIndex>(row_);
            if (!tables.services.IsLive(at)) return;
            add(SaEntryKind::kService, EntryOf(tables.services.row(at)));
            return;
        }
        case Table::kSubscriptions: {
            const auto at = static_cast<SubscriptionIndex>(row_);
            if (!tables.subscriptions.IsLive(at)) return;
            add(SaEntryKind::kSubscription, EntryOf(tables.subscriptions.row(at)));
            return;
        }
        case Table::kSubnet:
            tables.subnet->Show(row_, *this);
            return;
        case Table::kEnd:
            return;
    }
}

bool SaJournal::Copy(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kCopying || state_ == State::kClosing);
    for (int i = 0; i < kRowsAtOnce && table_ != Table::kEnd; ++i) {
        if (used_ + kMaxSaEntryBytes > buffer_.size() / 2) break;
        if (row_ < BoundOf(table_)) {
            CopyRow();
            ++row_;
        } else {
            table_ = static_cast<Table>(static_cast<std::uint8_t>(table_) + 1);
            row_ = 0;
        }
    }
    if (table_ == Table::kEnd && state_ == State::kCopying && HasRoomFor(0)) {
        Add(SaEntryKind::kComplete, {});
        state_ = State::kClosing;
    }
    const bool is_due = state_ == State::kClosing || used_ > buffer_.size() / 4;
    const Status sent = is_due ? Send(now_us) : Status::kOk;
    was_busy_ = sent == Status::kBusy;
    if (was_busy_) {
        due_us_ = now_us + kAskAgainUs;
        return false;
    }
    if (sent != Status::kOk) {
        Fail(sent, now_us);
        return false;
    }
    if (state_ == State::kClosing) state_ = State::kCommitting;
    due_us_ = 0;
    return true;
}

bool SaJournal::CommitCopy(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kCommitting);
    const Status committed = parts_.log->Commit();
    was_busy_ = committed == Status::kBusy;
    if (was_busy_) {
        due_us_ = now_us + kAskAgainUs;
        return false;
    }
    if (committed != Status::kOk) {
        Fail(committed, now_us);
        return false;
    }
    ++status_.generations;
    status_.last_error = Status::kOk;
    copied_bytes_ = status_.bytes;
    if (is_discarded_) {
        state_ = State::kResting;
        due_us_ = kNever;
        return false;
    }
    state_ = State::kFollowing;
    due_us_ = has_overflown_ || used_ > sizeof(SaFrameHead) ? now_us : kNever;
    return due_us_ != kNever;
}

/// The first change of a frame finds due_us_ 0: the frame waits for more, but not if it is long.
bool SaJournal::Follow(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kFollowing);
    if (used_ == sizeof(SaFrameHead)) {
        due_us_ = kNever;
        return false;
    }
    if (due_us_ == 0 && used_ < buffer_.size() / 2) {
        due_us_ = now_us + kGatherUs;
        return false;
    }
    const Status sent = Send(now_us);
    due_us_ = sent == Status::kBusy ? now_us + kAskAgainUs : kNever;
    was_busy_ = sent == Status::kBusy;
    if (was_busy_) return false;
    const bool is_long =
        parts_.keeps_frames && status_.bytes > std::max(kLeastBytes, 2 * copied_bytes_);
    if (sent == Status::kFull || (sent == Status::kOk && is_long)) {
        ++generation_;
        StartAnew();
        return true;
    }
    if (sent != Status::kOk) Fail(sent, now_us);
    return false;
}

/// Hands the buffer to the log as one frame. When it is taken the buffer is empty.
Status SaJournal::Send(std::uint64_t now_us) {
    EMBER_ASSERT(used_ >= sizeof(SaFrameHead));
    EMBER_ASSERT(used_ <= buffer_.size());
    const std::span<std::byte> frame = buffer_.first(used_);
    SaFrameHead head;
    head.generation = generation_;
    head.sequence = sequence_;
    head.clock_us = now_us;
    CloseFrame(frame, head);
    EMBER_TRY(parts_.log->Append(frame));
    ++sequence_;
    ++status_.frames;
    status_.bytes += used_;
    used_ = sizeof(SaFrameHead);
    return Status::kOk;
}

SaJournalStatus SaJournal::status() const {
    SaJournalStatus status = status_;
    status.is_kept = state_ == State::kFollowing;
    if (parts_.log != nullptr && state_ != State::kResting) {
        status.safe_bytes = parts_.log->SafeBytes();
    }
    return status;
}

}  // namespace ember
