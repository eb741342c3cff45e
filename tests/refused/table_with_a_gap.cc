// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: the rows of an attribute leave bits out.
// Expect: static.assertion|static_assert

#include <cstdint>

#include "core/wire/attribute.h"

namespace ember {

constexpr Field<std::uint8_t> kFirst{0, 4};
#ifdef EMBER_MISTAKE
constexpr Field<std::uint16_t> kSecond{5, 11};
#else
constexpr Field<std::uint16_t> kSecond{4, 12};
#endif
static_assert(Tiles(16, {kFirst, kSecond}));

}  // namespace ember
