// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a board, or its port, would refuse: what emberc lets pass runs there.
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "board/linux_bench/profile.h"
#include "config/emberc/commands.h"
#include "config/emberc/configuration.h"
#include "config/emberc/diagnostics.h"
#include "config/netlist/topologies.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

class CheckBoardTest : public testing::Test {
protected:
    CheckBoardTest() {
        folder_.Write("torus", "torus 3 3 1\nxp_link 1 2\nyp_link 1 3\n");
        folder_.Write("limits", "BW_NAMES\nslow = 50\nBW_RULES\ndefault = all:slow\n");
    }
    Answer Run(const std::string& command, std::string_view conf,
               const std::vector<std::string>& options) {
        std::vector<std::string> words = {command, folder_.Write("opensm.conf", conf)};
        if (command == "compile") words.insert(words.end(), {"-o", folder_.File("blob")});
        words.insert(words.end(), options.begin(), options.end());
        return Emberc(words);
    }
    /// Diagnostics of the configuration on a board with these limits.
    std::string SaidOn(const Limits& limits, std::string_view conf) {
        emberc::ReadingTerms terms;
        terms.default_files = false;
        terms.board = {.name = "other", .limits = &limits};
        const auto read = emberc::ReadConfiguration(folder_.File("opensm.conf"), conf, terms);
        return RenderText(std::span<const emberc::Diagnostics>(read.reports));
    }

    Folder folder_;
};

TEST_F(CheckBoardTest, Torus2QosIsForBoardsWithSlToVlMaps) {
    const std::string conf = "qos TRUE\nrouting_engine torus-2QoS\ntorus_config torus\n";
    for (const std::string command : {"check", "compile"}) {
        const Answer refused = Run(command, conf, {"--board", "switch_large"});
        EXPECT_EQ(refused.status, emberc::kInputIsWrong);
        EXPECT_NE(refused.error.find("opensm.conf:2:16: error: the board switch_large has no room "
                                     "for SL to VL maps, by which torus-2QoS is free of credit "
                                     "loops: no engine of the list can route [not-taken]"),
                  std::string::npos)
            << refused.error;
        EXPECT_EQ(Run(command, conf, {"--board", "switch_max"}).status, emberc::kDone);
    }
    const Answer listed =
        Run("check", "qos TRUE\nrouting_engine torus-2QoS,updn\ntorus_config torus\n",
            {"--board", "switch_large"});
    EXPECT_EQ(listed.status, emberc::kDone);
    EXPECT_NE(listed.error.find("warning: the board switch_large has no room"), std::string::npos)
        << listed.error;
}

TEST_F(CheckBoardTest, EnginesThatMayNeedLanesAreWarnedOfOnABoardWithOne) {
    Limits narrow = kLinuxBench;
    narrow.max_lanes = 1;
    for (const std::string engine : {"dfsssp", "lash"}) {
        const std::string conf = "qos TRUE\nrouting_engine " + engine + "\n";
        EXPECT_NE(
            SaidOn(narrow, conf).find("warning: the board other routes by one lane: " + engine),
            std::string::npos)
            << SaidOn(narrow, conf);
        EXPECT_EQ(SaidOn(kLinuxBench, conf), "");
    }
}

TEST_F(CheckBoardTest, LimitsOfBandwidthAreForSimulatedDevices) {
    const std::string conf = "qos TRUE\nenhanced_qos_policy_file limits\n";
    for (const std::string command : {"check", "compile"}) {
        for (const std::string port : {"umad", "mailbox"}) {
            const Answer refused = Run(command, conf, {"--board", "linux_bench", "--port", port});
            EXPECT_EQ(refused.status, emberc::kInputIsWrong);
            EXPECT_NE(refused.error.find(":2:26: error: embersm --" + port + " sets no limits"),
                      std::string::npos)
                << refused.error;
        }
        EXPECT_EQ(
            Run(command, conf, {"--strict", "--board", "linux_bench", "--port", "sim"}).status,
            emberc::kDone);
        EXPECT_EQ(Run(command, conf, {"--port", "umad"}).status, emberc::kInputIsWrong);
    }
    const Answer untold = Run("check", conf, {"--board", "linux_bench"});
    EXPECT_EQ(untold.status, emberc::kDone);
    EXPECT_NE(untold.error.find("warning: on the board linux_bench only the simulated devices"),
              std::string::npos)
        << untold.error;
    EXPECT_EQ(Run("check", conf, {"--port", "serial"}).status, emberc::kUsageIsWrong);
}

TEST_F(CheckBoardTest, AChainHasNoMoreStepsThanTheBoardTakes) {
    folder_.Write("groups", "port-group\nname: a\nport-regexp: .*\nend-port-group\n");
    folder_.Write("topologies", "topology\nid: 1\nsw-grp: a\nhca-grp: a\nend-topology\n");
    folder_.Write("chain",
                  "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                  "unicast-step\nid: 2\nengine: updn\ntopology: 1\nend-unicast-step\n");
    const std::string conf =
        "pgrp_policy_file groups\ntopo_policy_file topologies\nrch_policy_file chain\n";
    Limits single = kLinuxBench;
    single.max_routing_steps = 1;
    EXPECT_NE(SaidOn(single, conf)
                  .find("the board other takes 1 unicast-steps, and this chain "
                        "has 2"),
              std::string::npos)
        << SaidOn(single, conf);
    EXPECT_EQ(SaidOn(kLinuxBench, conf).find("[not-taken]"), std::string::npos);

    std::string error;
    const net::Netlist tree = net::TopologyByName("ft2:4", error);
    Limits small = kLinuxBench;
    small.max_step_switches = 4;
    emberc::ReadingTerms terms;
    terms.default_files = false;
    terms.fabric = &tree;
    terms.board = {.name = "other", .limits = &small};
    const auto read = emberc::ReadConfiguration(folder_.File("opensm.conf"), conf, terms);
    EXPECT_NE(RenderText(read.reports.front())
                  .find("the board other takes 4 switches in a step that is not the first, and "
                        "unicast-step 2 has 6"),
              std::string::npos)
        << RenderText(std::span<const emberc::Diagnostics>(read.reports));
}

TEST_F(CheckBoardTest, ABlobThatIsTooLargeIsNotWritten) {
    std::string roots;
    for (int i = 1; i <= 40'000; ++i) {
        roots += fmt::format("{:#x}\n", i);
    }
    folder_.Write("roots", roots);
    const std::string conf = "routing_engine updn\nroot_guid_file roots\n";
    for (const std::string command : {"check", "compile"}) {
        const Answer refused = Run(command, conf, {"--board", "switch_small"});
        EXPECT_EQ(refused.status, emberc::kInputIsWrong);
        EXPECT_NE(refused.error.find("octets, and the board switch_small takes"), std::string::npos)
            << refused.error;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.File("blob")));
    EXPECT_EQ(Run("compile", conf, {"--board", "linux_bench"}).status, emberc::kDone);
}

}  // namespace
}  // namespace ember::test
