// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the text files that options name. What is said of mistakes, word for word, is
// in tests/golden/emberc/option_files.txt.
#include "config/emberc/option_files/option_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/contents.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;

/// The result of `parse`; `codes`: those of its diagnostics, apart by blanks.
template <typename Parse>
auto Parsed(const Parse& parse, std::string_view text, std::string& codes) {
    Diagnostics diagnostics("file");
    auto contents = parse(text, diagnostics);
    codes.clear();
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        codes += (codes.empty() ? "" : " ") + std::string(emberc::WordOf(one.code));
    }
    return contents;
}

TEST(OptionFileParsers, ReadGuidsAsPeopleWriteThem) {
    std::string codes;
    const std::string text = "# two\n0x2\n\n  0x0000000000000001\t# one\r\n3";
    EXPECT_EQ(Parsed(emberc::ParseGuidList, text, codes),
              (std::vector<Guid>{Guid{2}, Guid{1}, Guid{3}}));
    EXPECT_EQ(codes, "");
    EXPECT_EQ(Parsed(emberc::ParseGuidSet, text, codes),
              (std::vector<Guid>{Guid{1}, Guid{2}, Guid{3}}));
    EXPECT_EQ(Parsed(emberc::ParseGuidSet, "", codes), std::vector<Guid>{});
    EXPECT_EQ(codes, "");
}

TEST(OptionFileParsers, ReadNamesInQuotationMarks) {
    std::string codes;
    const auto parse = [&](std::string_view text) {
        return Parsed(emberc::ParseNodeNameMap, text, codes);
    };
    using Names = std::vector<emberc::NamedNode>;
    EXPECT_EQ(parse("# a comment\n0x2 \"leaf 2 # front\" # behind\n\n  0x1\t\"spine\"\r\n3\"x\""),
              (Names{{Guid{1}, "spine"}, {Guid{2}, "leaf 2 # front"}, {Guid{3}, "x"}}));
    EXPECT_EQ(codes, "");
    EXPECT_EQ(parse(""), Names{});
    EXPECT_EQ(parse("0x1 \"a\"\n0x1 \"a\"\n").size(), 1U);
    EXPECT_EQ(codes, "duplicate-entry");
    EXPECT_EQ(parse("0x1 \"a\"\n0x1 \"b\"\n").size(), 1U);
    EXPECT_EQ(codes, "contradiction");
    for (const std::string_view bad :
         {"0x1", "0x1 \"leaf", "0x1 \"l\x1b[2J\"", "0x1 \"l\xc3\"", "0x1 \"\xc0\xafl\"",
          "0x1 \"\xed\xa0\x80\"", "0x1 \"l\xc2\x9b\"", "0x1 \"l\xe2\x80\xae\"", "0x1 # \"leaf\""}) {
        EXPECT_EQ(parse(bad), Names{}) << bad;
        EXPECT_EQ(codes, "not-a-name") << bad;
    }
    EXPECT_EQ(parse("0x1 core # the old one\n0x2 edge\r\n0x3 a#b\n"),
              (Names{{Guid{1}, "core"}, {Guid{2}, "edge"}, {Guid{3}, "a"}}));
    EXPECT_EQ(codes, "not-a-name not-a-name not-a-name") << "notes";
    EXPECT_EQ(parse("0x1 core 2\n"), (Names{{Guid{1}, "core"}}));
    EXPECT_EQ(codes, "not-a-name trailing-text");
    EXPECT_EQ(parse("0x0 \"leaf\""), Names{});
    EXPECT_EQ(codes, "out-of-range");
    EXPECT_EQ(parse("0x1 \"\""), Names{});
    EXPECT_EQ(codes, "out-of-range");
    EXPECT_EQ(parse("0x1 \"" + std::string(kMostNameOctets, 'x') + "\"").size(), 1U);
    EXPECT_EQ(codes, "");
    EXPECT_EQ(parse("0x1 \"" + std::string(kMostNameOctets + 1, 'x') + "\""), Names{});
    EXPECT_EQ(codes, "out-of-range");
    EXPECT_EQ(parse("0x1 \"Zürich\"\n0x2 \"東京 2\"\n0x3 \"\xf0\x9f\x90\xa7\"\n"),
              (Names{{Guid{1}, "Zürich"}, {Guid{2}, "東京 2"}, {Guid{3}, "\xf0\x9f\x90\xa7"}}));
    EXPECT_EQ(codes, "");
    EXPECT_EQ(parse("0x1 \"" + std::string(kMostNameOctets - 1, 'x') + "é\""), Names{});
    EXPECT_EQ(codes, "out-of-range");
    std::string many;
    for (std::size_t i = 1; i <= kMostListedGuids; ++i) {
        many += fmt::format("{:#x} \"n\"\n", i);
    }
    EXPECT_EQ(parse(many).size(), kMostListedGuids);
    EXPECT_EQ(codes, "");
    EXPECT_EQ(parse(many + "0xffffff \"n\"\n0xfffffe \"n\"\n").size(), kMostListedGuids);
    EXPECT_EQ(codes, "too-large");
}

