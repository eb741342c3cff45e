// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a known subnet to forwarding tables that are proved.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/static_vector.h"
#include "core/base/table.h"
#include "core/graph/dependencies.h"
#include "core/graph/hops.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"
#include "core/routing/home_column.h"
#include "core/routing/home_row.h"
#include "core/routing/hop_patch.h"
#include "core/routing/mend_proof.h"
#include "core/routing/option_check.h"
#include "core/routing/proved_subnet.h"
#include "core/routing/verifier.h"
#include "core/settings.h"

namespace ember {

/// How a routing run, or one engine's try at it, ended.
enum class RoutingOutcome : std::uint8_t {
    kNothingToRoute,  ///< No switch in the subnet: two end ports back to back.
    kVerified,        ///< Proved: every pair reached, no loop, no credit loop among end ports.
    kWarned,   ///< As above, but a credit loop is possible; the engine promises nothing else.
    kSafe,     ///< Every engine was refused; the safe routing is proved, free of credit loops.
    kKept,     ///< Every engine was refused; the switches' own tables pass, and stay.
    kRefused,  ///< Must not be programmed; RoutingReason tells why.
};

/// Why a routing was refused.
enum class RoutingReason : std::uint8_t {
    kNone,
    kNoEngine,        ///< The list of engines is empty.
    kEngineAbsent,    ///< It is configured, and this board has not got it.
    kEngineFailed,    ///< The engine cannot route this fabric; `status` is its word.
    kLostPair,        ///< Findings::at does not reach Findings::lid.
    kLoop,            ///< Packets to Findings::lid run in a circle.
    kNotShortest,     ///< The engine promised shortest paths and broke it.
    kCreditLoop,      ///< Findings::cycle, and the engine promises, or the operator demands, none.
    kUnsafeFallback,  ///< Findings::cycle, and the first engine of the list promises none.
};

/// One engine's try.
struct RoutingAttempt {
    std::string_view engine;
    RoutingOutcome outcome = RoutingOutcome::kRefused;
    RoutingReason reason = RoutingReason::kNone;
    Status status = Status::kOk;
    EngineComplaint complaint;  ///< Of kEngineFailed.
    Guid at = kNoGuid;          ///< Of kLostPair and kLoop: as in Findings.
    Lid lid = kNoLid;           ///< Likewise.
    Guid port_guid = kNoGuid;   ///< Likewise.
};

/// How it ended. The engine that counts is the last one tried; those before it were refused.
struct Verdict {
    static constexpr std::size_t kMaxAttempts = kMaxEngines + 1;

    RoutingOutcome outcome = RoutingOutcome::kNothingToRoute;
    RoutingReason reason = RoutingReason::kNone;
    Status status = Status::kOk;
    std::string_view engine;  ///< Empty: none was tried, or the tables were kept.
    Findings findings;        ///< Of the engine that counts.
    /// In order, the last one included, and the safe routing if it was tried.
    StaticVector<RoutingAttempt, kMaxAttempts> attempts;

    bool was_mended = false;      ///< The engine changed `mended` entries; all others stayed.
    bool mending_failed = false;  ///< It was tried, and an engine had to make all routes anew.
    Mended mended;
    /// The proof went on from that of the run before: only what changed was looked at, and what
    /// `findings` counts was counted by the last proof that looked at everything.
    bool proved_changes_only = false;

    /// The planned tables may be sent to the switches.
    [[nodiscard]] bool may_program() const {
        return outcome == RoutingOutcome::kVerified || outcome == RoutingOutcome::kWarned ||
               outcome == RoutingOutcome::kSafe || outcome == RoutingOutcome::kKept;
    }
};

/// What the greediest engine takes from the scratch arena.
struct EngineBytes {
    std::size_t making = 0;   ///< To make all routes anew.
    std::size_t mending = 0;  ///< To mend some.
};

/// What Verdict calls the routing of BeginSafe(), whatever engine makes it.
inline constexpr std::string_view kSafeRoutingWord = "safe";

/// How much of a mended routing is looked at.
enum class ProofScope : std::uint8_t {
    kWhole,  ///< Everything, whatever was proved before.
    /// What changed since the last run, where that is known to be enough; else everything.
    kChanges,
};

/// Runs the configured engines over a subnet that stands still, in short slices, until one makes a
/// routing that the verifier lets pass.
///
/// A lost pair or a loop is never let pass. A possible credit loop is refused when the engine
/// promises to have none or Settings::require_deadlock_free is on, and else passed with the cycle
/// in the verdict, for a loud warning. A refused engine is followed by the next one in the list,
/// and only by those. A fallback does not trade safety away: if the first engine promises to have
/// no credit loop, none is let pass from a later one.
///
/// When all were refused, three further runs may be asked for, each of which adds to the verdict:
/// whether the tables that the switches have would do (BeginKeeping()), the safest routing there is
/// (BeginSafe()), and what is left of the tables without entries that lead into dead links
/// (BeginDropping()).
class Router {
public:
    /// Names of the phases, for whoever measures them.
    enum class Phase : std::uint8_t {
        kIdle,
        kTopology,
        kOptions,
        kHops,
        kEngine,
        kHome,
        kVerifier,
        kDone,
    };

