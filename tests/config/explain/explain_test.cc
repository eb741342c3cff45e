// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc explain: which partition, which line, which rule, which link.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/config/emberc_run.h"

namespace ember::explain {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;
using test::Answer;
using test::Emberc;
using test::Folder;

/// Two switches; a and b at the first, c and d at the second, which is linked by 4x SDR and 4x EDR
/// cables are all others. The GUID of a port is that of its node and 1.
constexpr const char* kNet = R"(
vendid=0x0
caguid=0x10
Ca 1 "H-a" # "alpha one HCA-1"
[1](11) "S-s"[1] # lid 0 lmc 0 "s" lid 0 4xEDR

caguid=0x20
Ca 1 "H-b" # "beta"
[1](21) "S-s"[2] # lid 0 lmc 0 "s" lid 0 4xEDR

caguid=0x30
Ca 1 "H-c" # "gamma"
[1](31) "S-t"[1] # lid 0 lmc 0 "t" lid 0 4xEDR

caguid=0x40
Ca 1 "H-d" # "gamma"
[1](41) "S-t"[2] # lid 0 lmc 0 "t" lid 0 4xEDR

caguid=0x50
Ca 2 "H-e" # "epsilon"
[1](51) "S-t"[3] # lid 0 lmc 0 "t" lid 0 4xEDR
[2](52) "S-t"[4] # lid 0 lmc 0 "t" lid 0 4xEDR

switchguid=0x100(100)
Switch 8 "S-s" # "leaf s" base port 0 lid 0 lmc 0
[1] "H-a"[1](11) # "alpha one HCA-1" lid 0 4xEDR
[2] "H-b"[1](21) # "beta" lid 0 4xEDR
[8] "S-t"[8] # "leaf t" lid 0 4xSDR

switchguid=0x200(200)
Switch 8 "S-t" # "leaf t" base port 0 lid 0 lmc 0
[1] "H-c"[1](31) # "gamma" lid 0 4xEDR
[2] "H-d"[1](41) # "gamma" lid 0 4xEDR
[3] "H-e"[1](51) # "epsilon" lid 0 4xEDR
[4] "H-e"[2](52) # "epsilon" lid 0 4xEDR
[8] "S-s"[8] # "leaf s" lid 0 4xSDR
)";

constexpr const char* kPartitions = R"(# who may talk to whom
Default=0x7fff: ALL_SWITCHES=full, SELF=full;
storage=0x1, ipoib, mtu=4, rate=3: 0x11=full, 0x21;
storage=0x1: 0x31;
quiet=0x2: 0x21, 0x31;
alone=0x3: 0x41=full;
)";

constexpr const char* kPolicy = R"(qos-levels
    qos-level
        name: DEFAULT
        sl: 0
    end-qos-level
    qos-level
        name: gold
        sl: 3
        mtu-limit: 3
        rate-limit: 2
        packet-life: 12
    end-qos-level
end-qos-levels
qos-match-rules
    qos-match-rule
        service-id: 77
        qos-level-name: gold
    end-qos-match-rule
end-qos-match-rules
)";

class EmbercExplain : public ::testing::Test {
protected:
    EmbercExplain() {
        folder_.Write("net", kNet);
        folder_.Write("partitions.conf", kPartitions);
        folder_.Write("policy", kPolicy);
        folder_.Write("names", "0x40 \"delta of row 3\"\n");
        folder_.Write("conf",
                      "partition_config_file partitions.conf\nqos TRUE\n"
                      "qos_policy_file policy\nqos_sl2vl 0,1,2,5,0,0,0,0,0,0,0,0,0,0,0,0\n"
                      "qos_max_vls 8\nmax_op_vls 4\nnode_name_map_name names\n");
    }

    Answer Explain(std::vector<std::string> words) {
        words.insert(words.begin(), "explain");
        for (const std::string& word :
             {std::string("--fabric"), folder_.File("net"), std::string("--config"),
              folder_.File("conf"), std::string("--sm"), sm_}) {
            words.push_back(word);
        }
        return Emberc(words);
    }
    std::string Page(const std::vector<std::string>& words) {
        const Answer answer = Explain(words);
        EXPECT_EQ(answer.status, 0) << answer.error;
        return answer.out;
    }
    Json Facts(std::vector<std::string> words) {
        words.emplace_back("--json");
        return Json::parse(Page(words));
    }
    std::string Refused(const std::vector<std::string>& words) {
        const Answer answer = Explain(words);
        EXPECT_EQ(answer.status, 2);
        EXPECT_EQ(answer.out, "");
        return answer.error;
    }