TEST(OptionFileParsers, ReadPrefixRoutesInOrder) {
    std::string codes;
    const auto parse = [&](std::string_view text) {
        return Parsed(
            [](std::string_view all, Diagnostics& diagnostics) {
                return emberc::ParsePrefixRoutesFile(all, diagnostics,
                                                     {.prefix = 0xFEC0000000000009});
            },
            text, codes);
    };
    EXPECT_EQ(parse("# far\n0xfec0000000000001 0x12\nfec0000000000002 *\n* 0x13 # any\n"),
              (std::vector<PrefixRoute>{{.prefix = 0xFEC0000000000001, .router = Guid{0x12}},
                                        {.prefix = 0xFEC0000000000002, .router = kNoGuid},
                                        {.prefix = 0, .router = Guid{0x13}}}));
    EXPECT_EQ(codes, "");
    EXPECT_EQ(parse("fec0000000000009 *\nfe80000000000000 0x1\n").size(), 2U);
    EXPECT_EQ(codes, "no-effect no-effect");
    EXPECT_EQ(parse("0x1 0x2\n0x1 0x3\n").size(), 2U);
    EXPECT_EQ(codes, "never-reached");
    EXPECT_EQ(parse("* *\n0x1 0x3\n").size(), 2U);
    EXPECT_EQ(codes, "never-reached");
    for (const std::string_view wrong :
         {"0x1", "0x1 0x2 0x3", "0x1 x", "0xg 0x1", "0 0x1", "0x1 0", "0x12345678123456781 1"}) {
        EXPECT_TRUE(parse(wrong).empty()) << wrong;
        EXPECT_NE(codes, "") << wrong;
    }
    std::string many;
    for (std::size_t i = 1; i <= kMostPrefixRoutes; ++i) {
        many += fmt::format("{:x} *\n", i);
    }
    EXPECT_EQ(parse(many).size(), kMostPrefixRoutes);
    EXPECT_EQ(codes, "");
    EXPECT_EQ(parse(many + "0xffff *\n0xfffe *\n").size(), kMostPrefixRoutes);
    EXPECT_EQ(codes, "too-large");
}

TEST(OptionFileParsers, TakeNoMoreGuidsThanASubnetHas) {
    std::string text;
    for (std::size_t guid = 1; guid <= kMostListedGuids; ++guid) {
        text += std::to_string(guid) + '\n';
    }
    std::string codes;
    EXPECT_EQ(Parsed(emberc::ParseGuidList, text, codes).size(), kMostListedGuids);
    EXPECT_EQ(codes, "");
    text += "60000\n60001\n60002\n";
    EXPECT_EQ(Parsed(emberc::ParseGuidList, text, codes).size(), kMostListedGuids);
    EXPECT_EQ(codes, "too-large") << "once, not for every line that follows";
    EXPECT_EQ(Parsed(emberc::ParseGuidSet, text, codes).size(), kMostListedGuids);
    EXPECT_EQ(codes, "too-large");
}

