// SPDX-License-Identifier: Apache-2.0
// EmberSM: an image that follows a null pointer: the map must stop it.

#include "platform/bare/uart.h"

int main() {
    ember::bare::Say("reading\n");
    int* volatile nowhere = nullptr;
    const int value = *nowhere;
    ember::bare::Say("read\n");
    return value;
}
