// SPDX-License-Identifier: Apache-2.0
// EmberSM: how an image ends, and with what verdict.
#pragma once

#include <cstdint>

namespace ember::bare {

/// The status that an image ends with. The first three mean the same as embersm's exit statuses.
enum class Ending : std::uint8_t {
    kWell = 0,
    kNotUp = 1,          ///< The subnet did not come up, or a pair of ports is not connected.
    kConfiguration = 6,  ///< The configuration was refused.
    kPanic = 70,         ///< A claim did not hold.
    kTrap = 71,          ///< The processor was asked for something impossible.
    kHeap = 72,          ///< Memory was taken after composition, or there was too little.
};

/// Hands the verdict to the debugger or emulator, by semihosting's SYS_EXIT_EXTENDED; under QEMU it
/// becomes the exit status. Where there is neither the processor sleeps for ever. (ARM,
/// "Semihosting for AArch32 and AArch64", 6.3.)
[[noreturn]] void Exit(Ending ending);

}  // namespace ember::bare
