// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a known subnet to forwarding tables that are proved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/dependencies.h"
#include "core/graph/proved_routes.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"
#include "core/routing/chain_mending.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"
#include "core/routing/home_row.h"
#include "core/routing/kept_tables.h"
#include "core/routing/measured_hops.h"
#include "core/routing/option_check.h"
#include "core/routing/plan_progress.h"
#include "core/routing/proof_basis.h"
#include "core/routing/proved_subnet.h"
#include "core/routing/route_lanes.h"
#include "core/routing/route_maker.h"
#include "core/routing/route_proof.h"
#include "core/routing/routing_scratch.h"
#include "core/routing/run_scratch.h"
#include "core/routing/step_lanes.h"
#include "core/routing/verdict.h"

namespace ember {

/// How much of a mended routing is looked at.
enum class ProofScope : std::uint8_t {
    kWhole,  ///< Everything, whatever was proved before.
    /// The changes since the last run, where they are known to be enough; else everything.
    kChanges,
};

/// Runs the engines of a plan over a subnet that stands still, in short slices, until they make a
/// routing that the verifier lets pass.
///
/// A lost pair or a loop is never let pass. A possible credit loop is refused when the engines
/// promise to have none or RoutingPlan::require_deadlock_free is on, and else passed with the cycle
/// in the verdict, for a loud warning. An engine that fails is followed by the next alternative of
/// its step, and only by those. When the whole is refused, the last step that has an alternative
/// left takes it, and all steps are run again. A fallback does not trade safety away: if the first
/// alternatives promise to have no credit loop, none is let pass from later ones.
///
/// When all were refused, three further runs may be asked for, each of which adds to the verdict:
/// whether the tables that the switches have would do (BeginKeeping()), the safest routing there is
/// (BeginSafe()), and what is left of the tables without entries that lead into dead links
/// (BeginDropping()).
class Router {
public:
    /// The phases, by name for benchmarks.
    enum class Phase : std::uint8_t {
        kIdle,
        kTopology,
        kOptions,
        kHops,
        kEngine,
        kHome,
        kLanes,
        kVerifier,
        kDone,
    };

    struct Memory {
        std::span<std::uint8_t> hops;  ///< HopBytes(limits) octets.
        // Memory that a proof leaves to the next one. Without it every routing is proved as a
        // whole; so is one of several lanes whose graph has no room there.
        std::span<std::uint64_t> dependencies =
            {};                            ///< DependencyGraph::Words() of one lane, or none.
        ProvedSubnet::Memory proved = {};  ///< None if `dependencies` is none.
        /// Where a step but the first makes its tables: as many octets as the planned ones, or none
        /// without HasStepArena(). An engine may use all of the tables that it is given.
        std::span<std::uint8_t> step_lfts = {};
        // For routings of several lanes; a half each is for what is planned and programmed.
        std::span<std::uint8_t> path_sl = {};    ///< 2 * Limits::path_sl_bytes octets, or none.
        std::span<std::uint64_t> lane_map = {};  ///< As many words for Limits::lane_map_bytes.
    };

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits,
                                                            const EngineBytes& engines) {
        return RoutingScratchBytes(limits, engines);
    }

    Router(const Memory& memory, const Limits& limits);
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;

    /// Starts a run; a run under way is given up. All that `fabric`, `plan` and `planned` show
    /// stands still and `scratch` is left alone until Advance() says kDone. `plan` has at most
    /// Limits::max_routing_steps steps; one without an alternative refuses, and so does a later one
    /// of more than Limits::max_step_switches. `scratch` is used from where it stands and rewound
    /// to there. `planned`: row = switch, column = LID, at least to the end of the top LID's block
    /// of 64; columns beyond that block are left as they are.
    void Begin(const Fabric& fabric, const RoutingPlan& plan,
               Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch);

    /// As Begin(), but `planned` holds an earlier routing and entries that may stay shall: engines
    /// that can mend do. If the mended tables are refused, all routes are made anew, those of a
    /// plain plan by the same engine.
    ///
    /// Of a chain of several steps each is mended by itself, if HasStepArena(). Steps whose part is
    /// as it was in the last run stay as they are: their engines are not asked, and `planned` is,
    /// entry for entry, what that run had.
    void BeginMending(const Fabric& fabric, const RoutingPlan& plan,
                      Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch);
    /// As BeginMending() and ProveChangesOnly() for a chain, but the steps that were mended since
    /// their routes were last made anew make them anew, and only these. Another plan is run anew.
    void BeginBalancing(const Fabric& fabric, const RoutingPlan& plan,
                        Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch);
    /// After BeginMending(), before the first Advance(): what is mended need not be proved as a
    /// whole. `planned` and `plan` are, entry for entry, what the last run had, if that ended with
    /// may_program(): no other code wrote there.
    void ProveChangesOnly();

    /// After a run that refused every engine, and with what that was given: starts another that
    /// looks whether `tables`, which the switches have, still are a routing of this subnet. Its
    /// verdict adds to the one before. Columns of LIDs that no port has drop. `tables` stands
    /// still too.
    void BeginKeeping(Matrix<SwitchIndex, const std::uint8_t> tables);

    /// Likewise, but starts one in which `engine`, whose Promise::last_resort says that it can,
    /// makes the safest routing that it knows. Passed only if no pair is lost and no credit loop
    /// is possible.
    void BeginSafe(RoutingEngine& engine);

