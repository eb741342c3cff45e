// SPDX-License-Identifier: Apache-2.0
// EmberSM: which requester may change what belongs to a port.
#pragma once

#include "core/administration/query/query.h"
#include "core/fabric/fabric.h"
#include "core/fabric/shares.h"

namespace ember {

// Decisions about acting for another port are made here and nowhere else. The requester is the port
// of the LID that the question came from, whatever its record says.

/// What belongs to `port` may be changed by that port itself and by a requester that knows sa_key;
/// under sa_allow_proxies by every requester, as with OpenSM.
[[nodiscard]] inline bool MayActFor(const AdministrationView& view,
                                    const Query& query,
                                    PortIndex port) {
    return query.requester == port || query.is_trusted || view.settings.sa_allow_proxies;
}

/// The port that is charged for what a question registers: the requester, trusted or not.
[[nodiscard]] inline Requester RequesterOf(const AdministrationView& view, const Query& query) {
    return RequesterOf(view.fabric.port(query.requester).guid);
}

}  // namespace ember
