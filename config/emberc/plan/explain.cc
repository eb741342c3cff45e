// SPDX-License-Identifier: Apache-2.0
// EmberSM: a plan in words: why tries at a routing were refused, and what option files name.
#include <array>
#include <fmt/format.h>
#include <string>

#include "config/emberc/plan/planner.h"
#include "core/log/words.h"
#include "core/routing/choice_text.h"
#include "core/routing/option_check.h"

namespace ember::plan {
namespace {

std::string ExplainFailure(const Planned& plan, const RoutingAttempt& attempt) {
    const EngineComplaint& complaint = attempt.complaint;
    std::string text = complaint.what == EngineFault::kNone
                           ? "it cannot route this fabric"
                           : std::string(kEngineFaultWords[Raw(complaint.what)]);
    if (complaint.guid != kNoGuid) {
        text += fmt::format("; seen at {} ({})", plan.NameOf(complaint.guid), Hex(complaint.guid));
    }
    if (complaint.port != kNoPort) text += fmt::format(" port {}", Raw(complaint.port));
    return text;
}

}  // namespace

std::string ChannelText(const Planned& plan, const ChannelList& list) {
    std::string text;
    for (const Channel& channel : list.channels) {
        text += fmt::format("{}{} port {}", text.empty() ? "" : ", ",
                            plan.NameOf(channel.switch_guid), Raw(channel.port));
        if (list.lanes > 1) text += fmt::format(" VL {}", channel.lane);
    }
    if (list.length > list.channels.size())
        text += fmt::format(", and {} more", list.length - list.channels.size());
    return text;
}

std::string Explain(const Planned& plan, const RoutingAttempt& attempt) {
    const Findings& findings = plan.refusal();
    switch (attempt.reason) {
        case RoutingReason::kNone:
            break;
        case RoutingReason::kNoEngine:
            return "no engine is configured";
        case RoutingReason::kEngineAbsent:
            return "this release does not have it";
        case RoutingReason::kEngineFailed:
            return ExplainFailure(plan, attempt);
        case RoutingReason::kLostPair:
            return fmt::format("{} does not reach LID {} ({})", plan.NameOf(attempt.at),
                               Raw(attempt.lid), plan.NameOf(attempt.port_guid));
        case RoutingReason::kLoop:
            return fmt::format("packets to LID {} ({}) run in a circle: {}", Raw(attempt.lid),
                               plan.NameOf(attempt.port_guid), ChannelText(plan, findings.loop));
        case RoutingReason::kNotShortest:
            return "a path is longer than the shortest, which it promises";
        case RoutingReason::kCreditLoop:
            return fmt::format("a credit loop is possible: {}", ChannelText(plan, findings.cycle));
        case RoutingReason::kUnsafeFallback:
            return fmt::format(
                "a credit loop is possible, and the first engine of the list promises none: {}",
                ChannelText(plan, findings.cycle));
        case RoutingReason::kStepLanes:
            return fmt::format("the steps get no lanes of their own: {}",
                               ExplainFailure(plan, attempt));
    }
    return {};
}

std::string Choice(const Planned& plan) {
    std::array<char, 512> room{};
    FixedText text(room);
    AddChoice(text, plan.verdict().choice);
    return std::string(text.text());
}

std::string ServiceLevels(const Planned& plan) {
    std::array<char, kLevelsTextRoom> room{};
    FixedText text(room);
    AddLevels(text, plan.lanes());
    return std::string(text.text());
}

std::string CreditLoop(const Planned& plan) {
    const Findings& findings = plan.verdict().findings;
    return findings.end_ports_may_deadlock ? ChannelText(plan, findings.cycle) : std::string();
}

std::vector<std::string> OptionNotes(const Planned& plan, bool with_misses) {
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < kOptionFiles; ++i) {
        const auto file = static_cast<OptionFile>(i);
        const OptionMisses& misses = plan.option_report()[file];
        if (with_misses && misses.guids != 0) {
            notes.push_back(
                fmt::format("warning: {}: {} GUIDs are not in the subnet, the first is {}; they "
                            "are passed over",
                            NameOf(file), misses.guids, Hex(misses.first_guid)));
        }
        if (misses.hosts != 0) {
            notes.push_back(fmt::format(
                "note: {}: {} GUIDs are of hosts or routers, the first is {} ({}); each names the "
                "switches that it hangs on",
                NameOf(file), misses.hosts, Hex(misses.first_host),
                plan.NameOf(misses.first_host)));
        }
        if (with_misses && misses.ports != 0) {
            notes.push_back(
                fmt::format("warning: {}: {} ports do not exist, the first is port {} of {}; they "
                            "are passed over",
                            NameOf(file), misses.ports, Raw(misses.first_port),
                            plan.NameOf(misses.first_switch)));
        }
    }
    return notes;
}

}  // namespace ember::plan
