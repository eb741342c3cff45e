// SPDX-License-Identifier: Apache-2.0
// EmberSM: a plan as one JSON document.
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/emberc/plan/report.h"
#include "config/explain/words.h"
#include "core/base/version.h"

namespace ember::plan {
namespace {

using nlohmann::json;

json EndAt(const Planned& plan, Guid guid, PortNumber port) {
    return {{"node", plan.NameOf(guid)}, {"guid", Hex(guid)}, {"port", Raw(port)}};
}

/// The first of those that no route uses.
json OddLinks(const Planned& plan) {
    json links = json::array();
    for (const OddLink& link : plan.verdict().choice.odd) {
        links.push_back({{"one", EndAt(plan, link.one, link.port)},
                         {"other", EndAt(plan, link.other, link.other_port)}});
    }
    return links;
}

json JsonOf(const Planned& plan, const Verdict& verdict) {
    json attempts = json::array();
    for (const RoutingAttempt& attempt : verdict.attempts) {
        attempts.push_back({{"engine", attempt.engine},
                            {"unicast_step", attempt.step_id},
                            {"outcome", Word(attempt.outcome)},
                            {"reason", Explain(plan, attempt)}});
    }
    return {
        {"outcome", Word(verdict.outcome)},
        {"may_program", verdict.may_program()},
        {"engine", verdict.engine},
        {"fabric", Choice(plan)},
        {"attempts", attempts},
        {"credit_loop", CreditLoop(plan)},
        {"lanes", plan.lanes().count},
        {"steps_have_lanes", verdict.laid_lanes},
        {"service_levels", ServiceLevels(plan)},
        {"assumed_roots", verdict.choice.assumed_roots},
        {"left_out", OddLinks(plan)},
        {"left_out_count", verdict.choice.odd_count},
        {"bridge", verdict.choice.bridge == kNoGuid ? json() : json(Hex(verdict.choice.bridge))},
        {"routes", verdict.findings.routes},
        {"longer_routes", verdict.findings.longer_routes},
        {"max_hops", verdict.findings.max_hops}};
}

json JsonOf(const Planned& plan, const AllToAll& loads) {
    const auto link_at = [&plan](SwitchIndex at, PortNumber port) -> json {
        if (at == kNoSwitch) return nullptr;
        return EndAt(plan, plan.node(at).guid, port);
    };
    return {{"hosts", loads.hosts},
            {"links", loads.links},
            {"idle", loads.idle},
            {"max", loads.max},
            {"mean", loads.mean},
            {"deviation", loads.deviation},
            {"saturation", loads.saturation},
            {"busiest", link_at(loads.busiest, loads.busiest_port)},
            {"saturation_by_rate", loads.saturation_by_rate},
            {"busiest_by_rate", link_at(loads.narrowest, loads.narrowest_port)},
            {"paths", loads.paths},
            {"lost", loads.lost}};
}

json JsonOf(const LinkClass& row) {
    return {{"from", row.from}, {"to", row.to},     {"links", row.links}, {"idle", row.idle},
            {"max", row.max},   {"mean", row.mean}, {"bands", row.bands}};
}

json JsonOf(const Fit& fit) {
    json limits = json::array();
    for (const LimitRow& row : fit.limits) {
        limits.push_back({{"name", row.name},
                          {"needed", row.needed},
                          {"limit", row.limit},
                          {"fits", row.fits()}});
    }
    json arenas = json::array();
    for (const ArenaRow& row : fit.arenas) {
        arenas.push_back({{"name", row.name},
                          {"needed_bytes", row.needed_bytes},
                          {"board_bytes", row.board_bytes}});
    }
    return {{"board", fit.board},
            {"fits", fit.fits()},
            {"limits", limits},
            {"arenas", arenas},
            {"needed_bytes", fit.needed_bytes},
            {"board_bytes", fit.board_bytes}};
}

json JsonOf(const FailureEffect& effect) {
    return {{"what", effect.name},
            {"kind", KindOf(effect)},
            {"guid", effect.guid},
            {"port", effect.port},
            {"outcome", Word(effect.outcome)},
            {"engine", effect.engine},
            {"hosts_lost", effect.hosts_lost},
            {"pairs_lost", effect.pairs_lost},
            {"saturation", effect.saturation},
            {"saturation_by_rate", effect.saturation_by_rate},
            {"moved", effect.moved},
            {"blocks", effect.blocks},
            {"fullest_lane", effect.lane},
            {"lane_max", effect.lane_max}};
}

json JsonOf(const Planned& plan, const SlowLink& link) {
    const auto end = [&plan](SwitchIndex at, PortNumber port) {
        return json{
            {"node", plan.NameOf(at)}, {"guid", Hex(plan.node(at).guid)}, {"port", Raw(port)}};
    };
    return {{"one", end(link.one, link.port)},
            {"other", end(link.other, link.other_port)},
            {"rate", explain::RateWord(link.rate)},
            {"beside", explain::RateWord(link.beside)}};
}

json JsonOf(const LaneLoad& load) {
    return {{"paths", load.paths}, {"links", load.links}, {"max", load.max}, {"sum", load.sum}};
}

json JsonOf(const EngineEffect& effect) {
    json facts = {
        {"engine", effect.engine}, {"outcome", Word(effect.outcome)}, {"reason", effect.reason}};
    if (!effect.reason.empty()) return facts;
    facts["saturation"] = effect.saturation;
    facts["saturation_by_rate"] = effect.saturation_by_rate;
    facts["bisection"] = effect.effective_bisection;
    facts["worst_shift"] = effect.worst_shift;
    facts["lanes"] = effect.lanes;
    facts["mean_hops"] = effect.mean_hops;
    facts["longer_routes"] = effect.longer_routes;
    facts["free_of_credit_loops"] = Word(effect.freedom);
    return facts;
}

json JsonOf(const MembershipMatrix& matrix) {
    constexpr std::array<std::string_view, 4> kWords = {"none", "limited", "full", "both"};
    json partitions = json::array();
    for (const PartitionColumn& column : matrix.partitions) {
        partitions.push_back({{"p_key", fmt::format("0x{:04x}", column.p_key)},
                              {"name", column.name},
                              {"line", column.line},
                              {"full", column.full},
                              {"limited", column.limited}});
    }
    json kinds = json::array();
    for (const PortKind& kind : matrix.kinds) {
        json in = json::object();
        for (std::size_t i = 0; i < kind.in.size(); ++i) {
            if (kind.in[i] == Membership::kNone) continue;
            in[fmt::format("0x{:04x}", matrix.partitions[i].p_key)] =
                kWords[static_cast<std::size_t>(kind.in[i])];
        }
        kinds.push_back(
            {{"ports", kind.ports}, {"first", kind.first}, {"last", kind.last}, {"in", in}});
    }
    return {
        {"configured", !matrix.partitions.empty()}, {"partitions", partitions}, {"kinds", kinds}};
}

template <typename Rows>
json ListOf(const Rows& rows) {
    json list = json::array();
    for (const auto& row : rows) {
        list.push_back(JsonOf(row));
    }
    return list;
}

}  // namespace

json RenderJson(const Planned& plan, const Report& report) {
    const Provenance& provenance = report.provenance;
    json facts = {{"schema", kJsonSchema},
                  {"program", "emberc"},
                  {"version", kEmberVersion},
                  {"configuration",
                   {{"file", provenance.configuration.empty() ? json(nullptr)
                                                              : json(provenance.configuration)},
                    {"sha256", provenance.configuration_digest}}},
                  {"headline", Headline(plan, report)},
                  {"exit_status", static_cast<int>(ConclusionOf(plan, report))},
                  {"fabric",
                   {{"name", report.fabric},
                    {"switches", report.switches},
                    {"hosts", report.nodes - report.switches},
                    {"cables", report.links},
                    {"out_of_sight", report.unmanaged},
                    {"manager", report.home}}},
                  {"verdict", JsonOf(plan, plan.verdict())},
                  {"membership", JsonOf(report.membership)},
                  {"boards", ListOf(report.fits)},
                  {"engines", ListOf(report.engines)},
                  {"failures", ListOf(report.failures)}};
    if (report.single) {
        facts["best_single_engine"] = {{"engine", report.single->engine},
                                       {"outcome", Word(report.single->outcome)},
                                       {"saturation", report.single->saturation},
                                       {"saturation_by_rate", report.single->saturation_by_rate},
                                       {"mean_hops", report.single->mean_hops}};
    }
    if (!plan.verdict().may_program()) return facts;
    facts["all_to_all"] = JsonOf(plan, report.loads);
    facts["hops"] = {{"histogram", report.loads.hops}, {"mean", report.loads.mean_hops()}};
    facts["levels"] = ListOf(report.classes);
    facts["slow_links"] = json::array();
    for (const SlowLink& link : report.slow) {
        facts["slow_links"].push_back(JsonOf(plan, link));
    }
    facts["lanes"] = ListOf(report.lanes);
    facts["cycle_on_one_lane"] = report.cycle_on_one_lane;
    facts["load_bands"] = {{"fair_share", FairShare(report.loads)}, {"edges", kBandEdges}};
    facts["load_histogram"] = {{"width", report.histogram.width},
                               {"idle", report.histogram.idle},
                               {"counts", report.histogram.counts}};
    facts["shifts"] = {{"count", report.shifts.count},
                       {"worst", report.shifts.worst},
                       {"worst_k", report.shifts.worst_k},
                       {"mean", report.shifts.mean}};
    facts["bisections"] = {{"count", report.bisections.count},
                           {"effective", report.bisections.effective},
                           {"worst", report.bisections.worst}};
    return facts;
}

}  // namespace ember::plan
