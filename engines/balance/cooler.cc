// SPDX-License-Identifier: Apache-2.0
// EmberSM: takes load off the busiest cables, step by step.

#include "engines/balance/cooler.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/assert.h"

namespace ember {

namespace {

/// Above any load.
constexpr std::uint32_t kNoPeak = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void Cooler::Begin(Ledger& ledger, ExitBlock& block, std::uint32_t whole_load, Arena& scratch) {
    ledger_ = &ledger;
    topology_ = &ledger.topology();
    block_ = &block;
    exits_ = {};
    cables_ = topology_->all_exits();
    loads_ = ledger.all_loads();
    std::size_t most = 0;
    for (const Crowd& crowd : ledger.crowds()) {
        most = std::max<std::size_t>(most, crowd.count);
    }
    const std::size_t bound = topology_->switch_bound();
    columns_ = scratch.Take<std::uint8_t>(bound * most);
    flows_ = scratch.Take<std::uint32_t>(bound);
    peaks_ = scratch.Take<std::uint32_t>(bound);
    marks_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(ledger.end_receiver_count())));
    work_ = 0;
    budget_ = kBudget + kBudgetPerRoute * topology_->switch_count() * ledger.end_receiver_count();
    goal_ = std::max(Goal(), whole_load);
    threshold_ = goal_;
    best_ = kNoPeak;
    rounds_ = 0;
    chance_ = 0;
    is_wide_ = false;
    is_sideways_ = false;
    phase_ = Phase::kMark;
    next_ = 0;
    moves_ = 0;
}

/// What the busiest cable carries at least, whatever the exits are.
std::uint32_t Cooler::Goal() const {
    const std::uint64_t all = ledger_->end_receiver_count();
    std::uint64_t least = all > 0 ? all - 1 : 0;  // A host link in a full exchange: good enough.
    std::uint64_t sum = 0;
    std::uint64_t trunks = 0;
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        const std::uint64_t own = ledger_->senders(at);
        const std::uint64_t here = topology_->trunks(at).size();
        trunks += here;
        if (here > 0) least = std::max(least, (own * (all - own) + here - 1) / here);
    }
    for (const std::uint32_t load : loads_) {
        sum += load;  // The same for all routings along least ways.
    }
    if (trunks > 0) least = std::max(least, (sum + trunks - 1) / trunks);
    return static_cast<std::uint32_t>(least + least / kSlack);
}

std::uint32_t Cooler::BusiestLoad() const {
    std::uint32_t most = 0;
    for (const std::uint32_t load : loads_) {
        most = std::max(most, load);
    }
    return most;
}

Progress Cooler::Advance() {
    if (phase_ == Phase::kMark && next_ == 0 && BusiestLoad() <= goal_) return Progress::kDone;
    const std::uint64_t end = work_ + kWorkPerSlice;
    while (work_ < end) {  // Every turn works.
        const bool at_end = next_ == ledger_->crowds().size() || work_ > budget_;
        if (phase_ == Phase::kFind && at_end) {
            return EndPass() ? Progress::kDone : Progress::kMore;
        }
        Work();
    }
    return Progress::kMore;
}

void Cooler::Work() {
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
bool Cooler::EndPass() {
    if (work_ > budget_) return true;
    if (is_sideways_) {
        is_sideways_ = false;
    } else if (moves_ == 0) {
        if (BusiestLoad() <= goal_ + goal_ / kNear) return true;
        if (is_wide_ && EndRound()) return true;
        is_wide_ = true;
        threshold_ = goal_ - goal_ / 8;
    }
    moves_ = 0;
    next_ = 0;
    marks_.clear();
    phase_ = Phase::kMark;
    return false;
}

/// Nothing moves any more. True when it was tried often enough to shake things up.
bool Cooler::EndRound() {
    const std::uint32_t busiest = BusiestLoad();
    if (busiest < best_) {
        best_ = busiest;
        rounds_ = 0;
    }
    is_sideways_ = true;
    return ++rounds_ > kRounds;
}

/// A throw of a coin, by a linear congruential generator (Knuth's MMIX).
bool Cooler::IsHeads() {
    chance_ = chance_ * 6364136223846793005U + 1442695040888963407U;
    return (chance_ >> 63) != 0;
}

/// Marks the receivers that leave the next switch through a cable above the threshold.
void Cooler::MarkNext() {
    if (next_ == topology_->switch_bound()) {
        next_ = 0;
        phase_ = Phase::kFind;
        return;
    }
    const auto here = static_cast<SwitchIndex>(next_++);
    ++work_;
    if (!topology_->Has(here)) return;
    std::array<bool, 256> is_hot{};
    bool any = false;
    const auto loads = ledger_->loads(here);
    for (std::size_t port = 0; port < loads.size(); ++port) {
        is_hot[port] = loads[port] > threshold_;
        any = any || is_hot[port];
    }
    if (!any) return;
    const auto row = ledger_->task().lfts[here].first(ledger_->end_receiver_count());
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (is_hot[row[i]]) marks_.Add(i);
    }
    work_ += row.size() / 4;
}

