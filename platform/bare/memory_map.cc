// SPDX-License-Identifier: Apache-2.0
// EmberSM: which addresses mean something, and what may be done there.

#include "platform/bare/memory_map.h"

#include <array>
#include <bit>

#include "platform/bare/image.h"
#include "platform/bare/machine.h"

namespace ember::bare {
namespace {

/// How a block of addresses is mapped.
enum class Use : std::uint8_t { kNothing, kProgram, kData, kDevice, kReadOnlyDevice };

std::uintptr_t AddressOf(const void* object) {
    return std::bit_cast<std::uintptr_t>(object);
}

Use UseOf(std::uintptr_t address) {
    const auto within = [address](const std::byte* begin, const std::byte* end) {
        return address >= AddressOf(begin) && address < AddressOf(end);
    };
    if (within(__text_begin, __text_end)) return Use::kProgram;
    if (within(__device_begin, __device_end)) return Use::kDevice;
    if (within(__ram_begin, __ram_end)) return Use::kData;
    if (address >= kFlashAddress && address - kFlashAddress < kStateOffset) {
        return Use::kReadOnlyDevice;
    }
    constexpr std::uintptr_t kStateAddress = kFlashAddress + kStateOffset;
    if (address >= kStateAddress && address - kStateAddress < kStateBytes) return Use::kDevice;
    constexpr std::uintptr_t kUartBlock = kUartAddress & ~std::uintptr_t{0x1FFFFF};
    if (address >= kUartBlock && address - kUartBlock < 0x200000) return Use::kDevice;
    return Use::kNothing;
}

#if defined(__aarch64__)

constexpr std::uintptr_t kBlockBytes = 0x200000;
constexpr std::size_t kEntries = 512;
using Table = std::array<std::uint64_t, kEntries>;
alignas(4096) Table first_level;                   // A GiB an entry.
alignas(4096) std::array<Table, 2> second_levels;  // 2 MiB an entry; all we map is below 2 GiB.

// ARM ARM, D5.3: block descriptors, stage 1, one level of exception.
constexpr std::uint64_t kTable = 3;
constexpr std::uint64_t kBlock = 1;
constexpr std::uint64_t kNormal = 1U << 2U;  // Attribute 1 of MAIR_EL1; 0 is device memory.
constexpr std::uint64_t kReadOnly = 2U << 6U;
constexpr std::uint64_t kInnerShareable = 3U << 8U;
constexpr std::uint64_t kAccessed = 1U << 10U;
constexpr std::uint64_t kNeverExecuted = 3ULL << 53U;

constexpr std::uint64_t BitsOf(Use use) {
    switch (use) {
        case Use::kNothing:
            return 0;
        case Use::kProgram:
            return kBlock | kNormal | kReadOnly | kInnerShareable | kAccessed;
        case Use::kData:
            return kBlock | kNormal | kInnerShareable | kAccessed | kNeverExecuted;
        case Use::kDevice:
            return kBlock | kAccessed | kNeverExecuted;
        case Use::kReadOnlyDevice:
            return kBlock | kReadOnly | kAccessed | kNeverExecuted;
    }
    return 0;
}

std::uintptr_t Map() {
    for (std::size_t i = 0; i < second_levels.size(); ++i) {
        first_level[i] = AddressOf(&second_levels[i]) | kTable;
        for (std::size_t j = 0; j < kEntries; ++j) {
            const std::uintptr_t address = (i * kEntries + j) * kBlockBytes;
            const std::uint64_t bits = BitsOf(UseOf(address));
            second_levels[i][j] = bits == 0 ? 0 : address | bits;
        }
    }
    return AddressOf(&first_level);
}

#else

constexpr std::uintptr_t kBlockBytes = 0x100000;
constexpr std::size_t kEntries = 4096;
alignas(16384) std::array<std::uint32_t, kEntries> sections;

// ARM ARM, B3.5.1: sections in the short format. Full access is AP 0b011, reading alone 0b111.
constexpr std::uint32_t kSection = 2;
constexpr std::uint32_t kNeverExecuted = 1U << 4U;
constexpr std::uint32_t kFullAccess = 3U << 10U;
constexpr std::uint32_t kReadOnly = 1U << 15U;
constexpr std::uint32_t kShareable = 1U << 16U;
constexpr std::uint32_t kNormal = (1U << 12U) | (1U << 3U) | (1U << 2U);  // TEX 1, C, B.
constexpr std::uint32_t kDeviceMemory = 1U << 2U;                         // TEX 0, B.

constexpr std::uint32_t BitsOf(Use use) {
    switch (use) {
        case Use::kNothing:
            return 0;
        case Use::kProgram:
            return kSection | kNormal | kShareable | kFullAccess | kReadOnly;
        case Use::kData:
            return kSection | kNormal | kShareable | kFullAccess | kNeverExecuted;
        case Use::kDevice:
            return kSection | kDeviceMemory | kFullAccess | kNeverExecuted;
        case Use::kReadOnlyDevice:
            return kSection | kDeviceMemory | kFullAccess | kReadOnly | kNeverExecuted;
    }
    return 0;
}

std::uintptr_t Map() {
    for (std::size_t i = 0; i < kEntries; ++i) {
        const std::uintptr_t address = i * kBlockBytes;
        const std::uint32_t bits = BitsOf(UseOf(address));
        sections[i] = bits == 0 ? 0 : address | bits;
    }
    return AddressOf(&sections);
}

#endif

}  // namespace
}  // namespace ember::bare

std::uintptr_t ember_map_memory() {
    return ember::bare::Map();
}
