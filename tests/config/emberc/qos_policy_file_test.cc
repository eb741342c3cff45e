// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of qos_policy_file: what is read, and every mistake with its place.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/files.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "tests/config/emberc_run.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::LoadedQosPolicy;
using Ranges = LoadedQosPolicy::Ranges;

struct Parsed {
    LoadedQosPolicy policy;
    std::string said;  ///< "line:column word" of each diagnostic, apart by commas.
    std::size_t errors = 0;
};

Parsed Parse(std::string_view text, const emberc::SubnetFacts& subnet = {}) {
    Diagnostics diagnostics("qos-policy.conf");
    Parsed parsed;
    parsed.policy = emberc::ParseQosPolicyFile(text, diagnostics, subnet);
    parsed.errors = diagnostics.CountOf(emberc::Severity::kError);
    parsed.said = PlacesAndWords(diagnostics);
    return parsed;
}

constexpr std::string_view kDefaultLevel =
    "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\n"
    "end-qos-level\nend-qos-levels\n";

/// A level DEFAULT in lines 1 to 6, and behind it `text`.
Parsed ParseBehindDefault(std::string_view text) {
    return Parse(std::string(kDefaultLevel) + std::string(text));
}

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

/// A text behind a level DEFAULT, which takes lines 1 to 6, and what is said of it.
struct Mistake {
    std::string_view text;
    std::string_view said;
    std::size_t errors = 1;
};

/// Each text, put into `around`, says what it shall.
template <typename Around>
void Check(const std::vector<Mistake>& mistakes, Around around) {
    for (const Mistake& mistake : mistakes) {
        const Parsed parsed = ParseBehindDefault(around(mistake.text));
        EXPECT_EQ(parsed.said, mistake.said) << mistake.text;
        EXPECT_EQ(parsed.errors, mistake.errors) << mistake.text;
    }
}

void Check(const std::vector<Mistake>& mistakes) {
    Check(mistakes, [](std::string_view text) { return text; });
}

TEST(QosPolicyFile, TellsSectionsThatAreNotRight) {
    Check({
        {"qos-level\nname: a\nsl: 0\nend-qos-level\n", "7:1 unknown-line"},
        {"qos-levels\nqos-level\nname: a\nsl: 0\nend-qos-levels\n", "8:1 open-section"},
        {"qos-levels\nqos-level\nname: a\nsl: 0\nqos-level\nname: b\nsl: 1\nend-qos-level\n"
         "end-qos-levels\n",
         "8:1 open-section"},
        {"qos-ulps\nsdp : 1\n", "7:1 open-section"},
        {"end-qos-ulps\n", "7:1 open-section"},
        {"end-nothing\n", "7:1 open-section"},
        {"port-groups more\nend-port-groups\n", "7:1 empty-section, 7:13 trailing-text"},
        {"port-groups\nend-port-groups\n", "7:1 empty-section", 0},
        {"qos-ulps\nend-qos-ulps now\n", "7:1 empty-section, 8:14 trailing-text"},
        {"qos-setup\nvlarb-tables\nanything\nend-vlarb-tables\nend-qos-setup\n", "7:1 no-effect",
         0},
        {"name: a\n", "7:1 unknown-key"},
        {"lines of prose\n", "7:1 unknown-line"},
        {"  qos-match-rules\n  sl: 3\n  end-qos-match-rules\n", "8:3 unknown-key"},
    });
}

TEST(QosPolicyFile, TellsEntriesThatAreNotRight) {
    const auto level = [](std::string_view entry) {
        return fmt::format(
            "qos-levels\nqos-level\nname: a\nsl: 1\n{}\nend-qos-level\n"
            "end-qos-levels\nqos-ulps\nsdp: 1\nend-qos-ulps\n"
            "qos-match-rules\nqos-match-rule\nqos-class: 1\nqos-level-name: A\n"
            "end-qos-match-rule\nend-qos-match-rules\n",
            entry);
    };
    Check(
        {
            {"mtu-limit: 5", "", 0},
            {"mtu-limit: 6", "11:12 out-of-range"},
            {"mtu-limit: 0", "11:12 out-of-range"},
            {"mtu-limit: 2048", "11:12 out-of-range"},
            {"mtu-limit:", "11:11 missing-value"},
            {"mtu-limit: 3 4", "11:14 trailing-text"},
            {"mtu-limit 3", "11:1 unknown-line"},
            {"rate-limit: 24", "", 0},
            {"rate-limit: 1", "11:13 out-of-range"},
            {"rate-limit: 25", "11:13 out-of-range"},
            {"packet-life: 63", "", 0},
            {"packet-life: 64", "11:14 out-of-range"},
            {"path-bits: 0-3", "11:1 no-effect", 0},
            {"path-bits: 128", "11:1 no-effect, 11:12 out-of-range"},
            {"pkey: 0x1-0x7fff", "", 0},
            {"pkey: 0x8000", "11:7 out-of-range"},
            {"pkey: 0x10000", "11:7 out-of-range"},
            {"pkey: 5-3", "11:7 turned-range"},
            {"pkey: 0x7000-0x8001", "11:7 turned-range"},
            {"pkey: 1,,2", "11:9 missing-value"},
            {"pkey: x", "11:7 bad-number"},
            {"pkey: 010", "11:7 octal", 0},
            {"sl: 2", "11:1 duplicate-key"},
            {"name: b", "11:1 duplicate-key"},
            {"use: one\nuse: two", "12:1 duplicate-key"},
            {"SL: 2", "11:1 unknown-key"},
            {"weight: 2", "11:1 unknown-key"},
        },
        level);
}

