// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of files that the host has at their default places, and of isolation.
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/emberc/commands.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

constexpr std::string_view kPartitions = "Default=0x7fff, ipoib : ALL=limited, SELF=full ;\n";

class DefaultFilesTest : public testing::Test {
protected:
    /// Runs emberc on an opensm.conf with this text. Default files are those below etc/.
    Answer Run(const std::string& command,
               std::string_view conf,
               const std::vector<std::string>& options = {}) {
        std::vector<std::string> words = {command, folder_.Write("opensm.conf", conf)};
        if (command == "compile") words.insert(words.end(), {"-o", folder_.File("blob")});
        words.insert(words.end(), options.begin(), options.end());
        return Emberc(words, folder_.File("etc"));
    }
    [[nodiscard]] bool IsBlobWritten() const {
        return std::filesystem::exists(folder_.File("blob"));
    }
    [[nodiscard]] bool HasPartitions() const {
        const std::string shown = Emberc({"show", folder_.File("blob")}).out;
        return shown.find("# partition_config_file: ") != std::string::npos;
    }

    Folder folder_;
};

TEST_F(DefaultFilesTest, PartitionsAtTheirDefaultPlaceAreTakenUnlessTheyAreLeftOut) {
    EXPECT_EQ(Run("check", "lmc 1\n").error, "") << "a missing file is fine";
    folder_.Write("etc/partitions.conf", kPartitions);
    const std::string path = folder_.File("etc/partitions.conf");
    for (const std::string_view conf :
         {"lmc 1\n", "partition_config_file /etc/opensm/partitions.conf\n",
          "partition_config_file /etc/rdma/partitions.conf\n", "partition_config_file (null)\n"}) {
        const Answer taken = Run("compile", conf);
        EXPECT_EQ(taken.status, emberc::kDone) << conf << taken.error;
        EXPECT_NE(taken.error.find("note: " + path + " of this host goes into the blob"),
                  std::string::npos)
            << taken.error;
        EXPECT_TRUE(HasPartitions()) << conf;
    }
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--strict", "--without-partitions"},
          std::vector<std::string>{"--strict", "--allow", "partition_config_file"}}) {
        const Answer left_out = Run("compile", "lmc 1\n", options);
        EXPECT_EQ(left_out.status, emberc::kDone);
        EXPECT_NE(left_out.error.find("note: the partitions of " + path + " are left out"),
                  std::string::npos)
            << left_out.error;
        EXPECT_FALSE(HasPartitions());
    }
}

TEST_F(DefaultFilesTest, PartitionsThatAreNamedMustBeThereAndWithoutAMistake) {
    const std::string_view conf = "partition_config_file site.conf\n";
    const Answer absent = Run("compile", conf);
    EXPECT_EQ(absent.status, emberc::kInputIsWrong);
    EXPECT_NE(absent.error.find("opensm.conf:1:23: error: "), std::string::npos) << absent.error;
    folder_.Write("site.conf", "Default=0x7fff : ALL=limited, SELF=fool ;\n");
    EXPECT_EQ(Run("compile", conf).status, emberc::kInputIsWrong);
    EXPECT_FALSE(IsBlobWritten());
    folder_.Write("site.conf", kPartitions);
    EXPECT_EQ(Run("compile", conf, {"--strict", "--no-default-files"}).status, emberc::kDone);
    EXPECT_TRUE(HasPartitions());
    const Answer left_out = Run("compile", conf, {"--without-partitions"});
    EXPECT_NE(left_out.error.find(":1:23: note: the partitions of " + folder_.File("site.conf")),
              std::string::npos)
        << left_out.error;
    EXPECT_FALSE(HasPartitions());
}

TEST_F(DefaultFilesTest, WhatCannotBeLookedAtIsThere) {
    folder_.Write("etc", "no folder");
    EXPECT_EQ(Run("check", "").status, emberc::kDone) << "ENOTDIR: nothing is below a file";
    std::filesystem::remove(folder_.File("etc"));
    std::filesystem::create_symlink("etc", folder_.File("etc"));  // ELOOP
    EXPECT_EQ(Run("check", "").status, emberc::kInputIsWrong);
}