TEST(OptionFileParsers, KeepTheFirstOfTwoEqualEntries) {
    std::string codes;
    EXPECT_EQ(Parsed(emberc::ParseGuidList, "2\n1\n2\n", codes),
              (std::vector<Guid>{Guid{2}, Guid{1}}));
    EXPECT_EQ(codes, "duplicate-entry");
    EXPECT_EQ(Parsed(emberc::ParseIdsGuidFile, "2 5\n1 6\n2 5\n", codes),
              (std::vector<GuidNumber>{{Guid{1}, 6}, {Guid{2}, 5}}));
    EXPECT_EQ(codes, "duplicate-entry");
    EXPECT_EQ(Parsed(emberc::ParseHopWeightsFile, "2 1 3\n2 1 3\n", codes),
              (std::vector<HopWeight>{{Guid{2}, PortNumber{1}, 3}}));
    EXPECT_EQ(codes, "duplicate-entry");
    EXPECT_EQ(Parsed(emberc::ParseSwitchPorts, "2 1\n1 9\n2 1\n", codes),
              (std::vector<SwitchPort>{{Guid{1}, PortNumber{9}}, {Guid{2}, PortNumber{1}}}));
    EXPECT_EQ(codes, "duplicate-entry");
    EXPECT_EQ(Parsed(emberc::ParsePortSearchOrderingFile, "2 3 1\n2 3 1\n", codes),
              (std::vector<emberc::SearchOrder>{{Guid{2}, {PortNumber{3}, PortNumber{1}}}}));
    EXPECT_EQ(codes, "duplicate-entry");
}

TEST(OptionFileParsers, ReadTheMKeysAndNeighborsOfOpensm) {
    std::string codes;
    EXPECT_EQ(Parsed(emberc::ParseGuid2MKeyFile,
                     "0x0000000000000002 0x00000000000000ff\n\n"
                     "0x0000000000000001 0x8000000000000000\n\n",
                     codes),
              (std::vector<PortMKey>{{Guid{1}, 0x8000000000000000}, {Guid{2}, 0xFF}}));
    EXPECT_EQ(codes, "");
    EXPECT_EQ(Parsed(emberc::ParseNeighborsFile,
                     "0x0000000000000002:1 0x0000000000000001:36\n\n"
                     "0x0000000000000001:36 0x0000000000000002:1\n\n",
                     codes),
              (std::vector<Neighbor>{{Guid{1}, PortNumber{36}, Guid{2}},
                                     {Guid{2}, PortNumber{1}, Guid{1}}}));
    EXPECT_EQ(codes, "");
    const auto codes_of = [&](auto parse, std::string_view text) {
        (void)Parsed(parse, text, codes);
        return codes;
    };
    EXPECT_EQ(codes_of(emberc::ParseGuid2MKeyFile, "2 3\n2 3\n"), "duplicate-entry");
    EXPECT_EQ(codes_of(emberc::ParseGuid2MKeyFile, "2 3\n2 4\n"), "contradiction");
    EXPECT_EQ(codes_of(emberc::ParseGuid2MKeyFile, "2\n"), "missing-value");
    EXPECT_EQ(codes_of(emberc::ParseGuid2MKeyFile, "0 3\n"), "out-of-range");
    EXPECT_EQ(codes_of(emberc::ParseGuid2MKeyFile, "2 key\n"), "bad-number");
    EXPECT_EQ(codes_of(emberc::ParseNeighborsFile, "2:1 3:1\n2:1 3:1\n"), "duplicate-entry");
    EXPECT_EQ(codes_of(emberc::ParseNeighborsFile, "2:1 3:1\n2:1 4:1\n"), "contradiction");
    EXPECT_EQ(codes_of(emberc::ParseNeighborsFile, "2 3:1\n"), "bad-row");
    EXPECT_EQ(codes_of(emberc::ParseNeighborsFile, "2:0 3:1\n"), "out-of-range");
    EXPECT_EQ(codes_of(emberc::ParseNeighborsFile, "2:1 3:255\n"), "out-of-range");
    EXPECT_EQ(codes_of(emberc::ParseNeighborsFile, "2: 3:1\n"), "bad-number");
    EXPECT_EQ(emberc::AsLine(PortMKey{Guid{2}, 0xBEEF}).find("beef"), std::string::npos);
}

