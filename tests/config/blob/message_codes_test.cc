// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of codes over messages, by the vectors of the standard.
#include "config/blob/message_codes.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "config/blob/crypto_pool.h"
#include "config/blob/signature.h"

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

std::string CodeOf(std::string_view key, std::string_view message) {
    HashedCodes codes;
    EXPECT_EQ(codes.TakeKey(OctetsOf(key)), Status::kOk);
    return Hex(codes.Of(OctetsOf(message)).value());
}

// RFC 4231, 4.2, 4.3, 4.4 and 4.7: the first half of each code.
TEST(HashedCodes, AreThoseOfTheStandard) {
    EXPECT_EQ(CodeOf(std::string(20, '\x0b'), "Hi There"), "b0344c61d8db38535ca8afceaf0bf12b");
    EXPECT_EQ(CodeOf("Jefe", "what do ya want for nothing?"), "5bdcc146bf60754e6a042426089575c7");
    EXPECT_EQ(CodeOf(std::string(20, '\xaa'), std::string(50, '\xdd')),
              "773ea91e36800e46854db8ebd09181a7");
    EXPECT_EQ(
        CodeOf(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
        "60e431591ee0b67f0d8a26aacbf5b77f");
}

TEST(HashedCodes, AreOfTheKeyThatWasTakenLast) {
    HashedCodes codes;
    EXPECT_EQ(codes.Of(OctetsOf("message")).status(), Status::kDevice);
    ASSERT_EQ(codes.TakeKey(OctetsOf("a key of fifteen")), Status::kOk);
    ASSERT_EQ(codes.TakeKey(OctetsOf("a key of sixteen")), Status::kOk);
    const std::string first = Hex(codes.Of(OctetsOf("message")).value());
    EXPECT_EQ(first, CodeOf("a key of sixteen", "message"));
    EXPECT_EQ(Hex(codes.Of(OctetsOf("message")).value()), first);
    EXPECT_NE(Hex(codes.Of(OctetsOf("massage")).value()), first);
    EXPECT_NE(CodeOf("a key of fifteen", "message"), first);
}

// A blob may be read at any time.
TEST(HashedCodes, GoOnWhileTheApiIsUsedForSignatures) {
    HashedCodes codes;
    ASSERT_EQ(codes.TakeKey(OctetsOf("a key of sixteen")), Status::kOk);
    const std::string before = Hex(codes.Of(OctetsOf("message")).value());
    EXPECT_TRUE(Sha256(OctetsOf("abc")).ok());
    EXPECT_NE(CheckSignature(OctetsOf("message"), OctetsOf(std::string(64, 'x')), PublicKey{}),
              Status::kOk);
    EXPECT_EQ(Hex(codes.Of(OctetsOf("message")).value()), before);
    EXPECT_FALSE(TheCryptoPool().borrowed());
}

// FIPS 180-2, appendix B.
TEST(Sha256, OfPiecesIsThatOfTheWhole) {
    const std::array pieces{OctetsOf("a"), OctetsOf(""), OctetsOf("bc")};
    EXPECT_EQ(Hex(Sha256(pieces).value()), Hex(Sha256(OctetsOf("abc")).value()));
    EXPECT_EQ(Hex(Sha256(pieces).value()),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace ember
