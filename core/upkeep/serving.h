// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator as a part of the subnet manager: what it answers from, and
// when.
#pragma once

#include <cstdint>

#include "core/administration/records.h"
#include "core/administration/reports/reports.h"
#include "core/administration/transactions/administration.h"
#include "core/base/table.h"
#include "core/exchange/exchange.h"
#include "core/exchange/gmp_exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/fabric.h"
#include "core/fabric/managers.h"
#include "core/fabric/partitions.h"
#include "core/log/log.h"
#include "core/platform.h"
#include "core/settings.h"
#include "core/upkeep/multicast_upkeep.h"

namespace ember {

/// Serves clients: composes the view, the records, the answers and the reports.
///
/// The view has a generation, which is bumped whenever fabric, settings or forwarding tables may
/// have changed, and is stable while the subnet manager is idle.
class Serving {
public:
    struct Memory {
        Records::Memory records;
        Administration::Memory administration;
        std::span<GmpExchange::Row> reports;  ///< A row for each subscription.
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
        MulticastUpkeep& multicast;
    };
    using Lfts = Matrix<SwitchIndex, const std::uint8_t>;

    /// `settings` may change underneath.
    Serving(const Memory& memory, const Parts& parts, const Settings& settings);
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

    /// From now on answers are made of these. `lfts`: what the switches are known to have. `moves`:
    /// a sweep or programming is under way, which may change tables at any time.
    void Refresh(Lfts lfts, bool moves);
    /// Answers, reports and asks devices, a slice of it. `serves`: as master, from the end of its
    /// first sweep on, also while it sweeps again. True when there is more to do at once.
    bool Step(bool serves, std::uint64_t now_us);
    /// A datagram of class SubnAdm from queue pair 1. False: neither a question nor an answer to a
    /// report.
    bool Hear(const Envelope& envelope, std::uint64_t now_us);
    /// Takes an answer to a datagram of kAdministrationClient.
    void Hear(const Answer& answer, std::uint64_t now_us) { records_.Hear(answer, now_us); }
    /// A sweep has ended: what belongs to ports that are gone is forgotten, and traps 64 and 65 are
    /// due for those that came and went. `has_clients`: false in the first sweep, when no client
    /// can have subscribed.
    void FollowSweep(bool has_clients, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    [[nodiscard]] const Administration& administration() const { return administration_; }
    [[nodiscard]] Records& records() { return records_; }
    [[nodiscard]] const Records& records() const { return records_; }
    [[nodiscard]] const Reports& reports() const { return reports_; }

private:
    void TellWhoCameAndWent(bool has_clients, std::uint64_t now_us);

    Parts parts_;
    const Settings& settings_;
    AdministrationView view_;
    Records records_;
    Administration administration_;
    GmpExchange gmps_;
    Reports reports_;
    std::uint64_t generation_ = 1;
    bool has_moved_ = false;  ///< Since that number was given.
};

}  // namespace ember
