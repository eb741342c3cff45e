// SPDX-License-Identifier: Apache-2.0
// EmberSM: when the PSA API is up.
#include "config/blob/crypto_session.h"

#include <cstdint>
#include <psa/crypto.h>

#include "config/blob/crypto_pool.h"
#include "core/base/assert.h"

namespace ember {
namespace {

constinit std::uint32_t sessions = 0;

bool SetUp() {
    const CryptoPool::Borrow borrow;
    return psa_crypto_init() == PSA_SUCCESS;  // Does nothing if it is up.
}

}  // namespace

CryptoSession::CryptoSession() : is_up_(SetUp()) {
    ++sessions;
}

CryptoSession::~CryptoSession() {
    EMBER_ASSERT(sessions > 0);
    if (--sessions > 0) return;
    const CryptoPool::Borrow borrow;
    mbedtls_psa_crypto_free();
}

}  // namespace ember
