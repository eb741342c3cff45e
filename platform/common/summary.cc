// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a person wants to know once the subnet is up.

#include "platform/common/summary.h"

#include <array>
#include <cstdint>

#include "core/log/words.h"
#include "core/routing/choice_text.h"
#include "platform/common/headline.h"

namespace ember {

namespace {

constexpr std::array<std::string_view, kStages> kStageWords = {
    "resting", "discovering", "electing", "preparing", "programming", "activating", "light sweep"};
static_assert(static_cast<std::size_t>(Stage::kLightSweep) + 1 == kStages);

struct AttributeName {
    AttributeId id;
    std::string_view name;
};
constexpr AttributeName kAttributeNames[] = {
    {AttributeId::kNotice, "Notice"},
    {AttributeId::kNodeDescription, "NodeDescription"},
    {AttributeId::kNodeInfo, "NodeInfo"},
    {AttributeId::kSwitchInfo, "SwitchInfo"},
    {AttributeId::kGuidInfo, "GUIDInfo"},
    {AttributeId::kPortInfo, "PortInfo"},
    {AttributeId::kPKeyTable, "P_KeyTable"},
    {AttributeId::kSlToVlMappingTable, "SLtoVLMappingTable"},
    {AttributeId::kVlArbitrationTable, "VLArbitrationTable"},
    {AttributeId::kLinearForwardingTable, "LinearForwardingTable"},
    {AttributeId::kMulticastForwardingTable, "MulticastForwardingTable"},
    {AttributeId::kSmInfo, "SMInfo"},
};

/// With commas: 1,234,567.
void AddGrouped(FixedText& text, std::uint64_t number) {
    std::array<std::uint64_t, 7> groups{};
    std::size_t count = 0;
    do {  // Ends: 64 bits have at most seven groups of three digits.
        groups[count++] = number % 1000;
        number /= 1000;
    } while (number != 0);
    text.AddNumber(groups[count - 1]);
    for (std::size_t i = count - 1; i > 0; --i) {
        text.Add(',').AddNumber(groups[i - 1], 3);
    }
}

void AddMilliseconds(FixedText& text, std::uint64_t us) {
    text.AddNumber(us / 1000).Add('.').AddNumber(us % 1000, 3).Add(" ms");
}

void AddLabel(FixedText& text, std::string_view label) {
    constexpr std::size_t kColumn = 26;
    text.Add("  ").Add(label);
    for (std::size_t i = label.size(); i < kColumn; ++i) {
        text.Add(' ');
    }
}

void AddCount(FixedText& text, std::string_view label, std::uint64_t count) {
    AddLabel(text, label);
    AddGrouped(text, count);
    text.Add('\n');
}

void AddTime(FixedText& text, std::string_view label, std::uint64_t us) {
    AddLabel(text, label);
    AddMilliseconds(text, us);
    text.Add('\n');
}

void AddSubnet(FixedText& text, const Fabric& fabric) {
    text.Add("subnet\n");
    AddCount(text, "nodes", fabric.node_count());
    AddCount(text, "switches", fabric.switch_count());
    AddCount(text, "links", fabric.CountLinks());
    AddCount(text, "ports with LIDs", fabric.CountPortsWithLids());
    AddCount(text, "highest LID", Raw(fabric.top_lid()));
}

void AddRouting(FixedText& text, const SubnetStatus& status, const Router& router) {
    const Verdict& verdict = router.verdict();
    const Findings& findings = verdict.findings;
    text.Add("routing\n");
    AddLabel(text, "engine");
    text.Add(verdict.engine.empty() ? std::string_view("none") : verdict.engine).Add('\n');
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (attempt.step_id == 0 || attempt.outcome == RoutingOutcome::kRefused) continue;
        AddLabel(text, "unicast-step");
        text.AddNumber(attempt.step_id).Add(" by ").Add(attempt.engine).Add('\n');
    }
    if (verdict.choice.shape != FabricShape::kUnknown) {
        AddLabel(text, "fabric taken for");
        AddChoice(text, verdict.choice);
        text.Add('\n');
    }
    if (const std::uint32_t roots = verdict.choice.assumed_roots; roots != 0) {
        AddLabel(text, "roots assumed");
        text.AddNumber(roots).Add(" switches, by the shape of the fabric\n");
    }
    if (verdict.choice.bridge != kNoGuid) {
        AddLabel(text, "roots bridged");
        text.Add("over 0x").AddHex(Raw(verdict.choice.bridge), 16).Add('\n');
    }
    if (verdict.laid_lanes) {
        AddLabel(text, "steps of the chain");
        text.Add("have lanes of their own: on one they close a credit loop\n");
    }
    if (router.programmed_lanes().levels != LaneLevels{}) {
        AddLabel(text, "levels of service");
        AddLevels(text, router.programmed_lanes());
        text.Add('\n');
    }
    AddLabel(text, "verifier");
    text.Add(WordOf(verdict.outcome));
    if (verdict.reason != RoutingReason::kNone) text.Add(": ").Add(WordOf(verdict.reason));
    text.Add('\n');
    for (const RoutingAttempt& attempt : verdict.attempts) {
        if (attempt.outcome != RoutingOutcome::kRefused) continue;
        AddLabel(text, "refused");
        text.Add(attempt.engine);
        if (attempt.step_id != 0) text.Add(" of unicast-step ").AddNumber(attempt.step_id);
        text.Add(": ");
        AddWhy(text, attempt);
        text.Add('\n');
    }
    AddCount(text, "routes followed", findings.routes);
    AddLabel(text, "hops between switches");
    const unsigned average = findings.average_hops_milli();
    text.AddNumber(average / 1000).Add('.').AddNumber(average % 1000, 3).Add(" on the average, ");
    text.AddNumber(findings.max_hops).Add(" at most\n");
    // No clock goes on within a step: a small fabric takes one, and so does any in simulated time.
    if (status.routing_us != 0) AddTime(text, "computed in", status.routing_us);
    if (status.verifying_us != 0) AddTime(text, "verified in", status.verifying_us);
}

void AddDatagrams(FixedText& text, const ExchangeStatistics& sent) {
    text.Add("datagrams\n");
    AddCount(text, "sent", sent.sent);
    AddCount(text, "of these repeated", sent.resent);
    AddCount(text, "answered", sent.answered);
    for (const AttributeName& attribute : kAttributeNames) {
        const std::uint64_t gets = sent.GetsOf(attribute.id);
        const std::uint64_t sets = sent.SetsOf(attribute.id);
        if (gets == 0 && sets == 0) continue;
        AddLabel(text, attribute.name);
        AddGrouped(text, gets);
        text.Add(" Get, ");
        AddGrouped(text, sets);
        text.Add(" Set\n");
    }
}

void AddTimes(FixedText& text, const SubnetStatus& status) {
    text.Add("time\n");
    AddTime(text, "to SUBNET UP", status.bring_up_us);
    for (std::size_t i = 1; i < kStages; ++i) {
        if (static_cast<Stage>(i) == Stage::kLightSweep || status.stage_us[i] == 0) continue;
        AddLabel(text, kStageWords[i]);
        AddMilliseconds(text, status.stage_us[i]);
        text.Add(", ");
        AddGrouped(text, status.stage_smps[i]);
        text.Add(" SMPs, own work ");
        AddMilliseconds(text, status.stage_work_us[i]);
        text.Add('\n');
    }
    AddTime(text, "longest step", status.longest_step_us);
}

}  // namespace

