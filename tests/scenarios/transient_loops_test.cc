// SPDX-License-Identifier: Apache-2.0
// EmberSM: no packet runs in a circle while tables change.
//
// Goal:   after every single LFT block that a switch takes, whatever others have not taken yet,
// each
//         pair is connected or its packets are dropped; and blocks are not written twice without
//         need.
// Method: the hardware's tables are walked after each block that is written: from every switch to
//         each of the block's 64 LIDs. Links and switches leave and return, and whole routings are
//         exchanged for others, the worst of them by their opposite.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "board/linux_bench/profile.h"
#include "config/netlist/random.h"
#include "tests/support/acting_engine.h"
#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

/// Walks the tables of the hardware after each block.
class CircleWatch {
public:
    explicit CircleWatch(SimWorld& world) : world_(world.world()) {
        world_.WatchLfts([this](std::uint32_t, std::uint32_t block) {
            ++blocks_;
            Look(block);
        });
    }
    ~CircleWatch() { world_.WatchLfts({}); }
    CircleWatch(const CircleWatch&) = delete;
    CircleWatch& operator=(const CircleWatch&) = delete;

    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
    /// The first circle met, in words; empty: none.
    [[nodiscard]] const std::string& circle() const { return circle_; }

private:
    void Look(std::uint32_t block) {
        for (std::uint32_t lid = block * 64; circle_.empty() && lid < block * 64 + 64; ++lid) {
            for (std::uint32_t node = 0; node < world_.node_count(); ++node) {
                if (world_.node(node).is_switch() && RunsInACircle(node, lid)) {
                    circle_ = "LID " + std::to_string(lid) + " from node " + std::to_string(node) +
                              " after block " + std::to_string(blocks_);
                    return;
                }
            }
        }
    }
    [[nodiscard]] bool RunsInACircle(std::uint32_t node, std::uint32_t lid) const {
        for (std::size_t steps = 0; steps <= world_.switch_count(); ++steps) {
            const sim::SimNode& here = world_.node(node);
            if (!here.is_switch() || !here.powered) return false;
            if (lid > Raw(here.switch_info.Get(SwitchInfo::kLinearFdbTop))) return false;
            const std::uint8_t out = world_.LftEntry(node, lid);
            if (out == 0 || out > here.port_count) return false;
            const std::uint32_t beyond = world_.Beyond(here.first_row + out);
            if (beyond == sim::kNoRow) return false;
            node = world_.port(beyond).node;
        }
        return true;
    }

    sim::World& world_;
    std::uint64_t blocks_ = 0;
    std::string circle_;
};

/// Routes every LID of a ring the same way round, however long that is. A fabric that is not known
/// as a ring (half of all datagrams may be lost, and a switch with them) is refused.
class RoundEngine final : public RoutingEngine {
public:
    RoundEngine(EngineKind kind, bool up) : kind_(kind), up_(up) {}

    [[nodiscard]] EngineKind kind() const override { return kind_; }
    [[nodiscard]] std::string_view name() const override { return up_ ? "up" : "down"; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override { return {}; }
    Status Begin(const RoutingTask& task) override {
        const Topology& topology = *task.topology;
        // The order of the ring: from each switch on by the cable that does not lead back.
        std::vector<SwitchIndex> ring = {topology.switches_by_guid()[0]};
        SwitchIndex before = kNoSwitch;
        while (ring.size() < topology.switch_count()) {  // Ends: one more at each turn.
            const auto trunks = topology.trunks(ring.back());
            const auto on =
                std::find_if(trunks.begin(), trunks.end(),
                             [before](const Trunk& trunk) { return trunk.peer != before; });
            if (on == trunks.end()) return Status::kUnreachable;
            before = ring.back();
            ring.push_back(on->peer);
        }
        if (PortTo(topology, ring.back(), ring.front(), {}) == kNoPort) return Status::kUnreachable;
        if (!up_) std::reverse(ring.begin(), ring.end());
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const SwitchIndex next = ring[(i + 1) % ring.size()];
            for (const Destination& to : topology.destinations()) {
                task.tables.lfts[ring[i]][Raw(to.lid)] = Raw(PortTo(topology, ring[i], next, to));
            }
        }
        return Status::kOk;
    }
    Result<Progress> Advance() override { return Progress::kDone; }

private:
    [[nodiscard]] static PortNumber PortTo(const Topology& topology, SwitchIndex at,
                                           SwitchIndex next, const Destination& to) {
        if (to.at == at) return to.port;
        for (const Trunk& trunk : topology.trunks(at)) {
            if (trunk.peer == next) return trunk.port;
        }
        return kNoPort;
    }

