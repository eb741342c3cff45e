// SPDX-License-Identifier: Apache-2.0
// EmberSM: an image that goes deeper than its stack: the guard must stop it.

#include <cstddef>

#include "platform/bare/uart.h"

namespace {

volatile unsigned deepest = 0xFFFFFFFF;

/// Calls itself as good as for ever, and needs every frame until the call comes back.
unsigned Deeper(unsigned level) {  // NOLINT(misc-no-recursion): that is the test.
    volatile unsigned frame[16] = {};
    frame[level % 16] = level;
    if (level == deepest) return 0;
    return Deeper(level + 1) + frame[(level + 1) % 16];
}

}  // namespace

int main() {
    ember::bare::Say("going down\n");
    return static_cast<int>(Deeper(1));
}
