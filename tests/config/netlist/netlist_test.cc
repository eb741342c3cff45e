// SPDX-License-Identifier: Apache-2.0
// EmberSM: netlists and topologies: what is read, what is refused, what is generated.
#include "config/netlist/netlist.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "config/netlist/topologies.h"

namespace ember::net {
namespace {

Netlist Good(std::string_view text) {
    NetErrors errors;
    Netlist net = ParseNetlist(text, "good.net", errors);
    EXPECT_TRUE(errors.empty()) << errors.front();
    return net;
}

std::string FirstError(std::string_view text) {
    NetErrors errors;
    const Netlist net = ParseNetlist(text, "bad.net", errors);
    EXPECT_TRUE(net.nodes.empty());
    return errors.empty() ? "no error" : errors.front();
}

constexpr std::string_view kIbnetdiscover = R"(#
# Topology file: generated on Mon Nov 16 10:00:00 2026
#
# Initiated from node e41d2d030012a440 port e41d2d030012a441

vendid=0x2c9
devid=0xcb84
sysimgguid=0xe41d2d0300aabbc0
switchguid=0xe41d2d0300aabbc1(e41d2d0300aabbc1)
Switch  36 "S-e41d2d0300aabbc1"     # "MF0;leaf1:SX6036/U1" enhanced port 0 lid 4 lmc 0
[1] "H-e41d2d030012a440"[1](e41d2d030012a441)       # "node1 HCA-1" lid 1 4xEDR
[36]    "H-e41d2d030012b440"[2](e41d2d030012b442)       # "node2 HCA-1" lid 2 4xQDR

vendid=0x2c9
devid=0x1011
sysimgguid=0xe41d2d030012a443
caguid=0xe41d2d030012a440
Ca  1 "H-e41d2d030012a440"      # "node1 HCA-1"
[1](e41d2d030012a441)   "S-e41d2d0300aabbc1"[1]     # lid 1 lmc 0 "MF0;leaf1:SX6036/U1" lid 4 4xEDR

vendid=0x2c9
caguid=0xe41d2d030012b440
Ca  2 "H-e41d2d030012b440"      # "node2 HCA-1"
[2](e41d2d030012b442)   "S-e41d2d0300aabbc1"[36]        # lid 2 lmc 0 "MF0;leaf1:SX6036/U1" lid 4 4xQDR
)";

TEST(Netlist, ReadsWhatIbnetdiscoverPrints) {
    const Netlist net = Good(kIbnetdiscover);
    ASSERT_EQ(net.nodes.size(), 3U);
    const NetNode& leaf = net.nodes[0];
    EXPECT_EQ(leaf.type, NodeType::kSwitch);
    EXPECT_EQ(leaf.guid, Guid{0xE41D2D0300AABBC1});
    EXPECT_EQ(leaf.system_image_guid, Guid{0xE41D2D0300AABBC0});
    EXPECT_EQ(leaf.device_id, 0xCB84);
    EXPECT_EQ(leaf.vendor_id, 0x2C9U);
    EXPECT_EQ(leaf.description, "MF0;leaf1:SX6036/U1");
    EXPECT_TRUE(leaf.enhanced_port0);
    EXPECT_EQ(leaf.port_count(), 36U);
    EXPECT_EQ(leaf.ports[36].peer, 2U);
    EXPECT_EQ(leaf.ports[36].peer_port, 2);
    EXPECT_EQ(leaf.ports[1].extended_speed, 2);
    EXPECT_EQ(leaf.ports[36].extended_speed, 0);
    EXPECT_EQ(leaf.ports[36].speed, 4);
    EXPECT_EQ(net.nodes[1].ports[1].guid, Guid{0xE41D2D030012A441});
    EXPECT_EQ(net.nodes[2].ports[2].guid, Guid{0xE41D2D030012B442});
    EXPECT_EQ(net.link_count(), 2U);
    EXPECT_EQ(leaf.ports[0].lid, Lid{4});
    EXPECT_EQ(leaf.ports[1].lid, kNoLid);
    EXPECT_EQ(net.nodes[1].ports[1].lid, Lid{1});
    EXPECT_EQ(net.nodes[2].ports[2].lid, Lid{2});
}

/// The numbers are those that ibsim 0.10 gave these nodes.
TEST(Netlist, NumbersGuidsAsIbsimDoes) {
    const Netlist net = Good(
        "Switch 4 \"S-a\"\n[1] \"H-x\"[1]\n[2] \"H-y\"[2]\n\n"
        "Switch 8 \"S-b\"\n[1] \"H-x\"[2]\n\n"
        "Hca 2 \"H-x\"\n[1] \"S-a\"[1]\n[2] \"S-b\"[1]\n\n"
        "Hca 2 \"H-y\"\n[2] \"S-a\"[2]\n");
    EXPECT_EQ(net.nodes[0].guid, Guid{0x200000});
    EXPECT_EQ(net.nodes[1].guid, Guid{0x200001});
    EXPECT_EQ(net.nodes[2].guid, Guid{0x100000});
    EXPECT_EQ(net.nodes[3].guid, Guid{0x100003});
}

TEST(Netlist, TakesIbsimsWidthOption) {
    const Netlist net =
        Good("Switch 2 \"S\"\n[1] \"H\" [1]\tw=12\n\nCa 1 \"H\"\n[1] \"S\"[1] w=12\n");
    EXPECT_EQ(net.nodes[0].ports[1].width, 8);
}

TEST(Netlist, NamesFileLineAndMistake) {
    EXPECT_EQ(FirstError("\n\nSwitch 4 \"S\"\n[1] \"H\"[1]\n"),
              "bad.net:4: error: there is no node \"H\"");
    EXPECT_EQ(FirstError("Switch 4 \"S\"\n[5] \"S\"[1]\n"),
              "bad.net:2: error: port 5 is out of range: \"S\" has 4 ports");
    EXPECT_EQ(FirstError("Switch 4 \"S\"\n[1] \"H\"[2]\n\nCa 1 \"H\"\n[1] \"S\"[1]\n"),
              "bad.net:2: error: port 2 is out of range: \"H\" has 1 ports");
    EXPECT_EQ(FirstError("Switch 4 \"S\"\n[1] \"H\"[1]\n\nCa 1 \"H\"\n"),
              "bad.net:2: error: \"S\"[1] is cabled to \"H\"[1], which is not cabled");
    EXPECT_EQ(
        FirstError("Switch 4 \"S\"\n[1] \"H\"[1]\n[2] \"H\"[1]\n\nCa 1 \"H\"\n[1] \"S\"[2]\n"),
        "bad.net:2: error: \"S\"[1] is cabled to \"H\"[1], which is cabled to \"S\"[2] (line 6)");
    EXPECT_EQ(FirstError("Switch 4 \"S\"\n\nSwitch 4 \"S\"\n"),
              "bad.net:3: error: \"S\" is defined a second time; first in line 1");
    EXPECT_EQ(FirstError("Switch 4 \"S\"\n[1] \"S\"[2]\n[1] \"S\"[3]\n"),
              "bad.net:3: error: port 1 of \"S\" is cabled a second time; first in line 2");
    EXPECT_EQ(FirstError("Switch 255 \"S\"\n"), "bad.net:1: error: a node has 1 to 254 ports");
    EXPECT_EQ(FirstError("Switch 4 S\n"), "bad.net:1: error: expected the node's name in quotes");
    EXPECT_EQ(FirstError("[1] \"S\"[1]\n"),
              "bad.net:1: error: a port line without a node above it");
    EXPECT_EQ(FirstError("Swich 4 \"S\"\n"),
              "bad.net:1: error: expected Switch, Ca, Hca, Rt, a port line or a comment, not "
              "\"Swich 4 \"S\"\"");
    EXPECT_EQ(FirstError("switchguid=zebra\n"),
              "bad.net:1: error: switchguid needs a hexadecimal number");
    EXPECT_EQ(FirstError(""), "bad.net:0: error: the netlist has no node");
}

TEST(Netlist, TellsTwentyMistakesAndHowManyMoreThereAre) {
    std::string text;
    for (int i = 0; i < 50; ++i) {
        text += "nonsense\n";
    }
    NetErrors errors;
    EXPECT_TRUE(ParseNetlist(text, "bad.net", errors).nodes.empty());
    ASSERT_EQ(errors.size(), 21U);
    EXPECT_EQ(errors[19].substr(0, 19), "bad.net:20: error: ");
    EXPECT_EQ(errors[20], "bad.net: error: 30 more errors like these");

    // Mistakes that are found when the cables are put together count too.
    text = "Switch 254 \"S\"\n";
    for (int i = 1; i <= 21; ++i) {
        text += "[" + std::to_string(i) + "] \"absent\"[1]\n";
    }
    errors.clear();
    EXPECT_TRUE(ParseNetlist(text, "bad.net", errors).nodes.empty());
    ASSERT_EQ(errors.size(), 21U);
    EXPECT_EQ(errors[20], "bad.net: error: 1 more error like these");
}

TEST(Netlist, TakesNoMoreNodesThanASubnetHasLids) {
    std::string text = "Ca 1 \"n0\"\n[1] \"n65534\"[1]\n";
    for (int i = 1; i < 65534; ++i) {
        text += "Ca 1 \"n" + std::to_string(i) + "\"\n";
    }
    EXPECT_EQ(FirstError(text), "bad.net:2: error: there is no node \"n65534\"");
    text += "Ca 1 \"n65534\"\nnonsense\n";
    NetErrors errors;
    EXPECT_TRUE(ParseNetlist(text, "bad.net", errors).nodes.empty());
    EXPECT_EQ(errors, NetErrors{"bad.net:65536: error: a netlist has at most 65534 nodes"});
}

TEST(Netlist, ReadsWhatItWrites) {
    for (const Netlist& net :
         {FatTree3(4), RandomGraph(5, 12, 4, 2), DualRail(4, 2), Good(kIbnetdiscover)}) {
        const std::string text = WriteNetlist(net);
        const Netlist again = Good(text);
        EXPECT_EQ(WriteNetlist(again), text);
        EXPECT_EQ(again.nodes.size(), net.nodes.size());
        EXPECT_EQ(again.link_count(), net.link_count());
    }
}

/// Nothing that is read may crash the reader.
TEST(Netlist, OutlivesEveryCutAndEveryChangedCharacter) {
    const std::string text(kIbnetdiscover);
    for (std::size_t i = 0; i < text.size(); ++i) {
        NetErrors errors;
        (void)ParseNetlist(std::string_view(text).substr(0, i), "cut.net", errors);
        for (const char c : {'\0', '"', '[', '9', '\n', '#'}) {
            std::string changed = text;
            changed[i] = c;
            NetErrors more;
            const Netlist net = ParseNetlist(changed, "changed.net", more);
            EXPECT_EQ(net.nodes.empty(), !more.empty());
        }
    }
}

std::size_t Hosts(const Netlist& net) {
    return net.nodes.size() - net.switch_count();
}

TEST(Topologies, HaveTheSizesTheirNamesPromise) {
    struct Row {
        const char* name;
        std::size_t switches;
        std::size_t hosts;
        std::size_t links;
    };
    for (const Row& row : {Row{"ft2:8", 12, 32, 64}, Row{"ft3:16", 320, 1024, 3072},
                           Row{"ft3:36", 1620, 11664, 34992}, Row{"torus:4x4x4", 64, 64, 256},
                           Row{"torus:2x3", 6, 6, 15}, Row{"mesh:8x8", 64, 64, 176},
                           Row{"hypercube:6", 64, 64, 256}, Row{"dragonfly:4,2", 36, 36, 126},
                           Row{"ring:8:3", 8, 24, 32}, Row{"single:36", 1, 36, 36},
                           Row{"parallel:4:2", 2, 4, 8}, Row{"dualrail:16,2", 2, 16, 34}}) {
        std::string error;
        const Netlist net = TopologyByName(row.name, error);
        EXPECT_EQ(error, "");
        EXPECT_EQ(net.switch_count(), row.switches) << row.name;
        EXPECT_EQ(Hosts(net), row.hosts) << row.name;
        EXPECT_EQ(net.link_count(), row.links) << row.name;
    }
}

TEST(Topologies, RefuseNumbersThatDoNotFit) {
    for (const char* name : {"ft3", "ft3:", "ft3:15", "ft3:64000", "torus:0x4", "torus:4y4",
                             "moebius:4", "ring:1", "random:1,2", "single:300", "ft2:8:x", ""}) {
        std::string error;
        EXPECT_TRUE(TopologyByName(name, error).nodes.empty()) << name;
        EXPECT_NE(error, "") << name;
    }
}

TEST(Topologies, GiveEveryNodeAGuidAndANameOfItsOwn) {
    for (const Netlist& net : {FatTree3(8), Dragonfly(3, 2, 2), RandomGraph(3, 40, 5, 2)}) {
        std::set<std::string> names;
        std::set<Guid> guids;
        for (const NetNode& node : net.nodes) {
            names.insert(node.id);
            guids.insert(node.guid);
        }
        EXPECT_EQ(names.size(), net.nodes.size());
        EXPECT_EQ(guids.size(), net.nodes.size());
    }
}

TEST(Topologies, RandomGraphsAreConnectedAndAFunctionOfTheSeed) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Netlist net = RandomGraph(seed, 30, 3, 1);
        EXPECT_EQ(WriteNetlist(net), WriteNetlist(RandomGraph(seed, 30, 3, 1)));
        std::vector<std::uint32_t> queue{0};
        std::set<std::uint32_t> seen{0};
        for (std::size_t i = 0; i < queue.size(); ++i) {
            for (const NetPort& port : net.nodes[queue[i]].ports) {
                if (port.peer == kNoPeer || !seen.insert(port.peer).second) continue;
                queue.push_back(port.peer);
            }
        }
        EXPECT_EQ(seen.size(), net.nodes.size()) << seed;
    }
}

TEST(Topologies, EveryTwoGroupsOfADragonflyShareOneCable) {
    const std::uint32_t switches = 4;
    const Netlist net = Dragonfly(switches, 2, 1);
    const auto first = static_cast<std::uint32_t>(Hosts(net));
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::size_t ends = 0;
    for (std::uint32_t i = first; i < net.nodes.size(); ++i) {
        for (const NetPort& port : net.nodes[i].ports) {
            if (port.peer == kNoPeer || port.peer < first) continue;
            const std::uint32_t here = (i - first) / switches;
            const std::uint32_t there = (port.peer - first) / switches;
            if (here == there) continue;
            ++ends;
            pairs.emplace(here, there);
        }
    }
    EXPECT_EQ(pairs.size(), 9U * 8U);
    EXPECT_EQ(ends, 9U * 8U);
}

}  // namespace
}  // namespace ember::net
