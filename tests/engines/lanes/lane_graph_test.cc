// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of a graph that is kept free of cycles.

#include "engines/lanes/lane_graph.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using Link = LaneLinks::Link;
using Waits = std::map<Link, std::set<Link>>;

class LaneGraphTest : public ::testing::Test {
protected:
    void Build(const net::Netlist& netlist) {
        built_.emplace(netlist);
        const Limits& limits = built_->limits();
        topology_room_.emplace(Topology::ScratchBytes(limits));
        room_.emplace(LaneLinks::ScratchBytes(limits) + LaneGraph::ScratchBytes(limits));
        topology_.Build(built_->fabric(), Order::kOpensm, topology_room_->arena());
        links_.Begin(topology_, room_->arena());
        graph_.Begin(links_, room_->arena());
    }
    /// The links that packets which hold `held` may go on by.
    std::vector<Link> Onward(Link held) const {
        std::vector<Link> links;
        const SwitchIndex at = links_.FarSwitch(held);
        for (const Trunk& trunk : topology_.trunks(at)) {
            links.push_back(links_.Of(at, Raw(trunk.port)));
        }
        return links;
    }
    /// By a search that shares nothing with the graph's.
    static bool Leads(const Waits& waits, Link from, Link to) {
        std::set<Link> seen{from};
        std::vector<Link> open{from};
        while (!open.empty()) {
            const Link at = open.back();
            open.pop_back();
            if (at == to) return true;
            const auto row = waits.find(at);
            if (row == waits.end()) continue;
            for (const Link next : row->second) {
                if (seen.insert(next).second) open.push_back(next);
            }
        }
        return false;
    }

    std::optional<testing::BuiltFabric> built_;
    std::optional<testing::ArenaStorage> topology_room_;
    std::optional<testing::ArenaStorage> room_;
    Topology topology_;
    LaneLinks links_;
    LaneGraph graph_;
};

TEST_F(LaneGraphTest, RefusesWhatClosesACycleAndNothingElse) {
    std::size_t refused = 0;
    std::size_t taken = 0;
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Build(testing::WildNetlist({.seed = seed,
                                    .switches = 3 + seed % 9,
                                    .extra_cables = seed % 14,
                                    .hosts = 2,
                                    .ports = 14}));
        std::mt19937 chance(seed);
        Waits waits;
        Waits before;
        for (unsigned i = 0; i < 400; ++i) {
            if (i % 10 == 0) {
                graph_.BeginTrial();
                before = waits;
            }
            const auto held = static_cast<Link>(chance() % links_.count());
            const std::vector<Link> onward = Onward(held);
            const Link wanted = onward[chance() % onward.size()];
            const bool closes = Leads(waits, wanted, held);
            ASSERT_EQ(graph_.Add(held, wanted), !closes) << i;
            refused += closes ? 1U : 0U;
            taken += closes ? 0U : 1U;
            if (!closes) waits[held].insert(wanted);
            if (i % 10 == 9 && chance() % 3 == 0) {
                graph_.TakeBack();
                waits = before;
            }
        }
    }
    EXPECT_GT(refused, 100U);  // Both answers occur.
    EXPECT_GT(taken, 1000U);
}

TEST_F(LaneGraphTest, HasALinkInEachDirectionOfACable) {
    Build(net::Ring(5, 1));
    ASSERT_EQ(links_.count(), 10U);
    std::set<Link> links;
    for (const SwitchIndex at : topology_.switches_by_guid()) {
        for (const Trunk& trunk : topology_.trunks(at)) {
            const Link link = links_.Of(at, Raw(trunk.port));
            EXPECT_EQ(links_.FarSwitch(link), trunk.peer);
            links.insert(link);
        }
        for (std::size_t port = 0; port < topology_.exits(at).size(); ++port) {
            const bool is_trunk = topology_.exits(at)[port].peer != kNoSwitch;
            EXPECT_EQ(links_.Of(at, static_cast<std::uint8_t>(port)) != LaneLinks::kNoLink,
                      is_trunk);
        }
    }
    EXPECT_EQ(links.size(), 10U);
}

}  // namespace
}  // namespace ember
