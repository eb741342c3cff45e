// SPDX-License-Identifier: Apache-2.0
// EmberSM: the answers of the subnet manager, for people.

#include "platform/linux/emberctl/pages.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/explain/host/isolation.h"
#include "platform/linux/views/metrics_table.h"

namespace ember::ctl {

namespace {

using Json = nlohmann::ordered_json;

std::string Row(const std::string& label, const std::string& text) {
    return fmt::format("  {:<22} {}\n", label, text);
}

std::string Text(const Json& from, const char* key) {
    return from.value(key, std::string());
}

/// A GUID, and in quotation marks the name of its node if it has one.
std::string Named(const Json& answer, const std::string& key) {
    const std::string name = Text(answer, (key + "_name").c_str());
    return name.empty() ? Text(answer, key.c_str())
                        : fmt::format("{} \"{}\"", Text(answer, key.c_str()), name);
}

std::uint64_t Count(const Json& from, const char* key) {
    return from.value(key, std::uint64_t{0});
}

std::string SubnetRows(const Json& subnet) {
    std::string page = Row("nodes", Grouped(Count(subnet, "nodes")));
    page += Row("switches", Grouped(Count(subnet, "switches")));
    page += Row("links", Grouped(Count(subnet, "links")));
    page += Row("ports with LIDs",
                fmt::format("{}, highest LID {}", Grouped(Count(subnet, "end_ports")),
                            Count(subnet, "top_lid")));
    const Json limits = subnet.value("exhausted_limits", Json::object());
    for (const auto& [name, need] : limits.items()) {
        if (!need.is_object()) continue;
        page += Row("LIMIT EXHAUSTED", fmt::format("{} is {}, at least {} is needed", name,
                                                   Count(need, "limit"), Count(need, "needed")));
    }
    return page;
}

std::string FlappingRows(const Json& flapping) {
    std::string page;
    const Json links = flapping.value("links", Json::array());
    for (const Json& link : links) {
        const std::string ends =
            fmt::format("{} port {} to {} port {}", Named(link, "node"), Count(link, "port"),
                        Named(link, "other_node"), Count(link, "other_port"));
        if (Text(link, "verdict") == "quarantined") {
            page += Row("QUARANTINE", fmt::format("{}: lost {} times, tried again in {} s", ends,
                                                  Count(link, "events"), Count(link, "left_s")));
        } else {
            page += Row("flaps, stays in use",
                        fmt::format("{}: lost {} times", ends, Count(link, "events")));
        }
    }
    const std::uint64_t all = Count(flapping, "quarantined") + Count(flapping, "damped");
    if (all > links.size()) page += Row("  and more", Grouped(all - links.size()));
    return page;
}

std::string ChannelRows(const Json& cycle) {
    std::string page;
    const Json channels = cycle.value("channels", Json::array());
    for (const Json& channel : channels) {
        page += Row("  credit loop", fmt::format("{} leaves by port {}", Named(channel, "switch"),
                                                 Count(channel, "port")));
    }
    return page;
}

/// The verifier tells of two kinds: a cycle that traffic among end ports can close, and one that
/// needs the traffic of switches' own ports, which is rare and which no engine is asked to avoid.
std::string CycleRows(const Json& routing) {
    const Json cycle = routing.value("cycle", Json::object());
    if (!routing.value("end_ports_may_deadlock", false)) {
        return Row("  beside it", fmt::format("traffic of switches' own ports could close a cycle "
                                              "of {} channels",
                                              Count(cycle, "length")));
    }
    return ChannelRows(cycle);
}

std::string RoutingRows(const Json& routing) {
    const std::uint64_t average = Count(routing, "average_hops_milli");
    std::string page = Row("engine", Text(routing, "engine"));
    const bool is_partial = routing.value("proved_changes_only", false);
    page += Row("verifier", Text(routing, "verdict") +
                                (is_partial ? ", changes only: the rest was proved before" : ""));
    if (routing.contains("reason")) page += Row("reason", Text(routing, "reason"));
    for (const Json& attempt : routing.value("refused", Json::array())) {
        page += Row("  refused", Text(attempt, "engine") + ": " + Text(attempt, "reason"));
    }
    const Json files = routing.value("option_files", Json::array());
    for (const Json& file : files) {
        page +=
            Row("  " + Text(file, "option"),
                fmt::format("{} GUIDs are not in the subnet, {} ports do not exist: passed over",
                            Count(file, "unknown_guids"), Count(file, "unknown_ports")));
    }
    if (routing.value("mended", false)) {
        page +=
            Row("  balance", fmt::format("{} routes were mended by the last sweep that did; not "
                                         "balanced since",
                                         Grouped(Count(routing, "mended_entries"))));
    }
    if (routing.contains("cycle")) page += CycleRows(routing);
    page += Row("hops between switches",
                fmt::format("{}.{:03} on the average, {} at most", average / 1000, average % 1000,
                            Count(routing, "max_hops")));
    page += Row("computed, verified", fmt::format("{}, {}", Duration(Count(routing, "routing_us")),
                                                  Duration(Count(routing, "verifying_us"))));
    return page;
}

/// How multicast trees and unicast do together.
std::string JointRows(const Json& groups) {
    const Json joint = groups.value("with_unicast", Json::object());
    const std::string verdict = Text(joint, "verdict");
    if (verdict == "no_room") return Row("  with unicast", "not proved: too little scratch memory");
    if (verdict == "free") return Row("  with unicast", "no credit loop is possible");
    if (!joint.contains("cycle")) return "";
    return Row("  with unicast", fmt::format("the tree of LID {} could close a credit loop ({})",
                                             Count(joint, "lid"), verdict)) +
           ChannelRows(joint["cycle"]);
}

std::string SweepRows(const Json& answer) {
    const Json sweeps = answer.value("sweeps", Json::object());
    const Json set = answer.value("programming", Json::object());
    std::string page =
        Row("sweeps", fmt::format("{} heavy, {} light; the last heavy one because of: {}",
                                  Count(sweeps, "heavy"), Count(sweeps, "light"),
                                  Text(sweeps, "last_reason")));
    page += Row("traps heard", Grouped(Count(sweeps, "traps")));
    page += Row("last programming",
                fmt::format("{} ports, {} LFT blocks set ({} were right), {} failed",
                            Grouped(Count(set, "ports_set")), Grouped(Count(set, "blocks_set")),
                            Grouped(Count(set, "blocks_right")), Count(set, "failed")));
    const Json groups = answer.value("multicast", Json::object());
    page += Row("multicast",
                fmt::format("{} groups, {} members, {} of {} LIDs, {} blocks set{}",
                            Grouped(Count(groups, "groups")), Grouped(Count(groups, "members")),
                            Grouped(Count(groups, "mlids")), Grouped(Count(groups, "mlid_count")),
                            Grouped(Count(groups, "blocks_set")),
                            groups.value("settled", true) ? "" : ", more to do"));
    return page + JointRows(groups);
}

std::string SmpRows(const Json& smps) {
    std::string page =
        Row("SMPs", fmt::format("{} sent, {} answered, {} resent, {} timed out, {} given up",
                                Grouped(Count(smps, "sent")), Grouped(Count(smps, "answered")),
                                Grouped(Count(smps, "resent")), Grouped(Count(smps, "timeouts")),
                                Grouped(Count(smps, "given_up"))));
    const Json attributes = smps.value("by_attribute", Json::object());
    for (const auto& [name, counts] : attributes.items()) {
        page += Row("  " + name, fmt::format("{} Get, {} Set", Grouped(Count(counts, "gets")),
                                             Grouped(Count(counts, "sets"))));
    }
    page += Row("window",
                fmt::format("{} now, {} in flight, {} at most so far; round trip {}",
                            Count(smps, "window"), Count(smps, "in_flight"),
                            Count(smps, "peak_in_flight"), Duration(Count(smps, "round_trip_us"))));
    return page;
}

std::string RegisteredRows(const Json& answer) {
    const Json registered = answer.value("registered", Json::object());
    std::string page;
    for (const auto& [name, what] : registered.items()) {
        page += Row(page.empty() ? "registered" : "",
                    fmt::format("{} {} of {}", Grouped(Count(what, "count")), name,
                                Grouped(Count(what, "limit"))));
    }
    const Json restored = answer.value("restored", Json::object());
    const std::string source = Text(restored, "source");
    if (!source.empty() && source != "nothing") {
        page +=
            Row("restored", fmt::format("from the {}: {} memberships of {} groups, {} services, "
                                        "{} subscriptions, {} alias GUIDs",
                                        source, Grouped(Count(restored, "members")),
                                        Grouped(Count(restored, "groups")),
                                        Grouped(Count(restored, "services")),
                                        Grouped(Count(restored, "subscriptions")),
                                        Grouped(Count(restored, "alias_guids"))));
        page += Row(
            "", fmt::format("not restored: {} of ports that are gone, {} expired, {} "
                            "unusable",
                            Grouped(Count(restored, "gone")), Grouped(Count(restored, "expired")),
                            Grouped(Count(restored, "unusable"))));
    }
    const Json journal = answer.value("sa_journal", Json::object());
    const bool is_kept = journal.value("kept", false);
    const std::string trouble =
        Count(journal, "failures") == 0
            ? ""
            : fmt::format(", {} failures, the last one: {}", Grouped(Count(journal, "failures")),
                          Text(journal, "last_error"));
    page += Row("their journal",
                fmt::format("{}, {} bytes, {} of them safe{}", is_kept ? "kept" : "not kept",
                            Grouped(Count(journal, "bytes")), Grouped(Count(journal, "safe_bytes")),
                            trouble));
    return page;
}

std::string AdministrationRows(const Json& sa) {
    if (!sa.value("serves", false)) return Row("administrator", "does not serve");
    return Row("administrator",
               fmt::format("{} questions, {} answers, {} tables, {} refused, {} busy",
                           Grouped(Count(sa, "questions")), Grouped(Count(sa, "answers")),
                           Grouped(Count(sa, "tables")), Grouped(Count(sa, "refused")),
                           Grouped(Count(sa, "busy"))));
}

std::string TimeRows(const Json& time) {
    std::string page = Row("up time", Duration(Count(time, "uptime_us")));
    page += Row("last bring-up", Duration(Count(time, "bring_up_us")));
    const Json stages = time.value("stages", Json::object());
    for (const auto& [name, stage] : stages.items()) {
        if (Count(stage, "us") == 0) continue;
        page += Row("  " + name,
                    fmt::format("{}, {} SMPs, own work {}", Duration(Count(stage, "us")),
                                Grouped(Count(stage, "smps")), Duration(Count(stage, "work_us"))));
    }
    page += Row("longest step", Duration(Count(time, "longest_step_us")));
    return page;
}

/// Tells what replication knows of another SM.
std::string PeerText(const Json& other) {
    if (!other.contains("configured_alike")) return ", " + Text(other, "peer");
    std::string text =
        other.value("configured_alike", true) ? ", configured alike" : ", CONFIGURED OTHERWISE";
    if (!other.value("formatted_alike", true)) text += ", OTHER FORMAT OF RECORDS";
    if (other.value("too_small", false)) text += ", TOO SMALL FOR OUR RECORDS";
    if (!other.value("fed", false)) return text;
    if (!other.value("registrations_complete", true)) return text + ", clients are being asked";
    return text + fmt::format(", {} entries and {} behind", Count(other, "behind_entries"),
                              Duration(Count(other, "behind_us")));
}

std::string ManagerRows(const Json& answer) {
    std::string page = Row("this SM", fmt::format("{} {}, priority {}{}", Named(answer, "guid"),
                                                  Text(answer, "role"), Count(answer, "priority"),
                                                  answer.value("stands_aside", false)
                                                      ? ", OUT OF ELECTIONS: configured otherwise"
                                                      : ""));
    const Json others = answer.value("other_sms", Json::array());
    for (const Json& other : others) {
        page += Row("other SM",
                    fmt::format("{} {}, priority {}{}{}", Named(other, "guid"),
                                Text(other, "state"), Count(other, "priority"),
                                other.value("counts", true) ? "" : ", ignored", PeerText(other)));
    }
    page += Row("the master is master", Text(answer, "master_because"));
    if (!answer.contains("replication")) return page;
    const Json& replication = answer["replication"];
    if (replication.value("holds_replica", false)) {
        page += Row("replica", fmt::format("of {}, {} records", Named(replication, "follows"),
                                           Grouped(Count(replication, "records_followed"))));
    }
    return page;
}

/// How the numbers come to Prometheus; the table of them follows.
constexpr std::string_view kMetricsIntroduction =
    R"(# Metrics

`emberctl metrics` prints the numbers of `emberctl status --json` and `emberctl memory --json` in
Prometheus' classic text format (0.0.4), which node_exporter's textfile collector reads, and with
`--openmetrics` in that of [OpenMetrics](https://openmetrics.io) 1.0, which that collector does not read. The
control socket answers the lines `metrics` and `metrics openmetrics` with the same pages.

## How they come to Prometheus
EmberSM opens no network port for this: node_exporter on the same machine collects the page from a
file. Two systemd units come with the service. On Debian:

```
apt-get install prometheus-node-exporter
systemctl enable --now embersm-metrics.timer
```

Every 15 seconds that writes `/var/lib/prometheus/node-exporter/embersm.prom`, in the directory where
Debian's node_exporter looks. Where it looks elsewhere (`--collector.textfile.directory`), or where
there is no systemd, the same is done by

```
emberctl metrics --output /var/lib/prometheus/node-exporter/embersm.prom
```

which writes under another name, one that the collector passes over, and renames: the collector
never sees half a page. When no subnet manager answers, the file is removed, and with it the
numbers of one that is gone. A script does the first half of it with

```
emberctl metrics > embersm.prom.new && mv embersm.prom.new embersm.prom
```

| look at | it says |
| --- | --- |
| `absent(embersm_up)` | no subnet manager answers on any machine |
| `embersm_up == 0` | the last heavy sweep as master had errors, or there was none |
| `embersm_routing_fallback == 1` | another engine than the first of the list made the routes |
| `node_textfile_scrape_error == 1` | node_exporter could not read one of its files |
| `time() - node_textfile_mtime_seconds{file=~".*embersm.prom"} > 60` | nothing writes the file any more |

## What there is
Counters begin at 0 with the process. The classic format has neither info nor stateset: both are gauges
there. Made by `make docs-update` from the table that the page is made from; the gate `docs` compares.

| sample | type | labels | meaning |
| --- | --- | --- | --- |
)";

}  // namespace

std::string Grouped(std::uint64_t number) {
    const std::string digits = fmt::format("{}", number);
    std::string grouped;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) grouped.push_back(',');
        grouped.push_back(digits[i]);
    }
    return grouped;
}

