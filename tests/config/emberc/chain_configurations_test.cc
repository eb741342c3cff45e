// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of whole configurations with a chain: what arrives, and what is told of the files
// together.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "board/sim_small/profile.h"
#include "config/blob/payload.h"
#include "config/emberc/commands.h"
#include "config/emberc/configuration.h"
#include "config/emberc/files.h"
#include "config/emberc/option_files/chain_members.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/emberc/plan/settings_source.h"
#include "config/netlist/topologies.h"
#include "core/settings/qos_tables.h"
#include "tests/config/emberc_run.h"
#include "tests/config/plan/plan_support.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::LoadedChain;
using emberc::LoadedTopologies;

/// A configuration in a folder of its own.
class ChainConfigurations : public ::testing::Test {
protected:
    ChainConfigurations() {
        folder_.Write("groups",
                      "port-group\nname: hosts\nport-regexp: h.*\nend-port-group\n"
                      "port-group\nname: none\nport-guid: 0x1\nend-port-group\n");
        folder_.Write("topologies",
                      "topology\nid: 1\nsw-grp: ALL_SWITCHES\nhca-grp: hosts\nend-topology\n"
                      "topology\nid: 2\nsw-grp: none\nhca-grp: hosts\nend-topology\n");
        folder_.Write("chain",
                      "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                      "unicast-step\nid: 2\nengine: updn\ntopology: 1\nconfig: two.conf\n"
                      "end-unicast-step\n");
        folder_.Write("two.conf", "connect_roots TRUE\nscatter_ports 7\n");
    }
    plan::Answer Compile(const std::string& lines) {
        folder_.Write("opensm.conf",
                      "pgrp_policy_file groups\ntopo_policy_file topologies\n"
                      "rch_policy_file chain\n" +
                          lines);
        return plan::Emberc(
            {"compile", folder_.File("opensm.conf"), "-o", folder_.File("blob"), "--counter", "1"});
    }

    plan::Folder folder_;
};

TEST_F(ChainConfigurations, ArriveInSettingsWithTheOptionsOfTheirFiles) {
    const plan::Answer answer = Compile("");
    ASSERT_EQ(answer.status, 0) << answer.error;
    EXPECT_EQ(answer.error.find("warning"), std::string::npos) << answer.error;
    const auto loaded = plan::LoadSettings(folder_.File("blob"));
    ASSERT_NE(loaded, nullptr);
    const ManagerTables& tables = loaded->settings().manager_tables;
    ASSERT_EQ(tables.topologies.size(), 2U);
    EXPECT_EQ(tables.topologies[0].end_ports, 0U);
    ASSERT_EQ(tables.chain_steps.size(), 2U);
    EXPECT_EQ(tables.chain_steps[1],
              (ChainStep{.id = 2,
                         .line = 5,
                         .scatter_ports = 7,
                         .own = step_option::kConnectRoots | step_option::kScatterPorts,
                         .values = step_option::kConnectRoots,
                         .topology = 1,
                         .engine = EngineKind::kUpDn}));
    const plan::Answer shown = plan::Emberc({"show", folder_.File("blob")});
    EXPECT_NE(shown.out.find("unicast-step 2 of line 5, updn, topology 1, connect_roots TRUE, "
                             "scatter_ports 7"),
              std::string::npos)
        << shown.out;
}

TEST_F(ChainConfigurations, FilesOfStepsSayNothingOfTheWholeSubnet) {
    for (const std::string_view line :
         {"qos TRUE", "qos_max_vls 8", "lmc 1", "routing_engine updn", "order opensm",
          "lfts_file tables", "lash_start_vl 1", "require_deadlock_free TRUE"}) {
        folder_.Write("two.conf", fmt::format("{}\n", line));
        const plan::Answer answer = Compile("");
        EXPECT_NE(answer.status, 0) << line;
        EXPECT_NE(answer.error.find("two.conf:1:1: error: "), std::string::npos) << answer.error;
    }
    folder_.Write("two.conf", "sm_priority 5\n");
    const plan::Answer other = Compile("");
    EXPECT_EQ(other.status, 0);
    EXPECT_NE(other.error.find("two.conf:1:1: warning: "), std::string::npos) << other.error;
    // Lines that the main file has too are accepted in silence.
    folder_.Write("two.conf", "sm_priority 5\norder opensm\n");
    EXPECT_EQ(Compile("sm_priority 5\norder opensm\n").error.find("two.conf"), std::string::npos);
}

