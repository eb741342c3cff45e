// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a Status is dropped.
// Expect: nodiscard|unused

#include "core/base/status.h"

namespace ember {

Status Try();

#ifdef EMBER_MISTAKE
void Drop() {
    Try();
}
#else
Status Keep() {
    return Try();
}
#endif

}  // namespace ember
