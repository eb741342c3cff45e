// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of SHA-256 and HMAC, by the vectors of their standards.
#include "core/base/sha256.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace ember {
namespace {

std::span<const std::byte> OctetsOf(std::string_view text) {
    return std::as_bytes(std::span(text));
}

template <std::size_t kCount>
std::string Hex(const std::array<std::uint8_t, kCount>& octets) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t octet : octets) {
        text += kDigits[octet >> 4U];
        text += kDigits[octet & 15U];
    }
    return text;
}

std::string DigestOf(std::string_view text) {
    Sha256Hash hash;
    hash.Add(OctetsOf(text));
    return Hex(hash.Finish());
}

// FIPS 180-2, appendix B, and the empty message.
TEST(Sha256Hash, GivesTheDigestsOfTheStandard) {
    EXPECT_EQ(DigestOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(DigestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(DigestOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(DigestOf(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Hash, PiecesOfAnyLengthGiveTheDigestOfTheWhole) {
    const std::string text(200, 'x');
    for (const std::size_t piece : {1U, 3U, 55U, 56U, 63U, 64U, 65U, 119U}) {
        Sha256Hash hash;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            hash.Add(OctetsOf(std::string_view(text).substr(at, piece)));
        }
        EXPECT_EQ(Hex(hash.Finish()), DigestOf(text)) << piece;
    }
}

// RFC 4231, 4.2, 4.3, 4.4 and 4.7: the first half of each code.
TEST(MacKey, GivesTheCodesOfTheStandard) {
    EXPECT_EQ(Hex(MacKey(OctetsOf(std::string(20, '\x0b'))).Of(OctetsOf("Hi There"))),
              "b0344c61d8db38535ca8afceaf0bf12b");
    EXPECT_EQ(Hex(MacKey(OctetsOf("Jefe")).Of(OctetsOf("what do ya want for nothing?"))),
              "5bdcc146bf60754e6a042426089575c7");
    EXPECT_EQ(Hex(MacKey(OctetsOf(std::string(20, '\xaa'))).Of(OctetsOf(std::string(50, '\xdd')))),
              "773ea91e36800e46854db8ebd09181a7");
    EXPECT_EQ(Hex(MacKey(OctetsOf(std::string(131, '\xaa')))
                      .Of(OctetsOf("Test Using Larger Than Block-Size Key - Hash Key First"))),
              "60e431591ee0b67f0d8a26aacbf5b77f");
}

TEST(MacKey, FitsOneMessageAlone) {
    const MacKey key(OctetsOf("a key of sixteen"));
    const MacCode code = key.Of(OctetsOf("message"));
    EXPECT_TRUE(key.Fits(OctetsOf("message"), code));
    EXPECT_FALSE(key.Fits(OctetsOf("massage"), code));
    EXPECT_FALSE(MacKey(OctetsOf("a key of fifteen")).Fits(OctetsOf("message"), code));
    for (std::size_t i = 0; i < code.size(); ++i) {
        MacCode other = code;
        other[i] ^= 1U;
        EXPECT_FALSE(key.Fits(OctetsOf("message"), other)) << i;
    }
}

}  // namespace
}  // namespace ember
