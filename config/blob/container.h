// SPDX-License-Identifier: Apache-2.0
// EmberSM: the layout of a configuration blob.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/be.h"

namespace ember {

/// A blob is this header, then a FlatBuffers buffer (config/schema/settings.fbs), then, when the
/// header says so, a signature over everything before it: 64 octets, r and s, most significant
/// octet first. Nothing follows.
///
/// The header holds all that decides whether the payload may be looked at, in octets of fixed
/// place, so that no parser runs on a payload whose signature has not been checked. 64 octets keep
/// the payload on the 8-octet boundary that FlatBuffers asks for.
struct BlobHeader {
    std::array<std::uint8_t, 8> magic{};   //  0  kBlobMagic
    Be<std::uint16_t> container_version;   //  8  kContainerVersion
    Be<std::uint16_t> algorithm;           // 10  SignatureAlgorithm
    Be<std::uint32_t> header_bytes;        // 12  sizeof(BlobHeader)
    Be<std::uint32_t> payload_bytes;       // 16
    Be<std::uint32_t> schema_version;      // 20  kSchemaVersion of the compiler
    Be<std::uint64_t> counter;             // 24  never smaller than that of the blob before
    std::array<std::uint8_t, 8> key_id{};  // 32  KeyIdOf() the signer, 0 when unsigned
    std::array<std::uint8_t, 24> zero{};   // 40  for later versions
};
static_assert(WireStruct<BlobHeader>);
static_assert(sizeof(BlobHeader) == 64);
static_assert(offsetof(BlobHeader, payload_bytes) == 16);
static_assert(offsetof(BlobHeader, counter) == 24);
static_assert(offsetof(BlobHeader, key_id) == 32);

/// How a blob is signed.
enum class SignatureAlgorithm : std::uint16_t {
    kUnsigned = 0,  ///< Only between `emberc compile` and `emberc sign`; a switch refuses it.
    kEcdsaP256Sha256 = 1,
};

inline constexpr std::array<std::uint8_t, 8> kBlobMagic = {'E', 'm', 'b', 'e', 'r', 'S', 'M', 0x1A};
inline constexpr std::uint16_t kContainerVersion = 1;

/// Raised with every field that config/schema/settings.fbs gains after a release. Older blobs stay
/// readable.
inline constexpr std::uint32_t kSchemaVersion = 1;

/// The largest blob that emberc makes, signature included. A board reserves as much as its fabric
/// needs and refuses what is larger.
inline constexpr std::size_t kMaxBlobBytes = std::size_t{32} * 1024 * 1024;
inline constexpr std::size_t kSignatureBytes = 64;

}  // namespace ember
