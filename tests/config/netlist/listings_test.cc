// SPDX-License-Identifier: Apache-2.0
// EmberSM: listings as the options of ibnetdiscover change them, and those of other tools.

#include <gtest/gtest.h>
#include <string>

#include "config/netlist/cuts.h"
#include "config/netlist/fabric_builder.h"
#include "config/netlist/netlist.h"
#include "core/administration/paths/known_rates.h"
#include "core/wire/rate.h"

namespace ember::net {
namespace {

Netlist Good(const std::string& text) {
    NetErrors errors;
    Netlist net = ParseNetlist(text, "good.net", errors);
    EXPECT_TRUE(errors.empty()) << errors.front();
    return net;
}

std::string FirstError(const std::string& text, std::size_t errors_wanted = 1) {
    NetErrors errors;
    EXPECT_TRUE(ParseNetlist(text, "bad.net", errors).nodes.empty());
    EXPECT_EQ(errors.size(), errors_wanted);
    return errors.empty() ? "no error" : errors.front();
}

/// Two hosts on a switch, the first by a link of that width and speed, with what follows it.
std::string Pair(const std::string& link, const std::string& devid = "0x1011") {
    return "# Initiated from node 20 port 21\n\n"
           "switchguid=0x10(10)\n"
           "Switch\t36 \"S-10\"\t\t# \"leaf\" enhanced port 0 lid 1 lmc 0\n"
           "[1]\t\"H-30\"[1](31) \t\t# \"an HCA-1\" lid 2 " +
           link +
           "\n"
           "[2]\t\"H-20\"[1](21) \t\t# \"host HCA-1\" lid 3 " +
           link +
           "\n\n"
           "vendid=0x2c9\ndevid=" +
           devid +
           "\ncaguid=0x30\n"
           "Ca\t1 \"H-30\"\t\t# \"an HCA-1\"\n"
           "[1](31) \t\"S-10\"[1]\t\t# lid 2 lmc 0 \"leaf\" lid 1 " +
           link +
           "\n\n"
           "caguid=0x20\n"
           "Ca\t1 \"H-20\"\t\t# \"host HCA-1\"\n"
           "[1](21) \t\"S-10\"[2]\t\t# lid 3 lmc 0 \"leaf\" lid 1 " +
           link + "\n";
}

/// The rate of the link as its hosts know it, which a plan tells.
Rate RateOf(const std::string& link) {
    const Netlist net = Good(Pair(link));
    const BuiltFabric built(net, {.own_node = 2, .own_port = 1, .has_links = true});
    const Fabric& fabric = built.fabric();
    const PortInfo& info = fabric.port(fabric.FindPort(Guid{0x21})).info;
    return RateKnownTo(info, LinkRate(info, true));
}

TEST(Listings, TellSpeedsAlsoWhereTheNumbersOfFFollow) {
    EXPECT_EQ(RateOf("4xSDR s=1 w=2 v=4"), Rate::k10Gb);
    EXPECT_EQ(RateOf("4xHDR s=4 w=2 v=4 e=4"), Rate::k200Gb);
    EXPECT_EQ(RateOf("1xEDR  "), Rate::k25Gb);
}

TEST(Listings, TellEachSpeedAndWidthAndPortsCanWhatTheyProve) {
    EXPECT_EQ(RateOf("4xFDR10"), Rate::k40Gb);
    EXPECT_EQ(RateOf("2xFDR"), Rate::k28Gb);
    EXPECT_EQ(RateOf("2xEDR"), Rate::k50Gb);
    EXPECT_EQ(RateOf("1xHDR"), Rate::k50Gb);
    EXPECT_EQ(RateOf("4xNDR"), Rate::k400Gb);
    EXPECT_EQ(RateOf("1xXDR"), Rate::k200Gb);
    EXPECT_EQ(RateOf("4xXDR"), Rate::k800Gb);
    EXPECT_EQ(RateOf("8xXDR"), Rate::k1600Gb);
    EXPECT_EQ(RateOf("12xXDR"), Rate::k2400Gb);
}

TEST(Listings, NameASpeedThatIsNotKnown) {
    EXPECT_EQ(FirstError(Pair("4xZDR"), 4),
              "bad.net:5: error: the speed of links \"ZDR\" is not known: SDR, DDR, QDR, FDR10, "
              "FDR, EDR, HDR, NDR and XDR are");
}

TEST(Listings, OfAnOlderIbnetdiscoverLeaveOnlyTheWidthOfTwoLanesWithoutAName) {
    EXPECT_EQ(RateOf("??HDR"), Rate::k100Gb);
    EXPECT_EQ(RateOf("??NDR s=4 w=16 v=4 e=8"), Rate::k200Gb);
    EXPECT_EQ(FirstError(Pair("4x??"), 4),
              "bad.net:5: error: the ibnetdiscover that wrote this listing is too old to name the "
              "speed of this link, \"??\": write it in its place, as in 4xNDR");
    EXPECT_EQ(FirstError(Pair("????"), 4), FirstError(Pair("4x??"), 4));
}

TEST(Listings, NameAWidthThatIsNone) {
    EXPECT_EQ(FirstError(Pair("3xHDR"), 4),
              "bad.net:5: error: links have no width of 3: 1x, 2x, 4x, 8x and 12x are");
}

TEST(Listings, AreWrittenAsTheyAreRead) {
    for (const char* const link : {"4xXDR", "2xNDR", "1xSDR"}) {
        const Netlist net = Good(Pair(link));
        const Netlist again = Good(WriteNetlist(net));
        EXPECT_EQ(again.nodes[0].ports[1].extended_speed, net.nodes[0].ports[1].extended_speed);
        EXPECT_EQ(again.nodes[0].ports[1].speed, net.nodes[0].ports[1].speed);
        EXPECT_EQ(again.nodes[0].ports[1].width, net.nodes[0].ports[1].width);
    }
}

TEST(Listings, AreGroupedByChassisWithG) {
    std::string text = Pair("4xEDR");
    text.replace(text.find("[1]\t\"H-30\"[1](31)"), 17, "[1][ext 3]\t\"H-30\"[1][ext 12](31)");
    for (const char* const heading :
         {"Non-Chassis Nodes\n\n", "Chassis 1 (guid 0x10)\n", "Spine 2 Chip 1\n",
          "Line 11 Chip 2\n", "Chassis Switch ISR9024D\n", "DUPLICATED GUIDs\n"}) {
        const Netlist net = Good(heading + text);
        ASSERT_EQ(net.nodes.size(), 3U) << heading;
        EXPECT_EQ(net.nodes[0].ports[1].peer, 1U);
    }
}

TEST(Listings, SeatTheManagerWhereTheyWereMade) {
    const NetEnd made = FirstSeat(Good(Pair("4xEDR")));
    EXPECT_EQ(made.node, 2U) << "not at the first CA";
    EXPECT_EQ(made.port, 1U);
    std::string text = Pair("4xEDR", "0xcf09");
    text.erase(0, text.find('\n'));
    EXPECT_EQ(FirstSeat(Good(text)).node, 2U) << "never at an aggregation node";
    text = Pair("4xEDR");
    text.erase(0, text.find('\n'));
    EXPECT_EQ(FirstSeat(Good(text)).node, 1U);
}

TEST(Listings, OfOtherToolsAreNamed) {
    const std::string ports =
        "CA     4  1 0x0000002000000b11 4x SDR - SW     3  2 0x0000002000000a01 ( 'a' - 'b' )\n"
        "SW     3 36 0x0000002000000a01 4x SDR      'b'\n";
    EXPECT_EQ(FirstError(ports),
              "bad.net:1: error: this is not a listing of nodes and cables but the ports of "
              "ibnetdiscover -p: give what ibnetdiscover prints without options");
    EXPECT_NE(FirstError("Switch: 0x0000002000000a01 leaf:\n    3   1[  ] ==( 4X ... )\n")
                  .find("iblinkinfo"),
              std::string::npos);
    EXPECT_NE(FirstError("CA 'mlx5_0'\n\tCA type: MT4123\n").find("ibstat"), std::string::npos);
    EXPECT_NE(FirstError("Ca\t: 0x0000002000000b10 ports 1 \"n1 HCA-1\"\n").find("ibhosts"),
              std::string::npos);
    const std::pair<std::string, std::string> others[] = {
        {"Switch\t : 0x0000002000000a00 ports 36 devid 0xc738 vendid 0x2c9 \"x\"\n", "ibswitches"},
        {"0x2000000a00 \"leaf1\" 2 1[  ] ==( 4X 25.78125 Gbps Active/LinkUp)==> 0x2000000b01\n",
         "iblinkinfo -l"},
        {"Unicast lids [0x0-0x5] of switch Lid 2 guid 0x0000002000000a00 (leaf1):\n", "a table"},
        {"src/ibnetdisc.c:811; Failed to open umad port 0, mlx5_0\n", "an error"},
        {"\xFF\xFE#\n", "UTF-16"},
    };
    for (const auto& [text, word] : others) {
        EXPECT_NE(FirstError(text).find(word), std::string::npos) << FirstError(text);
    }
}

TEST(Listings, MayBeginWithAByteOrderMark) {
    EXPECT_EQ(Good("\xEF\xBB\xBF" + Pair("4xEDR")).nodes.size(), 3U);
}

}  // namespace
}  // namespace ember::net
