// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes spread over equal exits by the load of links.

#include "engines/balance/balanced_builder.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

namespace {

constexpr std::uint32_t kNoReceiver = ~std::uint32_t{0};

constexpr std::size_t kAhead = 8;  // Rows asked for before they are written.

/// 2^16 over the golden ratio: any number of its multiples, modulo 2^16, is evenly distributed.
constexpr std::uint32_t kGolden = 40503;

}  // namespace

void BalancedBuilder::Begin(const RoutingTask& task, const ExitFinder& finder,
                            std::span<const SwitchIndex> rows) {
    EMBER_ASSERT(task.topology != nullptr && task.scratch != nullptr);
    EMBER_ASSERT(task.tables.lfts.stride() > Raw(task.topology->top_lid()));
    EMBER_ASSERT(rows.size() == task.topology->switch_bound());
    task_ = task;
    rows_ = rows;
    cycle_ = 0;
    exits_ = {};
    next_here_ = 0;
    link_loads_.Begin(task, finder.hops());
    block_.Begin(task, finder);
    Go(Phase::kLeaves);
}

Progress BalancedBuilder::Advance() {
    switch (phase_) {
        case Phase::kLeaves:
            if (link_loads_.Advance() == Progress::kMore) return Progress::kMore;
            Prepare();
            Go(Phase::kAssign);
            return Progress::kMore;
        case Phase::kAssign:
            if (AssignNext()) Go(Phase::kSwitches);
            return Progress::kMore;
        case Phase::kSwitches:
            if (!RouteToOthers()) return Progress::kMore;
            task_.scratch->Rewind(mark_);
            search_.Begin(link_loads_, block_, tree_load_, *task_.scratch);
            Go(Phase::kSearch);
            return Progress::kMore;
        case Phase::kSearch:
            if (search_.Advance() == Progress::kDone) Go(Phase::kSettle);
            return Progress::kMore;
        case Phase::kSettle:
            if (!Settle()) return Progress::kMore;
            if (task_.topology->top_lmc() == 0) return Progress::kDone;
            task_.scratch->Rewind(mark_);
            further_.Begin(link_loads_, block_, rows_, *task_.scratch);
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
    tree_load_ = RegularTreeLoad(link_loads_, scratch);
    receiver_of_ = scratch.Take<std::uint32_t>(bound);
    turn_ = scratch.Take<std::uint32_t>(bound);
    done_blocks_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(bound)));
    row_ = scratch.Take<std::uint8_t>(link_loads_.receivers().size());
    settled_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(bound)));
    source_of_ = scratch.Take<SwitchIndex>(bound);
    for (std::size_t i = 0; i < bound; ++i) {
        source_of_[Raw(rows_[i])] = static_cast<SwitchIndex>(i);
    }
    std::fill(receiver_of_.begin(), receiver_of_.end(), kNoReceiver);
    for (std::size_t i = link_loads_.end_receiver_count(); i < link_loads_.switch_receivers_end();
         ++i) {
        receiver_of_[Raw(link_loads_.receivers()[i].at)] = static_cast<std::uint32_t>(i);
    }
    // An end port without a turn stands for its switch where that has no LID, as LIDs are short.
    for (std::size_t i = link_loads_.switch_receivers_end(); i < link_loads_.receivers().size();
         ++i) {
        std::uint32_t& receiver = receiver_of_[Raw(link_loads_.receivers()[i].at)];
        if (receiver == kNoReceiver) receiver = static_cast<std::uint32_t>(i);
    }
    std::uint32_t rank = 0;
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        turn_[Raw(at)] = rank++ * kGolden & 0xFFFF;
    }
    mark_ = scratch.used_bytes();
    assignment_.Begin(link_loads_, block_, tree_load_ != 0, scratch);
}

/// Assigns exits for the next leaf. True when there is none.
bool BalancedBuilder::AssignNext() {
    if (next_ == link_loads_.leaves().size()) {
        assignment_.End();
        return true;
    }
    if (Load(link_loads_.leaves()[next_].at)) assignment_.Assign(next_++);
    return false;
}

