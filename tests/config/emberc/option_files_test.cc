// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the text files that options name. What is said of mistakes, word for word, is
// in tests/golden/emberc/option_files.txt.
#include "config/emberc/option_files/option_files.h"

#include <filesystem>
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
using emberc::OptionContents;
using emberc::Severity;

/// What `parse` makes of a text, and the codes of what it says, apart by blanks.
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
    for (const std::string_view bad : {"0x1", "0x1 leaf", "0x1 \"leaf", "0x1 \"l\x1b[2J\"",
                                       "0x1 \"l\xc3\xa9\"", "0x1 # \"leaf\""}) {
        EXPECT_EQ(parse(bad), Names{}) << bad;
        EXPECT_EQ(codes, "not-a-name") << bad;
    }
    EXPECT_EQ(parse("0x0 \"leaf\""), Names{});
    EXPECT_EQ(codes, "out-of-range");
    EXPECT_EQ(parse("0x1 \"\""), Names{});
    EXPECT_EQ(codes, "out-of-range");
    EXPECT_EQ(parse("0x1 \"" + std::string(kMostNameOctets, 'x') + "\"").size(), 1U);
    EXPECT_EQ(codes, "");
    EXPECT_EQ(parse("0x1 \"" + std::string(kMostNameOctets + 1, 'x') + "\""), Names{});
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

class OptionFilesTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "options.XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        places_ = {.folder = folder_, .default_files = true, .default_folder = folder_ / "etc"};
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void Write(const std::string& name, std::string_view text) const {
        emberc::WriteText(folder_ / name, text, emberc::Access::kEverybody);
    }

    /// Reads opensm.conf and what it names; codes of everything said are in codes_.
    OptionContents Read(std::string_view conf) {
        reports_.clear();
        reports_.emplace_back("opensm.conf");
        const emberc::Conf parsed = emberc::ParseOpensmConf(conf, reports_.front());
        OptionContents contents = emberc::ReadOptionFiles(parsed, places_, reports_);
        codes_.clear();
        for (const Diagnostics& report : reports_) {
            for (const emberc::Diagnostic& one : report.all()) {
                codes_ += (codes_.empty() ? "" : " ") + std::string(emberc::WordOf(one.code));
            }
        }
        return contents;
    }

    std::filesystem::path folder_;
    emberc::FilePlaces places_;
    std::vector<Diagnostics> reports_;
    std::string codes_;
};

TEST_F(OptionFilesTest, FollowTheFolderOfTheConfigurationUnlessTheNameIsAbsolute) {
    Write("roots", "0x5\n");
    const auto near = Read("routing_engine updn\nroot_guid_file roots\n").roots;
    const auto far =
        Read("routing_engine updn\nroot_guid_file " + (folder_ / "roots").string() + "\n").roots;
    EXPECT_EQ(codes_, "");
    EXPECT_EQ(near, (std::vector<Guid>{Guid{5}}));
    EXPECT_EQ(far, near);
}

