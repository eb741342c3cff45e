// SPDX-License-Identifier: Apache-2.0
// EmberSM: the log, which neither formats nor allocates.
#include "core/log/log.h"

#include <bit>

namespace ember {

void Log::Append(std::uint64_t now_us, Note note,
                 const std::array<std::uint64_t, kMaxValues>& values) {
    EMBER_ASSERT(note < Note::kEnd);
    ++counts_[static_cast<std::size_t>(note)];
    if (!levels_.Keeps(note)) return;
    LogRecord& record = ring_[SlotOf(next_)];
    record.time_us = now_us;
    record.values = values;
    record.note = note;
    ++next_;
}

bool Log::IsRepressed(std::uint64_t count) {
    if (count <= 10) return false;
    return count % 10 != 0 || !std::has_single_bit(count / 10);
}

Status Log::Read(std::uint64_t& cursor, LogRecord& record, std::uint64_t& missed) const {
    if (cursor >= next_) return Status::kAbsent;
    const std::uint64_t oldest = oldest_sequence();
    if (cursor < oldest) {
        missed += oldest - cursor;
        cursor = oldest;
    }
    record = ring_[SlotOf(cursor)];
    ++cursor;
    return Status::kOk;
}

}  // namespace ember
