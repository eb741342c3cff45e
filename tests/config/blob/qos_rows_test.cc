// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the QoS policy of a blob: somebody with the key may have made it badly.
#include "config/blob/qos_rows.h"

#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "tests/config/blob/rows_of_blob.h"

namespace ember::test {
namespace {

using flatbuffers::FlatBufferBuilder;

/// The rows of a small policy, to be spoiled.
struct Rows {
    std::vector<schema::QosLevel> levels{{1, 0, 0, 0, 255}, {0, 15, 5, 26, 63}};
    std::vector<schema::QosRange> level_ranges{{1, 0x7FFF}};
    std::vector<schema::QosGroup> groups{{2, 1, 1}, {0, 0, 15}};
    std::vector<schema::QosRange> group_ranges{{1, 4}, {5, ~std::uint64_t{0}}, {2, 3}};
    std::vector<schema::QosPortName> port_names{{1, 1, 1}, {0, 2, 1}, {1, 2, 1}, {0, 1, 2}};
    std::string port_name_octets{"aaaab"};
    std::vector<schema::QosRule> rules{{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}};
    std::vector<schema::QosRange> rule_ranges{
        {0, 1}, {1, 1}, {0, ~std::uint64_t{0}}, {0x7FFF, 0x7FFF}, {0, 0xFFF}};
    std::vector<std::uint32_t> rule_lines{7, 9};
    std::string names{"default\0fast\0g\0h\0", 17};
};

Octets PayloadWith(const Rows& rows) {
    FlatBufferBuilder builder;
    const auto octets = [&builder](const std::string& text) {
        return builder.CreateVector(std::vector<std::uint8_t>(text.begin(), text.end()));
    };
    const auto levels = builder.CreateVectorOfStructs(rows.levels);
    const auto level_ranges = builder.CreateVectorOfStructs(rows.level_ranges);
    const auto groups = builder.CreateVectorOfStructs(rows.groups);
    const auto group_ranges = builder.CreateVectorOfStructs(rows.group_ranges);
    const auto port_names = builder.CreateVectorOfStructs(rows.port_names);
    const auto port_name_octets = octets(rows.port_name_octets);
    const auto rules = builder.CreateVectorOfStructs(rows.rules);
    const auto rule_ranges = builder.CreateVectorOfStructs(rows.rule_ranges);
    const auto rule_lines = builder.CreateVector(rows.rule_lines);
    const auto names = octets(rows.names);
    schema::OptionFilesBuilder files(builder);
    files.add_qos_levels(levels);
    files.add_qos_level_ranges(level_ranges);
    files.add_qos_groups(groups);
    files.add_qos_group_ranges(group_ranges);
    files.add_qos_port_names(port_names);
    files.add_qos_port_name_octets(port_name_octets);
    files.add_qos_rules(rules);
    files.add_qos_rule_ranges(rule_ranges);
    files.add_qos_names(names);
    files.add_qos_rule_lines(rule_lines);
    return PayloadOf(builder, files.Finish());
}

bool IsTaken(const Rows& rows) {
    const std::string_view culprit = CulpritOf(PayloadWith(rows));
    if (!culprit.empty()) {
        EXPECT_EQ(culprit, "qos_policy_file");
    }
    return culprit.empty();
}

TEST(QosRows, ArriveInSettings) {
    const Octets payload = PayloadWith({});
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), room.room(), settings).accepted());
    const ManagerTables& tables = settings.manager_tables;
    ASSERT_EQ(tables.qos_levels.size(), 2U);
    EXPECT_EQ(tables.qos_levels[0], (QosLevel{.first = 0, .p_keys = 1}));
    EXPECT_EQ(tables.qos_levels[1], (QosLevel{.first = 1,
                                              .p_keys = 0,
                                              .sl = 15,
                                              .mtu_limit = Mtu::k4096,
                                              .rate_limit = kTopRate,
                                              .packet_life = 63}));
    ASSERT_EQ(tables.qos_groups.size(), 2U);
    EXPECT_EQ(tables.qos_groups[1], (QosGroup{.first = 3, .node_types = 15}));
    ASSERT_EQ(tables.qos_port_names.size(), 4U);
    EXPECT_EQ(tables.qos_port_names[3],
              (QosPortName{.first = 3, .group = 0, .port = 1, .octets = 2}));
    ASSERT_EQ(tables.qos_rules.size(), 2U);
    EXPECT_EQ(tables.qos_rules[1].first, 5U);
    EXPECT_EQ(tables.qos_rule_ranges[4], (QosRange{.from = 0, .to = 0xFFF}));
    EXPECT_EQ(tables.qos_names.size(), 17U);
    ASSERT_EQ(tables.qos_rule_lines.size(), 2U);
    EXPECT_EQ(tables.qos_rule_lines[1], 9U);
}

