// SPDX-License-Identifier: Apache-2.0
// EmberSM: the dependencies of a tree, alone and beside those of unicast routes in one graph.

#include "core/multicast/tree_check.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/hops.h"
#include "core/routing/verifier.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/multicast_store.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

/// A ring of four switches with a host each, the masks of one multicast LID, and a graph.
class TreeOnARing : public ::testing::Test {
protected:
    static constexpr std::uint32_t kSwitches = 4;

    explicit TreeOnARing(unsigned lanes = 1)
        : limits_(WithLanes(built_.limits(), lanes)), reference_(netlist_, built_) {
        ForEachSwitch(built_.fabric(), [](SwitchIndex, Switch& row) {
            row.info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{64});
        });
        topology_.Build(built_.fabric(), Order::kGuid, arena_.arena());
        EXPECT_FALSE(mfts_.tables().Fit(built_.fabric()));
        masks_.resize(mfts_.tables().position_bound());
        graph_.Begin(topology_, static_cast<std::uint8_t>(lanes), arena_.arena());
        search_.Begin(topology_, static_cast<std::uint8_t>(lanes), arena_.arena());
    }

    static Limits WithLanes(Limits limits, unsigned lanes) {
        limits.max_groups = 1;
        limits.max_members = 8;
        limits.max_mlids = 32;
        limits.max_lanes = lanes;
        return limits;
    }
    /// The port of switch `from` to its neighbor or host `to`, nodes of the netlist.
    std::uint8_t PortTo(std::uint32_t from, std::uint32_t to) const {
        const auto& ports = netlist_.nodes[from].ports;
        for (std::size_t port = 1; port < ports.size(); ++port) {
            if (ports[port].peer == to) return static_cast<std::uint8_t>(port);
        }
        ADD_FAILURE() << from << " has no link to " << to;
        return 0;
    }
    std::uint32_t SwitchAt(std::uint32_t nth) const {
        return reference_.switches()[nth % kSwitches];
    }
    void Open(std::uint32_t node, std::uint8_t port) {
        const MftTables::Run& run = mfts_.tables().run(built_.switch_index(node));
        masks_[run.first + port / 16U] |= static_cast<std::uint16_t>(1U << (port % 16U));
    }
    /// The tree along the ring from one switch to another, with the hosts of both.
    void OpenArc(std::uint32_t first, std::uint32_t links) {
        for (const std::uint32_t end : {first, first + links}) {
            const auto& ports = netlist_.nodes[SwitchAt(end)].ports;
            for (std::size_t port = 1; port < ports.size(); ++port) {
                const std::uint32_t peer = ports[port].peer;
                if (peer != net::kNoPeer && !netlist_.nodes[peer].is_switch()) {
                    Open(SwitchAt(end), static_cast<std::uint8_t>(port));
                }
            }
        }
        for (std::uint32_t i = first; i < first + links; ++i) {
            Open(SwitchAt(i), PortTo(SwitchAt(i), SwitchAt(i + 1)));
            Open(SwitchAt(i + 1), PortTo(SwitchAt(i + 1), SwitchAt(i)));
        }
    }
    bool AddTree(const LaneMap& map = {}, std::uint8_t sl = 0) {
        const TreeCheck check(built_.fabric(), mfts_.tables(), {}, {});
        RoutingLanes routed;
        routed.lane_map = map;
        routed.count = graph_.lanes();
        TreeLanes lanes(routed, Settings{});
        lanes.SetSl(sl);
        waits_ = check.AddDependencies(masks_, lanes, graph_);
        return !waits_.is_dropped && !waits_.is_strange;
    }
    bool HasCycle() {
        search_.Start(graph_);
        while (search_.Advance() == Progress::kMore) {
        }
        return search_.found();
    }
    std::size_t ExitOf(std::uint32_t node, std::uint8_t port) const {
        return topology_.switch_row(built_.switch_index(node)).first_exit + std::size_t{port};
    }
    /// From switch to switch along the ring.
    std::size_t ChannelAlong(std::uint32_t from, std::uint32_t to, std::uint8_t lane = 0) const {
        const std::uint32_t node = SwitchAt(from);
        return graph_.ChannelAt(ExitOf(node, PortTo(node, SwitchAt(to))), lane);
    }
    std::size_t CountEdges() const {
        std::size_t count = 0;
        for (std::size_t channel = 0; channel < graph_.channel_count(); ++channel) {
            for (std::size_t step = graph_.NextStep(channel, 0); step != 0;
                 step = graph_.NextStep(channel, step)) {
                ++count;
            }
        }
        return count;
    }
    /// Unicast routes that never use the link between the last switch and the first.
    void AddRoutesAlongALine() {
        std::vector<std::uint8_t> lfts(limits_.max_switches * LidStride(limits_), 255);
        const Matrix<SwitchIndex, std::uint8_t> rows(lfts, LftShape(limits_));
        for (const testing::SlowDestination& to : reference_.destinations()) {
            std::uint32_t home = 0;
            while (SwitchAt(home) != to.at) {
                ++home;
            }
            for (std::uint32_t i = 0; i < kSwitches; ++i) {
                const auto row = rows[built_.switch_index(SwitchAt(i))];
                row[to.lid] = i == home ? to.at_port
                                        : PortTo(SwitchAt(i), SwitchAt(i < home ? i + 1 : i - 1));
            }
        }
        const std::vector<std::uint8_t> hops(
            HopStride(topology_.switch_bound()) * topology_.switch_bound(), 1);
        ArenaStorage scratch(Verifier::ScratchBytes(limits_));
        Verifier verifier;
        verifier.Begin({.topology = &topology_,
                        .hops = {hops, HopShape(topology_.switch_bound())},
                        .lfts = {lfts, LftShape(limits_)}},
                       scratch.arena());
        while (verifier.Advance() == Progress::kMore) {
        }
        ASSERT_EQ(verifier.findings().fault, Findings::Fault::kNone);
        ASSERT_FALSE(verifier.findings().anything_may_deadlock);
        graph_.Merge(verifier.dependencies());
    }

    net::Netlist netlist_ = net::Ring(kSwitches, 1);
    BuiltFabric built_{netlist_};
    Limits limits_;
    testing::RoutingReference reference_;
    testing::MftStore mfts_{limits_};
    ArenaStorage arena_{1U << 20};
    Topology topology_;
    std::vector<std::uint16_t> masks_;
    DependencyGraph graph_;
    CycleSearch search_;
    TreeCheck::Waits waits_;  ///< Of the last AddTree().
};

