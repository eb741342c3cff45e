// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a frame holds an integer in native byte order.
// Expect: static.assertion|static_assert

#include <cstdint>

#include "core/base/be.h"

namespace ember {

#ifdef EMBER_MISTAKE
struct Frame {
    std::uint8_t version;
    std::uint8_t pad;
    std::uint16_t status;
};
#else
struct Frame {
    std::uint8_t version;
    std::uint8_t pad;
    Be<std::uint16_t> status;
};
#endif
static_assert(WireStruct<Frame>);

}  // namespace ember
