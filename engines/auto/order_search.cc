// SPDX-License-Identifier: Apache-2.0
// EmberSM: exits on paths that need one lane, by an order of the switches.

#include "engines/auto/order_search.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::uint8_t kYes = 255;
/// Hops that no neighbor has where they are asked for.
constexpr std::uint8_t kNoneHas = 254;

/// What a neighbor one hop nearer has; kNoneHas for the destination and where no path leads.
Columns Nearer(const std::uint8_t* hops) {
    Columns nearer;  // Local arrays: nothing else can change them, which the vectorizer must know.
    for (std::size_t i = 0; i < kColumns; ++i) {
        const bool has_path = hops[i] != kNoHops && hops[i] != 0;
        nearer[i] = has_path ? static_cast<std::uint8_t>(hops[i] - 1) : kNoneHas;
    }
    return nearer;
}

/// Adds to `marks` the columns of `from` in which `theirs` is what is wanted.
void AddEqual(const std::uint8_t* theirs,
              const Columns& wanted,
              const Columns& from,
              Columns& marks) {
    Columns equal;
    for (std::size_t i = 0; i < kColumns; ++i) {
        equal[i] = theirs[i] == wanted[i] ? kYes : std::uint8_t{0};
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
        marks[i] = static_cast<std::uint8_t>(marks[i] | (equal[i] & from[i]));
    }
}

/// Lowers `mine` to one more than `theirs`, where that is less.
void Lower(Columns& mine, const Columns& theirs) {
    Columns more;
    for (std::size_t i = 0; i < kColumns; ++i) {
        more[i] = static_cast<std::uint8_t>(theirs[i] + (theirs[i] == kNoHops ? 0 : 1));
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
        mine[i] = std::min(mine[i], more[i]);
    }
}

/// A bit for each column that is not 0.
std::uint64_t BitsOf(const Columns& columns) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kColumns; ++i) {
        bits |= std::uint64_t{columns[i] != 0 ? 1U : 0U} << i;
    }
    return bits;
}

/// Columns that have no bit become kNoneHas.
void Leave(std::uint64_t bits, Columns& columns) {
    if (bits == ~std::uint64_t{0}) return;
    for (std::size_t i = 0; i < kColumns; ++i) {
        if ((bits >> i & 1U) == 0) columns[i] = kNoneHas;
    }
}

}  // namespace

void OrderSearch::Begin(const RoutingTask& task,
                        const SwitchOrder& order,
                        Matrix<SwitchIndex, std::uint8_t> hops) {
    task_ = task;
    order_ = &order;
    hops_ = hops;
    bound_ = task.topology->switch_bound();
    Arena& scratch = *task.scratch;
    falls_ = scratch.Take<std::uint64_t>(hops.stride() / kColumns * bound_);
    mark_ = scratch.used_bytes();
    kept_ = scratch.Take<Columns>(bound_);
    arrived_ = scratch.Take<Columns>(bound_);
    rises_ = scratch.Take<Columns>(bound_);
    down_ = scratch.Take<Columns>(bound_);
    any_ = scratch.Take<Columns>(bound_);
    detours_ = 0;
    first_ = 0;
    is_second_ = false;
    phase_ = Phase::kMarkUp;
}

Progress OrderSearch::Advance() {
    switch (phase_) {
        case Phase::kMarkUp:
            MarkUp();
            phase_ = Phase::kMarkDown;
            break;
        case Phase::kMarkDown:
            MarkDown();
            phase_ = Phase::kGoDown;
            break;
        case Phase::kGoDown:
            GoDown();
            phase_ = Phase::kGoUp;
            break;
        case Phase::kGoUp:
            GoUp();
            break;
        case Phase::kKeep:
            Keep();
            first_ += kColumns;
            is_second_ = false;
            phase_ = Phase::kMarkUp;
            break;
    }
    if (first_ < bound_) return Progress::kMore;
    task_.scratch->Rewind(mark_);
    return Progress::kDone;
}

/// From the bottom to the top: rows that packets of end ports reach by going up only.
void OrderSearch::MarkUp() {
    for (const SwitchIndex at : order_->from_top()) {
        kept_[Raw(at)].fill(task_.topology->IsMere(at) ? 0 : kYes);
        arrived_[Raw(at)].fill(0);
        rises_[Raw(at)].fill(0);
    }
    Columns all;
    all.fill(kYes);
    const auto from_top = order_->from_top();
    for (std::size_t i = from_top.size(); i > 0; --i) {
        const SwitchIndex here = from_top[i - 1];
        const Columns wanted = Nearer(Shortest(here));
        const Columns mine = kept_[Raw(here)];
        Columns rises{};
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (!order_->IsUp(here, trunk.peer)) continue;
            const std::uint8_t* const theirs = Shortest(trunk.peer);
            AddEqual(theirs, wanted, mine, kept_[Raw(trunk.peer)]);
            AddEqual(theirs, wanted, all, rises);
        }
        rises_[Raw(here)] = rises;
    }
}

/// From the top to the bottom: those that they reach after that by going down. A row that is
/// reached from above must not go up again.
void OrderSearch::MarkDown() {
    Columns bad{};
    for (const SwitchIndex here : order_->from_top()) {
        const Columns wanted = Nearer(Shortest(here));
        Columns& mine = kept_[Raw(here)];
        for (std::size_t i = 0; i < kColumns; ++i) {
            mine[i] = static_cast<std::uint8_t>(mine[i] | arrived_[Raw(here)][i]);
            bad[i] =
                static_cast<std::uint8_t>(bad[i] | (arrived_[Raw(here)][i] & rises_[Raw(here)][i]));
        }
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (order_->IsUp(here, trunk.peer)) continue;
            AddEqual(Shortest(trunk.peer), wanted, mine, arrived_[Raw(trunk.peer)]);
        }
    }
    static_cast<void>(Drops(bad));
}

