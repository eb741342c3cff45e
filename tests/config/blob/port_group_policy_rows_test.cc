// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the port groups of a blob: somebody with the key may have made them badly.
#include "config/blob/port_group_policy_rows.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <string_view>
#include <utility>
#include <vector>

#include "config/blob/blob_reader.h"
#include "core/settings/settings.h"
#include "tests/config/blob/rows_of_blob.h"

namespace ember::test {
namespace {

using flatbuffers::FlatBufferBuilder;

std::vector<std::uint8_t> OctetsOf(std::string_view text) {
    return {text.begin(), text.end()};
}

/// Classes of a pattern for 'A' and for all others.
std::vector<std::uint8_t> Classes() {
    std::vector<std::uint8_t> classes(kPatternCharacters, 1);
    classes['A' - 0x20] = 0;
    return classes;
}

/// The rows of two groups, to be spoiled: GUIDs, and what is left of all names with an A in front.
struct Rows {
    std::vector<PortGroup> groups{
        {.guids = 3, .line = 5},
        {.line = 9, .patterns = 1, .unions = 1, .subtractions = 1, .node_types = 1}};
    std::vector<PortGroupRule> rules{{5, 7, 0, 255}, {9, 9, 1, 3},   {9, 9, 5, 254},
                                     {0, 0, 7, 7},   {0, 0, 0, 255}, {0, 0, 0, 255}};
    std::vector<PortGroupHost> hosts{{.group = 0, .hca_index = kAnyHcaIndex, .octets = 1},
                                     {.group = 1, .hca_index = 2, .port = 254, .octets = 1},
                                     {.group = 0, .hca_index = 1, .port = 1, .octets = 2}};
    std::vector<std::uint8_t> host_octets = OctetsOf("aabb");
    std::vector<schema::NamePattern> patterns{{1, 2}};
    std::vector<std::uint16_t> cells{kPatternFits, kPatternStates, kPatternFails};
    std::vector<std::uint8_t> classes = Classes();
    std::vector<std::uint8_t> names = OctetsOf(std::string_view("g\0h\0A\0", 6));
    std::vector<schema::BandwidthGroupRule> rules_for_groups{};
};

/// Rows of the core as a blob has them.
template <typename Row>
auto Wire(const std::vector<Row>& rows) {
    std::vector<decltype(option_files::WireRow(Row{}))> wire;
    for (const Row& row : rows) {
        wire.push_back(option_files::WireRow(row));
    }
    return wire;
}

Octets PayloadWith(const Rows& rows) {
    FlatBufferBuilder builder;
    const std::array<std::uint32_t, 16> one{1};
    const std::vector<schema::BandwidthSet> sets{{1, flatbuffers::make_span(one)}};
    const auto groups = builder.CreateVectorOfStructs(Wire(rows.groups));
    const auto rules = builder.CreateVectorOfStructs(Wire(rows.rules));
    const auto hosts = builder.CreateVectorOfStructs(Wire(rows.hosts));
    const auto host_octets = builder.CreateVector(rows.host_octets);
    const auto patterns = builder.CreateVectorOfStructs(rows.patterns);
    const auto cells = builder.CreateVector(rows.cells);
    const auto classes = builder.CreateVector(rows.classes);
    const auto names = builder.CreateVector(rows.names);
    const auto bw_sets = builder.CreateVectorOfStructs(sets);
    const auto bw_groups = builder.CreateVectorOfStructs(rows.rules_for_groups);
    schema::OptionFilesBuilder files(builder);
    files.add_port_groups(groups);
    files.add_port_group_rules(rules);
    files.add_port_group_hosts(hosts);
    files.add_port_group_host_octets(host_octets);
    files.add_name_patterns(patterns);
    files.add_name_pattern_cells(cells);
    files.add_name_pattern_classes(classes);
    files.add_port_group_names(names);
    files.add_bw_sets(bw_sets);
    files.add_bw_groups(bw_groups);
    return PayloadOf(builder, files.Finish());
}

TEST(PortGroupPolicyRows, ArriveInSettings) {
    const Octets payload = PayloadWith({.rules_for_groups = {{kMostQosGroups + 1, 0}}});
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), room.room(), settings).accepted());
    const ManagerTables& tables = settings.manager_tables;
    ASSERT_EQ(tables.port_groups.size(), 2U);
    EXPECT_EQ(tables.port_groups[1], (PortGroup{.first = 3,
                                                .guids = 0,
                                                .line = 9,
                                                .patterns = 1,
                                                .unions = 1,
                                                .subtractions = 1,
                                                .node_types = 1}));
    ASSERT_EQ(tables.port_group_rules.size(), 6U);
    EXPECT_EQ(tables.port_group_rules[2],
              (PortGroupRule{.from = 9, .to = 9, .first_port = 5, .last_port = 254}));
    ASSERT_EQ(tables.port_group_hosts.size(), 3U);
    EXPECT_EQ(tables.port_group_hosts[2],
              (PortGroupHost{.first = 2, .group = 0, .hca_index = 1, .port = 1, .octets = 2}));
    ASSERT_EQ(tables.name_patterns.size(), 1U);
    EXPECT_EQ(tables.name_patterns[0], (NamePattern{.first = 0, .states = 1, .classes = 2}));
    EXPECT_EQ(tables.name_pattern_cells.size(), 3U);
    EXPECT_EQ(tables.bandwidth_groups[0].group, kMostQosGroups + 1);
}

