// SPDX-License-Identifier: Apache-2.0
// EmberSM: gives every end port its LIDs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/static_vector.h"
#include "core/fabric/fabric.h"
#include "core/fabric/guid_order.h"
#include "core/lids/kept_share.h"
#include "core/lids/lid_map.h"
#include "core/log/log.h"
#include "core/settings/settings.h"

namespace ember {

/// A change of a port's LID, or a conflict about a LID, for the log.
struct LidEvent {
    Guid guid = kNoGuid;   ///< PortGUID.
    Guid other = kNoGuid;  ///< Of the port that claims the same LID.
    Lid lid = kNoLid;
    Lid before = kNoLid;
    [[nodiscard]] bool operator==(const LidEvent&) const = default;
};

/// A switch whose LinearFDBCap is too small for the assigned LIDs, or is no longer too small.
struct LinearFdbCapEvent {
    Guid guid = kNoGuid;    ///< NodeGUID.
    std::uint16_t cap = 0;  ///< LinearFDBCap, as the switch reports it.
    bool is_left_out = false;
    [[nodiscard]] bool operator==(const LinearFdbCapEvent&) const = default;
};

/// The result of an assignment, with the first events of each kind.
struct LidOutcome {
    static constexpr std::size_t kMostEvents = 8;
    std::uint32_t given = 0;       ///< End ports that have LIDs now.
    std::uint32_t moved = 0;       ///< Of these, ports whose PortInfo has another LID.
    std::uint32_t duplicates = 0;  ///< LIDs that the PortInfos of two ports have.
    std::uint32_t without = 0;     ///< End ports for which no LID was left.
    /// Where LIDs are short: max_lid, or less where the switches' LinearFDBCaps are too small.
    std::uint32_t highest = 0;
    std::uint32_t replaced = 0;                  ///< Of `moved`, ports that had a LID before.
    std::uint32_t left_out = 0;                  ///< Switches that no route leads through.
    std::uint32_t cap_changes = 0;               ///< Switches that were left out or taken in now.
    Guid first_without = kNoGuid;                ///< PortGUID.
    StaticVector<LidEvent, kMostEvents> moves;   ///< guid, before, lid.
    StaticVector<LidEvent, kMostEvents> claims;  ///< lid, guid, and other, which gets another LID.
    StaticVector<LinearFdbCapEvent, kMostEvents> cap_events;  ///< Of `cap_changes`.
};

/// True for an end port that can be reached, and so is given LIDs.
[[nodiscard]] bool IsEntitledToLids(const Fabric& fabric, PortIndex at);

/// The LMC that an end port gets. Base switch port 0 has none.
[[nodiscard]] std::uint8_t LmcOf(const Fabric& fabric, const Port& port, const Settings& settings);

/// Gives every end port its LIDs, as OpenSM does. Source: osm_lid_mgr.c.
///
/// The SM's own port comes first, then all others in Settings::order of their port GUIDs. A port
/// gets the LIDs that the map keeps for it. Else it keeps the LID in its PortInfo, if that is
/// aligned and not kept for another port. Else it gets the first free range that fits. Every result
/// is entered in the map. KeptShare bounds what stays there. When no LID is left, those kept for
/// absent ports are taken back. (OpenSM keeps them, and the new port gets none.) An end port
/// without a link has no LIDs.
///
/// No switch takes a LID away from a port. The highest LID that is given anew is one that most
/// switches can hold, below any LinearFDBCap that has room for all needed LIDs, and below that of
/// the SM's own switch. A switch that cannot hold all assigned LIDs in the end is left out
/// (Node::is_left_out): no route leads through it, and it has no LID.
/// `trust_present` is false in the first master sweep under reassign_lids: LIDs in PortInfos do not
/// count then.
LidOutcome AssignLids(Fabric& fabric, LidMap& map, const Settings& settings, bool trust_present,
                      Arena& scratch);

/// The most bytes that AssignLids() takes from its arena.
[[nodiscard]] constexpr std::size_t AssignLidsScratchBytes(const Limits& limits) {
    return Arena::BytesFor<PortIndex>(limits.max_ports) +
           Arena::BytesFor<PortIndex>(std::size_t{limits.max_lid} + 1) +
           Arena::BytesFor<std::uint32_t>(std::size_t{limits.max_lid} / 2 + 2) +
           Arena::BytesFor<std::uint64_t>(limits.max_ports) +
           SortScratchBytes<PortIndex>(limits.max_ports) + LidMap::StoreBytes(limits.max_lid) +
           KeptShare::ScratchBytes(limits) + Arena::kGrain;
}

}  // namespace ember