/// Gives up the kept rows of some columns. False when there are none.
bool OrderSearch::Drops(const Columns& bad) {
    if (std::count(bad.begin(), bad.end(), 0) == static_cast<std::ptrdiff_t>(kColumns))
        return false;
    for (const SwitchIndex at : order_->from_top()) {
        Columns& mine = kept_[Raw(at)];
        for (std::size_t i = 0; i < kColumns; ++i) {
            mine[i] = static_cast<std::uint8_t>(mine[i] & ~bad[i]);
        }
    }
    return true;
}

/// From the bottom to the top: how far a switch is above the destinations.
void OrderSearch::GoDown() {
    const auto from_top = order_->from_top();
    for (std::size_t i = from_top.size(); i > 0; --i) {
        const SwitchIndex here = from_top[i - 1];
        Columns mine;
        mine.fill(kNoHops);
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (!order_->IsUp(here, trunk.peer)) Lower(mine, down_[Raw(trunk.peer)]);
        }
        if (Raw(here) >= first_ && Raw(here) < first_ + kColumns) mine[Raw(here) - first_] = 0;
        down_[Raw(here)] = mine;
        KeepFalls(here);
    }
}

/// A kept row goes down if no shortest path goes up.
void OrderSearch::KeepFalls(SwitchIndex here) {
    const std::uint8_t* const shortest = Shortest(here);
    const Columns& kept = kept_[Raw(here)];
    const Columns& rises = rises_[Raw(here)];
    Columns& mine = down_[Raw(here)];
    for (std::size_t i = 0; i < kColumns; ++i) {
        const std::uint8_t falls = rises[i] == 0 ? shortest[i] : kNoHops;
        mine[i] = kept[i] == 0 ? mine[i] : falls;
    }
}

/// From the top to the bottom: how far it is. Above a row that goes up all do, so a destination is
/// out of reach if and only if it is from the first switch of its island.
void OrderSearch::GoUp() {
    Columns bad{};
    for (const SwitchIndex here : order_->from_top()) {
        Columns mine;
        mine.fill(kNoHops);
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (order_->IsUp(here, trunk.peer)) Lower(mine, any_[Raw(trunk.peer)]);
        }
        any_[Raw(here)] = mine;
        GoDownFirst(here, bad);
    }
    phase_ = Phase::kKeep;
    if (is_second_ || !Drops(bad)) return;
    is_second_ = true;  // Without kept rows no destination is out of reach.
    phase_ = Phase::kGoDown;
}

/// A way up is for what has neither a kept row nor a way down. Adds the columns that are lost.
void OrderSearch::GoDownFirst(SwitchIndex here, Columns& bad) {
    const Columns& below = down_[Raw(here)];
    const Columns& kept = kept_[Raw(here)];
    const std::uint8_t* const shortest = Shortest(here);
    Columns& mine = any_[Raw(here)];
    for (std::size_t i = 0; i < kColumns; ++i) {
        const std::uint8_t best = below[i] == kNoHops ? mine[i] : below[i];
        mine[i] = kept[i] == 0 ? best : shortest[i];
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
        const bool is_lost = mine[i] == kNoHops && shortest[i] != kNoHops;
        bad[i] = static_cast<std::uint8_t>(bad[i] | (is_lost ? kYes : std::uint8_t{0}));
    }
}

void OrderSearch::Keep() {
    for (const SwitchIndex here : order_->from_top()) {
        CountDetours(here);
        Columns falls;
        const Columns& down = down_[Raw(here)];
        for (std::size_t i = 0; i < kColumns; ++i) {
            falls[i] = down[i] == kNoHops ? std::uint8_t{0} : kYes;
        }
        falls_[RowOf(here, first_)] = BitsOf(falls);
    }
    for (const SwitchIndex here : order_->from_top()) {
        const Columns& mine = any_[Raw(here)];
        std::copy(mine.begin(), mine.end(), hops_[here].subspan(first_, kColumns).begin());
    }
}

void OrderSearch::CountDetours(SwitchIndex here) {
    if (task_.topology->IsMere(here)) return;
    const std::uint8_t* const shortest = Shortest(here);
    const std::size_t end = std::min(bound_, first_ + kColumns);
    for (std::size_t to = first_; to < end; ++to) {
        const bool is_longer = any_[Raw(here)][to - first_] > shortest[to - first_];
        if (is_longer && !task_.topology->IsMere(static_cast<SwitchIndex>(to))) ++detours_;
    }
}

/// A row that only goes down has neighbors below whose rows do so too. Another one may go up as
/// well; where a neighbor below would do for it, that is a kept row, which only goes down.
template <std::size_t kWords>
void OrderSearch::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    const Columns wanted = Nearer(hops_[here].data() + first);
    Columns wanted_up = wanted;
    Leave(~falls_[RowOf(here, first)], wanted_up);
    const auto trunks = task_.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const Trunk& trunk = trunks[row];
        const std::uint8_t* const theirs = hops_[trunk.peer].data() + first;
        if (order_->IsUp(here, trunk.peer)) {
            MarkEqual(theirs, wanted_up, BitOf(trunk.port), marks);
            return;
        }
        Columns wanted_down = wanted;
        Leave(falls_[RowOf(trunk.peer, first)], wanted_down);
        MarkEqual(theirs, wanted_down, BitOf(trunk.port), marks);
    });
}

void OrderSearch::Find(SwitchIndex here,
                       std::size_t first,
                       std::size_t words,
                       std::span<std::uint64_t> masks) const {
    words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
}

}  // namespace ember
