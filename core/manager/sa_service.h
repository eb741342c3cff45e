// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator as a part of the subnet manager: its view, and when it serves.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/records.h"
#include "core/administration/reports/reports.h"
#include "core/administration/transactions/administration.h"
#include "core/base/table.h"
#include "core/base/time.h"
#include "core/exchange/exchange.h"
#include "core/exchange/gmp_exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/fabric.h"
#include "core/fabric/managers.h"
#include "core/graph/routing_tables.h"
#include "core/log/log.h"
#include "core/multicast/multicast_upkeep.h"
#include "core/partitions/own_p_keys.h"
#include "core/partitions/partitions.h"
#include "core/platform.h"
#include "core/port_tables/table_programming.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kGuidTablesClient{8};

/// Serves clients: composes the view, the records, the answers and the reports.
///
/// The view has a generation, which is bumped whenever fabric, settings or forwarding tables may
/// have changed, and is stable while the subnet manager is idle.
class SaService {
public:
    struct Memory {
        Records::Memory records;
        Administration::Memory administration;
        std::span<GmpExchange::Row> reports;                   ///< A row for each subscription.
        std::span<TableProgramming::Known> known_guid_tables;  ///< Limits::max_guid_tables.
    };
    /// All outlive it.
    struct Parts {
        MadPort& port;
        Entropy& entropy;
        Exchange& exchange;
        Log& log;
        Fabric& fabric;
        const Managers& managers;
        const Partitions& partitions;
        const OwnPKeys& own_p_keys;
        MulticastUpkeep& multicast;
    };
    using Lfts = Matrix<SwitchIndex, const std::uint8_t>;

    /// `settings` may change underneath.
    SaService(const Memory& memory, const Parts& parts, const Settings& settings);
    SaService(const SaService&) = delete;
    SaService& operator=(const SaService&) = delete;

    /// The settings have changed. Call it before the first question, too.
    void Configure(std::uint64_t now_us) {
        records_.Configure(now_us);
        has_moved_ = true;
    }
    /// Partitions alone have changed, after Configure(): what belongs to ports that have left
    /// theirs ends.
    void FollowPartitions(std::uint64_t now_us) { records_.FollowPartitions(now_us); }
    /// Renews the view from which clients are answered. `lfts` and `lanes`: as programmed; they
    /// outlive the view. `moves`: a sweep or programming is under way, which may change tables at
    /// any time.
    void Refresh(Lfts lfts, const RoutingLanes& lanes, bool moves);
    /// Does a slice of answers, reports and questions to devices. `serves`: we are master and our
    /// first sweep has ended, also while we sweep again. True when there is more to do at once.
    bool Step(bool serves, std::uint64_t now_us);
    /// A datagram of class SubnAdm from queue pair 1. False: neither a question nor an answer to a
    /// report.
    bool Hear(const Envelope& envelope, std::uint64_t now_us);
    /// Takes an answer to a datagram of kAdministrationClient or kGuidTablesClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// A sweep has ended: forgets registrations of lost ports, and writes traps 64 and 65 for ports
    /// that came into or went out of service. `has_clients`: false in the first sweep, when no
    /// client can have subscribed.
    void FollowSweep(bool has_clients, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    [[nodiscard]] const Administration& administration() const { return administration_; }
    [[nodiscard]] Records& records() { return records_; }
    [[nodiscard]] const Records& records() const { return records_; }
    [[nodiscard]] const Reports& reports() const { return reports_; }

private:
    void WriteServiceEvents(bool has_clients, std::uint64_t now_us);
    void StepGuidTables(std::uint64_t now_us);
    void BeginGuidTables();

    Parts parts_;
    const Settings& settings_;
    AdministrationView view_;
    Records records_;
    TableProgramming guid_tables_;
    Administration administration_;
    GmpExchange gmps_;
    Reports reports_;
    std::uint64_t generation_ = 1;
    bool has_moved_ = false;              ///< Tables may have changed since generation_ was raised.
    std::uint32_t guid_tables_seen_ = 0;  ///< The revision that was looked at last.
    std::uint64_t guid_tables_due_us_ = kNever;  ///< When Sets that failed are tried again,
    std::uint64_t guid_tables_rest_us_ = 0;      ///< and how long that was put off.
};

}  // namespace ember
