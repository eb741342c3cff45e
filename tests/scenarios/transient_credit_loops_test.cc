// SPDX-License-Identifier: Apache-2.0
// EmberSM: old and new routes beside each other close no credit loop.
//
// Goal:   while tables change from one routing without a credit loop to another, none is possible
//         by the packets that meet entries of both; or the journal says so.
// Method: all packets among hosts are followed through the tables of the hardware after each block
//         that is written (CreditWatch). Routings are exchanged for their opposite, and links leave
//         and return.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "board/linux_bench/profile.h"
#include "config/netlist/random.h"
#include "tests/support/credit_watch.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

/// Routes along a tree of all switches, whose root is the switch of that number: free of credit
/// loops, whatever the fabric.
class TreeEngine final : public RoutingEngine {
public:
    TreeEngine(EngineKind kind, std::size_t root) : kind_(kind), root_(root) {}

    [[nodiscard]] EngineKind kind() const override { return kind_; }
    [[nodiscard]] std::string_view name() const override { return "tree"; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.deadlock_free = true};
    }
    Status Begin(const RoutingTask& task) override {
        const Topology& topology = *task.topology;
        const auto switches = topology.switches_by_guid();
        std::vector<Trunk> up(topology.switch_bound());  // Towards the root: `port` is our own.
        std::vector<SwitchIndex> order = {switches[root_ % switches.size()]};
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const Trunk& trunk : topology.trunks(order[i])) {
                if (std::find(order.begin(), order.end(), trunk.peer) != order.end()) continue;
                up[Raw(trunk.peer)] = {order[i], trunk.peer_port, trunk.port};
                order.push_back(trunk.peer);
            }
        }
        if (order.size() != switches.size()) return Status::kUnreachable;
        for (const Destination& to : topology.destinations()) {
            if (to.at == kNoSwitch) continue;
            for (const SwitchIndex at : switches) {
                task.tables.lfts[at][Raw(to.lid)] = Raw(up[Raw(at)].port);
            }
            // Back down, from the root to the LID.
            for (SwitchIndex at = to.at; at != order[0]; at = up[Raw(at)].peer) {
                task.tables.lfts[up[Raw(at)].peer][Raw(to.lid)] = Raw(up[Raw(at)].peer_port);
            }
            task.tables.lfts[to.at][Raw(to.lid)] = Raw(to.port);
        }
        return Status::kOk;
    }
    Result<Progress> Advance() override { return Progress::kDone; }
    void TurnTo(std::size_t root) { root_ = root; }

private:
    EngineKind kind_;
    std::size_t root_;
};

Settings With(EngineKind kind) {
    Settings settings = BriskSettings();
    static_cast<void>(settings.routing_engine.TryPush(kind));
    return settings;
}

class OtherTree : public ::testing::Test {
protected:
    void Seat(const net::Netlist& netlist, const SimWorld::Options& options = {}) {
        world_ = std::make_unique<SimWorld>(netlist, options);
        world_->AddManager(With(EngineKind::kLash));
        world_->AddEngine(tree_);
        world_->Restart();
        ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
        ASSERT_EQ(world_->sm().router().verdict().engine, "tree");
    }
    void TurnTo(std::size_t root) {
        tree_.TurnTo(root);
        world_->sm().RequestSweep(SweepCue::kHeavyRequest);
        world_->Wake();
        ASSERT_TRUE(world_->RunUntilQuiet(120 * kSecond)) << world_->Notes();
        EXPECT_EQ(world_->Judge(), "") << world_->Notes();
    }

    TreeEngine tree_{EngineKind::kLash, 0};
    std::unique_ptr<SimWorld> world_;
};

TEST_F(OtherTree, OfARingIsMadeWithoutACreditLoop) {
    Seat(net::Ring(8, 2));
    CreditWatch watch(*world_);
    TurnTo(4);
    EXPECT_GT(watch.blocks(), 0U);
    EXPECT_EQ(watch.Loop(), "");
    EXPECT_GE(world_->Heard(Note::kBlocksYielded), 1U);
}

TEST_F(OtherTree, IsMadeAndToldWhereNoMemoryIsLeftToLook) {
    Seat(net::Ring(8, 2));
    world_->LimitScratch(160'000);
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kNoRoomForOrder), 0U);
    TurnTo(4);
    EXPECT_EQ(world_->Heard(Note::kNoRoomForOrder), 1U) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kBlocksYielded), 0U);
}

