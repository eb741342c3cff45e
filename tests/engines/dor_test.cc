// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of dimension order routing's rules, one at a time.

#include "engines/dor.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/min_hop.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

TEST(Dor, MakesMeshesAndHypercubesFreeOfCreditLoopsWhereMinHopDoesNot) {
    for (const net::Netlist& netlist : {net::Mesh(std::array{4U, 4U}, 2), net::Hypercube(4, 2)}) {
        RoutingRun run(netlist);
        MinHop min_hop;
        EXPECT_EQ(run.Route(min_hop).outcome, RoutingOutcome::kWarned);
        Dor dor;
        EXPECT_EQ(run.Route(dor).outcome, RoutingOutcome::kVerified);
    }
}

TEST(Dor, PromisesNoMoreThanShortestPaths) {
    const Dor dor;
    EXPECT_TRUE(dor.promise({}).shortest);
    EXPECT_FALSE(dor.promise({}).deadlock_free);
    const std::array weights = {HopWeight{Guid{1}, PortNumber{1}, 2}};
    Settings settings = testing::OpensmSettings();
    settings.tables.hop_weights = weights;
    EXPECT_FALSE(dor.promise(settings).shortest);
    EXPECT_EQ(dor.kind(), EngineKind::kDor);
}

/// A square of switches 0 1 / 2 3 with two cables on each side; a host at 3.
class Square : public ::testing::Test {
protected:
    Square() {
        for (std::uint32_t i = 0; i < 4; ++i) {
            corners_[i] = netlist_.Add(NodeType::kSwitch, 6, "s" + std::to_string(i), "");
        }
        const auto join = [&](std::uint32_t one, std::uint32_t other, std::uint32_t port) {
            netlist_.Connect(corners_[one], port, corners_[other], port);
            netlist_.Connect(corners_[one], port + 1, corners_[other], port + 1);
        };
        join(0, 1, 1);
        join(2, 3, 1);
        join(0, 2, 3);
        join(1, 3, 3);
        host_ = netlist_.Add(NodeType::kChannelAdapter, 1, "host", "");
        netlist_.Connect(host_, 1, corners_[3], 5);
        netlist_.AssignGuids();
    }

    /// Corner 0's exits to the LIDs of the host.
    std::vector<int> Exits(const Settings& settings) {
        testing::BuiltFabric::Options options;
        options.lmc = settings.lmc;
        RoutingRun run(netlist_, options);
        Dor dor;
        EXPECT_TRUE(run.Route(dor, settings).may_program());
        std::vector<int> exits;
        for (const auto& destination : run.reference().destinations()) {
            if (destination.node != host_) continue;
            for (std::uint32_t i = 0; i < destination.lid_count; ++i) {
                exits.push_back(run.planned().at(corners_[0])[destination.lid + i]);
            }
        }
        return exits;
    }

    net::Netlist netlist_;
    std::array<std::uint32_t, 4> corners_{};
    std::uint32_t host_ = 0;
};

TEST_F(Square, SpreadsLidsOverTheCablesOfTheFirstDimensionOnly) {
    Settings settings = testing::OpensmSettings();
    settings.lmc = 2;
    EXPECT_EQ(Exits(settings), (std::vector{1, 2, 1, 2}));
}

TEST_F(Square, TakesTheDimensionThatTheSearchOrderNamesFirst) {
    const std::array search = {
        PortOrder{.guid = netlist_.nodes[corners_[0]].guid, .first = 0, .count = 1}};
    const std::array ports = {PortNumber{4}};
    Settings settings = testing::OpensmSettings();
    settings.lmc = 2;
    settings.tables.search = search;
    settings.tables.search_ports = ports;
    EXPECT_EQ(Exits(settings), (std::vector{4, 3, 4, 3}));
}

TEST_F(Square, TellsFindersOfOneNeighborOnly) {
    const DimensionFinder dimension;
    const MinHopFinder shortest;
    EXPECT_TRUE(dimension.fixes_neighbor());
    EXPECT_FALSE(shortest.fixes_neighbor());
}

}  // namespace
}  // namespace ember
