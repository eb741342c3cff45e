// SPDX-License-Identifier: Apache-2.0
// EmberSM: codes over messages, made by Mbed TLS.
#pragma once

#include <psa/crypto.h>
#include <span>

#include "config/blob/crypto_session.h"
#include "core/platform.h"

namespace ember {

/// HMAC-SHA-256 (RFC 2104) by the hashes of the PSA API. Its own HMAC wants a key in its store,
/// which takes more time for each message than the hashes do; these begin from two states that are
/// made once for each key. The API is up while one of these lives.
class HashedCodes final : public MessageCodes {
public:
    HashedCodes() = default;
    ~HashedCodes();
    HashedCodes(const HashedCodes&) = delete;
    HashedCodes& operator=(const HashedCodes&) = delete;
    HashedCodes(HashedCodes&&) = delete;
    HashedCodes& operator=(HashedCodes&&) = delete;

    Status TakeKey(std::span<const std::byte> key) override;
    [[nodiscard]] Result<MacCode> Of(std::span<const std::byte> message) override;

private:
    void Forget();

    CryptoSession session_;
    psa_hash_operation_t inner_ = PSA_HASH_OPERATION_INIT;
    psa_hash_operation_t outer_ = PSA_HASH_OPERATION_INIT;
    bool has_key_ = false;
};

}  // namespace ember