TEST_F(ChainConfigurations, AFileThatIsNotThereIsToldAtItsName) {
    folder_.Write("chain",
                  "unicast-step\nid: 1\nengine: minhop\nconfig: nowhere\nend-unicast-step\n");
    const plan::Answer answer = Compile("");
    EXPECT_NE(answer.status, 0);
    EXPECT_NE(answer.error.find("chain:4:9: error: "), std::string::npos) << answer.error;
}

TEST_F(ChainConfigurations, TheWordChainNeedsAChain) {
    EXPECT_EQ(Compile("routing_engine chain\n").status, 0);
    const plan::Answer both = Compile("routing_engine chain,updn\n");
    EXPECT_EQ(both.status, 0);
    EXPECT_NE(both.error.find("its engines are not asked"), std::string::npos) << both.error;
    folder_.Write("alone.conf", "routing_engine chain\n");
    EXPECT_NE(plan::Emberc({"check", folder_.File("alone.conf")}).status, 0);
}

TEST_F(ChainConfigurations, EnginesOfSeveralLanesNeedLanesOfTheirSteps) {
    for (const std::string_view engine : {"lash", "dfsssp", "torus-2QoS"}) {
        folder_.Write("chain", fmt::format("unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                                           "unicast-step\nid: 2\nengine: {}\ntopology: 1\n"
                                           "end-unicast-step\n",
                                           engine));
        const plan::Answer shared = Compile("qos TRUE\n");
        EXPECT_NE(shared.status, 0) << engine;
        EXPECT_NE(shared.error.find("chain:7:9: error: "), std::string::npos) << shared.error;
        EXPECT_NE(shared.error.find("chain_lanes TRUE"), std::string::npos) << shared.error;
        folder_.Write("torus", "torus 3 3 1\nxp_link 1 2\nyp_link 1 3\n");
        const plan::Answer apart = Compile("qos TRUE\nchain_lanes TRUE\ntorus_config torus\n");
        EXPECT_EQ(apart.status, 0) << apart.error;
    }
}

/// `opensm -c` writes the name of torus_config down, whatever the engines.
TEST_F(ChainConfigurations, OnlyAStepByTorus2QosNeedsTheTorusOfTheDefaultName) {
    const std::string as_written =
        "qos TRUE\nchain_lanes TRUE\n"
        "torus_config /etc/opensm/torus-2QoS.conf\n";
    for (const std::string_view engine : {"minhop", "lash", "torus-2QoS"}) {
        folder_.Write("chain", fmt::format("unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                                           "unicast-step\nid: 2\nengine: {}\ntopology: 1\n"
                                           "end-unicast-step\n",
                                           engine));
        const plan::Answer answer = Compile(as_written);
        const bool needs_it = engine == "torus-2QoS";
        EXPECT_EQ(answer.status != 0, needs_it) << answer.error;
        EXPECT_EQ(answer.error.find("has no torus_config") != std::string::npos, needs_it)
            << answer.error;
    }
}

TEST_F(ChainConfigurations, LanesOfStepsNeedLanesAChainAndABoardWithLanes) {
    EXPECT_EQ(Compile("chain_lanes TRUE\n").status, 0) << "without qos too";
    const plan::Answer without = Compile("chain_lanes TRUE\nrouting_lanes FALSE\n");
    EXPECT_NE(without.status, 0);
    EXPECT_NE(without.error.find("opensm.conf:4:1: error: "), std::string::npos) << without.error;
    EXPECT_NE(without.error.find("none is written: routing_lanes is FALSE"), std::string::npos);
    folder_.Write("alone.conf", "qos TRUE\nchain_lanes TRUE\n");
    const plan::Answer alone = plan::Emberc({"check", folder_.File("alone.conf")});
    EXPECT_EQ(alone.status, 0);
    EXPECT_NE(alone.error.find("no such file is named"), std::string::npos) << alone.error;
    ASSERT_EQ(Compile("qos TRUE\nchain_lanes TRUE\n").status, 0);
    Limits narrow = kSimSmall;
    narrow.max_lanes = 1;
    emberc::ReadingTerms terms;
    terms.board.name = "narrow";
    terms.board.limits = &narrow;
    const auto read = emberc::ReadConfiguration(
        folder_.File("opensm.conf"), emberc::ReadText(folder_.File("opensm.conf")), terms);
    EXPECT_FALSE(read.is_good);
    EXPECT_NE(RenderText(read.reports.front())
                  .find("the board narrow routes by one lane, which all steps share"),
              std::string::npos)
        << RenderText(read.reports.front());
}

