// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a Result is dropped.
// Expect: nodiscard|unused

#include "core/base/status.h"

namespace ember {

Result<int> Try();

#ifdef EMBER_MISTAKE
void Drop() {
    Try();
}
#else
Status Keep() {
    return Try().status();
}
#endif

}  // namespace ember
