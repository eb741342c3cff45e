// SPDX-License-Identifier: Apache-2.0
// EmberSM: gives every end port its LIDs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/assignment/lid_map.h"
#include "core/base/arena.h"
#include "core/base/static_vector.h"
#include "core/fabric/fabric.h"
#include "core/fabric/guid_order.h"
#include "core/log/log.h"
#include "core/settings.h"

namespace ember {

/// Something about LIDs that an operator wants to hear.
struct LidEvent {
    Guid guid = kNoGuid;   ///< PortGUID.
    Guid other = kNoGuid;  ///< Of the port that claims the same LID.
    Lid lid = kNoLid;
    Lid before = kNoLid;
    [[nodiscard]] bool operator==(const LidEvent&) const = default;
};

/// A switch whose LinearFDBCap is too small for the LIDs in force, or is so no longer.
struct SwitchFit {
    Guid guid = kNoGuid;    ///< NodeGUID.
    std::uint16_t cap = 0;  ///< LinearFDBCap, as it says.
    bool is_left_out = false;
    [[nodiscard]] bool operator==(const SwitchFit&) const = default;
};

/// What an assignment did. Of the events the first ones.
struct LidOutcome {
    static constexpr std::size_t kToldEach = 8;
    std::uint32_t given = 0;                   ///< End ports that have LIDs now.
    std::uint32_t moved = 0;                   ///< Of these, ports whose PortInfo said another LID.
    std::uint32_t duplicates = 0;              ///< LIDs that two ports claimed on the wire.
    std::uint32_t without = 0;                 ///< End ports for which no LID was left.
    std::uint32_t uprooted = 0;                ///< Of `moved`, ports that had a LID before.
    std::uint32_t left_out = 0;                ///< Switches that no route leads through.
    std::uint32_t refits = 0;                  ///< Switches that are that anew, or no longer.
    Guid first_without = kNoGuid;              ///< PortGUID.
    StaticVector<LidEvent, kToldEach> moves;   ///< guid, before, lid.
    StaticVector<LidEvent, kToldEach> claims;  ///< lid, guid, and other, which gets another.
    StaticVector<SwitchFit, kToldEach> fits;   ///< Of `refits`.
};

/// Gives every end port its LIDs, as OpenSM does. Source: osm_lid_mgr.c.
///
/// The SM's own port comes first, then all others in Settings::order of their port GUIDs. A port
/// gets what the map keeps for it; else it keeps what its PortInfo says if that is aligned and kept
/// for nobody else; else the first fit among the free ranges. Every result is entered in the map.
/// When none is left, what the map keeps for absent ports is taken back. (OpenSM keeps it, and the
/// newcomer gets none.) An end port without a cable has no LIDs until it gets one.
///
/// No switch takes a LID away from a port. The highest LID that is given anew is one that most
/// switches can hold, and below any LinearFDBCap that has room for all LIDs that are needed, and
/// below that of the SM's own switch. A switch that cannot hold what is in force in the end is left
/// out (Node::is_left_out): no route leads through it, and it has no LID.
/// `trust_present` is false in the first master sweep under reassign_lids: nothing on the wire
/// counts then.
LidOutcome AssignLids(
    Fabric& fabric, LidMap& map, const Settings& settings, bool trust_present, Arena& scratch);

/// The most AssignLids() takes from its arena.
[[nodiscard]] constexpr std::size_t AssignLidsScratchBytes(const Limits& limits) {
    return Arena::BytesFor<PortIndex>(limits.max_ports) +
           Arena::BytesFor<PortIndex>(std::size_t{limits.max_lid} + 1) +
           Arena::BytesFor<std::uint32_t>(std::size_t{limits.max_lid} / 2 + 2) +
           Arena::BytesFor<std::uint64_t>(limits.max_ports) +
           SortScratchBytes<PortIndex>(limits.max_ports) + LidMap::StoreBytes(limits.max_lid) +
           Arena::kGrain;
}

}  // namespace ember
