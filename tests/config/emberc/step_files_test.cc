// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the option files that steps of a chain have for themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "config/blob/payload.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/emberc/payload_writer.h"
#include "config/emberc/plan/settings_source.h"
#include "core/settings/settings.h"
#include "tests/config/emberc_run.h"
#include "tests/config/plan/plan_support.h"

namespace ember::test {
namespace {

/// A chain of three steps, of which two have a file.
class StepFiles : public ::testing::Test {
protected:
    StepFiles() {
        folder_.Write("topologies",
                      "topology\nid: 1\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n");
        folder_.Write("chain",
                      "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                      "unicast-step\nid: 2\nengine: ftree\ntopology: 1\nconfig: two.conf\n"
                      "end-unicast-step\n"
                      "unicast-step\nid: 3\nengine: updn\ntopology: 1\nconfig: three.conf\n"
                      "end-unicast-step\n");
        folder_.Write("roots", "0x10\n0x11\n");
        folder_.Write("other_roots", "0x20\n");
        folder_.Write("ios", "0x31\n0x30\n");
        folder_.Write("order", "0x42\n0x41\n");
        folder_.Write("torus", "torus 3 3 1\nxp_link 0x1 0x2\nyp_link 0x1 0x4\n");
        folder_.Write("two.conf", "io_guid_file ios\nroot_guid_file other_roots\n");
        folder_.Write("three.conf", "root_guid_file (null)\nguid_routing_order_file order\n");
    }
    Answer Compile(const std::string& lines = "") {
        folder_.Write("opensm.conf",
                      "topo_policy_file topologies\nrch_policy_file chain\n"
                      "root_guid_file roots\n" +
                          lines);
        return Emberc(
            {"compile", folder_.File("opensm.conf"), "-o", folder_.File("blob"), "--counter", "1"});
    }

