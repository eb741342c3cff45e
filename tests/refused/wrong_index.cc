// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a table is asked with the index of another.
// Expect: no match for|no viable

#include "core/base/table.h"

namespace ember {

using Ports = IndexedArray<SwitchIndex, int, 4>;

#ifdef EMBER_MISTAKE
int Look(const Ports& ports, NodeIndex at) {
    return ports[at];
}
#else
int Look(const Ports& ports, SwitchIndex at) {
    return ports[at];
}
#endif

}  // namespace ember
