// SPDX-License-Identifier: Apache-2.0
// EmberSM: the part of the status that is about routes.

#include "platform/linux/views/routing_json.h"

#include <array>

#include "core/log/fixed_text.h"
#include "core/log/words.h"
#include "core/routing/choice_text.h"
#include "platform/common/headline.h"
#include "platform/common/summary.h"

namespace ember {
namespace {

/// Every engine that was refused, and why: the node and port as far as they are known.
void AddAttempts(JsonWriter& json, const Verdict& verdict) {
    json.OpenList("refused");
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (attempt.outcome != RoutingOutcome::kRefused) continue;
        const EngineComplaint& complaint = attempt.complaint;
        json.Open().Add("engine", attempt.engine);
        if (attempt.step_id != 0) json.Add("unicast_step", attempt.step_id);
        std::array<char, 256> room{};
        FixedText why(room);
        AddWhy(why, attempt);
        json.Add("reason", why.text());
        const Guid at = complaint.guid != kNoGuid ? complaint.guid : attempt.at;
        if (at != kNoGuid) json.AddGuid("at", Raw(at));
        if (complaint.port != kNoPort) json.Add("port", Raw(complaint.port));
        if (attempt.lid != kNoLid) json.Add("lid", Raw(attempt.lid));
        json.Close();
    }
    json.CloseList();
}

/// The steps of a chain whose routes count.
void AddSteps(JsonWriter& json, const Verdict& verdict) {
    if (verdict.engine != kChainWord) return;
    json.OpenList("unicast_steps");
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (attempt.outcome == RoutingOutcome::kRefused) continue;
        json.Open().Add("id", attempt.step_id).Add("engine", attempt.engine).Close();
    }
    json.CloseList();
}

/// Adds what option files name that is not in the subnet.
void AddOptionMisses(JsonWriter& json, const OptionReport& report) {
    json.OpenList("option_files");
    for (std::size_t i = 0; i < kOptionFiles; ++i) {
        const auto file = static_cast<OptionFile>(i);
        const OptionMisses& misses = report[file];
        if (!misses.any()) continue;
        json.Open().Add("option", NameOf(file)).Add("unknown_guids", misses.guids);
        if (misses.guids != 0) json.AddGuid("first_guid", Raw(misses.first_guid));
        json.Add("unknown_ports", misses.ports);
        if (misses.ports != 0) {
            json.AddGuid("first_switch", Raw(misses.first_switch));
            json.Add("first_port", Raw(misses.first_port));
        }
        json.Close();
    }
    json.CloseList();
}

/// Nothing where there is nothing to say.
template <typename Write>
void AddText(JsonWriter& json, std::string_view name, const Write& write) {
    std::array<char, 512> room{};
    FixedText text(room);
    write(text);
    if (!text.text().empty()) json.Add(name, text.text());
}

}  // namespace

void AddChannels(JsonWriter& json, std::string_view key, const ChannelList& list) {
    json.Open(key).Add("length", list.length).OpenList("channels");
    for (const Channel& channel : list.channels) {
        json.Open().AddGuid("switch", Raw(channel.switch_guid));
        json.Add("port", Raw(channel.port));
        if (list.lanes > 1) json.Add("vl", channel.lane);
        json.Close();
    }
    json.CloseList().Close();
}

void AddRouting(JsonWriter& json, const SubnetManager& sm, const SubnetStatus& status) {
    const Verdict& verdict = sm.router().verdict();
    const Findings& findings = verdict.findings;
    json.Open("routing").Add("engine", verdict.engine);
    AddSteps(json, verdict);
    AddText(json, "fabric", [&](FixedText& text) { AddChoice(text, verdict.choice); });
    if (verdict.choice.assumed_roots != 0) json.Add("assumed_roots", verdict.choice.assumed_roots);
    if (verdict.choice.bridge != kNoGuid) json.AddGuid("bridge", Raw(verdict.choice.bridge));
    if (verdict.laid_lanes) json.Add("steps_have_lanes", true);
    AddText(json, "service_levels",
            [&](FixedText& text) { AddLevels(text, sm.router().programmed_lanes()); });
    json.Add("verdict", ember::WordOf(verdict.outcome));
    json.Add("may_program", verdict.may_program());
    if (verdict.reason != RoutingReason::kNone) {
        json.Add("reason", ember::WordOf(verdict.reason));
    }
    AddAttempts(json, verdict);
    AddOptionMisses(json, sm.router().option_report());
    json.Add("mended", status.mended).Add("mended_entries", verdict.mended.entries);
    json.Add("balancings", status.balancings);
    json.Add("proved_changes_only", verdict.proved_changes_only);
    json.Add("routes", findings.routes).Add("longer_routes", findings.longer_routes);
    json.Add("lids", findings.lids).Add("islands", findings.islands);
    json.Add("average_hops_milli", findings.average_hops_milli());
    json.Add("max_hops", findings.max_hops);
    json.Add("end_ports_may_deadlock", findings.end_ports_may_deadlock);
    json.Add("anything_may_deadlock", findings.anything_may_deadlock);
    if (findings.cycle.length != 0) AddChannels(json, "cycle", findings.cycle);
    if (findings.fault != Findings::Fault::kNone) {
        json.AddGuid("fault_at", Raw(findings.at)).Add("fault_lid", Raw(findings.lid));
        if (findings.loop.length != 0) AddChannels(json, "loop", findings.loop);
    }
    json.Add("routing_us", status.routing_us).Add("verifying_us", status.verifying_us);
    json.Close();
}

}  // namespace ember
