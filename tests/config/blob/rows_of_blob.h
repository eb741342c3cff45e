// SPDX-License-Identifier: Apache-2.0
// EmberSM: a payload of chosen rows of option files, and what a switch says of it.
#pragma once

#include <gtest/gtest.h>
#include <span>
#include <string_view>

#include "config/blob/payload.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/schema/settings_generated.h"
#include "tests/config/blob/last_good.h"
#include "tests/config/support.h"

namespace ember::test {

/// The payload of default settings and these option files.
inline Octets PayloadOf(flatbuffers::FlatBufferBuilder& builder,
                        flatbuffers::Offset<schema::OptionFiles> files) {
    const auto settings = schema::CreateSettings(builder);
    schema::FinishConfigurationBuffer(
        builder, schema::CreateConfiguration(builder, kSchemaVersion, settings, files));
    const auto octets = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {octets.begin(), octets.end()};
}

/// The option whose rows a switch refuses; empty: it takes them all. Rows that the switch takes,
/// emberc can show; a refusal changes nothing.
inline std::string_view CulpritOf(const Octets& payload) {
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    const PayloadReport report = ReadPayload(copy.octets(), room.room(), settings);
    EXPECT_TRUE(report.well_formed);
    if (report.accepted()) {
        EXPECT_TRUE(emberc::ReadContents(payload).has_value());
    } else {
        EXPECT_EQ(settings, Settings{});
        ExpectLastGoodStays(payload);
    }
    return report.field_out_of_range;
}

}  // namespace ember::test
