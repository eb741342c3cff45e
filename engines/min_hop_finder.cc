// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits on shortest ways.

#include "engines/min_hop_finder.h"

#include "core/base/assert.h"
#include "core/routing/hops.h"
#include "engines/exit_marks.h"

namespace ember {

Status MinHopFinder::Study(const RoutingTask& task) {
    EMBER_ASSERT(task.topology != nullptr);
    EMBER_ASSERT(task.hops.stride() >= HopStride(task.topology->switch_bound()));
    task_ = task;
    return Status::kOk;
}

template <std::size_t kWords>
void MinHopFinder::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    const auto mine = task_.hops[here].subspan(first, kColumns);
    Columns wanted;  // Towards `here` itself 255, what no neighbor has.
    for (std::size_t i = 0; i < kColumns; ++i) {
        wanted[i] = static_cast<std::uint8_t>(mine[i] - 1);
    }
    const auto trunks = task_.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const std::uint8_t* const theirs = task_.hops[trunks[row].peer].data() + first;
        MarkEqual(theirs, wanted, BitOf(trunks[row].port), marks);
    });
}

void MinHopFinder::FindExits(SwitchIndex here,
                             std::size_t first,
                             std::size_t words,
                             std::span<std::uint64_t> masks) const {
    EMBER_ASSERT(words == 1 || words == kMostWords);
    EMBER_ASSERT(masks.size() == kColumns * words);
    words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
}

}  // namespace ember
