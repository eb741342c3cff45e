// SPDX-License-Identifier: Apache-2.0
// EmberSM: who may change what is whose.
#pragma once

#include "core/administration/query.h"
#include "core/fabric/fabric.h"
#include "core/fabric/shares.h"

namespace ember {

// The one place that decides who may act for another port: who asks is the port that its LID
// names, whatever its record says.

/// What is `port`'s may be changed by that port itself, by who knows the SM_Key, and under
/// sa_allow_proxies, as by OpenSM, by all.
[[nodiscard]] inline bool MayActFor(const AdministrationView& view,
                                    const Query& query,
                                    PortIndex port) {
    return query.requester == port || query.is_trusted || view.settings.sa_allow_proxies;
}

/// Who is charged for what a question registers, trusted or not.
[[nodiscard]] inline Payer PayerOf(const AdministrationView& view, const Query& query) {
    return PayerOf(view.fabric.port(query.requester).guid);
}

}  // namespace ember
