// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the VL arbitration that ports get under a routing with lanes of its own.

#include "core/lanes/routed_maps.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

/// "VL:weight", in order, but for trailing zeros.
std::string Text(const VlArbitrationTable& table) {
    std::string text;
    std::size_t count = VlArbitrationTable::kEntries;
    while (count > 0 && table.weight(count - 1) == 0 && table.vl(count - 1) == 0)
        --count;
    for (std::size_t i = 0; i < count; ++i) {
        text += std::to_string(table.vl(i)) + ":" + std::to_string(table.weight(i)) + " ";
    }
    return text;
}

/// Two switches with a cable and a host each; ports arbitrate with 16 entries.
class Arbitration : public ::testing::Test {
protected:
    Arbitration() : built_(net::ParallelLinks(1, 1)) {
        settings_.qos = true;
        Fabric& fabric = built_.fabric();
        ForEachPort(fabric, [&](PortIndex at, const Port&) {
            Port& port = fabric.port(at);
            port.info.Set(PortInfo::kVlCap, VlCap::kVl0To7);
            port.info.Set(PortInfo::kVlArbitrationLowCap, std::uint8_t{16});
            port.info.Set(PortInfo::kVlArbitrationHighCap, std::uint8_t{4});
            if (port.peer == kNoPortIndex || fabric.node(port.node).type != NodeType::kSwitch) {
                return;
            }
            const bool is_trunk =
                fabric.node(fabric.port(port.peer).node).type == NodeType::kSwitch;
            (is_trunk ? trunk_ : leaf_) = at;
        });
        shared_.count = 8;
        shared_.end_shares = LaneRow();
        shared_.end_shares.Set(0, 0);
        shared_.end_shares.Set(4, 1);
    }
    [[nodiscard]] std::string Low(PortIndex at, const RoutingLanes* lanes, VlCap vls) {
        return Text(ArbitrationAt(built_.fabric(), {settings_, lanes}, built_.fabric().port(at),
                                  VlArbitrationBlock::kLowerLowPriority, vls));
    }
    void Share(std::initializer_list<VlWeight> entries) {
        for (const VlWeight& entry : entries) {
            ASSERT_EQ(settings_.lanes[Raw(LanePorts::kSwitchExternal)].low.TryPush(entry),
                      Status::kOk);
        }
    }

    net::BuiltFabric built_;
    Settings settings_;
    RoutingLanes shared_;
    PortIndex trunk_ = kNoPortIndex;
    PortIndex leaf_ = kNoPortIndex;
};

TEST_F(Arbitration, LinksToEndPortsShareAmongTheLanesThatStandForOthers) {
    Share({{0, 8}, {1, 7}, {4, 3}, {5, 2}, {4, 1}});
    EXPECT_EQ(Low(leaf_, &shared_, VlCap::kVl0To7), "0:8 1:3 1:1 ");
    EXPECT_EQ(Low(trunk_, &shared_, VlCap::kVl0To7), "0:8 1:7 4:3 5:2 4:1 ");
    EXPECT_EQ(Low(leaf_, nullptr, VlCap::kVl0To7), "0:8 1:7 4:3 5:2 4:1 ");
    const RoutingLanes plain;
    EXPECT_EQ(Low(leaf_, &plain, VlCap::kVl0To7), "0:8 1:7 4:3 5:2 4:1 ");
}

/// Two levels with two lanes each, of SL 0 and SL 5, on links of eight VLs.
class LevelArbitration : public Arbitration {
protected:
    LevelArbitration() {
        lanes_.count = 2;
        lanes_.sls = 1;
        lanes_.levels = LaneLevels::Make({.asked = 1U | 1U << 5U, .vls = LaneRow::Identity()},
                                         {.sls = 1, .lanes = 2, .link_vls = 8});
    }
    RoutingLanes lanes_;
};

TEST_F(LevelArbitration, EachLaneOfALevelHasTheLevelsWeight) {
    Share({{0, 8}, {5, 30}, {3, 99}, {0, 2}, {5, 30}});
    EXPECT_EQ(Low(trunk_, &lanes_, VlCap::kVl0To7), "0:10 1:10 4:60 5:60 ");
    EXPECT_EQ(Low(leaf_, &lanes_, VlCap::kVl0To3), "0:10 1:10 0:60 1:60 ") << "folded";
}

TEST_F(LevelArbitration, WeightsAreScaledWhereTheirSumIsTooLarge) {
    Share({{0, 1}, {5, 255}, {5, 255}});
    EXPECT_EQ(Low(trunk_, &lanes_, VlCap::kVl0To7), "0:1 1:1 4:255 5:255 ");
}

TEST_F(LevelArbitration, ALevelWithoutWeightHasNone) {
    Share({{5, 7}});
    EXPECT_EQ(Low(trunk_, &lanes_, VlCap::kVl0To7), "4:7 5:7 ");
}

TEST_F(LevelArbitration, MapsSendEachLevelToItsLanes) {
    LaneRow routed;
    routed.Set(0, 1);
    const SlToVlMappingTable map =
        SlToVlOf({settings_, &lanes_}, LanePorts::kSwitchExternal, VlCap::kVl0To7, routed);
    EXPECT_EQ(map.vl(0), 1);
    EXPECT_EQ(map.vl(5), 5);
    EXPECT_EQ(map.vl(3), 3) << "of no level: by the keys";
    EXPECT_EQ(map.vl(15), 7);
}

TEST_F(Arbitration, AHostsOwnPortSharesAsItsKeysSay) {
    const PortIndex host = built_.fabric().port(leaf_).peer;
    ASSERT_EQ(settings_.lanes[Raw(LanePorts::kCa)].low.TryPush({4, 9}), Status::kOk);
    EXPECT_EQ(Low(host, &shared_, VlCap::kVl0To7), "4:9 ");
}

TEST_F(Arbitration, NarrowLinksFoldWhatStandsForOthers) {
    Share({{0, 8}, {4, 3}});
    EXPECT_EQ(Low(leaf_, &shared_, VlCap::kVl0To1), "0:8 1:3 ");
    EXPECT_EQ(Low(leaf_, &shared_, VlCap::kVl0), "0:8 0:3 ");
}

/// OpenSM's default for such a port: VL 0 without weight, and VL 4 as VL 1.
TEST_F(Arbitration, OpensmsDefaultsLeaveTwoEntries) {
    EXPECT_EQ(Low(leaf_, &shared_, VlCap::kVl0To7), "0:0 1:4 ");
}

}  // namespace
}  // namespace ember
