// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the limits of bandwidth of a blob: somebody with the key may have made them
// badly, and a board whose devices take none must not run without them.
#include "config/blob/bandwidth_rows.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "config/blob/blob_reader.h"
#include "tests/config/blob/rows_of_blob.h"

namespace ember::test {
namespace {

using flatbuffers::FlatBufferBuilder;

schema::BandwidthSet Set(std::uint16_t named, std::uint32_t rate_of_0, std::uint32_t rate_of_1) {
    std::array<std::uint32_t, 16> rates{};
    rates[0] = rate_of_0;
    rates[1] = rate_of_1;
    return {named, flatbuffers::make_span(rates)};
}

/// The rows of a small policy, to be spoiled.
struct Rows {
    std::vector<schema::QosLevel> levels{{0, 0, 0, 0, 255}};
    std::vector<schema::QosGroup> groups{{0, 0, 1}, {0, 0, 2}};
    std::vector<std::uint8_t> names{'d', 0, 'g', 0, 'h', 0};
    std::vector<schema::BandwidthSet> sets{Set(1, 50, 0), Set(3, 0, 25)};
    std::vector<schema::BandwidthRule> rules{{0, 0}, {7, 1}, {~std::uint64_t{0}, 1}};
    std::vector<schema::BandwidthGroupRule> group_rules{{1, 1}, {0, 0}};
    std::vector<schema::BandwidthRule> virtual_rules{{9, 0}};
};

Octets PayloadWith(const Rows& rows) {
    FlatBufferBuilder builder;
    const auto levels = builder.CreateVectorOfStructs(rows.levels);
    const auto groups = builder.CreateVectorOfStructs(rows.groups);
    const auto names = builder.CreateVector(rows.names);
    const auto sets = builder.CreateVectorOfStructs(rows.sets);
    const auto rules = builder.CreateVectorOfStructs(rows.rules);
    const auto group_rules = builder.CreateVectorOfStructs(rows.group_rules);
    const auto virtual_rules = builder.CreateVectorOfStructs(rows.virtual_rules);
    schema::OptionFilesBuilder files(builder);
    files.add_qos_levels(levels);
    files.add_qos_groups(groups);
    files.add_qos_names(names);
    files.add_bw_sets(sets);
    files.add_bw_rules(rules);
    files.add_bw_groups(group_rules);
    files.add_vport_bw_rules(virtual_rules);
    return PayloadOf(builder, files.Finish());
}

bool IsTaken(const Rows& rows) {
    const std::string_view culprit = CulpritOf(PayloadWith(rows));
    if (!culprit.empty()) {
        EXPECT_EQ(culprit, "enhanced_qos_policy_file");
    }
    return culprit.empty();
}

TEST(BandwidthRows, ArriveInSettings) {
    const Octets payload = PayloadWith({});
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), room.room(), settings).accepted());
    const ManagerTables& tables = settings.manager_tables;
    EXPECT_TRUE(tables.has_bandwidth);
    ASSERT_EQ(tables.bandwidth_sets.size(), 2U);
    EXPECT_EQ(tables.bandwidth_sets[1], (BandwidthSet{.named = 3, .rates = {0, 25}}));
    ASSERT_EQ(tables.bandwidth_rules.size(), 3U);
    EXPECT_EQ(tables.bandwidth_rules[0], (BandwidthRule{.guid = kNoGuid, .set = 0}));
    EXPECT_EQ(tables.bandwidth_rules[1], (BandwidthRule{.guid = Guid{7}, .set = 1}));
    ASSERT_EQ(tables.bandwidth_groups.size(), 2U);
    EXPECT_EQ(tables.bandwidth_groups[0], (BandwidthGroupRule{.group = 1, .set = 1}));
    ASSERT_EQ(tables.bandwidth_virtual_rules.size(), 1U);
    EXPECT_EQ(tables.bandwidth_virtual_rules[0], (BandwidthRule{.guid = Guid{9}, .set = 0}));
}

TEST(BandwidthRows, AreTakenWhenTheyAreRightAndNotOtherwise) {
    EXPECT_TRUE(IsTaken({}));
    EXPECT_TRUE(IsTaken({.sets = {}, .rules = {}, .group_rules = {}, .virtual_rules = {}}))
        << "a file without rules";
    const std::vector<std::pair<std::string_view, std::function<void(Rows&)>>> spoils = {
        {"a set that names nothing", [](Rows& r) { r.sets[0] = Set(0, 0, 0); }},
        {"a rate of an SL that is not named", [](Rows& r) { r.sets[0] = Set(1, 50, 1); }},
        {"sets", [](Rows& r) { r.sets.resize(kMostBandwidthSets + 1, Set(1, 1, 0)); }},
        {"order of rules", [](Rows& r) { std::swap(r.rules[1], r.rules[2]); }},
        {"a GUID twice",
         [](Rows& r) {
             r.rules[2] = {7, 0};
         }},
        {"two default rules",
         [](Rows& r) {
             r.rules[1] = {0, 0};
         }},
        {"a rule without its set",
         [](Rows& r) {
             r.rules[1] = {7, 2};
         }},
        {"a virtual rule without its set",
         [](Rows& r) {
             r.virtual_rules[0] = {9, 2};
         }},
        {"order of virtual rules",
         [](Rows& r) {
             r.virtual_rules.push_back({8, 0});
         }},
        {"a group that is not there",
         [](Rows& r) {
             r.group_rules[0] = {2, 0};
         }},
        {"a group twice",
         [](Rows& r) {
             r.group_rules[0] = {0, 0};
         }},
        {"a group rule without its set",
         [](Rows& r) {
             r.group_rules[0] = {1, 2};
         }},
        {"rules",
         [](Rows& r) {
             r.rules.clear();
             for (std::uint64_t guid = 1; guid <= kMostListedGuids + 1; ++guid) {
                 r.rules.push_back({guid, 0});
             }
         }},
    };
    for (const auto& [what, spoil] : spoils) {
        Rows rows;
        spoil(rows);
        EXPECT_FALSE(IsTaken(rows)) << what;
    }
}

TEST(BandwidthRows, AreRefusedByABoardWhoseDevicesTakeNoLimits) {
    const Octets payload = PayloadWith({});
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    room.takes_bandwidth = false;
    Settings settings;
    const PayloadReport report = ReadPayload(copy.octets(), room.room(), settings);
    EXPECT_TRUE(report.well_formed);
    EXPECT_EQ(report.field_out_of_range, "");
    EXPECT_FALSE(report.is_enforceable);
    EXPECT_FALSE(report.accepted());
    EXPECT_EQ(settings, Settings{}) << "nothing of it is in force";
    EXPECT_EQ(Explain(BlobVerdict::kNotEnforceable),
              "it limits bandwidths (enhanced_qos_policy_file), and no device here takes limits");
}

}  // namespace
}  // namespace ember::test
