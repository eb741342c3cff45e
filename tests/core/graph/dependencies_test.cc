// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the channel dependency graph and of the search for a cycle in it.

#include "core/graph/dependencies.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "core/graph/topology.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;

constexpr std::uint8_t kForth = 1;  ///< The port of a ring's switch to the next one.
constexpr std::uint8_t kBack = 2;   ///< Its port to the one before.

constexpr Limits LimitsOf(std::uint32_t ports, std::uint32_t switch_ports, std::uint32_t lanes) {
    Limits limits{};
    limits.max_ports = ports;
    limits.max_switch_ports = switch_ports;
    limits.max_lanes = lanes;
    return limits;
}

// With one lane a graph takes what it took before there were lanes: a bit for each port of a
// switch, in whole words, for each port of the subnet; a search 9 octets.
static_assert(DependencyGraph::Words(LimitsOf(1000, 36, 1)) == 1000);
static_assert(DependencyGraph::Words(LimitsOf(1000, 65, 1)) == 2000);
static_assert(DependencyGraph::Words(LimitsOf(1000, 254, 1)) == 4000);
static_assert(DependencyGraph::Words(LimitsOf(1000, 36, 4)) == 4000 * 3);
static_assert(DependencyGraph::Words(LimitsOf(1000, 254, 15)) == 15000 * 60);

/// A ring of switches and a dependency graph on it, in memory of exactly the size that is stated.
class Ring {
public:
    Ring(std::uint16_t switches, std::uint8_t lanes, std::uint8_t ports = 2)
        : switches_(switches),
          limits_(LimitsOf(switches * (ports + 1U), ports, lanes)),
          topology_arena_(1U << 20),
          arena_(DependencyGraph::ScratchBytes(limits_) + CycleSearch::ScratchBytes(limits_)) {
        topology_.Start({.switches = switches, .ports = limits_.max_ports, .destinations = 0},
                        topology_arena_.arena());
        for (std::uint16_t i = 0; i < switches; ++i) {
            topology_.AddSwitch(SwitchIndex{i}, GuidOf(i), kNoGuid, ports);
        }
        for (std::uint16_t i = 0; i < switches; ++i) {
            const auto next = static_cast<std::uint16_t>((i + 1) % switches);
            topology_.Connect(SwitchIndex{i}, PortNumber{kForth}, SwitchIndex{next},
                              PortNumber{kBack});
        }
        topology_.Finish(Order::kGuid, topology_arena_.arena());
        graph_.Begin(topology_, lanes, arena_.arena());
        search_.Begin(topology_, lanes, arena_.arena());
    }

    static Guid GuidOf(std::uint16_t at) { return static_cast<Guid>(100U + at); }
    [[nodiscard]] std::size_t ExitOf(std::size_t at, std::uint8_t port) const {
        return topology_.switch_row(static_cast<SwitchIndex>(at)).first_exit + port;
    }
    /// Packets go forth through switch `at`, which they enter on `before` and leave on `after`.
    void Turn(std::uint16_t at, std::uint8_t before, std::uint8_t after) {
        const std::size_t last = (at + switches_ - 1U) % switches_;
        graph_.Add(graph_.ChannelAt(ExitOf(last, kForth), before), kForth, after);
    }
    bool HasCycle() {
        search_.Start(graph_);
        while (search_.Advance() == Progress::kMore) {
        }
        return search_.found();
    }

    DependencyGraph& graph() { return graph_; }
    CycleSearch& search() { return search_; }
    const Topology& topology() const { return topology_; }
    const ChannelList& cycle() const { return search_.cycle(); }

private:
    std::uint16_t switches_;
    Limits limits_;
    ArenaStorage topology_arena_;
    ArenaStorage arena_;
    Topology topology_;
    DependencyGraph graph_;
    CycleSearch search_;
};

