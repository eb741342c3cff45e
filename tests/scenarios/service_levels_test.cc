// SPDX-License-Identifier: Apache-2.0
// EmberSM: clients are told the service levels of the routing that is programmed.
#include <gtest/gtest.h>

#include "core/wire/path_record.h"
#include "tests/support/lane_engine.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

using testing::kSecond;
using testing::LaneEngine;
using testing::SaClient;
using testing::SimWorld;
using P = PathRecord;

constexpr Limits kPlainBoard = [] {
    Limits limits = kSimSmall;
    limits.max_lanes = 1;
    limits.path_sl_bytes = 0;
    limits.lane_map_bytes = 0;
    return limits;
}();

constexpr Limits kLaneBoard = [] {
    Limits limits = kSimSmall;
    limits.path_sl_bytes = 1000;
    limits.lane_map_bytes = 1000;
    return limits;
}();

TEST(ServiceLevels, ABoardHasWhatItsLimitsSayTwice) {
    static_assert(Storage<kLaneBoard>::table()[6] == MemoryRow{"SLs and lanes", 4000});
    static_assert(Storage<kPlainBoard>::table()[6] == MemoryRow{"SLs and lanes", 0});
}

/// Goal: an answer fits the routing as programmed. Method: an engine whose service levels depend on
/// a number, which changes while the subnet is up; then routes are made anew.
TEST(ServiceLevels, ChangeWhenTheTablesAreProgrammed) {
    SimWorld world(net::FatTree2(4));
    LaneEngine engine;
    Settings settings = testing::BriskSettings();
    settings.order = Order::kOpensm;
    world.AddManager<kLaneBoard>(settings);
    world.TakeEngines({&engine});
    world.Restart();
    ASSERT_TRUE(world.RunUntilUp(60 * kSecond)) << world.Notes();
    const SubnetManager& sm = world.sm();
    SaClient client(world, world.node_of_seat() + 1);
    const auto told = [&] {
        P asked;
        asked.Set(P::kSlid, client.lid());
        asked.Set(P::kDlid, Lid{1});
        const SaMad answer =
            client.Ask(Method::kGet, SaAttribute::kPathRecord,
                       std::uint64_t{1} << P::kHasSlid | std::uint64_t{1} << P::kHasDlid, asked);
        P path;
        std::copy_n(answer.data.begin(), sizeof path, path.octets().begin());
        EXPECT_EQ(path.Get(P::kDlid), Lid{1});
        return path.Get(P::kSl);
    };
    EXPECT_EQ(told(), 2);

    engine.step = 4;
    const auto of_one = [](const RoutingLanes& lanes) { return lanes.path_sl.Of({.lid = Lid{1}}); };
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.Wake();
    ASSERT_TRUE(
        world.RunUntil([&] { return of_one(sm.router().planned_lanes()) == 5; }, 10 * kSecond));
    ASSERT_NE(sm.status().stage, Stage::kResting);
    EXPECT_EQ(of_one(sm.router().programmed_lanes()), 2) << "planned, and not yet programmed";
    ASSERT_TRUE(world.RunUntilUp(60 * kSecond));
    EXPECT_EQ(told(), 5);
}

}  // namespace
}  // namespace ember
