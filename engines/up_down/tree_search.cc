// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routes where every cable joins two levels.

#include "engines/up_down/tree_search.h"

#include <algorithm>

#include "core/base/assert.h"
#include "engines/exit_marks.h"

namespace ember {

namespace {

/// Of `mine`, no neighbor: one that is 0 away from a switch is that switch, and 1 away from `mine`.
constexpr std::uint8_t kNobody = 0;

/// Lowers `mine` to one more than `theirs`, where that is less.
void Lower(Columns& mine, const std::uint8_t* theirs) {
    for (std::size_t i = 0; i < kColumns; ++i) {
        const auto more = static_cast<std::uint8_t>(theirs[i] + (theirs[i] == kNoHops ? 0 : 1));
        mine[i] = std::min(mine[i], more);
    }
}

}  // namespace

void TreeSearch::Begin(const Case& given) {
    const Topology& topology = *given.task.topology;
    EMBER_ASSERT(!given.levels->has_flat_cable());
    EMBER_ASSERT(given.levels->top() <= kTopLevel);
    case_ = given;
    level_ = given.task.scratch->Take<std::uint8_t>(HopStride(topology.switch_bound()));
    for (std::size_t i = 0; i < topology.switch_bound(); ++i) {
        const std::uint16_t level = given.levels->level(static_cast<SwitchIndex>(i));
        level_[i] = static_cast<std::uint8_t>(std::min<std::uint16_t>(level, 255));
    }
    next_ = 0;
}

Progress TreeSearch::Advance() {
    if (next_ < case_.task.topology->switch_bound()) {
        SweepUp(next_);
        SweepDown(next_);
        if (case_.free_roots) FreeRoots(next_);
        next_ += kColumns;
    }
    return next_ < case_.task.topology->switch_bound() ? Progress::kMore : Progress::kDone;
}

bool TreeSearch::IsUp(SwitchIndex from, SwitchIndex to) const {
    const bool lower = level_[Raw(to)] < level_[Raw(from)];
    return lower == (case_.rule == UpDownRule::kFromRoots);
}

/// The i-th switch from the top. Those without a level have no cables, and may stand anywhere.
SwitchIndex TreeSearch::FromTop(std::size_t i) const {
    const auto order = case_.levels->by_level();
    return case_.rule == UpDownRule::kFromRoots ? order[i] : order[order.size() - 1 - i];
}

/// How far each switch is above the 64 switches from `first` on.
void TreeSearch::SweepUp(std::size_t first) {
    for (std::size_t i = case_.task.topology->switch_count(); i > 0; --i) {
        const SwitchIndex here = FromTop(i - 1);
        Columns mine;  // A local array: nothing else can change it, which the vectorizer must know.
        mine.fill(kNoHops);
        for (const Trunk& trunk : case_.task.topology->trunks(here)) {
            if (!IsUp(here, trunk.peer)) Lower(mine, case_.hops[trunk.peer].data() + first);
        }
        if (Raw(here) >= first && Raw(here) < first + kColumns) mine[Raw(here) - first] = 0;
        std::copy(mine.begin(), mine.end(), case_.hops[here].data() + first);
    }
}

/// How far each switch is from them, when a packet may first go up.
void TreeSearch::SweepDown(std::size_t first) {
    for (std::size_t i = 0; i < case_.task.topology->switch_count(); ++i) {
        const SwitchIndex here = FromTop(i);
        std::uint8_t* const row = case_.hops[here].data() + first;
        Columns mine;
        std::copy(row, row + kColumns, mine.begin());
        for (const Trunk& trunk : case_.task.topology->trunks(here)) {
            if (IsUp(here, trunk.peer)) Lower(mine, case_.hops[trunk.peer].data() + first);
        }
        std::copy(mine.begin(), mine.end(), row);
    }
}

/// Any shortest way to a root is legal.
void TreeSearch::FreeRoots(std::size_t first) {
    const std::size_t end = std::min(case_.task.topology->switch_bound(), first + kColumns);
    for (std::size_t to = first; to < end; ++to) {
        if (level_[to] != 0) continue;
        for (const SwitchIndex from : case_.task.topology->switches_by_guid()) {
            case_.hops[from][to] = case_.task.hops[from][to];
        }
    }
}

template <std::size_t kWords>
void TreeSearch::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    const std::uint8_t* const mine = case_.hops[here].data() + first;
    const std::uint8_t* const levels = level_.data() + first;
    const std::uint8_t level = level_[Raw(here)];
    const bool from_roots = case_.rule == UpDownRule::kFromRoots;
    Columns wanted_up;    // Of a neighbor above.
    Columns wanted_down;  // Of a neighbor below.
    for (std::size_t i = 0; i < kColumns; ++i) {
        const auto below =
            static_cast<std::uint8_t>(from_roots ? levels[i] - level : level - levels[i]);
        const bool may_descend = mine[i] == below || (case_.free_roots && levels[i] == 0);
        wanted_up[i] = mine[i] == kNoHops ? kNobody : static_cast<std::uint8_t>(mine[i] - 1);
        wanted_down[i] = may_descend ? wanted_up[i] : kNobody;
    }
    const auto trunks = case_.task.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const Trunk& trunk = trunks[row];
        const std::uint8_t* const theirs = case_.hops[trunk.peer].data() + first;
        const Columns& wanted = IsUp(here, trunk.peer) ? wanted_up : wanted_down;
        MarkEqual(theirs, wanted, BitOf(trunk.port), marks);
    });
}

void TreeSearch::Find(SwitchIndex here,
                      std::size_t first,
                      std::size_t words,
                      std::span<std::uint64_t> masks) const {
    words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
}

}  // namespace ember