/// Routes to the switches of the next block without a leaf switch. True when there is none.
bool BalancedBuilder::RouteToOthers() {
    const std::size_t blocks = (task_.topology->switch_bound() + kColumns - 1) / kColumns;
    while (next_ < blocks && done_blocks_.Has(next_)) {
        ++next_;
    }
    if (next_ == blocks) return true;
    if (Load(static_cast<SwitchIndex>(next_ * kColumns))) ++next_;
    return false;
}

/// Loads the block of a switch. Loading is expensive: so all routes to the switches of a block are
/// made when it is loaded for the first time. True when it is done.
bool BalancedBuilder::Load(SwitchIndex to) {
    if (block_.Load(to) == Progress::kMore) return false;
    const std::size_t block = Raw(to) / kColumns;
    if (done_blocks_.Has(block)) return true;
    const std::size_t bound = task_.topology->switch_bound();
    const std::size_t end = std::min(bound, next_here_ + kSwitchesPerSlice);
    const std::uint32_t receiver = receiver_of_[block * kColumns];
    const std::size_t first = receiver == kNoReceiver ? 0 : receiver;
    for (; next_here_ < end; ++next_here_) {
        const auto here = static_cast<SwitchIndex>(next_here_);
        const auto soon = static_cast<SwitchIndex>(std::min(next_here_ + kAhead, bound - 1));
        __builtin_prefetch(task_.tables.lfts[soon].data() + first, 1);
        if (task_.topology->Has(here)) RouteToSwitches(here, block * kColumns);
    }
    if (next_here_ < bound) return false;
    next_here_ = 0;
    done_blocks_.Add(block);
    return true;
}

void BalancedBuilder::RouteToSwitches(SwitchIndex here, std::size_t first) {
    const auto row = task_.tables.lfts[here];
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

/// Brings rows to their places, cycle by cycle of the permutation, and their octets from the order
/// of receivers into that of LIDs. True when it is done.
bool BalancedBuilder::Settle() {
    const std::size_t bound = task_.topology->switch_bound();
    for (std::size_t i = 0; i < kRowsPerSlice; ++i) {
        if (next_ == cycle_) {
            FindCycle();
            if (cycle_ == bound) return true;
        }
        SettleRow();
    }
    return false;
}

/// The next cycle begins at the first row that is not settled.
void BalancedBuilder::FindCycle() {
    const std::size_t bound = task_.topology->switch_bound();
    while (cycle_ < bound && settled_.Has(cycle_)) {
        ++cycle_;
    }
    next_ = cycle_;
}

/// Fills a row whose content has been used; that of the first row of a cycle is set aside before.
void BalancedBuilder::SettleRow() {
    const auto receivers = link_loads_.receivers();
    const auto row = task_.tables.lfts[static_cast<SwitchIndex>(next_)];
    if (next_ == cycle_) std::copy_n(row.begin(), receivers.size(), row_.begin());
    const SwitchIndex source = source_of_[next_];
    const bool is_last = Raw(source) == cycle_;
    const std::span<const std::uint8_t> from = is_last ? row_ : task_.tables.lfts[source];
    std::fill_n(row.begin(), receivers.size(), kNoHops);
    const std::size_t end = link_loads_.switch_receivers_end();
    for (std::size_t i = 0; i < end; ++i) {
        row[Raw(receivers[i].lid)] = from[i];
    }
    // A receiver without a turn is reached as its switch is.
    for (const Receiver& receiver : receivers.subspan(end)) {
        const bool is_here = Raw(rows_[Raw(receiver.at)]) == next_;
        const std::uint32_t as = receiver_of_[Raw(receiver.at)];
        if (is_here) {
            row[Raw(receiver.lid)] = Raw(receiver.port);
        } else if (as != kNoReceiver) {
            row[Raw(receiver.lid)] = from[as];
        }
    }
    settled_.Add(next_);
    next_ = Raw(source);
}

}  // namespace ember
