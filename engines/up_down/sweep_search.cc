// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routes where every link has an upper and a lower end.

#include "engines/up_down/sweep_search.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/assert.h"
#include "engines/spread/exit_marks.h"

namespace ember {

namespace {

/// Hops that no neighbor has where they are asked for: a neighbor with 0 hops is the destination,
/// and 1 is asked for there.
constexpr std::uint8_t kNoneHas = 0;

/// Lowers `mine` to one more than `theirs`, where that is less.
void Lower(Columns& mine, const Columns& theirs) {
    Columns more;  // A local array: nothing else can change it, which the vectorizer must know.
    for (std::size_t i = 0; i < kColumns; ++i) {
        more[i] = static_cast<std::uint8_t>(theirs[i] + (theirs[i] == kNoHops ? 0 : 1));
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
        mine[i] = std::min(mine[i], more[i]);
    }
}

using Octet = std::array<std::uint8_t, 8>;

/// For an octet of bits, an octet for each bit: all ones or zero.
constexpr std::array<Octet, 256> kSpread = [] {
    std::array<Octet, 256> spread{};
    for (std::size_t bits = 0; bits < spread.size(); ++bits) {
        for (std::size_t i = 0; i < 8; ++i) {
            spread[bits][i] = (bits >> i & 1U) != 0 ? 0xFF : 0;
        }
    }
    return spread;
}();

/// Keeps the columns that have a bit in `bits`; the others become kNoneHas.
void Leave(std::uint64_t bits, Columns& columns) {
    for (std::size_t octet = 0; octet < kColumns / 8; ++octet) {
        const Octet& mask = kSpread[bits >> (octet * 8) & 0xFF];
        for (std::size_t i = 0; i < 8; ++i) {
            columns[octet * 8 + i] = static_cast<std::uint8_t>(columns[octet * 8 + i] & mask[i]);
        }
    }
}

/// A bit for each column that is not kNoHops.
std::uint64_t Reached(const Columns& columns) {
    std::uint64_t bits = 0;
    for (std::size_t octet = 0; octet < kColumns / 8; ++octet) {
        std::uint64_t eight = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            eight |= std::uint64_t{columns[octet * 8 + i] != kNoHops ? 1U : 0U} << i;
        }
        bits |= eight << (octet * 8);
    }
    return bits;
}

/// The next switch's hops on a path of so many.
constexpr std::uint8_t Next(std::uint8_t hops) {
    return hops == kNoHops || hops == 0 ? kNoneHas : static_cast<std::uint8_t>(hops - 1);
}

}  // namespace

void SweepSearch::Begin(const Case& given) {
    const std::size_t bound = given.task.topology->switch_bound();
    EMBER_ASSERT(!given.levels->has_flat_link() || given.ids.size() == bound);
    case_ = given;
    EMBER_ASSERT(!given.crowned || given.ids.size() == bound);
    Arena& scratch = *given.task.scratch;
    from_top_ = scratch.Take<SwitchIndex>(given.task.topology->switch_count());
    place_ = scratch.Take<std::uint16_t>(bound);
    OrderSwitches();  // First: what it takes for a while is less than what follows.
    down_ = scratch.Take<Columns>(bound);
    any_ = scratch.Take<Columns>(bound);
    descent_ = scratch.Take<std::uint64_t>(given.hops.stride() / kColumns * bound);
    loses_pair_ = false;
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
        const bool by_leaves = case_.rule == UpDownRule::kFromLeaves;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::uint16_t level = case_.levels->level(from_top_[i]);
            keys[i] = static_cast<std::uint64_t>(by_leaves ? kNoLevel - level : level);
        }
        SortByKey(keys, from_top_, scratch);
    }
    if (case_.crowned) Crown(*case_.task.topology, from_top_, *case_.task.scratch);
    for (std::size_t i = 0; i < from_top_.size(); ++i) {
        place_[Raw(from_top_[i])] = static_cast<std::uint16_t>(i);
    }
}

Progress SweepSearch::Advance() {
    if (next_ < case_.task.topology->switch_bound()) {
        SweepUp(next_);
        SweepDown();
        if (case_.counts_losses && !loses_pair_) loses_pair_ = LosesPair(next_);
        Keep(next_);
        next_ += kColumns;
    }
    return next_ < case_.task.topology->switch_bound() ? Progress::kMore : Progress::kDone;
}

/// How far each switch is above the 64 switches from `first` on.
void SweepSearch::SweepUp(std::size_t first) {
    for (std::size_t i = from_top_.size(); i > 0; --i) {
        const SwitchIndex here = from_top_[i - 1];
        Columns mine;
        mine.fill(kNoHops);
        for (const Trunk& trunk : case_.task.topology->trunks(here)) {
            if (!IsUp(here, trunk.peer) && Uses(here, trunk)) Lower(mine, down_[Raw(trunk.peer)]);
        }
        if (Raw(here) >= first && Raw(here) < first + kColumns) mine[Raw(here) - first] = 0;
        down_[Raw(here)] = mine;
    }
}

