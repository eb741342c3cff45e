// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of switches renumbered so that neighbors of the subnet are neighbors in memory.

#include "engines/balance/renumbering.h"

#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/graph/hops.h"
#include "engines/spread/min_hop_finder.h"
#include "engines/spreading_engine.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

/// A net whose rows say nothing about places, renumbered.
struct Renumbered {
    explicit Renumbered(const net::Netlist& netlist)
        : built(netlist),
          scratch(Topology::ScratchBytes(built.limits()) + HopMeter::ScratchBytes(built.limits()) +
                  Renumbering::ScratchBytes(built.limits())) {
        Arena& arena = scratch.arena();
        topology.Build(built.fabric(), Order::kBalanced, arena);
        const std::size_t stride = HopStride(topology.switch_bound());
        octets.resize(topology.switch_bound() * stride);
        HopMeter meter;
        meter.Begin(topology, {octets, HopShape(topology.switch_bound())}, arena);
        while (meter.Advance() == Progress::kMore) {
        }
        renumbered = octets;
        room.Fill({renumbered, HopShape(topology.switch_bound())});
        rows.Begin({.topology = &topology,
                    .options = &settings,
                    .hops = {renumbered, HopShape(topology.switch_bound())},
                    .hop_room = &room,
                    .tables = {},
                    .scratch = &arena});
        while (rows.Advance() == Progress::kMore) {
        }
    }

    testing::BuiltFabric built;
    testing::ArenaStorage scratch;
    std::vector<std::uint8_t> octets;  ///< Hops by the old rows.
    std::vector<std::uint8_t> renumbered;
    HopRoom room;
    Settings settings;
    Topology topology;
    Renumbering rows;
};

TEST(Renumbering, TellsTheSameSubnetInOtherRows) {
    for (const char* const shape : {"ft3:8", "torus:4x4x4:2", "random:3,48,4:1"}) {
        const net::Netlist netlist =
            testing::Net{.shape = shape, .lost_links = 5, .seed = 4}.Build();
        const Renumbered net(testing::Reordered(netlist, 7));
        const Topology& near = *net.rows.task().topology;
        ASSERT_EQ(near.switch_count(), net.topology.switch_count());
        EXPECT_EQ(near.top_lid(), net.topology.top_lid());
        for (std::size_t i = 0; i < near.switch_count(); ++i) {
            const auto at = static_cast<SwitchIndex>(i);
            const SwitchIndex old = net.rows.rows()[i];
            const RoutingSwitch& row = near.switch_row(at);
            ASSERT_EQ(row.guid, net.topology.switch_row(old).guid) << shape;
            ASSERT_EQ(near.FindSwitch(row.guid), at) << shape;
            ASSERT_EQ(near.trunks(at).size(), net.topology.trunks(old).size()) << shape;
            for (std::size_t t = 0; t < near.trunks(at).size(); ++t) {
                const Trunk& trunk = near.trunks(at)[t];
                ASSERT_EQ(trunk.port, net.topology.trunks(old)[t].port);
                ASSERT_EQ(near.switch_row(trunk.peer).guid,
                          net.topology.switch_row(net.topology.trunks(old)[t].peer).guid);
            }
            for (std::size_t j = 0; j < near.switch_count(); ++j) {
                ASSERT_EQ(net.rows.task().hops[at][j],
                          net.octets[Raw(old) * HopStride(net.topology.switch_bound()) +
                                     Raw(net.rows.rows()[j])]);
            }
        }
        for (std::size_t i = 0; i < near.destinations().size(); ++i) {
            const Destination& here = near.destinations()[i];
            ASSERT_EQ(here.lid, net.topology.destinations()[i].lid);
            if (here.at == kNoSwitch) continue;
            ASSERT_EQ(net.rows.rows()[Raw(here.at)], net.topology.destinations()[i].at);
        }
    }
}

TEST(Renumbering, BeginsWithTheLeavesOfATreePodByPod) {
    const Renumbered net(testing::Reordered(net::FatTree3(8), 3));
    const Topology& near = *net.rows.task().topology;
    const auto hops = net.rows.task().hops;
    for (std::size_t i = 0; i < 32; ++i) {  // 8 pods of 4 leaves.
        const auto at = static_cast<SwitchIndex>(i);
        EXPECT_GT(near.switch_row(at).end_port_count, 0U) << i;
        EXPECT_EQ(hops[at][i / 4 * 4], i % 4 == 0 ? 0 : 2) << "in the pod of the first of four";
    }
    EXPECT_EQ(near.switch_row(SwitchIndex{32}).end_port_count, 0U);
}

/// Counts how often candidates are looked for.
class CountingFinder final : public ExitFinder {
public:
    static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return MinHopFinder::ScratchBytes(limits);
    }
    Status Begin(const RoutingTask& task) override { return finder_.Begin(task); }
    Result<Progress> Prepare() override { return finder_.Prepare(); }
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const override {
        ++count_;
        finder_.Find(here, first, words, masks);
    }
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const override {
        return finder_.hops();
    }
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    MinHopFinder finder_;
    mutable std::size_t count_ = 0;
};

class CountingEngine final : public SpreadingEngine<CountingFinder> {
public:
    [[nodiscard]] EngineKind kind() const override { return EngineKind::kMinHop; }
    [[nodiscard]] Promise promise(const EngineOptions&) const override {
        return {.shortest = true};
    }
    [[nodiscard]] std::size_t count() const { return finder().count(); }
};

TEST(Renumbering, LetsEachBlockOfColumnsBeLoadedOnceHoweverScatteredSwitchesAre) {
    testing::RoutingRun run(testing::Reordered(net::FatTree3(16), 5));
    Settings settings;
    settings.order = Order::kBalanced;
    CountingEngine engine;
    ASSERT_TRUE(run.Route(engine, settings).may_program());
    const std::size_t blocks = 320 / kColumns;  // Switches of this tree.
    EXPECT_EQ(engine.count(), 320 * blocks);
}

}  // namespace
}  // namespace ember