    Folder folder_;
};

TEST_F(StepFiles, ArriveInOneBlobBesideThoseOfTheMainFile) {
    const Answer answer = Compile();
    ASSERT_EQ(answer.status, 0) << answer.error;
    const auto loaded = plan::LoadSettings(folder_.File("blob"));
    ASSERT_NE(loaded, nullptr);
    const Settings& settings = loaded->settings();
    EXPECT_EQ(settings.tables.roots.size(), 2U);
    EXPECT_TRUE(settings.tables.io_nodes.empty());
    const ManagerTables& tables = settings.manager_tables;
    ASSERT_EQ(tables.chain_steps.size(), 3U);
    ASSERT_EQ(tables.step_tables.size(), 2U);
    EXPECT_EQ(tables.chain_steps[0].own_files, 0U);
    EXPECT_EQ(tables.chain_steps[1].own_files, step_file::kRoots | step_file::kIoNodes);
    EXPECT_EQ(tables.chain_steps[2].own_files, step_file::kRoots | step_file::kRoutingOrder);
    const EngineTables& two = tables.step_tables[tables.chain_steps[1].tables - 1U];
    ASSERT_EQ(two.roots.size(), 1U);
    EXPECT_EQ(two.roots[0], Guid{0x20});
    EXPECT_TRUE(two.has_io_nodes);
    ASSERT_EQ(two.io_nodes.size(), 2U);
    EXPECT_EQ(two.io_nodes[0], Guid{0x30});
    const EngineTables& three = tables.step_tables[tables.chain_steps[2].tables - 1U];
    EXPECT_FALSE(three.has_roots);
    ASSERT_EQ(three.routing_order.size(), 2U);
    EXPECT_EQ(three.routing_order[0], Guid{0x42}) << "in the order of the lines";
}

TEST_F(StepFiles, AreShownWithTheirSteps) {
    ASSERT_EQ(Compile().status, 0);
    const std::string shown = Emberc({"show", folder_.File("blob")}).out;
    EXPECT_NE(shown.find("ftree, topology 1, root_guid_file of its own, io_guid_file of its own"),
              std::string::npos)
        << shown;
    EXPECT_NE(shown.find("# io_guid_file of unicast-step 2: 2 GUIDs\n#     0x0000000000000030"),
              std::string::npos)
        << shown;
    EXPECT_NE(shown.find("# guid_routing_order_file of unicast-step 3: 2 GUIDs"), std::string::npos)
        << shown;
}

TEST_F(StepFiles, TellMistakesAtTheirOwnLines) {
    folder_.Write("ios", "0x30\nx\n");
    const Answer wrong = Compile();
    EXPECT_NE(wrong.status, 0);
    EXPECT_NE(wrong.error.find("ios:2:1: error: "), std::string::npos) << wrong.error;
    folder_.Write("ios", "0x30\n");
    folder_.Write("two.conf", "connect_roots TRUE\nio_guid_file nowhere\n");
    const Answer missing = Compile();
    EXPECT_NE(missing.status, 0);
    EXPECT_NE(missing.error.find("two.conf:2:14: error: "), std::string::npos) << missing.error;
}

TEST_F(StepFiles, SayWhyAKeyIsNotForSteps) {
    const auto said = [&](std::string_view line) {
        folder_.Write("two.conf", fmt::format("{}\n", line));
        const Answer answer = Compile();
        EXPECT_NE(answer.status, 0) << line;
        EXPECT_NE(answer.error.find("two.conf:1:1: error: "), std::string::npos) << answer.error;
        return answer.error;
    };
    EXPECT_NE(said("lfts_file x").find("no step is routed by the engine 'file'"),
              std::string::npos);
    EXPECT_NE(said("order guid").find("LIDs are given out by it"), std::string::npos);
    EXPECT_NE(said("nue_max_num_vls 3").find("the lanes of a chain"), std::string::npos);
}

TEST_F(StepFiles, WarnOfAFileThatTheEngineOfTheStepDoesNotLookAt) {
    EXPECT_EQ(Compile().error.find("does not look at"), std::string::npos);
    folder_.Write("three.conf", "cn_guid_file ios\n");
    const Answer answer = Compile();
    EXPECT_EQ(answer.status, 0);
    EXPECT_NE(answer.error.find("three.conf:1:1: warning: engine 'updn' of this step does not "
                                "look at 'cn_guid_file'"),
              std::string::npos)
        << answer.error;
}

TEST_F(StepFiles, TheTorusOfAStepIsItsOwn) {
    folder_.Write("chain",
                  "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                  "unicast-step\nid: 2\nengine: torus-2QoS\ntopology: 1\nconfig: two.conf\n"
                  "end-unicast-step\n");
    folder_.Write("two.conf", "torus_config torus\n");
    const Answer answer = Compile("qos TRUE\nchain_lanes TRUE\n");
    ASSERT_EQ(answer.status, 0) << answer.error;
    const auto loaded = plan::LoadSettings(folder_.File("blob"));
    ASSERT_NE(loaded, nullptr);
    EXPECT_TRUE(loaded->settings().tables.torus.empty());
    ASSERT_EQ(loaded->settings().manager_tables.step_tables.size(), 1U);
    EXPECT_EQ(loaded->settings().manager_tables.step_tables[0].torus.size(), 1U);
}

TEST_F(StepFiles, AStepByTorus2QosNeedsATorus) {
    folder_.Write("chain",
                  "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                  "unicast-step\nid: 2\nengine: torus-2QoS\ntopology: 1\n"
                  "end-unicast-step\n");
    const Answer without = Compile("qos TRUE\nchain_lanes TRUE\n");
    EXPECT_NE(without.status, 0);
    EXPECT_NE(without.error.find("chain:5:1: error: engine `torus-2QoS` has no torus_config that "
                                 "says what torus there is [conflict]"),
              std::string::npos)
        << without.error;
    EXPECT_EQ(Compile("qos TRUE\nchain_lanes TRUE\ntorus_config torus\n").status, 0)
        << "that of the main file";
}

/// A name that is the default of the key is the step's own, if the main file names none.
TEST_F(StepFiles, AnAbsentFileIsAnErrorAlsoByItsDefaultName) {
    folder_.Write("chain",
                  "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                  "unicast-step\nid: 2\nengine: torus-2QoS\ntopology: 1\nconfig: two.conf\n"
                  "end-unicast-step\n");
    folder_.Write("two.conf", "torus_config /etc/opensm/torus-2QoS.conf\n");
    const Answer absent = Compile("qos TRUE\nchain_lanes TRUE\n");
    EXPECT_NE(absent.status, 0);
    EXPECT_NE(absent.error.find("two.conf:1:14: error: cannot read"), std::string::npos)
        << absent.error;
}

TEST_F(StepFiles, AChangeInOneIsAnotherRouting) {
    ASSERT_EQ(Compile().status, 0);
    const auto before = plan::LoadSettings(folder_.File("blob"));
    folder_.Write("other_roots", "0x21\n");
    ASSERT_EQ(Compile().status, 0);
    const auto after = plan::LoadSettings(folder_.File("blob"));
    EXPECT_FALSE(RouteAlike(before->settings(), after->settings()));
    EXPECT_FALSE(before->settings() == after->settings());
}

}  // namespace
}  // namespace ember::test
