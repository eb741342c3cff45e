// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc plan and emberc fabric, as the shell sees them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "config/emberc/commands.h"
#include "config/emberc/plan/commands.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string FirstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

TEST(PlanCommand, TellsVerdictLoadsHopsAndBoards) {
    const Answer run = Emberc({"plan", "--fabric", "parallel:1:3", "--board", "sim_small"});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.error, "");
    for (const char* said :
         {"2 switches, 6 hosts, 7 cables", "verdict                     verified",
          "saturation                  0.5556 of a host's cable", "worst 3 (k = 3)",
          "board sim_small: fits", "LFT arena, planned"}) {
        EXPECT_NE(run.out.find(said), std::string::npos) << said << "\n" << run.out;
    }
}

TEST(PlanCommand, WritesTheSameAsJson) {
    const Folder folder;
    const Answer run = Emberc({"plan", "-f", "ft2:8", "--json", folder.File("plan.json"), "--fail",
                               "each-switch", "--fail", "each-link", "--fail-sample", "3"});
    EXPECT_EQ(run.status, 0);
    const json facts = json::parse(folder.Read("plan.json"));
    EXPECT_EQ(facts["fabric"]["hosts"], 32);
    EXPECT_EQ(facts["verdict"]["outcome"], "verified");
    EXPECT_EQ(facts["verdict"]["engine"], "auto");
    EXPECT_EQ(facts["all_to_all"]["links"], 64);
    EXPECT_EQ(facts["all_to_all"]["mean"], 28);
    EXPECT_EQ(facts["hops"]["histogram"], json({96, 0, 896}));
    EXPECT_EQ(facts["shifts"]["count"], 31);
    EXPECT_EQ(facts["bisections"]["count"], 1000);
    EXPECT_EQ(facts["levels"].size(), 2U);
    EXPECT_GE(facts["boards"].size(), 2U);
    EXPECT_EQ(facts["boards"][0]["arenas"].size(),
              MemoryOf(Boards()[0], Boards()[0].limits).size());
    EXPECT_EQ(facts["failures"].size(), 6U);
    EXPECT_EQ(facts["failures"][0]["kind"], "switch");
    // To standard output it goes alone.
    const Answer alone = Emberc({"plan", "-f", "ft2:8", "--json", "-"});
    EXPECT_EQ(json::parse(alone.out)["fabric"]["hosts"], 32);
}

TEST(PlanCommand, CallsNodesAsTheMapOfNamesDoes) {
    const Folder folder;
    const std::string names =
        folder.Write("names", "0x200000 \"row 3 spine\"\n0x100000 \"login\"\n");
    const std::string conf = folder.Write("own.conf", "node_name_map_name " + names + "\n");
    const Answer run = Emberc({"plan", "-f", "parallel:1:3", "-c", conf, "--fail", "each-link",
                               "--json", folder.File("plan.json")});
    EXPECT_EQ(run.status, 0) << run.error;
    const json facts = json::parse(folder.Read("plan.json"));
    EXPECT_EQ(facts["fabric"]["manager"], "login");
    EXPECT_TRUE(std::string(facts["failures"][0]["what"]).starts_with("row 3 spine port "))
        << facts["failures"][0];
}

TEST(BoardsCommand, SaysWhatABoardHoldsOfPartitions) {
    const Answer one = Emberc({"boards", "switch_medium"});
    EXPECT_EQ(one.status, 0);
    const auto row = [&one](std::string_view name) {
        const std::size_t at = one.out.find("  " + std::string(name) + "  ");
        return at == std::string::npos ? "?" : one.out.substr(at, one.out.find('\n', at) - at);
    };
    EXPECT_TRUE(row("P_Keys of a port").ends_with(" 128")) << one.out;
    EXPECT_TRUE(row("partitions, at most").ends_with(" 4,096")) << one.out;  // As the format takes.
    EXPECT_TRUE(row("or named members").ends_with(" 12,288")) << one.out;    // 196,608 / 16.
    const Answer host = Emberc({"boards", "linux_bench"});
    EXPECT_NE(host.out.find(" 524,288\n"), std::string::npos) << "what the format takes";
    EXPECT_NE(Emberc({"boards"}).out.find(" members "), std::string::npos);
}

