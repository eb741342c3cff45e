// SPDX-License-Identifier: Apache-2.0
// EmberSM: the configuration blob in a region of flash memory.

#include "platform/bare/configuration_flash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "config/blob/container.h"
#include "core/base/assert.h"

namespace ember::bare {
namespace {

constexpr std::byte kErased{0xFF};

bool IsErased(std::span<const std::byte> octets) {
    return std::all_of(octets.begin(), octets.end(),
                       [](std::byte octet) { return octet == kErased; });
}

/// Both limits are multiples of a word and `bytes` is at most either.
void CopyWords(const volatile std::uint32_t* flash, std::size_t bytes, std::span<std::byte> room) {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint32_t)) {
        const std::uint32_t word = flash[at / sizeof(std::uint32_t)];
        std::memcpy(&room[at], &word, sizeof(word));
    }
}

}  // namespace

std::size_t ReadConfiguration(const volatile std::uint32_t* flash, std::size_t flash_bytes,
                              std::span<std::byte> room) {
    constexpr std::size_t kWord = sizeof(std::uint32_t);
    const std::size_t most = std::min(flash_bytes, room.size()) / kWord * kWord;
    EMBER_ASSERT(most >= sizeof(BlobHeader));
    CopyWords(flash, sizeof(BlobHeader), room);
    if (IsErased(room.first(sizeof(BlobHeader)))) return 0;
    std::array<std::byte, sizeof(BlobHeader)> octets{};
    std::copy_n(room.begin(), octets.size(), octets.begin());
    const auto header = std::bit_cast<BlobHeader>(octets);
    if (header.magic != kBlobMagic) return sizeof(BlobHeader);

    const bool is_signed =
        header.algorithm != static_cast<std::uint16_t>(SignatureAlgorithm::kUnsigned);
    const std::size_t signature = is_signed ? kSignatureBytes : 0;
    const std::size_t payload = std::uint32_t{header.payload_bytes};
    if (payload > most || sizeof(BlobHeader) + payload + signature > most) {
        CopyWords(flash, most, room);
        return most;  // Less than the header says: truncated, to this board.
    }
    const std::size_t bytes = sizeof(BlobHeader) + payload + signature;
    CopyWords(flash, (bytes + kWord - 1) / kWord * kWord, room);
    if (is_signed && IsErased(room.subspan(bytes - signature, signature))) return bytes - signature;
    return bytes;
}

}  // namespace ember::bare
