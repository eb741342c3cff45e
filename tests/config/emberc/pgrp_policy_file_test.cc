// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of pgrp_policy_file: what is read, and every mistake with its place.
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/blob/payload.h"
#include "config/emberc/commands.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/emberc/option_files/port_group_members.h"
#include "config/netlist/topologies.h"
#include "tests/config/emberc_run.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::LoadedPortGroups;
using Host = LoadedPortGroups::Host;

struct Parsed {
    LoadedPortGroups loaded;
    std::string said;  ///< "line:column word" of each diagnostic, apart by commas.
    std::size_t errors = 0;
    std::string first;  ///< The first of them.
};

Parsed Parse(std::string_view text) {
    Diagnostics diagnostics("groups.conf");
    Parsed parsed;
    parsed.loaded = emberc::ParsePgrpPolicyFile(text, diagnostics, {});
    parsed.errors = diagnostics.CountOf(emberc::Severity::kError);
    parsed.said = PlacesAndWords(diagnostics);
    if (!diagnostics.all().empty()) parsed.first = diagnostics.all().front().text;
    return parsed;
}

/// A group with these lines, which begin at line 3.
Parsed OfGroup(std::string_view lines) {
    return Parse(fmt::format("port-group\nname: g\n{}\nend-port-group\n", lines));
}

std::vector<std::string> LinesOf(const LoadedPortGroups& loaded) {
    std::vector<std::string> lines;
    for (const emberc::PortGroupEntry& entry : EntriesOf(loaded)) {
        lines.push_back(AsLine(entry));
    }
    return lines;
}

/// The example of the documents of the key, and its ALL groups.
constexpr std::string_view kExample = R"(port-group
name: grp3
use: Subtract of groups grp1 and grp2
subtract-rule: grp1, grp2
end-port-group

port-group
name: grp1
port-guid: 0x281, 0x282, 0x283
end-port-group

port-group
name: grp2
port-guid-range: 0x282-0x286
port-name: hostname=server1 port=1
end-port-group

port-group
name: grp4
port-name: hostname=kika port=1 hca_idx=1
end-port-group

port-group
name: grp3
union-rule: grp3, grp4
end-port-group
)";

TEST(PgrpPolicyFile, ReadsTheExampleOfItsDocuments) {
    const Parsed parsed = Parse(kExample);
    EXPECT_EQ(parsed.said, "");
    EXPECT_EQ(LinesOf(parsed.loaded),
              (std::vector<std::string>{
                  "port-group grp1 of line 7, port-guid-range 0x281-0x283",
                  "port-group grp2 of line 12, port-guid-range 0x282-0x286, port-name "
                  "hostname=server1; port=1",
                  "port-group grp3 of line 1, subtract-rule grp1, grp2",
                  "port-group grp4 of line 18, port-name hostname=kika; port=1; hca_idx=1",
                  "port-group grp3 of line 23, union-rule grp3, grp4"}));
    ASSERT_EQ(parsed.loaded.groups.size(), 5U);
    EXPECT_EQ(parsed.loaded.groups[4].unions[0].from, 2U) << "grp3 as it was defined before";
    EXPECT_EQ(parsed.loaded.groups[4].unions[0].to, 3U);
}

