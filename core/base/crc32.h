// SPDX-License-Identifier: Apache-2.0
// EmberSM: the checksum of stored octets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ember {

/// The content of kCrc32Table, made by the compiler: at run time it would need a kilobyte of stack.
consteval std::array<std::uint32_t, 256> MakeCrc32Table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
        }
        table[i] = crc;
    }
    return table;
}
/// The remainder of each octet. Only Crc32() reads it.
inline constexpr std::array<std::uint32_t, 256> kCrc32Table = MakeCrc32Table();

/// CRC-32 of IEEE 802.3 (polynomial 0x04C11DB7, octets least significant bit first) of `octets`.
/// `before`, if not 0, is the CRC-32 of the octets in front of them.
[[nodiscard]] constexpr std::uint32_t Crc32(std::span<const std::byte> octets,
                                            std::uint32_t before = 0) {
    std::uint32_t crc = ~before;
    for (const std::byte octet : octets) {
        crc = kCrc32Table[(crc ^ std::to_integer<std::uint32_t>(octet)) & 0xFFU] ^ (crc >> 8U);
    }
    return ~crc;
}
static_assert(Crc32(std::array{std::byte{'I'}, std::byte{'B'}}) == 0xF8B0C60FU);

}  // namespace ember
