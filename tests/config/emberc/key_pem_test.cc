// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of keys in PEM files. The keys here are for tests only and guard nothing.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <stdexcept>
#include <string>
#include <string_view>

#include "config/emberc/key_pair.h"

namespace ember::test {
namespace {

using emberc::KeyPair;
using emberc::PrivateNumber;
using emberc::ReadPrivatePem;

// `openssl ecparam -name prime256v1 -genkey`, and the same key as `openssl pkcs8 -topk8 -nocrypt`,
// `openssl ec -no_public` and `openssl ec -pubout` write it.
constexpr std::string_view kSec1 =
    R"(-----BEGIN EC PARAMETERS-----
BggqhkjOPQMBBw==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIP+j/UGHZ3c4m/JpT/OKQN54YcJ6zR6wGYxafphx5y0voAoGCCqGSM49
AwEHoUQDQgAErUs15e9B2YUDeCCriubTUKTUCW9ZdBUC1+xtZDTZBJnjyNKnF3O9
+CqhGrbaiz0luNOQkR2bF4qFxBDL+QfSuQ==
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kPkcs8 =
    R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/6P9QYdndzib8mlP
84pA3nhhwnrNHrAZjFp+mHHnLS+hRANCAAStSzXl70HZhQN4IKuK5tNQpNQJb1l0
FQLX7G1kNNkEmePI0qcXc734KqEattqLPSW405CRHZsXioXEEMv5B9K5
-----END PRIVATE KEY-----
)";
constexpr std::string_view kWithoutPoint =
    R"(-----BEGIN EC PRIVATE KEY-----
MDECAQEEIP+j/UGHZ3c4m/JpT/OKQN54YcJ6zR6wGYxafphx5y0voAoGCCqGSM49
AwEH
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kPublic =
    R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErUs15e9B2YUDeCCriubTUKTUCW9Z
dBUC1+xtZDTZBJnjyNKnF3O9+CqhGrbaiz0luNOQkR2bF4qFxBDL+QfSuQ==
-----END PUBLIC KEY-----
)";

// Under a passphrase, in either form.
constexpr std::string_view kSec1Encrypted =
    R"(-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,774B564D1BC413C2753D6BFF8D6BC89D

p4elHOK2xie4TxerMn3GztTNFhuenJnJ4wss6dJzBlmG0eOuC6wh7mO20w+RyhbB
kXDmEPJKLAXRYK9jeYVafBHckPHlm0PziYu5p5DoYnORlQtp+cKAQvCWC9db8PuK
NkljT3NBgDzwTfhgMB/SwaPCZdriq/d7JOixeOT0GL8=
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kPkcs8Encrypted =
    R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgBoCRJoqRsbQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELS3mc4g4dms6o4HbujqZQgEgZAV
sYHXqFxv5O5nUP0MSezjQzv2aHHpg1A2+4M7hDrEKix/3oAflx8RxTUGlqjhtDnP
msMWbcFLPcPBMcv3R+fqY86xq9wBuogX9eX88X3yVmsbSLiwqL6eEQHOxk2V9zNo
9miKNyIQ04GmQYuy4qQAB+cvm44rdJ3LVSmKnKbdhP5h4ICxFGTA5LW6/nsOEfI=
-----END ENCRYPTED PRIVATE KEY-----
)";

// Of curve P-384, in either form, and of Ed25519.
constexpr std::string_view kP384 =
    R"(-----BEGIN EC PRIVATE KEY-----
MIGkAgEBBDCKPUQbJ+wDoJGSOa/oyT7fz4weyRTHPrl1ObjzRuJRrIvGWDdxKWyY
K1qu9XIl/EmgBwYFK4EEACKhZANiAAQQTB054Xrf6w/e8cUoK+2pkC1sam+pk3uv
9h3fgf1LIwyBy9fOK0D+0S9e/JUvf5qDndthwC7xZQwrHg3rGXhbOXb1PjeHrI1r
dWrBcyWy+xxd5ZMrQFGuIzV3pz/IALM=
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kP384Pkcs8 =
    R"(-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCKPUQbJ+wDoJGSOa/o
yT7fz4weyRTHPrl1ObjzRuJRrIvGWDdxKWyYK1qu9XIl/EmhZANiAAQQTB054Xrf
6w/e8cUoK+2pkC1sam+pk3uv9h3fgf1LIwyBy9fOK0D+0S9e/JUvf5qDndthwC7x
ZQwrHg3rGXhbOXb1PjeHrI1rdWrBcyWy+xxd5ZMrQFGuIzV3pz/IALM=
-----END PRIVATE KEY-----
)";
constexpr std::string_view kEd25519 =
    R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEILsPDXmVbzhHHfKiIdvBNbjaam/ZGXwKAAIiVigBIg2a
