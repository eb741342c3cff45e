// SPDX-License-Identifier: Apache-2.0
// EmberSM: what paths to other subnets say beside the path to the router.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/administration/paths/level_limits.h"
#include "core/settings/settings.h"
#include "core/wire/path_record.h"

namespace ember {

// The keys rtr_pr_*: what lies behind the router is not known here, so the operator says it. MTU
// and rate are bounds: packets larger than the path to the router admits would not reach it.

inline constexpr std::uint8_t kFarHopLimit = 0xFF;

/// Narrows `values` to rtr_pr_mtu and rtr_pr_rate.
constexpr void LimitFar(const Settings& settings, PathValues& values) {
    if (settings.rtr_pr_mtu != kNoFarBound) {
        values.mtu = std::min(values.mtu, static_cast<Mtu>(settings.rtr_pr_mtu));
    }
    const auto bound = static_cast<Rate>(settings.rtr_pr_rate);
    if (settings.rtr_pr_rate != kNoFarBound && RateRank(values.rate) > RateRank(bound)) {
        values.rate = bound;
    }
}

/// Writes what only the header of packets that leave the subnet has. IBA vol. 1, 8.3.
inline void PutFarHeader(const Settings& settings, PathRecord& record) {
    record.Set(PathRecord::kHopLimit, kFarHopLimit);
    record.Set(PathRecord::kFlowLabel, settings.rtr_pr_flow_label);
    record.Set(PathRecord::kTClass, settings.rtr_pr_tclass);
}

}  // namespace ember
