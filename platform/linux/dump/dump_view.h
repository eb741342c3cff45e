// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet as OpenSM's dump files show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/registrations/services.h"
#include "core/administration/registrations/subscriptions.h"
#include "core/aliases/alias_guids.h"
#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/graph/routing_tables.h"
#include "core/lids/lid_map.h"
#include "core/multicast/groups.h"
#include "core/multicast/mft_tables.h"
#include "core/programming/programming.h"
#include "core/routing/step_replay.h"
#include "core/settings/settings.h"
#include "engines/report/hop_report.h"
#include "engines/report/node_order.h"

namespace ember {

/// The sources of a dump, all of which must stand still meanwhile.
struct DumpView {
    const Fabric& fabric;
    const Programming& programming;
    const LidMap& lids;
    const MftTables& mfts;
    const Groups& groups;
    const AliasGuids& aliases;
    const Services& services;
    const Subscriptions& subscriptions;
    std::uint64_t subnet_prefix;
    std::uint64_t unix_s;                   ///< When it was asked for; see time(2).
    HopReport& hops;                        ///< Begun, in the order of `switches`.
    NodeOrder& node_order;                  ///< Begun when there is one.
    std::span<const NodeIndex> nodes;       ///< In OpenSM's order; see SortAsOpensm().
    std::span<const SwitchIndex> switches;  ///< Likewise.
    /// Not null: the files tell of one step of a chain, of its part, and of the tables that its
    /// engine made.
    const StepReplay* step = nullptr;
    /// Where lanes are told of: what ports were given them by, and the end ports by SortEndPorts().
    const Settings* settings = nullptr;
    const RoutingLanes* lanes = nullptr;
    std::span<const PortIndex> end_ports = {};
};

/// Where a dump stands: which switch, node or entry, and which LID or port of it.
struct DumpCursor {
    std::size_t row = 0;
    std::size_t column = 0;
    std::size_t item = 0;      ///< Members of a group, where a piece holds only some.
    std::uint8_t section = 0;  ///< Of a file that has several.
};

/// Fills the fronts of `nodes` and `switches` with those that are live, in the order of OpenSM's
/// tables on a little-endian host: ascending byte-reversed GUID. Returns how many of each.
struct SortedCounts {
    std::size_t nodes = 0;
    std::size_t switches = 0;
};
[[nodiscard]] SortedCounts SortAsOpensm(const Fabric& fabric, std::span<NodeIndex> nodes,
                                        std::span<SwitchIndex> switches);

/// Fills the fronts of both as SortAsOpensm(), with those in the part of a step.
[[nodiscard]] SortedCounts SortPart(const Fabric& fabric, const StepReplay& step,
                                    std::span<NodeIndex> nodes, std::span<SwitchIndex> switches);

/// Fills the front of `ports` with the end ports that have a LID, in the order of OpenSM's table of
/// them, as far as there is room. Returns how many there are.
[[nodiscard]] std::size_t SortEndPorts(const Fabric& fabric, std::span<PortIndex> ports);

/// The cable behind a port is told of.
[[nodiscard]] bool ShowsLink(const DumpView& view, const Port& port);

/// The owner of a LID is told of.
[[nodiscard]] bool HasOwner(const DumpView& view, const Port& owner);

/// The port by which `at` sends packets to `lid` on, as the switch has acknowledged it; 255 when it
/// drops them, or when it is not known what it does.
[[nodiscard]] std::uint8_t ExitOf(const DumpView& view, SwitchIndex at, Lid lid);

/// Hops, as the engine in use counts them, from `at` to the switch where `to` is attached, or which
/// `to` belongs to, plus 1 when `to` is a host's or router's port; 255: no way. With `exit` not
/// 255: leaving by that port. `view.hops` must hold the row of `at`.
[[nodiscard]] unsigned HopsTo(const DumpView& view, SwitchIndex at, const Port& to,
                              std::uint8_t exit = 255);

}  // namespace ember
