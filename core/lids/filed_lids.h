// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LIDs that guid2lid_file says ports had under the subnet manager before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/static_vector.h"
#include "core/fabric/fabric.h"
#include "core/lids/lid_map.h"
#include "core/settings/settings.h"

namespace ember {

/// A row of guid2lid_file that is not in force, for the log.
struct FiledLidEvent {
    Guid guid = kNoGuid;    ///< PortGUID.
    Lid lid = kNoLid;       ///< The first that the file has for it.
    Guid holder = kNoGuid;  ///< Another port that has some of these LIDs; kNoGuid: none.
    Lid has = kNoLid;       ///< The first that `guid` has; kNoLid: none.
    [[nodiscard]] bool operator==(const FiledLidEvent&) const = default;
};

/// The outcome of the rows of guid2lid_file, with the first that are not in force.
struct FiledLidsOutcome {
    static constexpr std::size_t kMostEvents = 8;
    std::uint32_t kept = 0;
    std::uint32_t refused = 0;
    StaticVector<FiledLidEvent, kMostEvents> events;
};

/// Enters the rows of guid2lid_file in the map, before LIDs are assigned for the first time.
///
/// A row ranks below what is newer than the file: an entry of the map, which comes from the store,
/// and the LID that a port of the fabric has, its own or another's. So no LID moves that is in use,
/// however old the file is; where the file is right, hosts that are off find their LIDs again. Of
/// two ports that have one LID, the one that the file gives it to keeps it. Takes less than
/// AssignLids() from `scratch`.
void KeepFiledLids(const Fabric& fabric, LidMap& map, const Settings& settings, Arena& scratch);

/// Compares the file with the map, after LIDs were assigned.
[[nodiscard]] FiledLidsOutcome JudgeFiledLids(const LidMap& map, std::span<const PortLids> rows);

}  // namespace ember