TEST(QosPolicyFile, TellsLevelsAndGroupsThatLackSomething) {
    Check({
        {"qos-levels\nqos-level\nsl: 1\nend-qos-level\nend-qos-levels\n", "8:1 missing-entry"},
        {"qos-levels\nqos-level\nname: a\nend-qos-level\nend-qos-levels\n", "8:1 missing-entry"},
        {"qos-levels\nqos-level\nname:\nsl: 16\nend-qos-level\nend-qos-levels\n",
         "8:1 missing-entry, 9:6 missing-value, 10:5 out-of-range", 3},
        {"port-groups\nport-group\nport-guid: 1\nend-port-group\nend-port-groups\n",
         "8:1 missing-entry"},
        {"qos-match-rules\nqos-match-rule\nqos-class: 1\nend-qos-match-rule\n"
         "end-qos-match-rules\n",
         "8:1 missing-entry"},
    });
    EXPECT_EQ(Parse("").said, "0:0 no-default-level");
    EXPECT_EQ(Parse("qos-levels\nqos-level\nname: a\nsl: 1\nend-qos-level\nend-qos-levels\n").said,
              "0:0 no-default-level");
}

TEST(QosPolicyFile, TellsMembersThatAreNotRight) {
    const auto group = [](std::string_view entry) {
        return fmt::format(
            "port-groups\nport-group\nname: g\n{}\nend-port-group\n"
            "end-port-groups\nqos-match-rules\nqos-match-rule\nsource: G\n"
            "qos-level-name: default\nend-qos-match-rule\nend-qos-match-rules\n",
            entry);
    };
    Check(
        {
            {"port-guid: 0xffffffffffffffff", "", 0},
            {"port-guid: 0", "10:12 out-of-range"},
            {"port-guid: 0x10-0x1", "10:12 turned-range"},
            {"port-guid: SRPT1", "10:12 bad-number"},
            {"port-guid: 1,\n2 # more", "", 0},
            {"port-name: node/P1", "", 0},
            {"port-name: two words/P1", "10:12 blanks-kept", 0},
            {"port-name: \"two words/P1\"", "", 0},
            {"port-name: node/1", "10:12 not-a-name"},
            {"port-name: node", "10:12 not-a-name"},
            {"port-name: /P1", "10:12 not-a-name"},
            {"port-name: node/P0", "10:12 not-a-name"},
            {"port-name: node/P255", "10:12 not-a-name"},
            {"port-name: n\xc3\xb6"
             "de/P1",
             "10:13 not-a-name"},
            {"partition: Default", "", 0},
            {"partition: default", "10:12 undefined-name"},
            {"node-type: ca, Switch, ROUTER, self, ALL", "", 0},
            {"node-type: HCA", "10:12 bad-value"},
            {"guid: 1", "8:1 empty-section, 10:1 unknown-key"},
            {"use: nothing", "8:1 empty-section, 14:1 never-matches", 0},
        },
        group);
}

