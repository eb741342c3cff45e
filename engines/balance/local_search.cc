// SPDX-License-Identifier: Apache-2.0
// EmberSM: moves flows off the busiest links, one at a time.

#include "engines/balance/local_search.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/assert.h"

namespace ember {

namespace {

/// Above any load.
constexpr std::uint32_t kNoPeak = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void LocalSearch::Begin(LinkLoads& link_loads, ExitBlock& block, std::uint32_t accepted_load,
                        Arena& scratch) {
    link_loads_ = &link_loads;
    topology_ = &link_loads.topology();
    block_ = &block;
    exits_ = {};
    links_ = topology_->all_exits();
    loads_ = link_loads.all_loads();
    std::size_t most = 0;
    for (const LeafSwitch& leaf : link_loads.leaves()) {
        most = std::max<std::size_t>(most, leaf.count);
    }
    const std::size_t bound = topology_->switch_bound();
    columns_ = scratch.Take<std::uint8_t>(bound * most);
    flows_ = scratch.Take<std::uint32_t>(bound);
    peaks_ = scratch.Take<std::uint32_t>(bound);
    marks_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(link_loads.end_receiver_count())));
    work_ = 0;
    budget_ = kBudgetPerRoute * topology_->switch_count() * link_loads.end_receiver_count() +
              (link_loads.task().is_base ? 0 : kBudget);
    target_ = std::max(TargetLoad(), accepted_load);
    is_weighed_ = accepted_load == 0 && topology_->speeds().differ();
    if (is_weighed_) WeighLoads();
    threshold_ = target_;
    best_ = kNoPeak;
    rounds_ = 0;
    random_ = 0;
    is_wide_ = false;
    is_sideways_ = false;
    relieves_ = false;
    phase_ = Phase::kMark;
    next_ = 0;
    moves_ = 0;
}

/// A load that the busiest link has at least, whatever the exits are, and 1/kSlack of it.
std::uint32_t LocalSearch::TargetLoad() const {
    const std::uint64_t all = link_loads_->end_receiver_count();
    std::uint64_t least = all > 0 ? all - 1 : 0;  // A host link in a full exchange: good enough.
    std::uint64_t sum = 0;
    std::uint64_t trunks = 0;
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        const std::uint64_t own = link_loads_->senders(at);
        const std::uint64_t here = topology_->trunks(at).size();
        trunks += here;
        if (here > 0) least = std::max(least, (own * (all - own) + here - 1) / here);
    }
    for (const std::uint32_t load : loads_) {
        sum += load;  // The same for all routings along least paths.
    }
    if (trunks > 0) least = std::max(least, (sum + trunks - 1) / trunks);
    return static_cast<std::uint32_t>(least + least / kSlack);
}

/// From here on a load is counted in fourths of a unit at the fastest rate. No link carries more
/// than a fourth of the square of the end ports: so far weights go, and no load is too large for
/// its type.
void LocalSearch::WeighLoads() {
    const std::uint64_t all = link_loads_->end_receiver_count();
    const std::uint64_t most_load = std::max<std::uint64_t>(all * all / 4, 1);
    const std::uint64_t most_weight = std::min<std::uint64_t>(kMostWeight, kNoPeak / most_load);
    const LinkSpeeds& speeds = topology_->speeds();
    const std::uint64_t fastest = DataMegabits(speeds.fastest());
    is_weighed_ = most_weight > kUnweighed;
    if (!is_weighed_) return;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        const std::uint64_t rate = DataMegabits(speeds.rate(static_cast<LinkSpeed>(i)));
        const std::uint64_t weight = rate == 0 ? kUnweighed : kUnweighed * fastest / rate;
        weights_[i] = static_cast<std::uint32_t>(std::min(weight, most_weight));
    }
    for (std::size_t row = 0; row < loads_.size(); ++row) {
        loads_[row] *= weights_[links_[row].speed];
    }
    target_ *= kUnweighed;
}

/// Of the links that carry no more than `bound`.
std::uint32_t LocalSearch::BusiestLoad(std::uint32_t bound) const {
    std::uint32_t most = 0;
    for (const std::uint32_t load : loads_) {
        if (load <= bound) most = std::max(most, load);
    }
    return most;
}

/// All leaves' blocks have been loaded for the first exits.
Progress LocalSearch::Advance() {
    if (!block_->has_choice()) return Progress::kDone;
    if (phase_ == Phase::kMark && next_ == 0 && BusiestLoad(kNoPeak) <= target_)
        return Progress::kDone;
    const std::uint64_t end = work_ + kWorkPerSlice;
    while (work_ < end) {  // Every turn works.
        const bool at_end = next_ == link_loads_->leaves().size() || work_ > budget_;
        if (phase_ == Phase::kFind && at_end) {
            return EndPass() ? Progress::kDone : Progress::kMore;
        }
        Work();
    }
    return Progress::kMore;
}