    Folder folder_;
    std::string sm_ = "0x100";
};

TEST_F(EmbercExplain, NamesThePartitionTheKindsOfMembersAndTheLines) {
    EXPECT_THAT(
        Page({"partition", "0x11", "0x21"}),
        AllOf(HasSubstr("a: alpha one HCA-1 port 1 (LID "), HasSubstr("b: beta port 1 (LID "),
              HasSubstr("They may talk; a sends by P_Key 0x8001.\n"),
              HasSubstr("partition 0x0001 \"storage\" (line 3)\n"
                        "    alpha one HCA-1: a full member, line 3\n"
                        "    beta: a limited member, line 3\n")));
    const Json facts = Facts({"partition", "0x11", "0x31"});
    EXPECT_EQ(facts["may_talk"], true);
    EXPECT_EQ(facts["p_key"], "0x8001");
    ASSERT_EQ(facts["shared"].size(), 2U);  // All ports are limited members of the default one.
    EXPECT_EQ(facts["shared"][0]["b"]["line"], 4);
    EXPECT_EQ(facts["shared"][0]["b"]["membership"], "limited");
}

TEST_F(EmbercExplain, SaysThatTwoLimitedMembersDoNotTalk) {
    EXPECT_THAT(Page({"partition", "0x21", "0x31"}),
                AllOf(HasSubstr("They may not talk: they are limited members of what they share."),
                      HasSubstr("partition 0x0001 \"storage\" (line 3): two limited members"),
                      HasSubstr("partition 0x0002 \"quiet\" (line 5): two limited members"),
                      HasSubstr("gamma: a limited member, line 4")));
    EXPECT_EQ(Facts({"partition", "0x21", "0x31"})["may_talk"], false);
}

TEST_F(EmbercExplain, SaysWhatPortsAreInThatMayNotTalk) {
    EXPECT_THAT(Page({"partition", "0x11", "0x41"}),
                AllOf(HasSubstr("They may not talk: they are limited members of what they share."),
                      HasSubstr("partition 0x7fff \"Default\" (line 2): two limited members"),
                      HasSubstr("alpha one HCA-1 is in\n    partition 0x0001 \"storage\""),
                      HasSubstr("delta of row 3 is in\n    partition 0x0003 \"alone\" (line 6): a "
                                "full member, line 6")));
    const Json facts = Facts({"partition", "0x11", "0x51"});
    EXPECT_EQ(facts["b_is_in"]["count"], 1);
    EXPECT_EQ(facts["b_is_in"]["partitions"][0]["member"]["membership"], "limited");
}

TEST_F(EmbercExplain, TakesNamesGuidsAndLids) {
    const Json facts = Facts({"partition", "alpha one HCA-1", "beta"});
    EXPECT_EQ(facts["a"]["guid"], "0x0000000000000011");
    EXPECT_EQ(facts["a"]["node"], "0x0000000000000010");
    EXPECT_EQ(facts["a"]["node_name"], "alpha one HCA-1");
    const std::string lid = std::to_string(facts["a"]["lid"].get<int>());
    for (const std::string& word :
         {lid, std::string("0x10"), std::string("0x11"), std::string("alpha"),
          std::string("alpha/1"), std::string("alpha one HCA-1/1"), std::string("0x10/1")}) {
        EXPECT_EQ(Facts({"partition", word, "beta"})["a"], facts["a"]) << word;
    }
    EXPECT_EQ(Facts({"partition", "delta of row 3", "delta"})["b"]["guid"], "0x0000000000000041");
    EXPECT_EQ(Facts({"partition", "leaf s", "0x200"})["a"]["port"], 0);
    EXPECT_EQ(Facts({"partition", "epsilon/2", "beta"})["a"]["guid"], "0x0000000000000052");
    EXPECT_EQ(Facts({"partition", "gamma", "beta"})["a"]["guid"], "0x0000000000000031");
    EXPECT_EQ(Facts({"partition", "epsilon port 2", "beta"})["a"]["guid"], "0x0000000000000052");
}

TEST_F(EmbercExplain, ShowsLettersBeyondAscii) {
    folder_.Write("names", "0x10 \"Zürich Süd\"\n0x20 \"東京 2\"\n");
    EXPECT_THAT(Page({"partition", "Zürich", "東京 2/1"}), HasSubstr("a: Zürich Süd port 1 (LID "));
}

