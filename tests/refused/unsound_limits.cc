// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a board has more LIDs than the specification.
// Expect: static.assertion|static_assert

#include "core/base/limits.h"

namespace ember {

#ifdef EMBER_MISTAKE
constexpr std::uint32_t kTop = 0xC000;
#else
constexpr std::uint32_t kTop = 0xBFFF;
#endif
constexpr Limits kLimits = {.max_nodes = 8,
                            .max_switches = 4,
                            .max_ports = 64,
                            .max_switch_ports = 8,
                            .max_lid = kTop,
                            .max_smps = 4,
                            .max_other_sms = 1,
                            .journal_notes = 16,
                            .scratch_bytes = 1024};
static_assert(Sound(kLimits));

}  // namespace ember
