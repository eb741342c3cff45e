// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of option files as a configuration names them.
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/option_files.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::OptionContents;
using emberc::Severity;

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
    EXPECT_EQ(codes("routing_engine ftree\nmax_reverse_hops 2\nio_guid_file g\n"), "no-effect")
        << "the hops backwards, not the order of exits";
    EXPECT_EQ(codes("io_guid_file g\n"), "");
    EXPECT_EQ(codes("routing_engine nue\nio_guid_file g\n"), "");
    EXPECT_EQ(codes("cn_guid_file g\nio_guid_file g\n"), "both-kinds");
    for (const std::string engine : {"auto", "minhop", "updn", "dnup", "dor", "ftree"}) {
        EXPECT_EQ(codes("routing_engine " + engine + "\ncn_guid_file g\n"), "") << engine;
    }
    EXPECT_EQ(codes("routing_engine pqft\ncn_guid_file g\n"), "engine-not-listed");
    Write("ports", "1 2\n");
    EXPECT_EQ(codes("port_prof_ignore_file ports\n"), "no-effect") << "of hosts, not of cables";
    EXPECT_EQ(codes("routing_engine ftree\nlmc 1\n"), "") << "the balanced order spreads them";
    EXPECT_EQ(codes("routing_engine updn\nroot_guid_file g\n"), "");
    EXPECT_EQ(codes("offsweep_balancing_window 9\n"), "no-effect");
    EXPECT_EQ(codes("offsweep_balancing_window 9\noffsweep_balancing_enabled TRUE\n"), "");
    EXPECT_EQ(codes("use_ucast_cache TRUE\n"), "not-acted-on");
}

}  // namespace
}  // namespace ember::test
