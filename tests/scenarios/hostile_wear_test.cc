// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric that loses its cables.
//
// Goal:   whatever engine is configured, and however many cables between switches are lost, at once
//         while the subnet is up or before the manager starts: every pair of hosts that is still
//         connected is routed, no table keeps a route into a dead link, every switch reaches the
//         manager, and a configured engine comes back when the cables do.
// Method: cables drawn by chance; the tables in the simulated switches are walked.
#include <gtest/gtest.h>
#include <random>

#include "board/switch_medium/profile.h"
#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

struct Wear {
    EngineKind engine;
    Order order;
    bool qos = false;
};

std::string NameOf(const ::testing::TestParamInfo<Wear>& wear) {
    const std::string engine(kEngineWords[static_cast<std::size_t>(wear.param.engine)]);
    return engine + (wear.param.order == Order::kOpensm ? "_opensm" : "_balanced");
}

/// `count` cables between switches, each by one end.
std::vector<std::uint32_t> SomeTrunks(const sim::World& world, std::size_t count, unsigned seed) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const std::uint32_t other = world.Wired(row);
        if (other == sim::kNoRow || other < row) continue;
        if (world.node_of(row).is_switch() && world.node_of(other).is_switch()) {
            rows.push_back(row);
        }
    }
    std::mt19937 dice(seed);
    for (std::size_t i = rows.size(); i > 1; --i) {  // As std::shuffle, the same everywhere.
        std::swap(rows[i - 1], rows[dice() % i]);
    }
    rows.resize(std::min(count, rows.size()));
    return rows;
}

/// The switch that is reached last, breadth first from all hosts: in a tree a top.
std::uint32_t FarthestFromHosts(const sim::World& world) {
    std::vector<bool> met(world.node_count(), false);
    std::vector<std::uint32_t> queue;
    const auto meet = [&](std::uint32_t node) {
        if (met[node]) return;
        met[node] = true;
        queue.push_back(node);
    };
    for (std::uint32_t i = 0; i < world.node_count(); ++i) {
        if (!world.node(i).is_switch()) meet(i);
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const sim::SimNode& node = world.node(queue[head]);
        for (std::uint32_t p = 1; p <= node.port_count; ++p) {
            const std::uint32_t other = world.Wired(node.first_row + p);
            if (other != sim::kNoRow) meet(world.port(other).node);
        }
    }
    return queue.back();
}

class WornFabric : public ::testing::TestWithParam<Wear> {
protected:
    void Seat(std::uint32_t k) {
        Settings settings = BriskSettings();
        settings.order = GetParam().order;
        settings.qos = GetParam().qos;
        ASSERT_EQ(settings.routing_engine.TryPush(GetParam().engine), Status::kOk);
        world_ = std::make_unique<SimWorld>(net::FatTree3(k));
        settings_ = settings;
    }
    void Start() { world_->AddManager<kSwitchMedium>(settings_); }
    void Cut(std::size_t count, unsigned seed) {
        cut_ = SomeTrunks(world_->world(), count, seed);
        for (const std::uint32_t row : cut_) {
            world_->sim().Do(Action::kCut, row);
        }
    }
    void Heal() {
        for (const std::uint32_t row : cut_) {
            world_->sim().Do(Action::kJoin, row);
        }
    }
    void ExpectAllWell(const std::string& what) {
        ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << what << world_->Notes();
        const std::uint32_t home = world_->node_of_seat();
        EXPECT_EQ(DeadPairs(world_->world(), home), 0U) << what << world_->Notes();
        EXPECT_EQ(RoutesIntoDeadLinks(world_->world(), home), 0U) << what;
        EXPECT_EQ(EverySwitchReaches(world_->world(), home, world_->attachment_row()), "") << what;
        EXPECT_EQ(AllLinksActive(world_->world(), home), "") << what;
    }
    void WearAtRunTimeAndFromCold(std::uint32_t k, std::size_t count, unsigned seed) {
        const std::string what = "k=" + std::to_string(k) + ", " + std::to_string(count) +
                                 " cut, seed " + std::to_string(seed) + "\n";
        Seat(k);
        Start();
        ExpectAllWell(what);
        Cut(count, seed);
        ExpectAllWell(what);
        Heal();
        ExpectAllWell(what);
        const Verdict& verdict = world_->sm().router().verdict();
        EXPECT_EQ(verdict.attempts.size(), 1U) << what << "the engine that is configured is back";
        EXPECT_FALSE(world_->sm().progress().up_summary.safe_routing) << what;
        EXPECT_EQ(world_->Heard(Note::kSafeRoutingEnded) > 0,
                  world_->Heard(Note::kSafeRoutingTaken) > 0)
            << what;

        Seat(k);
        Cut(count, seed);
        Start();
        ExpectAllWell(what + "from cold\n");
    }

