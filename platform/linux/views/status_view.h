// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the answers on the state of things are made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "platform/common/configuration_report.h"
#include "platform/common/summary.h"
#include "platform/local/mailbox_port.h"

namespace ember {

/// Everything that `status` and `metrics` tell of.
struct StatusView {
    const SubnetManager& sm;
    const ConfigurationReport& configuration;
    std::span<const MemoryRow> memory;
    std::uint64_t uptime_us = 0;
    std::uint64_t notes_lost = 0;  ///< Overwritten in the ring before they were written out.
    const MailboxStatistics* mailbox = nullptr;  ///< When the management port is one.
};

/// Calls `tell(name, limit, needed)` for every entry of Limits that is too small for the subnet,
/// and for the switches' tables where those are.
template <typename Report>
void ForEachExhausted(const SubnetManager& sm, Report report) {
    const Fabric::Shortage& shortage = sm.fabric().shortage();
    const Limits& limits = sm.limits();
    const auto needed = [&](std::string_view name, std::uint32_t limit, std::uint32_t need) {
        if (need != 0) report(name, limit, need);
    };
    needed("max_nodes", limits.max_nodes, shortage.needed_nodes);
    needed("max_switches", limits.max_switches, shortage.needed_switches);
    needed("max_ports", limits.max_ports, shortage.needed_ports);
    needed("max_switch_ports", limits.max_switch_ports, shortage.needed_switch_ports);
    if (shortage.needed_lids == 0) return;
    const std::uint32_t highest = sm.status().lids.highest;
    needed(highest == limits.max_lid ? "max_lid" : "LinearFDBCap", highest, shortage.needed_lids);
}

/// Calls `tell(name, gets, sets)` for every attribute that was asked or set, once each; those
/// without a name together as "others".
template <typename Report>
void ForEachAttribute(const ExchangeStatistics& counted, Report report) {
    std::uint64_t gets = 0;
    std::uint64_t sets = 0;
    for (std::size_t row = 0; row < ExchangeStatistics::kAttributes; ++row) {
        const std::string_view name = WordOf(static_cast<AttributeId>(row));
        if (name.empty()) {
            gets += counted.gets[row];
            sets += counted.sets[row];
        } else if (counted.gets[row] != 0 || counted.sets[row] != 0) {
            report(name, counted.gets[row], counted.sets[row]);
        }
    }
    if (gets != 0 || sets != 0) report(std::string_view("others"), gets, sets);
}

/// Calls `tell(name, count, limit)` for everything that clients register.
template <typename Report>
void ForEachRegistered(const SubnetManager& sm, Report report) {
    const Groups& groups = sm.multicast().groups();
    const Records& records = sm.records();
    const Limits& limits = sm.limits();
    report("groups", groups.group_count(), limits.max_groups);
    report("members", groups.member_count(), limits.max_members);
    report("mlids", groups.mlids_in_use(), limits.max_mlids);
    report("alias_guids", records.aliases().count(), limits.max_alias_guids);
    report("services", records.services().count(), limits.max_services);
    report("subscriptions", records.subscriptions().count(), limits.max_subscriptions);
}

/// The standing of another SM with replication, by PeerTrust.
inline constexpr std::string_view kPeerWords[] = {"foreign", "other key", "proved"};
[[nodiscard]] inline std::string_view PeerWord(const ReplicationPeer* peer) {
    const PeerTrust trust = peer == nullptr ? PeerTrust::kForeign : peer->trust;
    return kPeerWords[static_cast<std::size_t>(trust)];
}

/// "nothing", "journal", "sa_db_file".
[[nodiscard]] constexpr std::string_view WordOf(SaRestoreSource source) {
    constexpr std::string_view kWords[] = {"nothing", "journal", "sa_db_file"};
    return kWords[static_cast<std::size_t>(source)];
}

}  // namespace ember