    /// Likewise. `planned` becomes `tables` without entries into dead links; nothing is proved, and
    /// the verdict stays a refusal. An entry that drops closes no loop.
    void BeginDropping(Matrix<SwitchIndex, const std::uint8_t> tables);

    /// Gives up a run under way, if there is one, and what it took of its arena.
    void Stop();

    /// After a run: the switches have what is planned, so programmed_lanes() is that from now on.
    /// Copies what the lanes take, nothing for a routing of one lane.
    void Commit() {
        lanes_.Commit();
        basis_.Commit();
    }

    /// After a run: switches lack tables on which its routing relies, or do not any more. A
    /// verified routing becomes one with a warning, and back.
    void Lower(bool is_lowered) { verdict_.Lower(is_lowered); }

    /// Does one slice, about a millisecond at most. kDone: verdict() holds, and if that says
    /// may_program(), `planned` is the routing; else what is in it is of no use.
    [[nodiscard]] Progress Advance();

    /// The phase that the next Advance() will work on.
    [[nodiscard]] Phase phase() const {
        const bool makes = phase_ == Phase::kEngine && !copies();
        return makes && maker_.measures_hops() ? Phase::kHops : phase_;
    }
    [[nodiscard]] const Verdict& verdict() const { return verdict_; }
    /// Of the last run. Its steps are as long there as they were promised to be.
    [[nodiscard]] const RoutingPlan& plan() const { return progress_.plan(); }
    /// Runs begun, resorts too: engines are free between two of the same number.
    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    /// When the verdict says proved_changes_only, and until the scratch arena is used again: no
    /// entry of `planned` was written but these.
    [[nodiscard]] std::span<const ChangeLog::Entry> changed_entries() const {
        return basis_.log().entries();
    }
    /// The dependencies of end ports' traffic in the routing of the last run; after mending perhaps
    /// more. nullptr: it was not kept, or `topology` is not that of the run.
    [[nodiscard]] const DependencyGraph* KeptDependencies(const Topology& topology) const;
    /// The proof of `planned` by the last run; empty if a credit loop is possible. Until the
    /// scratch arena is used again, or Commit().
    [[nodiscard]] const ProvedRoutes& proved_routes() const { return proved_routes_; }
    /// The lanes of the routing that the last run planned, as `planned` has its LFTs.
    [[nodiscard]] const RoutingLanes& planned_lanes() const { return lanes_.planned(); }
    /// The lanes of the routing that the switches have: what a path is told to have must fit them.
    [[nodiscard]] const RoutingLanes& programmed_lanes() const { return lanes_.programmed(); }
    /// Names in option files that the subnet of the last run lacks.
    [[nodiscard]] const OptionReport& option_report() const { return option_check_.report(); }
    /// Least hops between two switches, of the last run: cables, or what hop_weights_file counts.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const { return hops_.hops(); }

private:
    using Tables = Matrix<SwitchIndex, std::uint8_t>;
    /// Whose tables a run is about.
    enum class Mode : std::uint8_t { kEngines, kSafe, kKeeping, kDropping };

    [[nodiscard]] bool at_work() const { return phase_ != Phase::kIdle && phase_ != Phase::kDone; }
    void Start();
    void StartResort(Mode mode);
    void BuildTopology();
    void StudyChanges();
    void CheckOptions();
    void StartRoutes();
    void MakeRoutes();
    void FollowMaker(Progress progress);
    void CopyTables();
    void StartHome();
    void StartLanes();
    [[nodiscard]] bool LaysLanes();
    void MakeLanes();
    void StartProof();
    void Judge();
    void Accept(RoutingOutcome outcome);
    void KeepBasis();
    void Refuse(RoutingReason reason, Status status);
    [[nodiscard]] EngineComplaint ComplaintFor(RoutingReason reason) const;
    void NoteAttempt(std::size_t step, const EngineComplaint& complaint);
    void Finish();

    [[nodiscard]] bool runs_plan() const { return mode_ == Mode::kEngines; }
    [[nodiscard]] bool copies() const {
        return mode_ == Mode::kKeeping || mode_ == Mode::kDropping;
    }
    /// The promise under which the present routes were made. Options cost the last resort nothing.
    [[nodiscard]] Promise promise() const {
        if (mode_ == Mode::kSafe) return {.deadlock_free = true, .all_switches = false};
        return progress_.ChosenPromise();
    }

    std::size_t max_steps_;
    bool mends_chains_;  ///< The board has an arena for the tables of steps.
    const Fabric* fabric_ = nullptr;
    PlanProgress progress_;
    Tables planned_;
    RunScratch scratch_;
    Topology topology_;
    OptionCheck option_check_;
    MeasuredHops hops_;
    RouteLanes lanes_;
    ProofBasis basis_;
    ChainMending chain_;
    RouteMaker maker_;
    HomeRow home_row_;
    StepLanes step_lanes_;
    RouteProof proof_;
    ProvedRoutes proved_routes_;
    KeptTables kept_;
    Matrix<SwitchIndex, const std::uint8_t> tables_;  ///< The tables that may be kept.
    RoutingEngine* safe_ = nullptr;                   ///< Of the mode kSafe.
    Mode mode_ = Mode::kEngines;
    ProofScope scope_ = ProofScope::kWhole;
    bool mends_ = false;  ///< A plain plan mends the routes of before.
    bool topology_begun_ = false;
    Phase phase_ = Phase::kIdle;
    std::uint64_t runs_ = 0;
    Verdict verdict_;
};

}  // namespace ember