    EngineKind kind_;
    bool up_;
};

std::vector<std::uint32_t> Trunks(const sim::World& world) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const std::uint32_t other = world.Beyond(row);
        if (other == sim::kNoRow || other < row) continue;
        if (world.node_of(row).is_switch() && world.node_of(other).is_switch()) rows.push_back(row);
    }
    return rows;
}

Settings With(EngineKind kind) {
    Settings settings = BriskSettings();
    static_cast<void>(settings.routing_engine.TryPush(kind));
    return settings;
}

/// Takes each cable between switches away and brings it back, one after the other.
void PullEveryCable(const net::Netlist& netlist) {
    SimWorld world(netlist);
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    CircleWatch watch(world);
    for (const std::uint32_t row : Trunks(world.world())) {
        for (const Action action : {Action::kCut, Action::kJoin}) {
            world.sim().Do(action, row);
            ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
            ASSERT_EQ(watch.circle(), "") << "cable at row " << row;
            ASSERT_EQ(world.Judge(), "");
        }
    }
    EXPECT_GT(watch.blocks(), 0U);
}

TEST(TransientLoops, NoneWhenACableOfAFatTreeLeavesOrReturns) {
    PullEveryCable(net::FatTree3(4));
}

TEST(TransientLoops, NoneWhenACableOfAMeshLeavesOrReturns) {
    PullEveryCable(net::Mesh(std::array{4U, 4U}, 1));
}

TEST(TransientLoops, NoneWhenACableOfARingLeavesOrReturns) {
    PullEveryCable(net::Ring(7, 2));
}

TEST(TransientLoops, NoneWhenASwitchLeavesOrReturns) {
    SimWorld world(net::Torus(std::array{3U, 4U}, 2));
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    CircleWatch watch(world);
    const std::uint32_t own =
        world.world().port(world.world().Beyond(world.sim().RowOf(world.node_of_seat(), 1))).node;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (!world.world().node(node).is_switch() || node == own) continue;
        for (const Action action : {Action::kPowerOff, Action::kPowerOn}) {
            world.sim().Do(action, node);
            ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
            ASSERT_EQ(watch.circle(), "") << "switch " << node;
            ASSERT_EQ(world.Judge(), "");
        }
    }
}

class Reversal : public ::testing::Test {
protected:
    void Seat(const net::Netlist& netlist, EngineKind kind, const SimWorld::Options& options = {}) {
        world_ = std::make_unique<SimWorld>(netlist, options);
        world_->AddManager(With(kind));
        world_->AddEngine(up_);
        world_->AddEngine(down_);
        world_->Restart();
        ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
        ASSERT_EQ(world_->sm().router().verdict().engine,
                  kind == EngineKind::kLash ? "up" : "minhop");
    }
    void TurnTo(EngineKind kind) {
        world_->sm().Configure(With(kind));
        world_->Wake();
        ASSERT_TRUE(world_->RunUntilQuiet(120 * kSecond)) << world_->Notes();
        EXPECT_EQ(world_->Judge(), "") << world_->Notes();
    }

    RoundEngine up_{EngineKind::kLash, true};
    RoundEngine down_{EngineKind::kNue, false};
    std::unique_ptr<SimWorld> world_;
};

