// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of files that the host has at their default places, and of isolation.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

constexpr std::string_view kPartitions = "Default=0x7fff, ipoib : ALL=limited, SELF=full ;\n";

class DefaultFilesTest : public testing::Test {
protected:
    /// Runs emberc on an opensm.conf with this text. Default files are those below etc/.
    Answer Run(const std::string& command, std::string_view conf,
               const std::vector<std::string>& options = {}) {
        std::vector<std::string> words = {command, "-v", folder_.Write("opensm.conf", conf)};
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
    for (const std::string_view conf : {"lmc 1\n", "partition_config_file (null)\n"}) {
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

/// A line of the file names its file, whatever the name: `opensm -c` writes the default ones down,
/// and the host that compiles is not the one where they are.
TEST_F(DefaultFilesTest, AnAbsentFileThatALineNamesIsAnErrorAlsoByItsDefaultName) {
    std::size_t keys = 0;
    for (const emberc::Key& key : emberc::Keys()) {
        if (key.use != emberc::Use::kActedOn || !key.default_text.starts_with("/etc/opensm/")) {
            continue;
        }
        const std::string name(std::filesystem::path(key.default_text).filename());
        for (const std::string folder : {"/etc/opensm/", "/etc/rdma/"}) {
            const std::string line = fmt::format("{} {}{}\n", key.name, folder, name);
            for (const std::vector<std::string>& options :
                 {std::vector<std::string>{}, std::vector<std::string>{"--no-default-files"}}) {
                const Answer absent =
                    Run("compile", "qos TRUE\nrouting_engine torus-2QoS\n" + line, options);
                EXPECT_EQ(absent.status, emberc::kInputIsWrong) << line;
                EXPECT_NE(absent.error.find(fmt::format("opensm.conf:3:{}: error: cannot read",
                                                        key.name.size() + 2)),
                          std::string::npos)
                    << absent.error;
                EXPECT_NE(absent.error.find("[unreadable-file]"), std::string::npos);
                EXPECT_FALSE(IsBlobWritten());
            }
        }
        ++keys;
    }
    EXPECT_EQ(keys, 4U) << "partitions, QoS policy, prefix routes, torus";
}

TEST_F(DefaultFilesTest, NoOptionDropsAFileThatALineNames) {
    folder_.Write("etc/partitions.conf", kPartitions);
    for (const std::string_view conf : {"partition_config_file /etc/opensm/partitions.conf\n",
                                        "partition_config_file /etc/rdma/partitions.conf\n"}) {
        const Answer taken = Run("compile", conf, {"--no-default-files", "--strict"});
        EXPECT_EQ(taken.status, emberc::kDone) << taken.error;
        EXPECT_EQ(taken.error.find("[default-file]"), std::string::npos)
            << "it is named: there is nothing to tell" << taken.error;
        EXPECT_TRUE(HasPartitions()) << conf;
    }
}

/// As the engine `file` without a file.
TEST_F(DefaultFilesTest, Torus2QosNeedsATorus) {
    const std::string alone = "qos TRUE\nrouting_engine torus-2QoS\n";
    const std::string said =
        "engine `torus-2QoS` has no torus_config that says what torus there is";
    for (const std::string& lines : {std::string(), std::string("torus_config (null)\n"),
                                     std::string("torus_config nothing\n")}) {
        folder_.Write("nothing", "# nothing\n");
        const Answer refused = Run("check", alone + lines);
        EXPECT_EQ(refused.status, emberc::kInputIsWrong) << lines;
        EXPECT_NE(refused.error.find(":2:1: error: " + said), std::string::npos) << refused.error;
    }
    const Answer listed = Run("check", "qos TRUE\nrouting_engine torus-2QoS,updn\n");
    EXPECT_EQ(listed.status, emberc::kDone);
    EXPECT_NE(listed.error.find(":2:1: warning: " + said), std::string::npos) << listed.error;
    folder_.Write("etc/torus-2QoS.conf", "torus 3 3 1\nxp_link 1 2\nyp_link 1 3\n");
    const Answer found = Run("check", alone);
    EXPECT_EQ(found.status, emberc::kDone) << found.error;
    EXPECT_NE(found.error.find("torus-2QoS.conf of this host goes into the blob"),
              std::string::npos);
}

/// OpenSM would not open it, so whatever became of it is no error.
TEST_F(DefaultFilesTest, TheFileOfAnEngineThatIsNotListedIsLeftAlone) {
    const std::string named = "routing_engine updn\ntorus_config /etc/opensm/torus-2QoS.conf\n";
    const std::string note = ":2:14: note: " + folder_.File("etc/torus-2QoS.conf") +
                             " is left alone: no engine that routing_engine has looks at it "
                             "[engine-not-listed]";
    const Answer absent = Run("check", named, {"--strict"});
    EXPECT_EQ(absent.status, emberc::kDone) << absent.error;
    EXPECT_NE(absent.error.find(note), std::string::npos) << absent.error;
    folder_.Write("etc/torus-2QoS.conf", "not a torus\n");
    EXPECT_NE(Run("check", named, {"--strict"}).error.find(note), std::string::npos);
    EXPECT_EQ(Run("check", "routing_engine updn\n", {"--strict"}).error, "");
    const Answer own =
        Run("check", "routing_engine updn\ntorus_config missing.conf\n", {"--strict"});
    EXPECT_EQ(own.status, emberc::kDone) << own.error;
    EXPECT_NE(own.error.find(":2:1: note: 'torus_config' is for torus-2QoS"), std::string::npos)
        << own.error;
}

/// As with OpenSM: without `qos` no policy is opened.
TEST_F(DefaultFilesTest, AQosPolicyThatIsNamedIsMissedWhereQosIsOn) {
    const std::string line = "qos_policy_file /etc/opensm/qos-policy.conf\n";
    EXPECT_EQ(Run("check", "qos TRUE\n" + line).status, emberc::kInputIsWrong);
    const Answer off = Run("check", line, {"--strict"});
    EXPECT_EQ(off.status, emberc::kDone);
    EXPECT_NE(off.error.find("qos-policy.conf is left alone: qos is FALSE"), std::string::npos)
        << off.error;
}

/// Of the number of partitions every command says the same last words.
TEST_F(DefaultFilesTest, TheLastLineTellsWhetherThereArePartitions) {
    const std::string none = "NO partitions: every port may talk with every other\n";
    const auto last_is = [](const std::string& text, const std::string& line) {
        return text.ends_with("\n" + line);
    };
    EXPECT_TRUE(last_is(Run("check", "lmc 1\n").out, none));
    EXPECT_TRUE(last_is(Run("compile", "lmc 1\n").out, none));
    EXPECT_NE(Emberc({"show", folder_.File("blob")}).out.find("# " + none), std::string::npos);
    folder_.Write("site.conf",
                  "Default=0x7fff : ALL=limited, SELF=full ;\nfour=0x4 : 0x4=full ;\n");
    const std::string conf = "partition_config_file site.conf\n";
    EXPECT_TRUE(last_is(Run("check", conf).out, "2 partitions\n"));
    EXPECT_TRUE(last_is(Run("compile", conf).out, "2 partitions\n"));
    EXPECT_NE(Emberc({"show", folder_.File("blob")}).out.find("# 2 partitions\n"),
              std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(Run("check", conf, {"--json"}).out)["partitions"], 2);
    EXPECT_TRUE(last_is(Run("check", conf, {"--without-partitions"}).out, none));
}

/// check, compile, plan, diff and explain read one configuration alike.
TEST_F(DefaultFilesTest, EveryCommandReadsTheSameFiles) {
    const std::string conf = folder_.Write("opensm.conf", "lmc 0\n");
    const std::string named =
        folder_.Write("named.conf", "partition_config_file /etc/opensm/partitions.conf\n");
    const std::vector<std::vector<std::string>> commands = {
        {"check", "CONF"},
        {"compile", "CONF", "-o", folder_.File("blob")},
        {"plan", "-f", "ft2:4", "-q", "-c", "CONF"},
        {"plan", "-f", "ft2:4", "-q", "diff", "CONF", "CONF"},
        {"explain", "-f", "ft2:4", "-c", "CONF", "partition", "host 1", "host 2"}};
    const auto run = [&](std::vector<std::string> words, const std::string& with,
                         const std::string& option) {
        std::replace(words.begin(), words.end(), std::string("CONF"), with);
        if (!option.empty()) words.insert(words.begin() + 1, option);
        return Emberc(words, folder_.File("etc"));
    };
    for (const std::vector<std::string>& command : commands) {
        EXPECT_EQ(run(command, named, "").status, emberc::kInputIsWrong) << command.front();
        EXPECT_EQ(run(command, named, "--no-default-files").status, emberc::kInputIsWrong);
        EXPECT_EQ(run(command, named, "--without-partitions").status, emberc::kDone);
    }
    folder_.Write("etc/partitions.conf", kPartitions);
    for (const std::vector<std::string>& command : commands) {
        const Answer taken = run(command, conf, "");
        EXPECT_NE(taken.error.find("partitions.conf of this host goes into the blob"),
                  std::string::npos)
            << command.front() << taken.error;
        EXPECT_EQ(run(command, conf, "--no-default-files").error.find("partitions.conf"),
                  std::string::npos);
    }
    EXPECT_NE(run(commands.back(), named, "").out.find("limited"), std::string::npos)
        << run(commands.back(), named, "").out;
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
    folder_.Write("etc/prefix-routes.conf", "0xfec0000000000000 router\n");
    EXPECT_EQ(Run("check", "").status, emberc::kInputIsWrong);
    EXPECT_EQ(Run("check", "", {"--no-default-files"}).status, emberc::kDone);
}

TEST_F(DefaultFilesTest, OfPartitionsAreNotLookedAtWhenTheyAreToBeLeftAlone) {
    folder_.Write("etc/partitions.conf", kPartitions);
    EXPECT_EQ(Run("check", "lmc 1\n", {"--no-default-files"}).error, "");
}

/// Without an end, or with none to write it: emberc does not wait, and takes no memory.
TEST_F(DefaultFilesTest, WhatALineNamesIsARegularFile) {
    ASSERT_EQ(mkfifo(folder_.File("pipe").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", folder_.File("zeros"));
    std::filesystem::create_directory(folder_.File("folder"));
    for (const std::string_view key : {"partition_config_file", "root_guid_file", "lfts_file"}) {
        for (const std::string_view name : {"pipe", "zeros"}) {
            const Answer refused =
                Run("check", fmt::format("routing_engine updn,file\n{} {}\n", key, name));
            EXPECT_EQ(refused.status, emberc::kInputIsWrong);
            EXPECT_NE(refused.error.find("it is no regular file"), std::string::npos)
                << refused.error;
        }
        EXPECT_NE(Run("check", fmt::format("routing_engine updn,file\n{} folder\n", key))
                      .error.find("Is a directory"),
                  std::string::npos);
    }
    folder_.Write("large", "");
    std::filesystem::resize_file(folder_.File("large"), emberc::kLargestFile + 1);
    EXPECT_NE(Run("check", "partition_config_file large\n").error.find("too large"),
              std::string::npos);
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
