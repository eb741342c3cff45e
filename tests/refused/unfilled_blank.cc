// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a note is written with a blank left unfilled.
// Expect: different number of blanks

#include "core/log/log.h"

namespace ember {

#ifdef EMBER_MISTAKE
void Tell(Log& log) {
    log.Write<Note::kSubnetUp>(0, 1U, 2U, 3U);
}
#else
void Tell(Log& log) {
    log.Write<Note::kSubnetUp>(0, 1U, 2U, 3U, 4U);
}
#endif

}  // namespace ember
