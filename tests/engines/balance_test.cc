// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of balanced routes: never worse than what OpenSM 3.3.23 reaches on the same nets.

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "config/netlist/topologies.h"
#include "core/graph/hops.h"
#include "engines/balance/balanced_builder.h"
#include "engines/catalogue.h"
#include "tests/engines/balance_nets.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::Net;
using testing::RoutingRun;

Settings Balanced() {
    Settings settings;
    settings.order = Order::kBalanced;
    return settings;
}

/// Routes a net and measures the tables.
class Measured {
public:
    Measured(const net::Netlist& netlist, std::string_view engine, std::uint8_t lmc = 0)
        : run_(netlist, OptionsFor(netlist, lmc)) {
        Engines engines;
        const Verdict& verdict = run_.Route(*engines.Find(engine), Balanced());
        EXPECT_TRUE(verdict.may_program());
        findings_ = verdict.findings;
        topology_.Build(run_.built().fabric(), Order::kBalanced, run_.scratch());
    }

    [[nodiscard]] plan::AllToAll Loads() {
        return plan::MeasureAllToAll(topology_, plan::Tables(run_.lfts().values(), Stride()));
    }
    [[nodiscard]] double Bisection() {
        return plan::MeasureBisections(topology_, plan::Tables(run_.lfts().values(), Stride()))
            .effective;
    }
    [[nodiscard]] const Findings& findings() const { return findings_; }
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] RoutingRun& run() { return run_; }
    [[nodiscard]] std::uint8_t ExitAt(SwitchIndex at, std::size_t lid) {
        return run_.lfts()[at][lid];
    }

private:
    static BuiltFabric::Options OptionsFor(const net::Netlist& netlist, std::uint8_t lmc) {
        BuiltFabric::Options options;
        options.lmc = lmc;
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {  // The host with the least GUID.
            const net::NetNode& node = netlist.nodes[i];
            const net::NetNode& own = netlist.nodes[options.own_node];
            if (!node.is_switch() && (own.is_switch() || node.guid < own.guid))
                options.own_node = i;
        }
        return options;
    }
    [[nodiscard]] std::size_t Stride() { return run_.lfts().stride(); }

    RoutingRun run_;
    Topology topology_;
    Findings findings_;
};

TEST(Balance, FillsEveryCableOfAFullFatTree) {
    for (const char* const engine : {"minhop", "updn", "dnup", "ftree"}) {
        for (const char* const shape : {"ft2:8", "ft2:16", "ft3:4", "ft3:8", "ft3:16"}) {
            Measured measured(Net{.shape = shape}.Build(), engine);
            const plan::AllToAll loads = measured.Loads();
            EXPECT_GE(loads.saturation, 0.99) << engine << " on " << shape;
            EXPECT_EQ(loads.lost, 0U);
            EXPECT_EQ(loads.idle, 0U);
        }
    }
}

TEST(Balance, FillsAFullFatTreeHoweverItsCablesArePlugged) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Net net{.shape = "ft3:8", .seed = seed, .is_replugged = true};
        EXPECT_GE(Measured(net.Build(), "minhop").Loads().saturation, 0.99) << seed;
    }
}

/// A net and the saturation that the best of OpenSM's engines reaches there: of minhop, updn, dnup,
/// ftree, dor, lash, dfsssp, sssp and nue (8 lanes), each on ibsim, with the measure of
/// docs/performance.md. The values are rounded down.
struct Rival {
    Net net;
    double saturation;
    const char* engine;
};

