// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a plan comes to, in one word and one line.
#include "config/emberc/plan/conclusion.h"

#include <algorithm>
#include <fmt/format.h>

namespace ember::plan {
namespace {

/// The board on which it was routed, if the fabric does not fit it; else null.
const Fit* TooSmall(const Report& report) {
    const auto found = std::find_if(report.fits.begin(), report.fits.end(), [&](const Fit& fit) {
        return fit.board == report.board && !fit.fits();
    });
    return found == report.fits.end() ? nullptr : &*found;
}

std::string Routed(const Planned& plan) {
    const Verdict& verdict = plan.verdict();
    switch (verdict.outcome) {
        case RoutingOutcome::kRefused:
            return "NOT ROUTED: no routing engine of the configuration was accepted";
        case RoutingOutcome::kWarned:
            return fmt::format(
                "POSSIBLE CREDIT LOOP: routed by {}, but packets may come to wait for each other "
                "in a circle",
                verdict.engine);
        case RoutingOutcome::kSafe:
            return "SAFE ROUTING: no routing engine of the configuration was accepted, so packets "
                   "go up and down from one switch";
        case RoutingOutcome::kNothingToRoute:
        case RoutingOutcome::kVerified:
        case RoutingOutcome::kKept:
            break;
    }
    return verdict.engine.empty()
               ? std::string(Word(verdict.outcome))
               : fmt::format("routed by {}, {}", verdict.engine, Word(verdict.outcome));
}

}  // namespace

emberc::ExitStatus ConclusionOf(const Planned& plan, const Report& report) {
    const RoutingOutcome outcome = plan.verdict().outcome;
    if (outcome == RoutingOutcome::kRefused) return emberc::kRoutingIsRefused;
    if (TooSmall(report) != nullptr) return emberc::kBoardIsTooSmall;
    if (outcome == RoutingOutcome::kSafe) return emberc::kRoutingIsSafeOnly;
    return outcome == RoutingOutcome::kWarned ? emberc::kCreditLoopIsPossible : emberc::kDone;
}

std::string Headline(const Planned& plan, const Report& report) {
    const std::string routed = Routed(plan);
    const Fit* const small = TooSmall(report);
    if (small != nullptr) {
        const std::string fit =
            fmt::format("DOES NOT FIT board {}: {}", small->board, Shortage(*small));
        return plan.verdict().outcome == RoutingOutcome::kRefused ? routed + "; " + fit
                                                                  : fit + "; " + routed;
    }
    if (!report.must_fit) return routed;
    return fmt::format("{}; fits board {}", routed, report.fits.front().board);
}

}  // namespace ember::plan