std::string_view WordOf(Stage stage) {
    return kStageWords[static_cast<std::size_t>(stage)];
}

std::string_view WordOf(RoutingOutcome outcome) {
    static constexpr std::array<std::string_view, 6> kWords = {
        "nothing to route",
        "verified: all pairs reached, no loop, no deadlock",
        "verified: all pairs reached, no loop, BUT a credit loop is possible",
        "verified: the safe routing, as no engine can route the fabric",
        "kept: no engine can route the fabric; the switches' tables pass as they are",
        "refused"};
    static_assert(kWords.size() == static_cast<std::size_t>(RoutingOutcome::kRefused) + 1);
    return kWords[static_cast<std::size_t>(outcome)];
}

std::string_view WordOf(RoutingReason reason) {
    static constexpr std::array<std::string_view, 10> kWords = {
        "",
        "no engine is configured",
        "the engine is configured, and this board has not got it",
        "the engine cannot route this fabric",
        "a pair is not connected",
        "packets would run in a circle",
        "a path is longer than promised",
        "a credit loop is possible",
        "a credit loop is possible, which the first engine of the list excludes",
        "the steps get no lanes of their own"};
    static_assert(kWords.size() == static_cast<std::size_t>(RoutingReason::kStepLanes) + 1);
    return kWords[static_cast<std::size_t>(reason)];
}

