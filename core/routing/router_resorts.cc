// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is left when every engine was refused.

#include <algorithm>

#include "core/base/assert.h"
#include "core/routing/router.h"

namespace ember {

/// The verdict is about this run now, but for the tries of before.
void Router::StartResort(Mode mode) {
    EMBER_ASSERT(phase_ == Phase::kDone && !plan().steps[0].alternatives.empty());
    Start();
    mode_ = mode;
    verdict_.BeginResort();
}

void Router::BeginKeeping(Matrix<SwitchIndex, const std::uint8_t> tables) {
    StartResort(Mode::kKeeping);
    tables_ = tables;
}

void Router::BeginSafe(RoutingEngine& engine) {
    EMBER_ASSERT(engine.promise(*plan().options).last_resort);
    StartResort(Mode::kSafe);
    safe_ = &engine;
}

/// Findings against the last tables that were judged stay in the verdict.
void Router::BeginDropping(Matrix<SwitchIndex, const std::uint8_t> tables) {
    EMBER_ASSERT(phase_ == Phase::kDone && !plan().steps[0].alternatives.empty());
    Start();
    mode_ = Mode::kDropping;
    tables_ = tables;
}

/// Which columns are of LIDs that a port has.
void Router::MarkOwned() {
    owned_ = scratch_->Take<bool>(LftBlocks(topology_.top_lid()) * std::size_t{64});
    for (const Destination& destination : topology_.destinations()) {
        const auto lids = owned_.subspan(Raw(destination.lid), destination.lid_count());
        std::fill(lids.begin(), lids.end(), true);
    }
}

/// The row drops everything so far. No node is behind a dead link, or behind a port that the switch
/// has not.
void Router::CopyRow(SwitchIndex at) {
    const auto exits = topology_.exits(at);
    const auto leads_to_somebody = [&](std::uint8_t port) {
        if (port >= exits.size()) return false;
        const Exit& exit = exits[port];
        return port == 0 || exit.peer != kNoSwitch || exit.destination != kNoDestination;
    };
    const auto row = planned_[at];
    for (std::size_t lid = 0; lid < owned_.size(); ++lid) {
        const std::uint8_t port = tables_[at][lid];
        const bool stays = mode_ == Mode::kKeeping || leads_to_somebody(port);
        if (owned_[lid] && stays) row[lid] = port;
    }
}

void Router::EndCopying() {
    if (mode_ == Mode::kKeeping) {
        planned_lanes_.Copy(programmed_lanes_);
        SetLevels();
        StartVerifier();
        return;
    }
    verdict_.outcome = RoutingOutcome::kRefused;
    Finish();
}

void Router::JudgeKept() {
    verdict_.findings = verifier_.findings();
    verdict_.outcome = MayKeepTables(Terms(), verdict_.findings) ? RoutingOutcome::kKept
                                                                 : RoutingOutcome::kRefused;
    Finish();
}

}  // namespace ember
