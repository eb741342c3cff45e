// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys with which blobs are signed, and their PEM files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/blob/container.h"
#include "config/blob/public_key.h"

namespace ember::emberc {

/// The number that is the secret of a private key, most significant octet first.
using PrivateNumber = std::array<std::uint8_t, 32>;

/// The first private key in `pem`: SEC 1 ("EC PRIVATE KEY") or PKCS #8 ("PRIVATE KEY"). Throws
/// std::runtime_error with a sentence when there is none, or one of another kind or curve. Whether
/// the number is one of the curve is found when the crypto library takes it.
[[nodiscard]] PrivateNumber ReadPrivatePem(std::string_view pem);

/// A private key as SEC 1 has it, with its curve and its point.
[[nodiscard]] std::string WritePrivatePem(const PrivateNumber& number, const PublicKey& key);

/// SubjectPublicKeyInfo. RFC 5480.
[[nodiscard]] std::string PublicPem(const PublicKey& key);

/// Overwrites what was secret.
void Wipe(void* octets, std::size_t count);

using Signature = std::array<std::byte, kSignatureBytes>;

/// A private key on curve P-256. Every function throws std::runtime_error with a sentence when it
/// cannot do its work.
class KeyPair {
public:
    /// A new key from the system's entropy.
    [[nodiscard]] static KeyPair Generate();

    /// From PEM as PrivatePem() or openssl writes it (SEC 1 or PKCS #8, not encrypted).
    [[nodiscard]] static KeyPair FromPem(const std::string& pem);

    KeyPair(const KeyPair&) = default;
    KeyPair& operator=(const KeyPair&) = default;
    ~KeyPair();  // Wipes the private number.

    [[nodiscard]] const PublicKey& public_key() const { return public_; }
    [[nodiscard]] std::string PrivatePem() const;

    /// Deterministic (RFC 6979): the same message gives the same signature, so the same inputs give
    /// the same blob.
    [[nodiscard]] Signature Sign(std::span<const std::byte> message) const;

private:
    KeyPair() = default;

    PrivateNumber private_{};
    PublicKey public_;
};

/// A C++ header for a board, with the key as constant kTrustedKey.
[[nodiscard]] std::string PublicHeader(const PublicKey& key);

/// "0123456789abcdef".
[[nodiscard]] std::string Hex(std::span<const std::uint8_t> octets);

/// KeyIdOf(), or an exception.
[[nodiscard]] KeyId IdOf(const PublicKey& key);

}  // namespace ember::emberc
