// SPDX-License-Identifier: Apache-2.0
// EmberSM: OpenSM's balanced tables with all options again, slowly, to compare with.
#pragma once

#include <cstdlib>  // Defines __GLIBC__, where it is.

#include "config/netlist/netlist.h"
#include "core/settings/settings.h"
#include "tests/support/routing_reference.h"

namespace ember::testing {

/// The C library's random() is the one that OpenSM was recorded with.
#ifdef __GLIBC__
inline constexpr bool kHasGnuChance = true;
#else
inline constexpr bool kHasGnuChance = false;
#endif

/// OpenSM's minhop, or with `by_dimension` its dor, under every option that it has for them:
/// written for clarity alone, from the netlist and the LIDs. Chance comes from the C library:
/// without kHasGnuChance `settings` must not ask for it.
[[nodiscard]] SlowTables SlowSpread(const net::Netlist& netlist, const RoutingReference& reference,
                                    const Settings& settings, bool by_dimension);

}  // namespace ember::testing
