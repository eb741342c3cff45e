// SPDX-License-Identifier: Apache-2.0
// EmberSM: an image that asks for memory after composition: it must end, and say so.

#include "platform/bare/lent_memory.h"
#include "platform/bare/uart.h"

int main() {
    auto* volatile early = new int(0);
    ember::bare::Say(early != nullptr ? "lent\n" : "not lent\n");
    ember::bare::TheLentMemory().Close();
    auto* volatile late = new int(0);
    ember::bare::Say("lent too late\n");
    return *late;
}
