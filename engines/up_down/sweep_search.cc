// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routes where every cable has an upper and a lower end.

#include "engines/up_down/sweep_search.h"

#include <algorithm>

#include "core/base/assert.h"
#include "engines/exit_marks.h"

namespace ember {

namespace {

/// What no neighbor's hops are where it is asked for: one that is 0 hops away from a destination
/// is the destination, and there a neighbor is 1 hop away.
constexpr std::uint8_t kNobody = 0;

/// Lowers `mine` to one more than `theirs`, where that is less.
void Lower(Columns& mine, const std::uint8_t* theirs) {
    for (std::size_t i = 0; i < kColumns; ++i) {
        const auto more = static_cast<std::uint8_t>(theirs[i] + (theirs[i] == kNoHops ? 0 : 1));
        mine[i] = std::min(mine[i], more);
    }
}

/// What the next switch's hops are on a way of so many.
constexpr std::uint8_t Next(std::uint8_t hops) {
    return hops == kNoHops || hops == 0 ? kNobody : static_cast<std::uint8_t>(hops - 1);
}

}  // namespace

void SweepSearch::Begin(const Case& given) {
    const std::size_t bound = given.task.topology->switch_bound();
    EMBER_ASSERT(!given.levels->has_flat_cable() || given.ids.size() == bound);
    case_ = given;
    Arena& scratch = *given.task.scratch;
    const std::size_t stride = given.hops.stride();
    descent_ = {scratch.Take<std::uint8_t>(bound * stride), stride};
    from_top_ = scratch.Take<SwitchIndex>(given.task.topology->switch_count());
    place_ = scratch.Take<std::uint16_t>(bound);
    OrderSwitches();
    next_ = 0;
}

void SweepSearch::OrderSwitches() {
    const auto order = case_.levels->by_level();
    std::copy(order.begin(), order.end(), from_top_.begin());
    if (case_.rule == UpDownRule::kFromLeaves) std::reverse(from_top_.begin(), from_top_.end());
    if (!case_.ids.empty()) {
        Arena& scratch = *case_.task.scratch;
        const Arena::Frame frame(scratch);
        const auto keys = scratch.Take<std::uint64_t>(from_top_.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = case_.ids[Raw(from_top_[i])];
        }
        SortByKey(keys, from_top_, scratch);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = case_.levels->level(from_top_[i]);
        }
        SortByKey(keys, from_top_, scratch);
    }
    for (std::size_t i = 0; i < from_top_.size(); ++i) {
        place_[Raw(from_top_[i])] = static_cast<std::uint16_t>(i);
    }
}

Progress SweepSearch::Advance() {
    if (next_ < case_.task.topology->switch_bound()) {
        SweepUp(next_);
        SweepDown(next_);
        if (case_.free_roots) FreeRoots(next_);
        next_ += kColumns;
    }
    return next_ < case_.task.topology->switch_bound() ? Progress::kMore : Progress::kDone;
}

/// How far each switch is above the 64 switches from `first` on.
void SweepSearch::SweepUp(std::size_t first) {
    for (std::size_t i = from_top_.size(); i > 0; --i) {
        const SwitchIndex here = from_top_[i - 1];
        Columns mine;  // A local array: nothing else can change it, which the vectorizer must know.
        mine.fill(kNoHops);
        for (const Trunk& trunk : case_.task.topology->trunks(here)) {
            if (!IsUp(here, trunk.peer)) Lower(mine, descent_[trunk.peer].data() + first);
        }
        if (Raw(here) >= first && Raw(here) < first + kColumns) mine[Raw(here) - first] = 0;
        std::copy(mine.begin(), mine.end(), descent_[here].data() + first);
    }
}

/// How far each switch is from them.
void SweepSearch::SweepDown(std::size_t first) {
    for (const SwitchIndex here : from_top_) {
        const std::uint8_t* const below = descent_[here].data() + first;
        Columns mine;
        mine.fill(kNoHops);
        for (const Trunk& trunk : case_.task.topology->trunks(here)) {
            if (IsUp(here, trunk.peer)) Lower(mine, case_.hops[trunk.peer].data() + first);
        }
        for (std::size_t column = 0; column < kColumns; ++column) {
            mine[column] = below[column] == kNoHops ? mine[column] : below[column];
        }
        std::copy(mine.begin(), mine.end(), case_.hops[here].data() + first);
    }
}

bool SweepSearch::IsFree(std::size_t to) const {
    const auto at = static_cast<SwitchIndex>(to);
    return case_.free_roots && case_.task.topology->Has(at) && case_.levels->level(at) == 0;
}

/// Takes the ways to roots from the hop matrix, as if it were all down.
void SweepSearch::FreeRoots(std::size_t first) {
    const std::size_t end = std::min(case_.task.topology->switch_bound(), first + kColumns);
    for (std::size_t to = first; to < end; ++to) {
        if (!IsFree(to)) continue;
        for (const SwitchIndex from : from_top_) {
            case_.hops[from][to] = case_.task.hops[from][to];
            descent_[from][to] = case_.task.hops[from][to];
        }
    }
}

template <std::size_t kWords>
void SweepSearch::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    const std::uint8_t* const mine = case_.hops[here].data() + first;
    const std::uint8_t* const below = descent_[here].data() + first;
    Columns wanted_up;    // Of a neighbor above.
    Columns wanted_down;  // Of a neighbor below: its way down.
    for (std::size_t i = 0; i < kColumns; ++i) {
        wanted_up[i] = below[i] == kNoHops ? Next(mine[i]) : kNobody;
        wanted_down[i] = Next(below[i]);
    }
    const std::size_t columns = std::min(kColumns, case_.task.topology->switch_bound() - first);
    for (std::size_t i = 0; case_.free_roots && i < columns; ++i) {
        if (IsFree(first + i)) wanted_up[i] = wanted_down[i];
    }
    const auto trunks = case_.task.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const Trunk& trunk = trunks[row];
        if (IsUp(here, trunk.peer)) {
            const std::uint8_t* const theirs = case_.hops[trunk.peer].data() + first;
            MarkEqual(theirs, wanted_up, BitOf(trunk.port), marks);
        } else {
            const std::uint8_t* const theirs = descent_[trunk.peer].data() + first;
            MarkEqual(theirs, wanted_down, BitOf(trunk.port), marks);
        }
    });
}

void SweepSearch::Find(SwitchIndex here,
                       std::size_t first,
                       std::size_t words,
                       std::span<std::uint64_t> masks) const {
    words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
}

}  // namespace ember