std::string Duration(std::uint64_t us) {
    if (us < 1000) return fmt::format("{} us", us);
    const double exact = static_cast<double>(us);
    if (us < 1000000) return fmt::format("{:.3f} ms", exact / 1e3);
    if (us < 120000000) return fmt::format("{:.3f} s", exact / 1e6);
    const std::uint64_t minutes = us / 60000000;
    return fmt::format("{} d {:02}:{:02}", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

std::string StatusPage(const Json& answer) {
    std::string page = fmt::format("{}: {}, {}\n", Text(answer, "headline"), Text(answer, "role"),
                                   Text(answer, "stage"));
    page += SubnetRows(answer.value("subnet", Json::object()));
    page += FlappingRows(answer.value("flapping_links", Json::object()));
    page += RoutingRows(answer.value("routing", Json::object()));
    page += SweepRows(answer);
    page += SmpRows(answer.value("smps", Json::object()));
    page += RegisteredRows(answer);
    page += AdministrationRows(answer.value("administration", Json::object()));
    page += TimeRows(answer.value("time", Json::object()));
    page += ManagerRows(answer);
    const Json configuration = answer.value("configuration", Json::object());
    page += Row("configuration", Text(configuration, "sentence"));
    page += Row("", explain::IsolationText(Count(configuration, "partitions")));
    page += Row("version", Text(answer, "version"));
    return page;
}

std::string ReloadPage(const Json& answer) {
    std::string page = fmt::format("accepted, counter {}", Count(answer, "counter"));
    page += "; in force from the sweep that begins now, or at once where partitions alone differ\n";
    for (const Json& key : answer.value("restart_needed", Json::array())) {
        page += fmt::format("but {} has changed, which takes a restart of embersm\n",
                            key.get<std::string>());
    }
    return page;
}

std::string MetricsAsMarkdown() {
    std::string page(kMetricsIntroduction);
    for (const MetricRow& row : Metrics()) {
        page += fmt::format("| `{}{}` | {} | {} | {} |\n", row.name, SuffixOf(row.type),
                            WordOf(row.type), row.labels.empty() ? "-" : row.labels, row.help);
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
