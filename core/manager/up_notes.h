// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes about the result of a round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/lanes/lane_trust.h"
#include "core/lids/lids.h"
#include "core/log/log.h"
#include "core/partitions/p_key_upkeep.h"
#include "core/programming/programming.h"
#include "core/routing/routes.h"

namespace ember {

/// The subnet at a SUBNET UP, with the reservations under which it is up.
struct SubnetUpSummary {
    Fabric::Shortage shortage;  ///< Limits of the board that the fabric exceeds.
    std::size_t nodes = 0;      ///< Managed.
    std::size_t switches = 0;   ///< Managed.
    std::uint32_t ports = 0;    ///< End ports with LIDs.
    std::uint32_t ports_without_lid = 0;
    bool tables_kept = false;   ///< No engine could route: RoutingOutcome::kKept.
    bool safe_routing = false;  ///< No engine could route: the safe routing is in force.
    bool may_deadlock = false;  ///< A credit loop among end ports is possible.
    LaneFaults lanes;           ///< Kept up to date, as tables may be refused after SUBNET UP.
    std::string_view engine;    ///< The engine whose routes are in force; empty: none.
    std::string_view refused;   ///< The first engine of the list, if `engine` is another one.
};

/// The summary now, when `routes` are in force in the switches.
[[nodiscard]] SubnetUpSummary SummarizeUp(const Fabric& fabric, const LidOutcome& lids,
                                          const Routes& routes, const LaneFaults& lanes);

/// Notes SUBNET UP, or up in part when the fabric is larger than the board.
void LogUp(const SubnetUpSummary& up, std::size_t links, Log& log, std::uint64_t now_us);
/// Notes errors at switches, or at links between them.
void LogErrors(const ProgrammingOutcome& outcome, Log& log, std::uint64_t now_us);
/// Notes the Sets of a round.
void LogProgrammed(const ProgrammingOutcome& outcome, std::size_t switches, Log& log,
                   std::uint64_t now_us);

/// Notes ports that do not hold, or do not enforce, what the partitions say: when they change, and
/// when there are none any more.
class PartitionNotes {
public:
    void LogNews(const PartitionGaps& gaps, Log& log, std::uint64_t now_us);

private:
    PartitionGaps logged_;
};

/// Notes end ports that could not be configured: once, as long as they stay the same.
class EndPortNotes {
public:
    /// Notes them if they have changed. `awaits`: some have not answered yet; the last note holds.
    void LogNews(const ProgrammingOutcome& outcome, bool awaits, Log& log, std::uint64_t now_us);
    /// True when their number has changed since the last Note().
    [[nodiscard]] bool HasChanged(const ProgrammingOutcome& outcome) const {
        return outcome.end_ports_failed != noted_;
    }
    void Note(const ProgrammingOutcome& outcome) { noted_ = outcome.end_ports_failed; }

private:
    std::uint32_t logged_ = 0;  ///< Their number in the last note of the log,
    std::uint32_t noted_ = 0;   ///< and at the last Note().
    LinkEnd logged_first_;
};

}  // namespace ember
