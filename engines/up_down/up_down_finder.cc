// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits on legal paths, up first and then down.

#include "engines/up_down/up_down_finder.h"

#include <algorithm>

#include "core/base/assert.h"
#include "engines/spread/odd_link_names.h"

namespace ember {
namespace {

/// Why levels begin nowhere.
[[nodiscard]] EngineFault WithoutOrigins(UpDownRule rule) {
    return rule == UpDownRule::kFromRoots ? EngineFault::kNoRoots : EngineFault::kNoLeafSwitch;
}

}  // namespace

Status UpDownFinder::Begin(const RoutingTask& task) {
    EMBER_ASSERT(task.topology != nullptr && task.options != nullptr && task.scratch != nullptr);
    EMBER_ASSERT(task.hop_room != nullptr);
    EMBER_ASSERT(task.hops.stride() >= HopStride(task.topology->switch_bound()));
    task_ = task;
    complaint_ = {};
    search_ = Search::kNone;
    is_crowned_ = false;
    leaves_out_ = false;
    choice_ = {};
    levels_.Begin(task, rule_);
    phase_ = Phase::kLevels;
    return Status::kOk;
}

Result<Progress> UpDownFinder::Prepare() {
    switch (phase_) {
        case Phase::kLevels:
            if (levels_.Advance() == Progress::kMore) break;
            if (levels_.origin_count() == 0) {
                complaint_.what = WithoutOrigins(rule_);
                return Status::kAbsent;
            }
            mark_ = task_.scratch->used_bytes();
            phase_ = task_.last_resort ? Phase::kAgain : Phase::kChoice;
            break;
        case Phase::kChoice:
            if (const Status status = ChooseSearch(); status != Status::kOk) return status;
            phase_ = search_ == Search::kQueue ? Phase::kHops : Phase::kSearch;
            break;
        case Phase::kHops:
            TakeHops();
            StartQueue();
            phase_ = Phase::kSearch;
            break;
        case Phase::kSearch:
            if (SearchOn() == Progress::kDone) phase_ = AfterSearch();
            break;
        case Phase::kCheck:
            CheckQueue();
            break;
        case Phase::kAgain:
            StartCrowned();
            phase_ = Phase::kSearch;
            break;
        case Phase::kDone:
            break;
    }
    if (phase_ != Phase::kDone) return Progress::kMore;
    Choose();
    return Progress::kDone;
}

void UpDownFinder::Choose() {
    choice_ = {};
    choice_.assumed_roots = levels_.assumed_roots().count;
    choice_.assumed_root = levels_.assumed_roots().first;
    if (is_crowned_) choice_.bridge = task_.topology->switch_row(sweep_.first()).guid;
    if (!leaves_out_) return;
    choice_.shape = FabricShape::kTree;
    choice_.scheme = RoutingScheme::kLevelOrder;
    NameOddLinks(*task_.topology, levels_.odd_links(), choice_);
}

/// The phase after a search. OpenSM's result is not searched again.
UpDownFinder::Phase UpDownFinder::AfterSearch() const {
    if (is_crowned_ || !task_.is_balanced() || search_ == Search::kNone) return Phase::kDone;
    if (search_ == Search::kQueue) return Phase::kCheck;
    return sweep_.loses_pair() ? Phase::kAgain : Phase::kDone;
}

/// Checks some switches for lost pairs.
void UpDownFinder::CheckQueue() {
    const std::size_t bound = task_.topology->switch_bound();
    const std::size_t end = std::min(bound, next_ + kSwitchesPerSlice);
    for (; next_ < end; ++next_) {
        if (!LosesPair(static_cast<SwitchIndex>(next_))) continue;
        phase_ = Phase::kAgain;
        return;
    }
    if (next_ == bound) phase_ = Phase::kDone;
}

bool UpDownFinder::LosesPair(SwitchIndex here) const {
    const Topology& topology = *task_.topology;
    if (topology.IsMere(here)) return false;  // So is a hole.
    for (std::size_t to = 0; to < topology.switch_bound(); ++to) {
        if (hops_[here][to] != kNoHops || task_.hops[here][to] == kNoHops) continue;
        if (!topology.IsMere(static_cast<SwitchIndex>(to))) return true;
    }
    return false;
}

/// Roots that the operator names stay the roots. Without any, levels are counted anew, as suits a
/// broken fabric.
void UpDownFinder::StartCrowned() {
    task_.scratch->Rewind(mark_);
    const bool are_found = rule_ == UpDownRule::kFromRoots && !levels_.has_named_roots();
    if (are_found) levels_.Recount();
    is_crowned_ = true;
    search_ = Search::kSweep;
    StartSweep(false);
}

/// Where the result need not be OpenSM's, updn obeys its rule everywhere.
bool UpDownFinder::IsStrict() const {
    return rule_ == UpDownRule::kFromRoots && task_.is_balanced();
}

/// No turn is forbidden, and shortest paths do not depend on weights.
bool UpDownFinder::IsFree() const {
    return !IsStrict() && levels_.top() == 0 && levels_.reach_all() &&
           task_.options->tables.hop_weights.empty();
}

ExtraTurns TurnsOf(const EngineOptions& options, const Levels& levels, UpDownRule rule) {
    const bool by_roots = rule == UpDownRule::kFromRoots;
    const bool several = levels.origin_count() > 1 || !levels.has_named_roots();
    return {.free_roots = options.connect_roots && by_roots && several,
            .priced_turns = options.connect_roots && !by_roots};
}

/// Only the shortest paths that updn takes from the hop matrix are shortest by weight.
Status UpDownFinder::ChooseSearch() {
    const ExtraTurns turns = TurnsOf(*task_.options, levels_, rule_);
    const bool by_weight = turns.free_roots && !task_.options->tables.hop_weights.empty();
    const bool has_sides = !levels_.has_flat_link() || IsStrict() || !levels_.odd_links().empty();
    if (IsFree()) {
        search_ = Search::kNone;
        return free_.Begin(task_);
    }
    if (has_sides && !turns.priced_turns && !by_weight) {
        search_ = Search::kSweep;
        StartSweep(turns.free_roots);
        return Status::kOk;
    }
    return ChooseQueue();
}

Status UpDownFinder::ChooseQueue() {
    const std::size_t needed = QueueBytes(task_.topology->bounds()) + task_.kept_back;
    if (needed > task_.scratch->size_bytes() - task_.scratch->used_bytes()) {
        complaint_.what = EngineFault::kNoScratch;
        return Status::kFull;
    }
    search_ = Search::kQueue;
    return Status::kOk;
}

void UpDownFinder::StartQueue() {
    queue_.Begin({.task = task_,
                  .levels = &levels_,
                  .rule = rule_,
                  .turns = TurnsOf(*task_.options, levels_, rule_),
                  .hops = hops_,
                  .stops = false});
    next_ = 0;
}

void UpDownFinder::StartSweep(bool free_roots) {
    hops_ = task_.hop_room->Spend();
    leaves_out_ = !is_crowned_ && !free_roots && !levels_.odd_links().empty();
    std::span<std::uint64_t> ids;
    if (levels_.has_flat_link() || is_crowned_) {
        ids = task_.scratch->Take<std::uint64_t>(task_.topology->switch_bound());
        NumberSwitches(task_, ids);
    }
    sweep_.Begin({.task = task_,
                  .levels = &levels_,
                  .rule = rule_,
                  .free_roots = free_roots,
                  .ids = ids,
                  .crowned = is_crowned_,
                  .leaves_out_flat = leaves_out_,
                  .counts_losses = task_.is_balanced() && !is_crowned_,
                  .hops = hops_});
}

void UpDownFinder::TakeHops() {
    const std::size_t bound = task_.topology->switch_bound();
    hops_ = {task_.scratch->Take<std::uint8_t>(bound * HopStride(bound)), HopShape(bound)};
    for (std::size_t i = 0; i < bound; ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        const auto row = hops_[at];
        if (!task_.topology->Has(at)) std::fill(row.begin(), row.end(), kNoHops);
    }
}

Progress UpDownFinder::SearchOn() {
    // clang-format off
    switch (search_) {
        case Search::kSweep: return sweep_.Advance();
        case Search::kQueue: return queue_.Advance();
        case Search::kNone:  break;
    }
    // clang-format on
    return Progress::kDone;
}

Matrix<SwitchIndex, const std::uint8_t> UpDownFinder::hops() const {
    if (search_ == Search::kNone) return task_.hops;
    return hops_;
}

void UpDownFinder::Find(SwitchIndex here, std::size_t first, std::size_t words,
                        std::span<std::uint64_t> masks) const {
    // clang-format off
    switch (search_) {
        case Search::kNone:  free_.Find(here, first, words, masks);  break;
        case Search::kSweep: sweep_.Find(here, first, words, masks); break;
        case Search::kQueue: queue_.Find(here, first, words, masks); break;
    }
    // clang-format on
}

}  // namespace ember
