// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a matrix is laid over a room of any size.
// Expect: no match for|no matching

#include <span>

#include "core/base/table.h"

namespace ember {

#ifdef EMBER_MISTAKE
Matrix<SwitchIndex, int> Lay(std::span<int> room, std::size_t stride) {
    return Matrix<SwitchIndex, int>(room, stride);
}
#else
Matrix<SwitchIndex, int> Lay(std::span<int> room, std::size_t stride) {
    return Matrix<SwitchIndex, int>(room, {.rows = 2, .stride = stride});
}
#endif

}  // namespace ember