TEST(CycleSearch, FindsTheCycleOfARingOnOneLane) {
    Ring ring(5, 1);
    for (std::uint16_t at = 0; at < 4; ++at) {
        ring.Turn(at, 0, 0);
    }
    EXPECT_FALSE(ring.HasCycle());
    ring.Turn(4, 0, 0);
    ASSERT_TRUE(ring.HasCycle());
    EXPECT_EQ(ring.cycle().length, 5U);
    EXPECT_EQ(ring.cycle().lanes, 1U);
    for (const Channel& channel : ring.cycle().channels) {
        EXPECT_EQ(channel.port, PortNumber{kForth});
        EXPECT_EQ(channel.lane, 0U);
    }
}

TEST(CycleSearch, FindsNoneWhereTheLaneRisesAtADateline) {
    // A packet that passes switch 0 goes on on lane 1, and no path passes it twice.
    Ring ring(5, 2);
    ring.Turn(0, 0, 1);
    for (std::uint16_t at = 1; at < 5; ++at) {
        ring.Turn(at, 0, 0);
        ring.Turn(at, 1, 1);
    }
    EXPECT_FALSE(ring.HasCycle());
    ring.Turn(0, 1, 1);  // A path that goes around twice, or a table that forgets to rise.
    ASSERT_TRUE(ring.HasCycle());
    EXPECT_EQ(ring.cycle().length, 5U);
    EXPECT_EQ(ring.cycle().lanes, 2U);
    for (const Channel& channel : ring.cycle().channels) {
        EXPECT_EQ(channel.lane, 1U);
    }
}

TEST(CycleSearch, NamesACycleAcrossLanes) {
    Ring ring(4, 3);
    ring.Turn(0, 0, 2);
    ring.Turn(1, 2, 2);
    ring.Turn(2, 2, 1);
    ring.Turn(3, 1, 0);
    ASSERT_TRUE(ring.HasCycle());
    ASSERT_EQ(ring.cycle().length, 4U);
    EXPECT_EQ(ring.cycle().lanes, 3U);
    // Lanes of the channels that leave switches 0 to 3; the cycle may be told from any of them.
    const std::uint8_t lanes[] = {2, 2, 1, 0};
    for (const Channel& channel : ring.cycle().channels) {
        const std::uint64_t at = Raw(channel.switch_guid) - Raw(Ring::GuidOf(0));
        ASSERT_LT(at, 4U);
        EXPECT_EQ(channel.lane, lanes[at]) << at;
        EXPECT_EQ(channel.port, PortNumber{kForth});
    }
}

TEST(CycleSearch, FindsTheShortestOfTwoLanesFromAnyRoot) {
    // A cycle of three on lane 0 and, through it, detours over lane 1.
    Ring ring(3, 2);
    for (std::uint16_t at = 0; at < 3; ++at) {
        ring.Turn(at, 0, 0);
        ring.Turn(at, 0, 1);
        ring.Turn(at, 1, 0);
    }
    for (std::uint32_t root = 0; root < ring.graph().channel_count(); ++root) {
        const auto exits = ring.topology().all_exits();
        const bool goes_on = exits[root % exits.size()].peer != kNoSwitch;
        const std::uint32_t roots[] = {root};
        ring.search().Start(ring.graph(), roots);
        while (ring.search().Advance() == Progress::kMore) {
        }
        const bool is_forth = root % 3 == kForth;  // Three ports a switch: number 0, 1 and 2.
        EXPECT_EQ(ring.search().found(), goes_on && is_forth) << root;
        if (ring.search().found()) {
            EXPECT_EQ(ring.cycle().length, 3U);
        }
    }
}