TEST_F(DefaultFilesTest, AreToldWhenTheyAreReadAndLeftAloneWhenAsked) {
    folder_.Write("etc/prefix-routes.conf", "* *\n");
    const std::string path = folder_.File("etc/prefix-routes.conf");
    const std::string note =
        "opensm.conf: note: " + path +
        " of this host goes into the blob, as the default of "
        "prefix_routes_file; --no-default-files leaves it alone [default-file]";
    const Answer read = Run("compile", "lmc 1\n");
    EXPECT_EQ(read.status, emberc::kDone);
    EXPECT_NE(read.error.find(note), std::string::npos) << read.error;
    EXPECT_NE(Emberc({"show", folder_.File("blob")}).out.find("# prefix_routes_file: 1 prefixes"),
              std::string::npos);

    const Answer left = Run("compile", "lmc 1\n", {"--no-default-files", "--strict"});
    EXPECT_EQ(left.status, emberc::kDone);
    EXPECT_EQ(left.error, "");
    EXPECT_EQ(Emberc({"show", folder_.File("blob")}).out.find("prefix_routes_file"),
              std::string::npos);
    // A line that says the default asks for no more, and its loss is told.
    const Answer told =
        Run("check", "prefix_routes_file /etc/opensm/prefix-routes.conf\n", {"--no-default-files"});
    EXPECT_NE(told.error.find(":1:20: note: " + path + " is left alone"), std::string::npos)
        << told.error;

    folder_.Write("etc/prefix-routes.conf", "0xfec0000000000000 router\n");
    EXPECT_EQ(Run("check", "").status, emberc::kInputIsWrong);
    EXPECT_EQ(Run("check", "", {"--no-default-files"}).status, emberc::kDone);
}

TEST_F(DefaultFilesTest, OfPartitionsAreNotLookedAtWhenTheyAreToBeLeftAlone) {
    folder_.Write("etc/partitions.conf", kPartitions);
    EXPECT_EQ(Run("check", "lmc 1\n", {"--no-default-files"}).error, "");
    const Answer told =
        Run("check", "partition_config_file /etc/opensm/partitions.conf\n", {"--no-default-files"});
    EXPECT_EQ(told.status, emberc::kDone);
    EXPECT_NE(told.error.find("partitions.conf is left alone"), std::string::npos) << told.error;
}

TEST_F(DefaultFilesTest, QualityOfServiceIsRefusedUntilItMayBeLost) {
    EXPECT_EQ(Run("compile", "congestion_control TRUE\n").status, emberc::kInputIsWrong);
    EXPECT_FALSE(IsBlobWritten());
    EXPECT_EQ(
        Run("check", "congestion_control TRUE\n", {"--strict", "--allow", "congestion_control"})
            .status,
        emberc::kDone);
    const std::string both = "congestion_control TRUE\ncc_key 0x1\n";
    EXPECT_EQ(Run("check", both, {"--allow", "lmc"}).status, emberc::kInputIsWrong);
    const Answer answer =
        Run("compile", both, {"--json", "--strict", "--allow", "congestion_control"});
    EXPECT_EQ(answer.status, emberc::kDone);
    EXPECT_EQ(nlohmann::json::parse(answer.out)["diagnostics"].size(), 2U);
    EXPECT_TRUE(IsBlobWritten());

    const std::string shown = Emberc({"show", folder_.File("blob")}).out;
    EXPECT_NE(shown.find("# no effect in this release (refused):\ncongestion_control TRUE\n"),
              std::string::npos)
        << shown;
    const auto facts = nlohmann::json::parse(Emberc({"show", "--json", folder_.File("blob")}).out);
    EXPECT_EQ(facts["without_effect"]["cc_key"], "refused");
    EXPECT_EQ(facts["without_effect"].size(), 2U);
}

