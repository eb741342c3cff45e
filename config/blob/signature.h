// SPDX-License-Identifier: Apache-2.0
// EmberSM: ECDSA on P-256 with SHA-256, checked by Mbed TLS in static memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "config/blob/public_key.h"
#include "core/base/status.h"

namespace ember {

using Digest = std::array<std::uint8_t, 32>;

/// SHA-256. kDevice when the crypto library cannot.
[[nodiscard]] Result<Digest> Sha256(std::span<const std::byte> octets);
/// The same of what the pieces are together.
[[nodiscard]] Result<Digest> Sha256(std::span<const std::span<const std::byte>> pieces);

/// The first 8 octets of the SHA-256 of the point.
[[nodiscard]] Result<KeyId> KeyIdOf(const PublicKey& key);

/// Whether `signature` (r, s; 64 octets) is `key`'s over `message`. kForged when it is not,
/// kMalformed when the key is no point of the curve, kDevice when the crypto library cannot work
/// (no entropy, pool exhausted).
[[nodiscard]] Status CheckSignature(std::span<const std::byte> message,
                                    std::span<const std::byte> signature, const PublicKey& key);

}  // namespace ember
