// SPDX-License-Identifier: Apache-2.0
// EmberSM: fat trees, every route through a common ancestor.

#include "engines/fat_tree/fat_tree.h"

#include <cstring>

#include "core/base/assert.h"

namespace ember {

Promise FatTree::promise(const EngineOptions& options) const {
    const bool reverses = options.order != Order::kBalanced && options.max_reverse_hops > 0 &&
                          options.tables.has_io_nodes;
    return {.deadlock_free = !reverses && !options.connect_roots, .all_switches = false};
}

bool FatTree::can_mend(const EngineOptions& options) const {
    return options.order == Order::kBalanced;
}

Status FatTree::Begin(const RoutingTask& task) {
    balanced_ = nullptr;
    is_choosing_ = false;
    if (task.options->order != Order::kBalanced) return Start(task);
    return StartBalanced(task);
}

Result<Progress> FatTree::Advance() {
    if (is_choosing_) return Choose();
    return balanced_ != nullptr ? balanced_->Advance() : DoSlice();
}

EngineChoice FatTree::choice() const {
    return balanced_ != nullptr ? balanced_->choice() : EngineChoice{};
}

EngineComplaint FatTree::complaint() const {
    if (balanced_ != nullptr) return balanced_->complaint();
    return stuck_.what != EngineFault::kNone ? stuck_ : plan_.complaint();
}

Status FatTree::Start(const RoutingTask& task) {
    EMBER_ASSERT(task.topology != nullptr && task.options != nullptr && task.scratch != nullptr);
    EMBER_ASSERT(task.tables.lfts.stride() > Raw(task.topology->top_lid()));
    task_ = task;
    phase_ = Phase::kPlan;
    stuck_ = {};
    return plan_.Begin(task);
}

Status FatTree::StartBalanced(const RoutingTask& task) {
    task_ = task;
    stuck_ = {};
    if (task.options->tables.has_roots) {
        balanced_ = &from_roots_;
        return from_roots_.Begin(task);
    }
    mark_ = task.scratch->used_bytes();
    rings_.Begin(task);
    is_choosing_ = true;
    return Status::kOk;
}

/// Levels are counted from the leaf switches where that is safe: roots are seldom named, and not
/// every broken tree shows them. Where that rule could close a ring, only counting from the roots
/// is free of credit loops.
Result<Progress> FatTree::Choose() {
    if (rings_.Advance() == Progress::kMore) return Progress::kMore;
    is_choosing_ = false;
    task_.scratch->Rewind(mark_);
    if (rings_.has_one()) {
        balanced_ = &from_roots_;
    } else {
        balanced_ = &from_leaves_;
    }
    const Status status = balanced_->Begin(task_);
    if (status != Status::kOk) return status;
    return Progress::kMore;
}

Result<Progress> FatTree::DoSlice() {
    switch (phase_) {
        case Phase::kPlan: {
            const Result<Progress> progress = plan_.Advance();
            if (!progress.ok()) return progress;
            if (progress.value() == Progress::kDone) StartWalking();
            break;
        }
        case Phase::kWalk:
            if (const Status status = Walk(); status != Status::kOk) return status;
            break;
        case Phase::kSort:
            SortColumns();
            break;
        case Phase::kFlush:
            Flush();
            break;
        case Phase::kConnect:
            ConnectRoots();
            break;
        case Phase::kDone:
            break;
    }
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

void FatTree::StartWalking() {
    Arena& scratch = *task_.scratch;
    const std::size_t switches = plan_.shape().switches().size();
    const std::size_t lids = Raw(task_.topology->top_lid()) + std::size_t{1};
    column_bytes_ = TreeWalk::ColumnBytes(switches);
    buffer_ = task_.hop_room->Spend().values();
    lids_ = scratch.Take<Lid>(ColumnsFor(buffer_.size(), column_bytes_, lids));
    sorted_ = scratch.Take<Slot>(lids_.size());
    walk_.Begin(plan_.shape(), scratch);
    collected_ = 0;
    next_leaf_ = 0;
    next_port_ = 1;
    slots_ = 0;
    next_host_ = 0;
    next_switch_ = 0;
    next_router_ = 0;
    is_walking_ = false;
    is_last_ = false;
    phase_ = Phase::kWalk;
}

Status FatTree::Walk() {
    std::size_t budget = kStepsPerSlice;
    while (budget > 0) {
        if (!is_walking_) {
            if (collected_ == lids_.size()) break;
            is_walking_ = StartNext();
            is_last_ = !is_walking_;
            if (is_last_) break;
            // To empty a column takes as long as a few steps.
            budget -= std::min(budget, column_bytes_ / 256);
        }
        is_walking_ = !walk_.Run(budget);
        if (walk_.is_stuck()) {
            stuck_.what = EngineFault::kTooManyWays;
            return Status::kAbsent;
        }
    }
    if (!is_walking_ && (is_last_ || collected_ == lids_.size())) phase_ = Phase::kSort;
    return Status::kOk;
}

bool FatTree::StartNext() {
    return StartSlot() || StartOtherHost() || StartSwitch() || StartRouter();
}

/// Starts on the next compute node of the leaf, or on a dummy in its place.
bool FatTree::StartSlot() {
    const Topology& topology = *task_.topology;
    for (; next_leaf_ < plan_.leaves().size(); ++next_leaf_) {
        const std::uint16_t leaf = plan_.leaves()[next_leaf_];
        const auto exits = topology.exits(plan_.shape().switches()[leaf].row);
        while (next_port_ < exits.size()) {
            const std::size_t port = next_port_++;
            const DestinationIndex at = exits[port].destination;
            if (at == kNoDestination) continue;
            if (plan_.hosts().host_class(at) != HostClass::kCompute) continue;
            ++slots_;
            StartRoute({.at = leaf, .exit = static_cast<std::uint8_t>(port)},
                       topology.destination(at).lid);
            return true;
        }
        if (slots_++ < plan_.slots_per_leaf()) {
            walk_.Start({.at = leaf, .is_dummy = true}, column(lids_.size()));
            return true;
        }
        next_port_ = 1;
        slots_ = 0;
    }
    return false;
}

bool FatTree::StartOtherHost() {
    const auto hosts = plan_.hosts().by_node();
    while (next_host_ < hosts.size()) {
        const DestinationIndex at = hosts[next_host_++];
        const Destination& host = task_.topology->destination(at);
        const HostClass host_class = plan_.hosts().host_class(at);
        if (host_class == HostClass::kCompute || !plan_.ranks().Has(host.at)) continue;
        const auto credit = static_cast<std::uint8_t>(
            std::min<std::uint16_t>(task_.options->max_reverse_hops, TreeWalk::kMostCredit));
        StartRoute({.at = plan_.shape().number(host.at),
                    .exit = Raw(host.port),
                    .credit = host_class == HostClass::kIo ? credit : std::uint8_t{0}},
                   host.lid);
        return true;
    }
    return false;
}

bool FatTree::StartSwitch() {
    const Topology& topology = *task_.topology;
    while (next_switch_ < topology.switches_by_guid().size()) {
        const SwitchIndex at = topology.switches_by_guid()[next_switch_++];
        const DestinationIndex own = topology.exits(at)[0].destination;
        if (!plan_.ranks().Has(at) || own == kNoDestination) continue;
        StartRoute({.at = plan_.shape().number(at), .is_switch = true},
                   topology.destination(own).lid);
        return true;
    }
    return false;
}

/// A router is reached as a host that neither computes nor serves input and output.
bool FatTree::StartRouter() {
    const auto by_guid = task_.topology->destinations_by_guid();
    while (next_router_ < by_guid.size()) {
        const Destination& router = task_.topology->destination(by_guid[next_router_++]);
        if (!router.is_router || router.at == kNoSwitch || !plan_.ranks().Has(router.at)) continue;
        StartRoute({.at = plan_.shape().number(router.at), .exit = Raw(router.port)}, router.lid);
        return true;
    }
    return false;
}

void FatTree::StartRoute(const TreeWalk::Target& target, Lid lid) {
    lids_[collected_] = lid;
    walk_.Start(target, column(collected_));
    ++collected_;
}

/// By LID, so that rows are written from front to back.
void FatTree::SortColumns() {
    const Arena::Frame frame(*task_.scratch);
    const auto keys = task_.scratch->Take<std::uint64_t>(collected_);
    for (std::size_t i = 0; i < collected_; ++i) {
        keys[i] = Raw(lids_[i]);
        sorted_[i] = static_cast<Slot>(i);
    }
    SortByKey(keys, sorted_.first(collected_), *task_.scratch);
    next_row_ = 0;
    phase_ = Phase::kFlush;
}

void FatTree::Flush() {
    const std::size_t switches = plan_.shape().switches().size();
    const std::size_t rows = std::max<std::size_t>(kOctetsPerSlice / (collected_ + 1), 1);
    const std::size_t end = next_row_ + (rows + 7) / 8 * 8;
    for (; next_row_ < std::min(end, switches); next_row_ += 8) {
        FlushRows(next_row_);
    }
    if (next_row_ < switches) return;
    collected_ = 0;
    next_row_ = 0;
    phase_ = !is_last_                      ? Phase::kWalk
             : task_.options->connect_roots ? Phase::kConnect
                                            : Phase::kDone;
}

/// Eight rows at a time: the octets of a word of each column.
void FatTree::FlushRows(std::size_t first) {
    const auto switches = plan_.shape().switches();
    const std::size_t count = std::min<std::size_t>(8, switches.size() - first);
    std::array<std::uint8_t*, 8> rows{};
    for (std::size_t i = 0; i < 8; ++i) {  // The last ones twice rather than a loop of any length.
        rows[i] = task_.tables.lfts[switches[first + std::min(i, count - 1)].row].data();
    }
    for (const Slot slot : sorted_.first(collected_)) {
        const std::size_t lid = Raw(lids_[Raw(slot)]);
        const std::uint8_t* const octets = &buffer_[Raw(slot) * column_bytes_ + first];
        std::array<std::uint8_t, 8> word{};
        std::memcpy(word.data(), octets, word.size());
        for (std::size_t i = 0; i < 8; ++i) {
            rows[i][lid] = word[std::min(i, count - 1)];
        }
    }
}

/// Switches above the leaves reach those they have no route to over the last leaf, if it has one.
void FatTree::ConnectRoots() {
    const Topology& topology = *task_.topology;
    const auto switches = plan_.shape().switches();
    const SwitchIndex last = switches[plan_.leaves().back()].row;
    const DestinationIndex last_own = topology.exits(last)[0].destination;
    const std::size_t step = std::max<std::size_t>(kPairsPerSlice / switches.size(), 1);
    const std::size_t end = std::min(next_row_ + step, switches.size());
    for (; next_row_ < end; ++next_row_) {
        const TreeSwitch& here = switches[next_row_];
        if (here.rank >= plan_.leaf_rank() || last_own == kNoDestination) continue;
        const auto row = task_.tables.lfts[here.row];
        const std::uint8_t exit = row[Raw(topology.destination(last_own).lid)];
        for (const TreeSwitch& there : switches) {
            const DestinationIndex own = topology.exits(there.row)[0].destination;
            if (own == kNoDestination) continue;
            const std::size_t lid = Raw(topology.destination(own).lid);
            if (row[lid] == kNoHops && task_.tables.lfts[last][lid] != kNoHops) row[lid] = exit;
        }
    }
    if (next_row_ == switches.size()) phase_ = Phase::kDone;
}

}  // namespace ember