TEST(CheckCommand, SaysWhichBoardsTheBlobFits) {
    const Folder folder;
    const Answer small = Emberc({"check", folder.Write("small.conf", "lmc 1\n")});
    EXPECT_EQ(small.status, 0);
    EXPECT_NE(small.out.find("octets and fits every board"), std::string::npos) << small.out;
    std::string partitions;
    for (int p_key = 1; p_key <= 64; ++p_key) {
        partitions += fmt::format("={}: ", p_key);
        for (int port = 1; port <= 100; ++port) {
            partitions += fmt::format("{}{}", port == 1 ? "" : ", ", p_key * 1000 + port);
        }
        partitions += ";\n";
    }
    folder.Write("p.conf", partitions);
    const std::string conf = folder.Write("large.conf", "partition_config_file p.conf\n");
    const Answer large = Emberc({"check", conf});
    EXPECT_EQ(large.status, 0) << large.error;
    EXPECT_NE(large.out.find("octets and does not fit switch_small, which takes 65536\n"),
              std::string::npos)
        << large.out;
    const json facts = json::parse(Emberc({"check", conf, "--json"}).out);
    ASSERT_EQ(facts["boards"].size(), 4U);
    EXPECT_EQ(facts["boards"][0]["board"], "switch_small");
    EXPECT_EQ(facts["boards"][0]["fits"], false);
    EXPECT_EQ(facts["boards"][1]["fits"], true);
    const std::size_t octets = facts["blob_octets"];
    ASSERT_EQ(Emberc({"compile", conf, "-o", folder.File("b")}).status, 0);
    EXPECT_EQ(octets, folder.Read("b").size()) << "as the blob is";
}

TEST(PlanCommand, ObeysAConfiguration) {
    const Folder folder;
    const std::string conf = folder.Write("o.conf", "lmc 2\nrequire_deadlock_free TRUE\n");
    const Answer run = Emberc({"plan", "-f", "ft2:4", "-c", conf, "--json", "-"});
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(json::parse(run.out)["all_to_all"]["paths"], 8 * 7 * 4);
    // The same from the blob, unsigned as it is.
    ASSERT_EQ(Emberc({"compile", conf, "-o", folder.File("o.blob")}).status, 0);
    const Answer blob = Emberc({"plan", "-f", "ft2:4", "-c", folder.File("o.blob"), "--json", "-"});
    json from_text = json::parse(run.out);
    json from_blob = json::parse(blob.out);
    EXPECT_EQ(from_text["configuration"]["file"], conf);
    EXPECT_EQ(from_blob["configuration"]["file"], folder.File("o.blob"));
    EXPECT_EQ(from_text["configuration"]["sha256"], from_blob["configuration"]["sha256"]);
    from_text["configuration"]["file"] = from_blob["configuration"]["file"];
    EXPECT_EQ(from_text, from_blob);
    const std::string strict =
        folder.Write("s.conf", "require_deadlock_free TRUE\nrouting_engine minhop\n");
    const Answer safe = Emberc({"plan", "-f", "torus:5", "-c", strict});
    EXPECT_EQ(safe.status, emberc::kRoutingIsSafeOnly);
    EXPECT_NE(safe.out.find("a credit loop is possible: switch"), std::string::npos) << safe.out;
    const std::string alone =
        folder.Write("p.conf", "require_deadlock_free TRUE\nrouting_engine minhop,no_fallback\n");
    const Answer refused = Emberc({"plan", "-f", "torus:5", "-c", alone});
    EXPECT_EQ(refused.status, emberc::kRoutingIsRefused);
    EXPECT_NE(refused.out.find("a credit loop is possible: switch"), std::string::npos)
        << refused.out;
}

TEST(PlanCommand, SaysWhatIsWrongWithAConfiguration) {
    const Folder folder;
    const Answer wrong = Emberc({"plan", "-f", "ft2:4", "-c", folder.Write("o.conf", "lmc 9\n")});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_NE(wrong.error.find("o.conf:1:5: error:"), std::string::npos) << wrong.error;
    const Answer blob =
        Emberc({"plan", "-f", "ft2:4", "-c", folder.Write("b", std::string(99, '\0'))});
    EXPECT_EQ(blob.status, 1);
    EXPECT_EQ(Emberc({"plan", "-f", "ft2:4", "-c", folder.File("absent")}).status, 3);
}

