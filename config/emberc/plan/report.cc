// SPDX-License-Identifier: Apache-2.0
// EmberSM: everything a plan says of a fabric: measured, and as text.
#include "config/emberc/plan/report.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/emberc/commands.h"
#include "config/emberc/plan/progress_bar.h"
#include "config/explain/words.h"
#include "config/netlist/tame.h"

namespace ember::plan {
namespace {

constexpr std::size_t kBars = 40;

/// A progress bar of its own for each measure; none when quiet.
template <typename Work>
auto WithBar(const Effort& effort, const char* label, Work work) {
    if (effort.is_quiet) return work(Tick());
    ProgressBar bar(stderr, label);
    return work(bar.tick());
}

/// A name and a value, the values below each other.
template <typename... Values>
void Row(std::string& to, std::string_view name, fmt::format_string<Values...> format,
         Values&&... values) {
    to += fmt::format("  {:<28}{}\n", name, fmt::format(format, std::forward<Values>(values)...));
}

void RenderVerdict(const Planned& plan, std::string& text) {
    const Verdict& verdict = plan.verdict();
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (attempt.outcome != RoutingOutcome::kRefused) continue;
        const std::string_view engine = attempt.engine.empty() ? "an engine" : attempt.engine;
        const std::string step =
            attempt.step_id == 0 ? "" : fmt::format(" of unicast-step {}", attempt.step_id);
        Row(text, "refused", "{}{}: {}", engine, step, Explain(plan, attempt));
    }
    if (!verdict.engine.empty() && verdict.may_program()) Row(text, "engine", "{}", verdict.engine);
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (attempt.step_id == 0 || attempt.outcome == RoutingOutcome::kRefused) continue;
        Row(text, fmt::format("unicast-step {}", attempt.step_id), "{}", attempt.engine);
    }
    if (const std::string choice = Choice(plan); !choice.empty() && verdict.may_program()) {
        Row(text, "fabric taken for", "{}", choice);
    }
    Row(text, "verdict", "{}", Word(verdict.outcome));
    const std::string loop = CreditLoop(plan);
    if (!loop.empty() && verdict.may_program()) Row(text, "credit loop", "{}", loop);
    if (!verdict.may_program()) return;
    Row(text, "routes proved", "{} (switch, LID), {} longer than the shortest",
        verdict.findings.routes, verdict.findings.longer_routes);
    if (const std::uint32_t roots = verdict.choice.assumed_roots; roots != 0) {
        Row(text, "roots assumed", "{} switches, by the shape of the fabric", roots);
    }
    if (const Guid bridge = verdict.choice.bridge; bridge != kNoGuid) {
        Row(text, "roots bridged", "over {}", plan.NameOf(bridge));
    }
    if (!plan.lanes().is_one_lane()) {
        Row(text, "virtual lanes", "{}{}", plan.lanes().count,
            verdict.laid_lanes ? ", of the steps of the chain, which close a credit loop on one"
                               : "");
    }
    if (const std::string levels = ServiceLevels(plan); !levels.empty()) {
        Row(text, "levels of service", "{}", levels);
    }
}

void RenderSlowLinks(const Report& report, const Planned& plan, std::string& text) {
    constexpr std::size_t kMostNamed = 8;
    for (const SlowLink& link : report.slow) {
        const std::size_t number = static_cast<std::size_t>(&link - report.slow.data());
        if (number == kMostNamed) {
            Row(text, "", "and {} more", report.slow.size() - number);
            return;
        }
        Row(text, number == 0 ? "slow links" : "", "{} port {} to {} port {}: {} Gb/s beside {}",
            plan.NameOf(link.one), Raw(link.port), plan.NameOf(link.other), Raw(link.other_port),
            explain::RateWord(link.rate), explain::RateWord(link.beside));
    }
}

void RenderOddLinks(const Planned& plan, std::string& text) {
    const EngineChoice& choice = plan.verdict().choice;
    for (const OddLink& link : choice.odd) {
        Row(text, &link == choice.odd.begin() ? "left out" : "", "{} port {} to {} port {}",
            plan.NameOf(link.one), Raw(link.port), plan.NameOf(link.other), Raw(link.other_port));
    }
    if (choice.odd_count > choice.odd.size()) {
        Row(text, "", "and {} more", choice.odd_count - choice.odd.size());
    }
}

