// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lists and limits of the `qos_*` keys.
#pragma once

#include <array>

#include "config/schema/settings_generated.h"
#include "core/settings/lane_settings.h"

namespace ember {

/// Copies these keys; an absent list is unset. Asserts that ranges and counts fit.
void CopyLanes(const schema::Settings& from, std::array<LaneSettings, kLanePortKinds>& to);

}  // namespace ember