struct Spoil {
    std::string_view what;
    std::function<void(Rows&)> by;
};

void ExpectRefused(const std::vector<Spoil>& spoils) {
    for (const Spoil& spoil : spoils) {
        Rows rows;
        spoil.by(rows);
        EXPECT_FALSE(IsTaken(rows)) << spoil.what;
    }
}

TEST(QosRows, AreTakenWhenTheyAreRight) {
    EXPECT_TRUE(IsTaken({}));
    EXPECT_TRUE(IsTaken({{}, {}, {}, {}, {}, {}, {}, {}, {}, {}})) << "no policy is one, too";
}

TEST(QosRows, HaveALineEachOrNone) {
    Rows of_an_older_blob;
    of_an_older_blob.rule_lines.clear();
    EXPECT_TRUE(IsTaken(of_an_older_blob));
    ExpectRefused({
        {"a line less", [](Rows& r) { r.rule_lines.pop_back(); }},
        {"a line more", [](Rows& r) { r.rule_lines.push_back(1); }},
    });
}

TEST(QosRows, HaveLevelsThatCanBe) {
    ExpectRefused({
        {"SL",
         [](Rows& r) {
             r.levels[1] = {0, 16, 5, 24, 63};
         }},
        {"MTU",
         [](Rows& r) {
             r.levels[1] = {0, 15, 6, 24, 63};
         }},
        {"rate below",
         [](Rows& r) {
             r.levels[1] = {0, 15, 5, 1, 63};
         }},
        {"rate above",
         [](Rows& r) {
             r.levels[1] = {0, 15, 5, 27, 63};
         }},
        {"packet life",
         [](Rows& r) {
             r.levels[1] = {0, 15, 5, 24, 64};
         }},
        {"too many ranges",
         [](Rows& r) {
             r.levels[1] = {1, 15, 5, 24, 63};
         }},
        {"huge count",
         [](Rows& r) {
             r.levels[0] = {0xFFFFFFFF, 0, 0, 0, 255};
         }},
        {"a range without owner", [](Rows& r) { r.level_ranges.emplace_back(1, 1); }},
        {"P_Key 0",
         [](Rows& r) {
             r.level_ranges[0] = {0, 1};
         }},
        {"P_Key with membership",
         [](Rows& r) {
             r.level_ranges[0] = {1, 0x8000};
         }},
        {"turned",
         [](Rows& r) {
             r.level_ranges[0] = {2, 1};
         }},
        {"no levels",
         [](Rows& r) {
             r.levels.clear();
             r.level_ranges.clear();
         }},
        {"too many levels",
         [](Rows& r) {
             r.levels.resize(kMostQosLevels + 1, {0, 0, 0, 0, 255});
             r.names = std::string();
             for (std::size_t i = 0; i < kMostQosLevels + 3; ++i) {
                 r.names += std::string("n\0", 2);
             }
         }},
    });
}

