// SPDX-License-Identifier: Apache-2.0
// EmberSM: exits on paths that need one lane, by an order of the switches.

#include "engines/auto/order_search.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::uint8_t kYes = 255;
/// By eight bits: an octet for each, 255 or 0.
constexpr auto kSpread = [] {
    std::array<std::array<std::uint8_t, 8>, 256> spread{};
    for (std::size_t bits = 0; bits < spread.size(); ++bits) {
        for (std::size_t i = 0; i < 8; ++i) {
            spread[bits][i] = (bits >> i & 1U) != 0 ? kYes : std::uint8_t{0};
        }
    }
    return spread;
}();
constexpr Columns kNothing = [] {
    Columns none{};
    none.fill(kNoHops);
    return none;
}();
constexpr std::uint64_t kEveryBit = ~std::uint64_t{0};
/// Hops that no neighbor has where they are asked for.
constexpr std::uint8_t kNoneHas = 254;

/// Hops of a neighbor one hop nearer; kNoneHas for the destination and where no path leads.
Columns Nearer(const std::uint8_t* hops) {
    Columns nearer;  // Local arrays: nothing else can change them, which the vectorizer must know.
    for (std::size_t i = 0; i < kColumns; ++i) {
        const bool has_path = hops[i] != kNoHops && hops[i] != 0;
        nearer[i] = has_path ? static_cast<std::uint8_t>(hops[i] - 1) : kNoneHas;
    }
    return nearer;
}

/// Adds to `marks` those of `found`.
void Add(const Columns& found, Columns& marks) {
    for (std::size_t i = 0; i < kColumns; ++i) {
        marks[i] = static_cast<std::uint8_t>(marks[i] | found[i]);
    }
}

/// The bits set in both.
Columns Both(const Columns& one, const Columns& other) {
    Columns both;
    for (std::size_t i = 0; i < kColumns; ++i) {
        both[i] = static_cast<std::uint8_t>(one[i] & other[i]);
    }
    return both;
}

/// `one` in the columns that are kYes, else `other`.
Columns Chosen(const Columns& which, const Columns& one, const Columns& other) {
    Columns chosen;
    for (std::size_t i = 0; i < kColumns; ++i) {
        chosen[i] = static_cast<std::uint8_t>((one[i] & which[i]) | (other[i] & ~which[i]));
    }
    return chosen;
}

/// The columns in which `theirs` is what is wanted.
[[gnu::noinline]] Columns Equal(const std::uint8_t* theirs, const Columns& wanted) {
    Columns equal;
    for (std::size_t i = 0; i < kColumns; ++i) {
        equal[i] = theirs[i] == wanted[i] ? kYes : std::uint8_t{0};
    }
    return equal;
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
    if (bits == kEveryBit) return;
    Columns has;
    for (std::size_t i = 0; i < kColumns; i += 8) {
        const auto& octets = kSpread[bits >> i & 0xFFU];
        std::copy(octets.begin(), octets.end(), has.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
        columns[i] = static_cast<std::uint8_t>((columns[i] & has[i]) | (kNoneHas & ~has[i]));
    }
}

}  // namespace

void OrderSearch::Begin(const RoutingTask& task, const SwitchOrder& order,
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
            phase_ = MarkUp() ? Phase::kMarkDown : Phase::kGoDown;
            break;
        case Phase::kMarkDown:
            phase_ = MarkDown() ? Phase::kGoShortest : Phase::kGoDown;
            break;
        case Phase::kGoShortest:
            GoShortest();
            phase_ = Phase::kKeep;
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

/// Some of the columns at work are of switches with end ports.
bool OrderSearch::HaveEndPorts() const {
    const std::size_t end = std::min(bound_, first_ + kColumns);
    for (std::size_t to = first_; to < end; ++to) {
        const auto at = static_cast<SwitchIndex>(to);
        if (task_.topology->Has(at) && task_.topology->HasHosts(at)) return true;
    }
    return false;
}

/// From the bottom to the top: rows that packets of end ports reach by going up only. False: no
/// column is of a switch with end ports, so none of their packets has these destinations.
bool OrderSearch::MarkUp() {
    const bool has_end_ports = HaveEndPorts();
    for (const SwitchIndex at : order_->from_top()) {
        const bool sends = has_end_ports && task_.topology->HasHosts(at);
        kept_[Raw(at)].fill(sends ? kYes : 0);
        arrived_[Raw(at)].fill(0);
        rises_[Raw(at)].fill(0);
    }
    if (!has_end_ports) return false;
    const auto from_top = order_->from_top();
    for (std::size_t i = from_top.size(); i > 0; --i) {
        const SwitchIndex here = from_top[i - 1];
        const Columns wanted = Nearer(Shortest(here));
        const Columns mine = kept_[Raw(here)];
        Columns rises{};
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (!order_->IsUp(here, trunk.peer)) continue;
            const Columns equal = Equal(Shortest(trunk.peer), wanted);
            Add(equal, rises);
            Add(Both(equal, mine), kept_[Raw(trunk.peer)]);
        }
        rises_[Raw(here)] = rises;
    }
    return true;
}

