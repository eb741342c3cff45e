// SPDX-License-Identifier: Apache-2.0
// EmberSM: an image that writes where its configuration stands: the map must stop it.

#include <bit>
#include <cstdint>

#include "platform/bare/machine.h"
#include "platform/bare/uart.h"

int main() {
    ember::bare::Say("writing\n");
    constexpr std::uintptr_t kLast = ember::bare::kFlashAddress + ember::bare::kStateOffset - 4;
    auto* const last = std::bit_cast<volatile std::uint32_t*>(kLast);
    *last = 0xFF;
    ember::bare::Say("written\n");
    return 0;
}
