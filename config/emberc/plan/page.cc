// SPDX-License-Identifier: Apache-2.0
// EmberSM: a plan as one self-contained HTML page.
#include "config/emberc/plan/page.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/plan/report.h"
#include "core/base/version.h"

namespace ember::plan {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2430; --quiet: #5b6675; --line: #d5dae1;
  --card: #f5f7f9; --bar: #2f6fb5; --muted: #a9b3c0; --good: #1d7a46; --bad: #b3261e; --warn: #9a6700;
  --heat: #2f6fb5; --on: #ffffff; --idle: #98a2b0;
  --b1: #b4cce6; --b2: #82addb; --b3: #4a86c5; --b4: #b79a5c; --b5: #d98e2b; --b6: #d5602b; --b7: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #12171d; --ink: #e4e9ef; --quiet: #98a4b3;
  --line: #313a45; --card: #1a2129; --bar: #5b9be0; --muted: #4c5866; --good: #58c48a; --bad: #ff8a80;
  --warn: #e3b341; --heat: #5b9be0; --on: #0d1116; --idle: #5a6674;
  --b1: #345d8a; --b2: #4579af; --b3: #5b9be0; --b4: #a8935a; --b5: #d9983f; --b6: #e8743f; --b7: #ff6b60; } }
body { margin: 0 auto; padding: 24px 20px 60px; max-width: 1000px; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 24px; margin: 0 0 2px; overflow-wrap: anywhere; } h2 { font-size: 17px; margin: 36px 0 8px; }
p { margin: 6px 0; overflow-wrap: anywhere; } .quiet { color: var(--quiet); }
.verdict { font-weight: 600; padding: 10px 14px; border-left: 5px solid; background: var(--card);
  margin: 16px 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 10px; }
.card { background: var(--card); border-radius: 6px; padding: 10px 12px; }
.card b { display: block; font-size: 21px; font-variant-numeric: tabular-nums; }
.card span { color: var(--quiet); font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--quiet); font-weight: 500; font-size: 13px; } td:first-child, th:first-child { text-align: left; }
td.full, td.limited { text-align: center; font-weight: 600; } td.full { background: var(--b2); }
td.limited { background: var(--card); } 
.wide { overflow-x: auto; }
svg { width: 100%; height: auto; display: block; } .wide svg { min-width: 620px; }
svg text { fill: var(--quiet); font-size: 12px; text-anchor: middle; font-family: inherit; }
svg text.row { text-anchor: end; } svg text.level { text-anchor: start; }
svg text.cell { fill: var(--ink); } svg text.on { fill: var(--on); } svg text.count { fill: var(--ink);
  paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.bar, .heat { fill: var(--bar); } .muted, .idle { fill: var(--muted); } .none { fill: var(--card); }
.axis { stroke: var(--line); } .leaf { fill: var(--ink); } .inner { fill: var(--quiet); }
path { fill: none; } .b0 { stroke: var(--idle); stroke-dasharray: 2 3; }
.s0 { fill: var(--quiet); } .s1 { fill: #2f8fd0; } .s2 { fill: #d0702f; } .s3 { fill: #3fa34d; }
.s4 { fill: #a04fc0; } .s5 { fill: #c0a020; } .s6 { fill: #d04f7f; } .s7 { fill: #2fa8a0; }
.scale { color: var(--quiet); font-size: 13px; display: flex; flex-wrap: wrap; gap: 2px 14px; }
.scale svg { display: inline-block; width: 26px; vertical-align: middle; }
)";

/// The colors of cables, one a band of load.
std::string BandStyles() {
    std::string text;
    for (std::size_t band = 1; band < kBands; ++band) {
        text += fmt::format(".b{0} {{ stroke: var(--b{0}); }} ", band);
    }
    return text;
}

std::string Card(const std::string& value, std::string_view name) {
    return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", Escape(value),
                       Escape(name));
}

std::string ProvenanceLine(const Report& report) {
    const Provenance& made = report.provenance;
    return fmt::format(
        "<p class=\"quiet\" id=\"provenance\">Made {} by emberc {} with {}, SHA-256 {}; {} "
        "shifts at most, {} bisections from seed {}.</p>\n",
        emberc::DateText(made.made_at), kEmberVersion,
        made.configuration.empty() ? std::string("the default configuration")
                                   : "the configuration " + Escape(made.configuration),
        made.configuration_digest, report.effort.shifts, report.effort.bisections,
        report.effort.seed);
}

std::string_view ColorOf(emberc::ExitStatus conclusion) {
    if (conclusion == emberc::kDone) return "good";
    const bool is_usable =
        conclusion == emberc::kCreditLoopIsPossible || conclusion == emberc::kRoutingIsSafeOnly;
    return is_usable ? "warn" : "bad";
}

std::string VerdictBox(const Planned& plan, const Report& report) {
    const Verdict& verdict = plan.verdict();
    std::string text =
        fmt::format("<p class=\"verdict {}\" id=\"verdict\">{}</p>\n",
                    ColorOf(ConclusionOf(plan, report)), Escape(Headline(plan, report)));
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (attempt.outcome != RoutingOutcome::kRefused) continue;
        text += fmt::format("<p>{} was refused: {}</p>\n",
                            attempt.engine.empty() ? "An engine" : Escape(attempt.engine),
                            Escape(Explain(plan, attempt)));
    }
    if (report.single) {
        text += fmt::format(
            "<p>The best single engine for the whole would be {} ({}), with an all-to-all "
            "saturation of {:.4f}.</p>\n",
            Escape(report.single->engine), Word(report.single->outcome), report.single->saturation);
    }
    const std::string loop = CreditLoop(plan);
    if (!loop.empty() && verdict.may_program()) {
        text += fmt::format("<p>A credit loop is possible: {}</p>\n", Escape(loop));
    }
    return text;
}