/// A board whose devices take no limits would refuse the blob.
TEST_F(DefaultFilesTest, LimitsOfBandwidthAreForABoardThatTakesThem) {
    folder_.Write("e.conf", "BW_NAMES\nslow = 50\nBW_RULES\ndefault = all:slow\n");
    const std::string lines = "qos TRUE\nenhanced_qos_policy_file e.conf\n";
    const Answer open = Run("check", lines);
    EXPECT_EQ(open.status, emberc::kDone);
    EXPECT_NE(open.error.find(":2:26: warning: a board whose devices take no limits"),
              std::string::npos)
        << open.error;
    const Answer refused = Run("compile", lines, {"--board", "switch_small"});
    EXPECT_EQ(refused.status, emberc::kInputIsWrong);
    EXPECT_NE(refused.error.find("no device of the board switch_small takes limits of bandwidth"),
              std::string::npos)
        << refused.error;
    EXPECT_FALSE(IsBlobWritten());
    const Answer taken = Run("compile", lines, {"--strict", "--board", "sim_small"});
    EXPECT_EQ(taken.status, emberc::kDone);
    EXPECT_EQ(taken.error, "");
    EXPECT_TRUE(IsBlobWritten());
    EXPECT_NE(Emberc({"show", folder_.File("blob")})
                  .out.find("#     BW_RULES: default = all:50 Mbit/s\n"),
              std::string::npos);
    EXPECT_EQ(Run("check", lines, {"--board", "nonsense"}).status, emberc::kUsageIsWrong);
    // As OpenSM's derivatives have it, no limit is in force without qos.
    const Answer off =
        Run("check", "enhanced_qos_policy_file e.conf\n", {"--board", "switch_small"});
    EXPECT_EQ(off.status, emberc::kDone);
    EXPECT_NE(off.error.find("qos is FALSE, so enhanced_qos_policy_file changes nothing"),
              std::string::npos)
        << off.error;
}

/// As with OpenSM: a policy counts where `qos` is on, and its default file may be missing.
TEST_F(DefaultFilesTest, OfAPolicyAreReadWhereQosIsOn) {
    EXPECT_EQ(Run("check", "qos TRUE\n").error, "");
    folder_.Write("etc/qos-policy.conf", "qos-ulps\ndefault : 3\nend-qos-ulps\n");
    EXPECT_EQ(Run("check", "lmc 1\n").error, "");
    const Answer read = Run("check", "qos TRUE\n");
    EXPECT_EQ(read.status, emberc::kDone);
    EXPECT_NE(read.error.find("qos-policy.conf of this host goes into the blob"), std::string::npos)
        << read.error;
    folder_.Write("etc/qos-policy.conf", "qos-ulps\nnonsense\nend-qos-ulps\n");
    EXPECT_EQ(Run("check", "qos TRUE\n").status, emberc::kInputIsWrong);
    EXPECT_EQ(Run("check", "qos TRUE\nqos_policy_file missing.conf\n").status,
              emberc::kInputIsWrong);
    const Answer unused = Run("check", "qos_policy_file missing.conf\n");
    EXPECT_EQ(unused.status, emberc::kDone);
    EXPECT_NE(unused.error.find("qos is FALSE, so qos_policy_file changes nothing"),
              std::string::npos)
        << unused.error;
}

TEST_F(DefaultFilesTest, AllowTakesKeysThatThereAre) {
    const Answer unknown = Run("check", "", {"--allow", "qoss"});
    EXPECT_EQ(unknown.status, emberc::kUsageIsWrong);
    EXPECT_NE((unknown.out + unknown.error).find("there is no key 'qoss'; did you mean 'qos'?"),
              std::string::npos)
        << unknown.out << unknown.error;
    const Answer acting = Run("check", "", {"--allow", "lmc", "--strict"});
    EXPECT_EQ(acting.status, emberc::kDone);
    EXPECT_NE(acting.error.find("note: EmberSM acts on 'lmc'"), std::string::npos) << acting.error;
    // A key follows the option, and the file is the file.
    EXPECT_EQ(Emberc({"check", "--allow", "perfmgr", "--strict",
                      folder_.Write("perf.conf", "perfmgr TRUE\n")})
                  .status,
              emberc::kDone);
}

}  // namespace
}  // namespace ember::test
