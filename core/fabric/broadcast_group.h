// SPDX-License-Identifier: Apache-2.0
// EmberSM: the IPv4 broadcast group, which IP over InfiniBand needs first.
#pragma once

#include <cstdint>

#include "core/fabric/groups.h"
#include "core/settings.h"
#include "core/wire/p_key_table.h"

namespace ember {

/// The MGID of the IPv4 broadcast group of a partition and scope. RFC 4391, 4.
[[nodiscard]] constexpr Gid BroadcastMgid(std::uint8_t scope, std::uint16_t p_key) {
    return {
        0xFF10401B00000000ULL | std::uint64_t{scope & 0xFU} << 48U | std::uint64_t{p_key} << 16U,
        0xFFFFFFFFULL};
}

/// Creates the broadcast group of the default partition, well known, as OpenSM does without a
/// partition file. A group that exists already gets the configured values. kFull: no row or no MLID
/// is free.
inline Status CreateBroadcastGroup(Groups& groups, const Settings& settings) {
    constexpr std::uint8_t kLinkLocal = 2;
    const GroupValues values{.q_key = 0x0B1B,
                             .p_key = kDefaultPKey,
                             .mtu = Mtu::k2048,
                             .rate = Rate::k10Gb,
                             .packet_life_time = settings.subnet_timeout,
                             .scope = kLinkLocal};
    const Gid mgid = BroadcastMgid(kLinkLocal, kDefaultPKey);
    GroupIndex at = groups.Find(mgid);
    if (at == kNoGroup) {
        const Result<GroupIndex> made = groups.Create(mgid, values, Groups::Place{});
        if (!made.ok()) return made.status();
        at = made.value();
    }
    groups.SetWellKnown(at, values);
    return Status::kOk;
}

}  // namespace ember