void LocalSearch::Work() {
    switch (phase_) {
        case Phase::kMark:
            return MarkNext();
        case Phase::kFind:
            return FindNext();
        case Phase::kVisit:
            return VisitNext();
    }
}

/// True when there is no use in another pass.
bool LocalSearch::EndPass() {
    if (relieves_ || work_ > budget_) {
        if (EndRelief()) return true;
    } else if (is_sideways_) {
        is_sideways_ = false;
    } else if (moves_ == 0) {
        if (BusiestLoad(kNoPeak) <= target_ + target_ / kNear) return true;
        if (is_wide_ && EndRound()) return true;
        is_wide_ = true;
        threshold_ = target_ - target_ / 8;
    }
    moves_ = 0;
    next_ = 0;
    marks_.clear();
    phase_ = Phase::kMark;
    return false;
}

/// The budget is used up, perhaps on links that cannot carry less: in many trees those of a level
/// are far above the target, which no cut explains to it. The busiest links of all are relieved
/// from the top down with as much again. True when that is done.
bool LocalSearch::EndRelief() {
    if (relieves_ && work_ > budget_) return true;
    if (relieves_ && moves_ != 0) return false;
    threshold_ = Below(BusiestLoad(relieves_ ? threshold_ : kNoPeak));
    if (!relieves_) budget_ += work_;
    relieves_ = true;
    is_sideways_ = false;
    return threshold_ <= target_;
}

/// A threshold between the target and the load of the busiest links that may be relieved: half of
/// the way from far off, as a pass that marks many receivers takes a tenth of the budget. The
/// target, if they are close.
std::uint32_t LocalSearch::Below(std::uint32_t load) const {
    if (load <= target_ + target_ / kNear) return target_;
    const std::uint32_t way = load - target_;
    return load - (way > target_ ? way / 2 : way / 4);
}

/// No flow moves any more. True when enough rounds of sideways moves bettered nothing.
bool LocalSearch::EndRound() {
    const std::uint32_t busiest = BusiestLoad(kNoPeak);
    if (busiest < best_) {
        best_ = busiest;
        rounds_ = 0;
    }
    is_sideways_ = true;
    return ++rounds_ > kRounds;
}

/// A bit of a linear congruential generator (Knuth's MMIX).
bool LocalSearch::TossCoin() {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return (random_ >> 63) != 0;
}

/// Marks the receivers that the next switch sends to over a link above the threshold.
void LocalSearch::MarkNext() {
    if (next_ == topology_->switch_bound()) {
        next_ = 0;
        phase_ = Phase::kFind;
        return;
    }
    const auto here = static_cast<SwitchIndex>(next_++);
    ++work_;
    if (!topology_->Has(here)) return;
    std::array<bool, 256> is_busy{};
    bool any = false;
    const auto loads = link_loads_->loads(here);
    for (std::size_t port = 0; port < loads.size(); ++port) {
        is_busy[port] = loads[port] > threshold_;
        any = any || is_busy[port];
    }
    if (!any) return;
    const auto row = link_loads_->task().tables.lfts[here].first(link_loads_->end_receiver_count());
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (is_busy[row[i]]) marks_.Add(i);
    }
    work_ += row.size() / 4;
}

/// Goes to the next leaf with a marked receiver.
void LocalSearch::FindNext() {
    ++work_;
    leaf_ = link_loads_->leaves()[next_];
    bool any = false;
    for (std::size_t i = 0; i < leaf_.count; ++i) {
        any = any || marks_.Has(leaf_.first + i);
    }
    if (!any) {
        ++next_;
        return;
    }
    work_ += kWorkPerSlice / 2;
    if (block_->Load(leaf_.at) == Progress::kMore) return;
    order_ = block_->SortByDistance(leaf_.at);
    hops_ = block_->hops(leaf_.at);
    for (const SwitchIndex at : order_) {
        const auto row = link_loads_->task().tables.lfts[at].subspan(leaf_.first, leaf_.count);
        std::copy(row.begin(), row.end(),
                  columns_.begin() + static_cast<std::ptrdiff_t>(Raw(at) * row.size()));
    }
    receiver_ = leaf_.count;
    phase_ = Phase::kVisit;
}

void LocalSearch::VisitNext() {
    ++work_;
    if (receiver_ == 0) {
        ++next_;
        phase_ = Phase::kFind;
        return;
    }
    --receiver_;
    if (marks_.Has(leaf_.first + receiver_)) {
        MeasureFlows();
        for (const SwitchIndex here : order_) {
            const std::uint8_t exit = ExitOf(here);
            const std::size_t row = RowOf(here, exit);
            peaks_[Raw(here)] = std::max(loads_[row], peaks_[Raw(links_[row].peer)]);
            if (flows_[Raw(here)] != 0 && peaks_[Raw(here)] > threshold_) Improve(here);
        }
        work_ += order_.size();
    }
}

