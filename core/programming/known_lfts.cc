// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LFTs that switches are known to have, block by block.

#include "core/programming/known_lfts.h"

#include <algorithm>
#include <cstring>

#include "core/port_tables/devices.h"

namespace ember {

KnownLfts::KnownLfts(const Memory& memory, const Limits& limits, const Fabric& fabric)
    : fabric_(fabric),
      entries_(memory.entries, limits),
      known_(memory.known_words),
      unconfirmed_(memory.unconfirmed_words),
      rows_(memory.rows),
      blocks_per_row_(LidStride(limits) / 64),
      marks_per_block_(limits.max_switches) {
    EMBER_ASSERT(memory.known_words.size() >= Words(limits));
    EMBER_ASSERT(memory.unconfirmed_words.size() >= Words(limits));
    EMBER_ASSERT(memory.rows.size() >= limits.max_switches);
}

bool KnownLfts::BeginRound(bool forgets_all) {
    EMBER_ASSERT(fabric_.switch_bound() <= rows_.size());
    top_ = fabric_.top_lid();
    entries_.Fit(top_, used_rows_);
    used_rows_ = std::max(used_rows_, fabric_.switch_bound());
    bool all_kept = true;
    for (std::size_t i = 0; i < fabric_.switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        Row& row = rows_[at];
        const Switch& of_fabric = fabric_.switch_row(at);
        const Guid guid = fabric_.IsLive(at) ? fabric_.node(of_fabric.node).guid : kNoGuid;
        const Lid top = of_fabric.info.Get(SwitchInfo::kLinearFdbTop);
        // A first sweep follows a time in which another subnet manager may have written any table
        // without changing its top: what is known of tables is void then.
        const bool kept = !forgets_all && guid != kNoGuid && row.guid == guid && row.top == top &&
                          HasOurTables(fabric_, of_fabric.node);
        if (kept || (guid == kNoGuid && row.guid == kNoGuid)) continue;
        all_kept = false;
        // Another switch, or this one was reset, or another master may have programmed it.
        Forget(at);
        row = Row{.guid = guid, .top = top, .read = top == kNoLid};
    }
    return all_kept;
}

void KnownLfts::Forget(SwitchIndex at) {
    for (std::uint32_t block = 0; block < blocks_per_row_; ++block) {
        known_.Remove(Raw(at) * blocks_per_row_ + block);
        unconfirmed_.Remove(MarkOf(at, block));
    }
}

void KnownLfts::Take(SwitchIndex at, std::uint32_t block, const SmpData& content) {
    EMBER_ASSERT(block < blocks_per_row_);
    EMBER_ASSERT(std::size_t{block} * 64 + content.size() <= entries_[at].size());
    std::memcpy(entries_[at].data() + std::size_t{block} * 64, content.data(), content.size());
    known_.Add(Raw(at) * blocks_per_row_ + block);
    unconfirmed_.Remove(MarkOf(at, block));
}

}  // namespace ember
