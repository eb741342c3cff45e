// SPDX-License-Identifier: Apache-2.0
// EmberSM: reading a public key, raw or in PEM.
#include "config/blob/public_key.h"

#include <algorithm>
#include <string_view>

#include "config/blob/base64.h"

namespace ember {
namespace {

constexpr std::string_view kBegin = "-----BEGIN PUBLIC KEY-----";
constexpr std::string_view kEnd = "-----END PUBLIC KEY-----";

// RFC 5480: SEQUENCE { SEQUENCE { id-ecPublicKey, prime256v1 }, BIT STRING }. All lengths are fixed
// for this curve, so the DER of every key begins alike and the point is what is left.
constexpr std::array<std::uint8_t, 26> kDerPrefix = {
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
    0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00};
constexpr std::size_t kPointBytes = 65;
constexpr std::size_t kDerBytes = kDerPrefix.size() + kPointBytes;

}  // namespace

Result<PublicKey> ParsePublicKey(std::span<const std::byte> file) {
    PublicKey key;
    if (file.size() == kPointBytes) {
        std::transform(file.begin(), file.end(), key.point.begin(),
                       [](std::byte octet) { return std::to_integer<std::uint8_t>(octet); });
        if (key.point[0] != 4) return Status::kMalformed;
        return key;
    }

    std::array<char, 512> characters{};  // A PEM file of this curve has 178.
    if (file.size() > characters.size()) return Status::kMalformed;
    std::transform(file.begin(), file.end(), characters.begin(),
                   [](std::byte octet) { return std::to_integer<char>(octet); });
    const std::string_view text(characters.data(), file.size());
    const std::size_t begin = text.find(kBegin);
    const std::size_t end = text.find(kEnd);
    if (begin == std::string_view::npos || end == std::string_view::npos) return Status::kMalformed;
    if (end < begin + kBegin.size()) return Status::kMalformed;
    const std::size_t first = begin + kBegin.size();
    const std::string_view body(&characters[first], end - first);  // substr() may throw.

    std::array<std::uint8_t, kDerBytes> der{};
    const Result<std::size_t> decoded = DecodeBase64(body, der);
    if (!decoded.ok() || decoded.value() != der.size()) return Status::kMalformed;
    if (!std::equal(kDerPrefix.begin(), kDerPrefix.end(), der.begin())) return Status::kMalformed;
    std::copy(der.begin() + kDerPrefix.size(), der.end(), key.point.begin());
    if (key.point[0] != 4) return Status::kMalformed;
    return key;
}

}  // namespace ember
