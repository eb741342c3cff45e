// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routes of a plan, made step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/chain_mending.h"
#include "core/routing/engine.h"
#include "core/routing/measured_hops.h"
#include "core/routing/plan_progress.h"
#include "core/routing/proof_basis.h"
#include "core/routing/route_lanes.h"
#include "core/routing/run_scratch.h"
#include "core/routing/step_merge.h"
#include "core/routing/step_part.h"
#include "core/routing/verdict.h"

namespace ember {

/// Makes the routes of a plan: its steps one after the other, each by the alternative that is
/// chosen. For a step it shows the part of the subnet, measures hops, prepares tables, runs the
/// engine, and takes over what that made. In the end hops are those of the whole subnet.
///
/// An engine that fails ends the run with a reason, and so may those who judge the routes: the run
/// then goes on by MakeAnew(), Bridge() or TryNext(), as long as the plan has a way.
class RouteMaker {
public:
    /// All outlive it. Others leave them alone from Begin() until the routes are made or refused.
    struct Parts {
        PlanProgress& plan;
        MeasuredHops& hops;
        RouteLanes& lanes;
        ProofBasis& basis;
        ChainMending& chain;
        RunScratch& scratch;
    };
    struct Task {
        const Topology* topology = nullptr;
        Matrix<SwitchIndex, std::uint8_t> planned;
        Mended* mended = nullptr;  ///< Changes by mending are counted here.
        /// Not null: instead of the plan, the whole subnet by the last resort of this engine.
        RoutingEngine* safe = nullptr;
        /// `planned` holds an earlier routing of a plain plan, to be mended by an engine that can.
        bool mends = false;
    };

    /// `step_lfts`: Router::Memory has it.
    RouteMaker(const Parts& parts, std::span<std::uint8_t> step_lfts, const Limits& limits)
        : parts_(parts), step_lfts_(step_lfts), max_step_switches_(limits.max_step_switches) {}
    RouteMaker(const RouteMaker&) = delete;
    RouteMaker& operator=(const RouteMaker&) = delete;

    /// All that `task` shows stands still until the run has ended, and there is a switch.
    [[nodiscard]] Progress Begin(const Task& task);
    /// Does a slice. kDone: the routes are made, or reason() says why not.
    [[nodiscard]] Progress Advance();
    [[nodiscard]] RoutingReason reason() const { return reason_; }
    [[nodiscard]] Status status() const { return status_; }
    /// The complaint of the engine that failed.
    [[nodiscard]] EngineComplaint complaint() const;
    /// All steps have made their routes: they are being judged as a whole.
    [[nodiscard]] bool is_made() const { return is_made_; }
    /// The next Advance() measures hops.
    [[nodiscard]] bool measures_hops() const {
        return phase_ == Phase::kHops || phase_ == Phase::kWholeHops;
    }

    // After kDone: the routes are made in another way, from the next Advance() on.
    /// Routes were mended, and can all be made instead: of a plain plan by the same engine, unless
    /// it refused the subnet itself; of a chain from the first alternatives on.
    [[nodiscard]] bool MayMakeAnew(RoutingReason refusal) const;
    void MakeAnew();
    /// The engine was not yet asked to connect what its rules leave apart, or let wait in a circle.
    [[nodiscard]] bool MayBridge(RoutingReason refusal) const;
    void Bridge();
    /// Another alternative was chosen. Where a whole was refused all steps are run again, as a
    /// later one has written over an earlier.
    void TryNext();
    /// The engine of the step at work; nullptr: the board does not have it.
    [[nodiscard]] RoutingEngine* engine() const {
        return task_.safe != nullptr ? task_.safe : parts_.plan.Chosen(parts_.plan.at()).engine;
    }
    /// It is asked to mend, and can.
    [[nodiscard]] bool mends() const;
    /// What it took the subnet for; nothing, if the step had nothing to route.
    [[nodiscard]] EngineChoice choice() const {
        return is_idle_ ? EngineChoice{} : engine()->choice();
    }
    /// Offers an engine as many lanes as can be written and proved.
    void OfferLanes(RoutingTask& task) const;

private:
    static constexpr std::size_t kOctetsPerSlice = 1U << 20;  // Of forwarding tables, wiped.

    enum class Phase : std::uint8_t {
        kIdle,      ///< The step has nothing to route.
        kTooLarge,  ///< The step's part, for this board.
        kHops,
        kTables,  ///< Rows of tables are prepared for the engine.
        kBegin,   ///< The engine is about to begin.
        kEngine,
        kHopsAgain,  ///< The engine has ended, and spent the hops.
        kMerge,
        kWholeHops,
        kDone,
    };

    void StartStep();
    [[nodiscard]] bool IsTooLarge() const;
    void TakeTables();
    [[nodiscard]] MeasuredHops::Task HopTask() const;
    void StartHops();
    void StartEngine();
    void PrepareTables();
    void BeginEngine();
    void AdvanceEngine();
    [[nodiscard]] RoutingTask EngineTask();
    void EndEngine(Status status);
    void LeaveEngine();
    void Merge();
    void EndStep();
    void End(RoutingReason reason, Status status);

    [[nodiscard]] bool runs_plan() const { return task_.safe == nullptr; }
    [[nodiscard]] bool is_later_step() const { return runs_plan() && parts_.plan.at() > 0; }
    /// The step makes tables of its own, which are then taken over.
    [[nodiscard]] bool has_own_tables() const { return is_later_step() || parts_.chain.mends(); }
    [[nodiscard]] const SubnetPart* part() const {
        return runs_plan() ? parts_.plan.part() : nullptr;
    }
    [[nodiscard]] const EngineOptions& options() const {
        return runs_plan() ? parts_.plan.options() : *parts_.plan.plan().options;
    }

    Parts parts_;
    std::span<std::uint8_t> step_lfts_;
    std::size_t max_step_switches_;  ///< 0: no bound.
    Task task_;
    StepPart part_;
    StepMerge merge_;
    Mended ignored_;             ///< Counts by engines of steps; later steps may have the most.
    std::size_t step_mark_ = 0;  ///< Where scratch stands behind the step's part and tables.
    std::size_t next_ = 0;       ///< Row of tables to be prepared.
    Status engine_status_ = Status::kOk;  ///< With which it ended.
    RoutingReason reason_ = RoutingReason::kNone;
    Status status_ = Status::kOk;
    Phase phase_ = Phase::kDone;
    bool is_made_ = false;
    bool is_idle_ = false;
    bool is_too_large_ = false;
    bool mends_ = false;    ///< The engine of the step shall mend, if it can.
    bool bridges_ = false;  ///< It is asked for its last resort: RoutingPlan::bridges.
};

}  // namespace ember