TEST_F(EmbercExplain, SaysWhichWordMeansNoPort) {
    EXPECT_THAT(Refused({"partition", "nobody", "beta"}),
                HasSubstr("\"nobody\" is the name of no node"));
    EXPECT_THAT(Refused({"partition", "beta", ""}), HasSubstr("\"\" is the name of no node"));
    EXPECT_THAT(Refused({"partition", "leaf", "beta"}),
                HasSubstr("\"leaf\" may be 2 nodes: 0x0000000000000100 (leaf s), "
                          "0x0000000000000200 (leaf t); say a GUID"));
    EXPECT_THAT(Refused({"partition", "epsilon", "beta"}), HasSubstr("several ports with LIDs"));
    EXPECT_THAT(Refused({"partition", "epsilon/3", "beta"}), HasSubstr("no such port with a LID"));
    EXPECT_THAT(Refused({"partition", "0x99", "beta"}), HasSubstr("the GUID of no port"));
    EXPECT_THAT(Refused({"partition", "999", "beta"}), HasSubstr("the LID of no port"));
    EXPECT_THAT(Refused({"partition", "a\"b", "beta"}), HasSubstr("no quotation marks"));
}

TEST_F(EmbercExplain, FollowsAPathAndNamesTheSlowestLink) {
    const Json facts = Facts({"path", "alpha", "0x31"});
    EXPECT_EQ(facts["told"], true);
    ASSERT_EQ(facts["hops"].size(), 3U);
    EXPECT_EQ(facts["hops"][0]["from"]["node_name"], "alpha one HCA-1");
    EXPECT_EQ(facts["hops"][1]["from"]["node_name"], "leaf s");
    EXPECT_EQ(facts["hops"][1]["from"]["port"], 8);
    EXPECT_EQ(facts["hops"][1]["rate"], "10");
    EXPECT_EQ(facts["hops"][2]["to"]["node_name"], "gamma");
    EXPECT_EQ(facts["hops"][2]["rate"], "100");
    EXPECT_EQ(facts["rate"], "10");
    EXPECT_EQ(facts["rate_limit"]["by"], "link");
    EXPECT_EQ(facts["rate_limit"]["from"]["node_name"], "leaf s");
    EXPECT_EQ(facts["p_key"], "0x8001");
    EXPECT_EQ(facts["sl"], 0);
    EXPECT_EQ(facts["sl_by"], "level");
    EXPECT_THAT(
        Page({"path", "alpha", "0x31"}),
        AllOf(HasSubstr("a is told of a path to b."),
              HasSubstr("QoS level \"DEFAULT\", as no rule of qos_policy_file fits: SL 0\n"),
              HasSubstr("  3 hops, from LID "),
              HasSubstr("leaf s port 8 -> leaf t port 8  MTU 4096, 10 Gb/s, VL 0\n"),
              HasSubstr("rate 10 Gb/s: that of the link from leaf s port 8 to leaf t port 8"),
              HasSubstr("P_Key 0x8001: partition 0x0001 \"storage\" (line 3)")));
}

TEST_F(EmbercExplain, SaysWhatIsAssumedOnPaper) {
    EXPECT_THAT(Page({"path", "alpha", "0x31"}), HasSubstr("an MTU of 4096 (--port-mtu)"));
    const Json facts = Facts({"path", "alpha", "0x31", "--port-mtu", "1024"});
    EXPECT_EQ(facts["mtu"], 1024);
    EXPECT_EQ(facts["mtu_limit"]["by"], "link");
    EXPECT_THAT(Page({"join", "alpha", "ff12:401b:8001::ffff:ffff", "--port-mtu", "1024"}),
                AllOf(HasSubstr("It may not join: the port's MTU is below the group's"),
                      HasSubstr("an MTU of 1024 (--port-mtu)")));
    EXPECT_THAT(Page({"partition", "alpha", "beta"}), Not(HasSubstr("On paper")));
    EXPECT_EQ(Explain({"path", "alpha", "beta", "--port-mtu", "1000"}).status, 2);
}

TEST_F(EmbercExplain, NamesTheRuleItsLineTheLevelAndTheLane) {
    const Json facts = Facts({"path", "alpha", "0x31", "--service-id", "77"});
    EXPECT_EQ(facts["qos"]["level"], "gold");
    EXPECT_EQ(facts["qos"]["rule"], 1);
    EXPECT_EQ(facts["qos"]["line"], 15);
    EXPECT_EQ(facts["sl"], 3);
    EXPECT_EQ(facts["mtu"], 1024);
    EXPECT_EQ(facts["mtu_limit"]["by"], "level");
    EXPECT_EQ(facts["rate"], "2.5");
    EXPECT_EQ(facts["rate_limit"]["by"], "level");
    EXPECT_EQ(facts["packet_life_time"], 12);
    for (const Json& hop : facts["hops"]) {
        EXPECT_EQ(hop["vl"], 5);
    }
    EXPECT_THAT(Page({"path", "alpha", "0x31", "--service-id", "0x4d"}),
                AllOf(HasSubstr("QoS level \"gold\", by rule 1 of qos_policy_file (line 15): SL "
                                "3, MTU at most 1024, at most 2.5 Gb/s, packet life 12\n"),
                      HasSubstr("SL 3: that of the QoS level"), HasSubstr(", VL 5\n"),
                      HasSubstr("MTU 1024: the limit of the QoS level"),
                      HasSubstr("rate 2.5 Gb/s: the limit of the QoS level")));
}

