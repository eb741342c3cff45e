// SPDX-License-Identifier: Apache-2.0
// EmberSM: quarantines of links, told to standbys and heard from a master.

#include <algorithm>

#include "core/links/flapping_links.h"

namespace ember {
namespace {

[[nodiscard]] QuarantineEntry EntryOf(const FlappingLink& row) {
    QuarantineEntry entry;
    entry.guid = row.ends[0].guid;
    entry.port = Raw(row.ends[0].port);
    entry.other_guid = row.ends[1].guid;
    entry.other_port = Raw(row.ends[1].port);
    entry.quarantines = row.quarantines;
    entry.until_us = row.until_us;
    return entry;
}

[[nodiscard]] std::array<LinkEnd, 2> EndsOf(const QuarantineEntry& entry) {
    return {LinkEnd{entry.guid, static_cast<PortNumber>(entry.port)},
            LinkEnd{entry.other_guid, static_cast<PortNumber>(entry.other_port)}};
}

}  // namespace

void FlappingLinks::EmitRow(const FlappingLink& row) const {
    EMBER_ASSERT(row.is_live());
    const bool is_left_out = row.verdict == LinkVerdict::kQuarantined;
    EmitEntry(sink_, is_left_out ? SaEntryKind::kQuarantine : SaEntryKind::kQuarantineGone,
              EntryOf(row));
}

void FlappingLinks::Show(const FlappingLink& row, SaStateSink& sink) const {
    if (!row.is_live() || row.verdict != LinkVerdict::kQuarantined) return;
    EmitEntry(&sink, SaEntryKind::kQuarantine, EntryOf(row));
}

void FlappingLinks::BeginCopy() {
    for (FlappingLink& row : rows_) {
        row.is_copied = false;
    }
}

/// The next sweep as master decides about the link, and marks its ports.
Status FlappingLinks::Obey(const QuarantineEntry& entry, std::uint64_t until_us) {
    const std::array<LinkEnd, 2> ends = EndsOf(entry);
    EMBER_ASSERT(ends[0].guid != kNoGuid && ends[1].guid != kNoGuid);
    FlappingLink* const row = RowFor(ends);
    if (row == nullptr) return Status::kFull;
    row->verdict = LinkVerdict::kQuarantined;
    row->quarantines = entry.quarantines;
    row->until_us = until_us;
    row->is_copied = true;
    return Status::kOk;
}

void FlappingLinks::Forget(const QuarantineEntry& entry) {
    const std::array<LinkEnd, 2> ends = EndsOf(entry);
    for (FlappingLink& row : rows_) {
        if (!row.is_live() || row.ends != ends) continue;
        row.verdict = LinkVerdict::kWatched;
        row.Forgive();
        row.is_copied = false;
    }
}

void FlappingLinks::EndCopy() {
    for (FlappingLink& row : rows_) {
        if (row.verdict != LinkVerdict::kQuarantined || row.is_copied) continue;
        row.verdict = LinkVerdict::kWatched;
        row.Forgive();
    }
}

}  // namespace ember
