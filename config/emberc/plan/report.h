// SPDX-License-Identifier: Apache-2.0
// EmberSM: everything a plan says of a fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/emberc/plan/board.h"
#include "config/emberc/plan/failures.h"
#include "config/emberc/plan/levels.h"
#include "config/emberc/plan/measure.h"
#include "config/emberc/plan/membership.h"
#include "config/emberc/plan/planner.h"

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

/// Everything a plan says of a fabric. What was not asked for is empty.
struct Report {
    Provenance provenance;
    Effort effort;
    std::string fabric;         ///< The name of the netlist.
    std::size_t nodes = 0;      ///< In the netlist.
    std::size_t unmanaged = 0;  ///< Of these, out of the manager's sight.
    std::size_t switches = 0;
    std::size_t cables = 0;  ///< Hosts' ones included.
    std::string home;        ///< Where the manager sits.
    AllToAll loads;          ///< This and the rest only when the routing may be programmed.
    Shifts shifts;
    Bisections bisections;
    std::vector<std::uint32_t> levels;
    std::vector<LinkClass> classes;
    LoadHistogram histogram;
    std::vector<Fit> fits;
    bool must_fit = false;  ///< `fits` is the one board that was asked for, else all there are.
    std::vector<FailureEffect> failures;
    MembershipMatrix membership;
};

/// Measures a plan; the fields about boards, failures and partitions are the
/// caller's.
[[nodiscard]] Report Measure(const Planned& plan, const Effort& effort);

/// For a terminal. `worst`: so many failures are told. A single board is told in full; of several,
/// only what is too small.
[[nodiscard]] std::string RenderText(const Planned& plan, const Report& report, std::size_t worst);
/// The document's form; grows when a reader of the form before would be wrong.
inline constexpr int kJsonSchema = 1;
[[nodiscard]] nlohmann::json RenderJson(const Planned& plan, const Report& report);

/// Octets as people say them: "28.0 MiB".
[[nodiscard]] std::string Bytes(std::size_t bytes);

}  // namespace ember::plan
