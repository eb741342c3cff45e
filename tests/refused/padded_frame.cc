// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a frame has padding.
// Expect: static.assertion|static_assert

#include <cstdint>

#include "core/base/be.h"

namespace ember {

#ifdef EMBER_MISTAKE
struct Frame {
    std::uint8_t version;
    std::uint32_t key;
};
#else
struct Frame {
    std::uint8_t version;
    Be<std::uint32_t> key;
};
#endif
static_assert(WireStruct<Frame>);

}  // namespace ember