/// Diagnostics of a guid2lid under an LMC: "line:column code", '!' where it is an error.
std::string SaidOfLids(std::string_view text, std::uint8_t lmc = 0) {
    emberc::Diagnostics diagnostics("guid2lid");
    (void)emberc::ParseGuid2LidFile(text, diagnostics, {.lmc = lmc});
    std::string said;
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        said += fmt::format("{}{}:{}{} {}", said.empty() ? "" : ", ", one.place.line,
                            one.place.column, one.severity == emberc::Severity::kError ? "!" : "",
                            emberc::WordOf(one.code));
    }
    return said;
}

TEST(OptionFileParsers, ReadTheGuid2LidOfOpensm) {
    emberc::Diagnostics diagnostics("guid2lid");
    const auto rows = emberc::ParseGuid2LidFile(
        "0x0000000000000002 0x0008 0x000b\n\n0x0000000000000001 0x0001 0x0001\n\n", diagnostics,
        {.lmc = 2});
    EXPECT_TRUE(diagnostics.all().empty());
    EXPECT_EQ(rows, (std::vector<PortLids>{{Guid{1}, Lid{1}, Lid{1}}, {Guid{2}, Lid{8}, Lid{11}}}));
    EXPECT_EQ(emberc::AsLine(rows[1]), "0x0000000000000002 0x0008 0x000b");
    EXPECT_EQ(SaidOfLids("0x1 4 7\n0x2 8 15\n", 2), "") << "of a larger LMC";
}

TEST(OptionFileParsers, HoldTheLidsOfAGuid2LidAgainstEachOther) {
    EXPECT_EQ(SaidOfLids("0x1 5 5\n0x2 6 6\n0x3 5 5\n"), "3:5! contradiction");
    EXPECT_EQ(SaidOfLids("0x1 5 5\n0x2 4 7\n", 2), "2:7! contradiction");
    EXPECT_EQ(SaidOfLids("0x1 5 5\n\n0x1 5 5\n"), "3:1 duplicate-entry");
    EXPECT_EQ(SaidOfLids("0x1 5 5\n0x1 6 6\n"), "2:1! contradiction");
    EXPECT_EQ(SaidOfLids("0x1 6 5\n"), "1:7! turned-range");
    EXPECT_EQ(SaidOfLids("0x1 5 8\n", 2), "1:5! unfit-lids");
    EXPECT_EQ(SaidOfLids("0x1 8 9\n", 2), "1:7! unfit-lids");
    EXPECT_EQ(SaidOfLids("0x1 0x80 0x100\n"), "1:10! unfit-lids");
    EXPECT_EQ(SaidOfLids("0x1 0 0\n"), "1:5! out-of-range, 1:7! out-of-range");
    EXPECT_EQ(SaidOfLids("0x1 0xbfff 0xc000\n"), "1:12! out-of-range");
    EXPECT_EQ(SaidOfLids("0 1 1\n"), "1:1! out-of-range");
    EXPECT_EQ(SaidOfLids("0x1 5\n"), "1:5! missing-value");
    EXPECT_EQ(SaidOfLids("0x1 5 5 5\n"), "1:9! trailing-text");
    EXPECT_EQ(SaidOfLids("host 5 5\n"), "1:1! bad-number");
    emberc::Diagnostics diagnostics("guid2lid");
    EXPECT_EQ(emberc::ParseGuid2LidFile("0x1 5 5\n0x2 5 5\n", diagnostics, {}).size(), 1U);
}

TEST(OptionFileParsers, LetNothingContradictWhatWasSaid) {
    std::string codes;
    (void)Parsed(emberc::ParseIdsGuidFile, "2 5\n2 6\n", codes);
    EXPECT_EQ(codes, "contradiction");
    (void)Parsed(emberc::ParseIdsGuidFile, "2 5\n3 5\n", codes);
    EXPECT_EQ(codes, "same-number");
    (void)Parsed(emberc::ParseHopWeightsFile, "2 1 3\n2 1 4\n", codes);
    EXPECT_EQ(codes, "contradiction");
    (void)Parsed(emberc::ParsePortSearchOrderingFile, "2 3 1\n2 1 3\n", codes);
    EXPECT_EQ(codes, "contradiction");
    (void)Parsed(emberc::ParseLftsFile,
                 "Unicast lids of switch guid 0x1:\n0x1 1 portguid 0x5\nUnicast lids guid 0x2\n"
                 "0x1 2 portguid 0x6\n",
                 codes);
    EXPECT_EQ(codes, "contradiction") << "a LID is of one port in the whole file";
    (void)Parsed(emberc::ParseLftsFile, "Unicast lids guid 0x1\n0x1 255\n0x1 003\n", codes);
    EXPECT_EQ(codes, "contradiction") << "that a LID is dropped was said";
    (void)Parsed(emberc::ParseLftsFile, "Unicast lids guid 0x1\n0x1 255\n0x1 255\n", codes);
    EXPECT_EQ(codes, "duplicate-entry");
}

