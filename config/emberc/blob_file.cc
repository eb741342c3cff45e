// SPDX-License-Identifier: Apache-2.0
// EmberSM: blobs as files on the host.
#include "config/emberc/blob_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace ember::emberc {
namespace {

using HeaderOctets = std::array<std::byte, sizeof(BlobHeader)>;

constexpr std::size_t kIdentifierAt = 4;  // FlatBuffers: behind the offset of the root.

bool StartsWithMagic(std::span<const std::byte> file) {
    return file.size() >= kBlobMagic.size() &&
           std::memcmp(file.data(), kBlobMagic.data(), kBlobMagic.size()) == 0;
}

bool IsBarePayload(std::span<const std::byte> file) {
    return file.size() >= 8 && std::memcmp(file.data() + kIdentifierAt, "EMBR", 4) == 0;
}

}  // namespace

BlobParts TakeApart(std::span<const std::byte> file) {
    BlobParts parts;
    if (!StartsWithMagic(file)) {
        if (!IsBarePayload(file)) throw std::runtime_error("this is no configuration blob");
        parts.has_header = false;
        parts.payload.assign(file.begin(), file.end());
        return parts;
    }
    if (file.size() < sizeof(BlobHeader)) throw std::runtime_error("the blob is truncated");
    HeaderOctets octets{};
    std::copy_n(file.begin(), octets.size(), octets.begin());
    parts.header = std::bit_cast<BlobHeader>(octets);
    if (parts.header.container_version != kContainerVersion) {
        throw std::runtime_error(fmt::format("the blob has layout {}; this emberc knows {}",
                                             std::uint16_t{parts.header.container_version},
                                             kContainerVersion));
    }
    const std::span<const std::byte> rest = file.subspan(sizeof(BlobHeader));
    const std::size_t payload_bytes = parts.header.payload_bytes;
    if (rest.size() < payload_bytes) throw std::runtime_error("the blob is truncated");
    parts.payload.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(payload_bytes));
    parts.is_signed =
        parts.header.algorithm != static_cast<std::uint16_t>(SignatureAlgorithm::kUnsigned);
    const std::size_t signature_bytes = parts.is_signed ? kSignatureBytes : 0;
    if (rest.size() < payload_bytes + signature_bytes) {
        throw std::runtime_error("the blob is truncated");
    }
    if (rest.size() > payload_bytes + signature_bytes) {
        throw std::runtime_error("something follows the blob in its file");
    }
    return parts;
}

std::vector<std::byte> PutTogether(std::span<const std::byte> payload, std::uint64_t counter,
                                   const KeyPair* key) {
    const std::size_t bytes = sizeof(BlobHeader) + payload.size() + kSignatureBytes;
    if (bytes > kMaxBlobBytes) {
        throw std::runtime_error(fmt::format(
            "the blob would have {} octets; no switch holds more than {}", bytes, kMaxBlobBytes));
    }
    BlobHeader header;
    header.magic = kBlobMagic;
    header.container_version = kContainerVersion;
    header.header_bytes = static_cast<std::uint32_t>(sizeof(BlobHeader));
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.schema_version = kSchemaVersion;
    header.counter = counter;
    if (key != nullptr) {
        header.algorithm = static_cast<std::uint16_t>(SignatureAlgorithm::kEcdsaP256Sha256);
        header.key_id = IdOf(key->public_key());
    }

    const auto front = std::bit_cast<HeaderOctets>(header);
    std::vector<std::byte> blob(front.size() + payload.size());
    std::copy(front.begin(), front.end(), blob.begin());
    std::copy(payload.begin(), payload.end(), blob.begin() + front.size());
    if (key == nullptr) return blob;
    const Signature signature = key->Sign(blob);
    const std::size_t signed_bytes = blob.size();
    blob.resize(signed_bytes + signature.size());
    std::copy(signature.begin(), signature.end(),
              blob.begin() + static_cast<std::ptrdiff_t>(signed_bytes));
    return blob;
}

}  // namespace ember::emberc