    Settings settings_;
    std::unique_ptr<SimWorld> world_;
    std::vector<std::uint32_t> cut_;
};

TEST_P(WornFabric, LosesNoPairThatIsConnected) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        WearAtRunTimeAndFromCold(4, 2 + 2 * seed, seed);
    }
}

TEST_P(WornFabric, LosesNoneOfALargerOneEither) {
    const unsigned seed = static_cast<unsigned>(GetParam().engine) + 7;
    WearAtRunTimeAndFromCold(8, 15, seed);
    WearAtRunTimeAndFromCold(8, 60, seed + 1);
}

constexpr Wear kWears[] = {
    {EngineKind::kUpDn, Order::kBalanced},   {EngineKind::kUpDn, Order::kOpensm},
    {EngineKind::kDnUp, Order::kBalanced},   {EngineKind::kDnUp, Order::kOpensm},
    {EngineKind::kFtree, Order::kBalanced},  {EngineKind::kFtree, Order::kOpensm},
    {EngineKind::kMinHop, Order::kBalanced}, {EngineKind::kMinHop, Order::kOpensm},
    {EngineKind::kDor, Order::kBalanced},    {EngineKind::kDor, Order::kOpensm},
};
INSTANTIATE_TEST_SUITE_P(Engines, WornFabric, ::testing::ValuesIn(kWears), NameOf);

/// Engines that lead pairs by lanes.
constexpr Wear kWearsOfLanes[] = {
    {EngineKind::kSssp, Order::kBalanced, true}, {EngineKind::kDfsssp, Order::kBalanced, true},
    {EngineKind::kLash, Order::kBalanced, true}, {EngineKind::kNue, Order::kBalanced, true},
    {EngineKind::kAuto, Order::kBalanced, true},
};
INSTANTIATE_TEST_SUITE_P(EnginesOfLanes, WornFabric, ::testing::ValuesIn(kWearsOfLanes), NameOf);

/// The manager sits on the switch that stands highest; see field defect 4.
class HomeOnTop : public WornFabric {};

TEST_P(HomeOnTop, HearsOfALostCableFromEverySwitch) {
    Seat(4);
    const std::uint32_t top = FarthestFromHosts(world_->world());
    settings_.sweep_interval = 600;  // A change that is not told is not found.
    world_->AddManager<kSwitchMedium>(top, 0, settings_);
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_EQ(EverySwitchReaches(world_->world(), top, world_->attachment_row()), "");
    EXPECT_EQ(EverySwitchIsReached(world_->world(), top), "");
    const std::vector<std::uint32_t> trunks = SomeTrunks(world_->world(), 1000, 1);
    for (std::size_t i = 0; i < trunks.size(); i += 3) {
        world_->sim().Do(Action::kCut, trunks[i]);
        world_->RunFor(4 * kSecond);
        EXPECT_EQ(RoutesIntoDeadLinks(world_->world(), top), 0U) << "row " << trunks[i];
        EXPECT_EQ(EverySwitchReaches(world_->world(), top, world_->attachment_row()), "");
        EXPECT_EQ(EverySwitchIsReached(world_->world(), top), "");
        EXPECT_EQ(DeadPairs(world_->world(), top), 0U);
        world_->sim().Do(Action::kJoin, trunks[i]);
        world_->RunFor(4 * kSecond);
    }
    EXPECT_GE(world_->Heard(Note::kWaysApart), 1U) << "other tops stay apart, which is told";
}

constexpr Wear kTrees[] = {
    {EngineKind::kUpDn, Order::kBalanced},
    {EngineKind::kUpDn, Order::kOpensm},
    {EngineKind::kFtree, Order::kBalanced},
    {EngineKind::kFtree, Order::kOpensm},
};
INSTANTIATE_TEST_SUITE_P(Engines, HomeOnTop, ::testing::ValuesIn(kTrees), NameOf);

}  // namespace
}  // namespace ember::testing