TEST(PgrpPolicyFile, ReadsTheExamplesOfEachRule) {
    const auto guids = [](std::string_view list) {
        std::string text;
        const Parsed parsed = OfGroup(fmt::format("port-guid: {}", list));
        EXPECT_EQ(parsed.errors, 0U);
        for (const PortGroupRule& rule : parsed.loaded.groups.at(0).guids) {
            text += fmt::format("{:x}-{:x}@{}-{} ", rule.from, rule.to, rule.first_port,
                                rule.last_port);
        }
        return text;
    };
    EXPECT_EQ(guids("0x283, 0x286, 0x289"), "283-283@0-255 286-286@0-255 289-289@0-255 ");
    EXPECT_EQ(guids("0x283@3"), "283-283@3-3 ");
    EXPECT_EQ(guids("0x286@1/5/7"), "286-286@1-1 286-286@5-5 286-286@7-7 ");
    EXPECT_EQ(guids("0x289@2-5"), "289-289@2-5 ");
    EXPECT_EQ(guids("0x289@2-5/7/9-13/18"), "289-289@2-5 289-289@7-7 289-289@9-13 289-289@18-18 ");
    EXPECT_EQ(guids("0x283@5-8/12/14, 0x286, 0x289/6/ 8/12"),
              "283-283@5-8 283-283@12-12 283-283@14-14 286-286@0-255 289-289@6-6 289-289@8-8 "
              "289-289@12-12 ");
    EXPECT_EQ(OfGroup("port-guid: 0x289/6").said, "3:17 bad-value") << "'@' is meant";
    EXPECT_EQ(guids("0x283@3, 0x283@2, 0x283@1-2"), "283-283@1-3 ") << "what meets becomes one";
    EXPECT_EQ(guids("0x283@3, 0x282, 0x283"), "282-283@0-255 ") << "all ports are more than one";

    const Parsed range = OfGroup("port-guid-range: 0x283-0x289");
    EXPECT_EQ(range.said, "");
    EXPECT_EQ(range.loaded.groups.at(0).guids.at(0).to, 0x289U);
    EXPECT_EQ(OfGroup("port-guid-range: 0x283-0x289, 0x290-0x295").said, "3:18 trailing-text");

    const Parsed hosts = OfGroup(
        "port-name: hostname=kuku; port=2; hca_idx=1 , hostname=host1; port=3, hostname=host2");
    EXPECT_EQ(hosts.said, "");
    EXPECT_EQ(hosts.loaded.groups.at(0).hosts,
              (std::vector<Host>{{.name = "host1", .port = 3},
                                 {.name = "host2"},
                                 {.name = "kuku", .hca_index = 1, .port = 2}}));

    const Parsed patterns = OfGroup("port-regexp: SW.*\nport-regexp: SW.*:3\nport-regexp: SW:3");
    EXPECT_EQ(patterns.said, "");
    ASSERT_EQ(patterns.loaded.patterns.size(), 2U) << "an expression is compiled once";
    const auto& rules = patterns.loaded.groups.at(0).patterns;
    ASSERT_EQ(rules.size(), 3U);
    EXPECT_EQ(rules[0].last_port, kLastPortOfAll);
    EXPECT_EQ(rules[1].from, 0U);
    EXPECT_EQ(rules[1].first_port, 3U);
    EXPECT_EQ(rules[1].last_port, 3U);
    EXPECT_EQ(rules[2].from, 1U);
}

TEST(PgrpPolicyFile, HasGroupsThatNeedNoDefinition) {
    const Parsed parsed =
        OfGroup("subtract-rule: ALL, ALL_SWITCHES\nunion-rule: all_cas, ALL_ROUTERS");
    EXPECT_EQ(parsed.said, "");
    EXPECT_EQ(LinesOf(parsed.loaded).back(),
              "port-group g of line 1, union-rule ALL_CAS, ALL_ROUTERS, subtract-rule ALL, "
              "ALL_SWITCHES");
    EXPECT_EQ(Parse("port-group\nname: ALL_CAS\nport-guid: 1\nend-port-group\n").said,
              "2:7 contradiction");
}

