// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: two LIDs are added.
// Expect: no match for .operator\+|invalid operands

#include "core/base/ids.h"

namespace ember {

#ifdef EMBER_MISTAKE
Lid Sum(Lid a, Lid b) {
    return a + b;
}
#else
Lid Sum(Lid a, Lid b) {
    return static_cast<Lid>(Raw(a) + Raw(b));
}
#endif

}  // namespace ember
