// SPDX-License-Identifier: Apache-2.0
// EmberSM: the answers of the subnet manager, for people.

#include "platform/linux/emberctl/pages.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "config/explain/host/isolation.h"
#include "platform/linux/emberctl/page_text.h"

namespace ember::ctl {

namespace {

using Json = nlohmann::ordered_json;

/// A line of a page: its label, and its text with blanks; see Fill().
struct Line {
    std::string_view label;
    std::string_view text;
};

std::string RowsOf(std::span<const Line> lines, const Json& from) {
    std::string page;
    for (const Line& line : lines) {
        page += Row(line.label, Fill(line.text, from));
    }
    return page;
}

std::string RowOf(std::string_view label, std::string_view text, const Json& from) {
    return Row(label, Fill(text, from));
}

constexpr Line kSubnetLines[] = {
    {"nodes", "{nodes,}"},
    {"switches", "{switches,}"},
    {"links", "{links,}"},
    {"ports with LIDs", "{end_ports,}, highest LID {top_lid}"},
};

std::string SubnetRows(const Json& subnet) {
    std::string page = RowsOf(kSubnetLines, subnet);
    const Json limits = subnet.value("exhausted_limits", Json::object());
    for (const auto& [name, need] : limits.items()) {
        if (!need.is_object()) continue;
        page +=
            Row("LIMIT EXHAUSTED", name + Fill(" is {limit}, at least {needed} is needed", need));
    }
    return page;
}

std::string FlappingRows(const Json& flapping) {
    constexpr std::string_view kEnds = "{node@} port {port} to {other_node@} port {other_port}";
    std::string page;
    const Json links = flapping.value("links", Json::array());
    for (const Json& link : links) {
        const bool is_held = Text(link, "verdict") == "quarantined";
        page += Row(
            is_held ? "QUARANTINE" : "flaps, stays in use",
            Fill(kEnds, link) + Fill(is_held ? ": lost {events} times, tried again in {left_s} s"
                                             : ": lost {events} times",
                                     link));
    }
    const std::uint64_t all = Count(flapping, "quarantined") + Count(flapping, "damped");
    if (all > links.size()) page += Row("  and more", Grouped(all - links.size()));
    return page;
}

std::string ChannelRows(const Json& cycle) {
    std::string page;
    const Json channels = cycle.value("channels", Json::array());
    for (const Json& channel : channels) {
        page += RowOf("  credit loop", "{switch@} leaves by port {port}", channel);
    }
    return page;
}

/// The verifier tells of two kinds: a cycle that traffic among end ports can close, and one that
/// needs the traffic of switches' own ports, which is rare and which no engine is asked to avoid.
std::string CycleRows(const Json& routing) {
    const Json cycle = routing.value("cycle", Json::object());
    if (routing.value("end_ports_may_deadlock", false)) return ChannelRows(cycle);
    return RowOf("  beside it",
                 "traffic of switches' own ports could close a cycle of {length} channels", cycle);
}

std::string RoutingRows(const Json& routing) {
    const std::uint64_t average = Count(routing, "average_hops_milli");
    std::string page = RowOf("engine", "{engine}", routing);
    const bool is_partial = routing.value("proved_changes_only", false);
    page += RowOf("verifier",
                  is_partial ? "{verdict}, changes only: the rest was proved before" : "{verdict}",
                  routing);
    if (routing.contains("reason")) page += RowOf("reason", "{reason}", routing);
    for (const Json& attempt : routing.value("refused", Json::array())) {
        page += RowOf("  refused", "{engine}: {reason}", attempt);
    }
    for (const Json& file : routing.value("option_files", Json::array())) {
        page += RowOf("  " + Text(file, "option"),
                      "{unknown_guids} GUIDs are not in the subnet, {unknown_ports} ports do not "
                      "exist: passed over",
                      file);
    }
    if (routing.value("mended", false)) {
        page += RowOf("  balance",
                      "{mended_entries,} routes were mended by the last sweep that did; not "
                      "balanced since",
                      routing);
    }
    if (routing.contains("cycle")) page += CycleRows(routing);
    page += Row("hops between switches",
                fmt::format("{}.{:03} on the average, {} at most", average / 1000, average % 1000,
                            Count(routing, "max_hops")));
    return page + RowOf("computed, verified", "{routing_us~}, {verifying_us~}", routing);
}

/// How multicast trees and unicast do together.
std::string JointRows(const Json& groups) {
    const Json joint = groups.value("with_unicast", Json::object());
    const std::string verdict = Text(joint, "verdict");
    if (verdict == "no_room") return Row("  with unicast", "not proved: too little scratch memory");
    if (verdict == "free") return Row("  with unicast", "no credit loop is possible");
    if (!joint.contains("cycle")) return "";
    return RowOf("  with unicast", "the tree of LID {lid} could close a credit loop ({verdict})",
                 joint) +
           ChannelRows(joint["cycle"]);
}

constexpr Line kSweepLines[] = {
    {"sweeps",
     "{sweeps.heavy} heavy, {sweeps.light} light; the last heavy one because of: "
     "{sweeps.last_reason}"},
    {"traps heard", "{sweeps.traps,}"},
    {"last programming",
     "{programming.ports_set,} ports, {programming.blocks_set,} LFT blocks set "
     "({programming.blocks_right,} were right), {programming.failed} failed"},
};

std::string SweepRows(const Json& answer) {
    const Json groups = answer.value("multicast", Json::object());
    return RowsOf(kSweepLines, answer) +
           Row("multicast",
               Fill("{groups,} groups, {members,} members, {mlids,} of {mlid_count,} LIDs, "
                    "{blocks_set,} blocks set",
                    groups) +
                   (groups.value("settled", true) ? "" : ", more to do")) +
           JointRows(groups);
}

std::string SmpRows(const Json& smps) {
    std::string page = RowOf("SMPs",
                             "{sent,} sent, {answered,} answered, {resent,} resent, {timeouts,} "
                             "timed out, {given_up,} given up",
                             smps);
    const Json attributes = smps.value("by_attribute", Json::object());
    for (const auto& [name, counts] : attributes.items()) {
        page += RowOf("  " + name, "{gets,} Get, {sets,} Set", counts);
    }
    return page + RowOf("window",
                        "{window} now, {in_flight} in flight, {peak_in_flight} at most so far; "
                        "round trip {round_trip_us~}",
                        smps);
}

constexpr Line kRestoredLines[] = {
    {"restored",
     "from the {source}: {members,} memberships of {groups,} groups, {services,} "
     "services, {subscriptions,} subscriptions, {alias_guids,} alias GUIDs"},
    {"", "not restored: {gone,} of ports that are gone, {expired,} expired, {unusable,} unusable"},
};

std::string RegisteredRows(const Json& answer) {
    const Json registered = answer.value("registered", Json::object());
    std::string page;
    for (const auto& [name, what] : registered.items()) {
        page += Row(page.empty() ? "registered" : "",
                    Fill("{count,} ", what) + name + Fill(" of {limit,}", what));
    }
    const Json restored = answer.value("restored", Json::object());
    const std::string source = Text(restored, "source");
    if (!source.empty() && source != "nothing") page += RowsOf(kRestoredLines, restored);
    const Json journal = answer.value("sa_journal", Json::object());
    const bool is_well = Count(journal, "failures") == 0;
    return page + Row("their journal",
                      (journal.value("kept", false) ? "kept" : "not kept") +
                          Fill(is_well ? ", {bytes,} bytes, {safe_bytes,} of them safe"
                                       : ", {bytes,} bytes, {safe_bytes,} of them safe, "
                                         "{failures,} failures, the last one: {last_error}",
                               journal));
}

std::string AdministrationRows(const Json& sa) {
    if (!sa.value("serves", false)) return Row("administrator", "does not serve");
    return RowOf("administrator",
                 "{questions,} questions, {answers,} answers, {tables,} tables, {refused,} "
                 "refused, {busy,} busy",
                 sa);
}

std::string TimeRows(const Json& time) {
    std::string page = RowOf("up time", "{uptime_us~}", time);
    page += RowOf("last bring-up", "{bring_up_us~}", time);
    const Json stages = time.value("stages", Json::object());
    for (const auto& [name, stage] : stages.items()) {
        if (Count(stage, "us") == 0) continue;
        page += RowOf("  " + name, "{us~}, {smps,} SMPs, own work {work_us~}", stage);
    }
    return page + RowOf("longest step", "{longest_step_us~}", time);
}

/// Tells what replication knows of another SM.
std::string PeerText(const Json& other) {
    if (!other.contains("configured_alike")) return Fill(", {peer}", other);
    std::string text =
        other.value("configured_alike", true) ? ", configured alike" : ", CONFIGURED OTHERWISE";
    if (!other.value("formatted_alike", true)) text += ", OTHER FORMAT OF RECORDS";
    if (other.value("too_small", false)) text += ", TOO SMALL FOR OUR RECORDS";
    if (!other.value("fed", false)) return text;
    if (!other.value("registrations_complete", true)) return text + ", clients are being asked";
    return text + Fill(", {behind_entries} entries and {behind_us~} behind", other);
}

std::string ManagerRows(const Json& answer) {
    const bool stands_aside = answer.value("stands_aside", false);
    std::string page =
        Row("this SM", Fill("{guid@} {role}, priority {priority}", answer) +
                           (stands_aside ? ", OUT OF ELECTIONS: configured otherwise" : ""));
    for (const Json& other : answer.value("other_sms", Json::array())) {
        page +=
            Row("other SM", Fill("{guid@} {state}, priority {priority}", other) +
                                (other.value("counts", true) ? "" : ", ignored") + PeerText(other));
    }
    page += RowOf("the master is master", "{master_because}", answer);
    const Json replication = answer.value("replication", Json::object());
    if (!replication.value("holds_replica", false)) return page;
    return page + RowOf("replica", "of {follows@}, {records_followed,} records", replication);
}

}  // namespace

std::string StatusPage(const Json& answer) {
    std::string page = Fill("{headline}: {role}, {stage}\n", answer);
    page += SubnetRows(answer.value("subnet", Json::object()));
    page += FlappingRows(answer.value("flapping_links", Json::object()));
    page += RoutingRows(answer.value("routing", Json::object()));
    page += SweepRows(answer);
    page += SmpRows(answer.value("smps", Json::object()));
    page += RegisteredRows(answer);
    page += AdministrationRows(answer.value("administration", Json::object()));
    page += TimeRows(answer.value("time", Json::object()));
    page += ManagerRows(answer);
    page += RowOf("configuration", "{configuration.sentence}", answer);
    const Json configuration = answer.value("configuration", Json::object());
    page += Row("", explain::IsolationText(Count(configuration, "partitions")));
    return page + RowOf("version", "{version}", answer);
}

std::string ReloadPage(const Json& answer) {
    std::string page = Fill("accepted, counter {counter}", answer);
    page += "; in force from the sweep that begins now, or at once where partitions alone differ\n";
    for (const Json& key : answer.value("restart_needed", Json::array())) {
        page += fmt::format("but {} has changed, which takes a restart of embersm\n",
                            key.get<std::string>());
    }
    return page;
}

std::string MemoryPage(const Json& answer) {
    std::string page = "static memory\n";
    for (const Json& arena : answer.value("arenas", Json::array())) {
        page += fmt::format("  {:<24} {:>14} bytes\n", Text(arena, "name"),
                            Grouped(Count(arena, "bytes")));
    }
    page += fmt::format("  {:<24} {:>14} bytes\n", "together",
                        Grouped(Count(answer, "together_bytes")));
    page += fmt::format("  {:<24} {:>14} bytes\n", "scratch, most used",
                        Grouped(Count(answer, "scratch_peak_bytes")));
    return page;
}

}  // namespace ember::ctl
