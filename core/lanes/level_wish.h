// SPDX-License-Identifier: Apache-2.0
// EmberSM: the levels of service that the operator's files ask for.
#pragma once

#include "core/graph/lane_levels.h"
#include "core/settings/settings.h"

namespace ember {

/// The levels that `qos_policy_file`, partitions and `rtr_pr_sl` ask for with `qos`.
[[nodiscard]] LevelWish LevelWishOf(const Settings& settings);

}  // namespace ember
