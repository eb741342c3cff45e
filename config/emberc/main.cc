// SPDX-License-Identifier: Apache-2.0
// EmberSM: the program emberc.
#include <cstdio>
#include <cstdlib>

#include "config/emberc/command_line.h"
#include "core/base/assert.h"

namespace ember {

/// The host's answer to a broken claim: say it and stop.
void Panic(const char* file, int line, const char* claim) {
    (void)std::fprintf(stderr, "emberc: %s:%d: this does not hold: %s\n", file, line, claim);
    std::abort();
}

}  // namespace ember

int main(int argc, char** argv) {
    return ember::emberc::Run(argc, argv);
}