/// From the top to the bottom: those that they reach after that by going down. A row that is
/// reached from above must not go up again. True when all rows are kept.
bool OrderSearch::MarkDown() {
    Columns bad{};
    Columns all;
    all.fill(kYes);
    for (const SwitchIndex here : order_->from_top()) {
        const Columns wanted = Nearer(Shortest(here));
        const Columns arrived = arrived_[Raw(here)];
        Add(Both(arrived, rises_[Raw(here)]), bad);
        Columns mine = kept_[Raw(here)];
        Add(arrived, mine);
        kept_[Raw(here)] = mine;
        all = Both(Columns{all}, mine);
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (order_->IsUp(here, trunk.peer)) continue;
            const Columns equal = Equal(Shortest(trunk.peer), wanted);
            Add(Both(equal, mine), arrived_[Raw(trunk.peer)]);
        }
    }
    return !Drops(bad) && BitsOf(all) == kEveryBit;
}

/// Where all rows are kept nothing has to be searched.
void OrderSearch::GoShortest() {
    for (const SwitchIndex here : order_->from_top()) {
        KeepFalls(here);
        std::copy_n(Shortest(here), kColumns, any_[Raw(here)].begin());
    }
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
    Columns shortest;
    std::copy_n(Shortest(here), kColumns, shortest.begin());
    const Columns falls = Chosen(rises_[Raw(here)], kNothing, shortest);
    down_[Raw(here)] = Chosen(kept_[Raw(here)], falls, down_[Raw(here)]);
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
    const Columns below = down_[Raw(here)];
    Columns shortest;
    std::copy_n(Shortest(here), kColumns, shortest.begin());
    const Columns best = Chosen(Equal(below.data(), kNothing), any_[Raw(here)], below);
    const Columns mine = Chosen(kept_[Raw(here)], shortest, best);
    any_[Raw(here)] = mine;
    Add(Chosen(Equal(shortest.data(), kNothing), Columns{}, Equal(mine.data(), kNothing)), bad);
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
    if (!task_.topology->HasHosts(here)) return;
    const std::uint8_t* const shortest = Shortest(here);
    const std::size_t end = std::min(bound_, first_ + kColumns);
    for (std::size_t to = first_; to < end; ++to) {
        const bool is_longer = any_[Raw(here)][to - first_] > shortest[to - first_];
        if (is_longer && task_.topology->HasHosts(static_cast<SwitchIndex>(to))) ++detours_;
    }
}

/// A row that only goes down has neighbors below whose rows do so too. Another one may go up as
/// well; where a neighbor below would do for it, that is a kept row, which only goes down.
template <std::size_t kWords>
void OrderSearch::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    const Columns wanted = Nearer(hops_[here].data() + first);
    Columns wanted_up = wanted;
    const std::uint64_t falls = falls_[RowOf(here, first)];
    Leave(~falls, wanted_up);
    const auto trunks = task_.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const Trunk& trunk = trunks[row];
        const std::uint8_t* const theirs = hops_[trunk.peer].data() + first;
        if (order_->IsUp(here, trunk.peer)) {
            if (falls != kEveryBit) MarkEqual(theirs, wanted_up, BitOf(trunk.port), marks);
            return;
        }
        const std::uint64_t they_fall = falls_[RowOf(trunk.peer, first)];
        if (they_fall == 0) return;
        Columns wanted_down = wanted;
        Leave(they_fall, wanted_down);
        MarkEqual(theirs, wanted_down, BitOf(trunk.port), marks);
    });
}

void OrderSearch::Find(SwitchIndex here, std::size_t first, std::size_t words,
                       std::span<std::uint64_t> masks) const {
    words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
}

}  // namespace ember
