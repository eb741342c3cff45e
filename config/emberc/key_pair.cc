// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys with which blobs are signed, and their PEM files.
#include "config/emberc/key_pair.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <psa/crypto.h>
#include <span>
#include <stdexcept>
#include <string.h>  // explicit_bzero() is not of the C++ library.
#include <vector>

#include "config/blob/base64.h"
#include "config/blob/signature.h"

namespace ember::emberc {
namespace {

using Octets = std::span<const std::uint8_t>;

// Object identifiers, with tag and length: id-ecPublicKey and prime256v1. RFC 5480, 2.1.1.
constexpr std::array<std::uint8_t, 9> kElliptic = {0x06, 0x07, 0x2A, 0x86, 0x48,
                                                   0xCE, 0x3D, 0x02, 0x01};
constexpr std::array<std::uint8_t, 10> kP256 = {0x06, 0x08, 0x2A, 0x86, 0x48,
                                                0xCE, 0x3D, 0x03, 0x01, 0x07};

// Tags of DER.
constexpr std::uint8_t kInteger = 0x02;
constexpr std::uint8_t kOctetString = 0x04;
constexpr std::uint8_t kSequence = 0x30;
constexpr std::uint8_t kParameters = 0xA0;

[[noreturn]] void Refuse(const char* why) {
    throw std::runtime_error(why);
}

constexpr const char* kNoKey = "it holds no private key in PEM, or an encrypted one";
constexpr const char* kOtherCurve = "its key is not on curve P-256";

/// Values of DER, one after the other.
class Der {
public:
    explicit Der(Octets octets) : rest_(octets) {}

    /// The content of the next value, if it has this tag.
    [[nodiscard]] std::optional<Octets> Next(std::uint8_t tag) {
        if (rest_.size() < 2 || rest_[0] != tag) return std::nullopt;
        std::size_t length = rest_[1];
        std::size_t begin = 2;
        if (length > 0x82) return std::nullopt;  // 64 KiB and more: no key of ours.
        if (length >= 0x80) {
            begin += length - 0x80;
            length = 0;
            if (rest_.size() < begin) return std::nullopt;
            for (const std::uint8_t octet : rest_.subspan(2, begin - 2)) {
                length = length << 8U | octet;
            }
        }
        if (rest_.size() - begin < length) return std::nullopt;
        const Octets content = rest_.subspan(begin, length);
        rest_ = rest_.subspan(begin + length);
        return content;
    }
    /// As Next(), or an exception.
    [[nodiscard]] Octets Take(std::uint8_t tag) {
        const auto content = Next(tag);
        if (!content) Refuse(kNoKey);
        return *content;
    }
    /// Whether the next octets are these; they are taken then.
    [[nodiscard]] bool Skip(Octets octets) {
        if (rest_.size() < octets.size()) return false;
        if (!std::equal(octets.begin(), octets.end(), rest_.begin())) return false;
        rest_ = rest_.subspan(octets.size());
        return true;
    }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
    Octets rest_;
};

/// ECPrivateKey. SEC 1, C.4; RFC 5915. `says_curve`: somebody else has said it already.
PrivateNumber NumberOf(Octets octets, bool says_curve) {
    Der der(octets);
    if (der.Take(kInteger).size() != 1) Refuse(kNoKey);
    const Octets number = der.Take(kOctetString);
    if (const auto parameters = der.Next(kParameters); parameters.has_value()) {
        Der curve(*parameters);
        says_curve = curve.Skip(kP256);
        if (!says_curve) Refuse(kOtherCurve);
    }
    if (!says_curve) Refuse("it does not say on which curve its key is");
    PrivateNumber result{};
    if (number.size() != result.size()) Refuse("its key has not the length of P-256");
    std::copy(number.begin(), number.end(), result.begin());
    return result;
}

/// PrivateKeyInfo. RFC 5208, 5; RFC 5958.
PrivateNumber NumberInPkcs8(Octets octets) {
    Der der(octets);
    if (der.Take(kInteger).size() != 1) Refuse(kNoKey);
    Der algorithm(der.Take(kSequence));
    if (!algorithm.Skip(kElliptic)) Refuse("its key is not elliptic");
    if (!algorithm.Skip(kP256)) Refuse(kOtherCurve);
    Der inner(der.Take(kOctetString));
    return NumberOf(inner.Take(kSequence), true);
}

/// The body of the first PEM block of a kind, decoded, and wiped when it goes; not found() when
/// there is no such block.
class PemBody {
public:
    PemBody(std::string_view pem, std::string_view kind) {
        const std::string begin = fmt::format("-----BEGIN {}-----", kind);
        const std::size_t at = pem.find(begin);
        if (at == std::string_view::npos) return;
        pem.remove_prefix(at + begin.size());
        const std::size_t end = pem.find(fmt::format("-----END {}-----", kind));
        if (end == std::string_view::npos) Refuse(kNoKey);
        octets_.resize(end);
        const Result<std::size_t> decoded = DecodeBase64(pem.substr(0, end), octets_);
        if (!decoded.ok()) Refuse(kNoKey);  // Headers before the body say that it is encrypted.
        size_ = decoded.value();
        found_ = true;
    }
    ~PemBody() { Wipe(octets_.data(), octets_.size()); }
    PemBody(const PemBody&) = delete;
    PemBody& operator=(const PemBody&) = delete;