TEST(PgrpPolicyFile, ReportsEveryMistakeWithItsPlace) {
    const auto said = [](std::string_view lines) { return OfGroup(lines).said; };
    EXPECT_EQ(said("port-guid: 0x1:2"), "3:15 bad-value");
    EXPECT_EQ(said("use: a: b\nport-guid: 1"), "3:7 bad-value");
    EXPECT_EQ(said("name: h\nport-guid: 1"), "3:1 duplicate-key");
    EXPECT_EQ(said("use: a\nuse: b\nport-guid: 1"), "4:1 duplicate-key");
    EXPECT_EQ(said("port-guids: 1"), "3:1 unknown-key");
    EXPECT_EQ(said("port-guid 0x1"), "3:1 missing-colon");
    EXPECT_EQ(said("port-guid:"), "3:1 missing-value");
    EXPECT_EQ(said("port-guid: 0x1,\n0x2"), "") << "a list goes on behind a comma";
    EXPECT_EQ(said("port-guid: 0x1,"), "3:15 stray-mark");
    EXPECT_EQ(said("port-guid: 0"), "3:12 out-of-range");
    EXPECT_EQ(said("port-guid: 0x1@0"), "3:16 out-of-range");
    EXPECT_EQ(said("port-guid: 0x1@255"), "3:16 out-of-range");
    EXPECT_EQ(said("port-guid: 0x1@5-2"), "3:16 turned-range");
    EXPECT_EQ(said("port-guid: 0x1@1-2-3"), "3:16 bad-number");
    EXPECT_EQ(said("port-guid: 0x1@"), "3:16 missing-value");
    EXPECT_EQ(said("port-guid-range: 0x9-0x1"), "3:18 turned-range");
    EXPECT_EQ(said("port-guid-range: 0x9"), "3:18 missing-value");
    EXPECT_EQ(said("port-name: kuku"), "3:12 unknown-line");
    EXPECT_EQ(said("port-name: port=1"), "3:12 missing-entry");
    EXPECT_EQ(said("port-name: hostname=a; card=1"), "3:24 unknown-line");
    EXPECT_EQ(said("port-name: hostname=a; port=0"), "3:29 out-of-range");
    EXPECT_EQ(said("port-name: hostname=a; hca_idx=65535"), "3:32 out-of-range");
    EXPECT_EQ(said("port-name: hostname=a; hostname=b"), "3:24 duplicate-key");
    EXPECT_EQ(said("port-regexp: SW("), "3:14 bad-expression");
    EXPECT_EQ(said("port-regexp: leaf[9-0]"), "3:19 bad-expression");
    EXPECT_EQ(said("port-regexp: .*a.{20}$"), "3:14 bad-expression");
    EXPECT_EQ(said("port-regexp: [[:alpha:]]"), "3:16 bad-value");
    EXPECT_EQ(said("port-regexp: :3"), "3:14 missing-value");
    EXPECT_EQ(said("port-regexp: SW:0"), "3:17 out-of-range");
    EXPECT_EQ(said("union-rule: ALL"), "3:13 missing-value");
    EXPECT_EQ(said("union-rule: ALL, ALL_CAS, ALL_ROUTERS"), "3:13 trailing-text");
    EXPECT_EQ(said("union-rule: ALL, ALL_CA"), "3:18 undefined-name");
    EXPECT_EQ(said("union-rule: g, ALL"), "3:13 undefined-name") << "nothing stands before it";
    EXPECT_EQ(Parse("port-group\nport-guid: 1\nend-port-group\n").said, "1:1 missing-entry");
    EXPECT_EQ(Parse("port-group\nname: g\nend-port-group\n").said, "1:1 missing-entry");
    EXPECT_EQ(Parse("port-group\nname: g\nport-guid: 1\n").said, "1:1 open-section");
    EXPECT_EQ(Parse("end-port-group\n").said, "1:1 open-section");
    EXPECT_EQ(Parse("name: g\n").said, "1:1 unknown-line");
    EXPECT_EQ(Parse("port-group g\nname: g\nport-guid: 1\nend-port-group\n").said,
              "1:12 trailing-text");
}

TEST(PgrpPolicyFile, LetsNoGroupBeMadeOfItself) {
    const auto group = [](std::string_view name, std::string_view one, std::string_view other) {
        return fmt::format("port-group\nname: {}\nunion-rule: {}, {}\nend-port-group\n", name, one,
                           other);
    };
    const Parsed ring =
        Parse(group("a", "b", "ALL") + group("b", "c", "ALL") + group("c", "a", "ALL"));
    EXPECT_EQ(ring.said, "11:13 contradiction");
    EXPECT_EQ(ring.first,
              "the group is made of itself: 'a', made of 'b', made of 'c', made of 'a'");

    const Parsed again = Parse(group("a", "ALL", "ALL_CAS") + group("a", "ALL_CAS", "ALL"));
    EXPECT_EQ(again.said, "6:7 contradiction") << "the first would end without a word";
    EXPECT_EQ(Parse(group("a", "ALL", "ALL_CAS") + group("A", "a", "ALL_CAS")).said, "");
}

TEST(PgrpPolicyFile, ToldApartByLinesAndNamesWhatIsTooLarge) {
    std::string text = "port-group\nname: g\n";
    for (std::size_t i = 0; i <= kMostNamePatterns; ++i) {
        text += fmt::format("port-regexp: leaf{}\n", i);
    }
    EXPECT_EQ(Parse(text + "end-port-group\n").said, "0:0 too-large");
    text = "port-group\nname: g\n";
    for (std::size_t i = 0; i <= kMostPortGroupSteps; ++i) {
        text += "port-regexp: SW\n";
    }
    EXPECT_EQ(Parse(text + "end-port-group\n").said, "0:0 too-large");
    text.clear();
    for (std::size_t i = 0; i <= kMostPortGroups; ++i) {
        text += fmt::format("port-group\nname: g{}\nport-guid: 1\nend-port-group\n", i);
    }
    EXPECT_EQ(Parse(text).said, "0:0 too-large");
}

