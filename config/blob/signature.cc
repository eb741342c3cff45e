// SPDX-License-Identifier: Apache-2.0
// EmberSM: ECDSA on P-256 with SHA-256 through the PSA API.
#include "config/blob/signature.h"

#include <algorithm>
#include <bit>
#include <psa/crypto.h>

#include "config/blob/crypto_pool.h"
#include "config/blob/crypto_session.h"

namespace ember {
namespace {

constexpr psa_algorithm_t kAlgorithm = PSA_ALG_ECDSA(PSA_ALG_SHA_256);
constexpr psa_key_type_t kKeyType = PSA_KEY_TYPE_ECC_PUBLIC_KEY(PSA_ECC_FAMILY_SECP_R1);

const std::uint8_t* AsOctets(std::span<const std::byte> octets) {
    return std::bit_cast<const std::uint8_t*>(octets.data());
}

}  // namespace

Result<Digest> Sha256(std::span<const std::byte> octets) {
    return Sha256(std::span(&octets, 1));
}

Result<Digest> Sha256(std::span<const std::span<const std::byte>> pieces) {
    const CryptoSession session;
    if (!session.ok()) return Status::kDevice;
    psa_hash_operation_t hash = PSA_HASH_OPERATION_INIT;
    psa_status_t status = psa_hash_setup(&hash, PSA_ALG_SHA_256);
    for (std::size_t i = 0; i < pieces.size() && status == PSA_SUCCESS; ++i) {
        status = psa_hash_update(&hash, AsOctets(pieces[i]), pieces[i].size());
    }
    Digest digest{};
    std::size_t bytes = 0;
    if (status == PSA_SUCCESS) {
        status = psa_hash_finish(&hash, digest.data(), digest.size(), &bytes);
    }
    (void)psa_hash_abort(&hash);  // Nothing, if it has ended well.
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

Status CheckSignature(std::span<const std::byte> message, std::span<const std::byte> signature,
                      const PublicKey& key) {
    const CryptoSession session;
    if (!session.ok()) return Status::kDevice;

    const CryptoPool::Borrow borrow;
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
