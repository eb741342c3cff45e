// SPDX-License-Identifier: Apache-2.0
// EmberSM: what standbys are given where M_Keys differ by port and hide.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/swarm/story.h"

namespace ember::swarm {

/// The file of M_Keys of a master that has managed this fabric before: docs/security.md has the
/// operator put a copy beside each standby, which knows no way to any port without it. Empty where
/// a story's keys need none.
[[nodiscard]] std::vector<std::byte> MKeysOfBefore(const Story& story);

}  // namespace ember::swarm
