// SPDX-License-Identifier: Apache-2.0
// EmberSM: what lanes carry, and engines side by side.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "config/emberc/commands.h"
#include "config/emberc/plan/comparison.h"
#include "config/emberc/plan/link_loads.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

using nlohmann::json;

Settings WithLanes(EngineKind engine) {
    Settings settings;
    settings.qos = true;
    static_cast<void>(settings.routing_engine.TryPush(engine));
    return settings;
}

/// The lanes together carry what the links do.
void ExpectSameLoad(const Planned& plan, const std::vector<LaneLoad>& lanes) {
    const AllToAll loads = MeasureAllToAll(plan.topology(), plan.lfts());
    const auto all = std::accumulate(loads.load.begin(), loads.load.end(), std::uint64_t{0});
    double sum = 0;
    for (const LaneLoad& lane : lanes) {
        sum += lane.sum;
        EXPECT_LE(lane.max, loads.max + 1e-9);
        EXPECT_LE(lane.links, loads.links);
    }
    EXPECT_NEAR(sum, static_cast<double>(all) / static_cast<double>(loads.unit), 1e-6);
}

TEST(LaneLoads, AreThoseOfTheLinksTogether) {
    for (const char* const shape : {"torus:5x6:2", "random:2,32,6:2", "dragonfly:4,2:2"}) {
        SCOPED_TRACE(shape);
        for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
            Settings settings = WithLanes(EngineKind::kAuto);
            settings.lmc = lmc;
            const auto plan = PlanOf(Shape(shape), settings);
            const std::vector<LaneLoad> lanes = LoadsOfLanes(*plan);
            ASSERT_EQ(lanes.size(), plan->lanes().count);
            ASSERT_GE(lanes.size(), 2U);
            ExpectSameLoad(*plan, lanes);
            for (const LaneLoad& lane : lanes) {
                EXPECT_GT(lane.paths, 0U);
                EXPECT_GT(lane.max, 0);
            }
        }
    }
}

TEST(LaneLoads, CountAPathOnceForEachLaneThatItTakes) {
    // On a ring of eight a path is on one lane: it has the SL of its half.
    Settings settings = WithLanes(EngineKind::kAuto);
    const auto plan = PlanOf(Shape("ring:8:2"), settings);
    const std::vector<LaneLoad> lanes = LoadsOfLanes(*plan);
    ASSERT_EQ(lanes.size(), 2U);
    EXPECT_EQ(lanes[0].paths + lanes[1].paths, 16U * 14U);  // To hosts at other switches.
}

TEST(LaneLoads, AreNotToldOfOneLane) {
    const Settings settings = WithLanes(EngineKind::kMinHop);
    const auto plan = PlanOf(Shape("torus:5x5:1"), settings);
    EXPECT_TRUE(LoadsOfLanes(*plan).empty());
}

TEST(CycleOnOneLane, IsWhatTheLanesKeepApart) {
    const Settings settings = WithLanes(EngineKind::kAuto);
    const auto torus = PlanOf(Shape("torus:5x5:2"), settings);
    EXPECT_FALSE(torus->verdict().findings.end_ports_may_deadlock);
    EXPECT_GT(torus->CycleOnOneLane().length, 0U);
    const auto tree = PlanOf(Shape("ft2:8"), settings);
    EXPECT_EQ(tree->CycleOnOneLane().length, 0U);
}

TEST(PlanCommand, PutsEnginesSideBySide) {
    const Folder folder;
    const std::string conf = folder.Write("own.conf", "qos TRUE\nrouting_engine auto\n");
    const Answer run =
        Emberc({"plan", "-f", "torus:5x5:2", "-c", conf, "--compare", "minhop,torus-2QoS,auto",
                "--json", folder.File("plan.json"), "--html", folder.File("plan.html")});
    EXPECT_EQ(run.status, 0) << run.error;
    for (const char* const said : {"engines side by side", "  minhop ", "  torus-2QoS  refused: ",
                                   "virtual lanes, every host to every other", "  VL 1 ",
                                   "  on one lane                 a credit loop: "}) {
        EXPECT_NE(run.out.find(said), std::string::npos) << said << "\n" << run.out;
    }
    const json facts = json::parse(folder.Read("plan.json"));
    ASSERT_EQ(facts["engines"].size(), 3U);
    EXPECT_EQ(facts["engines"][0]["free_of_credit_loops"], "no");
    EXPECT_EQ(facts["engines"][1]["outcome"], "refused");
    EXPECT_NE(facts["engines"][1]["reason"], "");
    EXPECT_EQ(facts["engines"][2]["free_of_credit_loops"], "hosts");
    EXPECT_EQ(facts["engines"][2]["lanes"], 2);
    EXPECT_EQ(facts["engines"][2]["saturation"], facts["all_to_all"]["saturation"]);
    EXPECT_EQ(facts["lanes"].size(), 2U);
    const std::string page = folder.Read("plan.html");
    EXPECT_NE(page.find("<h2>Engines side by side</h2>"), std::string::npos);
    EXPECT_NE(page.find("<h2>Virtual lanes</h2>"), std::string::npos);
}

TEST(PlanCommand, ComparesAllEnginesThereAre) {
    const Folder folder;
    const Answer run =
        Emberc({"plan", "-f", "ft2:4", "--compare", "all", "--json", folder.File("plan.json")});
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(json::parse(folder.Read("plan.json"))["engines"].size(), kEngineCatalogue.size());
}

TEST(PlanCommand, RefusesToCompareWhatIsNoEngine) {
    const Answer odd = Emberc({"plan", "-f", "ft2:4", "--compare", "minhop,fattree"});
    EXPECT_EQ(odd.status, emberc::kUsageIsWrong);
    EXPECT_NE(odd.error.find("there is no engine \"fattree\"; there are minhop, "),
              std::string::npos)
        << odd.error;
    const Answer twice = Emberc({"plan", "-f", "ft2:4", "--compare", "updn,updn"});
    EXPECT_EQ(twice.status, emberc::kUsageIsWrong);
    EXPECT_NE(twice.error.find("names updn twice"), std::string::npos) << twice.error;
}

TEST(PlanCommand, SaysWhichLaneAFailureFills) {
    const Folder folder;
    const std::string conf = folder.Write("own.conf", "qos TRUE\nrouting_engine auto\n");
    const Answer run = Emberc({"plan", "-f", "torus:5x5:2", "-c", conf, "--fail", "each-link",
                               "--fail-sample", "2", "--json", folder.File("plan.json")});
    EXPECT_EQ(run.status, 0) << run.error;
    const json facts = json::parse(folder.Read("plan.json"));
    ASSERT_EQ(facts["failures"].size(), 2U);
    EXPECT_GT(facts["failures"][0]["lane_max"], 0.0);
    EXPECT_LT(facts["failures"][0]["fullest_lane"], 3);
}

}  // namespace
}  // namespace ember::plan
