// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a table is asked with a bare number.
// Expect: no match for|no viable

#include "core/base/table.h"

namespace ember {

#ifdef EMBER_MISTAKE
int Look(Table<SwitchIndex, int> table) {
    return table[3];
}
#else
int Look(Table<SwitchIndex, int> table) {
    return table[SwitchIndex{3}];
}
#endif

}  // namespace ember
