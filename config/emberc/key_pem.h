// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of curve P-256 in PEM files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace ember::emberc
