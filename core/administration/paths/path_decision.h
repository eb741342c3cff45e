// SPDX-License-Identifier: Apache-2.0
// EmberSM: a path on its way to a PathRecord.
#pragma once

#include <cstdint>

#include "core/administration/paths/level_limits.h"
#include "core/administration/policy/qos_policy.h"
#include "core/base/ids.h"
#include "core/settings/qos_tables.h"
#include "core/wire/rate.h"

namespace ember {

/// Two LIDs of two end ports, and how the ports are called in the record.
struct PathEnds {
    PortIndex source = kNoPortIndex;
    Lid source_lid = kNoLid;
    PortIndex destination = kNoPortIndex;
    Lid destination_lid = kNoLid;
    std::uint8_t preference = 0;
    Guid source_guid = kNoGuid;  ///< PortGUIDs, or aliases of them.
    Guid destination_guid = kNoGuid;
    /// Of a path that leaves the subnet by the router `destination`: the prefix of where to; the
    /// GUID is destination_guid. 0: it does not.
    std::uint64_t far_prefix = 0;
};

/// A path from one end to the other, as a policy sees it.
struct PathLeg {
    PortIndex from = kNoPortIndex;
    PortIndex to = kNoPortIndex;
    bool is_far = false;              ///< Of a path that leaves the subnet.
    const QosLevel* level = nullptr;  ///< Null: no policy.
};

/// The origin of a path's service level.
enum class SlOrigin : std::uint8_t {
    kDefault,    ///< Nothing says any: it is 0.
    kQuestion,   ///< The question asks for it.
    kLevel,      ///< The QoS level.
    kPartition,  ///< The partition of the path.
    kRouter,     ///< rtr_pr_sl, of paths to another subnet.
    kRouting,    ///< The routing has service levels of its own.
};

/// The decision about a path, and the reasons for it.
struct PathDecision {
    QosChoice choice{};   ///< Of the way there.
    QosChoice back{};     ///< Of the way back.
    PathValues links{};   ///< As links and settings give them, before any limit.
    PathValues values{};  ///< Narrowed by level and question.
    std::uint16_t p_key = kNoPKey;
    std::uint8_t sl = 0;
    std::uint8_t level_sl = 0;  ///< Of SlOrigin::kRouting: what is asked of the routing.
    SlOrigin sl_origin = SlOrigin::kDefault;
    bool reversible = false;
    Rate record_rate = Rate::kNone;  ///< `values.rate` as the record tells it.
};

}  // namespace ember
