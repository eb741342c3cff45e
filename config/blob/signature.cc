// SPDX-License-Identifier: Apache-2.0
// EmberSM: ECDSA on P-256 with SHA-256 through the PSA API.
#include "config/blob/signature.h"

#include <algorithm>
#include <bit>
#include <psa/crypto.h>

#include "config/blob/crypto_pool.h"

namespace ember {
namespace {

constexpr psa_algorithm_t kAlgorithm = PSA_ALG_ECDSA(PSA_ALG_SHA_256);
constexpr psa_key_type_t kKeyType = PSA_KEY_TYPE_ECC_PUBLIC_KEY(PSA_ECC_FAMILY_SECP_R1);

const std::uint8_t* AsOctets(std::span<const std::byte> octets) {
    return std::bit_cast<const std::uint8_t*>(octets.data());
}

/// Mbed TLS is up while one of these lives, in borrowed memory, and all of it is given back:
/// between two blobs the pool is empty.
class CryptoSession {
public:
    CryptoSession() : status_(psa_crypto_init()) {}
    ~CryptoSession() { mbedtls_psa_crypto_free(); }
    CryptoSession(const CryptoSession&) = delete;
    CryptoSession& operator=(const CryptoSession&) = delete;
    CryptoSession(CryptoSession&&) = delete;
    CryptoSession& operator=(CryptoSession&&) = delete;

    [[nodiscard]] bool ok() const { return status_ == PSA_SUCCESS; }

private:
    CryptoPool::Borrow borrow_;  // First made, last ended.
    psa_status_t status_;
};

}  // namespace

Result<Digest> Sha256(std::span<const std::byte> octets) {
    const CryptoSession session;
    if (!session.ok()) return Status::kDevice;
    Digest digest{};
    std::size_t bytes = 0;
    const psa_status_t status = psa_hash_compute(PSA_ALG_SHA_256, AsOctets(octets), octets.size(),
                                                 digest.data(), digest.size(), &bytes);
    if (status != PSA_SUCCESS || bytes != digest.size()) return Status::kDevice;
    return digest;
}

Result<KeyId> KeyIdOf(const PublicKey& key) {
    const Result<Digest> digest = Sha256(std::as_bytes(std::span(key.point)));
    if (!digest.ok()) return digest.status();
    KeyId id{};
    std::copy_n(digest.value().begin(), id.size(), id.begin());
    return id;
}

Status CheckSignature(std::span<const std::byte> message,
                      std::span<const std::byte> signature,
                      const PublicKey& key) {
    const CryptoSession session;
    if (!session.ok()) return Status::kDevice;

    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_VERIFY_MESSAGE);
    psa_set_key_algorithm(&attributes, kAlgorithm);
    psa_set_key_type(&attributes, kKeyType);
    psa_key_id_t id = 0;
    psa_status_t status = psa_import_key(&attributes, key.point.data(), key.point.size(), &id);
    if (status == PSA_ERROR_INVALID_ARGUMENT) return Status::kMalformed;
    if (status != PSA_SUCCESS) return Status::kDevice;

    status = psa_verify_message(id, kAlgorithm, AsOctets(message), message.size(),
                                AsOctets(signature), signature.size());
    (void)psa_destroy_key(id);
    if (status == PSA_SUCCESS) return Status::kOk;
    return status == PSA_ERROR_INVALID_SIGNATURE ? Status::kForged : Status::kDevice;
}

}  // namespace ember
