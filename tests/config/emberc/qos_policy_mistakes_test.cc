// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of qos_policy_file: every mistake with its place.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/config/emberc/qos_policy_file_fixture.h"

namespace ember::test::qos_policy_file {
namespace {

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
            {"rate-limit: 27", "11:13 out-of-range"},
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
            {"SL: 2", "11:1 unknown-key, 11:1 duplicate-key"},
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
            {"sdp", "8:1 missing-colon"},
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
            {"any, service-id 1", "8:1 missing-colon"},
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

/// As guides print them that were written by machines: each line is told, and nothing besides.
TEST(QosPolicyMistakes, LinesWithoutColonsAreToldOnceEach) {
    const Parsed parsed = Parse(
        "qos-levels\nqos-level default\nsl 0\nmtu 2048\nend-qos-level\nend-qos-levels\n"
        "qos-match-rules\nqos-match-rule\nsource nodes\nqos-level default\nend-qos-match-rule\n"
        "end-qos-match-rules\n");
    EXPECT_EQ(parsed.said,
              "2:11 trailing-text, 3:1 unknown-line, 4:1 unknown-line, 9:1 unknown-line, "
              "10:1 unknown-line");
}

TEST(QosPolicyMistakes, ALineWithoutAColonIsToldAsItWasMeant) {
    const Folder folder;
    folder.Write("qos.conf", std::string(kDefaultLevel) +
                                 "qos-levels\nqos-level\nname: a\nsl: 1\n"
                                 "rate 16\nend-qos-level\nend-qos-levels\n");
    folder.Write("opensm.conf", "qos TRUE\nqos_policy_file " + folder.File("qos.conf") + "\n");
    const Answer answer = Emberc({"check", folder.File("opensm.conf")});
    EXPECT_NE(answer.error.find("a colon is missing: `rate-limit: 16`"), std::string::npos)
        << answer.error;
}

}  // namespace
}  // namespace ember::test::qos_policy_file
