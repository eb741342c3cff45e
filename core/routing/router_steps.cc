// SPDX-License-Identifier: Apache-2.0
// EmberSM: the steps of a plan, one after the other.

#include <algorithm>

#include "core/base/assert.h"
#include "core/routing/router.h"

namespace ember {
namespace {

[[nodiscard]] bool HasEndPorts(const Topology& topology) {
    return std::any_of(topology.destinations().begin(), topology.destinations().end(),
                       [](const Destination& row) { return !row.is_switch(); });
}

}  // namespace

void Router::StartSteps() {
    if (topology_.switch_count() == 0) {
        lanes_.planned().Clear();
        Finish();
        return;
    }
    const std::size_t bound = topology_.switch_bound();
    EMBER_ASSERT(planned_.rows() >= bound);
    EMBER_ASSERT(planned_.stride() >= LftBlocks(topology_.top_lid()) * std::size_t{64});

    if (copies()) {
        StartCopying();
    } else {
        StartStep();
    }
}

/// Where the part has no end port the step is over at once: no engine is asked.
void Router::StartStep() {
    EMBER_ASSERT(!is_made_);
    if (LacksEngines()) return;
    scratch_.Rewind();
    if (mends_steps_ && Keeps(progress_.at())) {
        is_idle_ = true;
        phase_ = Phase::kEngine;
        return;
    }
    if (mends_steps_) mending_ = !balances_;
    is_too_large_ = IsTooLarge();
    if (is_too_large_) {  // RunEngine() refuses it.
        phase_ = Phase::kEngine;
        return;
    }
    ShowPart();
    is_idle_ = part() != nullptr && !HasEndPorts(part_topology_);
    if (is_idle_) {
        phase_ = Phase::kEngine;
        return;
    }
    TakeStepTables();
    step_mark_ = scratch_.arena().used_bytes();
    if (hops_.IsOf(part(), weights())) {
        StartEngine();
    } else {
        StartHops(part());
    }
}

/// A board without an arena for the tables of later steps makes them in scratch.
bool Router::IsTooLarge() const {
    if (max_step_switches_ == 0 || !is_later_step()) return false;
    return (part() == nullptr ? topology_.switch_bound() : CountSwitches(topology_, *part())) >
           max_step_switches_;
}

/// Makes the topology that the step's engine sees. An engine that fills tables of its own needs no
/// rows for the rest of the subnet.
void Router::ShowPart() {
    built_part_ = part();
    part_rows_ = {};
    if (part() == nullptr) return;
    if (is_later_step() || mends_steps_) {
        part_rows_ = BuildDensePart(topology_, *part(), scratch_.arena(), part_topology_);
    } else {
        BuildPart(topology_, *part(), scratch_.arena(), part_topology_);
    }
}

void Router::TakeStepTables() {
    if (!is_later_step() && !mends_steps_) {
        step_tables_ = planned_;
    } else if (max_step_switches_ == 0) {
        step_tables_ = {memory_.step_lfts, planned_.shape()};
    } else {
        const MatrixShape shape{.rows = present().switch_bound(),
                                .stride = LftBlocks(topology_.top_lid()) * std::size_t{64}};
        step_tables_ = {scratch_.arena().Take<std::uint8_t>(shape.rows * shape.stride), shape};
    }
}

/// Ends the run where the step has no alternative at all.
bool Router::LacksEngines() {
    if (!runs_plan() || !progress_.step().alternatives.empty()) return false;
    verdict_.outcome = RoutingOutcome::kRefused;
    verdict_.reason = RoutingReason::kNoEngine;
    Finish();
    return true;
}

/// Takes over a slice of what a later step made. Entries of the steps before stay where it has no
/// switch or no destination, and where its part does not lead from the one to the other: a packet
/// that enters the part where it does goes on inside it, so that no loop comes of this.
void Router::MergePart() {
    const std::size_t destinations = present().destinations().size();
    const std::size_t rows = std::max<std::size_t>(1, kOctetsPerSlice / (destinations + 1));
    const std::size_t end = std::min(present().switch_bound(), wiped_ + rows);
    for (; wiped_ < end; ++wiped_) {
        const auto at = static_cast<SwitchIndex>(wiped_);
        if (!present().Has(at)) continue;
        if (mends_steps_) {
            MergeBeneath(at);
        } else {
            MergeRow(at);
        }
    }
    if (wiped_ < present().switch_bound()) return;
    merges_ = false;
    EndStep();
}

void Router::MergeRow(SwitchIndex at) {
    const std::uint8_t path_bit = progress_.path_bit();
    const bool has_all = path_bit == Alternative::kAllPathBits;
    for (const Destination& row : present().destinations()) {
        if (row.at == kNoSwitch || hops()[at][Raw(row.at)] == kNoHops) continue;
        if (!has_all && path_bit >= row.lid_count()) continue;
        const std::size_t first = Raw(row.lid) + (has_all ? std::size_t{0} : path_bit);
        const auto made = step_tables_[at].subspan(first, has_all ? row.lid_count() : 1);
        std::copy(made.begin(), made.end(),
                  planned_[WholeRow(at)].begin() + static_cast<std::ptrdiff_t>(first));
    }
}

void Router::EndStep() {
    if (!runs_plan() || progress_.is_last()) {
        EndSteps();
        return;
    }
    progress_.GoTo(progress_.at() + 1);
    StartStep();
}

/// All routes are made. The whole is proved, with distances in the whole subnet.
void Router::EndSteps() {
    is_made_ = true;
    part_rows_ = {};
    if (hops_.IsOf(nullptr, weights())) {
        StartJudgement();
        return;
    }
    scratch_.Rewind();
    StartHops(nullptr);
}

}  // namespace ember
