// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the list of engines, and of how one of them is found.

#include "engines/catalogue.h"

#include <array>
#include <gtest/gtest.h>
#include <span>

#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

TEST(EngineCatalogue, FindsEveryEngineItLists) {
    Engines engines;
    ASSERT_EQ(engines.All().size(), kEngineCatalogue.size());
    for (std::size_t i = 0; i < kEngineCatalogue.size(); ++i) {
        RoutingEngine* const engine = engines.All()[i];
        EXPECT_EQ(engine->kind(), kEngineCatalogue[i].kind);
        EXPECT_EQ(engine->name(), EngineName(kEngineCatalogue[i].kind));
        EXPECT_EQ(engines.Find(engine->name()), engine);
        EXPECT_EQ(FindEngine(engines.All(), engine->kind()), engine);
    }
    EXPECT_EQ(engines.Find("no such engine"), nullptr);
    EXPECT_EQ(engines.Find(""), nullptr);
    EXPECT_EQ(FindEngine({}, EngineKind::kMinHop), nullptr);
}

TEST(EngineCatalogue, SaysWhichEnginesThereAre) {
    EXPECT_TRUE(HasEngine(EngineKind::kMinHop));
    EXPECT_TRUE(HasEngine(EngineKind::kFtree));
    EXPECT_TRUE(HasEngine(EngineKind::kTorus2Qos));
    EXPECT_TRUE(HasEngine(EngineKind::kLash));
    EXPECT_TRUE(HasEngine(EngineKind::kNue));
    EXPECT_TRUE(HasEngine(EngineKind::kPqft));
}

TEST(EngineCatalogue, KnowsTheGreediestAppetite) {
    const Limits limits = testing::LimitsFor(net::FatTree2(8), 0);
    for (const EngineEntry& entry : kEngineCatalogue) {
        EXPECT_GE(EngineScratchBytes(limits).making, entry.scratch_bytes(limits));
        EXPECT_GE(entry.scratch_bytes(limits), entry.least_scratch_bytes(limits));
    }
}

TEST(EngineCatalogue, HasUpDnAsLastResort) {
    Engines engines;
    const Settings settings;
    EXPECT_EQ(FindLastResort(engines.All(), settings), engines.Find("updn"));
    const std::array others = {engines.Find("minhop"), engines.Find("ftree")};
    EXPECT_EQ(FindLastResort(others, settings), nullptr);
}

TEST(EnginesToTry, AreAutoWhereNoneIsListedAndMinhopUnderOrdersOfOpenSm) {
    const EngineList engines = EnginesToTry({}, Order::kBalanced);
    ASSERT_EQ(engines.size(), 1U);
    EXPECT_EQ(engines[0], EngineKind::kAuto);
    for (const Order order : {Order::kOpensm, Order::kGuid}) {
        ASSERT_EQ(EnginesToTry({}, order).size(), 1U);
        EXPECT_EQ(EnginesToTry({}, order)[0], EngineKind::kMinHop);
    }
}

TEST(EnginesToTry, AreThoseListedInTheirOrder) {
    EngineList listed;
    ASSERT_EQ(listed.TryPush(EngineKind::kFtree), Status::kOk);
    ASSERT_EQ(listed.TryPush(EngineKind::kUpDn), Status::kOk);
    EXPECT_EQ(EnginesToTry(listed, Order::kBalanced), listed);
}

TEST(EngineName, IsTheWordOfEachKind) {
    EXPECT_EQ(EngineName(EngineKind::kMinHop), "minhop");
    EXPECT_EQ(EngineName(EngineKind::kTorus2Qos), "torus-2QoS");
    EXPECT_EQ(EngineName(EngineKind::kNue), "nue");
}

}  // namespace
}  // namespace ember
