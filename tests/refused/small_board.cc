// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a board has too little scratch to feed its engines.
// Expect: static.assertion|static_assert

#include "core/base/limits.h"
#include "engines/catalogue.h"

namespace ember {

#ifdef EMBER_MISTAKE
constexpr std::uint32_t kScratchBytes = 1024;
#else
constexpr std::uint32_t kScratchBytes = 1024 * 1024;
#endif
constexpr Limits kLimits = {.max_nodes = 64,
                            .max_switches = 16,
                            .max_ports = 512,
                            .max_switch_ports = 16,
                            .max_lid = 512,
                            .max_smps = 4,
                            .max_other_sms = 1,
                            .journal_notes = 16,
                            .scratch_bytes = kScratchBytes};
static_assert(EngineScratchBytes(kLimits).making <= kLimits.scratch_bytes);

}  // namespace ember
