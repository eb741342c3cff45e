// SPDX-License-Identifier: Apache-2.0
// EmberSM: the checksum of stored octets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ember {

/// The remainder that each octet leaves when a fixed number of others follow it.
using Crc32Table = std::array<std::uint32_t, 256>;

/// The content of kCrc32Tables, made by the compiler: at run time it would need 4 KiB of stack.
consteval std::array<Crc32Table, 4> MakeCrc32Tables() {
    std::array<Crc32Table, 4> tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
        }
        tables[0][i] = crc;
    }
    for (std::size_t behind = 1; behind < tables.size(); ++behind) {
        for (std::size_t i = 0; i < 256; ++i) {
            const std::uint32_t before = tables[behind - 1][i];
            tables[behind][i] = tables[0][before & 0xFFU] ^ (before >> 8U);
        }
    }
    return tables;
}
/// By how many octets follow. Only Crc32() reads it.
inline constexpr std::array<Crc32Table, 4> kCrc32Tables = MakeCrc32Tables();

/// CRC-32 of IEEE 802.3 (polynomial 0x04C11DB7, octets least significant bit first) of `octets`.
/// `before`, if not 0, is the CRC-32 of the octets in front of them.
[[nodiscard]] constexpr std::uint32_t Crc32(std::span<const std::byte> octets,
                                            std::uint32_t before = 0) {
    std::uint32_t crc = ~before;
    // Four octets at a time: one look-up need not wait for another.
    for (; octets.size() >= 4; octets = octets.subspan(4)) {
        crc ^= std::to_integer<std::uint32_t>(octets[0]) |
               std::to_integer<std::uint32_t>(octets[1]) << 8U |
               std::to_integer<std::uint32_t>(octets[2]) << 16U |
               std::to_integer<std::uint32_t>(octets[3]) << 24U;
        crc = kCrc32Tables[3][crc & 0xFFU] ^ kCrc32Tables[2][crc >> 8U & 0xFFU] ^
              kCrc32Tables[1][crc >> 16U & 0xFFU] ^ kCrc32Tables[0][crc >> 24U];
    }
    for (const std::byte octet : octets) {
        crc = kCrc32Tables[0][(crc ^ std::to_integer<std::uint32_t>(octet)) & 0xFFU] ^ (crc >> 8U);
    }
    return ~crc;
}
static_assert(Crc32(std::array{std::byte{'I'}, std::byte{'B'}}) == 0xF8B0C60FU);
static_assert(Crc32(std::array{std::byte{'1'}, std::byte{'2'}, std::byte{'3'}, std::byte{'4'},
                               std::byte{'5'}, std::byte{'6'}, std::byte{'7'}, std::byte{'8'},
                               std::byte{'9'}}) == 0xCBF43926U);

}  // namespace ember
