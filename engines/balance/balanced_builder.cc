// SPDX-License-Identifier: Apache-2.0
// EmberSM: EmberSM's own way to spread routes over equal exits.

#include "engines/balance/balanced_builder.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

namespace {

constexpr std::uint32_t kNoReceiver = ~std::uint32_t{0};

/// Multiples of it, modulo 2^16, fall evenly however many are taken: 2^16 over the golden ratio.
constexpr std::uint32_t kGolden = 40503;

}  // namespace

void BalancedBuilder::Begin(const RoutingTask& task,
                            const ExitFinder& finder,
                            std::span<const SwitchIndex> rows) {
    EMBER_ASSERT(task.topology != nullptr && task.scratch != nullptr);
    EMBER_ASSERT(task.lfts.stride() > Raw(task.topology->top_lid()));
    EMBER_ASSERT(rows.size() == task.topology->switch_bound());
    task_ = task;
    rows_ = rows;
    circle_ = 0;
    exits_ = {};
    next_here_ = 0;
    ledger_.Begin(task, finder.hops());
    block_.Begin(task, finder);
    Go(Phase::kCrowds);
}

Progress BalancedBuilder::Advance() {
    switch (phase_) {
        case Phase::kCrowds:
            if (ledger_.Advance() == Progress::kMore) return Progress::kMore;
            Prepare();
            Go(Phase::kPour);
            return Progress::kMore;
        case Phase::kPour:
            if (Pour()) Go(Phase::kSwitches);
            return Progress::kMore;
        case Phase::kSwitches:
            if (!RouteToOthers()) return Progress::kMore;
            cooler_.Begin(ledger_, block_, whole_load_, *task_.scratch);
            Go(Phase::kCool);
            return Progress::kMore;
        case Phase::kCool:
            if (cooler_.Advance() == Progress::kDone) Go(Phase::kSettle);
            return Progress::kMore;
        case Phase::kSettle:
            if (!Settle()) return Progress::kMore;
            if (task_.topology->top_lmc() == 0) return Progress::kDone;
            further_.Begin(ledger_, block_, rows_, *task_.scratch);
            Go(Phase::kFurther);
            return Progress::kMore;
        case Phase::kFurther:
            break;
    }
    return further_.Advance();
}

void BalancedBuilder::Prepare() {
    Arena& scratch = *task_.scratch;
    const std::size_t bound = task_.topology->switch_bound();
    whole_load_ = WholeLoad(ledger_, scratch);
    pourer_.Begin(ledger_, block_, whole_load_ != 0, scratch);
    receiver_of_ = scratch.Take<std::uint32_t>(bound);
    turn_ = scratch.Take<std::uint32_t>(bound);
    done_blocks_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(bound)));
    row_ = scratch.Take<std::uint8_t>(ledger_.receivers().size());
    settled_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(bound)));
    source_of_ = scratch.Take<SwitchIndex>(bound);
    for (std::size_t i = 0; i < bound; ++i) {
        source_of_[Raw(rows_[i])] = static_cast<SwitchIndex>(i);
    }
    std::fill(receiver_of_.begin(), receiver_of_.end(), kNoReceiver);
    for (std::size_t i = ledger_.end_receiver_count(); i < ledger_.receivers().size(); ++i) {
        receiver_of_[Raw(ledger_.receivers()[i].at)] = static_cast<std::uint32_t>(i);
    }
    std::uint32_t rank = 0;
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        turn_[Raw(at)] = rank++ * kGolden & 0xFFFF;
    }
}

/// The next crowd. True when there is none.
bool BalancedBuilder::Pour() {
    if (next_ == ledger_.crowds().size()) return true;
    if (Load(ledger_.crowds()[next_].at)) pourer_.Pour(next_++);
    return false;
}

/// The switches of the next block in which no crowd is. True when there is none.
bool BalancedBuilder::RouteToOthers() {
    const std::size_t blocks = (task_.topology->switch_bound() + kColumns - 1) / kColumns;
    while (next_ < blocks && done_blocks_.Has(next_)) {
        ++next_;
    }
    if (next_ == blocks) return true;
    if (Load(static_cast<SwitchIndex>(next_ * kColumns))) ++next_;
    return false;
}

/// Loads the block of a switch. To load one is dear: the first time, all routes to its switches are
/// made at once. True when it is done.
bool BalancedBuilder::Load(SwitchIndex to) {
    if (block_.Load(to) == Progress::kMore) return false;
    const std::size_t block = Raw(to) / kColumns;
    if (done_blocks_.Has(block)) return true;
    const std::size_t bound = task_.topology->switch_bound();
    const std::size_t end = std::min(bound, next_here_ + kSwitchesPerSlice);
    for (; next_here_ < end; ++next_here_) {
        const auto here = static_cast<SwitchIndex>(next_here_);
        if (task_.topology->Has(here)) RouteToSwitches(here, block * kColumns);
    }
    if (next_here_ < bound) return false;
    next_here_ = 0;
    done_blocks_.Add(block);
    return true;
}

void BalancedBuilder::RouteToSwitches(SwitchIndex here, std::size_t first) {
    const auto row = task_.lfts[here];
    const std::size_t end = std::min(task_.topology->switch_bound(), first + kColumns);
    for (std::size_t i = first; i < end; ++i) {
        if (receiver_of_[i] == kNoReceiver) continue;
        const auto to = static_cast<SwitchIndex>(i);
        if (to == here) {
            row[receiver_of_[i]] = Raw(kManagementPort);
            continue;
        }
        const auto ports = exits_.Read(block_.mask(here, to));
        if (!ports.empty()) row[receiver_of_[i]] = ports[turn_[i] * ports.size() >> 16];
    }
}

/// Brings rows to their places, and their octets from the order of receivers into that of LIDs.
/// Rows change places in circles. True when it is done.
bool BalancedBuilder::Settle() {
    const std::size_t bound = task_.topology->switch_bound();
    for (std::size_t i = 0; i < kRowsPerSlice; ++i) {
        if (next_ == circle_) {
            FindCircle();
            if (circle_ == bound) return true;
        }
        SettleRow();
    }
    return false;
}

/// The next circle begins at the first row that is not settled.
void BalancedBuilder::FindCircle() {
    const std::size_t bound = task_.topology->switch_bound();
    while (circle_ < bound && settled_.Has(circle_)) {
        ++circle_;
    }
    next_ = circle_;
}

/// Fills a row whose content has been used, but for the first of a circle, which is set aside.
void BalancedBuilder::SettleRow() {
    const auto receivers = ledger_.receivers();
    const auto row = task_.lfts[static_cast<SwitchIndex>(next_)];
    if (next_ == circle_) std::copy_n(row.begin(), receivers.size(), row_.begin());
    const SwitchIndex source = source_of_[next_];
    const bool is_last = Raw(source) == circle_;
    const std::span<const std::uint8_t> from = is_last ? row_ : task_.lfts[source];
    std::fill_n(row.begin(), receivers.size(), kNoHops);
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        row[Raw(receivers[i].lid)] = from[i];
    }
    settled_.Add(next_);
    next_ = Raw(source);
}

}  // namespace ember