TEST(PlanCommand, DoesNotFitABoardThatIsTooSmall) {
    const Answer run = Emberc({"plan", "-f", "ft3:8", "--board", "sim_small"});
    EXPECT_EQ(run.status, emberc::kBoardIsTooSmall);
    EXPECT_EQ(FirstLine(run.out),
              "ft3:8: DOES NOT FIT board sim_small: switches: 80 of 64; routed by auto, "
              "verified");
    EXPECT_NE(run.out.find("board sim_small: DOES NOT FIT"), std::string::npos);
    EXPECT_NE(run.out.find("switches                              80 of           64   too small"),
              std::string::npos)
        << run.out;
    const Answer absent = Emberc({"plan", "-f", "ft3:8", "--board", "toaster"});
    EXPECT_EQ(absent.status, 2);
    EXPECT_NE(absent.error.find("there are linux_bench, sim_small"), std::string::npos);
}

TEST(PlanCommand, RefusesHostileNetlistsWithASentence) {
    const Folder folder;
    struct Case {
        const char* text;
        int status;
        const char* said;
    };
    const Case cases[] = {
        {"", 1, "the netlist has no node"},
        {"Switch 4 \"a\"\n[1] \"b\"[1]\n", 1, "there is no node \"b\""},
        {"Switch 4 \"a\"\n[9] \"a\"[1]\n", 1, "out of range"},
        {"Switch 999 \"a\"\n", 1, "1 to 254 ports"},
        {"Switch 4 \"a\"\n[1] \"b\"[1]\n\nSwitch 4 \"b\"\n[1] \"a\"[2]\n", 1, "which is"},
        {"switchguid=0x5\nSwitch 4 \"a\"\n[1] \"b\"[1]\n\nswitchguid=0x5\nSwitch 4 \"b\"\n"
         "[1] \"a\"[1]\n",
         1, "is 0 or occurs twice"},
        {"switchguid=0\nSwitch 4 \"a\"\n", 0, "1 switches, 0 hosts"},
        {"Ca 1 \"h\"\n[1] \"i\"[1]\n\nCa 1 \"i\"\n[1] \"h\"[1]\n", 0, "nothing to route"},
        {"Switch 4 \"a\"\n[1] \"a\"[2]\n[2] \"a\"[1]\n[3] \"h\"[1]\n\nCa 1 \"h\"\n[1] \"a\"[3]\n",
         0, "verified"},
        {"Ca 1 \"alone\"\n", 0, "nothing to route"},
    };
    for (const Case& hostile : cases) {
        SCOPED_TRACE(hostile.text);
        const std::string file = folder.Write("bad.net", hostile.text);
        const Answer run = Emberc({"plan", "-f", file, "--html", folder.File("bad.html"), "--fail",
                                   "each-link", "--fail", "each-switch"});
        EXPECT_EQ(run.status, hostile.status) << run.out << run.error;
        EXPECT_NE((run.out + run.error).find(hostile.said), std::string::npos)
            << run.out << run.error;
    }
    EXPECT_EQ(Emberc({"plan", "-f", folder.File("absent")}).status, 3);
    EXPECT_EQ(Emberc({"plan", "-f", "ft3:17"}).status, 2);
}

TEST(PlanCommand, LetsNoNameSteerTheTerminal) {
    const Folder folder;
    const std::string file =
        folder.Write("bad.net",
                     "Switch 2 \"s\" # \"S\x1b[2J\x7f\xc2\x9b\xc3\x9c\"\n[1] \"h\"[1]\n\n"
                     "Ca 1 \"h\" # \"H\x1b]0;x\x07\"\n[1] \"s\"[1]\n");
    const Answer run = Emberc({"plan", "-f", file, "--fail", "each-switch", "--fail", "each-link"});
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(run.out.find_first_of("\x1b\x07\x7f"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("H?]0;x?"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("S?[2J?\xc2?\xc3\x9c"), std::string::npos) << run.out;
}

TEST(PlanCommand, LetsNoNameSteerTheTerminalFromADifferenceOrAnError) {
    const Folder folder;
    const net::Netlist tree = Shape("ft2:6");
    net::Netlist hostile = tree;
    for (net::NetNode& node : hostile.nodes) {
        node.description = "S\x1b[2J\xc2\x9b" + node.id;
    }
    const std::string fabric = folder.Write("hostile.net", net::WriteNetlist(hostile));
    const std::string one = folder.Write("one.conf", "order opensm\nrouting_engine minhop\n");
    const std::string two = folder.Write("two.conf", "order guid\nrouting_engine ftree\n");
    const Answer difference = Emberc({"plan", "diff", one, two, "--all", "-f", fabric});
    EXPECT_EQ(difference.status, 0) << difference.error;
    EXPECT_NE(difference.out.find("S?[2J"), std::string::npos) << difference.out;
    EXPECT_EQ(difference.out.find_first_of("\x1b\x07"), std::string::npos) << difference.out;

    const std::string bad = folder.Write("bad.net", "Switch 1 \"\x1b[2J\"\n[1] \"\x07gone\"[1]\n");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"plan", "-f", bad},
          std::vector<std::string>{"plan", "-f", folder.File("\x1b[2J")},
          std::vector<std::string>{"plan", "-f", "ft2:4", "--sm", "\x1b[2J"}}) {
        const Answer refused = Emberc(words);
        EXPECT_NE(refused.status, 0);
        EXPECT_NE(refused.error.find('?'), std::string::npos) << refused.error;
        EXPECT_EQ(refused.error.find_first_of("\x1b\x07"), std::string::npos) << refused.error;
    }
}

