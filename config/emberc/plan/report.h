// SPDX-License-Identifier: Apache-2.0
// EmberSM: everything a plan says of a fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/emberc/plan/board.h"
#include "config/emberc/plan/failures.h"
#include "config/emberc/plan/link_loads.h"
#include "config/emberc/plan/measure.h"
#include "config/emberc/plan/membership.h"
#include "config/emberc/plan/planner.h"

namespace ember::emberc {
enum ExitStatus : int;
}

namespace ember::plan {

/// How much is measured.
struct Effort {
    std::size_t shifts = kMostShifts;
    std::size_t bisections = kBisections;
    std::uint64_t seed = 1;
    bool is_quiet = false;  ///< No progress bar.
};

/// When, by what and of what a plan was made.
struct Provenance {
    std::uint64_t made_at = 0;         ///< Seconds since 1970: emberc::SourceDate().
    std::string configuration;         ///< The file; empty: the defaults.
    std::string configuration_digest;  ///< PlanSettings::digest().
};

/// Packets that cannot come to wait for each other in a circle.
enum class CreditFreedom : std::uint8_t {
    kNone,   ///< None: a credit loop is possible.
    kHosts,  ///< Packets among end ports.
    kAll,    ///< Packets of switches' port 0 too.
};
/// "no", "hosts", "all".
[[nodiscard]] std::string_view Word(CreditFreedom freedom);

/// The routing by one engine alone. Members behind `reason` count if it may be programmed.
struct EngineEffect {
    std::string_view engine;
    RoutingOutcome outcome = RoutingOutcome::kRefused;
    std::string reason;  ///< Why it was refused.
    double saturation = 0;
    double saturation_by_rate = 0;
    double effective_bisection = 0;
    double worst_shift = 0;
    std::uint32_t lanes = 1;  ///< Data VLs in use.
    double mean_hops = 0;
    std::uint64_t longer_routes = 0;  ///< (switch, LID) not on a shortest path.
    CreditFreedom freedom = CreditFreedom::kNone;
};

/// The whole fabric by one engine.
struct SingleEngine {
    std::string engine;
    RoutingOutcome outcome = RoutingOutcome::kRefused;
    double saturation = 0;  ///< These as in AllToAll.
    double saturation_by_rate = 0;
    double mean_hops = 0;
};

/// Everything a plan says of a fabric. Parts that were not asked for are empty.
struct Report {
    Provenance provenance;
    Effort effort;
    std::string fabric;         ///< The name of the netlist.
    std::size_t nodes = 0;      ///< In the netlist.
    std::size_t unmanaged = 0;  ///< Of these, out of the manager's sight.
    std::size_t switches = 0;
    std::size_t links = 0;  ///< Hosts' ones included.
    std::string home;       ///< Where the manager sits.
    AllToAll loads;         ///< This and the rest only when the routing may be programmed.
    Shifts shifts;
    Bisections bisections;
    std::vector<std::uint32_t> levels;
    std::vector<LinkClass> classes;
    LoadHistogram histogram;
    std::vector<SlowLink> slow;
    std::vector<LaneLoad> lanes;    ///< Empty: the routing needs one.
    std::string cycle_on_one_lane;  ///< The loop that these lanes break; empty: none, or one lane.
    std::vector<EngineEffect> engines;
    std::vector<Fit> fits;
    bool must_fit = false;   ///< `fits` is the one board that was asked for, else all there are.
    std::string_view board;  ///< On which it was routed; empty: on one that lacks nothing.
    std::vector<FailureEffect> failures;
    MembershipMatrix membership;
    std::optional<SingleEngine> single;  ///< Beside a chain: the best engine for the whole.
};

/// Measures a plan; the fields about boards, failures, other engines and partitions are the
/// caller's.
[[nodiscard]] Report Measure(Planned& plan, const Effort& effort);

/// The exit status of a plan: the first of refused, too large for the board, possible credit loop
/// that holds, else kDone.
[[nodiscard]] emberc::ExitStatus ConclusionOf(const Planned& plan, const Report& report);

/// All that is wrong in one line without a stop, the worst first: "NOT ROUTED: ...; DOES NOT FIT
/// board sim_small: switches: 80 of 64". Else how the fabric is routed.
[[nodiscard]] std::string Headline(const Planned& plan, const Report& report);

/// For a terminal. `worst`: so many failures are told. A single board is told in full; of several,
/// only what is too small.
[[nodiscard]] std::string RenderText(const Planned& plan, const Report& report, std::size_t worst);
/// The document's form; grows when a reader of the form before would be wrong.
inline constexpr int kJsonSchema = 1;
[[nodiscard]] nlohmann::json RenderJson(const Planned& plan, const Report& report);

/// Octets as people say them: "28.0 MiB".
[[nodiscard]] std::string Bytes(std::size_t bytes);

}  // namespace ember::plan
