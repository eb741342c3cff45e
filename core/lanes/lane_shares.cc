// SPDX-License-Identifier: Apache-2.0
// EmberSM: how VL arbitration suits a routing that has lanes for each level of service.

#include "core/lanes/lane_shares.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"
#include "core/lanes/lane_tables.h"

namespace ember {
namespace {

constexpr std::size_t kVls = 2 * kLevelVls;

/// By VL: the sum of its entries.
using Weights = std::array<std::uint32_t, kVls>;

Weights WeightsOf(const Settings& settings, LanePorts kind, ShareTable table) {
    const bool is_high = table == ShareTable::kHigh;
    Weights weights{};
    for (const VlArbitrationBlock block :
         {is_high ? VlArbitrationBlock::kLowerHighPriority : VlArbitrationBlock::kLowerLowPriority,
          is_high ? VlArbitrationBlock::kUpperHighPriority
                  : VlArbitrationBlock::kUpperLowPriority}) {
        const VlArbitrationTable entries =
            WantedArbitration(settings, kind, block, VlArbitrationTable::kEntries, VlCap::kVl0To14);
        for (std::size_t i = 0; i < VlArbitrationTable::kEntries; ++i) {
            if (entries.vl(i) < kVls) weights[entries.vl(i)] += entries.weight(i);
        }
    }
    return weights;
}

}  // namespace

ShareSource SourceOf(const Settings& settings, LanePorts kind, ShareTable table) {
    const auto list = table == ShareTable::kHigh ? &LaneSettings::high : &LaneSettings::low;
    if (!(settings.lanes[Raw(kind)].*list).empty()) return ShareSource::kOwnKey;
    const bool is_general = !(settings.lanes[Raw(LanePorts::kAny)].*list).empty();
    return is_general ? ShareSource::kGeneralKey : ShareSource::kDefault;
}

bool SharesLevelsEqually(const Settings& settings, ShareTable table, std::size_t lanes) {
    EMBER_ASSERT(lanes > 0);
    const Weights weights = WeightsOf(settings, LanePorts::kSwitchExternal, table);
    for (std::size_t vl = 0; vl < std::min(lanes, kVls); ++vl) {
        if (weights[vl] != weights[vl - vl % kLevelVls]) return false;
    }
    return true;
}

bool ServesEndLanesAlone(const Settings& settings, LanePorts kind, ShareTable table) {
    const Weights weights = WeightsOf(settings, kind, table);
    return std::all_of(weights.begin() + kEndVls, weights.end(),
                       [](std::uint32_t weight) { return weight == 0; });
}

}  // namespace ember