    struct Memory {
        std::span<std::uint8_t> hops;  ///< HopBytes(limits) octets.
        // What a proof leaves for the next one. Without it every routing is proved as a whole.
        std::span<std::uint64_t> dependencies = {};  ///< DependencyGraph::Words(limits), or none.
        ProvedSubnet::Memory proved = {};            ///< None if `dependencies` is none.
        // For routings of several lanes; a half each is for what is planned and programmed.
        std::span<std::uint8_t> path_sl = {};    ///< 2 * Limits::path_sl_bytes octets, or none.
        std::span<std::uint64_t> lane_map = {};  ///< As many words for Limits::lane_map_bytes.
    };

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits,
                                                            const EngineBytes& engines) {
        const std::size_t changes = Arena::BytesFor<CableChange>(kMostChanges) +
                                    SwitchPairs::ScratchBytes(limits) +
                                    ChangeLog::ScratchBytes(limits);
        return Topology::ScratchBytes(limits) +
               std::max({HopMeter::ScratchBytes(limits), engines.making,
                         Arena::BytesFor<bool>(LidStride(limits)),
                         changes + HomeColumn::ScratchBytes(limits),
                         changes + HomeRow::ScratchBytes(limits),
                         changes + HopPatch::ScratchBytes(limits), changes + engines.mending,
                         changes + HopMeter::ScratchBytes(limits),
                         changes + MendProof::ScratchBytes(limits),
                         changes + Verifier::ScratchBytes(limits)});
    }

    Router(const Memory& memory, const Limits& limits);
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;

    /// Starts a run; a run under way is given up. A nullptr among the engines stands for one that
    /// Settings::routing_engine names at this place and the board has not got. `fabric`,
    /// `settings`, `engines` and `planned` must stand still and `scratch` be left alone until
    /// Advance() says kDone. `scratch` is used from where it stands and rewound to there.
    /// `planned`: row = switch, column = LID, at least to the end of the top LID's block of 64;
    /// columns beyond that block are left as they are.
    void Begin(const Fabric& fabric,
               const Settings& settings,
               std::span<RoutingEngine* const> engines,
               Matrix<SwitchIndex, std::uint8_t> planned,
               Arena& scratch);

    /// As Begin(), but `planned` holds an earlier routing and entries that may stay shall: engines
    /// that can mend do. If the mended tables are refused, the same engine makes all routes anew.
    void BeginMending(const Fabric& fabric,
                      const Settings& settings,
                      std::span<RoutingEngine* const> engines,
                      Matrix<SwitchIndex, std::uint8_t> planned,
                      Arena& scratch);
    /// After BeginMending(), before the first Advance(): what is mended need not be proved as a
    /// whole. `planned` and `settings` are, entry for entry, what the last run had, if that ended
    /// with may_program(); nobody else wrote there.
    void ProveChangesOnly();

    /// After a run that refused every engine, and with what that was given: starts another that
    /// looks whether `tables`, which the switches have, still are a routing of this subnet. Its
    /// verdict adds to the one before. Columns that belong to nobody drop. `tables` stands still
    /// too.
    void BeginKeeping(Matrix<SwitchIndex, const std::uint8_t> tables);

    /// Likewise, but starts one in which `engine`, whose Promise::last_resort says that it can,
    /// makes the safest routing that it knows. Passed only if no pair is lost and no credit loop
    /// is possible.
    void BeginSafe(RoutingEngine& engine);

    /// Likewise. `planned` becomes `tables` without entries that lead to nobody; nothing is proved,
    /// and the verdict stays a refusal. To drop closes no circle.
    void BeginDropping(Matrix<SwitchIndex, const std::uint8_t> tables);

    /// Gives up a run under way, if there is one, and what it took of its arena.
    void Stop();

    /// After a run: the switches have what is planned, so programmed_lanes() is that from now on.
    /// Copies what the lanes take, nothing for a routing of one lane.
    void Commit() { programmed_lanes_.Copy(planned_lanes_); }

    /// Does one slice, about a millisecond at most. kDone: verdict() holds, and if that says
    /// may_program(), `planned` is the routing; else what is in it is of no use.
    [[nodiscard]] Progress Advance();

