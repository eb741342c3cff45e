// SPDX-License-Identifier: Apache-2.0
// EmberSM: what came of a sweep.
#pragma once

#include <cstdint>

namespace ember {

/// The result of a sweep, for the log, the status page and the next decision.
struct SweepOutcome {
    std::uint32_t sweep = 0;
    std::uint32_t nodes_gained = 0;
    std::uint32_t nodes_announced = 0;  ///< Of these, noted as new or back, or counted as such.
    std::uint32_t nodes_lost = 0;
    std::uint32_t links_changed = 0;
    std::uint32_t links_lost = 0;
    std::uint32_t links_gained = 0;
    std::uint32_t links_retrained = 0;  ///< Were down, and are up again.
    std::uint32_t links_reduced = 0;    ///< Found narrow or slow in this sweep.
    std::uint32_t silent = 0;           ///< Questions that were never answered.
    std::uint32_t late = 0;             ///< Questions to end ports whose answers were not awaited.
    std::uint32_t conflicts = 0;        ///< Links claimed twice: a duplicate GUID, or a moved link.
    std::uint32_t refused = 0;          ///< Claims to a node or port that answers at another exit.
    std::uint32_t shut = 0;             ///< Exits not crossed: see PortQuotas.
    std::uint32_t malformed = 0;        ///< Answers with values that IBA forbids.
    bool own_port_down = false;         ///< The SM's own port has no link: there is no subnet.
    /// Our port has a link, but its neighbor does not answer: the fabric was left as it was.
    bool cut_off = false;
    bool unsettled = false;  ///< The subnet changed during the sweep: sweep again.
    bool targeted = false;   ///< Only some switches were asked.
    bool first = false;      ///< None has ended before: all nodes are new, and noted as a sum.
    /// Nodes were forgotten, because refused nodes are owed their room: sweep again before
    /// anything is configured.
    bool made_room = false;
};

}  // namespace ember
