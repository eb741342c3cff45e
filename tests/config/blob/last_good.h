// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a blob whose tables contradict themselves must leave alone.
#pragma once

#include <cstddef>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "config/blob/load_configuration.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/payload_writer.h"
#include "tests/config/support.h"

namespace ember::test {

/// Partitions and a QoS policy that stand in no test's blob.
inline Octets LastGoodBlob() {
    emberc::Diagnostics diagnostics("last good");
    const emberc::OptionContents contents{
        .partitions = emberc::ParsePartitionsFile("Kept=0x77: 0x123=full, 0x124;", diagnostics, {}),
        .qos_policy =
            emberc::ParseQosPolicyFile("qos-ulps\ndefault : 7\nend-qos-ulps\n", diagnostics, {})};
    EXPECT_EQ(diagnostics.CountOf(emberc::Severity::kError), 0U) << RenderText(diagnostics);
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    return emberc::PutTogether(payload, 5, &TrustedKey());
}

/// `payload` arrives in a signed and newer blob while another configuration is in force: it is
/// refused as a whole, and all that is in force is the last good one.
inline void ExpectLastGoodStays(std::span<const std::byte> payload) {
    MemoryStore store;
    std::vector<std::uint64_t> work(4096);
    RoomForTables room_before(std::size_t{1} << 16U);
    RoomForTables room_after(std::size_t{1} << 20U);
    const auto load = [&](const Octets& blob, RoomForTables& room, Settings& settings) {
        const Aligned copy(blob);
        return LoadConfiguration({copy.octets(), true}, TrustedKey().public_key(), store,
                                 {std::as_writable_bytes(std::span(work)), room.room()}, settings);
    };
    Settings before;
    const ConfigurationOutcome first = load(LastGoodBlob(), room_before, before);
    ASSERT_EQ(first.source, ConfigurationSource::kSupplied);
    ASSERT_EQ(ConfirmConfiguration(first.counter(), store), Status::kOk);
    ASSERT_EQ(before.manager_tables.partition_ports.size(), 2U);
    ASSERT_EQ(before.manager_tables.qos_levels.size(), 1U);

    Settings after;
    const Octets wrong(payload.begin(), payload.end());
    const ConfigurationOutcome second =
        load(emberc::PutTogether(wrong, 6, &TrustedKey()), room_after, after);
    EXPECT_EQ(second.source, ConfigurationSource::kLastGood);
    EXPECT_EQ(second.supplied.verdict, BlobVerdict::kOutOfRange);
    EXPECT_EQ(after, before);
}

}  // namespace ember::test
