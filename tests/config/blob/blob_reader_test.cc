// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the blob reader: what it accepts, and every way in which it refuses.
#include "config/blob/blob_reader.h"

#include <cstddef>
#include <gtest/gtest.h>

#include "config/blob/crypto_pool.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

constexpr std::size_t kVersionAt = offsetof(BlobHeader, container_version);
constexpr std::size_t kSchemaAt = offsetof(BlobHeader, schema_version);

void PutWord(Octets& blob, std::size_t at, std::uint8_t value) {
    blob.at(at + 3) = std::byte{value};  // The last octet of a big-endian 32-bit number.
}

TEST(BlobReader, AcceptsWhatEmbercHasSignedAndFillsTheSettings) {
    Settings settings;
    const BlobReport report =
        Read(BlobOf("lmc 3\nsm_priority 14\norder guid\nguid 0x2c9000100d00056c\n", 7), settings);

    EXPECT_EQ(report.verdict, BlobVerdict::kAccepted);
    EXPECT_EQ(report.counter, 7U);
    EXPECT_EQ(report.schema_version, kSchemaVersion);
    EXPECT_EQ(settings.lmc, 3);
    EXPECT_EQ(settings.sm_priority, 14);
    EXPECT_EQ(settings.order, Order::kGuid);
    EXPECT_EQ(settings.guid, Guid{0x2c9000100d00056c});
}

TEST(BlobReader, RefusesABlobInWhichAnyOctetWasChanged) {
    const Octets blob = BlobOf("lmc 3\n");
    for (std::size_t i = 0; i < blob.size(); ++i) {
        Octets changed = blob;
        changed[i] ^= std::byte{0x41};
        Settings settings;
        const BlobReport report = Read(changed, settings);
        ASSERT_FALSE(report.accepted()) << "octet " << i;
        ASSERT_EQ(settings.lmc, 0) << "octet " << i;
        if (i >= sizeof(BlobHeader)) {
            ASSERT_EQ(report.verdict, BlobVerdict::kForged) << "octet " << i;
        }
    }
}

TEST(BlobReader, CallsABlobOfAnyShorterLengthTruncated) {
    const Octets blob = BlobOf("");
    EXPECT_EQ(Judge({}), BlobVerdict::kAbsent);
    for (std::size_t size = 1; size < blob.size(); ++size) {
        ASSERT_EQ(Judge(std::span(blob).first(size)), BlobVerdict::kTruncated) << size;
    }
}

TEST(BlobReader, RefusesWhatFollowsTheSignature) {
    Octets blob = BlobOf("");
    blob.push_back(std::byte{0});
    EXPECT_EQ(Judge(blob), BlobVerdict::kNoBlob);
}

TEST(BlobReader, TellsAnotherKeyFromAForgedSignature) {
    const Octets blob = BlobOf("", 1, StrangersKey());
    EXPECT_EQ(Judge(blob), BlobVerdict::kOtherKey);

    // A stranger who claims to be the one we trust.
    Octets pretender = BlobOf("");
    SignAnew(pretender, StrangersKey());
    EXPECT_EQ(Judge(pretender), BlobVerdict::kForged);
}

TEST(BlobReader, RefusesAnUnsignedBlob) {
    EXPECT_EQ(Judge(emberc::PutTogether(PayloadOf(""), 1, nullptr)), BlobVerdict::kUnsigned);
}

TEST(BlobReader, RefusesAnOlderBlobAndAcceptsAnEquallyOldOne) {
    const Octets blob = BlobOf("", 41);
    EXPECT_EQ(Judge(blob, 42), BlobVerdict::kStale);
    EXPECT_EQ(Judge(blob, 41), BlobVerdict::kAccepted);
    EXPECT_EQ(Judge(blob, 40), BlobVerdict::kAccepted);
}

TEST(BlobReader, RefusesASchemaThatItDoesNotKnow) {
    Octets newer = BlobOf("");
    PutWord(newer, kSchemaAt, kSchemaVersion + 1);
    SignAnew(newer);
    EXPECT_EQ(Judge(newer), BlobVerdict::kUnknownSchema);

    Octets none = BlobOf("");
    PutWord(none, kSchemaAt, 0);
    SignAnew(none);
    EXPECT_EQ(Judge(none), BlobVerdict::kUnknownSchema);
}

TEST(BlobReader, RefusesALayoutThatItDoesNotKnowBeforeItLooksAtTheSignature) {
    Octets blob = BlobOf("");
    blob.at(kVersionAt + 1) = std::byte{2};
    EXPECT_EQ(Judge(blob), BlobVerdict::kUnknownContainer);
    SignAnew(blob);
    EXPECT_EQ(Judge(blob), BlobVerdict::kUnknownContainer);
}

TEST(BlobReader, RefusesATrustedKeyThatIsNoPointOfTheCurve) {
    PublicKey key = TrustedKey().public_key();
    key.point[64] ^= 1;
    // Named by its own id, or the blob would be refused as another signer's.
    Octets blob = BlobOf("");
    const KeyId id = emberc::IdOf(key);
    for (std::size_t i = 0; i < id.size(); ++i) {
        blob.at(offsetof(BlobHeader, key_id) + i) = std::byte{id[i]};
    }
    const Aligned copy(blob);
    Settings settings;
    EXPECT_EQ(ReadBlob(copy.octets(), key, 0, SharedRoom(), settings).verdict,
              BlobVerdict::kBadKey);
}

TEST(BlobReader, LeavesTheCryptoPoolEmptyAndUnborrowed) {
    (void)Judge(BlobOf("lmc 1\n"));
    Octets forged = BlobOf("lmc 1\n");
    forged.back() ^= std::byte{1};
    (void)Judge(forged);

    EXPECT_EQ(TheCryptoPool().used_bytes(), 0U);
    EXPECT_FALSE(TheCryptoPool().borrowed());
    EXPECT_GT(TheCryptoPool().takes(), 0U);
    EXPECT_LT(TheCryptoPool().peak_bytes(), CryptoPool::kBytes * 3 / 4);
}

TEST(BlobReader, ExplainsEveryVerdictInItsOwnWords) {
    for (int a = 0; a <= static_cast<int>(BlobVerdict::kNoCrypto); ++a) {
        for (int b = 0; b < a; ++b) {
            EXPECT_NE(Explain(static_cast<BlobVerdict>(a)), Explain(static_cast<BlobVerdict>(b)));
        }
    }
}

}  // namespace
}  // namespace ember::test
