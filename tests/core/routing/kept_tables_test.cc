// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of tables that switches keep, or keep without entries into dead links.
//
// Method: a ring of four switches with a host each; the switches' tables are written by the test.

#include "core/routing/kept_tables.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

class KeptTablesTest : public ::testing::Test {
protected:
    KeptTablesTest()
        : built_(net::Ring(4, 1)),
          arena_(Topology::ScratchBytes(built_.limits()) +
                 KeptTables::ScratchBytes(built_.limits())),
          hop_room_(HopBytes(built_.limits())),
          hops_(hop_room_),
          programmed_(built_.limits().max_switches * LidStride(built_.limits()), 1),
          planned_(programmed_.size(), 77) {}
    void Copy(bool drops_dead) {
        topology_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
        kept_.Begin({.topology = &topology_,
                     .hops = &hops_,
                     .programmed = programmed(),
                     .planned = Rows(planned_),
                     .drops_dead = drops_dead},
                    arena_.arena());
        while (kept_.Advance() == Progress::kMore) {
        }
    }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> Rows(std::vector<std::uint8_t>& octets) const {
        return {octets, LftShape(built_.limits())};
    }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> programmed() { return Rows(programmed_); }
    [[nodiscard]] std::uint8_t Planned(std::uint32_t at, Lid lid) {
        return Rows(planned_)[static_cast<SwitchIndex>(at)][Raw(lid)];
    }
    /// Of the host on a switch.
    [[nodiscard]] Lid LidOf(std::uint32_t at) const {
        const Fabric& fabric = built_.fabric();
        Lid found = kNoLid;
        ForEachPort(fabric, [&](PortIndex, const Port& port) {
            if (port.peer == kNoPortIndex || IsSwitch(port.node)) return;
            const Node& peer = fabric.node(fabric.port(port.peer).node);
            if (peer.switch_index == static_cast<SwitchIndex>(at)) found = port.lid;
        });
        return found;
    }
    [[nodiscard]] bool IsSwitch(NodeIndex at) const {
        return built_.fabric().node(at).type == NodeType::kSwitch;
    }
    /// A port of a switch that leads to another switch.
    [[nodiscard]] PortIndex TrunkOf(std::uint32_t at) const {
        const Fabric& fabric = built_.fabric();
        const NodeIndex node = fabric.switch_row(static_cast<SwitchIndex>(at)).node;
        PortIndex found = kNoPortIndex;
        ForEachPort(fabric, [&](PortIndex here, const Port& port) {
            if (port.node != node || port.peer == kNoPortIndex) return;
            if (IsSwitch(fabric.port(port.peer).node)) found = here;
        });
        return found;
    }

    BuiltFabric built_;
    ArenaStorage arena_;
    std::vector<std::uint8_t> hop_room_;
    MeasuredHops hops_;
    std::vector<std::uint8_t> programmed_;
    std::vector<std::uint8_t> planned_;
    Topology topology_;
    KeptTables kept_;
};

TEST_F(KeptTablesTest, AreAsTheyWereButForLidsThatNoPortHas) {
    const PortIndex dead = TrunkOf(0);
    const std::uint8_t number = Raw(built_.fabric().port(dead).number);
    programmed()[SwitchIndex{0}][Raw(LidOf(2))] = number;
    built_.fabric().Disconnect(dead);
    Copy(false);
    EXPECT_EQ(Planned(0, LidOf(2)), number);
    EXPECT_EQ(Planned(1, LidOf(2)), 1);
    EXPECT_EQ(Planned(1, Lid{0}), kNoHops);
    EXPECT_EQ(Planned(1, static_cast<Lid>(Raw(topology_.top_lid()) + 1)), kNoHops);
}

TEST_F(KeptTablesTest, EntriesIntoDeadLinksDrop) {
    const PortIndex dead = TrunkOf(0);
    const std::uint8_t number = Raw(built_.fabric().port(dead).number);
    const auto row = programmed()[SwitchIndex{0}];
    std::fill(row.begin(), row.end(), number);
    row[Raw(LidOf(1))] = 0;    // To the switch itself,
    row[Raw(LidOf(2))] = 200;  // and to a port that it has not.
    built_.fabric().Disconnect(dead);
    Copy(true);
    EXPECT_EQ(Planned(0, LidOf(0)), kNoHops);
    EXPECT_EQ(Planned(0, LidOf(1)), 0);
    EXPECT_EQ(Planned(0, LidOf(2)), kNoHops);
}

TEST_F(KeptTablesTest, EntriesIntoLiveLinksStay) {
    const std::uint8_t number = Raw(built_.fabric().port(TrunkOf(0)).number);
    const auto row = programmed()[SwitchIndex{0}];
    std::fill(row.begin(), row.end(), number);
    Copy(true);
    EXPECT_EQ(Planned(0, LidOf(3)), number);
}

TEST_F(KeptTablesTest, HopsAreMeasuredForTheProof) {
    Copy(false);
    EXPECT_TRUE(hops_.AreOf({.topology = &topology_}));
    EXPECT_EQ(hops_.hops()[SwitchIndex{0}][2], 2);
}

}  // namespace
}  // namespace ember
