// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what balanced routes depend on, and what they need.

#include "engines/balance/balanced_builder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/hops.h"
#include "engines/catalogue.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/engines/balance/measured.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::Balanced;
using testing::BuiltFabric;
using testing::Measured;
using testing::Net;
using testing::RoutingRun;

TEST(Balance, FtreeTakesTheRootsThatAreGivenAndAnLmc) {
    const net::Netlist netlist = Net{.shape = "ft3:8", .lost_links = 12, .seed = 2}.Build();
    const auto leaf = std::find_if(netlist.nodes.begin(), netlist.nodes.end(),
                                   [](const net::NetNode& node) { return node.is_switch(); });
    const std::array roots = {leaf->guid};  // Switches far from it are low.
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

TEST(Balance, RootsOfAnotherFabricAreNone) {
    const net::Netlist netlist = Net{.shape = "ft3:8", .lost_links = 12, .seed = 2}.Build();
    const std::array strangers = {Guid{0x1234}, Guid{0x5678}};
    for (const char* const engine : {"updn", "ftree"}) {
        Settings settings = Balanced();
        RoutingRun run(netlist);
        Engines engines;
        const Verdict& own = run.Route(*engines.Find(engine), settings);
        ASSERT_TRUE(own.may_program());
        const std::uint32_t assumed = own.choice.assumed_roots;
        const auto without = run.planned();
        settings.tables.has_roots = true;
        settings.tables.roots = strangers;
        const Verdict& verdict = run.Route(*engines.Find(engine), settings);
        ASSERT_TRUE(verdict.may_program());
        if (std::string_view(engine) == "updn") {
            EXPECT_EQ(run.planned(), without);
            EXPECT_GT(assumed, 1U);
            EXPECT_EQ(verdict.choice.assumed_roots, assumed) << "and it is told";
        }
    }
}

/// The second step has no end port, and so no engine is asked for it.
TEST(Balance, IsSearchedForLessWhereStepsFollowThatWriteOverIt) {
    const net::Netlist netlist = Net{.shape = "random:3,48,4:1", .seed = 4}.Build();
    const Settings settings = Balanced();
    Engines engines;
    const std::array alternatives = {
        Alternative{.engine = engines.Find("minhop"), .options = &settings, .id = 1}};
    const SubnetPart nothing;
    const std::array none = {Alternative{
        .engine = engines.Find("minhop"), .options = &settings, .part = &nothing, .id = 2}};
    const std::array steps = {RoutingStep{.options = &settings, .alternatives = alternatives},
                              RoutingStep{.options = &settings, .alternatives = none}};
    BuiltFabric::Options options;
    options.max_steps = 2;
    RoutingRun run(netlist, options);
    ASSERT_TRUE(
        run.Route({.steps = std::span(steps).first(1), .options = &settings}).may_program());
    const std::size_t alone = run.slices();
    ASSERT_TRUE(run.Route({.steps = steps, .options = &settings}).may_program());
    EXPECT_LT(run.slices(), alone);
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

TEST(Balance, RoutesOddRandomFabrics) {
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

/// Goal: entries get to the tables whether those of a leaf switch fill a cache line or several, and
/// those of the leaf switches before and after it too. Method: hosts are taken from some switches.
TEST(Balance, RoutesToLeafSwitchesOfAnySize) {
    for (const std::uint32_t hosts : {1U, 21U, 32U, 40U, 64U, 65U, 100U}) {
        for (const std::uint32_t kept : {hosts, 1U, 30U}) {
            net::Netlist netlist = net::Ring(3, hosts);
            const auto last = std::find_if(netlist.nodes.rbegin(), netlist.nodes.rend(),
                                           [](const auto& node) { return node.is_switch(); });
            const auto at = static_cast<std::uint32_t>(netlist.nodes.rend() - last - 1);
            std::uint32_t met = 0;
            for (std::uint32_t port = 1; port < netlist.nodes[at].ports.size(); ++port) {
                const std::uint32_t peer = netlist.nodes[at].ports[port].peer;
                const bool has_host = peer != net::kNoPeer && !netlist.nodes[peer].is_switch();
                if (has_host && met++ >= kept) net::Unplug(netlist, {at, port});
            }
            RoutingRun run(netlist);
            Engines engines;
            EXPECT_EQ(run.Route(*engines.Find("minhop"), Balanced()).outcome,
                      RoutingOutcome::kVerified)
                << hosts << " hosts a switch, " << kept << " at the last";
        }
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
        std::vector<std::uint8_t> octets(HopStride(topology.switch_bound()) *
                                         topology.switch_bound());
        const Matrix<SwitchIndex, std::uint8_t> hops(octets, HopShape(topology.switch_bound()));
        HopMeter meter;
        meter.Begin(topology, hops, topology_storage.arena());
        while (meter.Advance() == Progress::kMore) {
        }
        std::vector<std::uint8_t> lfts(limits.max_switches * LidStride(limits), 255);
        testing::ArenaStorage scratch(MinHop::ScratchBytes(limits));
        const Settings settings = Balanced();
        HopRoom room(hops);
        MinHop engine;
        ASSERT_EQ(engine.Begin({.topology = &topology,
                                .options = &settings,
                                .hops = hops,
                                .hop_room = &room,
                                .tables = {.lfts = {lfts, LftShape(limits)}},
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
