// SPDX-License-Identifier: Apache-2.0
// EmberSM: who gets the rows of a board that is full.
//
// Goal:   a fake fabric takes no row that an honest node needs, whether it was there before or
//         after; a node that comes gets the row of one that went.
// Method: boards that just hold the honest fabric, and a host that plays a fabric without end.
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "tests/support/pretender.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr Limits BoardOf(std::uint32_t switches) {
    Limits limits = kSimSmall;
    limits.max_switches = switches;
    return limits;
}

/// A manager at host 0 that starts anew while another host plays a fabric.
template <Limits kLimits>
class CrowdedBoard {
public:
    CrowdedBoard(const net::Netlist& netlist, std::uint32_t liar) : liar_(liar), world_(netlist) {
        world_.AddManager<kLimits>(0, 1, BriskSettings());
    }
    void BringUp() { ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond)) << world_.Notes(); }
    void StartAnewBesideTheLiar() {
        DirectedPath way;
        const Guid guid = world_.world().port(world_.sim().RowOf(liar_, 1)).guid;
        const Fabric& fabric = world_.sm().fabric();
        ASSERT_EQ(fabric.PathTo(fabric.FindPort(guid), way), Status::kOk);
        host_.emplace(world_.attachment(), way);
        world_.Interpose(*host_);
        host_->is_on = true;
        world_.Restart();
        Run(20 * kSecond);
    }
    void Run(std::uint64_t time_us) {
        const std::uint64_t end_us = world_.now_us() + time_us;
        while (world_.now_us() < end_us) {
            if (host_->has_more()) world_.Wake();
            world_.RunFor(200);
        }
    }
    [[nodiscard]] std::size_t MissingNodes() {
        std::size_t missing = 0;
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            const Guid guid = world_.world().node(node).guid;
            if (node != liar_ && world_.sm().fabric().FindNode(guid) == kNoNode) ++missing;
        }
        return missing;
    }
    /// The first honest host whose port is not ACTIVE. The tables of fake switches never come
    /// right, so the subnet is not told to be up.
    [[nodiscard]] std::string WhoIsNotActive() {
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            const sim::SimNode& here = world_.world().node(node);
            if (node == liar_ || here.is_switch()) continue;
            const PortInfo& info = world_.world().port(here.first_row + 1).info;
            if (info.Get(PortInfo::kPortState) != PortState::kActive)
                return "node " + std::to_string(node);
        }
        return {};
    }
    [[nodiscard]] SimWorld& world() { return world_; }

private:
    std::uint32_t liar_;
    SimWorld world_;
    std::optional<Pretender> host_;
};

/// 20 switches, of which each has two ways to the manager.
TEST(FullBoard, HasRoomForSwitchesOnRingsBeforeItHasForAFakeFabric) {
    constexpr Limits kTight = BoardOf(22);
    // On the manager's leaf, in its pod, and in another one.
    for (const std::uint32_t liar : {1U, 2U, 15U}) {
        SCOPED_TRACE("the liar is host " + std::to_string(liar));
        CrowdedBoard<kTight> board(net::FatTree3(4), liar);
        board.BringUp();
        board.StartAnewBesideTheLiar();
        EXPECT_EQ(board.MissingNodes(), 0U) << board.world().Notes();
        EXPECT_EQ(board.world().sm().fabric().switch_count(), kTight.max_switches)
            << "the liar has what was left";
        EXPECT_EQ(board.world().Heard(Note::kRoomSharedAnew), 0U) << board.world().Notes();
        EXPECT_EQ(board.WhoIsNotActive(), "") << board.world().Notes();
    }
}

/// A liar has filled the board. Then a switch comes.
TEST(FullBoard, WhichAFakeFabricHasFilledHasRoomForASwitchThatComes) {
    using Action = sim::FabricSim::Action;
    constexpr Limits kTight = BoardOf(12);
    constexpr std::uint32_t kLate = 8 + 3;  // A leaf.
    for (const std::uint32_t liar : {1U, 2U}) {
        SCOPED_TRACE("the liar is host " + std::to_string(liar));
        CrowdedBoard<kTight> board(net::FatTree2(4), liar);
        SimWorld& world = board.world();
        world.sim().Do(Action::kPowerOff, kLate);
        board.BringUp();
        board.StartAnewBesideTheLiar();
        ASSERT_EQ(world.sm().fabric().switch_count(), kTight.max_switches);
        ASSERT_EQ(board.MissingNodes(), 3U) << "the leaf and its hosts";
        world.sim().Do(Action::kPowerOn, kLate);
        board.Run(20 * kSecond);
        EXPECT_EQ(board.MissingNodes(), 0U) << world.Notes();
        EXPECT_EQ(board.WhoIsNotActive(), "") << world.Notes();
        const std::size_t times = world.Heard(Note::kRoomSharedAnew);
        EXPECT_GE(times, 1U) << world.Notes();
        board.Run(20 * kSecond);
        EXPECT_EQ(world.Heard(Note::kRoomSharedAnew), times) << "no one needs room any more";
        EXPECT_EQ(board.MissingNodes(), 0U) << world.Notes();
    }
}

TEST(FullBoard, TakesInThoseWhoComeForThoseWhoWent) {
    constexpr Limits kTight = [] {
        Limits limits = kSimSmall;
        limits.max_nodes = 5;
        limits.max_switches = 2;
        return limits;
    }();
    for (const bool at_once : {false, true}) {
        SCOPED_TRACE(at_once ? "at once" : "one after the other");
        using Action = sim::FabricSim::Action;
        SimWorld world(net::SingleSwitch(6));
        for (const std::uint32_t off : {4U, 5U}) {
            world.sim().Do(Action::kPowerOff, off);
        }
        Settings settings = BriskSettings();
        settings.sweep_on_trap = false;
        settings.sweep_interval = 5;
        world.AddManager<kTight>(0, 1, settings);
        ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
        for (const std::uint32_t off : {2U, 3U}) {
            world.sim().Do(Action::kPowerOff, off);
        }
        if (!at_once) world.RunFor(10 * kSecond);
        for (const std::uint32_t on : {4U, 5U}) {
            world.sim().Do(Action::kPowerOn, on);
        }
        world.RunFor(60 * kSecond);
        EXPECT_EQ(world.sm().status().nodes, 5U) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
}

}  // namespace
}  // namespace ember::testing