std::string Cards(const Report& report) {
    const AllToAll& loads = report.loads;
    std::string text = "<div class=\"cards\">\n";
    text += Card(fmt::format("{:.4f}", loads.saturation), "all-to-all saturation");
    if (loads.saturation_by_rate != loads.saturation) {
        text += Card(fmt::format("{:.4f}", loads.saturation_by_rate), "the same by rate");
    }
    text +=
        Card(fmt::format("{:.4f}", report.bisections.effective), "effective bisection bandwidth");
    text += Card(fmt::format("{:.6g}", loads.max), "flows on the busiest link");
    text += Card(fmt::format("{:.6g}", loads.mean), "flows on the mean link");
    text += Card(fmt::format("{:.6g}", loads.deviation), "standard deviation");
    text += Card(fmt::format("{} of {}", loads.idle, loads.links), "links carry nothing");
    text += Card(fmt::format("{:.6g}", report.shifts.worst), "worst shift congestion");
    text += Card(fmt::format("{:.4f}", report.shifts.mean), "mean shift congestion");
    text += Card(fmt::format("{:.3f}", loads.mean_hops()), "hops on the mean path");
    return text + "</div>\n";
}

std::string LoadChart(const Report& report) {
    const LoadHistogram& histogram = report.histogram;
    std::vector<Bar> bars = {
        {"idle", fmt::format("{} links carry nothing", histogram.idle), histogram.idle, true}};
    const std::size_t step = std::max<std::size_t>(1, (histogram.counts.size() + 9) / 10);
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const double to = histogram.width * static_cast<double>(i + 1);
        bars.push_back({(i + 1) % step == 0 ? fmt::format("{:.6g}", to) : std::string(),
                        fmt::format("{} links carry more than {:.6g} and at most {:.6g} flows",
                                    histogram.counts[i], to - histogram.width, to),
                        histogram.counts[i]});
    }
    return BarChart(bars, "How many links carry how much", "flows on a link, up to");
}

std::string HopChart(const Report& report) {
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < report.loads.hops.size(); ++i) {
        const std::uint64_t paths = report.loads.hops[i];
        bars.push_back({std::to_string(i), fmt::format("{} paths of {} hops", paths, i), paths});
    }
    return BarChart(bars, "How many paths have how many hops", "cables between switches on a path");
}

std::string FitTable(const Fit& fit) {
    std::string text =
        fmt::format("<h2>Board {}: <span class=\"{}\">{}</span></h2>\n", Escape(fit.board),
                    fit.fits() ? "good" : "bad", fit.fits() ? "fits" : "does not fit");
    text += "<div class=\"wide\"><table>\n<tr><th>limit</th><th>needed</th><th>board</th></tr>\n";
    for (const LimitRow& row : fit.limits) {
        text += fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n", row.name,
                            row.fits() ? "" : "bad", row.needed, row.limit);
    }
    text += "<tr><th>tables</th><th>needed</th><th>board</th></tr>\n";
    for (const ArenaRow& row : fit.arenas) {
        text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", row.name,
                            Bytes(row.needed_bytes), Bytes(row.board_bytes));
    }
    return text + fmt::format("<tr><td>together</td><td>{}</td><td>{}</td></tr>\n</table></div>\n",
                              Bytes(fit.needed_bytes), Bytes(fit.board_bytes));
}

/// All boards in a row each, when none was asked for.
std::string BoardsTable(const std::vector<Fit>& fits) {
    std::string text =
        "<h2>Boards</h2>\n<div class=\"wide\"><table>\n<tr><th>board</th><th>fits</th>"
        "<th>too small</th><th>tables needed</th><th>tables of the board</th></tr>\n";
    for (const Fit& fit : fits) {
        text += fmt::format(
            "<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            Escape(fit.board), fit.fits() ? "good" : "bad", fit.fits() ? "yes" : "no",
            Escape(Shortage(fit)), Bytes(fit.needed_bytes), Bytes(fit.board_bytes));
    }
    return text + "</table></div>\n";
}