/// Goes to the next crowd with a marked receiver.
void Cooler::FindNext() {
    ++work_;
    crowd_ = ledger_->crowds()[next_];
    bool any = false;
    for (std::size_t i = 0; i < crowd_.count; ++i) {
        any = any || marks_.Has(crowd_.first + i);
    }
    if (!any) {
        ++next_;
        return;
    }
    work_ += kWorkPerSlice / 2;
    if (block_->Load(crowd_.at) == Progress::kMore) return;
    order_ = block_->SortByDistance(crowd_.at);
    hops_ = block_->hops(crowd_.at);
    for (const SwitchIndex at : order_) {
        const auto row = ledger_->task().lfts[at].subspan(crowd_.first, crowd_.count);
        std::copy(row.begin(), row.end(),
                  columns_.begin() + static_cast<std::ptrdiff_t>(Raw(at) * row.size()));
    }
    receiver_ = crowd_.count;
    phase_ = Phase::kVisit;
}

void Cooler::VisitNext() {
    ++work_;
    if (receiver_ == 0) {
        ++next_;
        phase_ = Phase::kFind;
        return;
    }
    --receiver_;
    if (marks_.Has(crowd_.first + receiver_)) {
        MeasureFlows();
        for (const SwitchIndex here : order_) {
            const std::uint8_t exit = ExitOf(here);
            const std::size_t row = RowOf(here, exit);
            peaks_[Raw(here)] = std::max(loads_[row], peaks_[Raw(cables_[row].peer)]);
            if (flows_[Raw(here)] != 0 && peaks_[Raw(here)] > threshold_) Improve(here);
        }
        work_ += order_.size();
    }
}

/// What every switch sends to the receiver: its own units, and those of the switches behind it.
void Cooler::MeasureFlows() {
    flows_[Raw(crowd_.at)] = 0;
    peaks_[Raw(crowd_.at)] = 0;
    for (const SwitchIndex at : order_) {
        flows_[Raw(at)] = ledger_->senders(at);
    }
    for (std::size_t i = order_.size(); i > 0; --i) {
        const SwitchIndex at = order_[i - 1];
        flows_[Raw(cables_[RowOf(at, ExitOf(at))].peer)] += flows_[Raw(at)];
    }
}

/// Moves what `here` sends to the best other candidate, if there is a better one.
void Cooler::Improve(SwitchIndex here) {
    std::uint32_t best = kNoPeak;
    std::uint8_t best_port = kNoHops;
    for (const std::uint8_t port : exits_.Read(block_->mask(here, crowd_.at))) {
        if (port != ExitOf(here) && IsBetter(here, port, best)) best_port = port;
    }
    if (best_port == kNoHops) return;
    Move(here, best_port);
    const std::size_t row = RowOf(here, best_port);
    peaks_[Raw(here)] = std::max(loads_[row], peaks_[Raw(cables_[row].peer)]);
}

/// Whether the way behind `port` is better than the present one and than `best`, its busiest cable
/// with the flow of `here`; that is then its own.
bool Cooler::IsBetter(SwitchIndex here, std::uint8_t port, std::uint32_t& best) {
    const std::uint32_t flow = flows_[Raw(here)];
    std::size_t old_row = RowOf(here, ExitOf(here));
    std::size_t new_row = RowOf(here, port);
    std::uint32_t old_peak = loads_[old_row];
    std::uint32_t new_peak = loads_[new_row] + flow;
    SwitchIndex old_at = cables_[old_row].peer;
    SwitchIndex new_at = cables_[new_row].peer;
    while (old_at != new_at) {  // Ends: every step is nearer, and both ways lead to the receiver.
        ++work_;
        if (new_peak >= best) return false;
        const std::uint8_t old_hops = hops_[Raw(old_at)];
        const std::uint8_t new_hops = hops_[Raw(new_at)];
        if (old_hops >= new_hops) {
            old_row = RowOf(old_at, ExitOf(old_at));
            old_peak = std::max(old_peak, loads_[old_row]);
            old_at = cables_[old_row].peer;
        }
        if (new_hops >= old_hops) {
            new_row = RowOf(new_at, ExitOf(new_at));
            new_peak = std::max(new_peak, loads_[new_row] + flow);
            new_at = cables_[new_row].peer;
        }
    }
    if (new_peak >= best || new_peak > old_peak || old_peak <= threshold_) return false;
    if (new_peak == old_peak && !(is_sideways_ && IsHeads())) return false;
    best = new_peak;
    return true;
}

void Cooler::Move(SwitchIndex here, std::uint8_t port) {
    const std::uint32_t flow = flows_[Raw(here)];
    std::size_t old_row = RowOf(here, ExitOf(here));
    std::size_t new_row = RowOf(here, port);
    loads_[old_row] -= flow;
    loads_[new_row] += flow;
    SwitchIndex old_at = cables_[old_row].peer;
    SwitchIndex new_at = cables_[new_row].peer;
    while (old_at != new_at) {  // As in IsBetter().
        const std::uint8_t old_hops = hops_[Raw(old_at)];
        const std::uint8_t new_hops = hops_[Raw(new_at)];
        if (old_hops >= new_hops) {
            flows_[Raw(old_at)] -= flow;
            old_row = RowOf(old_at, ExitOf(old_at));
            loads_[old_row] -= flow;
            old_at = cables_[old_row].peer;
        }
        if (new_hops >= old_hops) {
            flows_[Raw(new_at)] += flow;
            new_row = RowOf(new_at, ExitOf(new_at));
            loads_[new_row] += flow;
            new_at = cables_[new_row].peer;
        }
    }
    ExitOf(here) = port;
    ledger_->task().lfts[here][crowd_.first + receiver_] = port;
    ++moves_;
}

}  // namespace ember
