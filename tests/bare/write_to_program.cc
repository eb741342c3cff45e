// SPDX-License-Identifier: Apache-2.0
// EmberSM: an image that writes into its own program: the map must stop it.

#include "platform/bare/image.h"
#include "platform/bare/uart.h"

int main() {
    ember::bare::Say("writing\n");
    volatile std::byte* const program = __text_begin;
    *program = std::byte{0};
    ember::bare::Say("written\n");
    return 0;
}
