// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of where trees of multicast LIDs have their roots.
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "tests/core/multicast/trees_fixture.h"

namespace ember::trees {
namespace {

TEST(Trees, UnderTheBalancedOrderEqualRootsTakeTurns) {
    Bench bench(net::FatTree2(8), Order::kBalanced);
    for (std::uint64_t number = 1; number < 8; ++number) {
        bench.AddGroup(number);
    }
    std::set<std::set<SwitchIndex>> spines;
    for (std::uint64_t number = 0; number < 4; ++number) {
        for (const Guid guid : bench.ends()) {
            if (bench.fabric().node(bench.fabric().port(bench.fabric().FindPort(guid)).node).type !=
                NodeType::kSwitch) {
                bench.Join(guid, number);
            }
        }
        const auto mlid = static_cast<MlidIndex>(number);
        EXPECT_EQ(bench.trees().Plan(mlid).members, 32U);
        std::set<SwitchIndex> entered;
        for (const Way& way : bench.Wanted(mlid)) {
            entered.insert(way.first);
        }
        EXPECT_EQ(entered.size(), 9U);  // Eight leaves and one spine.
        spines.insert(entered);
    }
    EXPECT_EQ(spines.size(), 4U);
}

/// A switch that knows no multicast is gone around, though that way is longer.
TEST(Trees, AroundASwitchThatKnowsNoMulticast) {
    std::string error;
    Bench bench(net::TopologyByName("ring:6:1", error), Order::kOpensm);
    std::vector<Guid> hosts;
    ForEachEndPort(bench.fabric(), [&](PortIndex, const Port& port) {
        if (bench.fabric().node(port.node).type != NodeType::kSwitch) hosts.push_back(port.guid);
    });
    const auto switch_of = [&](Guid guid) {
        const Port& port = bench.fabric().port(bench.fabric().FindPort(guid));
        return bench.fabric().node(bench.fabric().port(port.peer).node).switch_index;
    };
    bench.Join(hosts[0]);
    bench.Join(hosts[2]);
    bench.fabric()
        .switch_row(switch_of(hosts[1]))
        .info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{0});
    bench.store().Begin(Order::kOpensm);
    const TreeOutcome outcome = bench.trees().Plan(MlidIndex{0});
    EXPECT_TRUE(outcome.is_plain);
    EXPECT_EQ(outcome.lost, 0U);
    const auto ways = bench.Wanted();
    EXPECT_EQ(Flood(bench, ways, switch_of(hosts[0])).size(), 2U);
    EXPECT_EQ(ways.lower_bound({switch_of(hosts[1]), 0}),
              ways.upper_bound({switch_of(hosts[1]), 255}));

    bench.Join(hosts[1]);  // And who hangs on it is told to be lost.
    const TreeOutcome with_lost = bench.trees().Plan(MlidIndex{0});
    EXPECT_EQ(with_lost.members, 3U);
    EXPECT_EQ(with_lost.lost, 1U);
}

}  // namespace
}  // namespace ember::trees