TEST(PlanCommand, RefusesWrongUsageWithASentence) {
    EXPECT_EQ(Emberc({"plan"}).status, 2);
    EXPECT_EQ(Emberc({"plan", "-f", "ft2:4", "--sm", "nobody"}).status, 2);
    for (const char* fail : {"link", "link=", "link=x/1", "each", "switch", "switch=h", ""}) {
        const Answer run = Emberc({"plan", "-f", "ft2:4", std::string("--fail=") + fail});
        EXPECT_EQ(run.status, 2) << fail;
        EXPECT_FALSE(run.error.empty()) << fail;
    }
}

TEST(PlanCommand, TellsASingleFailureByName) {
    const Answer run = Emberc({"plan", "-f", "parallel:2:4", "--fail", "link=left/5"});
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_NE(run.out.find("single failures, 1 tried"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("0.4375"), std::string::npos) << run.out;
}

TEST(PlanDiff, TellsWhichRoutesMove) {
    const Folder folder;
    const std::string one = folder.Write("one.conf", "order opensm\n");
    const std::string two = folder.Write("two.conf", "order opensm\nport_shifting TRUE\n");
    const Answer same = Emberc({"plan", "diff", one, one, "--fabric", "ft2:6"});
    EXPECT_EQ(same.status, 0) << same.error;
    EXPECT_EQ(FirstLine(same.out),
              "0 of 243 routes move, in 0 blocks of 0 switches; 0 base LIDs move");
    const Answer moved = Emberc({"plan", "diff", one, two, "--fabric", "ft2:6"});
    EXPECT_NE(FirstLine(moved.out), FirstLine(same.out));
    const Answer listed =
        Emberc({"plan", "diff", one, two, "--fabric", "ft2:6", "--all", "--json", "-"});
    const json facts = json::parse(listed.out);
    EXPECT_GT(facts["moved"], 0);
    EXPECT_EQ(facts["moves"].size(), facts["moved"]);
    const Answer in_text = Emberc({"plan", "diff", one, two, "--fabric", "ft2:6", "--all"});
    EXPECT_NE(in_text.out.find(": port "), std::string::npos);
    EXPECT_EQ(moved.out.find(": port "), std::string::npos);
    const std::string strict = folder.Write(
        "strict.conf", "require_deadlock_free TRUE\nrouting_engine minhop,no_fallback\n");
    const Answer refused = Emberc({"plan", "diff", one, strict, "--fabric", "torus:5"});
    EXPECT_EQ(refused.status, emberc::kRoutingIsRefused);
    EXPECT_NE(refused.error.find("credit loop"), std::string::npos);
    EXPECT_EQ(Emberc({"plan", "diff", one, "--fabric", "ft2:6"}).status, 2);
}

TEST(FabricCommand, WritesEveryShapeAsANetlistThatCanBePlanned) {
    const Folder folder;
    const std::vector<std::vector<std::string>> shapes = {
        {"ft2", "6"},         {"ft3", "4"},          {"torus", "3x3"},
        {"mesh", "2x3x2"},    {"hypercube", "3"},    {"dragonfly", "2", "1"},
        {"random", "9", "3"}, {"ring", "5"},         {"parallel", "3"},
        {"single", "7"},      {"dualrail", "3", "2"}};
    for (const auto& shape : shapes) {
        SCOPED_TRACE(shape[0]);
        std::vector<std::string> words = {"fabric"};
        words.insert(words.end(), shape.begin(), shape.end());
        words.insert(words.end(), {"-o", folder.File("x.net")});
        const Answer made = Emberc(words);
        EXPECT_EQ(made.status, 0) << made.error;
        const int status = Emberc({"plan", "-f", folder.File("x.net"), "--bisections", "5"}).status;
        EXPECT_TRUE(status == emberc::kDone || status == emberc::kCreditLoopIsPossible) << status;
    }
}

TEST(FabricCommand, KillsLinksBySeed) {
    const Answer one = Emberc({"fabric", "torus", "4x4", "--kill-links", "5", "--seed", "1"});
    const Answer same = Emberc({"fabric", "torus", "4x4", "--kill-links", "5", "--seed", "1"});
    const Answer other = Emberc({"fabric", "torus", "4x4", "--kill-links", "5", "--seed", "2"});
    EXPECT_EQ(one.out, same.out);
    EXPECT_NE(one.out, other.out);
    net::NetErrors errors;
    const net::Netlist netlist = net::ParseNetlist(one.out, "out", errors);
    EXPECT_EQ(net::TrunksOf(netlist).size(), 32U - 5U);
}

TEST(FabricCommand, SaysWhatAShapeTakes) {
    const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
        {{"fabric", "cube", "3"}, "there is no shape \"cube\""},
        {{"fabric", "ft3", "17"}, "ft3 takes K: three levels of K-port switches, K even, 2 to 48"},
        {{"fabric", "ft3", "4", "4"}, "ft3 takes K"},
        {{"fabric", "ft3", "4", "--hosts", "2"}, "--hosts says nothing here"},
        {{"fabric", "torus", "3x"}, "torus takes AxBx..."},
        {{"fabric", "torus", "-3"}, ""},
        {{"fabric", "torus", "99999x99999"}, "torus takes"},
        {{"fabric", "mesh", "3:3"}, "mesh takes"},
        {{"fabric", "ring", "3", "--hosts", "129"}, "with 0 to 128 --hosts"},
        {{"fabric", "random", "9"}, "random takes N DEGREE"},
        {{"fabric", "torus", "3x3", "--kill-links", "99"}, "there are only 18 cables"},
    };
    for (const auto& [words, said] : cases) {
        const Answer run = Emberc(words);
        EXPECT_EQ(run.status, 2) << words.back();
        EXPECT_NE(run.error.find(said), std::string::npos) << run.error;
    }
    EXPECT_EQ(Emberc({"fabric", "ft2", "4", "-o", "/absent/x"}).status, 3);
}