using Spoil = std::function<void(Rows&)>;

/// The option that a switch names when rows are spoiled.
std::string_view CulpritAfter(const Spoil& spoil) {
    Rows rows;
    spoil(rows);
    return CulpritOf(PayloadWith(rows));
}

TEST(PortGroupPolicyRows, AreTakenWhenTheyAreRightAndNotOtherwise) {
    EXPECT_EQ(CulpritAfter([](Rows& /*rows*/) {}), "");
    EXPECT_EQ(CulpritAfter([](Rows& r) {
                  r = {.groups = {},
                       .rules = {},
                       .hosts = {},
                       .host_octets = {},
                       .patterns = {},
                       .cells = {},
                       .classes = {},
                       .names = {}};
              }),
              "")
        << "a file without groups";
    const std::vector<std::pair<std::string_view, Spoil>> spoils = {
        {"types", [](Rows& r) { r.groups[1].node_types = 8; }},
        {"more rules", [](Rows& r) { r.groups[1].subtractions = 2; }},
        {"less rules", [](Rows& r) { r.groups[1].subtractions = 0; }},
        {"a GUID of 0", [](Rows& r) { r.rules[0].from = 0; }},
        {"a turned range", [](Rows& r) { r.rules[0].to = 4; }},
        {"ranges that meet", [](Rows& r) { r.rules[0].to = 9; }},
        {"ports of a range", [](Rows& r) { r.rules[0].first_port = 1; }},
        {"ports out of order", [](Rows& r) { r.rules[1].last_port = 5; }},
        {"port 0 alone", [](Rows& r) { r.rules[3].first_port = 0; }},
        {"port 255", [](Rows& r) { r.rules[2].last_port = 255; }},
        {"turned ports", [](Rows& r) { r.rules[1].first_port = 4; }},
        {"a pattern that is not there",
         [](Rows& r) {
             r.rules[3] = {1, 1, 7, 7};
         }},
        {"two patterns",
         [](Rows& r) {
             r.rules[3] = {0, 1, 7, 7};
         }},
        {"a union with itself", [](Rows& r) { r.rules[4].to = 1; }},
        {"a subtraction of a later one", [](Rows& r) { r.rules[5].from = 2; }},
        {"ports of a union", [](Rows& r) { r.rules[4].last_port = 254; }},
        {"a host's group", [](Rows& r) { r.hosts[0].group = 2; }},
        {"a host's port", [](Rows& r) { r.hosts[0].port = 255; }},
        {"a host without a name", [](Rows& r) { r.hosts[2].octets = 0; }},
        {"a host's long name", [](Rows& r) { r.hosts[2].octets = 65; }},
        {"order of hosts", [](Rows& r) { r.hosts[1].group = 0; }},
        {"a blank", [](Rows& r) { r.host_octets[2] = ' '; }},
        {"a quotation mark", [](Rows& r) { r.host_octets[2] = '"'; }},
        {"octets of no host", [](Rows& r) { r.host_octets.push_back('x'); }},
        {"no states",
         [](Rows& r) {
             r.patterns[0] = {0, 2};
         }},
        {"states",
         [](Rows& r) {
             r.patterns[0] = {2, 2};
         }},
        {"very many states",
         [](Rows& r) {
             r.patterns[0] = {0xFFFFFFFF, 2};
         }},
        {"no classes",
         [](Rows& r) {
             r.patterns[0] = {1, 0};
         }},
        {"classes",
         [](Rows& r) {
             r.patterns[0] = {1, 0x10002};
         }},
        {"a state that is not there", [](Rows& r) { r.cells[1] = kPatternStates + 1; }},
        {"a state behind the end", [](Rows& r) { r.cells[2] = kPatternStates; }},
        {"a cell of no pattern", [](Rows& r) { r.cells.push_back(0); }},
        {"a class that is not there", [](Rows& r) { r.classes[94] = 2; }},
        {"a class of no character", [](Rows& r) { r.classes.push_back(0); }},
        {"a name too few", [](Rows& r) { r.names.resize(4); }},
        {"a name without its end", [](Rows& r) { r.names.pop_back(); }},
        {"a group without a name", [](Rows& r) { r.names.erase(r.names.begin()); }},
        {"a name that a terminal obeys", [](Rows& r) { r.names[0] = 0x1B; }},
        {"a long name", [](Rows& r) { r.names.insert(r.names.begin(), kMostNameOctets, 'x'); }},
        {"groups",
         [](Rows& r) {
             for (std::size_t i = r.groups.size(); i <= kMostPortGroups; ++i) {
                 r.groups.emplace_back();
                 r.names.insert(r.names.begin(), {'x', 0});
             }
         }},
        {"rules to go through",
         [](Rows& r) {
             r.groups[1].subtractions = kMostPortGroupSteps;
             r.rules.resize(r.rules.size() + kMostPortGroupSteps - 1, r.rules.back());
         }},
        {"cells",
         [](Rows& r) {
             r.patterns.assign(45, {1024, 2});
             r.cells.assign(std::size_t{45} * 1024 * 3, 0);
             r.classes.assign(std::size_t{45} * kPatternCharacters, 0);
             r.names.insert(r.names.end(), 88, 0);
         }},
    };
    for (const auto& [what, spoil] : spoils) {
        EXPECT_EQ(CulpritAfter(spoil), "pgrp_policy_file") << what;
    }
}

