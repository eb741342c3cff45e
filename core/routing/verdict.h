// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a routing run ended, and why.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/base/status.h"
#include "core/routing/engine.h"
#include "core/routing/routing_plan.h"
#include "core/routing/verifier.h"

namespace ember {

/// How a routing run, or one engine's try at it, ended.
enum class RoutingOutcome : std::uint8_t {
    kNothingToRoute,  ///< No switch in the subnet: two end ports back to back.
    kVerified,        ///< Proved: every pair reached, no loop, no credit loop among end ports.
    /// As above, but a credit loop is possible and the engine promises nothing else; or switches
    /// lack tables of lanes (Verdict::is_lowered).
    kWarned,
    kSafe,     ///< Every engine was refused; the safe routing is proved, free of credit loops.
    kKept,     ///< Every engine was refused; the switches' own tables pass, and stay.
    kRefused,  ///< Must not be programmed; RoutingReason tells why.
};

/// Why a routing was refused.
enum class RoutingReason : std::uint8_t {
    kNone,
    kNoEngine,        ///< The list of engines is empty.
    kEngineAbsent,    ///< The engine is configured, and this board has not got it.
    kEngineFailed,    ///< The engine cannot route this fabric; `status` is its word.
    kLostPair,        ///< Findings::at does not reach Findings::lid.
    kLoop,            ///< Packets to Findings::lid run in a loop.
    kNotShortest,     ///< The engine promised shortest paths and broke it.
    kCreditLoop,      ///< Findings::cycle, and the engine promises, or the operator demands, none.
    kUnsafeFallback,  ///< Findings::cycle, and the first engine of the list promises none.
    kStepLanes,       ///< Steps have no lanes of their own: EngineComplaint tells why.
};

/// A try of one engine.
struct RoutingAttempt {
    std::string_view engine{};
    std::uint8_t step = 0;      ///< Of the plan.
    std::uint64_t step_id = 0;  ///< The unicast-step of rch_policy_file; 0: none.
    bool stayed = false;        ///< Its part is as it was, and so are its routes.
    RoutingOutcome outcome = RoutingOutcome::kRefused;
    RoutingReason reason = RoutingReason::kNone;
    Status status = Status::kOk;
    EngineComplaint complaint{};  ///< Of kEngineFailed and kStepLanes.
    Guid at = kNoGuid;            ///< Of kLostPair and kLoop: as in Findings.
    Lid lid = kNoLid;             ///< Likewise.
    Guid port_guid = kNoGuid;     ///< Likewise.
};

/// How it ended. The engine that counts is the last one tried; those before it were refused.
struct Verdict {
    static constexpr std::size_t kMaxAttempts = kMaxAlternatives + 1;

    RoutingOutcome outcome = RoutingOutcome::kNothingToRoute;
    RoutingReason reason = RoutingReason::kNone;
    Status status = Status::kOk;
    /// Empty: none was tried, or the tables were kept. kChainWord: a chain of engines.
    std::string_view engine;
    Findings findings;  ///< Of the engine that counts.
    /// In order, the last one included, and the safe routing if it was tried. At the end of a plan
    /// that was let pass stand the engines whose routes it has, one for each step.
    StaticVector<RoutingAttempt, kMaxAttempts> attempts;
    bool is_lowered = false;  ///< By Router::Lower().
    bool laid_lanes = false;  ///< Steps got lanes of their own: RoutingPlan::may_lay_lanes.

    EngineChoice choice;          ///< Of the engine that counts.
    bool was_mended = false;      ///< The engine changed `mended` entries; all others stayed.
    bool mending_failed = false;  ///< Mending was tried, and an engine had to make all routes anew.
    Mended mended;
    /// The proof went on from that of the run before: only what changed was looked at, and what
    /// `findings` counts was counted by the last proof that looked at everything.
    bool proved_changes_only = false;

    /// How the routing that counts is judged. Findings of an engine that made no tables are none.
    void End(RoutingOutcome how, RoutingReason why, Status engine_status);
    /// A resort begins: the verdict is about it now, but for the tries of before.
    void BeginResort();
    /// Appends a try, as the fields above judge it.
    void NoteAttempt(const RoutingAttempt& attempt);
    /// See Router::Lower().
    void Lower(bool lacks_tables);

    /// The planned tables may be sent to the switches.
    [[nodiscard]] bool may_program() const {
        return outcome == RoutingOutcome::kVerified || outcome == RoutingOutcome::kWarned ||
               outcome == RoutingOutcome::kSafe || outcome == RoutingOutcome::kKept;
    }
    /// The engine that counts; of a chain that of its last step.
    [[nodiscard]] std::string_view last_engine() const {
        return attempts.empty() || engine.empty() ? engine : (attempts.end() - 1)->engine;
    }
    /// Something was refused before, or instead of, what counts.
    [[nodiscard]] bool has_refusals() const {
        return std::any_of(attempts.begin(), attempts.end(), [](const RoutingAttempt& attempt) {
            return attempt.outcome == RoutingOutcome::kRefused;
        });
    }
};

/// The name of the routing of BeginSafe() in Verdict, whatever engine makes it.
inline constexpr std::string_view kSafeRoutingWord = "safe";
/// And a routing that the steps of a chain made together.
inline constexpr std::string_view kChainWord = "chain";

}  // namespace ember