void RenderLoads(const Report& report, const Planned& plan, std::string& text) {
    const AllToAll& loads = report.loads;
    text += "\nhops between switches, paths\n";
    std::uint64_t arrived = 0;
    for (const std::uint64_t paths : loads.hops) {
        arrived += paths;
    }
    for (std::size_t i = 0; i < loads.hops.size(); ++i) {
        if (loads.hops[i] == 0) continue;
        Row(text, std::to_string(i), "{:>14}  {:5.1f} %", loads.hops[i],
            100.0 * static_cast<double>(loads.hops[i]) / static_cast<double>(arrived));
    }
    Row(text, "mean", "{:>14.3f}", loads.mean_hops());
    text += "\nload, every host to every other\n";
    Row(text, "links", "{} between switches, {} carry nothing", loads.links, loads.idle);
    if (loads.busiest != kNoSwitch) {
        Row(text, "busiest", "{:.6g} flows: {} port {}", loads.max, plan.NameOf(loads.busiest),
            Raw(loads.busiest_port));
    }
    Row(text, "mean", "{:.6g} flows, deviation {:.6g}", loads.mean, loads.deviation);
    Row(text, "saturation", "{:.4f} of a host's cable", loads.saturation);
    if (loads.saturation_by_rate != loads.saturation) {
        Row(text, "by rate", "{:.4f}: {} port {}, {} Gb/s", loads.saturation_by_rate,
            plan.NameOf(loads.narrowest), Raw(loads.narrowest_port),
            explain::RateWord(plan.topology().traits(loads.narrowest, loads.narrowest_port).rate));
    }
    RenderSlowLinks(report, plan, text);
    RenderOddLinks(plan, text);
    if (loads.lost > 0) Row(text, "lost", "{} of {} paths", loads.lost, loads.paths);
    if (report.single) {
        Row(text, "best single engine", "{}, {}: saturation {:.4f}, mean {:.3f} hops",
            report.single->engine, Word(report.single->outcome), report.single->saturation,
            report.single->mean_hops);
    }
    for (const LinkClass& row : report.classes) {
        Row(text, fmt::format("level {} to {}", row.from, row.to),
            "{} links, {} carry nothing, mean {:.6g}, max {:.6g}", row.links, row.idle, row.mean,
            row.max);
    }
    text += "\ncongestion\n";
    Row(text, "shifts", "worst {:.6g} (k = {}), mean {:.4f}, of {}", report.shifts.worst,
        report.shifts.worst_k, report.shifts.mean, report.shifts.count);
    Row(text, "bisections", "effective {:.4f}, worst {:.4f}, of {}", report.bisections.effective,
        report.bisections.worst, report.bisections.count);
}

void RenderLanes(const Report& report, std::string& text) {
    text += "\nvirtual lanes, every host to every other\n";
    double sum = 0;
    for (const LaneLoad& load : report.lanes) {
        sum += load.sum;
    }
    for (std::size_t lane = 0; lane < report.lanes.size(); ++lane) {
        const LaneLoad& load = report.lanes[lane];
        Row(text, fmt::format("VL {}", lane),
            "{} paths, {:.1f} % of the load, {:.6g} flows on the busiest of {} links", load.paths,
            sum == 0 ? 0.0 : 100 * load.sum / sum, load.max, load.links);
    }
    if (report.cycle_on_one_lane.empty()) return;
    Row(text, "on one lane", "a credit loop: {}", report.cycle_on_one_lane);
}

void RenderEngines(const std::vector<EngineEffect>& engines, std::string& text) {
    text += "\nengines side by side\n";
    text += fmt::format("  {:<12}{:>11}{:>9}{:>11}{:>8}{:>6}{:>8}{:>10}  {}\n", "engine",
                        "saturation", "by rate", "bisection", "shift", "VLs", "hops", "longer",
                        "free of credit loops");
    for (const EngineEffect& effect : engines) {
        if (!effect.reason.empty()) {
            text += fmt::format("  {:<12}refused: {}\n", effect.engine, effect.reason);
            continue;
        }
        text += fmt::format("  {:<12}{:>11.4f}{:>9.4f}{:>11.4f}{:>8.4g}{:>6}{:>8.3f}{:>10}  {}\n",
                            effect.engine, effect.saturation, effect.saturation_by_rate,
                            effect.effective_bisection, effect.worst_shift, effect.lanes,
                            effect.mean_hops, effect.longer_routes, Word(effect.freedom));
    }
}