TEST_F(Reversal, EveryEntryOfARingTurnsRound) {
    Seat(net::Ring(9, 3), EngineKind::kLash);
    CircleWatch watch(*world_);
    TurnTo(EngineKind::kNue);
    EXPECT_EQ(watch.circle(), "");
    EXPECT_EQ(world_->sm().router().verdict().engine, "down");
    // Each of the 9 switches has one block: twice is what it takes, and the paved need only once.
    EXPECT_LE(watch.blocks(), 18U);
    EXPECT_GE(world_->Heard(Note::kBlocksDetoured), 1U);
}

TEST_F(Reversal, FromTheLongWayRoundToTheShortestAndBack) {
    Seat(net::Ring(8, 2), EngineKind::kMinHop);
    CircleWatch watch(*world_);
    for (const EngineKind kind : {EngineKind::kNue, EngineKind::kMinHop, EngineKind::kLash,
                                  EngineKind::kNue, EngineKind::kLash, EngineKind::kMinHop}) {
        TurnTo(kind);
        ASSERT_EQ(watch.circle(), "") << static_cast<int>(kind);
    }
}

TEST_F(Reversal, WhenSetsAreLostToo) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        Seat(net::Ring(8, 2), EngineKind::kLash, {.faults = {.seed = seed}});
        CircleWatch watch(*world_);
        // Half of all datagrams: one Set in eight or so stays unanswered for good.
        world_->sim().faults().loss = 500'000;
        world_->sm().Configure(With(EngineKind::kNue));
        world_->Wake();
        world_->RunFor(20 * kSecond);
        world_->sim().faults().loss = 0;
        ASSERT_TRUE(world_->RunUntilQuiet(120 * kSecond)) << world_->Notes();
        EXPECT_EQ(world_->Judge(), "") << world_->Notes();
        EXPECT_EQ(watch.circle(), "") << world_->Notes();
    }
}

TEST(TransientLoops, ABringUpWritesEveryBlockOnce) {
    const net::Netlist net = net::FatTree3(4);
    SimWorld world(net);
    world.AddManager();
    CircleWatch watch(world);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    EXPECT_EQ(watch.blocks(), 20U);  // 20 switches, 36 LIDs: one block each.
    EXPECT_EQ(watch.circle(), "");
    EXPECT_EQ(world.Heard(Note::kBlocksDetoured), 0U);
}

TEST(TransientLoops, ALostCableCostsNoBlockTwice) {
    SimWorld world(net::FatTree3(6));
    world.AddManager<kLinuxBench>();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    for (const std::uint32_t row : {Trunks(world.world()).front(), Trunks(world.world()).back()}) {
        CircleWatch watch(world);
        world.sim().Do(Action::kCut, row);
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
        EXPECT_GT(watch.blocks(), 0U);
        EXPECT_EQ(watch.circle(), "");
        EXPECT_EQ(world.sm().status().programming.detours, 0U);
    }
}

TEST(TransientLoops, NoneUnderRandomChanges) {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        SCOPED_TRACE("replay with seed " + std::to_string(seed));
        SimWorld world(net::RandomGraph(seed, 10, 4, 2), {.faults = {.seed = seed}});
        world.AddManager();
        ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
        net::Random random(seed);
        const std::vector<std::uint32_t> trunks = Trunks(world.world());
        CircleWatch watch(world);
        for (int i = 0; i < 12; ++i) {
            const auto pick = random.Below(static_cast<std::uint32_t>(trunks.size()));
            world.sim().Do(random.Below(2) == 0 ? Action::kCut : Action::kJoin, trunks[pick]);
            world.RunFor(random.Below(2) == 0 ? 4 * kSecond : 20 * kMs);
        }
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        EXPECT_EQ(watch.circle(), "");
    }
}

}  // namespace
}  // namespace ember::testing
