// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits on shortest paths.

#include "engines/spread/min_hop_finder.h"

#include "core/base/assert.h"
#include "core/graph/hops.h"
#include "engines/spread/exit_marks.h"

namespace ember {

Status MinHopFinder::Begin(const RoutingTask& task) {
    EMBER_ASSERT(task.topology != nullptr && task.options != nullptr && task.scratch != nullptr);
    EMBER_ASSERT(task.hops.stride() >= HopStride(task.topology->switch_bound()));
    task_ = task;
    weights_.Begin(*task.topology, task.options->tables.hop_weights, *task.scratch);
    return Status::kOk;
}

template <std::size_t kWords>
void MinHopFinder::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    const auto mine = task_.hops[here].subspan(first, kColumns);
    Columns wanted;  // 0 where `here` reaches nothing, 255 towards itself: no neighbor has either.
    for (std::size_t i = 0; i < kColumns; ++i) {
        const int nearer = mine[i] - 1;
        wanted[i] = mine[i] == kNoHops ? std::uint8_t{0} : static_cast<std::uint8_t>(nearer);
    }
    const auto trunks = task_.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const std::uint8_t* const theirs = task_.hops[trunks[row].peer].data() + first;
        MarkEqual(theirs, wanted, BitOf(trunks[row].port), marks);
    });
}

/// The same where links have weights. No neighbor is nearer than `here` to `here`, or to what it
/// does not reach.
template <std::size_t kWords>
void MinHopFinder::MarkWeighted(SwitchIndex here, std::size_t first,
                                std::span<std::uint64_t> masks) const {
    Columns mine;  // 0 where no path leads: no neighbor has less.
    const auto row = task_.hops[here].subspan(first, kColumns);
    for (std::size_t i = 0; i < kColumns; ++i) {
        mine[i] = row[i] == kNoHops ? std::uint8_t{0} : row[i];
    }
    const auto trunks = task_.topology->trunks(here);
    const auto weights = weights_.of(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t next, Columns& marks) {
        const std::uint8_t* const theirs = task_.hops[trunks[next].peer].data() + first;
        const std::uint8_t weight = weights[next];
        const std::uint8_t bit = BitOf(trunks[next].port);
        Columns found;  // Octets throughout: a sum that wraps is less than its parts.
        for (std::size_t i = 0; i < kColumns; ++i) {
            const bool sums_up = static_cast<std::uint8_t>(theirs[i] + weight) == mine[i];
            found[i] = (sums_up && theirs[i] < mine[i]) ? bit : std::uint8_t{0};
        }
        for (std::size_t i = 0; i < kColumns; ++i) {
            marks[i] = static_cast<std::uint8_t>(marks[i] | found[i]);
        }
    });
}

void MinHopFinder::Find(SwitchIndex here, std::size_t first, std::size_t words,
                        std::span<std::uint64_t> masks) const {
    EMBER_ASSERT(words == 1 || words == kMostWords);
    EMBER_ASSERT(masks.size() == kColumns * words);
    if (weights_.empty()) {
        words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
    } else if (words == 1) {
        MarkWeighted<1>(here, first, masks);
    } else {
        MarkWeighted<kMostWords>(here, first, masks);
    }
}

}  // namespace ember
