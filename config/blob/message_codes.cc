// SPDX-License-Identifier: Apache-2.0
// EmberSM: codes over messages, made by Mbed TLS.
#include "config/blob/message_codes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "config/blob/signature.h"
#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::size_t kBlockBytes = 64;
using Block = std::array<std::uint8_t, kBlockBytes>;

/// `hash` begins with the key, each octet of it changed by `mask`.
psa_status_t Begin(psa_hash_operation_t& hash, Block key, std::uint8_t mask) {
    for (std::uint8_t& octet : key) {
        octet ^= mask;
    }
    const psa_status_t status = psa_hash_setup(&hash, PSA_ALG_SHA_256);
    return status == PSA_SUCCESS ? psa_hash_update(&hash, key.data(), key.size()) : status;
}

/// The digest of what `begun` has taken, and of `rest`.
psa_status_t End(const psa_hash_operation_t& begun, std::span<const std::byte> rest,
                 Digest& digest) {
    psa_hash_operation_t hash = PSA_HASH_OPERATION_INIT;
    std::size_t bytes = 0;
    psa_status_t status = psa_hash_clone(&begun, &hash);
    if (status == PSA_SUCCESS) {
        status =
            psa_hash_update(&hash, std::bit_cast<const std::uint8_t*>(rest.data()), rest.size());
    }
    if (status == PSA_SUCCESS) {
        status = psa_hash_finish(&hash, digest.data(), digest.size(), &bytes);
    }
    (void)psa_hash_abort(&hash);  // Nothing, if it has ended well.
    return status;
}

}  // namespace

HashedCodes::~HashedCodes() {
    Forget();
}

void HashedCodes::Forget() {
    (void)psa_hash_abort(&inner_);
    (void)psa_hash_abort(&outer_);
    has_key_ = false;
}

Status HashedCodes::TakeKey(std::span<const std::byte> key) {
    Forget();
    if (!session_.ok()) return Status::kDevice;
    Block block{};
    if (key.size() > block.size()) {
        const Result<Digest> digest = Sha256(key);
        if (!digest.ok()) return Status::kDevice;
        std::copy(digest.value().begin(), digest.value().end(), block.begin());
    } else {
        std::transform(key.begin(), key.end(), block.begin(),
                       [](std::byte octet) { return static_cast<std::uint8_t>(octet); });
    }
    has_key_ =
        Begin(inner_, block, 0x36) == PSA_SUCCESS && Begin(outer_, block, 0x5C) == PSA_SUCCESS;
    return has_key_ ? Status::kOk : Status::kDevice;
}

Result<MacCode> HashedCodes::Of(std::span<const std::byte> message) {
    if (!has_key_) return Status::kDevice;
    Digest inside{};
    Digest whole{};
    if (End(inner_, message, inside) != PSA_SUCCESS ||
        End(outer_, std::as_bytes(std::span(inside)), whole) != PSA_SUCCESS) {
        return Status::kDevice;
    }
    MacCode code{};
    std::copy_n(whole.begin(), code.size(), code.begin());
    return code;
}

}  // namespace ember
