// SPDX-License-Identifier: Apache-2.0
// EmberSM: the counters that status and metrics both tell, by the names that they have in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/manager/subnet_manager.h"
#include "platform/local/mailbox_port.h"

namespace ember {

/// A counter of the struct `Counted`. A table of them has the order in which they are told: a
/// counter that is added has one row, and is in the answer to `status` and on the page of metrics.
template <typename Counted, typename Number = std::uint64_t>
struct Counter {
    std::string_view name;
    Number Counted::*value;
};

/// Calls `tell(name, count)` for every row of the table.
template <typename Counted, typename Number, std::size_t kCount, typename Report>
void ForEachCount(const Counter<Counted, Number> (&table)[kCount], const Counted& counted,
                  Report report) {
    for (const Counter<Counted, Number>& row : table) {
        report(row.name, counted.*row.value);
    }
}

/// Whether the table has every counter of a struct that holds nothing else.
template <typename Counted, std::size_t kCount>
[[nodiscard]] consteval bool IsWhole(const Counter<Counted> (&/*table*/)[kCount]) {
    return sizeof(Counted) == kCount * sizeof(std::uint64_t);
}

inline constexpr Counter<SubnetStatus> kSweepCounters[] = {
    {"heavy", &SubnetStatus::heavy_sweeps},
    {"targeted", &SubnetStatus::targeted_sweeps},
    {"light", &SubnetStatus::light_sweeps},
};

inline constexpr Counter<SubnetStatus> kDatagramCounters[] = {
    {"malformed", &SubnetStatus::malformed_mads},
    {"unexpected", &SubnetStatus::unexpected_mads},
};

/// Of the last heavy sweep.
inline constexpr Counter<Discovery::Outcome, std::uint32_t> kDiscoveryCounters[] = {
    {"nodes_gained", &Discovery::Outcome::nodes_gained},
    {"nodes_lost", &Discovery::Outcome::nodes_lost},
    {"links_changed", &Discovery::Outcome::links_changed},
    {"silent", &Discovery::Outcome::silent},
    {"conflicts", &Discovery::Outcome::conflicts},
    {"refused", &Discovery::Outcome::refused},
    {"shut", &Discovery::Outcome::shut},
};

/// Of the last programming.
inline constexpr Counter<ProgrammingOutcome, std::uint32_t> kProgrammingCounters[] = {
    {"ports_set", &ProgrammingOutcome::ports_set},
    {"ports_right", &ProgrammingOutcome::ports_right},
    {"switches_set", &ProgrammingOutcome::switches_set},
    {"blocks_read", &ProgrammingOutcome::blocks_read},
    {"blocks_set", &ProgrammingOutcome::blocks_set},
    {"blocks_right", &ProgrammingOutcome::blocks_right},
    {"activated", &ProgrammingOutcome::activated},
    {"failed", &ProgrammingOutcome::failed},
    {"bounced", &ProgrammingOutcome::bounced},
    {"end_ports_failed", &ProgrammingOutcome::end_ports_failed},
    {"end_ports_bounced", &ProgrammingOutcome::end_ports_bounced},
};

inline constexpr Counter<ScrubStatus> kScrubCounters[] = {
    {"visits", &ScrubStatus::visits},
    {"questions", &ScrubStatus::questions},
    {"differences", &ScrubStatus::differences},
};
static_assert(IsWhole(kScrubCounters), "a counter is not told");

inline constexpr Counter<TableCounts> kTableCounters[] = {
    {"written", &TableCounts::written},
    {"failed", &TableCounts::failed},
    {"repaired", &TableCounts::repaired},
};
static_assert(IsWhole(kTableCounters), "a counter is not told");

/// The kinds of port tables, by the names that they have in status and metrics.
inline constexpr Counter<PortTableCounts, TableCounts> kPortTables[] = {
    {"p_key", &PortTableCounts::p_keys},
    {"sl_to_vl", &PortTableCounts::sl_to_vl},
    {"vl_arbitration", &PortTableCounts::vl_arbitration},
};

inline constexpr Counter<FlappingStatistics> kFlappingCounters[] = {
    {"losses", &FlappingStatistics::losses},
    {"complaints", &FlappingStatistics::complaints},
    {"quarantines", &FlappingStatistics::quarantines},
    {"releases", &FlappingStatistics::releases},
    {"disabled", &FlappingStatistics::disabled},
    {"forgotten", &FlappingStatistics::forgotten},
};
static_assert(IsWhole(kFlappingCounters), "a counter is not told");

inline constexpr Counter<ExchangeStatistics> kSmpCounters[] = {
    {"sent", &ExchangeStatistics::sent},
    {"answered", &ExchangeStatistics::answered},
    {"resent", &ExchangeStatistics::resent},
    {"told", &ExchangeStatistics::one_way},
    {"refused", &ExchangeStatistics::refused},
    {"timeouts", &ExchangeStatistics::timeouts},
    {"given_up", &ExchangeStatistics::given_up},
    {"late", &ExchangeStatistics::late},
    {"duplicates", &ExchangeStatistics::duplicates},
    {"unmatched", &ExchangeStatistics::unmatched},
    {"malformed", &ExchangeStatistics::malformed},
    {"peer_busy", &ExchangeStatistics::peer_busy},
    {"port_busy", &ExchangeStatistics::port_busy},
    {"port_failed", &ExchangeStatistics::port_failed},
};

inline constexpr Counter<SaStatistics> kSaCounters[] = {
    {"questions", &SaStatistics::questions},
    {"answers", &SaStatistics::answers},
    {"tables", &SaStatistics::tables},
    {"segments", &SaStatistics::segments},
    {"refused", &SaStatistics::refused},
    {"denied", &SaStatistics::denied},
    {"busy", &SaStatistics::busy},
    {"duplicates", &SaStatistics::duplicates},
    {"stale", &SaStatistics::stale},
    {"wrong_keys", &SaStatistics::wrong_keys},
    {"wrong_p_keys", &SaStatistics::wrong_p_keys},
    {"strangers", &SaStatistics::strangers},
    {"unknown", &SaStatistics::unknown},
    {"malformed", &SaStatistics::malformed},
    {"closed", &SaStatistics::closed},
    {"turned_away", &SaStatistics::turned_away},
    {"transfers_ended", &SaStatistics::transfers_ended},
    {"transfers_lost", &SaStatistics::transfers_lost},
    {"transfers_torn", &SaStatistics::transfers_torn},
    {"port_busy", &SaStatistics::port_busy},
};
static_assert(IsWhole(kSaCounters), "a counter is not told");

/// Messages between subnet managers of this kind.
inline constexpr Counter<ReplicationStatistics> kReplicationCounters[] = {
    {"sent", &ReplicationStatistics::sent},
    {"heard", &ReplicationStatistics::heard},
    {"malformed", &ReplicationStatistics::malformed},
    {"other_versions", &ReplicationStatistics::other_versions},
    {"forged", &ReplicationStatistics::forged},
    {"stale", &ReplicationStatistics::stale},
    {"refused", &ReplicationStatistics::refused},
};
static_assert(IsWhole(kReplicationCounters), "a counter is not told");

/// Records registered again after a restart, and those that were not.
inline constexpr Counter<SaRestored> kRestoredCounters[] = {
    {"groups", &SaRestored::groups},
    {"members", &SaRestored::members},
    {"alias_guids", &SaRestored::aliases},
    {"services", &SaRestored::services},
    {"subscriptions", &SaRestored::subscriptions},
    {"gone", &SaRestored::gone},
    {"expired", &SaRestored::expired},
    {"unusable", &SaRestored::unusable},
    {"moved_groups", &SaRestored::moved},
};

inline constexpr Counter<SaJournalStatus> kSaJournalCounters[] = {
    {"frames", &SaJournalStatus::frames},
    {"generations", &SaJournalStatus::generations},
    {"overflows", &SaJournalStatus::overflows},
    {"failures", &SaJournalStatus::failures},
};

inline constexpr Counter<MailboxStatistics> kMailboxCounters[] = {
    {"sent", &MailboxStatistics::sent},
    {"received", &MailboxStatistics::received},
    {"ring_full", &MailboxStatistics::ring_full},
    {"overrun", &MailboxStatistics::overrun},
    {"refused", &MailboxStatistics::refused},
    {"torn", &MailboxStatistics::torn},
    {"malformed", &MailboxStatistics::malformed},
    {"returned", &MailboxStatistics::returned},
    {"rings_again", &MailboxStatistics::rings_again},
    {"device_resets", &MailboxStatistics::device_resets},
    {"asked_resets", &MailboxStatistics::asked_resets},
};
static_assert(IsWhole(kMailboxCounters), "a counter is not told");

}  // namespace ember