-----END PRIVATE KEY-----
)";

std::string WhyNot(std::string_view pem) {
    try {
        (void)ReadPrivatePem(pem);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST(KeyPem, ReadsTheFormsThatOpensslWrites) {
    const PrivateNumber number = ReadPrivatePem(kSec1);
    EXPECT_EQ(number[0], 0xFF);
    EXPECT_EQ(number[31], 0x2F);
    EXPECT_EQ(ReadPrivatePem(kPkcs8), number);
    EXPECT_EQ(ReadPrivatePem(kWithoutPoint), number);
    EXPECT_EQ(ReadPrivatePem("for tests only\n" + std::string(kPkcs8) + "and more\n"), number);
    std::string windows;
    for (const char c : kSec1) {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
    }
    EXPECT_EQ(ReadPrivatePem(windows), number);
}

TEST(KeyPem, WritesWhatOpensslWrites) {
    const KeyPair pair = KeyPair::FromPem(std::string(kPkcs8));
    EXPECT_EQ(emberc::PublicPem(pair.public_key()), kPublic);
    // Openssl puts the parameters in front, which are in the key as well.
    EXPECT_EQ(pair.PrivatePem(), kSec1.substr(kSec1.find("-----BEGIN EC PRIVATE KEY")));
}

TEST(KeyPem, SaysWhatIsWrongWithAKey) {
    constexpr const char* kNone = "it holds no private key in PEM, or an encrypted one";
    constexpr const char* kCurve = "its key is not on curve P-256";
    EXPECT_EQ(WhyNot(""), kNone);
    EXPECT_EQ(WhyNot(kPublic), kNone);
    EXPECT_EQ(WhyNot(kSec1Encrypted), kNone);
    EXPECT_EQ(WhyNot(kPkcs8Encrypted), kNone);
    EXPECT_EQ(WhyNot(kP384), kCurve);
    EXPECT_EQ(WhyNot(kP384Pkcs8), kCurve);
    EXPECT_EQ(WhyNot(kEd25519), "its key is not elliptic");
    EXPECT_EQ(WhyNot("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"),
              "its key is not elliptic");
    EXPECT_EQ(WhyNot("-----BEGIN EC PRIVATE KEY-----\nMHc=\n"), kNone);
}

/// SEQUENCE { 1, OCTET STRING of 32 } and of 31 with the curve.
TEST(KeyPem, RefusesAKeyWithoutItsCurveOrOfAnotherLength) {
    EXPECT_EQ(WhyNot("-----BEGIN EC PRIVATE KEY-----\n"
                     "MCUCAQEEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
                     "-----END EC PRIVATE KEY-----\n"),
              "it does not say on which curve its key is");
    EXPECT_EQ(WhyNot("-----BEGIN EC PRIVATE KEY-----\n"
                     "MDACAQEEHwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACgCgYIKoZIzj0DAQc=\n"
                     "-----END EC PRIVATE KEY-----\n"),
              "its key has not the length of P-256");
}

/// 0 and the order of the curve are numbers of no key.
TEST(KeyPem, LeavesItToTheCryptoLibraryWhetherTheNumberIsOfTheCurve) {
    const std::string zero = emberc::WritePrivatePem({}, {});
    EXPECT_EQ(WhyNot(zero), "");
    EXPECT_THROW((void)KeyPair::FromPem(zero), std::runtime_error);
}

RC_GTEST_PROP(KeyPemProperty, EveryNumberComesBack, ()) {
    PrivateNumber number{};
    PublicKey key;
    for (std::uint8_t& octet : number) {
        octet = *rc::gen::arbitrary<std::uint8_t>();
    }
    for (std::uint8_t& octet : key.point) {
        octet = *rc::gen::arbitrary<std::uint8_t>();
    }
    key.point[0] = 4;
    RC_ASSERT(ReadPrivatePem(emberc::WritePrivatePem(number, key)) == number);
    const std::string pem = emberc::PublicPem(key);
    const Result<PublicKey> back = ParsePublicKey(std::as_bytes(std::span(pem)));
    RC_ASSERT(back.ok());
    RC_ASSERT(back.value() == key);
}

/// Whatever the octets are, they are read or refused.
RC_GTEST_PROP(KeyPemProperty, DamagedKeysAreReadOrRefused, ()) {
    std::string pem(*rc::gen::element(kSec1, kPkcs8, kP384));
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, pem.size());
        pem[at] = *rc::gen::arbitrary<char>();
    }
    pem.resize(*rc::gen::inRange<std::size_t>(0, pem.size() + 1));
    (void)WhyNot(pem);
}

}  // namespace
}  // namespace ember::test
