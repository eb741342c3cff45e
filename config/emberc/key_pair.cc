// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys with which blobs are signed, by the PSA API.
#include "config/emberc/key_pair.h"

#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <psa/crypto.h>
#include <stdexcept>

#include "config/blob/signature.h"
#include "config/emberc/key_pem.h"

namespace ember::emberc {
namespace {

constexpr psa_algorithm_t kAlgorithm = PSA_ALG_DETERMINISTIC_ECDSA(PSA_ALG_SHA_256);

void Require(bool done, const char* what) {
    if (!done) throw std::runtime_error(what);
}

/// The crypto library is up while one of these lives.
class Session {
public:
    Session() { Require(psa_crypto_init() == PSA_SUCCESS, "the crypto library found no entropy"); }
    ~Session() { mbedtls_psa_crypto_free(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

psa_key_attributes_t Attributes() {
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_SIGN_MESSAGE | PSA_KEY_USAGE_EXPORT);
    psa_set_key_algorithm(&attributes, kAlgorithm);
    psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1));
    psa_set_key_bits(&attributes, 256);
    return attributes;
}

PublicKey ExportPublic(psa_key_id_t id) {
    PublicKey key;
    std::size_t bytes = 0;
    const psa_status_t status =
        psa_export_public_key(id, key.point.data(), key.point.size(), &bytes);
    Require(status == PSA_SUCCESS && bytes == key.point.size(), "the public key has an odd form");
    return key;
}

}  // namespace

KeyPair KeyPair::Generate() {
    const Session session;
    psa_key_attributes_t attributes = Attributes();
    psa_key_id_t id = 0;
    Require(psa_generate_key(&attributes, &id) == PSA_SUCCESS, "no key could be made");
    KeyPair pair;
    std::size_t bytes = 0;
    const psa_status_t status =
        psa_export_key(id, pair.private_.data(), pair.private_.size(), &bytes);
    Require(status == PSA_SUCCESS && bytes == pair.private_.size(), "no key could be made");
    pair.public_ = ExportPublic(id);
    (void)psa_destroy_key(id);
    return pair;
}

KeyPair KeyPair::FromPem(const std::string& pem) {
    KeyPair pair;
    pair.private_ = ReadPrivatePem(pem);
    const Session session;
    psa_key_attributes_t attributes = Attributes();
    psa_key_id_t id = 0;
    Require(
        psa_import_key(&attributes, pair.private_.data(), pair.private_.size(), &id) == PSA_SUCCESS,
        "its key is no number of curve P-256");
    pair.public_ = ExportPublic(id);
    (void)psa_destroy_key(id);
    return pair;
}

KeyPair::~KeyPair() {
    Wipe(private_.data(), private_.size());
}

std::string KeyPair::PrivatePem() const {
    return WritePrivatePem(private_, public_);
}

Signature KeyPair::Sign(std::span<const std::byte> message) const {
    const Session session;
    psa_key_attributes_t attributes = Attributes();
    psa_key_id_t id = 0;
    Require(psa_import_key(&attributes, private_.data(), private_.size(), &id) == PSA_SUCCESS,
            "the private key is of no use");
    Signature signature{};
    std::size_t bytes = 0;
    const psa_status_t status = psa_sign_message(
        id, kAlgorithm, std::bit_cast<const std::uint8_t*>(message.data()), message.size(),
        std::bit_cast<std::uint8_t*>(signature.data()), signature.size(), &bytes);
    (void)psa_destroy_key(id);
    Require(status == PSA_SUCCESS && bytes == signature.size(), "the blob could not be signed");
    return signature;
}

std::string PublicHeader(const PublicKey& key) {
    std::string out = fmt::format(
        "// The public key that this board trusts: emberc keygen. Its id is {}.\n"
        "#pragma once\n\n#include \"config/blob/public_key.h\"\n\nnamespace ember {{\n\n"
        "inline constexpr PublicKey kTrustedKey{{{{\n",
        Hex(IdOf(key)));
    for (std::size_t i = 0; i < key.point.size(); ++i) {
        out += fmt::format("{}0x{:02X},{}", i % 13 == 0 ? "    " : " ", key.point[i],
                           i % 13 == 12 ? "\n" : "");
    }
    return out + "}};\n\n}  // namespace ember\n";
}

std::string Hex(std::span<const std::uint8_t> octets) {
    std::string out;
    for (const std::uint8_t octet : octets) {
        out += fmt::format("{:02x}", octet);
    }
    return out;
}

KeyId IdOf(const PublicKey& key) {
    const Result<KeyId> id = KeyIdOf(key);
    Require(id.ok(), "the crypto library could not work");
    return id.value();
}

}  // namespace ember::emberc