/// Finds what every switch sends to the receiver: its own units, and those of switches behind it.
void LocalSearch::MeasureFlows() {
    flows_[Raw(leaf_.at)] = 0;
    peaks_[Raw(leaf_.at)] = 0;
    for (const SwitchIndex at : order_) {
        flows_[Raw(at)] = link_loads_->senders(at);
    }
    for (std::size_t i = order_.size(); i > 0; --i) {
        const SwitchIndex at = order_[i - 1];
        flows_[Raw(links_[RowOf(at, ExitOf(at))].peer)] += flows_[Raw(at)];
    }
}

/// Moves the flow of `here` to the best other candidate, if there is a better one.
void LocalSearch::Improve(SwitchIndex here) {
    is_weighed_ ? ImproveBy<true>(here) : ImproveBy<false>(here);
}

template <bool kIsWeighed>
void LocalSearch::ImproveBy(SwitchIndex here) {
    std::uint32_t best = kNoPeak;
    std::uint8_t best_port = kNoHops;
    for (const std::uint8_t port : exits_.Read(block_->mask(here, leaf_.at))) {
        if (port != ExitOf(here) && IsBetter<kIsWeighed>(here, port, best)) best_port = port;
    }
    if (best_port == kNoHops) return;
    Move<kIsWeighed>(here, best_port);
    const std::size_t row = RowOf(here, best_port);
    peaks_[Raw(here)] = std::max(loads_[row], peaks_[Raw(links_[row].peer)]);
}

/// Whether the path by `port` is better than the present one and than `best`, the load of the
/// busiest link with the flow of `here`. If so, `best` becomes that of this path.
template <bool kIsWeighed>
bool LocalSearch::IsBetter(SwitchIndex here, std::uint8_t port, std::uint32_t& best) {
    const std::uint32_t flow = flows_[Raw(here)];
    std::size_t old_row = RowOf(here, ExitOf(here));
    std::size_t new_row = RowOf(here, port);
    std::uint32_t old_peak = loads_[old_row];
    std::uint32_t new_peak = loads_[new_row] + Weighed<kIsWeighed>(flow, new_row);
    SwitchIndex old_at = links_[old_row].peer;
    SwitchIndex new_at = links_[new_row].peer;
    while (old_at != new_at) {  // Ends: every step is nearer, and both paths lead to the receiver.
        ++work_;
        if (new_peak >= best) return false;
        const std::uint8_t old_hops = hops_[Raw(old_at)];
        const std::uint8_t new_hops = hops_[Raw(new_at)];
        if (old_hops >= new_hops) {
            old_row = RowOf(old_at, ExitOf(old_at));
            old_peak = std::max(old_peak, loads_[old_row]);
            old_at = links_[old_row].peer;
        }
        if (new_hops >= old_hops) {
            new_row = RowOf(new_at, ExitOf(new_at));
            new_peak = std::max(new_peak, loads_[new_row] + Weighed<kIsWeighed>(flow, new_row));
            new_at = links_[new_row].peer;
        }
    }
    if (new_peak >= best || new_peak > old_peak || old_peak <= threshold_) return false;
    if (new_peak == old_peak && !(is_sideways_ && TossCoin())) return false;
    best = new_peak;
    return true;
}

template <bool kIsWeighed>
void LocalSearch::Move(SwitchIndex here, std::uint8_t port) {
    const std::uint32_t flow = flows_[Raw(here)];
    std::size_t old_row = RowOf(here, ExitOf(here));
    std::size_t new_row = RowOf(here, port);
    loads_[old_row] -= Weighed<kIsWeighed>(flow, old_row);
    loads_[new_row] += Weighed<kIsWeighed>(flow, new_row);
    SwitchIndex old_at = links_[old_row].peer;
    SwitchIndex new_at = links_[new_row].peer;
    while (old_at != new_at) {  // As in IsBetter().
        const std::uint8_t old_hops = hops_[Raw(old_at)];
        const std::uint8_t new_hops = hops_[Raw(new_at)];
        if (old_hops >= new_hops) {
            flows_[Raw(old_at)] -= flow;
            old_row = RowOf(old_at, ExitOf(old_at));
            loads_[old_row] -= Weighed<kIsWeighed>(flow, old_row);
            old_at = links_[old_row].peer;
        }
        if (new_hops >= old_hops) {
            flows_[Raw(new_at)] += flow;
            new_row = RowOf(new_at, ExitOf(new_at));
            loads_[new_row] += Weighed<kIsWeighed>(flow, new_row);
            new_at = links_[new_row].peer;
        }
    }
    ExitOf(here) = port;
    link_loads_->task().tables.lfts[here][leaf_.first + receiver_] = port;
    ++moves_;
}

}  // namespace ember
