// SPDX-License-Identifier: Apache-2.0
// EmberSM: who gets the rows of a board that is full.
//
// Goal:   a fake fabric takes no row that an honest node needs, whether it was there before or
//         after; of an honest fabric that is too large, as many switches are managed as fit.
// Method: boards that just hold the honest fabric and a host that plays a fabric without end;
//         boards that are smaller than the fabric.
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
        const std::size_t times = world.Heard(Note::kRoomMade);
        EXPECT_GE(times, 1U) << world.Notes();
        board.Run(20 * kSecond);
        EXPECT_EQ(world.Heard(Note::kRoomMade), times) << "no one needs room any more";
        EXPECT_EQ(board.MissingNodes(), 0U) << world.Notes();
    }
}

/// A full board, and honest nodes only: what is too much is left out, and little is moved.
class TooLarge {
public:
    template <Limits kLimits>
    void BringUp(const net::Netlist& netlist) {
        world_.emplace(netlist);
        world_->AddManager<kLimits>(0, 1, BriskSettings());
        ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
    }
    [[nodiscard]] SimWorld& world() { return *world_; }
    [[nodiscard]] std::size_t switches() { return world_->sm().fabric().switch_count(); }
    [[nodiscard]] std::uint64_t sweeps() { return world_->sm().status().heavy_sweeps; }

private:
    std::optional<SimWorld> world_;
};

/// Hubs in a row, each with leaves, and a host at the first one.
net::Netlist Hubs(std::uint32_t hubs, std::uint32_t ports, std::uint32_t leaves) {
    net::Netlist net;
    net.Add(NodeType::kChannelAdapter, 1, "manager", "");
    for (std::uint32_t hub = 1; hub <= hubs; ++hub) {
        net.Add(NodeType::kSwitch, ports, "hub " + std::to_string(hub), "");
        net.Connect(hub, 1, hub - 1, hub == 1 ? 1 : 2);
    }
    std::uint32_t next = hubs + 1;
    for (std::uint32_t hub = 1; hub <= hubs; ++hub) {
        for (std::uint32_t leaf = 0; leaf < leaves; ++leaf, ++next) {
            net.Add(NodeType::kSwitch, 2, "leaf " + std::to_string(next), "");
            net.Connect(hub, 3 + leaf, next, 1);
        }
    }
    net.AssignGuids();
    return net;
}

/// 80 switches for 64 rows. Each has another way to the manager, so no exit owes room.
TEST(FullBoard, OfAnHonestFatTreeForgetsNothing) {
    TooLarge board;
    board.BringUp<kSimSmall>(net::FatTree3(8));
    EXPECT_EQ(board.switches(), kSimSmall.max_switches);
    EXPECT_EQ(board.world().Heard(Note::kRoomMade), 0U) << board.world().Notes();
    board.world().Restart();
    ASSERT_TRUE(board.world().RunUntilQuiet(20 * kSecond)) << board.world().Notes();
    EXPECT_EQ(board.switches(), kSimSmall.max_switches);
    EXPECT_EQ(board.world().Heard(Note::kRoomMade), 0U) << board.world().Notes();
}

/// Trees of single links, of 72 to 124 switches. Exits of wide hubs stay below twice their first
/// share; those of narrow ones do not.
TEST(FullBoard, OfAnHonestTreeKeepsAsManySwitchesAsItHasRowsFor) {
    for (const std::uint32_t ports : {40U, 26U, 14U, 10U}) {
        SCOPED_TRACE("hubs of " + std::to_string(ports) + " ports");
        TooLarge board;
        board.BringUp<kSimSmall>(Hubs(ports > 20 ? 3 : 8, ports, ports - 2));
        EXPECT_EQ(board.switches(), kSimSmall.max_switches) << board.world().Notes();
        const std::uint64_t sweeps = board.sweeps();
        EXPECT_LE(sweeps, 20U) << board.world().Notes();
        const std::uint64_t rooms = board.world().Heard(Note::kRoomMade);
        board.world().RunFor(60 * kSecond);
        EXPECT_EQ(board.switches(), kSimSmall.max_switches);
        EXPECT_EQ(board.world().Heard(Note::kRoomMade), rooms) << board.world().Notes();
        EXPECT_LE(board.sweeps(), sweeps + 61) << "one a second by the timer";
    }
}

/// A narrow root with two hubs. The second one comes when the first one's leaves fill the board.
TEST(FullBoard, OfAnHonestTreeIsSharedByItsBranches) {
    constexpr Limits kTight = BoardOf(24);
    constexpr std::uint32_t kLate = 3;
    net::Netlist net;
    net.Add(NodeType::kChannelAdapter, 1, "manager", "");
    net.Add(NodeType::kSwitch, 4, "root", "");
    net.Connect(0, 1, 1, 1);
    for (const std::uint32_t hub : {2U, kLate}) {
        net.Add(NodeType::kSwitch, 36, "hub " + std::to_string(hub), "");
        net.Connect(1, hub, hub, 1);
    }
    for (std::uint32_t leaf = 4; leaf < 4 + 60; ++leaf) {
        net.Add(NodeType::kSwitch, 2, "leaf " + std::to_string(leaf), "");
        net.Connect(leaf % 2 == 0 ? 2 : kLate, 2 + leaf / 2 - 2, leaf, 1);
    }
    net.AssignGuids();
    TooLarge board;
    board.BringUp<kSimSmall>(net);
    EXPECT_EQ(board.switches(), 63U) << "the fabric is whole on a larger board";

    SimWorld world(net);
    world.sim().Do(sim::FabricSim::Action::kPowerOff, kLate);
    world.AddManager<kTight>(0, 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
    ASSERT_EQ(world.sm().fabric().switch_count(), kTight.max_switches);
    world.sim().Do(sim::FabricSim::Action::kPowerOn, kLate);
    world.RunFor(20 * kSecond);
    const Fabric& fabric = world.sm().fabric();
    EXPECT_EQ(fabric.switch_count(), kTight.max_switches) << world.Notes();
    EXPECT_NE(fabric.FindNode(world.world().node(kLate).guid), kNoNode) << world.Notes();
    std::size_t late = 0;
    for (std::uint32_t leaf = 5; leaf < 4 + 60; leaf += 2) {
        if (fabric.FindNode(world.world().node(leaf).guid) != kNoNode) ++late;
    }
    EXPECT_GE(late, 5U) << "of 21 leaves that have a row";
    EXPECT_LE(late, 11U);
    const std::uint64_t rooms = world.Heard(Note::kRoomMade);
    EXPECT_GE(rooms, 1U) << world.Notes();
    EXPECT_LE(rooms, 10U) << world.Notes();
    world.RunFor(60 * kSecond);
    EXPECT_EQ(world.Heard(Note::kRoomMade), rooms) << world.Notes();
    EXPECT_EQ(fabric.switch_count(), kTight.max_switches) << world.Notes();
}

}  // namespace
}  // namespace ember::testing