void AddReason(FixedText& text, const RoutingAttempt& attempt) {
    text.Add(WordOf(attempt.reason));
    const EngineComplaint& complaint = attempt.complaint;
    if (complaint.what != EngineFault::kNone) {
        text.Add(": ").Add(kEngineFaultWords[static_cast<std::size_t>(complaint.what)]);
    }
}

void AddWhy(FixedText& text, const RoutingAttempt& attempt) {
    AddReason(text, attempt);
    const EngineComplaint& complaint = attempt.complaint;
    const Guid at = complaint.guid != kNoGuid ? complaint.guid : attempt.at;
    if (at != kNoGuid) text.Add(", at 0x").AddHex(Raw(at), 16);
    if (complaint.port != kNoPort) text.Add(" port ").AddNumber(Raw(complaint.port));
    if (attempt.lid != kNoLid) text.Add(", LID ").AddNumber(Raw(attempt.lid));
}

std::string_view WordOf(AttributeId attribute) {
    for (const AttributeName& known : kAttributeNames) {
        if (known.id == attribute) return known.name;
    }
    return "";
}

void AddMemory(FixedText& text, std::span<const MemoryRow> rows) {
    text.Add("static memory\n");
    std::uint64_t sum = 0;
    for (const MemoryRow& row : rows) {
        AddLabel(text, row.name);
        AddGrouped(text, row.bytes);
        text.Add(" bytes\n");
        sum += row.bytes;
    }
    AddLabel(text, "together");
    AddGrouped(text, sum);
    text.Add(" bytes\n");
}

void AddBriefSummary(FixedText& text, const SubnetManager& sm) {
    const Fabric& fabric = sm.fabric();
    const Verdict& verdict = sm.router().verdict();
    const SubnetStatus& status = sm.progress();
    const ExchangeStatistics& sent = sm.exchange().statistics();
    AddHeadline(text, sm);
    text.Add('\n');
    AddLabel(text, "found");
    AddGrouped(text, fabric.switch_count());
    text.Add(" switches and ");
    AddGrouped(text, fabric.node_count() - fabric.switch_count());
    text.Add(" other nodes on ");
    AddGrouped(text, fabric.CountLinks());
    text.Add(" cables\n");
    AddLabel(text, "given out");
    AddGrouped(text, fabric.CountPortsWithLids());
    text.Add(" LIDs\n");
    AddLabel(text, "routed by");
    text.Add(verdict.engine.empty() ? std::string_view("none") : verdict.engine);
    if (verdict.choice.shape != FabricShape::kUnknown) {
        text.Add(", which takes it for: ");
        AddChoice(text, verdict.choice);
    }
    text.Add('\n');
    AddLabel(text, "proved");
    text.Add(WordOf(verdict.outcome)).Add('\n');
    AddLabel(text, "");
    AddGrouped(text, verdict.findings.routes);
    text.Add(" routes followed, ").AddNumber(verdict.findings.max_hops);
    text.Add(" hops at most\n");
    AddLabel(text, "asked and told");
    AddGrouped(text, sent.sent);
    text.Add(" datagrams, ");
    AddGrouped(text, sent.resent);
    text.Add(" of them again\n");
    AddLabel(text, "own work");
    std::uint64_t work_us = 0;
    for (const std::uint64_t us : status.stage_work_us) {
        work_us += us;
    }
    AddMilliseconds(text, work_us);
    text.Add(" of CPU time in all\n");
}

void AddSummary(FixedText& text, const SubnetManager& sm, std::span<const MemoryRow> rows) {
    AddHeadline(text, sm);
    text.Add('\n');
    AddSubnet(text, sm.fabric());
    AddRouting(text, sm.progress(), sm.router());
    AddDatagrams(text, sm.exchange().statistics());
    AddTimes(text, sm.progress());
    AddMemory(text, rows);
}

}  // namespace ember