TEST_F(TreeOnARing, WaitsAlongItsLinksBothWaysAndForNothingElse) {
    OpenArc(1, 2);  // 1 - 2 - 3.
    ASSERT_TRUE(AddTree());
    EXPECT_EQ(CountEdges(), 2U);
    EXPECT_TRUE(graph_.Has(ChannelAlong(1, 2), PortTo(SwitchAt(2), SwitchAt(3))));
    EXPECT_TRUE(graph_.Has(ChannelAlong(3, 2), PortTo(SwitchAt(2), SwitchAt(1))));
    EXPECT_FALSE(HasCycle());
}

TEST_F(TreeOnARing, ClosesACycleOnlyTogetherWithUnicastRoutes) {
    OpenArc(2, 3);  // 2 - 3 - 0 - 1.
    ASSERT_TRUE(AddTree());
    EXPECT_FALSE(HasCycle());
    AddRoutesAlongALine();  // Free of cycles too, as it asserts: 0 - 1 - 2 - 3.
    ASSERT_TRUE(HasCycle());
    EXPECT_EQ(search_.cycle().length, kSwitches);
}

TEST_F(TreeOnARing, ClosesNoneWithRoutesThatItFollows) {
    OpenArc(0, 3);
    ASSERT_TRUE(AddTree());
    AddRoutesAlongALine();
    EXPECT_FALSE(HasCycle());
}

