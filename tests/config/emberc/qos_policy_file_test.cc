// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of qos_policy_file: what is read, and every mistake with its place.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/config/emberc/qos_policy_file_fixture.h"

namespace ember::test::qos_policy_file {
namespace {

TEST(QosPolicyFile, ReadsTheFullSyntax) {
    const Parsed parsed = Parse(
        R"(#
# As in OpenSM's document.
port-groups
    port-group # using port GUIDs
        name: Storage
        use: SRP Targets, # all of them
        port-guid: 0x10000000000001, 0x10000000000005-0x1000000000FFFA
        port-guid: 0x1000000000FFFF
    end-port-group
    port-group
        name: Virtual Servers
        port-name: "vs1 HCA-1/P1", "vs2 HCA-1/p2"
    end-port-group
    port-group
        name: Partitions
        partition: Part1
        pkey: 0x1234, 0x9235
    end-port-group
    port-group
        name: CAs and SM
        node-type: CA, SELF
    end-port-group
end-port-groups
qos-levels
    qos-level
        name: WholeSet
        sl: 1
        mtu-limit: 4
        rate-limit: 5
        pkey: 0x1234
        packet-life: 8
    end-qos-level
    qos-level
        name: default
        use: default QoS Level
        sl: 0
    end-qos-level
end-qos-levels
qos-match-rules
    qos-match-rule
        use: by QoS class
        qos-class: 7-9,11
        qos-level-name: wholeset
    end-qos-match-rule
    qos-match-rule
        destination: Storage, CAsandSM
        service-id: 0x10000000000001, 0x10000000000008-0x10000000000FFF
        qos-level-name: WholeSet
    end-qos-match-rule
    qos-match-rule
        source: virtual servers
        source: Partitions
        pkey: 0x0F00-0x1234
        qos-level-name: WholeSet
    end-qos-match-rule
end-qos-match-rules
)",
        {.partitions = std::vector<emberc::PartitionName>{{.name = "Part1", .p_key = 0x8005}}});
    EXPECT_EQ(parsed.said, "");
    const LoadedQosPolicy expected{
        .levels = {{.name = "default"},
                   {.name = "WholeSet",
                    .sl = 1,
                    .mtu_limit = Mtu::k2048,
                    .rate_limit = Rate::k5Gb,
                    .packet_life = 8,
                    .p_keys = {{0x1234, 0x1234}}}},
        .groups = {{.name = "Storage",
                    .guids = {{0x10000000000001, 0x10000000000001},
                              {0x10000000000005, 0x1000000000FFFA},
                              {0x1000000000FFFF, 0x1000000000FFFF}}},
                   {.name = "Virtual Servers", .port_names = {{"vs1 HCA-1", 1}, {"vs2 HCA-1", 2}}},
                   {.name = "Partitions", .p_keys = {{5, 5}, {0x1234, 0x1235}}},
                   {.name = "CAs and SM", .node_types = qos_node_type::kCa | qos_node_type::kSelf}},
        .rules = {{.level = 1, .qos_classes = {{7, 9}, {11, 11}}, .line = 40},
                  {.level = 1,
                   .destinations = {{0, 0}, {3, 3}},
                   .service_ids = {{0x10000000000001, 0x10000000000001},
                                   {0x10000000000008, 0x10000000000FFF}},
                   .line = 45},
                  {.level = 1, .sources = {{1, 2}}, .p_keys = {{0xF00, 0x1234}}, .line = 50}}};
    EXPECT_EQ(parsed.policy, expected);
}

TEST(QosPolicyFile, ReadsTheSimpleSyntax) {
    const Parsed parsed = Parse(R"(qos-ulps
    default                       : 5 # default SL
    sdp, port-num 30000           : 0
    SDP, port-num 10000-20000,7   : 0
    sdp                           : 1
    rds                           : 2
    rds , port-num 5 : 2
    iser, port-num 900            : 0
    iSER:3
    ipoib, pkey 0x8001            : 0
    ipoib                         : 4
    any, service-id 0x6234:6
    any, pkey 0x0ABC              : 6
    srp, target-port-guid 0x1234,
         0x1235                   : 5
    any, target-port-guid 0x0ABC-0xFFF : 6
    any, source-port-guid 0x5678  : 7
    any, source-target-port-guid 0x9abcd : 8
end-qos-ulps
)");
    EXPECT_EQ(parsed.said, "");
    ASSERT_EQ(parsed.policy.levels.size(), 10U);
    EXPECT_EQ(parsed.policy.levels[0].name, "SimpleQoSLevel_DEFAULT");
    EXPECT_EQ(parsed.policy.levels[0].sl, 5);
    const auto& rules = parsed.policy.rules;
    ASSERT_EQ(rules.size(), 15U);
    const std::vector<unsigned> sls{0, 0, 1, 2, 2, 0, 3, 0, 4, 6, 6, 5, 6, 7, 8};
    for (std::size_t i = 0; i < rules.size(); ++i) {
        EXPECT_EQ(parsed.policy.levels[rules[i].level].sl, sls[i]) << i;
        EXPECT_EQ(parsed.policy.levels[rules[i].level].name,
                  fmt::format("SimpleQoSLevel_SL{}", sls[i]));
    }
    EXPECT_EQ(rules[0].service_ids, (Ranges{{0x10000 + 30000, 0x10000 + 30000}}));
    EXPECT_EQ(rules[1].service_ids, (Ranges{{0x10007, 0x10007}, {0x12710, 0x14E20}}));
    EXPECT_EQ(rules[2].service_ids, (Ranges{{0x10000, 0x1FFFF}}));
    EXPECT_EQ(rules[3].service_ids, (Ranges{{0x10648CA, 0x10648CA}}));
    EXPECT_EQ(rules[4].service_ids, (Ranges{{0x1060005, 0x1060005}}));
    EXPECT_EQ(rules[5].service_ids, (Ranges{{0x1060384, 0x1060384}}));
    EXPECT_EQ(rules[6].service_ids, (Ranges{{0x1060CBC, 0x1060CBC}}));
    EXPECT_EQ(rules[7].p_keys, (Ranges{{1, 1}}));
    EXPECT_EQ(rules[8].p_keys, (Ranges{{0x7FFF, 0x7FFF}}));
    EXPECT_EQ(rules[9].service_ids, (Ranges{{0x6234, 0x6234}}));
    EXPECT_EQ(rules[10].p_keys, (Ranges{{0xABC, 0xABC}}));
    ASSERT_EQ(parsed.policy.groups.size(), 4U);
    EXPECT_EQ(parsed.policy.groups[0].guids, (Ranges{{0x1234, 0x1235}}));
    EXPECT_EQ(rules[11].destinations, (Ranges{{0, 0}}));
    EXPECT_EQ(rules[11].sources, Ranges{});
    EXPECT_EQ(rules[13].sources, (Ranges{{2, 2}}));
    EXPECT_EQ(rules[14].sources, (Ranges{{3, 3}}));
    EXPECT_EQ(rules[14].destinations, (Ranges{{3, 3}}));
}

TEST(QosPolicyFile, TriesTheFullRulesBeforeTheSimpleOnes) {
    const Parsed parsed = Parse(R"(qos-ulps
any, service-id 5 : 3
end-qos-ulps
qos-match-rules
qos-match-rule
qos-class: 1
qos-level-name: DEFAULT
end-qos-match-rule
end-qos-match-rules
qos-levels
qos-level
name: DEFAULT
sl: 2
end-qos-level
end-qos-levels
)");
    EXPECT_EQ(parsed.said, "");
    ASSERT_EQ(parsed.policy.rules.size(), 2U);
    EXPECT_EQ(parsed.policy.rules[0].qos_classes, (Ranges{{1, 1}}));
    EXPECT_EQ(parsed.policy.rules[1].service_ids, (Ranges{{5, 5}}));
    EXPECT_EQ(parsed.policy.levels[parsed.policy.rules[0].level].sl, 2);
    EXPECT_EQ(parsed.policy.levels[parsed.policy.rules[1].level].sl, 3);
}

/// As tests/config/emberc/golden_test.cc, of the policy alone.
TEST(QosPolicyFile, IsJudgedWordForWordAsBefore) {
    const std::filesystem::path folder =
        std::filesystem::path(EMBER_SOURCE_DIR) / "tests/golden/emberc";
    const bool update = std::getenv("EMBER_UPDATE_GOLDEN") != nullptr;
    for (const std::string name : {"qos_errors", "qos_warnings"}) {
        Diagnostics diagnostics(name + ".policy");
        (void)emberc::ParseQosPolicyFile(emberc::ReadText(folder / (name + ".policy")), diagnostics,
                                         {});
        diagnostics.Sort();
        const std::string said = RenderText(diagnostics);
        const std::filesystem::path expected = folder / (name + ".txt");
        if (update) emberc::WriteText(expected, said, emberc::Access::kEverybody);
        EXPECT_EQ(said, emberc::ReadText(expected)) << name;
    }
    EXPECT_FALSE(update) << "the expected texts were written, nothing was compared";
}

TEST(QosPolicyFile, NamesPartitionsOfTheirFile) {
    const Folder folder;
    const std::string conf =
        folder.Write("opensm.conf", "qos TRUE\npartition_config_file " + folder.File("partitions") +
                                        "\nqos_policy_file " + folder.File("policy") + "\n");
    folder.Write("partitions", "Blue=0x12: 0x1=full;\nDefault=0x7fff: ALL=full;\n");
    const auto check = [&](const std::string& name) {
        folder.Write("policy", "port-groups\nport-group\nname: G\npartition: " + name +
                                   "\nend-port-group\nend-port-groups\n"
                                   "qos-ulps\ndefault : 0\nend-qos-ulps\n");
        return Emberc({"check", conf}).status;
    };
    EXPECT_EQ(check("Blue"), 0);
    EXPECT_EQ(check("Default"), 0);
    EXPECT_NE(check("Green"), 0);
}

TEST(QosPolicyFile, IsShownEntryByEntry) {
    const Parsed parsed = ParseBehindDefault(
        "qos-levels\nqos-level\nname: Fast Ones\nsl: 3\nmtu-limit: 5\nrate-limit: 16\n"
        "packet-life: 9\npkey: 1-2,4\nend-qos-level\nend-qos-levels\n"
        "port-groups\nport-group\nname: G\nport-guid: 0x10\nport-name: \"a b/P1\"\n"
        "node-type: CA\nend-port-group\nend-port-groups\n"
        "qos-match-rules\nqos-match-rule\nsource: G\nservice-id: 1\npkey: 2\nqos-class: 3\n"
        "qos-level-name: FASTONES\nend-qos-match-rule\nend-qos-match-rules\n");
    EXPECT_EQ(parsed.said, "");
    emberc::OptionContents contents;
    contents.qos_policy = parsed.policy;
    EXPECT_EQ(emberc::ContentsAsText(contents, true),
              "# qos_policy_file: 4 levels, port groups and rules\n"
              "#     qos-level DEFAULT: sl 0\n"
              "#     qos-level Fast Ones: sl 3, mtu-limit 5, rate-limit 16, packet-life 9, pkey "
              "0x1-0x2,0x4\n"
              "#     port-group G, port-guid 0x10, port-name \"a b/P1\", node-type CA\n"
              "#     qos-match-rule, qos-level-name Fast Ones, source G, service-id 0x1, pkey 0x2, "
              "qos-class 0x3\n");
}

}  // namespace
}  // namespace ember::test::qos_policy_file