TEST(OptionFileParsers, StopAtWhatIsNotText) {
    std::string codes;
    EXPECT_EQ(Parsed(emberc::ParseGuidList, std::string_view("1\n2\0\n3\nx\n", 9), codes).size(),
              1U);
    EXPECT_EQ(codes, "not-text");
    (void)Parsed(emberc::ParseLftsFile, std::string_view("\0\0\n\0\n", 5), codes);
    EXPECT_EQ(codes, "not-text");
    (void)Parsed(emberc::ParseGuidList,
                 "\xEF\xBB\xBF"
                 "1\n2\n",
                 codes);
    EXPECT_EQ(codes, "byte-order-mark");
}

TEST(OptionFileParsers, ReadTheTablesThatOpensmWrote) {
    const std::string ring = std::string(EMBER_SOURCE_DIR) + "/tests/golden/dumps/ring/";
    std::string codes;
    const emberc::LoadedLfts lfts =
        Parsed(emberc::ParseLftsFile, emberc::ReadText(ring + "opensm-lfts.dump"), codes);
    EXPECT_EQ(codes, "");
    ASSERT_EQ(lfts.switches.size(), 6U);
    EXPECT_EQ(lfts.switches[0].guid, Guid{0x200000});
    ASSERT_EQ(lfts.switches[0].ports.size(), 14U);
    EXPECT_EQ(lfts.switches[0].ports[0], 255);
    EXPECT_EQ(lfts.switches[0].ports[3], 20);
    EXPECT_EQ(lfts.switches[0].ports[2], 0);
    ASSERT_EQ(lfts.owners.size(), 13U);
    EXPECT_EQ(lfts.owners[2], (LidOwner{.lid = Lid{3}, .port_guid = Guid{0x100001}}));

    const emberc::LoadedMatrix matrix = Parsed(
        emberc::ParseLidMatrixDumpFile, emberc::ReadText(ring + "opensm-lid-matrix.dump"), codes);
    EXPECT_EQ(codes, "");
    ASSERT_EQ(matrix.switches.size(), 6U);
    EXPECT_EQ(matrix.switches[0].port_count, 36);
    ASSERT_EQ(matrix.switches[0].hops.size(), 10U * 37U);
    EXPECT_EQ(matrix.switches[0].hops[1 * 37 + 2], 3) << "LID 1 by port 2";
    EXPECT_EQ(matrix.switches[0].hops[3 * 37], 255) << "no row for LID 3";
    EXPECT_EQ(matrix.owners.size(), 6U);
}

TEST(OptionFileParsers, ReadTablesAsIbrouteWritesThem) {
    std::string codes;
    const emberc::LoadedLfts lfts =
        Parsed(emberc::ParseLftsFile,
               "Unicast lids [0x0-0x2] of switch DR path slid 0; dlid 0; 0,1 guid 0x00000000000000"
               "ab (MF0;sw:IS5030/U1):\n  Lid  Out   Destination\n       Port     Info \n"
               "0x0001 003 : (Channel Adapter portguid 0x0000000000000017: 'h HCA-1')\n"
               "1 valid lids dumped \nMulticast mlids [0xc000-0xc3ff] of switch guid 0xab (x):\n"
               "0xc000    x  x \n",
               codes);
    EXPECT_EQ(codes, "multicast-skipped");
    ASSERT_EQ(lfts.switches.size(), 1U);
    EXPECT_EQ(lfts.switches[0].guid, Guid{0xAB});
    EXPECT_EQ(lfts.switches[0].ports, (std::vector<std::uint8_t>{255, 3}));
    EXPECT_EQ(lfts.owners, (std::vector<LidOwner>{{Lid{1}, Guid{0x17}}}));
}

}  // namespace
}  // namespace ember::test