/// The same on two lanes. The tables put SL 5 on lane 1, but that SL 6 changes the lane at a
/// switch, and that SL 7 is mapped to VL 3.
class TreeOnLanes : public TreeOnARing {
protected:
    TreeOnLanes() : TreeOnARing(2) {
        const auto most_ports = static_cast<std::uint8_t>(limits_.max_switch_ports);
        words_.resize(LaneMap::Words(kSwitches, most_ports, 3));
        map_ = LaneMap(words_);
        EXPECT_EQ(map_.Begin(kSwitches, most_ports), Status::kOk);
        const LaneRow usual(std::uint64_t{1} << (4 * 5) | std::uint64_t{3} << (4 * 7));
        const SwitchIndex second = built_.switch_index(SwitchAt(2));
        const auto from_first = static_cast<PortNumber>(PortTo(SwitchAt(2), SwitchAt(1)));
        const auto to_third = static_cast<PortNumber>(PortTo(SwitchAt(2), SwitchAt(3)));
        for (const SwitchIndex at : topology_.switches_by_guid()) {
            const std::size_t ports = topology_.exits(at).size();
            for (std::size_t pair = 0; pair < ports * ports; ++pair) {
                const LaneTurn turn{.at = at,
                                    .in = static_cast<PortNumber>(pair % ports),
                                    .out = static_cast<PortNumber>(pair / ports)};
                LaneRow row = usual;
                if (at == second && turn.in == from_first && turn.out == to_third) row.Set(6, 1);
                EXPECT_EQ(map_.Set(turn, row), Status::kOk);
            }
        }
    }

    std::vector<std::uint64_t> words_;
    LaneMap map_;
};

TEST_F(TreeOnLanes, WaitsOnTheLaneOfItsSl) {
    OpenArc(1, 2);
    ASSERT_TRUE(AddTree(map_, 5));
    EXPECT_EQ(CountEdges(), 2U);
    EXPECT_TRUE(graph_.Has(ChannelAlong(1, 2, 1), PortTo(SwitchAt(2), SwitchAt(3)), 1));
    EXPECT_TRUE(graph_.Has(ChannelAlong(3, 2, 1), PortTo(SwitchAt(2), SwitchAt(1)), 1));
}

TEST_F(TreeOnLanes, WaitsAcrossLanesWhereATableChangesThem) {
    OpenArc(1, 2);
    ASSERT_TRUE(AddTree(map_, 6));
    EXPECT_EQ(CountEdges(), 2U);
    EXPECT_TRUE(graph_.Has(ChannelAlong(1, 2, 0), PortTo(SwitchAt(2), SwitchAt(3)), 1));
    EXPECT_TRUE(graph_.Has(ChannelAlong(3, 2, 0), PortTo(SwitchAt(2), SwitchAt(1)), 0));
}

TEST_F(TreeOnLanes, ComesFromEveryLaneThatItsSendersAreGiven) {
    OpenArc(1, 3);         // 1 - 2 - 3 - 0: at 2 packets come in from 1 on lane 1 ...
    Open(SwitchAt(2), 0);  // ... and begin, at port 0, on lane 0.
    ASSERT_TRUE(AddTree(map_, 6));
    const std::uint8_t onward = PortTo(SwitchAt(3), SwitchAt(0));
    EXPECT_TRUE(graph_.Has(ChannelAlong(2, 3, 0), onward, 0));
    EXPECT_TRUE(graph_.Has(ChannelAlong(2, 3, 1), onward, 0));
}

TEST_F(TreeOnLanes, IsRefusedOnALaneThatIsNotInUse) {
    OpenArc(1, 2);
    EXPECT_FALSE(AddTree(map_, 7));
}

}  // namespace
}  // namespace ember
