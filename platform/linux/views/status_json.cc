// SPDX-License-Identifier: Apache-2.0
// EmberSM: the answers of the control socket.

#include "platform/linux/views/status_json.h"

#include <algorithm>
#include <array>

#include "core/base/version.h"
#include "core/log/words.h"
#include "platform/common/headline.h"
#include "platform/common/summary.h"
#include "platform/linux/views/counters.h"
#include "platform/linux/views/routing_json.h"

namespace ember {
namespace {

/// A member for each row of the table.
template <typename Table, typename Counted>
JsonWriter& AddCounts(JsonWriter& json, const Table& table, const Counted& counted) {
    ForEachCount(table, counted,
                 [&](std::string_view name, std::uint64_t count) { json.Add(name, count); });
    return json;
}

std::string_view WordOf(SmState state) {
    return kRoleWords[static_cast<std::size_t>(state)];
}

void AddSubnet(JsonWriter& json, const SubnetManager& sm, const SubnetStatus& status) {
    json.Open("subnet");
    json.Add("nodes", status.nodes).Add("switches", status.switches);
    json.Add("end_ports", status.end_ports).Add("links", status.links);
    json.Add("top_lid", Raw(status.top_lid)).Add("kept_lids", sm.lid_map().entries().size());
    json.Open("partition_gaps");
    json.Add("unenforced", status.partition_gaps.unenforced)
        .Add("unset", status.partition_gaps.unset);
    if (status.partition_gaps.any()) {
        json.AddGuid("node", Raw(status.partition_gaps.first.guid))
            .Add("port", Raw(status.partition_gaps.first.port));
    }
    json.Close();
    json.Open("exhausted_limits").Add("refused_nodes", sm.fabric().shortage().refused_nodes);
    ForEachExhausted(sm, [&](std::string_view name, std::uint32_t limit, std::uint32_t needed) {
        json.Open(name).Add("limit", limit).Add("needed", needed).Close();
    });
    json.Close().Close();
}

/// Cables that flap, by their verdict; not those that are only watched.
void AddFlapping(JsonWriter& json, const SubnetManager& sm) {
    constexpr std::array<std::string_view, kLinkVerdicts> kWords = {"watched", "quarantined",
                                                                    "damped"};
    constexpr std::size_t kMostListed = 32;  // An answer has an end.
    const FlappingLinks& flapping = sm.flapping();
    json.Open("flapping_links");
    json.Add("policy", sm.settings().flapping_link_policy == FlappingLinkPolicy::kDamp
                           ? std::string_view("damp")
                           : std::string_view("quarantine"));
    json.Add("quarantined", flapping.CountOf(LinkVerdict::kQuarantined));
    json.Add("damped", flapping.CountOf(LinkVerdict::kDamped));
    AddCounts(json, kFlappingCounters, flapping.statistics());
    json.OpenList("links");
    std::size_t listed = 0;
    const std::uint64_t now_us = sm.now_us();
    for (const FlappingLink& row : flapping.rows()) {
        if (row.verdict == LinkVerdict::kWatched || listed++ >= kMostListed) continue;
        json.Open().Add("verdict", kWords[static_cast<std::size_t>(row.verdict)]);
        json.AddGuid("node", Raw(row.ends[0].guid)).Add("port", Raw(row.ends[0].port));
        json.AddGuid("other_node", Raw(row.ends[1].guid));
        json.Add("other_port", Raw(row.ends[1].port));
        json.Add("events", flapping.RecentEvents(row, now_us));
        json.Add("quarantines", row.quarantines);
        if (row.verdict == LinkVerdict::kQuarantined) {
            json.Add("left_s", (std::max(row.until_us, now_us) - now_us) / 1'000'000);
        }
        json.Close();
    }
    json.CloseList().Close();
}

void AddSmps(JsonWriter& json, const Exchange& exchange) {
    const ExchangeStatistics& counted = exchange.statistics();
    AddCounts(json.Open("smps"), kSmpCounters, counted);
    json.Add("in_flight", exchange.in_flight()).Add("window", exchange.window());
    json.Add("peak_in_flight", counted.peak_in_flight);
    json.Add("round_trip_us", counted.round_trip_us);
    json.Open("by_attribute");
    ForEachAttribute(counted, [&](std::string_view name, std::uint64_t gets, std::uint64_t sets) {
        json.Open(name).Add("gets", gets).Add("sets", sets).Close();
    });
    json.Close().Close();
}

void AddAdministration(JsonWriter& json, const Administration& administration) {
    json.Open("administration").Add("serves", administration.serves());
    AddCounts(json, kSaCounters, administration.statistics());
    json.Add("waiting", administration.waiting());
    json.Add("transfers", administration.transfers()).Close();
}

void AddSweeps(JsonWriter& json, const SubnetStatus& status) {
    AddCounts(json.Open("sweeps"), kSweepCounters, status);
    json.Add("last_reason", kSweepReasonWords[static_cast<std::size_t>(status.last_reason)]);
    json.Add("traps", status.traps);
    json.Add("traps_refused", status.traps_refused);
    AddCounts(json, kDiscoveryCounters, status.discovery);
    json.Add("switches_left_out", status.lids.left_out).Close();
    AddCounts(json.Open("scrub"), kScrubCounters, status.scrub).Close();
    const LaneFaults& lanes = status.up_summary.lanes;
    json.Open("lane_switches").Add("without_maps", lanes.without_maps);
    json.Add("lacking_tables", lanes.lacking).Close();
    json.Open("port_tables");
    for (const auto& table : kPortTables) {
        AddCounts(json.Open(table.name), kTableCounters, status.port_tables.*table.value).Close();
    }
    json.Close();
    AddCounts(json.Open("programming"), kProgrammingCounters, status.programming).Close();
}

/// How the trees and unicast do together.
void AddJoint(JsonWriter& json, const JointVerdict& joint) {
    json.Open("with_unicast").Add("verdict", kJointOutcomeWords[Raw(joint.outcome)]);
    json.Add("trees", joint.trees).Add("with_switch_lids", joint.has_management);
    json.Add("dropped", joint.dropped);
    if (joint.cycle.length != 0) {
        json.Add("lid", Raw(LidOf(joint.mlid)));
        AddChannels(json, "cycle", joint.cycle);
    }
    json.Close();
}

void AddMulticast(JsonWriter& json, const MulticastStatus& status, const JointVerdict& joint) {
    json.Open("multicast").Add("groups", status.groups).Add("members", status.members);
    json.Add("mlids", status.mlids).Add("mlid_count", status.mlid_count).Add("held", status.held);
    json.Add("trees", status.trees).Add("plain_trees", status.plain_trees);
    json.Add("rerooted_trees", status.rerooted_trees);
    AddJoint(json, joint);
    json.Add("lost_members", status.lost_members).Add("blocks_set", status.blocks_set);
    json.Add("cuts", status.cuts).Add("settled", status.is_settled).Close();
}

void AddRegistered(JsonWriter& json, const SubnetManager& sm) {
    json.Open("registered");
    ForEachRegistered(sm, [&](std::string_view name, std::uint64_t count, std::uint64_t limit) {
        json.Open(name).Add("count", count).Add("limit", limit).Close();
    });
    const SaRestored& restored = sm.restored();
    json.Close().Open("restored").Add("source", WordOf(restored.source));
    json.Add("journal", kStatusWords[static_cast<std::size_t>(restored.journal)]);
    json.Add("bytes", restored.bytes).Add("bytes_beyond", restored.beyond);
    AddCounts(json, kRestoredCounters, restored);
    const SaJournalStatus journal = sm.sa_journal().status();
    json.Close().Open("sa_journal").Add("kept", journal.is_kept).Add("bytes", journal.bytes);
    json.Add("safe_bytes", journal.safe_bytes);
    AddCounts(json, kSaJournalCounters, journal);
    json.Add("last_error", kStatusWords[static_cast<std::size_t>(journal.last_error)]).Close();
}

void AddTimes(JsonWriter& json, const SubnetStatus& status, std::uint64_t uptime_us) {
    json.Open("time").Add("uptime_us", uptime_us).Add("bring_up_us", status.bring_up_us);
    json.Add("longest_step_us", status.longest_step_us).Open("stages");
    for (std::size_t i = 1; i < kStages; ++i) {
        json.Open(ember::WordOf(static_cast<Stage>(i)));
        json.Add("us", status.stage_us[i]).Add("work_us", status.stage_work_us[i]);
        json.Add("smps", status.stage_smps[i]).Close();
    }
    json.Close().Close();
}

/// Words of Role::Reason.
constexpr std::array<std::string_view, 5> kReasonWords = {
    "no master is known", "no other SM takes part", "its priority is the highest",
    "its GUID is the lowest of those with the highest priority",
    "it was master before the one that ranks highest came"};

/// Adds what replication knows of another SM.
void AddPeer(JsonWriter& json, const SubnetManager& sm, Guid guid, std::uint64_t now_us) {
    const ReplicationPeers& peers = sm.peers();
    const ReplicationPeer* const peer = guid == kNoGuid ? nullptr : peers.Find(guid);
    json.Add("peer", PeerWord(peer));
    if (peer == nullptr || !peer->has_greeted) return;
    json.Add("heard_us_ago", now_us - peer->heard_us);
    json.Add("configuration_counter", std::uint64_t{peer->hello.counter});
    json.Add("configured_alike", peers.IsConfiguredAlike(*peer));
    json.Add("replication_format", std::uint16_t{peer->hello.format});
    json.Add("formatted_alike", peers.IsFormattedAlike(*peer));
    json.Add("fed", peer->is_fed).Add("too_small", peer->is_too_small);
    if (!peer->is_fed) return;
    const ReplicationFeed& feed = sm.replication().feed();
    json.Add("registrations_complete", sm.replication().IsComplete(now_us));
    json.Add("behind_entries", sm.replication().BehindEntries(*peer));
    json.Add("behind_us", feed.IsBehind(*peer) ? feed.BehindUs(now_us) : 0);
}

void AddReplication(JsonWriter& json, const ReplicationUpkeep& replication, std::uint64_t now_us) {
    const ReplicationPeers& peers = replication.peers();
    const ReplicationFollower& follower = replication.follower();
    json.Open("replication").Add("on", peers.is_on());
    json.Add("replicates", replication.replicates());
    AddCounts(json, kReplicationCounters, peers.statistics());
    json.Add("records_sent", replication.feed().records());
    json.Add("behind_us", replication.feed().BehindUs(now_us));
    if (follower.source() != kNoGuid) json.AddGuid("follows", Raw(follower.source()));
    json.Add("records_followed", follower.records());
    json.Add("holds_replica", replication.holds_replica()).Close();
}

void AddRole(JsonWriter& json, const SubnetManager& sm) {
    const Role& role = sm.role();
    const std::uint64_t now_us = sm.now_us();
    json.Add("role", WordOf(role.state())).Add("priority", role.priority());
    json.AddGuid("guid", Raw(role.manager(0).Get(SmInfo::kGuid)));
    json.Add("stands_aside", role.stands_down());
    json.Add("master_because", kReasonWords[static_cast<std::size_t>(role.reason())]);
    if (role.watched() != kNoGuid) {
        json.AddGuid("watched", Raw(role.watched()));
        json.Add("watched_heard_us_ago", now_us - role.watched_heard_us());
        json.Add("watched_misses", role.misses());
    }
    json.OpenList("other_sms");
    for (const OtherSm& other : role.others()) {
        json.Open().AddGuid("guid", Raw(other.guid)).Add("state", WordOf(other.state));
        json.Add("priority", other.priority).Add("counts", other.counts);
        AddPeer(json, sm, other.guid, now_us);
        json.Close();
    }
    json.CloseList();
}

}  // namespace

void AddRestartKeys(JsonWriter& json, const ConfigurationReport& report) {
    json.OpenList("restart_needed");
    for (const StartKey key : report.restart_keys) {
        json.Add("", kStartKeyWords[static_cast<std::size_t>(key)]);
    }
    json.CloseList();
}

void AddStatus(JsonWriter& json, const StatusView& view) {
    const SubnetManager& sm = view.sm;
    const ConfigurationReport& configuration = view.configuration;
    const SubnetStatus status = sm.status();
    json.SetNames(&sm.names());
    json.Add("version", kEmberVersion);
    json.Add("condition", WordOf(ConditionOf(sm)));
    std::array<char, 256> headline_room{};
    FixedText headline(headline_room);
    AddHeadline(headline, sm);
    json.Add("headline", headline.text());
    json.Add("up", status.up).Add("bring_ups", status.up_count).Add("stage", WordOf(status.stage));
    AddRole(json, sm);
    std::array<char, 640> room{};
    FixedText sentence(room);
    AddConfiguration(sentence, configuration);
    json.Open("configuration").Add("source", WordOf(configuration.outcome.source));
    json.Add("sentence", sentence.text());
    json.Add("partitions", sm.settings().manager_tables.partitions.size());
    json.Add("counter_before", configuration.outcome.counter_before);
    json.Add("reloads", configuration.reloads);
    json.Add("refused_reloads", configuration.refused_reloads);
    AddRestartKeys(json, configuration);
    json.Open("trial").Add("under_way", configuration.outcome.on_trial);
    if (configuration.outcome.on_trial) {
        json.Add("waits_for", WordOf(configuration.trial_waits_for));
    }
    json.Add("counter", configuration.outcome.counter());
    json.Add("can_roll_back", configuration.outcome.can_roll_back);
    json.Add("left_us", configuration.trial_left_us);
    json.Add("confirmed", configuration.confirmed_trials);
    json.Add("failed", configuration.failed_trials).Close().Close();
    AddSubnet(json, sm, status);
    AddFlapping(json, sm);
    AddRouting(json, sm, status);
    AddSweeps(json, status);
    AddMulticast(json, status.multicast, sm.multicast().joint());
    AddSmps(json, sm.exchange());
    AddAdministration(json, sm.administration());
    AddRegistered(json, sm);
    AddReplication(json, sm.replication(), sm.now_us());
    AddCounts(json.Open("datagrams"), kDatagramCounters, status).Close();
    if (view.mailbox != nullptr) {
        AddCounts(json.Open("mailbox"), kMailboxCounters, *view.mailbox).Close();
    }
    json.Open("journal").Add("notes", sm.log().next_sequence());
    json.Add("lost", view.notes_lost).Close();
    AddTimes(json, status, view.uptime_us);
}

void AddMemory(JsonWriter& json, const StatusView& view) {
    std::uint64_t sum = 0;
    json.OpenList("arenas");
    for (const MemoryRow& row : view.memory) {
        json.Open().Add("name", row.name).Add("bytes", std::uint64_t{row.bytes}).Close();
        sum += row.bytes;
    }
    json.CloseList().Add("together_bytes", sum);
    json.Add("scratch_peak_bytes", std::uint64_t{view.sm.scratch().peak_bytes()});
}

}  // namespace ember
