// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a round came to, in words of the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/assignment/lids.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/log/log.h"
#include "core/programming/programming.h"
#include "core/upkeep/routes.h"

namespace ember {

/// What there is to be said against a SUBNET UP, as it was when it was said.
struct UpReservations {
    Fabric::Shortage shortage;  ///< Not managed, as the fabric is larger than the board.
    std::size_t nodes = 0;      ///< Managed.
    std::size_t switches = 0;   ///< Managed.
    std::uint32_t ports = 0;    ///< End ports with LIDs.
    std::uint32_t ports_without_lid = 0;
    bool tables_kept = false;   ///< No engine could route: RoutingOutcome::kKept.
    bool safe_routing = false;  ///< No engine could: the safe routing is in force.
    bool may_deadlock = false;  ///< A credit loop among end ports is possible.
    std::string_view engine;    ///< Whose routes are in force; empty: of none.
    std::string_view refused;   ///< The first of the list, if `engine` is not it.
};

/// What has to be said now, when `routes` are in force in the switches.
[[nodiscard]] UpReservations ReservationsOf(const Fabric& fabric,
                                            const LidOutcome& lids,
                                            const Routes& routes);

/// SUBNET UP, or up in part: a fabric that is larger than the board must not look like all of it.
void TellUp(const UpReservations& up, std::size_t links, Log& log, std::uint64_t now_us);
/// The round had errors at switches, or at links between them.
void TellErrors(const ProgrammingOutcome& outcome, Log& log, std::uint64_t now_us);
/// What was sent for it.
void TellProgrammed(const ProgrammingOutcome& outcome,
                    std::size_t switches,
                    Log& log,
                    std::uint64_t now_us);

/// Hosts and routers that could not be configured are told once, as long as they stay the same.
class EndPortNotes {
public:
    /// Tells what is news. `awaits`: some have not answered yet, and what was told still holds.
    void Tell(const ProgrammingOutcome& outcome, bool awaits, Log& log, std::uint64_t now_us);
    /// Their number has changed since the last Note().
    [[nodiscard]] bool HasChanged(const ProgrammingOutcome& outcome) const {
        return outcome.end_ports_failed != noted_;
    }
    void Note(const ProgrammingOutcome& outcome) { noted_ = outcome.end_ports_failed; }

private:
    std::uint32_t told_ = 0;   ///< As told last,
    std::uint32_t noted_ = 0;  ///< and as counted last.
    LinkEnd told_first_;
};

}  // namespace ember
