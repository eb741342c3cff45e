// SPDX-License-Identifier: Apache-2.0
// EmberSM: which subnet managers are peers of replication.
#include "core/upkeep/replication_upkeep.h"

#include "core/wire/p_key_table.h"

namespace ember {

/// That of the default P_Key, of which every port is a member; where it is not known, the first.
std::uint16_t ReplicationUpkeep::PKeyIndex(Guid own) const {
    if (!parts_.own_p_keys.AreOf(own)) return 0;
    const std::size_t full = parts_.own_p_keys.IndexOf(kDefaultPKey);
    return full == OwnPKeys::kMost ? std::uint16_t{0} : static_cast<std::uint16_t>(full);
}

void ReplicationUpkeep::Step(bool is_routed, std::uint64_t now_us) {
    if (!parts_.role.knows_own_port()) return;
    const SmInfo own = parts_.role.manager(0);
    const Guid guid = own.Get(SmInfo::kGuid);
    peers_.SetSelf({guid, own.Get(SmInfo::kSmState), own.Get(SmInfo::kPriority)});
    if (is_routed && peers_.is_on()) {
        for (const OtherSm& other : parts_.role.others()) {
            if (!other.counts || other.lid == kNoLid) continue;
            // More of them than rows: the role, which has as many, has told of it.
            static_cast<void>(peers_.Meet(other.guid, other.lid, PKeyIndex(guid), now_us));
        }
    }
    peers_.Step(is_routed, now_us);
}

}  // namespace ember
