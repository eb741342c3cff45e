// SPDX-License-Identifier: Apache-2.0
// EmberSM: LFT blocks of switches that another subnet manager may have programmed.

#include "core/programming/lft_reading.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

StageProgress LftReading::Step(std::uint64_t now_us) {
    const std::size_t bound = parts_.fabric.switch_bound();
    const std::uint32_t blocks = parts_.known.blocks();
    const auto rows = parts_.known.rows().first(bound);
    const bool all_read = std::all_of(rows.begin(), rows.end(), [](const KnownLfts::Row& row) {
        return row.guid == kNoGuid || row.read;
    });
    if (all_read) block_ = blocks;
    for (std::size_t i = 0; i < kBlocksAtOnce && parts_.asker.has_room(); ++i) {
        if (block_ >= blocks || bound == 0) {
            End();
            return StageProgress::kEnd;
        }
        const auto at = static_cast<SwitchIndex>(row_);
        const std::uint32_t block = block_;
        if (++row_ >= bound) {
            row_ = 0;
            ++block_;
        }
        if (parts_.known.IsRouted(at)) Read(at, block, now_us);
    }
    return StageProgress::kMore;
}

void LftReading::End() {
    for (KnownLfts::Row& row : parts_.known.rows()) {
        row.read = true;
    }
}

void LftReading::Read(SwitchIndex at, std::uint32_t block, std::uint64_t now_us) {
    EMBER_ASSERT(parts_.known.IsRouted(at));
    EMBER_ASSERT(block < parts_.known.blocks_per_row());
    const KnownLfts::Row& row = parts_.known.row(at);
    if (row.read || block >= LftBlocks(row.top)) return;
    Ask ask{};
    if (!parts_.asker.Prepare(parts_.fabric.ManagementPortOf(at),
                              AttributeId::kLinearForwardingTable, ask)) {
        parts_.known.NoteUnanswered(at, block);
        return;
    }
    ask.method = Method::kGet;
    ask.modifier = block;
    ask.cookie.detail = static_cast<std::uint16_t>(block);
    ++parts_.outcome.blocks_read;
    parts_.asker.Post(ask, RoundAsker::Kind::kReadBlock, Raw(at), now_us);
}

void LftReading::Hear(const Answer& answer) {
    const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
    const std::uint32_t block = answer.cookie.detail;
    if (answer.status == Status::kOk) {
        parts_.known.Take(at, block, answer.data);
    } else {
        parts_.known.NoteUnanswered(at, block);
    }
}

}  // namespace ember