TEST(PgrpPolicyFile, ArrivesOnTheSwitchAsItWasRead) {
    Diagnostics diagnostics("groups.conf");
    emberc::OptionContents contents;
    contents.port_groups = emberc::ParsePgrpPolicyFile(
        std::string(kExample) +
            "port-group\nname: more\nport-regexp: leaf[0-9]+$:7\nport-guid: 0x9@1/3, 0x7-0x8\n"
            "subtract-rule: ALL, grp3\nend-port-group\n",
        diagnostics, {});
    ASSERT_EQ(diagnostics.CountOf(emberc::Severity::kError), 1U) << "a range is a rule of its own";
    Diagnostics good("groups.conf");
    contents.port_groups = emberc::ParsePgrpPolicyFile(
        std::string(kExample) +
            "port-group\nname: more\nport-regexp: leaf[0-9]+$:7\nport-guid: 0x9@1/3\n"
            "port-guid-range: 0x7-0x8\nsubtract-rule: ALL, grp3\nend-port-group\n",
        good, {});
    ASSERT_EQ(good.all().size(), 0U);
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), room.room(), settings).accepted());
    EXPECT_EQ(settings.manager_tables.port_groups.size(), 7U);
    const auto shown = emberc::ReadContents(payload);
    ASSERT_TRUE(shown.has_value());
    EXPECT_EQ(*shown, contents);
    EXPECT_NE(ContentsAsText(contents, true).find("port-regexp leaf[0-9]+$:7"), std::string::npos);
}

/// A tree of 2 spines, 4 leaves and 16 hosts, called as `emberc fabric` calls them.
net::Netlist Tree() {
    std::string error;
    net::Netlist netlist = net::TopologyByName("ft2:4", error);
    EXPECT_EQ(error, "");
    return netlist;
}

TEST(PgrpPolicyFile, IsComparedWithAFabricOnPaper) {
    const net::Netlist tree = Tree();
    const net::NetNode& first = tree.nodes.front();
    const std::string text = fmt::format(
        "port-group\nname: one\nport-regexp: {}$:1\nend-port-group\n"
        "port-group\nname: none\nport-regexp: nothing is called so\nend-port-group\n"
        "port-group\nname: every\nunion-rule: one, ALL\nend-port-group\n",
        first.description);
    Diagnostics diagnostics("groups.conf");
    const LoadedPortGroups loaded =
        emberc::ParsePgrpPolicyFile(text, diagnostics, {.fabric = &tree});
    EXPECT_EQ(PlacesAndWords(diagnostics), "6:7 empty-section");
    const auto members = MembersOf(loaded, tree);
    ASSERT_EQ(members.size(), 4U) << "ALL is one of them";
    EXPECT_EQ(AsLine(members[0]),
              fmt::format("port group one of line 1: 1 ports of 1 nodes: {} 1", first.id));
    EXPECT_EQ(AsLine(members[1]), "port group none of line 5: 0 ports of 0 nodes");
    EXPECT_EQ(members[2].nodes.size(), tree.nodes.size());
    EXPECT_EQ(members[3].nodes.size(), tree.nodes.size());
}

TEST(PgrpPolicyFile, ShowsItsGroupsAndWhetherTheyAct) {
    const Folder folder;
    folder.Write("groups",
                 "port-group\nname: hosts\nunion-rule: ALL_CAS, ALL_ROUTERS\nend-port-group\n");
    const std::string conf = folder.Write("opensm.conf", "pgrp_policy_file groups\n");
    const Answer unused = Emberc({"check", conf, "--fabric", "ft2:4"});
    EXPECT_EQ(unused.status, 0);
    EXPECT_NE(unused.error.find("no rule of enhanced_qos_policy_file names one"),
              std::string::npos);
    EXPECT_NE(unused.out.find("port group hosts of line 1: "), std::string::npos) << unused.out;
    EXPECT_NE(unused.out.find("port group ALL_ROUTERS: 0 ports"), std::string::npos);
    EXPECT_EQ(Emberc({"check", conf}).out.find("port group"), std::string::npos);
    EXPECT_EQ(Emberc({"check", conf, "--fabric", "ft2:x"}).status, emberc::kUsageIsWrong);

    folder.Write("bandwidths", "BW_NAMES\nslow = 50\nBW_RULES\nHosts = 1:slow\n");
    folder.Write("opensm.conf",
                 "qos TRUE\npgrp_policy_file groups\nenhanced_qos_policy_file bandwidths\n");
    const Answer used = Emberc({"check", conf, "--fabric", "ft2:4", "--json"});
    EXPECT_EQ(used.status, 0);
    EXPECT_EQ(used.out.find("no rule of enhanced_qos_policy_file"), std::string::npos);
    EXPECT_NE(used.out.find("\"port_groups\""), std::string::npos);
}

}  // namespace
}  // namespace ember::test
