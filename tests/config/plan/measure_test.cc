// SPDX-License-Identifier: Apache-2.0
// EmberSM: the measures of a routing, against small fabrics counted by hand and pair by pair.
#include "config/emberc/plan/measure.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/min_hop.h"
#include "tests/support/routing_run.h"

namespace ember::plan {
namespace {

using testing::BuiltFabric;
using testing::RoutingRun;

/// A netlist routed by min-hop, and its topology.
class Routed {
public:
    explicit Routed(const net::Netlist& netlist, std::uint8_t lmc = 0)
        : run_(netlist, WithLmc(lmc)), arena_(Topology::ScratchBytes(run_.built().limits())) {
        MinHop engine;
        Settings settings;
        settings.lmc = lmc;
        EXPECT_TRUE(run_.Route(engine, settings).may_program());
        topology.Build(run_.built().fabric(), settings.order, arena_.arena());
    }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> lfts() { return run_.lfts(); }
    [[nodiscard]] Tables tables() { return run_.lfts(); }
    [[nodiscard]] SwitchIndex at(std::uint32_t node) { return run_.built().switch_index(node); }
    [[nodiscard]] std::vector<Destination> Hosts() const {
        std::vector<Destination> hosts;
        for (const Destination& to : topology.destinations()) {
            if (!to.is_switch() && to.at != kNoSwitch) hosts.push_back(to);
        }
        return hosts;
    }

    Topology topology;

private:
    static BuiltFabric::Options WithLmc(std::uint8_t lmc) {
        BuiltFabric::Options options;
        options.lmc = lmc;
        return options;
    }