const std::vector<Rival>& Rivals() {
    static const std::vector<Rival> rivals = {
        {{.shape = "ft2:16", .lost_switches = 3, .seed = 1}, 0.5291, "minhop, ftree"},
        {{.shape = "ft2:16", .lost_links = 10, .seed = 1}, 0.5669, "dfsssp"},
        {{.shape = "ft3:8", .lost_switches = 4, .seed = 2}, 0.4738, "dfsssp"},
        {{.shape = "ft3:8", .lost_links = 12, .seed = 3}, 0.6105, "nue"},
        {{.shape = "ft3:16", .lost_links = 102, .seed = 5}, 0.5464, "nue"},
        {{.shape = "ft3:16", .lost_switches = 6, .seed = 6}, 0.5327, "dfsssp"},
        {{.shape = "torus:4x4x4:2"}, 0.6413, "nue"},
        {{.shape = "torus:8x8:1"}, 0.6999, "sssp"},
        {{.shape = "torus:5x5:2"}, 0.6281, "minhop"},
        {{.shape = "mesh:8x8:1"}, 0.4285, "nue"},
        {{.shape = "mesh:4x4x4:1"}, 0.7777, "sssp"},
        {{.shape = "hypercube:6:1"}, 0.9999, "sssp"},
        {{.shape = "hypercube:4:2"}, 0.7749, "nue"},
        {{.shape = "dragonfly:4,2:2"}, 0.8067, "dor"},
        {{.shape = "dragonfly:4,2:1"}, 0.9999, "minhop"},
        {{.shape = "random:1,24,5:2"}, 0.5108, "minhop"},
        {{.shape = "random:2,32,6:2"}, 0.5080, "minhop"},
        {{.shape = "random:3,48,4:1"}, 0.8245, "sssp"},
        {{.shape = "ring:8:2"}, 0.4687, "nue"},
    };
    return rivals;
}

TEST(Balance, SaturatesNoEarlierThanTheBestOfOpensm) {
    for (const Rival& rival : Rivals()) {
        Measured measured(rival.net.Build(), "minhop");
        const plan::AllToAll loads = measured.Loads();
        EXPECT_GE(loads.saturation, rival.saturation)
            << rival.net.Name() << ", " << rival.engine << " is better";
        EXPECT_EQ(loads.lost, 0U) << rival.net.Name();
        EXPECT_EQ(measured.findings().longer_routes, 0U) << rival.net.Name();
    }
}

TEST(Balance, GetsOutOfDeadEndsSideways) {
    // Where no single flow can be moved for the better: 0.589 and 0.854.
    EXPECT_GE(Measured(Net{.shape = "hypercube:3:3"}.Build(), "minhop").Loads().saturation, 0.63);
    EXPECT_GE(Measured(Net{.shape = "dragonfly:3,2:2"}.Build(), "minhop").Loads().saturation, 0.89);
}

TEST(Balance, KeepsEveryPromiseOfUpAndDown) {
    // Without a credit loop on one lane, and still no worse than OpenSM's best with as many as it
    // likes.
    for (const Rival& rival : Rivals()) {
        if (rival.net.shape.substr(0, 2) != "ft") continue;
        for (const char* const engine : {"dnup", "ftree"}) {
            Measured measured(rival.net.Build(), engine);
            EXPECT_GE(measured.Loads().saturation, rival.saturation)
                << engine << " on " << rival.net.Name();
            EXPECT_FALSE(measured.findings().anything_may_deadlock)
                << engine << " on " << rival.net.Name();
        }
    }
}

/// What the busiest cable carries at least because of the leaf that lost most of its cables.
double BoundOfWorstLeaf(const Topology& topology, double hosts) {
    double least = hosts - 1;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const double own = topology.switch_row(at).end_port_count;
        if (own == 0) continue;
        least = std::max(least, own * (hosts - own) / topology.switch_row(at).trunk_count);
    }
    return (hosts - 1) / least;
}

TEST(Balance, ReachesTheBoundOfTheWorstLeafOnTreesThatLostManyLinks) {
    for (const std::uint64_t seed : {5U, 9U, 11U}) {
        const Net net{.shape = "ft3:16", .lost_links = 102, .seed = seed};
        Measured measured(net.Build(), "ftree");
        const double bound = BoundOfWorstLeaf(measured.topology(), 1024);
        EXPECT_GE(measured.Loads().saturation, 0.99 * bound) << "seed " << seed;
        EXPECT_FALSE(measured.findings().anything_may_deadlock);
    }
}