TEST_F(EmbercExplain, NamesTheLanesOfARoutingWhateverTheKeysSay) {
    ASSERT_EQ(Emberc({"fabric", "torus", "8", "-o", folder_.File("net")}).status, 0);
    folder_.Write("conf",
                  "routing_engine auto\nqos TRUE\nqos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
    sm_ = "0x200000";
    std::set<int> lanes;
    for (int pair = 0; pair < 64; ++pair) {
        const int from = pair % 8;
        const int to = pair / 8;
        if (from == to) continue;
        const Json facts = Facts({"path", fmt::format("{:#x}", 0x100001 + 2 * from),
                                  fmt::format("{:#x}", 0x100001 + 2 * to)});
        EXPECT_EQ(facts["sl_by"], "routing") << facts.dump(2);
        const Json& hops = facts["hops"];
        EXPECT_EQ(hops.front()["vl"], 0) << "links of hosts need one lane";
        EXPECT_EQ(hops.back()["vl"], 0) << "links of hosts need one lane";
        for (std::size_t i = 1; i + 1 < hops.size(); ++i) {
            EXPECT_EQ(hops[i]["vl"], facts["sl"]) << facts.dump(2);
            lanes.insert(hops[i]["vl"].get<int>());
        }
    }
    EXPECT_EQ(lanes, (std::set<int>{0, 1})) << "two lanes make a ring free of credit loops";
}

TEST_F(EmbercExplain, SaysWhyThereIsNoPath) {
    const auto why = [this](const std::vector<std::string>& words) {
        const Json facts = Facts(words);
        EXPECT_EQ(facts["told"], false);
        return facts["why"].get<std::string>();
    };
    EXPECT_EQ(why({"path", "beta", "0x31"}), "they share no partition in which they may talk");
    EXPECT_THAT(why({"path", "alpha", "0x31", "--pkey", "0x8002"}),
                HasSubstr("the partition asked for"));
    EXPECT_THAT(why({"path", "alpha", "0x31", "--sl", "4"}), HasSubstr("another service level"));
    EXPECT_THAT(why({"path", "alpha", "0x31", "--rate", "100"}), HasSubstr("the rate asked for"));
    EXPECT_THAT(why({"path", "alpha", "0x31", "--service-id", "77", "--mtu", "4096"}),
                HasSubstr("the MTU asked for"));
    EXPECT_THAT(Page({"path", "beta", "0x31"}),
                AllOf(HasSubstr("a is told of no path to b: they share no partition in "),
                      Not(HasSubstr("rate 10 Gb/s: "))));
}

TEST_F(EmbercExplain, SaysWhatIsWrongWithAnOption) {
    EXPECT_THAT(Refused({"path", "alpha", "beta", "--sl", "16"}),
                HasSubstr("sl wants a number up to 0xf"));
    EXPECT_THAT(Refused({"path", "alpha", "beta", "--mtu", "1000"}),
                HasSubstr("mtu wants 256, 512"));
    EXPECT_THAT(Refused({"path", "alpha", "beta", "--rate", "11"}), HasSubstr("rate wants Gb/s"));
    EXPECT_THAT(Refused({"path", "alpha", "beta", "--qos-class", "4096"}),
                HasSubstr("qos-class wants"));
    EXPECT_THAT(Refused({"join", "alpha", "ff12"}), HasSubstr("\"ff12\" is no MGID"));
    EXPECT_THAT(Refused({"join", "alpha", "ff12::1", "--state", "half"}),
                HasSubstr("state wants full"));
    EXPECT_EQ(Emberc({"explain", "partition", "a", "b"}).status, 2);
    EXPECT_EQ(Emberc({"explain"}).status, 2);
}

constexpr const char* kBroadcastOfStorage = "ff12:401b:8001::ffff:ffff";

TEST_F(EmbercExplain, AdmitsAMemberOfThePartition) {
    const Json facts = Facts({"join", "alpha", kBroadcastOfStorage});
    EXPECT_EQ(facts["admitted"], true);
    EXPECT_EQ(facts["exists"], true);
    EXPECT_EQ(facts["group"]["mtu"], 2048);
    EXPECT_EQ(facts["group"]["rate"], "10");
    EXPECT_EQ(facts["member_of_partition"]["line"], 3);
    EXPECT_THAT(
        Page({"join", "beta", kBroadcastOfStorage}),
        AllOf(HasSubstr("It may join.\n"),
              HasSubstr("MGID: ff12:401b:8001:0000:0000:0000:ffff:ffff\n"),
              HasSubstr("it is of partition 0x0001 \"storage\" (line 3), with Q_Key 0xb1b, SL 0, "
                        "MTU 2048, 10 Gb/s"),
              HasSubstr("in that partition the port is a limited member, line 3"),
              HasSubstr("the port can MTU 4096, 100 Gb/s")));
}

TEST_F(EmbercExplain, SaysWhyAPortMayNotJoin) {
    const auto why = [this](const std::vector<std::string>& words) {
        const Json facts = Facts(words);
        EXPECT_EQ(facts["admitted"], false);
        return facts["why"].get<std::string>();
    };
    EXPECT_EQ(why({"join", "0x41", kBroadcastOfStorage}),
              "the port is not in the group's partition");
    EXPECT_EQ(Facts({"join", "0x41", kBroadcastOfStorage})["status"], "0x0200");
    EXPECT_THAT(why({"join", "alpha", "ff12:a01c::1"}),
                HasSubstr("to make it a request needs Q_Key"));
    EXPECT_THAT(why({"join", "alpha", "ff12:a01c::1", "--state", "send-only"}),
                HasSubstr("only a full member makes one"));
    EXPECT_THAT(why({"join", "alpha", kBroadcastOfStorage, "--qkey", "7"}),
                HasSubstr("other values than those asked for"));
    EXPECT_THAT(why({"join", "alpha", "ff12:a01c::1", "--pkey", "0x8001", "--qkey", "7", "--sl",
                     "0", "--tclass", "0", "--flow-label", "0", "--rate", "200"}),
                HasSubstr("cannot do the MTU or the rate"));
    const Json made = Facts({"join", "alpha", "ff12:a01c::1", "--pkey", "0x8001", "--qkey", "7",
                             "--sl", "0", "--tclass", "0", "--flow-label", "0"});
    EXPECT_EQ(made["admitted"], true);
    EXPECT_EQ(made["exists"], false);
    EXPECT_THAT(
        Page({"join", "0x41", kBroadcastOfStorage}),
        AllOf(
            HasSubstr("It may not join: the port is not in the group's partition (status 0x0200)"),
            HasSubstr("in that partition the port is no member")));
}

TEST_F(EmbercExplain, WithoutPartitionsEverybodyTalks) {
    const Answer answer =
        Emberc({"explain", "partition", "alpha", "beta", "-f", folder_.File("net")});
    EXPECT_EQ(answer.status, 0) << answer.error;
    EXPECT_THAT(answer.out, AllOf(HasSubstr("They may talk; a sends by P_Key 0xffff."),
                                  HasSubstr("No partition_config_file")));
    const Answer path = Emberc({"explain", "path", "alpha", "beta", "-f", folder_.File("net")});
    EXPECT_THAT(path.out, AllOf(HasSubstr("qos is off: no QoS policy"), HasSubstr("  2 hops")));
    const Answer self = Emberc({"explain", "path", "alpha", "alpha", "-f", folder_.File("net")});
    EXPECT_EQ(self.status, 0);
    EXPECT_THAT(self.out, AllOf(HasSubstr("  0 hops"), HasSubstr("that of the port itself")));
}

TEST_F(EmbercExplain, ListsAsManyPartitionsAsFitAPageAndCountsTheRest) {
    std::string file = "Default=0x7fff: ALL_SWITCHES=full, SELF=full;\n";
    for (int i = 1; i <= 50; ++i) {
        file += fmt::format("p{0}=0x{0:x}: 0x11=full, 0x21=full;\n", i);
    }
    folder_.Write("partitions.conf", file);
    const Json facts = Facts({"partition", "alpha", "beta"});
    EXPECT_EQ(facts["shared"].size(), 32U);
    EXPECT_EQ(facts["shared_count"], 51);
    EXPECT_THAT(Page({"partition", "alpha", "beta"}), HasSubstr("... and 19 more"));
}

}  // namespace
}  // namespace ember::explain
