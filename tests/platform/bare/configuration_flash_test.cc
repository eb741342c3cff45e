// SPDX-License-Identifier: Apache-2.0
// EmberSM: configuration blobs in flash memory of every kind.

#include "platform/bare/configuration_flash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "config/blob/container.h"

namespace ember::bare {
namespace {

constexpr std::size_t kFlashBytes = 4096;
constexpr std::size_t kRoomBytes = 1024;

/// Flash memory as it leaves the factory, and a room with something else in it.
struct Flash {
    Flash() { words.fill(0xFFFFFFFF); }

    void Program(std::span<const std::byte> octets) {
        ASSERT_LE(octets.size(), kFlashBytes);
        std::memcpy(words.data(), octets.data(), octets.size());
    }
    std::size_t Read() { return ReadConfiguration(words.data(), kFlashBytes, room); }

    std::array<std::uint32_t, kFlashBytes / 4> words{};
    alignas(8) std::array<std::byte, kRoomBytes> room{};
};

/// A blob by its header; payload and signature are octets that count up.
std::vector<std::byte> Blob(std::uint32_t payload_bytes, SignatureAlgorithm algorithm) {
    BlobHeader header{};
    header.magic = kBlobMagic;
    header.algorithm = static_cast<std::uint16_t>(algorithm);
    header.payload_bytes = payload_bytes;
    const std::size_t signature = algorithm == SignatureAlgorithm::kUnsigned ? 0 : kSignatureBytes;
    std::vector<std::byte> blob(sizeof(header) + std::min(payload_bytes, 2000U) + signature);
    std::uint8_t next = 1;
    for (std::byte& octet : blob) {
        octet = std::byte{next++};
    }
    std::memcpy(blob.data(), &header, sizeof(header));
    return blob;
}

constexpr auto kSigned = SignatureAlgorithm::kEcdsaP256Sha256;

TEST(ConfigurationFlash, ABlobIsReadWholeAndNoFurther) {
    for (const std::uint32_t payload : {0U, 1U, 8U, 511U, 512U, 895U, 896U}) {
        Flash flash;
        const std::vector<std::byte> blob = Blob(payload, kSigned);
        flash.Program(blob);
        ASSERT_EQ(flash.Read(), blob.size()) << payload;
        EXPECT_TRUE(std::equal(blob.begin(), blob.end(), flash.room.begin())) << payload;
    }
}

TEST(ConfigurationFlash, AnUnsignedBlobHasNoSignatureToRead) {
    Flash flash;
    const std::vector<std::byte> blob = Blob(100, SignatureAlgorithm::kUnsigned);
    flash.Program(blob);
    EXPECT_EQ(flash.Read(), sizeof(BlobHeader) + 100);
}

TEST(ConfigurationFlash, ErasedFlashHoldsNothing) {
    Flash flash;
    EXPECT_EQ(flash.Read(), 0U);
}

TEST(ConfigurationFlash, WhatWasCutShortEndsBeforeItsSignature) {
    const std::vector<std::byte> blob = Blob(300, kSigned);
    for (const std::size_t left : {sizeof(BlobHeader), std::size_t{200}, blob.size() - 64}) {
        Flash flash;
        flash.Program(std::span(blob).first(left));
        EXPECT_EQ(flash.Read(), blob.size() - kSignatureBytes) << left;
    }
    // A single octet of a signature is enough to let the signature decide.
    Flash flash;
    flash.Program(std::span(blob).first(blob.size() - 63));
    EXPECT_EQ(flash.Read(), blob.size());
}

TEST(ConfigurationFlash, ALengthBeyondTheRoomIsNotBelieved) {
    for (const std::uint32_t payload :
         {897U, 1024U, 4096U, 0x7FFFFFFFU, 0xFFFFFF80U, 0xFFFFFFFFU}) {
        Flash flash;
        flash.Program(Blob(payload, kSigned));
        EXPECT_EQ(flash.Read(), kRoomBytes) << payload;
    }
}

TEST(ConfigurationFlash, ALengthBeyondTheFlashIsNotBelieved) {
    Flash flash;
    flash.Program(Blob(500, kSigned));
    constexpr std::size_t kSmall = 256;
    EXPECT_EQ(ReadConfiguration(flash.words.data(), kSmall, flash.room), kSmall);
    EXPECT_EQ(flash.room[kSmall], std::byte{0});
}

TEST(ConfigurationFlash, RubbishIsHandedOnAsFarAsAHeaderGoes) {
    Flash flash;
    std::vector<std::byte> rubbish(500, std::byte{0x42});
    flash.Program(rubbish);
    EXPECT_EQ(flash.Read(), sizeof(BlobHeader));
}

}  // namespace
}  // namespace ember::bare