TEST(PlanCommand, TellsOfHostsThatNameTheirSwitchesAndOfGuidsThatAreNotThere) {
    const Folder folder;
    const net::Netlist netlist = net::FatTree2(4);
    folder.Write("net", net::WriteNetlist(netlist));
    std::uint32_t host = 0;
    while (netlist.nodes[host].is_switch()) {
        ++host;
    }
    folder.Write("roots", fmt::format("{}\n0xdead\n", Hex(netlist.nodes[host].guid)));
    const std::string conf = folder.Write("conf", "routing_engine updn\nroot_guid_file roots\n");
    const Answer answer = test::Emberc({"plan", "-q", "-f", folder.File("net"), "-c", conf});
    EXPECT_THAT(
        answer.error,
        HasSubstr("emberc: note: root_guid_file: 1 GUIDs are of hosts or routers, the first "
                  "is " +
                  Hex(netlist.nodes[host].guid)));
    EXPECT_THAT(answer.error,
                HasSubstr("conf:2:1: warning: root_guid_file: 1 of 2 GUIDs are not in the fabric, "
                          "the first is 0x000000000000dead; they are passed over [not-in-fabric]"));
    EXPECT_THAT(answer.error, Not(HasSubstr("not in the subnet"))) << "once";

    const std::string blob = folder.File("blob");
    ASSERT_EQ(test::Emberc({"compile", conf, "-o", blob}).status, 0);
    const Answer of_blob = test::Emberc({"plan", "-q", "-f", folder.File("net"), "-c", blob});
    EXPECT_THAT(of_blob.error, HasSubstr("emberc: warning: root_guid_file: 1 GUIDs are not in the "
                                         "subnet, the first is 0x000000000000dead"));
    EXPECT_THAT(of_blob.error, HasSubstr("1 GUIDs are of hosts or routers"));
}

}  // namespace
}  // namespace ember::plan
