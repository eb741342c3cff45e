// SPDX-License-Identifier: Apache-2.0
// EmberSM: the levels of service that the operator's files ask for.

#include "core/lanes/level_wish.h"

#include "core/lanes/lane_tables.h"

namespace ember {

LevelWish LevelWishOf(const Settings& settings) {
    if (!settings.qos || settings.order != Order::kBalanced) return {};
    unsigned asked = 1U | 1U << settings.rtr_pr_sl;
    for (const QosLevel& level : settings.manager_tables.qos_levels) {
        asked |= 1U << level.sl;
    }
    for (const PartitionRow& partition : settings.manager_tables.partitions) {
        asked |= 1U << partition.sl;
    }
    if (asked == 1U) return {};
    LevelWish wish;
    const SlToVlMappingTable map =
        WantedSlToVl(settings, LanePorts::kSwitchExternal, VlCap::kVl0To14);
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        wish.vls.Set(sl, map.vl(sl));
        if (map.vl(sl) == SlToVlMappingTable::kDrop) asked &= ~(1U << sl);
    }
    wish.asked = static_cast<std::uint16_t>(asked);
    return wish;
}

}  // namespace ember
