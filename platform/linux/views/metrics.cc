// SPDX-License-Identifier: Apache-2.0
// EmberSM: the page of numbers that a monitoring system collects.

#include "platform/linux/views/metrics.h"

#include <array>

#include "core/base/version.h"
#include "core/log/words.h"
#include "platform/common/headline.h"
#include "platform/common/summary.h"
#include "platform/linux/views/counters.h"
#include "platform/linux/views/metrics_page.h"

namespace ember {

namespace {

constexpr std::array<std::string_view, 6> kOutcomeWords = {
    "nothing_to_route", "verified", "warned", "safe", "kept", "refused"};
static_assert(kOutcomeWords.size() == static_cast<std::size_t>(RoutingOutcome::kRefused) + 1);

/// A family with a sample for each row of the table, whose name is the value of `label`.
template <typename Table, typename Counted>
void AddCounts(MetricsPage& page, std::string_view family, const Table& table,
               const Counted& counted, std::string_view label = "what") {
    page.Begin(family);
    ForEachCount(table, counted, [&](std::string_view name, std::uint64_t count) {
        page.Sample(count, {{label, name}});
    });
}

void AddProcess(MetricsPage& page, const StatusView& view, const SubnetStatus& status) {
    const Role& role = view.sm.role();
    page.Begin("embersm_build").Sample(1, {{"version", kEmberVersion}});
    page.Begin("embersm_uptime_seconds").Seconds(view.uptime_us);
    page.Begin("embersm_up").Sample(status.up ? 1U : 0U);
    page.Begin("embersm_condition")
        .States(kConditionWords, static_cast<std::size_t>(ConditionOf(view.sm)));
    page.Begin("embersm_bring_ups").Sample(status.up_count);
    page.Begin("embersm_role").States(kRoleWords, static_cast<std::size_t>(role.state()));
    page.Begin("embersm_priority").Sample(role.priority());
    page.Begin("embersm_other_sms").Sample(role.others().size());
    page.Begin("embersm_stage");
    std::array<std::string_view, kStages> stages;
    for (std::size_t i = 0; i < kStages; ++i) {
        stages[i] = ember::WordOf(static_cast<Stage>(i));
    }
    page.States(stages, static_cast<std::size_t>(status.stage));
    const ConfigurationOutcome& outcome = view.configuration.outcome;
    page.Begin("embersm_configuration")
        .Sample(1, {{"source", WordOf(outcome.source)},
                    {"verdict", Explain(outcome.supplied.verdict)}});
    page.Begin("embersm_configuration_reloads")
        .Sample(view.configuration.reloads, {{"result", "accepted"}})
        .Sample(view.configuration.refused_reloads, {{"result", "refused"}});
    page.Begin("embersm_configuration_on_trial").Sample(outcome.on_trial ? 1U : 0U);
    page.Begin("embersm_configuration_trials")
        .Sample(view.configuration.confirmed_trials, {{"result", "confirmed"}})
        .Sample(view.configuration.failed_trials, {{"result", "failed"}});
}

void AddSubnet(MetricsPage& page, const StatusView& view, const SubnetStatus& status) {
    page.Begin("embersm_nodes").Sample(status.nodes);
    page.Begin("embersm_switches").Sample(status.switches);
    page.Begin("embersm_links").Sample(status.links);
    page.Begin("embersm_end_ports").Sample(status.end_ports);
    page.Begin("embersm_top_lid").Sample(Raw(status.top_lid));
    page.Begin("embersm_kept_lids").Sample(view.sm.lid_map().entries().size());
    page.Begin("embersm_refused_nodes").Sample(view.sm.fabric().shortage().refused_nodes);
    page.Begin("embersm_partition_gaps")
        .Sample(status.partition_gaps.unenforced, {{"what", "unenforced"}})
        .Sample(status.partition_gaps.unset, {{"what", "unset"}});
    page.Begin("embersm_limit");
    ForEachExhausted(view.sm, [&](std::string_view name, std::uint32_t limit, std::uint32_t) {
        page.Sample(limit, {{"limit", name}});
    });
    page.Begin("embersm_limit_needed");
    ForEachExhausted(view.sm, [&](std::string_view name, std::uint32_t, std::uint32_t needed) {
        page.Sample(needed, {{"limit", name}});
    });
}

void AddFlapping(MetricsPage& page, const FlappingLinks& flapping) {
    page.Begin("embersm_flapping_links")
        .Sample(flapping.CountOf(LinkVerdict::kQuarantined), {{"verdict", "quarantined"}})
        .Sample(flapping.CountOf(LinkVerdict::kDamped), {{"verdict", "damped"}});
    AddCounts(page, "embersm_flapping_events", kFlappingCounters, flapping.statistics());
}

void AddVerdict(MetricsPage& page, const Verdict& verdict) {
    page.Begin("embersm_routing_engine").Sample(1, {{"engine", verdict.engine}});
    page.Begin("embersm_routing_verdict")
        .States(kOutcomeWords, static_cast<std::size_t>(verdict.outcome));
    page.Begin("embersm_routing_may_program").Sample(verdict.may_program() ? 1U : 0U);
    page.Begin("embersm_routing_fallback").Sample(verdict.has_refusals() ? 1U : 0U);
    page.Begin("embersm_routing_refused");
    std::uint64_t place = 0;
    for (const RoutingAttempt& attempt : verdict.attempts) {
        const Digits nth(++place);
        const Digits step(attempt.step_id);
        if (attempt.outcome != RoutingOutcome::kRefused) continue;
        const EngineComplaint& complaint = attempt.complaint;
        std::array<char, 256> room{};
        FixedText reason(room);
        AddReason(reason, attempt);
        const Digits guid(complaint.guid != kNoGuid ? complaint.guid : attempt.at);
        const Digits port(complaint.port);
        const Digits lid(attempt.lid);
        page.Sample(1, {{"place", nth.text()},
                        {"engine", attempt.engine},
                        {"unicast_step", step.text()},
                        {"reason", reason.text()},
                        {"guid", guid.text()},
                        {"port", port.text()},
                        {"lid", lid.text()}});
    }
}

void AddRouting(MetricsPage& page, const StatusView& view, const SubnetStatus& status) {
    const Verdict& verdict = view.sm.router().verdict();
    const Findings& findings = verdict.findings;
    AddVerdict(page, verdict);
    page.Begin("embersm_routing_routes").Sample(findings.routes);
    page.Begin("embersm_routing_longer_routes").Sample(findings.longer_routes);
    page.Begin("embersm_routing_islands").Sample(findings.islands);
    page.Begin("embersm_routing_hops_average").Thousandths(findings.average_hops_milli());
    page.Begin("embersm_routing_hops_max").Sample(findings.max_hops);
    page.Begin("embersm_routing_credit_loop_possible")
        .Sample(findings.end_ports_may_deadlock ? 1U : 0U, {{"among", "end ports"}})
        .Sample(findings.anything_may_deadlock ? 1U : 0U, {{"among", "anything"}});
    page.Begin("embersm_routing_mended").Sample(status.mended ? 1U : 0U);
    page.Begin("embersm_routing_mended_entries").Sample(verdict.mended.entries);
    page.Begin("embersm_routing_proved_changes_only").Sample(verdict.proved_changes_only ? 1U : 0U);
    page.Begin("embersm_routing_balancings").Sample(status.balancings);
    page.Begin("embersm_routing_compute_seconds").Seconds(status.routing_us);
    page.Begin("embersm_routing_verify_seconds").Seconds(status.verifying_us);
    page.Begin("embersm_option_file_unknown");
    for (std::size_t i = 0; i < kOptionFiles; ++i) {
        const auto file = static_cast<OptionFile>(i);
        const OptionMisses& misses = view.sm.router().option_report()[file];
        if (!misses.any()) continue;
        page.Sample(misses.guids, {{"option", NameOf(file)}, {"what", "GUIDs"}});
        page.Sample(misses.ports, {{"option", NameOf(file)}, {"what", "ports"}});
    }
}

void AddSweeps(MetricsPage& page, const SubnetStatus& status) {
    AddCounts(page, "embersm_sweeps", kSweepCounters, status, "kind");
    page.Begin("embersm_traps").Sample(status.traps);
    page.Begin("embersm_traps_refused").Sample(status.traps_refused);
    AddCounts(page, "embersm_discovery_last", kDiscoveryCounters, status.discovery);
    page.Begin("embersm_switches_left_out").Sample(status.lids.left_out);
    AddCounts(page, "embersm_scrub", kScrubCounters, status.scrub);
    page.Begin("embersm_lane_switches")
        .Sample(status.up_summary.lanes.without_maps, {{"what", "without maps"}})
        .Sample(status.up_summary.lanes.lacking, {{"what", "lacking tables"}});
    page.Begin("embersm_port_tables");
    for (const auto& table : kPortTables) {
        ForEachCount(kTableCounters, status.port_tables.*table.value,
                     [&](std::string_view what, std::uint64_t count) {
                         page.Sample(count, {{"table", table.name}, {"what", what}});
                     });
    }
    AddCounts(page, "embersm_programming_last", kProgrammingCounters, status.programming);
}

void AddSmps(MetricsPage& page, const Exchange& exchange) {
    const ExchangeStatistics& counted = exchange.statistics();
    AddCounts(page, "embersm_smps", kSmpCounters, counted);
    page.Begin("embersm_smp_requests");
    ForEachAttribute(counted, [&](std::string_view name, std::uint64_t gets, std::uint64_t sets) {
        page.Sample(gets, {{"attribute", name}, {"method", "Get"}});
        page.Sample(sets, {{"attribute", name}, {"method", "Set"}});
    });
    page.Begin("embersm_smps_in_flight").Sample(exchange.in_flight());
    page.Begin("embersm_smps_in_flight_peak").Sample(counted.peak_in_flight);
    page.Begin("embersm_smp_window").Sample(exchange.window());
    page.Begin("embersm_smp_round_trip_seconds").Seconds(counted.round_trip_us);
}

void AddPeers(MetricsPage& page, const SubnetManager& sm) {
    const ReplicationUpkeep& replication = sm.replication();
    const ReplicationPeers& peers = replication.peers();
    std::uint64_t fed = 0;
    std::array<std::uint64_t, std::size(kPeerWords)> counts{};
    std::uint64_t otherwise = 0;
    std::uint64_t formatted_otherwise = 0;
    for (const ReplicationPeer& peer : peers.rows()) {
        if (peer.guid == kNoGuid) continue;
        ++counts[static_cast<std::size_t>(peer.trust)];
        if (peer.is_fed) ++fed;
        if (peer.has_greeted && !peers.IsConfiguredAlike(peer)) ++otherwise;
        if (peer.has_greeted && !peers.IsFormattedAlike(peer)) ++formatted_otherwise;
    }
    page.Begin("embersm_peers");
    for (std::size_t i = 0; i < counts.size(); ++i) {
        page.Sample(counts[i], {{"trust", kPeerWords[i]}});
    }
    page.Begin("embersm_peers_configured_otherwise").Sample(otherwise);
    page.Begin("embersm_peers_of_other_format").Sample(formatted_otherwise);
    page.Begin("embersm_stands_aside").Sample(sm.role().stands_down() ? 1U : 0U);
    page.Begin("embersm_standbys_fed").Sample(fed);
    page.Begin("embersm_standbys_behind_seconds").Seconds(replication.feed().BehindUs(sm.now_us()));
    page.Begin("embersm_replica_held").Sample(replication.holds_replica() ? 1U : 0U);
    AddCounts(page, "embersm_replication_messages", kReplicationCounters, peers.statistics());
}

void AddAdministration(MetricsPage& page, const Administration& administration) {
    page.Begin("embersm_sa_serves").Sample(administration.serves() ? 1U : 0U);
    AddCounts(page, "embersm_sa", kSaCounters, administration.statistics());
    page.Begin("embersm_sa_waiting").Sample(administration.waiting());
    page.Begin("embersm_sa_transfers").Sample(administration.transfers());
}

void AddRegistered(MetricsPage& page, const SubnetManager& sm) {
    page.Begin("embersm_multicast_with_unicast")
        .Sample(1, {{"verdict", kJointOutcomeWords[Raw(sm.multicast().joint().outcome)]}});
    page.Begin("embersm_multicast_rerooted_trees").Sample(sm.multicast().status().rerooted_trees);
    page.Begin("embersm_registered");
    ForEachRegistered(sm, [&](std::string_view name, std::uint64_t count, std::uint64_t) {
        page.Sample(count, {{"what", name}});
    });
    page.Begin("embersm_registered_limit");
    ForEachRegistered(sm, [&](std::string_view name, std::uint64_t, std::uint64_t limit) {
        page.Sample(limit, {{"what", name}});
    });
    AddCounts(page, "embersm_restored", kRestoredCounters, sm.restored());
    const SaJournalStatus journal = sm.sa_journal().status();
    page.Begin("embersm_sa_journal_kept").Sample(journal.is_kept ? 1U : 0U);
    page.Begin("embersm_sa_journal_bytes")
        .Sample(journal.bytes, {{"what", "written"}})
        .Sample(journal.safe_bytes, {{"what", "safe"}});
    AddCounts(page, "embersm_sa_journal", kSaJournalCounters, journal);
}

/// Without a mailbox the family has no samples.
void AddMailbox(MetricsPage& page, const MailboxStatistics* counted) {
    if (counted == nullptr) {
        page.Begin("embersm_mailbox");
        return;
    }
    AddCounts(page, "embersm_mailbox", kMailboxCounters, *counted);
}

void AddTimes(MetricsPage& page, const SubnetStatus& status) {
    AddCounts(page, "embersm_datagrams_dropped", kDatagramCounters, status, "why");
    page.Begin("embersm_bring_up_seconds").Seconds(status.bring_up_us);
    const auto for_each_stage = [&](auto add) {
        for (std::size_t i = 1; i < kStages; ++i) {  // Resting is none.
            add(i, ember::WordOf(static_cast<Stage>(i)));
        }
    };
    page.Begin("embersm_stage_seconds");
    for_each_stage([&](std::size_t i, std::string_view word) {
        page.Seconds(status.stage_us[i], {{"stage", word}});
    });
    page.Begin("embersm_stage_work_seconds");
    for_each_stage([&](std::size_t i, std::string_view word) {
        page.Seconds(status.stage_work_us[i], {{"stage", word}});
    });
    page.Begin("embersm_stage_smps");
    for_each_stage([&](std::size_t i, std::string_view word) {
        page.Sample(status.stage_smps[i], {{"stage", word}});
    });
    page.Begin("embersm_longest_step_seconds").Seconds(status.longest_step_us);
}

}  // namespace

void AddMetrics(FixedText& text, const StatusView& view, MetricsFormat format) {
    const SubnetStatus status = view.sm.status();
    MetricsPage page(text, format);
    AddProcess(page, view, status);
    AddSubnet(page, view, status);
    AddFlapping(page, view.sm.flapping());
    AddRouting(page, view, status);
    AddSweeps(page, status);
    AddSmps(page, view.sm.exchange());
    AddAdministration(page, view.sm.administration());
    AddRegistered(page, view.sm);
    AddPeers(page, view.sm);
    AddTimes(page, status);
    AddMailbox(page, view.mailbox);
    page.Begin("embersm_memory_bytes");
    for (const MemoryRow& row : view.memory) {
        page.Sample(row.bytes, {{"table", row.name}});
    }
    page.Begin("embersm_memory_scratch_peak_bytes").Sample(view.sm.scratch().peak_bytes());
    page.Begin("embersm_journal_notes").Sample(view.sm.log().next_sequence());
    page.Begin("embersm_journal_lost_notes").Sample(view.notes_lost);
    page.End();
}

}  // namespace ember
