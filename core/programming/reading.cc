// SPDX-License-Identifier: Apache-2.0
// EmberSM: LFT blocks of switches that another subnet manager may have programmed.

#include <algorithm>

#include "core/base/assert.h"
#include "core/programming/programming.h"

namespace ember {

/// Moves the cursor block by block over all switches, as OpenSM sends them.
void Programming::PumpReading(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kReading);
    const std::uint32_t blocks = known_.blocks();
    const auto tables = known_.rows().first(fabric_.switch_bound());
    const bool all_read = std::all_of(
        tables.begin(), tables.end(),
        [](const KnownLfts::Row& table) { return table.guid == kNoGuid || table.read; });
    if (all_read) block_ = blocks;
    for (std::size_t i = 0; i < kRowsAtOnce && asker_.has_room(); ++i) {
        if (block_ >= blocks || fabric_.switch_bound() == 0) {
            EndReading();
            return;
        }
        const auto at = static_cast<SwitchIndex>(row_);
        const std::uint32_t block = block_;
        if (++row_ >= fabric_.switch_bound()) {
            row_ = 0;
            ++block_;
        }
        if (known_.IsRouted(at)) ReadBlock(at, block, now_us);
    }
}

void Programming::EndReading() {
    EMBER_ASSERT(stage_ == Stage::kReading);
    at_end_ = true;
    for (KnownLfts::Row& table : known_.rows()) {
        table.read = true;
    }
}

void Programming::ReadBlock(SwitchIndex at, std::uint32_t block, std::uint64_t now_us) {
    EMBER_ASSERT(known_.IsRouted(at));
    EMBER_ASSERT(block < known_.blocks_per_row());
    EMBER_ASSERT(stage_ == Stage::kReading);
    const KnownLfts::Row& table = known_.row(at);
    if (table.read || block >= LftBlocks(table.top)) return;
    Ask ask{};
    if (!asker_.Prepare(fabric_.ManagementPortOf(at), AttributeId::kLinearForwardingTable, ask)) {
        known_.NoteUnanswered(at, block);
        return;
    }
    ask.method = Method::kGet;
    ask.modifier = block;
    ask.cookie.detail = static_cast<std::uint16_t>(block);
    ++outcome_.blocks_read;
    asker_.Post(ask, Kind::kReadBlock, Raw(at), now_us);
}

}  // namespace ember