TEST(DependencyGraph, KeepsExactlyWhatWasAddedOnEveryLane) {
    using Edge = std::tuple<std::size_t, std::uint8_t, std::uint8_t>;
    std::mt19937 random(7);
    for (const auto& [lanes, ports] :
         {std::pair{1, 36}, {1, 254}, {2, 32}, {3, 65}, {8, 36}, {15, 254}}) {
        Ring ring(4, static_cast<std::uint8_t>(lanes), static_cast<std::uint8_t>(ports));
        DependencyGraph& graph = ring.graph();
        std::set<Edge> edges;
        for (int i = 0; i < 300; ++i) {
            const auto exit = ring.ExitOf(random() % 4, random() % 2 == 0 ? kForth : kBack);
            const auto lane = static_cast<std::uint8_t>(random() % static_cast<unsigned>(lanes));
            const std::size_t channel = graph.ChannelAt(exit, lane);
            const auto port =
                static_cast<std::uint8_t>(1 + random() % static_cast<unsigned>(ports));
            const auto after = static_cast<std::uint8_t>(random() % static_cast<unsigned>(lanes));
            graph.Add(channel, port, after);
            edges.insert({channel, port, after});
        }
        std::size_t found = 0;
        for (std::size_t channel = 0; channel < graph.channel_count(); ++channel) {
            for (std::size_t step = graph.NextStep(channel, 0); step != 0;
                 step = graph.NextStep(channel, step)) {
                const std::size_t next = graph.Follow(channel, step);
                EXPECT_EQ(graph.StepTo(channel, next), step);
                const Channel name = graph.Name(next);
                const Channel from = graph.Name(channel);
                EXPECT_TRUE(edges.contains({channel, Raw(name.port), name.lane}));
                EXPECT_TRUE(graph.Has(channel, Raw(name.port), name.lane));
                // The step leads to the switch that the first channel leads to.
                const std::uint64_t at = Raw(from.switch_guid) - 100;
                const std::uint64_t far = from.port == PortNumber{kForth} ? at + 1 : at + 3;
                EXPECT_EQ(Raw(name.switch_guid), 100 + far % 4);
                ++found;
            }
        }
        EXPECT_EQ(found, edges.size());
    }
}

TEST(DependencyGraph, ClearsAnExitOnAllItsLanesAndNoOther) {
    Ring ring(4, 3);
    for (std::uint8_t lane = 0; lane < 3; ++lane) {
        ring.Turn(1, lane, lane);
        ring.Turn(2, lane, lane);
    }
    ring.graph().Clear(ring.ExitOf(0, kForth));
    for (std::uint8_t lane = 0; lane < 3; ++lane) {
        const std::size_t cleared = ring.graph().ChannelAt(ring.ExitOf(0, kForth), lane);
        const std::size_t kept = ring.graph().ChannelAt(ring.ExitOf(1, kForth), lane);
        EXPECT_EQ(ring.graph().NextStep(cleared, 0), 0U);
        EXPECT_TRUE(ring.graph().Has(kept, kForth, lane));
    }
}

TEST(DependencyGraph, ClosesACycleThatTwoGraphsHaveTogether) {
    Ring ring(6, 2);
    Ring other(6, 2);
    for (std::uint16_t at = 0; at < 6; ++at) {
        const auto lane = static_cast<std::uint8_t>(at % 2);
        (lane == 0 ? ring : other).Turn(at, lane, static_cast<std::uint8_t>(1 - lane));
    }
    EXPECT_FALSE(ring.HasCycle());
    EXPECT_FALSE(other.HasCycle());
    ring.graph().Merge(other.graph());
    EXPECT_TRUE(ring.HasCycle());
    EXPECT_EQ(ring.cycle().length, 6U);
}

TEST(DependencyGraph, BeginsEmptyInLentMemory) {
    Ring ring(4, 2);
    std::vector<std::uint64_t> words(DependencyGraph::Words(LimitsOf(12, 2, 2)), ~std::uint64_t{0});
    DependencyGraph graph;
    graph.Begin(ring.topology(), 2, words);
    for (std::size_t channel = 0; channel < graph.channel_count(); ++channel) {
        EXPECT_EQ(graph.NextStep(channel, 0), 0U);
    }
    EXPECT_EQ(graph.lanes(), 2U);
    EXPECT_EQ(graph.channel_count(), 2U * 4 * 3);
}

}  // namespace
}  // namespace ember
