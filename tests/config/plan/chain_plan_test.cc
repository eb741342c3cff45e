// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of plans by a routing chain: its steps are told, drawn and compared.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "config/emberc/plan/page.h"
#include "config/emberc/plan/settings_source.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

/// A tree whose hosts are routed by updn behind minhop for all.
class ChainPlans : public ::testing::Test {
protected:
    ChainPlans() {
        folder_.Write("t",
                      "topology\nid: 1\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n");
        folder_.Write("r",
                      "unicast-step\nid: 3\nengine: minhop\nend-unicast-step\n"
                      "unicast-step\nid: 8\nengine: updn\ntopology: 1\nend-unicast-step\n");
        conf_ = folder_.Write("o.conf", "topo_policy_file t\nrch_policy_file r\n");
    }

    Folder folder_;
    std::string conf_;
};

TEST_F(ChainPlans, TellTheStepsAndTheBestSingleEngine) {
    const Answer text = Emberc({"plan", "-f", "ft2:4", "-c", conf_});
    ASSERT_EQ(text.status, 0) << text.error;
    for (const std::string_view part :
         {"unicast-step 3              minhop", "unicast-step 8              updn",
          "best single engine          ", "engine                      chain"}) {
        EXPECT_NE(text.out.find(part), std::string::npos) << part << '\n' << text.out;
    }
    const Answer run = Emberc({"plan", "-f", "ft2:4", "-c", conf_, "--json", "-"});
    const auto facts = nlohmann::json::parse(run.out);
    EXPECT_EQ(facts["verdict"]["engine"], "chain");
    ASSERT_EQ(facts["verdict"]["attempts"].size(), 2U);
    EXPECT_EQ(facts["verdict"]["attempts"][1]["unicast_step"], 8);
    EXPECT_GT(facts["best_single_engine"]["saturation"], 0.0);
    EXPECT_EQ(facts["best_single_engine"]["outcome"], "verified");
}

TEST_F(ChainPlans, ColorThePictureByStep) {
    const Answer run = Emberc({"plan", "-f", "ft2:4", "-c", conf_, "--html", "-"});
    ASSERT_EQ(run.status, 0) << run.error;
    EXPECT_NE(run.out.find("unicast-step 8 by updn"), std::string::npos);
    EXPECT_NE(run.out.find("class=\"leaf s1\""), std::string::npos);
    EXPECT_NE(run.out.find("The best single engine for the whole would be"), std::string::npos);
    const Answer list = Emberc({"plan", "-f", "ft2:4", "--html", "-"});
    EXPECT_EQ(list.out.find("unicast-step"), std::string::npos);
    EXPECT_EQ(list.out.find("best single engine"), std::string::npos);
}

TEST_F(ChainPlans, SayWhichBoardsHaveTooFewSteps) {
    std::string steps = "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n";
    for (const char* const id : {"2", "3", "4", "5"}) {
        steps += std::string("unicast-step\nid: ") + id +
                 "\nengine: updn\ntopology: 1\nend-unicast-step\n";
    }
    folder_.Write("five", steps);
    const std::string conf = folder_.Write("f.conf", "topo_policy_file t\nrch_policy_file five\n");
    const Answer run = Emberc({"plan", "-f", "ft2:4", "-c", conf, "--board", "switch_medium"});
    EXPECT_NE(run.out.find("steps of a routing chain"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("DOES NOT FIT"), std::string::npos) << run.out;
    EXPECT_NE(Emberc({"check", conf, "--board", "switch_medium"}).status, 0);
    const Answer two = Emberc({"plan", "-f", "ft2:4", "-c", conf_, "--board", "switch_medium"});
    EXPECT_NE(two.out.find("fits board switch_medium"), std::string::npos) << two.out;
}

TEST_F(ChainPlans, KnowTheStepOfEachSwitch) {
    const auto source =
        LoadSettings(conf_, {.allowances = {}, .default_files = false, .default_folder = {}});
    const auto plan = PlanOf(Shape("ft2:4"), source->settings());
    ASSERT_EQ(plan->steps().size(), 2U);
    EXPECT_EQ(plan->steps()[0].part, nullptr);
    for (const SwitchIndex at : plan->topology().switches_by_guid()) {
        EXPECT_EQ(plan->StepOf(at), 1U);
    }
}

TEST_F(ChainPlans, CheckShowsWhatEachStepRoutes) {
    const Answer run = Emberc({"check", conf_, "--fabric", "ft2:4"});
    ASSERT_EQ(run.status, 0) << run.error;
    EXPECT_NE(run.out.find("unicast-step 8 by updn, topology 1: 8 hosts on 6 switches"),
              std::string::npos)
        << run.out;
}

}  // namespace
}  // namespace ember::plan
