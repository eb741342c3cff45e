// SPDX-License-Identifier: Apache-2.0
// EmberSM: which requester may ask, and which may change what belongs to a port.
#pragma once

#include "core/administration/query/query.h"
#include "core/fabric/fabric.h"
#include "core/fabric/shares.h"

namespace ember {

// Decisions about acting for another port are made here and nowhere else. The requester is the port
// of the LID that the question came from, whatever its record says.

/// The rows of `port` may be changed by that port itself and by a requester that knows sa_key;
/// under sa_allow_proxies by every requester, as with OpenSM.
[[nodiscard]] inline bool MayActFor(const AdministrationView& view, const Query& query,
                                    PortIndex port) {
    return query.requester == port || query.is_trusted || view.settings.sa_allow_proxies;
}

/// The port that is charged for what a question registers: the requester, trusted or not.
[[nodiscard]] inline Requester RequesterOf(const AdministrationView& view, const Query& query) {
    return RequesterOf(view.fabric.port(query.requester).guid);
}

/// The P_Keys of our own port, if its table is known; nullptr otherwise.
[[nodiscard]] inline const OwnPKeys* KnownPKeys(const AdministrationView& view) {
    const PortIndex own = view.fabric.own_port();
    const bool is_known = view.own_p_keys != nullptr && own != kNoPortIndex &&
                          view.own_p_keys->AreOf(view.fabric.port(own).guid);
    return is_known ? view.own_p_keys : nullptr;
}

/// The P_Key at an index of our own port's table lets that port and `requester` communicate: it is
/// a P_Key, the requester is a member of its partition, and one of both is a full one. As long as
/// the table is not known, any partition that both share will do. Where no partitions are
/// configured, and for our own port itself, every index will.
///
/// The port's hardware compares P_Keys of packets. A sender that puts a P_Key into its packets that
/// it was not given passes there, and is stopped here.
[[nodiscard]] inline bool MayAsk(const AdministrationView& view, PortIndex requester,
                                 std::uint16_t p_key_index) {
    const PortIndex own = view.fabric.own_port();
    const bool is_free = !view.partitions.AreConfigured() || own == kNoPortIndex;
    if (is_free || requester == own) return true;
    const OwnPKeys* const known = KnownPKeys(view);
    if (known == nullptr) return view.partitions.Share(own, requester);
    return view.partitions.Reaches(known->At(p_key_index), requester);
}

}  // namespace ember