TEST_F(ChainConfigurations, TopologiesWithoutAChainAreToldToDoNothing) {
    folder_.Write("opensm.conf", "pgrp_policy_file groups\ntopo_policy_file topologies\n");
    const plan::Answer answer = plan::Emberc({"check", folder_.File("opensm.conf")});
    EXPECT_EQ(answer.status, 0);
    EXPECT_NE(answer.error.find("its topologies change nothing"), std::string::npos)
        << answer.error;
}

/// Of a tree of 2 spines, 4 leaves and 8 hosts, whose nodes are called as the netlist does.
TEST_F(ChainConfigurations, AreComparedWithAFabricOnPaper) {
    std::string error;
    const net::Netlist tree = net::TopologyByName("ft2:4", error);
    ASSERT_EQ(error, "");
    const auto host = std::find_if(tree.nodes.begin(), tree.nodes.end(),
                                   [](const net::NetNode& node) { return !node.is_switch(); });
    folder_.Write("groups",
                  fmt::format("port-group\nname: hosts\nport-regexp: {}$\nend-port-group\n"
                              "port-group\nname: none\nport-guid: 0x1\nend-port-group\n",
                              host->description));
    folder_.Write("chain",
                  "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                  "unicast-step\nid: 2\nengine: updn\ntopology: 1\nend-unicast-step\n"
                  "unicast-step\nid: 3\nengine: updn\ntopology: 2\nend-unicast-step\n");
    ASSERT_EQ(Compile("").status, 0);
    const plan::Answer answer =
        plan::Emberc({"check", folder_.File("opensm.conf"), "--fabric", "ft2:4"});
    EXPECT_EQ(answer.status, 0) << answer.error;
    const std::string all = answer.out + answer.error;
    // A group that is empty, a step that routes nothing, and nodes in no step, with their lines.
    EXPECT_NE(all.find("groups:6:7: warning: "), std::string::npos) << all;
    EXPECT_NE(all.find("chain:10:1: warning: this unicast-step routes nothing"), std::string::npos)
        << all;
    EXPECT_NE(all.find("chain:1:1: warning: 7 nodes of the fabric are in no step of a topology"),
              std::string::npos)
        << all;
    EXPECT_NE(all.find("unicast-step 1 by minhop, topology 0: 8 hosts on 6 switches"),
              std::string::npos)
        << all;
    EXPECT_NE(all.find("unicast-step 2 by updn, topology 1: 1 hosts on 6 switches"),
              std::string::npos)
        << all;
    EXPECT_NE(all.find(fmt::format("port group hosts of line 1: 1 ports of 1 nodes: {}", host->id)),
              std::string::npos)
        << all;
}

TEST(ChainMembers, AreTheSwitchesAndHostsOfEachStep) {
    const net::Netlist tree = net::FatTree2(4);
    LoadedTopologies topologies;
    topologies.topologies.push_back({.row = {.id = 1,
                                             .switches = kGroupOfTypes | qos_node_type::kSwitch,
                                             .end_ports = kGroupOfTypes | qos_node_type::kRouter}});
    LoadedChain chain;
    chain.steps = {{.row = {.id = 1}},
                   {.row = {.id = 2, .topology = 1, .engine = EngineKind::kUpDn}, .topology = 1}};
    const auto members = MembersOf(chain, {}, topologies, tree);
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].switches.size() + members[0].hosts.size(), tree.nodes.size());
    EXPECT_EQ(members[1].switches, members[0].switches);
    EXPECT_TRUE(members[1].hosts.empty()) << "there is no router";
    EXPECT_EQ(AsLine(members[1]).substr(0, 52),
              "unicast-step 2 by updn, topology 1: 0 hosts on 6 swi");
    EXPECT_EQ(OnlyInWhole(members).size(), members[0].hosts.size());
}

}  // namespace
}  // namespace ember::test