TEST(Balance, ServesRandomPairsAsWellAsOpensmsFatTree) {
    // Effective bisection bandwidth, 1,000 matchings: what OpenSM's ftree reaches, rounded down.
    const std::vector<std::pair<Net, double>> trees = {
        {{.shape = "ft2:8"}, 0.7506},
        {{.shape = "ft2:16"}, 0.6982},
        {{.shape = "ft3:8"}, 0.5907},
        {{.shape = "ft3:16"}, 0.5303},
        {{.shape = "ft2:8", .lost_switches = 1, .seed = 1}, 0.6163},
        {{.shape = "ft2:16", .lost_switches = 2, .seed = 1}, 0.5653},
        {{.shape = "ft2:16", .lost_switches = 3, .seed = 1}, 0.4974},
        {{.shape = "ft2:16", .lost_switches = 4, .seed = 1}, 0.4311},
        {{.shape = "ft2:16", .seed = 1, .is_replugged = true}, 0.6982},
        {{.shape = "ft3:8", .seed = 1, .is_replugged = true}, 0.5895},
    };
    for (const auto& [net, ftree] : trees) {
        EXPECT_GE(Measured(net.Build(), "minhop").Bisection(), ftree) << net.Name();
    }
}

TEST(Balance, ServesRandomPairsOnTreesWithFewerCoresToo) {
    // The last core of every group is missing: OpenSM's ftree has 0.5154.
    net::Netlist netlist = net::FatTree3(8);
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const std::string& name = netlist.nodes[i].description;
        if (name.substr(0, 5) != "core " || std::stoi(name.substr(5)) % 4 != 0) continue;
        for (std::size_t p = 1; p < netlist.nodes[i].ports.size(); ++p) {
            testing::Unplug(netlist, i, p);
        }
    }
    Measured measured(netlist, "minhop");
    EXPECT_GE(measured.Bisection(), 0.5153);
    EXPECT_GE(measured.Loads().saturation, 0.5669);  // ftree's.
}

TEST(Balance, FtreeTakesTheRootsThatAreGivenAndAnLmc) {
    const net::Netlist netlist = Net{.shape = "ft3:8", .lost_links = 12, .seed = 2}.Build();
    const auto leaf = std::find_if(netlist.nodes.begin(), netlist.nodes.end(),
                                   [](const net::NetNode& node) { return node.is_switch(); });
    const std::array roots = {leaf->guid};  // What is far from it is low.
    Settings settings = Balanced();
    settings.tables.has_roots = true;
    settings.tables.roots = roots;
    BuiltFabric::Options options;
    options.lmc = 1;
    RoutingRun run(netlist, options);
    Engines engines;
    RoutingEngine& ftree = *engines.Find("ftree");
    EXPECT_EQ(run.Route(ftree, settings).outcome, RoutingOutcome::kVerified);
    const auto from_roots = run.planned();
    settings.tables.has_roots = false;
    EXPECT_EQ(run.Route(ftree, settings).outcome, RoutingOutcome::kVerified);
    EXPECT_NE(run.planned(), from_roots);
    settings.order = Order::kOpensm;
    EXPECT_EQ(run.Route(ftree, settings).reason, RoutingReason::kEngineFailed);  // For the LMC.
}

TEST(Balance, SendsTheLidsOfAPortOnDistinctWays) {
    for (const char* const shape : {"ft2:8", "ft3:8", "parallel:4:4"}) {
        Measured measured(Net{.shape = shape}.Build(), "minhop", 2);
        const Topology& topology = measured.topology();
        for (const SwitchIndex from : topology.switches_by_guid()) {
            if (topology.switch_row(from).end_port_count == 0) continue;
            for (const Destination& to : topology.destinations()) {
                if (to.is_switch() || to.at == from) continue;
                std::set<std::uint8_t> exits;
                for (std::size_t i = 0; i < 4; ++i) {
                    exits.insert(measured.ExitAt(from, Raw(to.lid) + i));
                }
                EXPECT_EQ(exits.size(), 4U) << shape;
            }
        }
        EXPECT_GE(measured.Loads().saturation, 0.99) << shape;
    }
}

