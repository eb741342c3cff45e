// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys with which blobs are signed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "config/blob/container.h"
#include "config/blob/public_key.h"
#include "config/emberc/key_pem.h"

namespace ember::emberc {

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