void RenderFit(const Fit& fit, bool is_full, std::string& text) {
    text += fmt::format("\nboard {}: {}; the fabric needs {} of tables, and the board has {}\n",
                        fit.board, fit.fits() ? "fits" : "DOES NOT FIT", Bytes(fit.needed_bytes),
                        Bytes(fit.board_bytes));
    for (const LimitRow& row : fit.limits) {
        if (row.fits() && !is_full) continue;
        Row(text, row.name, "{:>12} of {:>12}{}", row.needed, row.limit,
            row.fits() ? "" : "   too small");
    }
    if (!is_full) return;
    for (const ArenaRow& row : fit.arenas) {
        Row(text, row.name, "{:>12} of {:>12}", Bytes(row.needed_bytes), Bytes(row.board_bytes));
    }
}

void RenderFailures(const std::vector<FailureEffect>& failures, std::size_t worst,
                    std::string& text) {
    text += fmt::format("\nsingle failures, {} tried, worst first\n", failures.size());
    text +=
        fmt::format("  {:<22}{:>12}{:>12}{:>9}{:>12}{:>12}{:>4}  {:<7} {}\n", "verdict",
                    "pairs lost", "saturation", "by rate", "moved", "blocks", "VL", "kind", "what");
    for (std::size_t i = 0; i < std::min(worst, failures.size()); ++i) {
        const FailureEffect& effect = failures[i];
        text += fmt::format("  {:<22}{:>12}{:>12.4f}{:>9.4f}{:>12}{:>12}{:>4}  {:<7} {}\n",
                            Word(effect.outcome), effect.pairs_lost, effect.saturation,
                            effect.saturation_by_rate, effect.moved, effect.blocks, effect.lane,
                            KindOf(effect), effect.name);
    }
    if (failures.size() > worst) {
        text += fmt::format("  ... {} more; --all tells them\n", failures.size() - worst);
    }
}

}  // namespace

Report Measure(Planned& plan, const Effort& effort) {
    Report report;
    report.effort = effort;
    const net::Netlist& netlist = plan.netlist();
    report.nodes = netlist.nodes.size();
    report.switches = netlist.switch_count();
    report.links = netlist.link_count();
    if (!plan.verdict().may_program()) return report;
    const Topology& topology = plan.topology();
    report.loads = WithBar(effort, "all to all", [&](const Tick& tick) {
        return MeasureAllToAll(topology, plan.lfts(), tick, plan.host_rate());
    });
    report.shifts = WithBar(effort, "shifts", [&](const Tick& tick) {
        return MeasureShifts(topology, plan.lfts(), effort.shifts, tick);
    });
    report.bisections = WithBar(effort, "bisections", [&](const Tick& tick) {
        return MeasureBisections(topology, plan.lfts(), effort.bisections, effort.seed, tick);
    });
    report.slow = SlowLinks(topology);
    report.levels = LevelsOf(topology);
    report.classes = ClassesOf(topology, report.levels, report.loads);
    report.histogram = HistogramOf(topology, report.loads, kBars);
    report.lanes = LoadsOfLanes(plan);
    if (!report.lanes.empty()) report.cycle_on_one_lane = ChannelText(plan, plan.CycleOnOneLane());
    return report;
}

std::string RenderText(const Planned& plan, const Report& report, std::size_t worst) {
    std::string text = fmt::format("{}: {}\n", report.fabric, Headline(plan, report));
    Row(text, "fabric", "{} switches, {} hosts, {} cables", report.switches,
        report.nodes - report.switches, report.links);
    if (report.unmanaged > 0) {
        Row(text, "out of sight", "{} nodes that no cable joins to the manager", report.unmanaged);
    }
    Row(text, "manager at", "{}", report.home);
    RenderVerdict(plan, text);
    if (plan.verdict().may_program()) RenderLoads(report, plan, text);
    if (!report.lanes.empty()) RenderLanes(report, text);
    if (!report.engines.empty()) RenderEngines(report.engines, text);
    for (const Fit& fit : report.fits) {
        RenderFit(fit, report.must_fit, text);
    }
    if (!report.failures.empty()) RenderFailures(report.failures, worst, text);
    net::Tame(text);
    return text;
}

std::string_view Word(CreditFreedom freedom) {
    switch (freedom) {
        case CreditFreedom::kNone:
            break;
        case CreditFreedom::kHosts:
            return "hosts";
        case CreditFreedom::kAll:
            return "all";
    }
    return "no";
}

std::string Bytes(std::size_t bytes) {
    const auto amount = static_cast<double>(bytes);
    if (bytes < 1024) return fmt::format("{} B", bytes);
    if (bytes < 1024UL * 1024) return fmt::format("{:.1f} KiB", amount / 1024);
    return fmt::format("{:.1f} MiB", amount / 1024 / 1024);
}

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