TEST(Balance, SendsTheLidsOfAPortOverAsManySwitchesAsThereAre) {
    // Two switches in the middle, three cables to each: two LIDs never share one of them.
    net::Netlist netlist;
    const auto left = netlist.Add(NodeType::kSwitch, 8, "left", "");
    const auto right = netlist.Add(NodeType::kSwitch, 8, "right", "");
    for (const char* const name : {"one", "other"}) {
        const auto middle = netlist.Add(NodeType::kSwitch, 6, name, "");
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(netlist.ConnectAny(left, middle));
            ASSERT_TRUE(netlist.ConnectAny(middle, right));
        }
    }
    for (const auto at : {left, left, right, right}) {
        const auto host = netlist.Add(NodeType::kChannelAdapter, 1,
                                      "host" + std::to_string(netlist.nodes.size()), "");
        ASSERT_TRUE(netlist.ConnectAny(host, at));
    }
    netlist.AssignGuids();
    Measured measured(netlist, "minhop", 1);
    const Topology& topology = measured.topology();
    for (const std::uint32_t node : {left, right}) {
        const SwitchIndex from = measured.run().built().switch_index(node);
        for (const Destination& to : topology.destinations()) {
            if (to.is_switch() || to.at == from) continue;
            const auto peer = [&](std::size_t lid) {
                return topology.exits(from)[measured.ExitAt(from, lid)].peer;
            };
            EXPECT_NE(peer(Raw(to.lid)), peer(Raw(to.lid) + std::size_t{1}));
        }
    }
}

TEST(Balance, DoesNotDependOnTheRowsOfTheFabric) {
    for (const char* const shape : {"ft3:8", "torus:4x4x4:2", "random:3,48,4:1"}) {
        net::Netlist netlist = Net{.shape = shape, .lost_links = 5, .seed = 4}.Build();
        Measured first(netlist, "minhop", 1);
        for (const std::uint64_t seed : {1U, 2U}) {
            Measured second(testing::Reordered(netlist, seed), "minhop", 1);
            ASSERT_EQ(first.topology().top_lid(), second.topology().top_lid());
            const auto one = first.topology().switches_by_guid();
            const auto other = second.topology().switches_by_guid();
            for (std::size_t i = 0; i < one.size(); ++i) {
                const std::size_t lids = Raw(first.topology().top_lid()) + std::size_t{1};
                const auto row = first.run().lfts()[one[i]].first(lids);
                const auto twin = second.run().lfts()[other[i]].first(lids);
                EXPECT_TRUE(std::equal(row.begin(), row.end(), twin.begin()))
                    << shape << ", switch " << i;
            }
        }
    }
}

TEST(Balance, RoutesFabricsThatNobodyWouldBuild) {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        const net::Netlist netlist = testing::WildNetlist({.seed = seed,
                                                           .switches = 1 + seed % 23,
                                                           .extra_cables = seed % 40,
                                                           .hosts = seed % 31,
                                                           .islands = seed % 5 == 0,
                                                           .ports = seed % 3 == 0 ? 80U : 24U});
        BuiltFabric::Options options;
        options.lmc = static_cast<std::uint8_t>(seed % 4);
        RoutingRun run(netlist, options);
        Engines engines;
        const Verdict& verdict = run.Route(*engines.Find("minhop"), Balanced());
        EXPECT_TRUE(verdict.may_program()) << "seed " << seed;
        EXPECT_EQ(verdict.findings.longer_routes, 0U) << "seed " << seed;
    }
}

TEST(Balance, RemembersNothingOfTheFabricBefore) {
    // Cables on the ports 21 to 64, and in `wide` to 120: their masks begin alike.
    const net::Netlist small = net::ParallelLinks(44, 20);
    RoutingRun fresh(small);
    MinHop other;
    ASSERT_TRUE(fresh.Route(other, Balanced()).may_program());

    RoutingRun wide(net::ParallelLinks(100, 20));  // Ports beyond 64: masks of four words.
    RoutingRun again(small);
    MinHop engine;
    ASSERT_TRUE(wide.Route(engine, Balanced()).may_program());
    ASSERT_TRUE(again.Route(engine, Balanced()).may_program());
    EXPECT_EQ(again.planned(), fresh.planned());
}

