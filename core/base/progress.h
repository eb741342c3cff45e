// SPDX-License-Identifier: Apache-2.0
// EmberSM: how far work in slices is.
#pragma once

#include <cstdint>

namespace ember {

/// One slice of work ended: is there more?
enum class Progress : std::uint8_t { kMore, kDone };

}  // namespace ember