TEST(PortGroupPolicyRows, HaveTheGroupsThatRulesName) {
    const auto culprit = [](std::vector<schema::BandwidthGroupRule> rules) {
        return CulpritOf(PayloadWith({.rules_for_groups = std::move(rules)}));
    };
    EXPECT_EQ(culprit({{kMostQosGroups, 0}, {kMostQosGroups + 1, 0}}), "");
    EXPECT_EQ(culprit({{kMostQosGroups + 2, 0}}), "enhanced_qos_policy_file");
    EXPECT_EQ(culprit({{kMostQosGroups, 0}, {kMostQosGroups, 0}}), "enhanced_qos_policy_file");
    EXPECT_EQ(culprit({{0xFFFF, 0}}), "enhanced_qos_policy_file");
    EXPECT_EQ(culprit({{kGroupOfTypes | qos_node_type::kCa, 0},
                       {kGroupOfTypes | qos_node_type::kAll, 0}}),
              "");
    EXPECT_EQ(culprit({{kGroupOfTypes, 0}}), "enhanced_qos_policy_file") << "no types";
    EXPECT_EQ(culprit({{kGroupOfTypes | 1, 0}, {kGroupOfTypes | 1, 0}}),
              "enhanced_qos_policy_file");
}

}  // namespace
}  // namespace ember::test