TEST(Balance, SpreadsTheLidsOfSwitchesToo) {
    // From a leaf, 15 other leaves over 8 uplinks.
    Measured measured(net::FatTree2(16), "minhop");
    const Topology& topology = measured.topology();
    for (const SwitchIndex from : topology.switches_by_guid()) {
        if (topology.switch_row(from).end_port_count == 0) continue;
        std::map<std::uint8_t, int> counts;
        for (const Destination& to : topology.destinations()) {
            const bool is_leaf = topology.switch_row(to.at).end_port_count > 0;
            if (to.is_switch() && is_leaf && to.at != from) {
                ++counts[measured.ExitAt(from, Raw(to.lid))];
            }
        }
        EXPECT_GE(counts.size(), 6U);
        for (const auto& [port, count] : counts) {
            EXPECT_LE(count, 3) << "port " << int{port};
        }
    }
}

TEST(Balance, LeavesOutWhatIsMoreHopsAwayThanCanBeCounted) {
    // Half around it is 255 hops, which means none: the switch before, with 254, is no way there.
    std::string error;
    const net::Netlist netlist = net::TopologyByName("ring:510", error);
    BuiltFabric::Options options;
    options.lmc = 1;
    testing::RoutingRun run(netlist, options);
    Settings settings = Balanced();
    settings.lmc = 1;
    for (const Order order : {Order::kBalanced, Order::kOpensm}) {
        settings.order = order;
        MinHop engine;
        (void)run.Route(engine, settings);
        const testing::SlowTables planned = run.planned();
        const auto switches = run.reference().switches();
        for (const testing::SlowDestination& to : run.reference().destinations()) {
            if (to.is_switch || to.at != switches[0]) continue;
            EXPECT_EQ(planned.at(switches[255])[to.lid], kNoHops);
            EXPECT_EQ(planned.at(switches[255])[to.lid + 1], kNoHops);
            EXPECT_NE(planned.at(switches[254])[to.lid + 1], kNoHops);
        }
    }
}

/// Runs an engine in an arena of exactly the size that it says it needs.
TEST(Balance, NeedsNoMoreScratchThanItSays) {
    for (const char* const shape : {"ft3:8", "torus:4x4x4:2", "dragonfly:4,2:2", "single:36"}) {
        BuiltFabric::Options options;
        options.lmc = 2;
        std::string error;
        BuiltFabric built(net::TopologyByName(shape, error), options);
        const Limits& limits = built.limits();
        testing::ArenaStorage topology_storage(Topology::ScratchBytes(limits) +
                                               HopMeter::ScratchBytes(limits));
        Topology topology;
        topology.Build(built.fabric(), Order::kBalanced, topology_storage.arena());
        const std::size_t stride = HopStride(topology.switch_bound());
        std::vector<std::uint8_t> hops(topology.switch_bound() * stride);
        HopMeter meter;
        meter.Begin(topology, {hops, stride}, topology_storage.arena());
        while (meter.Advance() == Progress::kMore) {
        }
        std::vector<std::uint8_t> lfts(limits.max_switches * LidStride(limits), 255);
        testing::ArenaStorage scratch(MinHop::ScratchBytes(limits));
        const Settings settings = Balanced();
        HopRoom room({hops, stride});
        MinHop engine;
        ASSERT_EQ(engine.Begin({.topology = &topology,
                                .settings = &settings,
                                .hops = {hops, stride},
                                .hop_room = &room,
                                .lfts = {lfts, LidStride(limits)},
                                .scratch = &scratch.arena()}),
                  Status::kOk);
        std::size_t slices = 1;
        while (engine.Advance().value() == Progress::kMore) {
            ++slices;
        }
        EXPECT_GT(slices, topology.switch_count() / 16) << shape;
        EXPECT_LE(scratch.arena().peak_bytes(), MinHop::ScratchBytes(limits));
        EXPECT_TRUE(room.is_spent());
    }
}

}  // namespace
}  // namespace ember