TEST_F(OptionFilesTest, AreNotThereUnlessTheyAreNamed) {
    EXPECT_EQ(Read("root_guid_file (null)\ncn_guid_file \"\"\nlfts_file (null)\n"),
              OptionContents{});
    EXPECT_EQ(codes_, "");
    EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(OptionFilesTest, AreReportedWhereTheyAreNamedWhenTheyCannotBeRead) {
    std::filesystem::create_directory(folder_ / "folder");
    (void)Read("routing_engine updn\n\nroot_guid_file \"none\"\nids_guid_file folder\n");
    EXPECT_EQ(codes_, "unreadable-file unreadable-file");
    ASSERT_EQ(reports_.size(), 1U);
    const emberc::Diagnostic& first = reports_[0].all()[0];
    EXPECT_EQ(first.place.line, 3U);
    EXPECT_EQ(first.place.column, 17U) << "at the name";
    EXPECT_EQ(first.place.length, 4U);
    EXPECT_NE(first.text.find("none: No such file or directory"), std::string::npos) << first.text;
    EXPECT_EQ(first.severity, Severity::kError);
}

TEST_F(OptionFilesTest, AreNeverStandardInput) {
    (void)Read("routing_engine updn\nroot_guid_file -\n");
    EXPECT_EQ(codes_, "unreadable-file");
    reports_.clear();
    reports_.emplace_back("opensm.conf");
    const emberc::Conf conf =
        emberc::ParseOpensmConf("routing_engine updn\nroot_guid_file -\n", reports_.front());
    (void)emberc::ReadOptionFiles(conf, {}, reports_);
    EXPECT_EQ(reports_.front().CountOf(Severity::kError), 1U);
}

TEST_F(OptionFilesTest, MayBeEmptyWhichIsWorthAWord) {
    Write("none", "# nobody\n");
    const OptionContents contents = Read("order opensm\nrouting_engine ftree\ncn_guid_file none\n");
    EXPECT_EQ(codes_, "empty-file");
    EXPECT_EQ(contents.compute_nodes, std::vector<Guid>{});
    EXPECT_EQ(reports_[1].CountOf(Severity::kError), 0U);
}

TEST_F(OptionFilesTest, SayWhatBecomesOfANodeOfBothKinds) {
    Write("cn", "5\n6\n7\n");
    Write("io", "8\n7\n");
    const OptionContents contents =
        Read("order opensm\nrouting_engine ftree\ncn_guid_file cn\nio_guid_file io\n");
    EXPECT_EQ(codes_, "both-kinds");
    EXPECT_EQ(reports_.back().all()[0].place.line, 2U);
    EXPECT_EQ(contents.io_nodes->size(), 2U);
}

TEST_F(OptionFilesTest, AreRefusedWhenNoBlobCouldHoldThem) {
    // 400 switches of 254 ports with LID 1024: 104 million octets.
    std::string text;
    std::string row = "0x0400:";
    for (int port = 0; port <= 254; ++port) {
        row += " 01";
    }
    for (int guid = 1; guid <= 400; ++guid) {
        text += "Switch: guid 0x" + std::to_string(guid) + "\n" + row + "\n";
    }
    Write("matrix", text);
    (void)Read("routing_engine file\nlid_matrix_dump_file matrix\n");
    EXPECT_EQ(codes_, "too-large");
    EXPECT_EQ(reports_.back().all()[0].place.line, 2U * 129U) << "said once, where it is too much";
}

/// The codes of what is said about options of routing.
TEST_F(OptionFilesTest, BelongToEngines) {
    Write("f", "1 1 1\n");
    Write("g", "1\n");
    Write("lfts", "Unicast lids guid 0x1\n0x1 1\n");
    Write("matrix", "Switch: guid 0x1\n0x1: 0 1\n");
    const auto codes = [this](const std::string& conf) {
        (void)Read("order opensm\n" + conf);
        return codes_;
    };
    EXPECT_EQ(codes("root_guid_file g\n"), "engine-not-listed");
    EXPECT_EQ(codes("routing_engine dnup\nroot_guid_file g\n"), "engine-not-listed");
    EXPECT_EQ(codes("routing_engine minhop,ftree\nroot_guid_file g\n"), "");
    EXPECT_EQ(codes("routing_engine updn\ncn_guid_file g\n"), "engine-not-listed");
    EXPECT_EQ(codes("routing_engine ftree\nguid_routing_order_file g\n"), "engine-not-listed");
    EXPECT_EQ(codes("guid_routing_order_file g\n"), "") << "an empty list is minhop";
    EXPECT_EQ(codes("routing_engine no_fallback\nguid_routing_order_file g\n"), "");
    EXPECT_EQ(codes("connect_roots TRUE\n"), "engine-not-listed");
    EXPECT_EQ(codes("routing_engine dnup\nconnect_roots TRUE\n"), "");
    EXPECT_EQ(codes("quasi_ftree_indexing TRUE\n"), "engine-not-listed");
    EXPECT_EQ(codes("hop_weights_file f\n"), "");
    EXPECT_EQ(codes("routing_engine dor\nhop_weights_file f\n"), "");
    EXPECT_EQ(codes("routing_engine updn\nhop_weights_file f\n"), "");
    EXPECT_EQ(codes("routing_engine ftree\nhop_weights_file f\n"), "engine-not-listed");
    EXPECT_EQ(codes("routing_engine dnup\nhop_weights_file f\n"), "engine-not-listed");
    EXPECT_EQ(codes("routing_engine ftree\nmax_reverse_hops 2\n"), "no-effect");
    EXPECT_EQ(codes("routing_engine ftree\nmax_reverse_hops 2\nio_guid_file g\n"), "");
    EXPECT_EQ(codes("routing_engine ftree\nmax_reverse_hops 3\nio_guid_file g\n"), "");
    EXPECT_EQ(codes("routing_engine ftree\nmax_reverse_hops 4\nio_guid_file g\n"), "much-work");
    EXPECT_EQ(codes("routing_engine ftree\nlmc 1\n"), "conflict");
    EXPECT_EQ(codes("routing_engine ftree,updn\nlmc 1\n"), "no-effect");
    EXPECT_EQ(codes("routing_engine file\n"), "conflict");
    EXPECT_EQ(codes("routing_engine file\nlfts_file lfts\n"), "");
    EXPECT_EQ(codes("routing_engine file\nlid_matrix_dump_file matrix\n"), "");
    EXPECT_EQ(codes("routing_engine file\nlfts_file lfts\nlid_matrix_dump_file matrix\n"),
              "no-effect");
    EXPECT_EQ(codes("routing_engine file,updn\n"), "no-effect");
    Write("torus", "torus 3 3 1\nxp_link 1 2\nyp_link 1 3\n");
    EXPECT_EQ(codes("torus_config torus\n"), "engine-not-listed");
    EXPECT_EQ(codes("routing_engine torus-2QoS\ntorus_config torus\n"), "conflict")
        << "nobody would write its maps";
    EXPECT_EQ(codes("routing_engine torus-2QoS\ntorus_config torus\nqos TRUE\n"
                    "qos_vlarb_high 0:1,1:1\nqos_vlarb_low 0:1,1:1\nqos_swe_vlarb_high 0:0\n"
                    "qos_swe_vlarb_low 0:1,1:1,2:1,3:1,4:1,5:1,6:1,7:1\n"),
              "");
    EXPECT_EQ(codes("port_shifting TRUE\nscatter_ports 5\n"), "no-effect");
    EXPECT_EQ(codes("port_shifting TRUE\n"), "");
    EXPECT_EQ(codes("guid_routing_order_no_scatter TRUE\n"), "no-effect");
    EXPECT_EQ(codes("guid_routing_order_no_scatter TRUE\nscatter_ports 5\n"), "no-effect");
    EXPECT_EQ(codes("guid_routing_order_no_scatter TRUE\nscatter_ports 5\n"
                    "guid_routing_order_file g\n"),
              "");
    EXPECT_EQ(codes("offsweep_balancing_window 9\n"), "no-effect");
    EXPECT_EQ(codes("offsweep_balancing_enabled TRUE\n"), "no-effect");
    EXPECT_EQ(codes("use_ucast_cache TRUE\n"), "not-acted-on");
}

TEST_F(OptionFilesTest, AreForOpensmsOrderWhereTheySteerItsChoice) {
    Write("g", "1\n");
    Write("order", "1 1 2\n");
    const auto codes = [this](const std::string& conf) {
        (void)Read("order balanced\n" + conf);
        return codes_;
    };
    EXPECT_EQ(codes("scatter_ports 5\n"), "engine-not-listed") << "an empty list is auto";
    const std::string by = "routing_engine minhop\n";
    EXPECT_EQ(codes(by + "scatter_ports 5\n"), "no-effect");
    EXPECT_EQ(codes(by + "port_shifting TRUE\nscatter_ports 5\n"), "no-effect no-effect");
    EXPECT_EQ(codes(by + "guid_routing_order_file g\n"), "no-effect");
    EXPECT_EQ(codes(by + "port_search_ordering_file order\n"), "no-effect");
    EXPECT_EQ(codes("routing_engine dor\nport_search_ordering_file order\n"), "");
    EXPECT_EQ(codes("routing_engine ftree\nmax_reverse_hops 2\nio_guid_file g\n"),
              "no-effect no-effect");
    EXPECT_EQ(codes("routing_engine ftree\nlmc 1\n"), "") << "the balanced order spreads them";
    EXPECT_EQ(codes("routing_engine updn\nroot_guid_file g\n"), "");
    EXPECT_EQ(codes("offsweep_balancing_window 9\n"), "no-effect");
    EXPECT_EQ(codes("offsweep_balancing_window 9\noffsweep_balancing_enabled TRUE\n"), "");
    EXPECT_EQ(codes("use_ucast_cache TRUE\n"), "not-acted-on");
}

}  // namespace
}  // namespace ember::test