std::string LaneTable(const Report& report) {
    if (report.lanes.empty()) return {};
    std::string text =
        "<h2>Virtual lanes</h2>\n<div class=\"wide\"><table>\n<tr><th>lane</th><th>paths</th>"
        "<th>links</th><th>flows on the busiest</th><th>flows on all</th></tr>\n";
    for (std::size_t lane = 0; lane < report.lanes.size(); ++lane) {
        const LaneLoad& load = report.lanes[lane];
        text += fmt::format(
            "<tr><td>VL {}</td><td>{}</td><td>{}</td><td>{:.6g}</td><td>{:.6g}</td></tr>\n", lane,
            load.paths, load.links, load.max, load.sum);
    }
    text += "</table></div>\n";
    if (report.cycle_on_one_lane.empty()) return text;
    return text + fmt::format("<p>On one lane a credit loop would be possible: {}</p>\n",
                              Escape(report.cycle_on_one_lane));
}

std::string EngineTable(const std::vector<EngineEffect>& engines) {
    if (engines.empty()) return {};
    std::string text =
        "<h2>Engines side by side</h2>\n<div class=\"wide\"><table>\n<tr><th>engine</th>"
        "<th>saturation</th><th>by rate</th><th>bisection</th><th>worst "
        "shift</th><th>VLs</th><th>hops</th>"
        "<th>longer routes</th><th>free of credit loops</th></tr>\n";
    for (const EngineEffect& effect : engines) {
        if (!effect.reason.empty()) {
            text += fmt::format("<tr><td>{}</td><td colspan=\"8\">refused: {}</td></tr>\n",
                                effect.engine, Escape(effect.reason));
            continue;
        }
        text += fmt::format(
            "<tr><td>{}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.4g}</td>"
            "<td>{}</td><td>{:.3f}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
            effect.engine, effect.saturation, effect.saturation_by_rate, effect.effective_bisection,
            effect.worst_shift, effect.lanes, effect.mean_hops, effect.longer_routes,
            effect.freedom == CreditFreedom::kNone ? "bad" : "good", Word(effect.freedom));
    }
    return text + "</table></div>\n";
}

std::string FailureTable(const std::vector<FailureEffect>& failures, std::size_t worst) {
    std::string text = fmt::format("<h2>Single failures, worst first: {} of {}</h2>\n",
                                   std::min(worst, failures.size()), failures.size());
    text +=
        "<div class=\"wide\"><table>\n<tr><th>what fails</th><th>kind</th><th>verdict</th>"
        "<th>pairs lost</th><th>saturation</th><th>by rate</th><th>routes moved</th>"
        "<th>blocks</th></tr>\n";
    for (std::size_t i = 0; i < std::min(worst, failures.size()); ++i) {
        const FailureEffect& effect = failures[i];
        text += fmt::format(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.4f}</td><td>{:.4f}</td>"
            "<td>{}</td><td>{}</td></tr>\n",
            Escape(effect.name), KindOf(effect), Word(effect.outcome), effect.pairs_lost,
            effect.saturation, effect.saturation_by_rate, effect.moved, effect.blocks);
    }
    text += "</table></div>\n";
    if (failures.size() <= worst) return text;
    return text + fmt::format("<p class=\"quiet\">... {} more; --all tells them.</p>\n",
                              failures.size() - worst);
}

}  // namespace

std::string RenderPage(const Planned& plan, const Report& report, std::size_t worst) {
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>Plan of {}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
        Escape(report.fabric), kStyle, BandStyles());
    page += fmt::format("<h1>{}</h1>\n", Escape(report.fabric));
    page += fmt::format(
        "<p class=\"quiet\">{} switches, {} hosts, {} cables; the subnet manager sits at "
        "{}.{}</p>\n",
        report.switches, report.nodes - report.switches, report.links, Escape(report.home),
        report.unmanaged == 0 ? std::string()
                              : fmt::format(" {} nodes are out of its sight.", report.unmanaged));
    page += ProvenanceLine(report) + VerdictBox(plan, report);
    if (plan.verdict().may_program()) {
        page += Cards(report);
        page += "<h2>The fabric</h2>\n" + Picture(plan, report);
        page += "<h2>Load of links, every host to every other</h2>\n" + LoadChart(report);
        page += "<h2>Load by level</h2>\n" + HeatMap(report.classes);
        page += "<h2>Hops</h2>\n" + HopChart(report);
        page += LaneTable(report);
    }
    page += EngineTable(report.engines);
    page += MembershipTable(report.membership);
    if (!report.failures.empty()) page += FailureTable(report.failures, worst);
    if (report.must_fit) {
        for (const Fit& fit : report.fits) {
            page += FitTable(fit);
        }
    } else if (!report.fits.empty()) {
        page += BoardsTable(report.fits);
    }
    page +=
        "<p class=\"quiet\">A link is one direction of a cable between switches. Definitions: "
        "emberc plan --help, and EmberSM's docs/measures.md.</p>\n</body>\n</html>\n";
    return page;
}

}  // namespace ember::plan