    /// What the next Advance() will work on.
    [[nodiscard]] Phase phase() const { return phase_; }
    [[nodiscard]] const Verdict& verdict() const { return verdict_; }
    /// When the verdict says proved_changes_only, and until the scratch arena is used again: no
    /// entry of `planned` was written but these.
    [[nodiscard]] std::span<const ChangeLog::Entry> changed_entries() const {
        return log_.entries();
    }
    /// Those of the routing that the last run planned, as `planned` has its LFTs.
    [[nodiscard]] const RoutingLanes& planned_lanes() const { return planned_lanes_; }
    /// Those of the routing that the switches have: what a path is told to have must fit it.
    [[nodiscard]] const RoutingLanes& programmed_lanes() const { return programmed_lanes_; }
    /// What option files name that is not in the subnet of the last run.
    [[nodiscard]] const OptionReport& option_report() const { return option_check_.report(); }
    /// Least hops between two switches, of the last run: cables, or what hop_weights_file counts.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const {
        return {hops_.values(), hops_.stride()};
    }

private:
    static constexpr std::size_t kOctetsPerSlice = 1U << 20;  // Of forwarding tables, wiped.
    static constexpr std::size_t kMostChanges = 1024;         // Ends of cables.

    /// Whose tables a run is about.
    enum class Mode : std::uint8_t { kEngines, kSafe, kKeeping, kDropping };

    /// What the next proof may go on from, with Memory::dependencies and proved_.
    struct Basis {
        bool is_there = false;
        const RoutingEngine* engine = nullptr;
        Findings findings;
    };

    [[nodiscard]] bool at_work() const { return phase_ != Phase::kIdle && phase_ != Phase::kDone; }
    void Start();
    void BuildTopology();
    void CheckOptions();
    void StartHops();
    void StudyChanges();
    void ForgetChanges();
    void MeasureHops();
    void StartEngine();
    void WipeTables();
    void RunEngine();
    void EndEngine(Status status);
    void LeaveEngine();
    void StartHome();
    void CompleteHome();
    [[nodiscard]] RoutingTask Task();
    void StartProof();
    void StartVerifier();
    [[nodiscard]] bool MayProveChanges() const;
    [[nodiscard]] bool IsUntouched() const;
    void AdvanceProof();
    void KeepBasis();
    void Judge();
    [[nodiscard]] bool Mends() const;
    [[nodiscard]] RoutingEngine* Present() const {
        return mode_ == Mode::kSafe ? safe_ : engines_[next_engine_];
    }
    [[nodiscard]] Promise PromiseOf(std::size_t engine) const;
    [[nodiscard]] Promise PresentPromise() const;
    [[nodiscard]] std::string_view PresentName() const;
    void Close(RoutingOutcome outcome, RoutingReason reason, Status status);
    void Finish();

    // router_resorts.cc: what is left when every engine was refused.
    [[nodiscard]] bool copies() const {
        return mode_ == Mode::kKeeping || mode_ == Mode::kDropping;
    }
    void StartResort(Mode mode);
    void MarkOwned();
    void CopyRow(SwitchIndex at);
    void EndCopying();
    void JudgeKept();

    Memory memory_;
    Topology topology_;
    HopMeter meter_;
    HopPatch patch_;
    Verifier verifier_;
    HomeRow home_row_;
    MendProof mend_proof_;
    ProvedSubnet proved_;
    Basis basis_;
    bool topology_begun_ = false;
    bool had_basis_ = false;  ///< basis_ is of the run before this one.
    std::span<CableChange> changes_;
    SwitchPairs suspects_;
    std::span<ChangeLog::Entry> log_entries_;
    ChangeLog log_;
    std::size_t log_room_;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    HopRoom hop_room_;  ///< The same, for the present engine.
    const Fabric* fabric_ = nullptr;
    const Settings* settings_ = nullptr;
    std::span<RoutingEngine* const> engines_;
    Matrix<SwitchIndex, std::uint8_t> planned_;
    Matrix<SwitchIndex, const std::uint8_t> tables_;  ///< What may be kept.
    RoutingLanes planned_lanes_;
    RoutingLanes programmed_lanes_;
    std::span<bool> owned_;          ///< By LID, while tables are copied.
    RoutingEngine* safe_ = nullptr;  ///< Of the mode kSafe.
    Arena* scratch_ = nullptr;
    std::size_t first_mark_ = 0;    ///< Where scratch stood at Begin().
    std::size_t changes_mark_ = 0;  ///< And after the topology.
    std::size_t second_mark_ = 0;   ///< And after what is known of changes.
    std::size_t next_engine_ = 0;   ///< The one at work, while one is.
    std::size_t wiped_ = 0;         ///< Rows of the planned tables that are ready for the engine.
    bool engine_began_ = false;
    bool engine_ended_ = false;           ///< And the hops that it spent are measured again.
    Status engine_status_ = Status::kOk;  ///< With which it ended.
    bool mending_ = false;                ///< The present engine shall mend, if it can.
    Mode mode_ = Mode::kEngines;
    ProofScope scope_ = ProofScope::kWhole;
    bool goes_on_ = false;         ///< From basis_: what is different is in changes_.
    bool proves_changes_ = false;  ///< MendProof is at work, not Verifier.
    Phase phase_ = Phase::kIdle;
    Verdict verdict_;
    OptionCheck option_check_;
};

}  // namespace ember