TEST(QosRows, HaveGroupsThatCanBe) {
    ExpectRefused({
        {"node types",
         [](Rows& r) {
             r.groups[1] = {0, 0, 16};
         }},
        {"GUID 0",
         [](Rows& r) {
             r.group_ranges[0] = {0, 4};
         }},
        {"ranges meet",
         [](Rows& r) {
             r.group_ranges[1] = {4, 9};
         }},
        {"ranges behind the last number",
         [](Rows& r) {
             r.group_ranges[0] = {1, ~std::uint64_t{0}};
             r.group_ranges[1] = {0, 9};
         }},
        {"P_Keys",
         [](Rows& r) {
             r.group_ranges[2] = {2, 0x8000};
         }},
        {"counts",
         [](Rows& r) {
             r.groups[0] = {3, 1, 1};
         }},
        {"fewer counts",
         [](Rows& r) {
             r.groups[0] = {2, 0, 1};
         }},
        {"more P_Keys than may be asked for",
         [](Rows& r) {
             r.groups = {{2, 1, 1}, {0, 1, 0}};
             r.group_ranges[2] = {1, 0x7FFF};
             r.group_ranges.emplace_back(1, 2);
         }},
    });
}

TEST(QosRows, HaveNamesThatCanBe) {
    ExpectRefused({
        {"a group that is not there",
         [](Rows& r) {
             r.port_names[3] = {2, 1, 2};
         }},
        {"a group that is not there, of 16 bits",
         [](Rows& r) {
             r.port_names[3] = {0x10000, 1, 2};
         }},
        {"port 0",
         [](Rows& r) {
             r.port_names[3] = {0, 0, 2};
         }},
        {"port 255",
         [](Rows& r) {
             r.port_names[3] = {0, 255, 2};
         }},
        {"no octets",
         [](Rows& r) {
             r.port_names[3] = {0, 1, 0};
         }},
        {"more octets than there are",
         [](Rows& r) {
             r.port_names[3] = {0, 1, 3};
         }},
        {"an octet left", [](Rows& r) { r.port_name_octets += 'c'; }},
        {"an octet that a terminal obeys", [](Rows& r) { r.port_name_octets[4] = '\x1b'; }},
        {"names turned", [](Rows& r) { r.port_name_octets = "bbbab"; }},
        {"ports turned", [](Rows& r) { std::swap(r.port_names[0], r.port_names[1]); }},
        {"the same twice",
         [](Rows& r) {
             r.port_names[2] = {0, 2, 1};
         }},
        {"a name too few", [](Rows& r) { r.names = std::string("default\0fast\0g\0", 15); }},
        {"a name too many", [](Rows& r) { r.names += std::string("x\0", 2); }},
        {"no name", [](Rows& r) { r.names = std::string("default\0\0g\0h\0", 13); }},
        {"no end", [](Rows& r) { r.names.pop_back(); }},
        {"a long name", [](Rows& r) { r.names.insert(0, std::string(kMostNameOctets, 'x')); }},
        {"an odd name", [](Rows& r) { r.names[0] = '"'; }},
    });
}

TEST(QosRows, HaveRulesThatCanBe) {
    ExpectRefused({
        {"a level that is not there", [](Rows& r) { r.rules[1] = {2, 0, 0, 0, 0, 0}; }},
        {"a source that is not there",
         [](Rows& r) {
             r.rule_ranges[0] = {0, 2};
         }},
        {"a destination that is not there",
         [](Rows& r) {
             r.rule_ranges[1] = {2, 2};
         }},
        {"P_Keys",
         [](Rows& r) {
             r.rule_ranges[3] = {0x7FFF, 0x8000};
         }},
        {"classes",
         [](Rows& r) {
             r.rule_ranges[4] = {0, 0x1000};
         }},
        {"turned",
         [](Rows& r) {
             r.rule_ranges[2] = {5, 4};
         }},
        {"counts", [](Rows& r) { r.rules[1] = {0, 1, 0, 0, 0, 0}; }},
        {"counts at their most",
         [](Rows& r) { r.rules[1] = {0, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF}; }},
        {"a range left", [](Rows& r) { r.rule_ranges.emplace_back(0, 0); }},
        {"too many",
         [](Rows& r) {
             r.rules.resize(kMostQosRules + 1, {0, 0, 0, 0, 0, 0});
         }},
        {"groups without groups",
         [](Rows& r) {
             r.groups.clear();
             r.group_ranges.clear();
             r.port_names.clear();
             r.port_name_octets.clear();
             r.names = std::string("default\0fast\0", 13);
         }},
    });
}

}  // namespace
}  // namespace ember::test
