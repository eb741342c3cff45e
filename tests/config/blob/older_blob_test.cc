// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of blobs of other releases.
//
// Goal:   a blob that was made before is accepted, means the same, and has the same digest, so that
//         managers of two releases with one blob agree; one for a newer schema is refused with a
//         reason, and leaves the settings alone.
// Method: tests/support/blob_of_schema_4.h, octet for octet.
#include <algorithm>
#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "config/blob/blob_reader.h"
#include "tests/config/support.h"
#include "tests/support/blob_of_schema_4.h"

namespace ember::test {
namespace {

using testing::kBlobOfSchema4;
using testing::kSignerOfSchema4;

TEST(OlderBlob, IsAcceptedAndMeansWhatItMeant) {
    Settings settings;
    const BlobReport report = ReadBlob(std::as_bytes(std::span(kBlobOfSchema4)), kSignerOfSchema4,
                                       41, SharedRoom(), settings);
    ASSERT_EQ(report.verdict, BlobVerdict::kAccepted) << Explain(report.verdict);
    EXPECT_EQ(report.schema_version, 4U);
    EXPECT_EQ(report.counter, 41U);
    Settings wanted;  // What it does not say is as by default, then as now.
    wanted.lmc = 1;
    wanted.sm_priority = 5;
    wanted.order = Order::kGuid;
    ASSERT_EQ(wanted.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
    wanted.max_wire_smps = 8;
    wanted.sweep_interval = 20;
    wanted.standby_consistency = StandbyConsistency::kStrict;
    wanted.sminfo_polling_timeout = 10000;  // It says so itself.
    EXPECT_EQ(settings.lmc, wanted.lmc);
    EXPECT_EQ(settings.sm_priority, wanted.sm_priority);
    EXPECT_EQ(settings.order, wanted.order);
    EXPECT_EQ(settings.routing_engine, wanted.routing_engine);
    EXPECT_EQ(settings.max_wire_smps, wanted.max_wire_smps);
    EXPECT_EQ(settings.sweep_interval, wanted.sweep_interval);
    EXPECT_EQ(settings.standby_consistency, wanted.standby_consistency);
    EXPECT_EQ(settings.sminfo_polling_timeout, wanted.sminfo_polling_timeout);
    EXPECT_EQ(settings.transaction_timeout, wanted.transaction_timeout);
    const std::string key(settings.replication_key.begin(), settings.replication_key.end());
    EXPECT_EQ(key, "drawn-by-chance-or-nearly-so");
}

/// A manager of an older release tells this digest of the same blob.
TEST(OlderBlob, HasTheDigestThatItHad) {
    constexpr std::array<std::uint8_t, 32> kDigest = {
        0xC2, 0xE9, 0xF7, 0x4A, 0x51, 0x6F, 0xA1, 0xC0, 0x78, 0xF4, 0x15,
        0x28, 0x98, 0x78, 0x49, 0x33, 0xBC, 0x0B, 0xB4, 0x89, 0xF2, 0xDB,
        0x06, 0xD1, 0x25, 0x1D, 0x83, 0xF9, 0xA4, 0xF8, 0x59, 0x0F};
    Settings settings;
    ASSERT_TRUE(ReadBlob(std::as_bytes(std::span(kBlobOfSchema4)), kSignerOfSchema4, 0,
                         SharedRoom(), settings)
                    .accepted());
    EXPECT_EQ(settings.configuration.digest, kDigest);
    EXPECT_EQ(settings.configuration.counter, 41U);
}

TEST(OlderBlob, OneForANewerSchemaIsRefusedWithAReasonAndChangesNothing) {
    const auto payload = std::as_bytes(std::span(kBlobOfSchema4))
                             .subspan(sizeof(BlobHeader),
                                      kBlobOfSchema4.size() - sizeof(BlobHeader) - kSignatureBytes);
    const emberc::KeyPair& key = TrustedKey();
    Octets blob = emberc::PutTogether(Octets(payload.begin(), payload.end()), 42, &key);
    Settings settings;
    EXPECT_EQ(Read(blob, settings).verdict, BlobVerdict::kAccepted) << "of this schema";
    blob.at(offsetof(BlobHeader, schema_version) + 3) = std::byte{kSchemaVersion + 1};
    SignAnew(blob);
    Settings untouched;
    const BlobReport report = Read(blob, untouched);
    EXPECT_EQ(report.verdict, BlobVerdict::kUnknownSchema);
    EXPECT_EQ(report.schema_version, kSchemaVersion + 1);
    EXPECT_NE(Explain(report.verdict).find("newer"), std::string_view::npos)
        << Explain(report.verdict);
    EXPECT_EQ(untouched.lmc, Settings{}.lmc);
    EXPECT_TRUE(untouched.replication_key.empty());
}

}  // namespace
}  // namespace ember::test
