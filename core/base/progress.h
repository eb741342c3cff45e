// SPDX-License-Identifier: Apache-2.0
// EmberSM: the progress of work in slices.
#pragma once

#include <cstdint>

namespace ember {

/// Whether there is work left after a slice of it.
enum class Progress : std::uint8_t { kMore, kDone };

}  // namespace ember