TEST_F(OtherTree, OfARandomFabricIsMadeWithoutACreditLoop) {
    std::uint64_t yields = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        net::Random random(seed);
        Seat(net::RandomGraph(seed, 4 + random.Below(9), 3 + random.Below(3), 2));
        for (int i = 0; i < 3; ++i) {
            CreditWatch watch(*world_);
            TurnTo(random.Below(12));
            ASSERT_EQ(watch.Loop(), "") << world_->Notes();
        }
        yields += world_->Heard(Note::kBlocksYielded);
    }
    EXPECT_GT(yields, 0U);
}

struct Pulled {
    std::uint64_t blocks = 0;     ///< Written in an order.
    std::uint64_t unordered = 0;  ///< Changes of which the journal says that none helps.
};

/// Takes cables between switches away and brings them back, one after the other.
void PullCables(const net::Netlist& netlist, const Settings& settings, std::uint32_t every,
                Pulled& pulled) {
    SimWorld world(netlist);
    world.AddManager<kLinuxBench>(settings);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    ASSERT_EQ(world.sm().router().verdict().outcome, RoutingOutcome::kVerified);
    std::uint64_t blocks = 0;
    std::uint64_t told = 0;
    for (std::uint32_t row = 0; row < world.world().row_count(); row += every) {
        const std::uint32_t other = world.world().Beyond(row);
        const bool is_trunk = other != sim::kNoRow && world.world().node_of(row).is_switch() &&
                              world.world().node_of(other).is_switch();
        if (!is_trunk) continue;
        for (const Action action : {Action::kCut, Action::kJoin}) {
            CreditWatch watch(world);
            world.sim().Do(action, row);
            ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
            const std::uint64_t unordered = world.Heard(Note::kBlocksUnordered);
            if (unordered == told) {
                ASSERT_EQ(watch.Loop(), "") << "cable at row " << row << "\n" << world.Notes();
                blocks += watch.blocks();
            }
            told = unordered;
        }
        ASSERT_EQ(world.Judge(), "") << world.Notes();
    }
    EXPECT_EQ(world.Heard(Note::kNoRoomForOrder), 0U);
    pulled = {.blocks = blocks, .unordered = told};
}

Settings WithLanes() {
    Settings settings = BriskSettings();
    settings.qos = true;
    return settings;
}

TEST(TransientCreditLoops, NoneWhenACableOfAFatTreeLeavesOrReturns) {
    Pulled pulled;
    PullCables(net::FatTree3(4), BriskSettings(), 3, pulled);
    EXPECT_GT(pulled.blocks, 0U);
    EXPECT_EQ(pulled.unordered, 0U);
}

TEST(TransientCreditLoops, NoneWhenACableOfATorusLeavesOrReturns) {
    Pulled pulled;
    PullCables(net::Torus(std::array{5U, 5U}, 2), WithLanes(), 11, pulled);
    EXPECT_GT(pulled.blocks, 0U);
    EXPECT_EQ(pulled.unordered, 0U);
}

/// A row that lacks a link is left by one side, on the one lane of before.
TEST(TransientCreditLoops, NoneWhenACableOfASmallMeshLeavesOrReturns) {
    Pulled pulled;
    PullCables(net::Mesh(std::array{4U, 4U}, 2), WithLanes(), 9, pulled);
    EXPECT_GT(pulled.blocks, 0U);
    EXPECT_EQ(pulled.unordered, 0U);
}

/// Shortest paths on lanes are made anew when a link is lost, and so are the lanes.
TEST(TransientCreditLoops, AreToldWhenACableOfARandomFabricLeavesOrReturns) {
    Pulled pulled;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        PullCables(net::RandomGraph(seed, 10, 4, 2), WithLanes(), 9, pulled);
    }
    EXPECT_GT(pulled.unordered, 0U);
}

TEST(TransientCreditLoops, NoneWhenACableOfARandomFabricOnOneLaneLeavesOrReturns) {
    Settings settings = BriskSettings();
    settings.routing_lanes = false;
    Pulled pulled;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        PullCables(net::RandomGraph(seed, 10, 4, 2), settings, 9, pulled);
        EXPECT_GT(pulled.blocks, 0U);
        EXPECT_EQ(pulled.unordered, 0U);
    }
}

}  // namespace
}  // namespace ember::testing
