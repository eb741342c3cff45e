// SPDX-License-Identifier: Apache-2.0
// EmberSM: the work after a heavy sweep: LIDs, Sets, routes, forwarding tables, links to ACTIVE.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/discovery/discovery.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/journal/registrations.h"
#include "core/lids/lid_upkeep.h"
#include "core/links/flapping_links.h"
#include "core/log/log.h"
#include "core/log/words.h"
#include "core/m_keys/m_key_upkeep.h"
#include "core/manager/table_upkeep.h"
#include "core/multicast/multicast_upkeep.h"
#include "core/ports/port_values.h"
#include "core/programming/programming.h"
#include "core/role/role.h"
#include "core/routing/routes.h"
#include "core/settings/settings.h"

namespace ember {

/// Keeps the order of a round: M_Keys that change, and LIDs first; then Sets to ports and switches
/// while routes are computed and proved; then the blocks of forwarding tables that differ; links to
/// ACTIVE last, when the other tables of ports are written too (TableUpkeep).
///
/// A round off-sweep (BeginBalancing()) makes all routes anew and begins with them.
class Round {
public:
    /// All outlive it.
    struct Parts {
        const Fabric& fabric;
        Log& log;
        const Exchange& exchange;
        Arena& scratch;
        FlappingLinks& flapping;
        const Discovery& discovery;
        Role& role;
        LidUpkeep& lids;
        Registrations& registrations;
        MulticastUpkeep& multicast;
        Programming& programming;
        TableUpkeep& tables;
        MKeyUpkeep& m_keys;
        Routes& routes;
        PortValues& port_values;
    };
    enum class Phase : std::uint8_t {
        kIdle,
        kPreparing,    ///< Ports and switches are being set while routes are made.
        kProgramming,  ///< Blocks of forwarding tables are being written.
        kActivating,   ///< Links are going to ACTIVE.
    };
    /// The end of a round.
    enum class End : std::uint8_t {
        kNone,     ///< The round has not ended.
        kDone,     ///< All Sets were sent; Programming::outcome() has their success.
        kRefused,  ///< No engine could route. The switches keep their tables without dead routes.
        kSilent,   ///< A switch fell silent after a targeted sweep: a heavy one has to follow.
        kLanes,    ///< Switches lack tables of lanes that the routes rely on: LaneTrust.
    };

    /// `settings` may change between two rounds.
    Round(const Parts& parts, const Settings& settings) : parts_(parts), settings_(settings) {}
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;

    /// Begins a round after a sweep as master that was made for `reason`, and had read all ports at
    /// `read_us`.
    void Begin(SweepReason reason, std::uint64_t read_us, std::uint64_t now_us);
    void BeginBalancing(std::uint64_t now_us);
    /// Does the work that is due. `hurry`: another heavy sweep is wanted. True when there is more
    /// to do at once, without an answer.
    bool Step(bool hurry, std::uint64_t now_us);
    /// To be called once, after a round that ended with routes (kDone, kLanes) or with a refusal:
    /// keeps what a restart needs to find the subnet as it is, and lets trees and registrations go
    /// on.
    void Settle(std::uint64_t now_us);
    /// Gives the round up.
    void Abandon();

    [[nodiscard]] Phase phase() const { return phase_; }
    /// The end of the last round, until the next Begin().
    [[nodiscard]] End end() const { return end_; }
    [[nodiscard]] bool is_balancing() const { return is_balancing_; }

private:
    enum class Preparation : std::uint8_t {
        kMKeys,
        kLoadLids,
        kAssignLids,
        kForget,
        kRestore,
        kSets,
        kDone
    };

    void Prepare(std::uint64_t now_us);
    void PrepareLids(bool first, std::uint64_t now_us);
    void BeginSets(bool first, std::uint64_t now_us);
    [[nodiscard]] bool AdvanceSets(std::uint64_t now_us);
    void BeginNextSets();
    void ExpectRoutes();
    void EndRouting(std::uint64_t now_us);
    bool AdvanceProgramming(bool hurry, std::uint64_t now_us);
    void BeginActivating();
    void Activate();
    [[nodiscard]] bool MustGiveUp() const;
    [[nodiscard]] bool CanSend() const;
    bool Close(End end);
    /// An operator who asks for a sweep may know that tables were changed by another tool.
    [[nodiscard]] bool ReadsTablesAnew() const { return reason_ == SweepReason::kRequest; }

    Parts parts_;
    const Settings& settings_;
    SweepReason reason_ = SweepReason::kStart;
    Phase phase_ = Phase::kIdle;
    End end_ = End::kNone;
    Preparation preparation_ = Preparation::kDone;
    bool is_balancing_ = false;
    std::uint64_t read_us_ = 0;    ///< When the sweep before had read all ports.
    bool has_met_others_ = false;  ///< Other subnet managers, in this round or one before.
    bool awaits_tables_ = false;   ///< Links go to ACTIVE when the tables of ports are written.
    bool only_touched_ = false;    ///< LIDs are as before, and ports that were not read are right.
};

}  // namespace ember
