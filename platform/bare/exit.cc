// SPDX-License-Identifier: Apache-2.0
// EmberSM: how an image ends, and with what verdict.

#include "platform/bare/exit.h"

#include <array>
#include <cstdint>

namespace ember::bare {
namespace {

constexpr std::uintptr_t kApplicationExit = 0x20026;  // ADP_Stopped_ApplicationExit.

}  // namespace

void Exit(Ending ending) {
    const std::array<std::uintptr_t, 2> block = {kApplicationExit,
                                                 static_cast<std::uintptr_t>(ending)};
#if defined(__aarch64__)
    asm volatile("mov x0, #0x20\n\tmov x1, %0\n\thlt #0xf000" ::"r"(block.data())
                 : "x0", "x1", "memory");
#else
    asm volatile("mov r0, #0x20\n\tmov r1, %0\n\tsvc #0x123456" ::"r"(block.data())
                 : "r0", "r1", "memory");
#endif
    for (;;) {
        asm volatile("wfe");
    }
}

}  // namespace ember::bare

/// main() has returned, which start-up code did not expect of it: its status is the verdict.
extern "C" [[noreturn]] void ember_exit(int status) {
    ember::bare::Exit(static_cast<ember::bare::Ending>(status));
}
