// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc plan.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/plan/commands.h"
#include "config/emberc/plan/comparison.h"
#include "config/emberc/plan/difference.h"
#include "config/emberc/plan/node_by_word.h"
#include "config/emberc/plan/page.h"
#include "config/emberc/plan/planner.h"
#include "config/emberc/plan/progress_bar.h"
#include "config/emberc/plan/report.h"
#include "config/emberc/plan/scene.h"
#include "config/emberc/plan/settings_source.h"
#include "config/emberc/say.h"
#include "core/base/version.h"

namespace ember::plan {
namespace {

constexpr std::size_t kWorst = 20;  // Failures and switches told without --all.
constexpr std::size_t kAll = 0xFFFFFFFF;

void WriteOut(const std::string& path, const std::string& text) {
    if (path.empty()) return;
    if (path == "-") {
        fmt::print("{}", text);
    } else {
        emberc::WriteText(path, text, emberc::Access::kEverybody);
    }
}

std::string Dump(const nlohmann::json& facts) {
    return facts.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// `link=…`, `switch=…`, `each-link`, `each-switch`.
std::vector<Failure> FailuresOf(const PlanRequest& request, const net::Netlist& netlist,
                                const Calling& calling) {
    std::vector<Failure> failures;
    for (const std::string& word : request.fail) {
        const std::size_t equals = word.find('=');
        const std::string kind = word.substr(0, equals);
        if (kind == "each-link" || kind == "each-switch") {
            const auto every = EveryFailure(netlist, kind == "each-switch", request.fail_sample);
            failures.insert(failures.end(), every.begin(), every.end());
            continue;
        }
        if ((kind != "link" && kind != "switch") || equals == std::string::npos) {
            throw UsageError(fmt::format(
                "--fail takes link=name/port, switch=name, each-link or each-switch, not \"{}\"",
                word));
        }
        try {
            failures.push_back(
                FindFailure(netlist, kind == "switch", word.substr(equals + 1), calling));
        } catch (const std::runtime_error& error) {
            throw UsageError(error.what());
        }
    }
    return failures;
}

/// The fit of the fabric to each board. Needs that `scene.board` could not meet are not in its
/// plan, but in one without bounds.
std::vector<Fit> FitsOf(const PlanRequest& request, const Scene& scene, const Settings& settings,
                        const Planned& plan) {
    std::unique_ptr<Planned> unbound;
    if (scene.board != nullptr && plan.verdict().has_refusals())
        unbound = scene.RouteWithoutBounds(settings);
    const Planned& asked = unbound == nullptr ? plan : *unbound;
    std::vector<Fit> fits;
    for (const Board& board : request.boards) {
        if (!request.board.empty() && &board != scene.board) continue;
        fits.push_back(FitTo(board, asked.needed(board.limits)));
    }
    return fits;
}

int PlanOrThrow(const PlanRequest& request) {
    const std::uint64_t made_at = emberc::SourceDate();
    Scene scene = SceneOf(request);
    const auto source = SettingsOf(request.config, TermsIn(scene, request.terms));
    const Settings& settings = source->settings();
    scene.Seat(request.home, settings);
    const std::vector<EngineKind> engines = EnginesNamed(request.compare);
    const std::unique_ptr<Planned> plan = scene.Route(settings);
    for (const std::string& note : OptionNotes(*plan, !source->is_from_text())) {
        emberc::Say(stderr, "emberc: {}\n", note);
    }
    const LidsByGuid lids = plan->lids();
    const std::vector<Failure> failures =
        FailuresOf(request, scene.whole, {.tables = &settings.manager_tables, .lids = &lids});
    const std::vector<Fit> fits = FitsOf(request, scene, settings, *plan);
    Report report = Measure(*plan, request.effort);
    report.fabric = request.fabric;
    report.unmanaged = scene.whole.nodes.size() - plan->netlist().nodes.size();
    report.home = plan->NameOf(scene.whole.nodes[scene.home.node]);
    report.fits = fits;
    report.engines = CompareEngines(scene, settings, engines, request.effort);
    report.membership = MembershipOf(*plan, settings);
    report.must_fit = !request.board.empty();
    if (scene.board != nullptr) report.board = scene.board->name;
    if (!plan->steps().empty()) {
        ProgressBar bar(stderr, "single engines");
        const Tick tick = request.effort.is_quiet ? Tick() : bar.tick();
        report.single = BestSingleEngine(scene, settings, tick);
    }
    report.provenance = {made_at, request.config, source->digest()};
    if (!failures.empty()) {
        ProgressBar bar(stderr, "failures");
        const Tick tick = request.effort.is_quiet ? Tick() : bar.tick();
        report.failures = TryFailures(scene.whole, scene.home, settings, *plan, failures, tick);
    }
    const std::size_t worst = request.all ? kAll : kWorst;
    const bool is_text = request.json != "-" && request.html != "-";
    if (is_text) emberc::SayText(stdout, RenderText(*plan, report, worst));
    if (!request.json.empty()) WriteOut(request.json, Dump(RenderJson(*plan, report)));
    if (!request.html.empty()) WriteOut(request.html, RenderPage(*plan, report, worst));
    return ConclusionOf(*plan, report);
}

nlohmann::json JsonOf(const Planned& before, const Planned& after, const Difference& difference,
                      bool with_moves) {
    nlohmann::json switches = nlohmann::json::array();
    for (const SwitchMoves& row : difference.switches) {
        switches.push_back({{"guid", Hex(row.at)},
                            {"node", after.NameOf(row.at)},
                            {"moved", row.moved},
                            {"blocks", row.blocks}});
    }
    nlohmann::json facts = {{"schema", kJsonSchema},
                            {"program", "emberc"},
                            {"version", kEmberVersion},
                            {"headline", Headline(after, {})},
                            {"exit_status", static_cast<int>(ConclusionOf(after, {}))},
                            {"before", Word(before.verdict().outcome)},
                            {"after", Word(after.verdict().outcome)},
                            {"engine_before", before.verdict().engine},
                            {"engine_after", after.verdict().engine},
                            {"compared", difference.compared},
                            {"moved", difference.moved},
                            {"blocks", difference.blocks},
                            {"lids_moved", difference.lids_moved},
                            {"switches", switches}};
    nlohmann::json moves = nlohmann::json::array();
    for (const Move& move : difference.moves) {
        moves.push_back({{"switch", Hex(move.at)},
                         {"to", Hex(move.to)},
                         {"path", move.path},
                         {"before", move.before},
                         {"after", move.after}});
    }
    if (with_moves) facts["moves"] = moves;
    return facts;
}

std::string TextOf(const Planned& after, const Difference& difference, bool all) {
    std::string text;
    if (ConclusionOf(after, {}) != emberc::kDone) text = Headline(after, {}) + "\n";
    text += fmt::format("{} of {} routes move, in {} blocks of {} switches; {} base LIDs move\n",
                        difference.moved, difference.compared, difference.blocks,
                        difference.switches.size(), difference.lids_moved);
    const std::size_t listed = all ? kAll : kWorst;
    for (std::size_t i = 0; i < std::min(listed, difference.switches.size()); ++i) {
        const SwitchMoves& row = difference.switches[i];
        text += fmt::format("  {:>8} routes  {:>5} blocks  {}\n", row.moved, row.blocks,
                            after.NameOf(row.at));
    }
    if (difference.switches.size() > listed) {
        text += fmt::format("  ... {} more switches; --all tells them, and every route\n",
                            difference.switches.size() - listed);
    }
    for (const Move& move : difference.moves) {
        text += fmt::format("  {}  to {} path {}: port {} -> {}\n", Hex(move.at), Hex(move.to),
                            move.path, move.before, move.after);
    }
    return text;
}

int DiffOrThrow(const DiffRequest& request, const PlanRequest& common) {
    Scene scene = SceneOf(common);
    const auto first = SettingsOf(request.before, TermsIn(scene, common.terms));
    const auto second = SettingsOf(request.after, TermsIn(scene, common.terms));
    scene.Seat(common.home, first->settings());
    const std::unique_ptr<Planned> before = scene.Route(first->settings());
    const std::unique_ptr<Planned> after = scene.Route(second->settings());
    bool is_refused = false;
    for (const Planned* const plan : {before.get(), after.get()}) {
        if (plan->verdict().may_program()) continue;
        is_refused = true;
        for (const RoutingAttempt& attempt : plan->verdict().attempts) {
            emberc::Say(stderr, "{}: {}: {}\n",
                        plan == before.get() ? request.before : request.after, attempt.engine,
                        Explain(*plan, attempt));
        }
    }
    if (is_refused) return emberc::kRoutingIsRefused;
    const Difference difference = Compare(*before, *after, common.all);
    if (common.json != "-") emberc::SayText(stdout, TextOf(*after, difference, common.all));
    WriteOut(common.json, Dump(JsonOf(*before, *after, difference, common.all)));
    return ConclusionOf(*after, {});
}

}  // namespace

int Plan(const PlanRequest& request) {
    return Guarded([&] { return PlanOrThrow(request); });
}

int Diff(const DiffRequest& request, const PlanRequest& common) {
    return Guarded([&] { return DiffOrThrow(request, common); });
}

}  // namespace ember::plan
