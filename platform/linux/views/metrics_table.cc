// SPDX-License-Identifier: Apache-2.0
// EmberSM: which metrics there are.

#include "platform/linux/views/metrics_table.h"

#include <array>

namespace ember {

namespace {

using enum MetricType;

// The order of the page. MetricsPage::Begin() asserts that families are written in this order.
// clang-format off
constexpr std::array kRows = {
    MetricRow{"embersm_build", kInfo, "", "version", "Which EmberSM this is."},
    MetricRow{"embersm_uptime_seconds", kGauge, "seconds", "", "Since the control socket was opened."},
    MetricRow{"embersm_up", kGauge, "", "", "1: the last heavy sweep as master ended without errors."},
    MetricRow{"embersm_condition", kStateSet, "", "embersm_condition", "How the subnet is, the worst first: up only if nothing is to be said against that."},
    MetricRow{"embersm_bring_ups", kCounter, "", "", "Heavy sweeps that ended in SUBNET UP."},
    MetricRow{"embersm_role", kStateSet, "", "embersm_role", "The role among subnet managers."},
    MetricRow{"embersm_priority", kGauge, "", "", "The priority shown to other subnet managers."},
    MetricRow{"embersm_other_sms", kGauge, "", "", "Other subnet managers that are known."},
    MetricRow{"embersm_stage", kStateSet, "", "embersm_stage", "What it is doing."},
    MetricRow{"embersm_configuration", kInfo, "", "source, verdict", "Where the settings in force come from, and the verdict on the blob that was handed in with it."},
    MetricRow{"embersm_configuration_reloads", kCounter, "", "result", "Configurations read while running, by what became of them."},
    MetricRow{"embersm_configuration_on_trial", kGauge, "", "", "1: the configuration in force has yet to bring the subnet up, or is rolled back."},
    MetricRow{"embersm_configuration_trials", kCounter, "", "result", "Trials of configurations that ended while running."},
    MetricRow{"embersm_nodes", kGauge, "", "", "Hosts, switches and routers."},
    MetricRow{"embersm_switches", kGauge, "", "", "Of these, switches."},
    MetricRow{"embersm_links", kGauge, "", "", "Cables with both ends known."},
    MetricRow{"embersm_end_ports", kGauge, "", "", "Ports that have LIDs, switch port 0 included."},
    MetricRow{"embersm_top_lid", kGauge, "", "", "The highest LID in use."},
    MetricRow{"embersm_kept_lids", kGauge, "", "", "Port GUIDs whose LIDs are kept, those away included."},
    MetricRow{"embersm_refused_nodes", kGauge, "", "", "Nodes left alone because a limit of the board is exhausted."},
    MetricRow{"embersm_partition_gaps", kGauge, "", "what", "Switch ports that part_enforce names and that enforce nothing (unenforced), and end ports that do not hold the P_Keys of their partitions (unset)."},
    MetricRow{"embersm_limit", kGauge, "", "limit", "Exhausted limits of the board: what they are."},
    MetricRow{"embersm_limit_needed", kGauge, "", "limit", "And what the subnet would need at least."},
    MetricRow{"embersm_flapping_links", kGauge, "", "verdict", "Cables that flap: left out of the routes (quarantined), or in use because somebody would be cut off or the policy says so (damped)."},
    MetricRow{"embersm_flapping_events", kCounter, "", "what", "Cables found lost, complaints about cables by traps 129 to 131, quarantines begun and ended, ports disabled for babbling, and events of cables that found no row."},
    MetricRow{"embersm_routing_engine", kInfo, "", "engine", "The engine whose routes count; chain: those of a chain; empty: none, or those of the switches were kept."},
    MetricRow{"embersm_routing_verdict", kStateSet, "", "embersm_routing_verdict", "The verifier's word on the routes."},
    MetricRow{"embersm_routing_may_program", kGauge, "", "", "1: the routes may be sent to the switches."},
    MetricRow{"embersm_routing_fallback", kGauge, "", "", "1: an engine was refused, so that another than the first counts, or none."},
    MetricRow{"embersm_routing_refused", kGauge, "", "place, engine, unicast_step, reason, guid, port, lid", "1 for every engine that was refused, by its place in the list, and the unicast-step of a chain, else 0: why, and at which node, port and LID as far as known."},
    MetricRow{"embersm_routing_routes", kGauge, "", "", "Routes followed by the verifier, (switch, LID)."},
    MetricRow{"embersm_routing_longer_routes", kGauge, "", "", "Of these, longer than the shortest."},
    MetricRow{"embersm_routing_islands", kGauge, "", "", "Parts of the subnet that no cable joins."},
    MetricRow{"embersm_routing_hops_average", kGauge, "", "", "Cables between switches on a route, on the average."},
    MetricRow{"embersm_routing_hops_max", kGauge, "", "", "And at most."},
    MetricRow{"embersm_routing_credit_loop_possible", kGauge, "", "among", "1: a credit loop is possible among end ports, or with traffic of switches' own ports (anything)."},
    MetricRow{"embersm_routing_mended", kGauge, "", "", "1: routes were mended since they were last balanced."},
    MetricRow{"embersm_routing_mended_entries", kGauge, "", "", "Entries that the last mending changed."},
    MetricRow{"embersm_routing_proved_changes_only", kGauge, "", "", "1: of the last routes only what changed was proved anew, and the rest before."},
    MetricRow{"embersm_routing_balancings", kCounter, "", "", "Times the routes were balanced between sweeps."},
    MetricRow{"embersm_routing_compute_seconds", kGauge, "seconds", "", "Own work on the last routing."},
    MetricRow{"embersm_routing_verify_seconds", kGauge, "seconds", "", "Own work on its verification."},
    MetricRow{"embersm_option_file_unknown", kGauge, "", "option, what", "GUIDs and ports that an option file names and the subnet has not."},
    MetricRow{"embersm_sweeps", kCounter, "", "kind", "Sweeps: heavy ones, of these targeted ones, and light ones."},
    MetricRow{"embersm_traps", kCounter, "", "", "Traps received as master."},
    MetricRow{"embersm_traps_refused", kCounter, "", "", "Of these, dropped as beyond the share of their sender."},
    MetricRow{"embersm_discovery_last", kGauge, "", "what", "What the last heavy sweep found."},
    MetricRow{"embersm_switches_left_out", kGauge, "", "", "Switches whose LinearFDBCap has no room for the LIDs in force."},
    MetricRow{"embersm_scrub", kCounter, "", "what", "What was read again and compared, a switch at a time."},
    MetricRow{"embersm_lane_switches", kGauge, "", "what", "With qos, switches that say that they take no SL to VL maps, and those that lack tables of lanes which they should have."},
    MetricRow{"embersm_port_tables", kCounter, "", "table, what", "Blocks of the tables of ports: written, failed, and of those written the ones that were repaired, as they were not as they had been written."},
    MetricRow{"embersm_programming_last", kGauge, "", "what", "What the last programming did."},
    MetricRow{"embersm_smps", kCounter, "", "what", "SMPs: sent, of these resent and told; transactions answered, of these refused; tries timed out; and what went wrong."},
    MetricRow{"embersm_smp_requests", kCounter, "", "attribute, method", "Transactions by attribute and method."},
    MetricRow{"embersm_smps_in_flight", kGauge, "", "", "SMPs on the wire now."},
    MetricRow{"embersm_smps_in_flight_peak", kGauge, "", "", "And at most so far."},
    MetricRow{"embersm_smp_window", kGauge, "", "", "How many may be."},
    MetricRow{"embersm_smp_round_trip_seconds", kGauge, "seconds", "", "From question to answer, smoothed."},
    MetricRow{"embersm_sa_serves", kGauge, "", "", "1: the subnet administrator serves; 0: it is closed."},
    MetricRow{"embersm_sa", kCounter, "", "what", "The subnet administrator: questions; answers of one datagram, of these refused (of these denied) and busy; tables and their segments; and questions and tables that came to nothing, by why."},
    MetricRow{"embersm_sa_waiting", kGauge, "", "", "Questions that wait for an answer."},
    MetricRow{"embersm_sa_transfers", kGauge, "", "", "Answers under way."},
    MetricRow{"embersm_multicast_with_unicast", kGauge, "", "verdict", "1: what was found of multicast trees and unicast together, as `emberctl status --json` says it in multicast.with_unicast."},
    MetricRow{"embersm_multicast_rerooted_trees", kCounter, "", "", "Trees that follow unicast's paths to one switch, as the shortest tree would close a credit loop with unicast."},
    MetricRow{"embersm_registered", kGauge, "", "what", "What clients have registered, and multicast LIDs in use for it."},
    MetricRow{"embersm_registered_limit", kGauge, "", "what", "How much of it fits on this board."},
    MetricRow{"embersm_restored", kGauge, "", "what", "What was registered again after the restart; what was not, as its port is gone, its lease is over or it makes no sense; and groups whose multicast LID had to change."},
    MetricRow{"embersm_sa_journal_kept", kGauge, "", "", "1: registrations are written to the journal; 0: they would not survive a restart."},
    MetricRow{"embersm_sa_journal_bytes", kGauge, "bytes", "what", "Length of that journal, and what of it is safe from a power loss."},
    MetricRow{"embersm_sa_journal", kCounter, "", "what", "Frames written; generations that came into force; changes that were too many at once, and were copied anew; failures of the log."},
    MetricRow{"embersm_peers", kGauge, "", "trust", "Other subnet managers, by what they are to replication: of another kind or without a key, with another key, or peers."},
    MetricRow{"embersm_peers_configured_otherwise", kGauge, "", "", "Peers whose configuration says something else than ours."},
    MetricRow{"embersm_peers_of_other_format", kGauge, "", "", "Peers that follow records of another format than we do."},
    MetricRow{"embersm_stands_aside", kGauge, "", "", "1: under standby_consistency strict this SM stays out of elections, since it is configured otherwise than its master."},
    MetricRow{"embersm_standbys_fed", kGauge, "", "", "Standbys that are told every change of what clients register."},
    MetricRow{"embersm_standbys_behind_seconds", kGauge, "seconds", "", "For how long some of them has lacked the last change; 0: none does."},
    MetricRow{"embersm_replica_held", kGauge, "", "", "1: this standby has what clients registered with its master, and takes over with it."},
    MetricRow{"embersm_replication_messages", kCounter, "", "what", "Messages between subnet managers of this kind: sent, heard, and those that did not count, by why."},
    MetricRow{"embersm_datagrams_dropped", kCounter, "", "why", "Datagrams that were malformed or not expected."},
    MetricRow{"embersm_bring_up_seconds", kGauge, "seconds", "", "The last bring-up, from the start of its sweep to SUBNET UP."},
    MetricRow{"embersm_stage_seconds", kGauge, "seconds", "stage", "Clock time in a stage of the last bring-up."},
    MetricRow{"embersm_stage_work_seconds", kGauge, "seconds", "stage", "Own work in it."},
    MetricRow{"embersm_stage_smps", kGauge, "", "stage", "SMPs sent in it."},
    MetricRow{"embersm_longest_step_seconds", kGauge, "seconds", "", "The longest time for which nothing was answered."},
    MetricRow{"embersm_mailbox", kCounter, "", "what", "The mailbox of the switch's chip, if that is the management port: datagrams sent and received; what its rings put off or lost, and why; doorbells rung again; and resets."},
    MetricRow{"embersm_memory_bytes", kGauge, "bytes", "table", "Static memory."},
    MetricRow{"embersm_memory_scratch_peak_bytes", kGauge, "bytes", "", "The most that was used of the scratch arena."},
    MetricRow{"embersm_journal_notes", kCounter, "", "", "Notes written to the journal."},
    MetricRow{"embersm_journal_lost_notes", kCounter, "", "", "Of these, overwritten before the log took them."},
};
// clang-format on

}  // namespace

std::string_view WordOf(MetricType type, MetricsFormat format) {
    constexpr std::array<std::string_view, 4> kWords = {"gauge", "counter", "info", "stateset"};
    const bool is_known = type == kGauge || type == kCounter;
    if (format == MetricsFormat::kClassic && !is_known) return "gauge";
    return kWords[static_cast<std::size_t>(type)];
}

std::string_view SuffixOf(MetricType type) {
    constexpr std::array<std::string_view, 4> kSuffixes = {"", "_total", "_info", ""};
    return kSuffixes[static_cast<std::size_t>(type)];
}

std::span<const MetricRow> Metrics() {
    return kRows;
}

}  // namespace ember