/// How far each switch is from them.
void SweepSearch::SweepDown() {
    for (const SwitchIndex here : from_top_) {
        const Columns& below = down_[Raw(here)];
        Columns mine;
        mine.fill(kNoHops);
        for (const Trunk& trunk : case_.task.topology->trunks(here)) {
            if (IsUp(here, trunk.peer) && Uses(here, trunk)) Lower(mine, any_[Raw(trunk.peer)]);
        }
        for (std::size_t i = 0; i < kColumns; ++i) {
            mine[i] = below[i] == kNoHops ? mine[i] : below[i];
        }
        any_[Raw(here)] = mine;
    }
}

/// Among the 64 columns, before Keep(). Mostly the first loop decides: no leaf switch is without a
/// path to any leaf switch.
bool SweepSearch::LosesPair(std::size_t first) const {
    Columns most{};
    for (const SwitchIndex here : from_top_) {
        if (!HasEndPorts(here)) continue;
        const Columns& mine = any_[Raw(here)];
        for (std::size_t i = 0; i < kColumns; ++i) {
            most[i] = std::max(most[i], mine[i]);
        }
    }
    const std::size_t end = std::min(place_.size(), first + kColumns);
    for (std::size_t to = first; to < end; ++to) {
        const auto at = static_cast<SwitchIndex>(to);
        if (most[to - first] != kNoHops || !HasEndPorts(at)) {
            continue;
        }
        const bool is_lost = std::any_of(from_top_.begin(), from_top_.end(), [&](SwitchIndex here) {
            return HasEndPorts(here) && any_[Raw(here)][to - first] == kNoHops &&
                   case_.task.hops[here][to] != kNoHops;
        });
        if (is_lost) return true;
    }
    return false;
}

/// The columns of switches to which any shortest path is legal.
std::uint64_t SweepSearch::FreeColumns(std::size_t first) const {
    std::uint64_t columns = 0;
    if (!case_.free_roots) return columns;
    const std::size_t end = std::min(place_.size(), first + kColumns);
    for (std::size_t to = first; to < end; ++to) {
        const auto at = static_cast<SwitchIndex>(to);
        if (!case_.task.topology->Has(at) || case_.levels->level(at) != 0) continue;
        columns |= std::uint64_t{1} << (to - first);
    }
    return columns;
}

/// Keeps what was found, and takes the paths to free columns from the hop matrix.
void SweepSearch::Keep(std::size_t first) {
    const std::uint64_t free = FreeColumns(first);
    for (const SwitchIndex here : from_top_) {
        const auto row = case_.hops[here].subspan(first, kColumns);
        Columns& mine = any_[Raw(here)];
        for (std::uint64_t rest = free; rest != 0; rest &= rest - 1) {
            const auto column = static_cast<std::size_t>(std::countr_zero(rest));
            mine[column] = case_.task.hops[here][first + column];
        }
        std::copy(mine.begin(), mine.end(), row.begin());
        Descent(here, first) = Reached(down_[Raw(here)]) | free;
    }
}

template <std::size_t kWords>
void SweepSearch::Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const {
    const std::uint8_t* const mine = case_.hops[here].data() + first;
    const std::uint64_t descent = Descent(here, first);
    Columns wanted_up;  // Of a neighbor above.
    for (std::size_t i = 0; i < kColumns; ++i) {
        wanted_up[i] = Next(mine[i]);
    }
    Columns wanted_down = wanted_up;  // Of a neighbor below.
    Leave(descent, wanted_down);
    Leave(~descent | FreeColumns(first), wanted_up);
    const auto trunks = case_.task.topology->trunks(here);
    FillMasks<kWords>(trunks, masks, [&](std::size_t row, Columns& marks) {
        const Trunk& trunk = trunks[row];
        if (!Uses(here, trunk)) return;
        const std::uint8_t* const theirs = case_.hops[trunk.peer].data() + first;
        if (IsUp(here, trunk.peer)) {
            MarkEqual(theirs, wanted_up, BitOf(trunk.port), marks);
        } else if (case_.ids.empty()) {  // A peer one level lower and one hop nearer can go down.
            MarkEqual(theirs, wanted_down, BitOf(trunk.port), marks);
        } else {
            Columns wanted = wanted_down;
            Leave(Descent(trunk.peer, first), wanted);
            MarkEqual(theirs, wanted, BitOf(trunk.port), marks);
        }
    });
}

void SweepSearch::Find(SwitchIndex here, std::size_t first, std::size_t words,
                       std::span<std::uint64_t> masks) const {
    words == 1 ? Mark<1>(here, first, masks) : Mark<kMostWords>(here, first, masks);
}

}  // namespace ember
