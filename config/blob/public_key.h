// SPDX-License-Identifier: Apache-2.0
// EmberSM: the public key that a switch trusts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/status.h"

namespace ember {

/// A point of curve P-256, uncompressed: 4, then x and y, most significant octet first (SEC 1,
/// 2.3.3). `emberc keygen --header` writes one as a constant for a board.
struct PublicKey {
    std::array<std::uint8_t, 65> point{};

    [[nodiscard]] constexpr bool operator==(const PublicKey&) const = default;
};

/// Names a public key in few octets, so that "tampered with" and "signed by another key" can be
/// told apart. The KeyId decides nothing: the signature does.
using KeyId = std::array<std::uint8_t, 8>;

/// Reads a key file: 65 raw octets, or PEM with a SubjectPublicKeyInfo as `emberc keygen` and
/// openssl write it. kMalformed when it is neither, or a key of another kind. Whether the point
/// lies on the curve is found when the first signature is checked.
[[nodiscard]] Result<PublicKey> ParsePublicKey(std::span<const std::byte> file);

}  // namespace ember
