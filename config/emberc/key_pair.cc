// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys with which blobs are signed, by the PSA API; PEM by Mbed TLS's key parser.
#include "config/emberc/key_pair.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <mbedtls/ecp.h>
#include <mbedtls/pk.h>
#include <mbedtls/platform_util.h>
#include <psa/crypto.h>
#include <stdexcept>

#include "config/blob/signature.h"

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

/// Mbed TLS's own idea of a key, for reading and writing PEM.
class PkContext {
public:
    PkContext() { mbedtls_pk_init(&context_); }
    ~PkContext() { mbedtls_pk_free(&context_); }
    PkContext(const PkContext&) = delete;
    PkContext& operator=(const PkContext&) = delete;

    [[nodiscard]] mbedtls_pk_context* get() { return &context_; }

    [[nodiscard]] mbedtls_ecp_keypair& SetUpP256() {
        const auto* const info = mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY);
        Require(mbedtls_pk_setup(&context_, info) == 0, "out of memory");
        mbedtls_ecp_keypair& pair = *mbedtls_pk_ec(context_);
        Require(mbedtls_ecp_group_load(&pair.grp, MBEDTLS_ECP_DP_SECP256R1) == 0, "out of memory");
        return pair;
    }

private:
    mbedtls_pk_context context_{};
};

void ReadPoint(mbedtls_ecp_keypair& pair, const PublicKey& key) {
    Require(
        mbedtls_ecp_point_read_binary(&pair.grp, &pair.Q, key.point.data(), key.point.size()) == 0,
        "the public key is no point of P-256");
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
    PkContext context;
    const auto* const text = std::bit_cast<const unsigned char*>(pem.c_str());
    Require(mbedtls_pk_parse_key(context.get(), text, pem.size() + 1, nullptr, 0) == 0,
            "it holds no private key in PEM, or an encrypted one");
    Require(mbedtls_pk_can_do(context.get(), MBEDTLS_PK_ECKEY) != 0, "its key is not elliptic");
    const mbedtls_ecp_keypair& ec = *mbedtls_pk_ec(*context.get());
    Require(ec.grp.id == MBEDTLS_ECP_DP_SECP256R1, "its key is not on curve P-256");
    Require(mbedtls_mpi_write_binary(&ec.d, pair.private_.data(), pair.private_.size()) == 0,
            "its key is too long");

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
    mbedtls_platform_zeroize(private_.data(), private_.size());
}

std::string KeyPair::PrivatePem() const {
    PkContext context;
    mbedtls_ecp_keypair& pair = context.SetUpP256();
    Require(mbedtls_mpi_read_binary(&pair.d, private_.data(), private_.size()) == 0,
            "out of memory");
    ReadPoint(pair, public_);
    std::array<unsigned char, 1024> pem{};
    const bool written = mbedtls_pk_write_key_pem(context.get(), pem.data(), pem.size()) == 0;
    Require(written, "the private key could not be written");
    std::string text(std::bit_cast<const char*>(pem.data()));
    mbedtls_platform_zeroize(pem.data(), pem.size());
    return text;
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

std::string PublicPem(const PublicKey& key) {
    PkContext context;
    ReadPoint(context.SetUpP256(), key);
    std::array<unsigned char, 1024> pem{};
    Require(mbedtls_pk_write_pubkey_pem(context.get(), pem.data(), pem.size()) == 0,
            "the public key could not be written");
    return std::bit_cast<const char*>(pem.data());
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
