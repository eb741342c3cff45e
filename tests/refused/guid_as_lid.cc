// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a GUID is handed over as a LID.
// Expect: cannot convert|no known conversion|cannot initialize

#include "core/base/ids.h"

namespace ember {

constexpr std::uint32_t Blocks(Lid top) {
    return LftBlocks(top);
}

#ifdef EMBER_MISTAKE
std::uint32_t Count(Guid guid) {
    return Blocks(guid);
}
#else
std::uint32_t Count(Lid lid) {
    return Blocks(lid);
}
#endif

}  // namespace ember
