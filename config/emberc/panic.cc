// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberc does when a claim is broken. Part of the program alone, as each has its own.
#include <cstdio>
#include <cstdlib>

#include "core/base/assert.h"

namespace ember {

/// The host's answer to a broken claim: say it and stop.
void Panic(const char* file, int line, const char* claim) {
    (void)std::fprintf(stderr, "emberc: %s:%d: this does not hold: %s\n", file, line, claim);
    std::abort();
}

}  // namespace ember
