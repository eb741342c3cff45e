// SPDX-License-Identifier: Apache-2.0
// EmberSM: when a program that shall end at SUBNET UP stops waiting for it.

#include "platform/common/in_vain.h"

#include <cstdint>

namespace ember {

namespace {

/// Heavy sweeps in vain until hope is given up.
constexpr std::uint64_t kSweepsInVain = 5;

}  // namespace

bool IsInVain(const SubnetManager& sm) {
    const SubnetStatus& status = sm.progress();
    if (sm.role().state() == SmState::kNotActive) return true;
    if (!sm.exchange().port_is_alive()) return true;
    if (status.stage != Stage::kResting || status.heavy_sweeps == 0) return false;
    const bool refused = sm.router().verdict().outcome == RoutingOutcome::kRefused;
    return refused || status.heavy_sweeps >= kSweepsInVain || !sm.role().is_master();
}

}  // namespace ember
