// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys that OpenSM does not have.
#pragma once

#include <array>

#include "config/emberc/keys.h"

namespace ember::emberc {

// clang-format off
/// The last rows of the table of keys.
inline constexpr std::array kOwnKeys = {
    Key{"order", Class::kCore, Use::kActedOn, Update::kAtStart, "balanced",
        "LIDs as OpenSM and routes by EmberSM's own balance, or both as OpenSM, or by ascending GUID."},
    Key{"require_deadlock_free", Class::kRouting, Use::kActedOn, Update::kAtStart, "FALSE",
        "Refuse tables that could close a loop of credits instead of warning."},
    Key{"flapping_link_policy", Class::kRouting, Use::kActedOn, Update::kReread, "quarantine",
        "Cables that flap: `damp` their traps only, or leave them out for a while unless somebody "
        "would be cut off."},
    Key{"flapping_link_count", Class::kRouting, Use::kActedOn, Update::kReread, "5",
        "Losses of a cable, or traps 129 to 131 about it, that make it one that flaps."},
    Key{"flapping_link_window", Class::kRouting, Use::kActedOn, Update::kReread, "120",
        "Seconds within which they are counted."},
    Key{"flapping_link_hold", Class::kRouting, Use::kActedOn, Update::kReread, "60",
        "Seconds that a cable is left out; twice as long each time it follows, up to 64 times."},
    Key{"sa_max_requests_per_source", Class::kSa, Use::kActedOn, Update::kReread, "2000",
        "SA requests a second that each port may send for long; all ports together may send five times as many beyond theirs; 0 is any number."},
    Key{"sa_allow_proxies", Class::kSa, Use::kActedOn, Update::kReread, "FALSE",
        "Ports may join groups, register services and take alias GUIDs for others without sa_key, as with OpenSM."},
    Key{"multicast_hold", Class::kSa, Use::kActedOn, Update::kReread, "60",
        "Seconds that multicast tables of the master before are left in place for members to register again; 0 empties them."},
    Key{"sm_peers", Class::kSecurity, Use::kActedOn, Update::kReread, "(null)",
        "Port GUIDs of subnet managers: no other takes part, is heard, or is told sm_key."},
    Key{"scrub_interval", Class::kCore, Use::kActedOn, Update::kReread, "1",
        "Seconds in which one switch after the other is read again and compared; 0 is never."},
    Key{"edge_ports", Class::kSecurity, Use::kActedOn, Update::kReread, "(null)",
        "File of switch ports with one end node each, never a switch or SM: switch GUID, port."},
};
// clang-format on

}  // namespace ember::emberc