    [[nodiscard]] bool found() const { return found_; }
    /// The content of the one SEQUENCE that it is.
    [[nodiscard]] Octets sequence() const {
        Der der(Octets(octets_).first(size_));
        const Octets content = der.Take(kSequence);
        if (!der.at_end()) Refuse(kNoKey);
        return content;
    }

private:
    std::vector<std::uint8_t> octets_;
    std::size_t size_ = 0;
    bool found_ = false;
};

std::string Base64(Octets octets) {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::size_t kOctetsALine = 48;
    std::string text;
    for (std::size_t i = 0; i < octets.size(); i += 3) {
        const auto at = [&](std::size_t k) {
            return i + k < octets.size() ? unsigned{octets[i + k]} : 0U;
        };
        const unsigned bits = at(0) << 16U | at(1) << 8U | at(2);
        for (std::size_t k = 0; k < 4; ++k) {
            text += i + k > octets.size() ? '=' : kLetters[bits >> (18U - 6U * k) & 63U];
        }
        if ((i + 3) % kOctetsALine == 0 || i + 3 >= octets.size()) text += '\n';
    }
    return text;
}

std::string Pem(std::string_view kind, Octets der) {
    return fmt::format("-----BEGIN {0}-----\n{1}-----END {0}-----\n", kind, Base64(der));
}

template <typename... Parts>
std::vector<std::uint8_t> Join(const Parts&... parts) {
    std::vector<std::uint8_t> all;
    (all.insert(all.end(), parts.begin(), parts.end()), ...);
    return all;
}

}  // namespace

PrivateNumber ReadPrivatePem(std::string_view pem) {
    if (const PemBody body(pem, "EC PRIVATE KEY"); body.found()) {
        return NumberOf(body.sequence(), false);
    }
    if (const PemBody body(pem, "PRIVATE KEY"); body.found()) return NumberInPkcs8(body.sequence());
    if (pem.find("-----BEGIN RSA PRIVATE KEY-----") != std::string_view::npos) {
        Refuse("its key is not elliptic");
    }
    Refuse(kNoKey);
}

// All lengths are fixed for this curve.

std::string WritePrivatePem(const PrivateNumber& number, const PublicKey& key) {
    constexpr std::array<std::uint8_t, 7> kFront = {kSequence, 0x77,         kInteger, 1,
                                                    1,         kOctetString, 32};
    constexpr std::array<std::uint8_t, 2> kCurve = {kParameters, kP256.size()};
    constexpr std::array<std::uint8_t, 5> kPoint = {0xA1, 0x44, 0x03, 0x42, 0x00};
    std::vector<std::uint8_t> der = Join(kFront, number, kCurve, kP256, kPoint, key.point);
    std::string pem = Pem("EC PRIVATE KEY", der);
    Wipe(der.data(), der.size());
    return pem;
}

std::string PublicPem(const PublicKey& key) {
    constexpr std::array<std::uint8_t, 4> kFront = {kSequence, 0x59, kSequence, 0x13};
    constexpr std::array<std::uint8_t, 3> kPoint = {0x03, 0x42, 0x00};
    return Pem("PUBLIC KEY", Join(kFront, kElliptic, kP256, kPoint, key.point));
}

void Wipe(void* octets, std::size_t count) {
    if (count != 0) explicit_bzero(octets, count);  // An empty span may have no address.
}

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
