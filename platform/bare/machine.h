// SPDX-License-Identifier: Apache-2.0
// EmberSM: QEMU's machine "virt": what stands at which address.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ember::bare {

/// The same for 32 and 64 bits (QEMU, hw/arm/virt.c: base_memmap).
inline constexpr std::uintptr_t kUartAddress = 0x09000000;
/// The second bank of flash memory; the first one is for firmware that boots from flash.
inline constexpr std::uintptr_t kFlashAddress = 0x04000000;
inline constexpr std::size_t kFlashBytes = std::size_t{64} << 20U;

}  // namespace ember::bare
