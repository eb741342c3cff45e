// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of reading a public key.
#include "config/blob/public_key.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/config/support.h"

namespace ember::test {
namespace {

Result<PublicKey> Parse(std::string_view text) {
    return ParsePublicKey(std::as_bytes(std::span(text)));
}

// Made by `openssl ecparam -name prime256v1 -genkey` and `openssl ec -pubout`.
constexpr std::string_view kFromOpenssl =
    R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEOHLMAscvM3h5wMENVc1zNg6st+z
52P0d2LzQKKIKsFYAkeRuT6Oe/2TNZ8yO23md5p+HLQSAGRYxvaan20pcA==
-----END PUBLIC KEY-----
)";

TEST(PublicKey, ReadsWhatOpensslWrote) {
    const Result<PublicKey> key = Parse(kFromOpenssl);
    ASSERT_TRUE(key.ok());
    EXPECT_EQ(emberc::PublicPem(key.value()), kFromOpenssl);
    EXPECT_EQ(emberc::Hex(std::span(key.value().point).first(5)), "0410e1cb30");
}

TEST(PublicKey, ReadsWindowsLineEndsAndTextAround) {
    std::string text = "a key:\r\n";
    for (const char c : kFromOpenssl) {
        text += c == '\n' ? "\r\n" : std::string(1, c);
    }
    EXPECT_TRUE(Parse(text).ok());
}

TEST(PublicKey, ReadsThe65OctetsOfAPoint) {
    const PublicKey& key = TrustedKey().public_key();
    const Result<PublicKey> read = ParsePublicKey(std::as_bytes(std::span(key.point)));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read.value(), key);
}

TEST(PublicKey, RefusesWhatIsNoKeyOfThisCurve) {
    EXPECT_EQ(Parse("").status(), Status::kMalformed);
    EXPECT_EQ(Parse("-----BEGIN PUBLIC KEY-----").status(), Status::kMalformed);
    EXPECT_EQ(Parse("-----END PUBLIC KEY----------BEGIN PUBLIC KEY-----").status(),
              Status::kMalformed);
    EXPECT_EQ(Parse(std::string(4096, 'A')).status(), Status::kMalformed);
    EXPECT_EQ(Parse(std::string(65, '\x02')).status(), Status::kMalformed);

    std::string other_curve(kFromOpenssl);
    other_curve.replace(other_curve.find("MFkw"), 4, "MFow");
    EXPECT_EQ(Parse(other_curve).status(), Status::kMalformed);
    std::string no_base64(kFromOpenssl);
    no_base64[40] = '*';
    EXPECT_EQ(Parse(no_base64).status(), Status::kMalformed);
    std::string short_one(kFromOpenssl);
    short_one.erase(40, 8);
    EXPECT_EQ(Parse(short_one).status(), Status::kMalformed);
    std::string long_one(kFromOpenssl);
    long_one.insert(40, "AAAA");
    EXPECT_EQ(Parse(long_one).status(), Status::kMalformed);
}

}  // namespace
}  // namespace ember::test