    RoutingRun run_;
    testing::ArenaStorage arena_;
};

/// The same as MeasureAllToAll(), one pair after the other.
std::map<std::uint32_t, std::uint64_t> LoadPairByPair(Routed& routed, std::uint64_t& lost) {
    std::map<std::uint32_t, std::uint64_t> load;
    const std::uint64_t unit = std::uint64_t{1} << routed.topology.top_lmc();
    for (const Destination& from : routed.Hosts()) {
        for (const Destination& to : routed.Hosts()) {
            if (from.port_guid == to.port_guid) continue;
            for (std::uint32_t i = 0; i < to.lid_count(); ++i) {
                std::vector<std::uint32_t> way;
                SwitchIndex at = from.at;
                bool arrives = false;
                for (int steps = 0; steps < 1000; ++steps) {
                    const std::uint8_t port = routed.tables()[at][Raw(to.lid) + i];
                    arrives = at == to.at && port == Raw(to.port);
                    if (at == to.at || port > routed.topology.switch_row(at).port_count) break;
                    way.push_back(routed.topology.switch_row(at).first_exit + port);
                    at = routed.topology.exit(at, static_cast<PortNumber>(port)).peer;
                    if (at == kNoSwitch) break;
                }
                if (!arrives) ++lost;
                if (!arrives) continue;
                for (const std::uint32_t row : way) {
                    load[row] += unit >> to.lmc;
                }
            }
        }
    }
    return load;
}

void ExpectSameLoads(Routed& routed) {
    const AllToAll sum = MeasureAllToAll(routed.topology, routed.tables());
    std::uint64_t lost = 0;
    const auto slow = LoadPairByPair(routed, lost);
    EXPECT_EQ(sum.lost, lost);
    for (std::uint32_t row = 0; row < sum.load.size(); ++row) {
        const auto found = slow.find(row);
        ASSERT_EQ(sum.load[row], found == slow.end() ? 0 : found->second) << "exit row " << row;
    }
}

TEST(Measure, AddsUpTheSameLoadsAsPairsOneByOne) {
    for (const char* name :
         {"ft3:4", "torus:3x3:2", "random:7,12,4:3", "parallel:3:4", "ft2:6", "dualrail:6,2"}) {
        SCOPED_TRACE(name);
        std::string error;
        for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
            Routed routed(net::TopologyByName(name, error), lmc);
            ExpectSameLoads(routed);
        }
    }
}

TEST(Measure, AddsUpTheSameLoadsWhenTablesDropAndRunInCircles) {
    Routed routed(net::RandomGraph(3, 10, 3, 2));
    const std::vector<Destination> hosts = routed.Hosts();
    for (std::uint32_t i = 0; i < 10; ++i) {
        // A table that sends everything out of its first trunk makes circles and dead ends.
        const SwitchIndex at = routed.at(20 + i);
        if (i % 3 == 0) routed.lfts()[at][Raw(hosts[i].lid)] = 255;
        const auto trunk = routed.topology.trunks(at).front();
        routed.lfts()[at][Raw(hosts[i + 5].lid)] = Raw(trunk.port);
        routed.lfts()[at][Raw(hosts[i + 7].lid)] = 200;  // No such port.
    }
    ExpectSameLoads(routed);
    EXPECT_GT(MeasureAllToAll(routed.topology, routed.tables()).lost, 0U);
    // Permutations survive the circles too.
    EXPECT_GT(MeasureShifts(routed.topology, routed.tables()).count, 0U);
    EXPECT_LT(MeasureBisections(routed.topology, routed.tables(), 20).effective, 1.0);
}

TEST(Measure, TwoSwitchesAndOneCableCarryEverythingAcross) {
    Routed routed(net::ParallelLinks(1, 3));
    const AllToAll sum = MeasureAllToAll(routed.topology, routed.tables());
    EXPECT_EQ(sum.hosts, 6U);
    EXPECT_EQ(sum.links, 2U);
    EXPECT_DOUBLE_EQ(sum.max, 9);  // 3 hosts to 3 hosts.
    EXPECT_DOUBLE_EQ(sum.mean, 9);
    EXPECT_DOUBLE_EQ(sum.deviation, 0);
    EXPECT_EQ(sum.idle, 0U);
    EXPECT_DOUBLE_EQ(sum.saturation, 5.0 / 9);
    EXPECT_EQ(sum.paths, 30U);
    EXPECT_EQ(sum.lost, 0U);
    EXPECT_EQ(sum.hops, (std::vector<std::uint64_t>{12, 18}));
    EXPECT_DOUBLE_EQ(sum.mean_hops(), 18.0 / 30);

    const Shifts shifts = MeasureShifts(routed.topology, routed.tables());
    EXPECT_EQ(shifts.count, 5U);
    EXPECT_DOUBLE_EQ(shifts.worst, 3);  // k = 3: everybody crosses.
    EXPECT_EQ(shifts.worst_k, 3U);
    EXPECT_DOUBLE_EQ(shifts.mean, (1 + 2 + 3 + 2 + 1) / 5.0);
}

TEST(Measure, AHostAloneAndASwitchAloneAreNoTrouble) {
    Routed routed(net::SingleSwitch(1));
    const AllToAll sum = MeasureAllToAll(routed.topology, routed.tables());
    EXPECT_EQ(sum.paths, 0U);
    EXPECT_DOUBLE_EQ(sum.saturation, 1);
    EXPECT_EQ(MeasureShifts(routed.topology, routed.tables()).count, 0U);
    EXPECT_DOUBLE_EQ(MeasureBisections(routed.topology, routed.tables()).effective, 1);
    Routed crossbar(net::SingleSwitch(12));
    EXPECT_DOUBLE_EQ(MeasureBisections(crossbar.topology, crossbar.tables()).effective, 1);
    EXPECT_DOUBLE_EQ(MeasureShifts(crossbar.topology, crossbar.tables()).worst, 0);
}

TEST(Measure, BisectionsAcrossOneCableShareIt) {
    // Two hosts on each side: the pairs are either inside (rate 1) or both cross (rate 1/2 each
    // way); of the three matchings of four hosts, two cross.
    Routed routed(net::ParallelLinks(1, 2));
    const Bisections bisections = MeasureBisections(routed.topology, routed.tables(), 4000);
    EXPECT_EQ(bisections.count, 4000U);
    EXPECT_NEAR(bisections.effective, 1.0 / 3 + 2.0 / 3 / 2, 0.02);
    EXPECT_DOUBLE_EQ(bisections.worst, 0.5);
}

TEST(Measure, BisectionsAreAFunctionOfTheSeed) {
    Routed routed(net::FatTree2(6));
    const auto one = MeasureBisections(routed.topology, routed.tables(), 50, 7);
    const auto same = MeasureBisections(routed.topology, routed.tables(), 50, 7);
    const auto other = MeasureBisections(routed.topology, routed.tables(), 50, 8);
    EXPECT_EQ(one.effective, same.effective);
    EXPECT_NE(one.effective, other.effective);
    EXPECT_GT(one.effective, 0.3);
    EXPECT_LT(one.effective, 1.0);
}

TEST(Measure, OnTwoLevelsMinHopSpreadsEvenly) {
    // 8 leaves with 4 hosts each, 4 spines: a leaf sends 4 * 28 flows up over 4 cables.
    Routed routed(net::FatTree2(8));
    const AllToAll sum = MeasureAllToAll(routed.topology, routed.tables());
    EXPECT_EQ(sum.links, 64U);
    EXPECT_DOUBLE_EQ(sum.mean, 28);
    EXPECT_EQ(sum.hops, (std::vector<std::uint64_t>{32 * 3, 0, 32 * 28}));
    EXPECT_NEAR(
        sum.deviation * sum.deviation,
        [&] {
            double squares = 0;
            for (const std::uint64_t load : sum.load) {
                if (load != 0) squares += std::pow(static_cast<double>(load) - 28, 2);
            }
            return (squares + static_cast<double>(sum.idle) * 28 * 28) / 64;
        }(),
        1e-6);
}

TEST(Measure, TriesSoManyShiftsAndNoMore) {
    Routed routed(net::FatTree2(8));
    EXPECT_EQ(MeasureShifts(routed.topology, routed.tables()).count, 31U);
    EXPECT_EQ(MeasureShifts(routed.topology, routed.tables(), 10).count, 10U);
}

TEST(Measure, TellsHowFarItIs) {
    Routed routed(net::FatTree2(8));
    std::uint64_t last = 0;
    const Tick tick = [&](std::uint64_t done, std::uint64_t all) {
        EXPECT_GT(done, last);
        EXPECT_LE(done, all);
        last = done;
    };
    (void)MeasureAllToAll(routed.topology, routed.tables(), tick);
    EXPECT_EQ(last, 32U);
    last = 0;
    (void)MeasureBisections(routed.topology, routed.tables(), 500, 1, tick);
    EXPECT_EQ(last, 500U);
}

}  // namespace
}  // namespace ember::plan
