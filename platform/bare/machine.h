// SPDX-License-Identifier: Apache-2.0
// EmberSM: QEMU's machine "virt": what stands at which address.
#pragma once

#include <cstdint>

namespace ember::bare {

/// The same for 32 and 64 bits (QEMU, hw/arm/virt.c: base_memmap).
inline constexpr std::uintptr_t kUartAddress = 0x09000000;
/// The second bank of flash memory; the first one is for firmware that boots from flash. Two chips
/// of 16 bits side by side.
inline constexpr std::uintptr_t kFlashAddress = 0x04000000;
inline constexpr std::uint32_t kFlashBytes = std::uint32_t{64} << 20U;

// Of that bank, in multiples of 2 MiB, so that the memory map can tell them apart:
/// the configuration, which nothing here writes, at the front,
inline constexpr std::uint32_t kConfigurationBytes = std::uint32_t{2} << 20U;
/// and behind it what the subnet manager keeps over a restart. All else is out of reach.
inline constexpr std::uint32_t kStateOffset = kConfigurationBytes;
inline constexpr std::uint32_t kStateBytes = std::uint32_t{4} << 20U;
static_assert(kStateOffset + kStateBytes <= kFlashBytes);

}  // namespace ember::bare
