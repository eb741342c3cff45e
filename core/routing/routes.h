// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routes of the subnet: made, mended, kept or balanced.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/lft_arena.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/base/time.h"
#include "core/fabric/fabric.h"
#include "core/lanes/lane_key_notes.h"
#include "core/lanes/lane_trust.h"
#include "core/log/log.h"
#include "core/platform.h"
#include "core/routing/engine.h"
#include "core/routing/plan_maker.h"
#include "core/routing/route_notes.h"
#include "core/routing/router.h"
#include "core/settings/settings.h"

namespace ember {

/// Decides how routes are made: which engines are asked, whether routes in force are mended or made
/// anew, which resort is tried when every engine is refused, and when mended routes are balanced.
/// The router computes and proves; this class notes the results.
class Routes {
public:
    struct Memory {
        Router::Memory router;
        PlanMaker::Memory plan;
        std::span<std::uint8_t> planned;  ///< LFT arena: max_switches rows of LidStride().
    };
    /// All outlive it.
    struct Parts {
        const Fabric& fabric;
        Log& log;
        const Clock& work_clock;
        Arena& scratch;  ///< Not used by others from Begin() until Step() returns kDone.
    };
    using Lfts = Matrix<SwitchIndex, const std::uint8_t>;

    /// Why routes are made.
    struct Cause {
        SweepReason reason = SweepReason::kStart;
        bool is_first_sweep = false;  ///< As master: another SM may have routed meanwhile.
        bool is_targeted = false;     ///< Only changes since the last run have to be proved.
    };
    /// The next step after Step() has returned kDone.
    enum class End : std::uint8_t {
        kMore,     ///< Every engine was refused, and a resort is being tried: Step() again.
        kNothing,  ///< There is no switch.
        kProgram,  ///< planned() was proved.
        kRefused,  ///< planned() has the present tables without entries into dead links.
    };

    /// `settings` may change between two runs; see Configure(). `engines`: all that the board has.
    Routes(const Memory& memory, const Limits& limits, const Parts& parts, const Settings& settings,
           std::span<RoutingEngine* const> engines);
    Routes(const Routes&) = delete;
    Routes& operator=(const Routes&) = delete;

    /// `next` will be in force from now on instead of `before`.
    void Configure(const Settings& before, const Settings& next);
    /// Starts a run for a sweep. `fabric` does not change until the run has ended.
    void Begin(const Cause& cause, std::uint64_t now_us);
    /// Starts a run that makes all routes anew on the subnet as it is known.
    void BeginBalancing(std::uint64_t now_us);
    /// A millisecond of work, so that the management port is served in between.
    Progress Step();
    /// Takes the result of the run, and notes it. `programmed`: the tables that the switches have.
    [[nodiscard]] End Conclude(Lfts programmed, std::uint64_t now_us);
    /// The planned routes, if there are any, are programmed as far as switches answer.
    void Commit() { router_.Commit(); }
    /// The proof of several lanes, or of a fair share of links, counts on tables that switches may
    /// lack: the verdict is then a warning at best.
    void ObserveLaneFaults(const LaneFaults& faults) { router_.Lower(faults.lacking != 0); }
    /// The routes of BeginBalancing() are programmed.
    void EndBalancing() { is_mended_ = false; }
    /// Gives up a run under way.
    void Abandon();
    [[nodiscard]] bool is_done() const { return is_done_; }

    /// The last run was refused: planned() has no new routes.
    [[nodiscard]] bool is_refused() const { return resort_ == Resort::kDropping; }
    /// Routes were mended since they were last balanced.
    [[nodiscard]] bool is_mended() const { return is_mended_; }
    /// When mended routes are to be balanced; kNever: not.
    [[nodiscard]] std::uint64_t BalanceDueUs() const;
    /// See SubnetStatus::routed_as_configured.
    [[nodiscard]] bool is_as_configured() const { return is_as_configured_; }
    /// The switches' tables are the safe routing's.
    [[nodiscard]] bool is_safe_in_force() const { return is_safe_in_force_; }
    /// Time spent in the last run.
    [[nodiscard]] const RouteNotes::Work& work() const { return work_; }

    [[nodiscard]] const Router& router() const { return router_; }
    /// Row = switch, column = LID. After Conclude() said kProgram or kRefused.
    [[nodiscard]] Lfts planned() const { return planned_.read_only(); }
    /// Hops, if all routes of the last run are shortest ones in links; else nothing.
    [[nodiscard]] Lfts ShortestHops() const;
    [[nodiscard]] std::span<RoutingEngine* const> engines() const { return engines_; }

private:
    /// How a run treats the routes of before.
    enum class Manner : std::uint8_t { kAnew, kMends, kBalances };
    void Start(Manner manner, bool is_targeted, std::uint64_t now_us);
    void MakePlan();
    void LogPlan(std::uint64_t now_us);
    [[nodiscard]] bool MayMend(SweepReason reason) const;
    [[nodiscard]] bool TryNextResort(Lfts programmed);
    void RememberBalance(std::uint64_t now_us);
    void RememberSafety(std::uint64_t now_us);

    Parts parts_;
    const Settings& settings_;
    std::span<RoutingEngine* const> engines_;
    PlanMaker plan_;
    Router router_;
    RouteNotes notes_;
    LaneKeyNotes lane_notes_;
    LftArena planned_;
    std::uint32_t most_steps_;  ///< Limits::max_routing_steps.
    std::uint64_t began_us_ = 0;
    RouteNotes::Work work_;
    Resort resort_ = Resort::kNone;
    bool is_done_ = true;
    bool makes_plan_ = false;        ///< The router begins when the plan is made.
    Manner manner_ = Manner::kAnew;  ///< Of the run under way.
    bool is_targeted_ = false;       ///< Likewise.
    bool was_plan_logged_ = false;
    bool is_base_ = false;         ///< planned_ was made under these settings, and may be mended.
    std::uint32_t one_lanes_ = 0;  ///< SumOfOneLanes() for which they were made.
    bool is_mended_ = false;
    bool is_as_configured_ = false;
    bool is_safe_in_force_ = false;
    std::uint64_t mended_at_us_ = 0;  ///< Last time, while is_mended_.
};

}  // namespace ember