TEST(QosPolicyFile, TellsLinesOfUlpsThatAreNotRight) {
    const auto ulp = [](std::string_view line) {
        return fmt::format("qos-ulps\n{}\nend-qos-ulps\n", line);
    };
    Check(
        {
            {"sdp : 15", "", 0},
            {"sdp : 16", "8:7 out-of-range"},
            {"sdp", "8:1 missing-value"},
            {"sdp :", "8:6 missing-value"},
            {"sdp : 1 2", "8:9 trailing-text"},
            {"sdp, port-num : 1", "8:15 missing-value"},
            {"sdp, port-num 0x10000 : 1", "8:15 out-of-range"},
            {"sdp, port-num 7-5 : 1", "8:15 turned-range"},
            {"sdp, pkey 1 : 1", "8:1 unknown-line"},
            {"srp : 1", "8:1 unknown-line"},
            {"rds, : 0", "8:1 unknown-line"},
            {"any : 1", "8:1 unknown-line"},
            {"nfs : 1", "8:1 unknown-line"},
            {"ipoib, pkey 0 : 1", "8:13 out-of-range"},
            {"any, service-id 1", "8:1 missing-value"},
            {"default : 3", "8:1 no-effect", 0},
            {"default : 3\ndefault : 3", "8:1 no-effect, 9:1 duplicate-entry", 0},
            {"default : 3\ndefault : 4", "8:1 no-effect, 9:1 contradiction"},
        },
        ulp);
}

TEST(QosPolicyFile, TellsNamesThatAreNotDefinedOrAreDefinedTwice) {
    const std::string group =
        "port-groups\nport-group\nname: {}\nport-guid: 1\nend-port-group\n"
        "end-port-groups\n";
    const std::string rule =
        "qos-match-rules\nqos-match-rule\nsource: {}\nqos-level-name: {}\n"
        "end-qos-match-rule\nend-qos-match-rules\n";
    Check({
        {fmt::format(fmt::runtime(rule), "g", "DEFAULT"), "9:9 undefined-name"},
        {fmt::format(fmt::runtime(group + rule), "g", "g, h", "DEFAULT"), "15:12 undefined-name"},
        {fmt::format(fmt::runtime(group + rule), "g", "g", "x"), "16:17 undefined-name"},
        {fmt::format(fmt::runtime(group), "g"), "9:7 unused-entry", 0},
        {fmt::format(fmt::runtime(group + group), "a b", "AB"), "15:7 contradiction"},
        {"qos-levels\nqos-level\nname: Default\nsl: 1\nend-qos-level\nend-qos-levels\n",
         "9:7 contradiction"},
        {"qos-levels\nqos-level\nname: a\nsl: 1\nend-qos-level\nend-qos-levels\n",
         "9:7 unused-entry", 0},
    });
}

TEST(QosPolicyFile, TellsRulesThatAreNeverReached) {
    const auto rule = [](std::string_view entries) {
        return fmt::format(
            "qos-match-rules\nqos-match-rule\n{}\nqos-level-name: DEFAULT\n"
            "end-qos-match-rule\nend-qos-match-rules\n",
            entries);
    };
    Check({
        {rule("service-id: 1-9") + rule("service-id: 2,5-8"), "14:1 never-reached", 0},
        {rule("service-id: 1-9") + rule("service-id: 2,5-10"), "", 0},
        {rule("service-id: 1-9") + rule("service-id: 2\nqos-class: 1"), "14:1 never-reached", 0},
        {rule("service-id: 1-9\nqos-class: 1") + rule("service-id: 2"), "", 0},
        {rule("use: all") + "qos-ulps\nsdp : 1\nend-qos-ulps\n", "14:1 never-reached", 0},
        {"qos-ulps\nsdp : 1\nsdp, port-num 7 : 2\nend-qos-ulps\n", "9:1 never-reached", 0},
        {"qos-ulps\nsdp, port-num 7 : 2\nsdp : 1\nend-qos-ulps\n", "", 0},
        {"qos-levels\nqos-level\nname: a\nsl: 1\npkey: 0x10\nend-qos-level\nend-qos-levels\n"
         "qos-match-rules\nqos-match-rule\npkey: 0x11-0x12\nqos-level-name: a\n"
         "end-qos-match-rule\nend-qos-match-rules\n",
         "15:1 conflict", 0},
    });
}

TEST(QosPolicyFile, TakesNoMoreThanThereIsRoomFor) {
    const auto ulps = [](std::size_t count) {
        std::string text = "qos-ulps\n";
        for (std::size_t i = 0; i < count; ++i) {
            text += fmt::format("any, service-id {} : 1\n", 2 * i);
        }
        return text + "end-qos-ulps\n";
    };
    EXPECT_EQ(ParseBehindDefault(ulps(kMostQosRules)).said, "");
    EXPECT_EQ(ParseBehindDefault(ulps(kMostQosRules + 1)).said, "0:0 too-large");
    std::string many = "port-groups\n";
    for (const std::string_view name : {"a", "b"}) {
        many += fmt::format("port-group\nname: {}\npkey: 1-0x7fff\nend-port-group\n", name);
    }
    EXPECT_EQ(ParseBehindDefault(many + "end-port-groups\n").said, "0:0 too-large");
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
}  // namespace ember::test
