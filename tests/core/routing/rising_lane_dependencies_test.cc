// SPDX-License-Identifier: Apache-2.0
// EmberSM: what packets wait for where their lane rises on the path.
//
// Goal:   the verifier proves routes whose lane rises inside a path.
// Method: tables of rising lanes, grown pair by pair.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <tuple>
#include <vector>

#include "tests/core/routing/lane_dependencies_fixture.h"

namespace ember::lane_dependencies {
namespace {

/// Tables of lanes that rise inside a path: the switches have an order, here that of their
/// numbers; at a turn from a link down to a link up the lane rises, and it never falls. The SL of a
/// path is the first one whose table serves it, or can be completed so that it does.
class RisingLanes {
public:
    RisingLanes(const net::Netlist& netlist, const RoutingReference& reference, unsigned lanes)
        : netlist_(netlist), reference_(reference), lanes_(lanes) {}

    /// False when no SL is left.
    bool Grow(const SlowTables& tables) {
        for (const SlowDestination& to : reference_.destinations()) {
            for (const std::uint32_t from : reference_.switches()) {
                if (!to.is_attached || reference_.Hops(from, to.at) == 255) continue;
                for (std::uint32_t lid = to.lid; lid < to.lid + to.lid_count; ++lid) {
                    unsigned sl = 0;
                    while (sl < 16 && !Serve(tables, from, to.at, lid, sl)) {
                        ++sl;
                    }
                    if (sl == 16) return false;
                    sls_[{from, lid}] = sl;
                    most_sls_ = std::max(most_sls_, sl + 1);
                }
            }
        }
        return true;
    }
    unsigned LaneOf(std::uint32_t node, std::uint8_t in, std::uint8_t out, unsigned sl) const {
        const auto found = turns_.find({node, in, out, sl});
        return found == turns_.end() ? 0 : found->second;
    }
    unsigned SlOf(std::uint32_t from, std::uint32_t lid) const {
        const auto found = sls_.find({from, lid});
        return found == sls_.end() ? 0U : found->second;
    }
    unsigned most_sls() const { return most_sls_; }

private:
    using Turn = std::tuple<std::uint32_t, std::uint8_t, std::uint8_t, unsigned>;

    bool Serve(const SlowTables& tables, std::uint32_t from, std::uint32_t to, std::uint32_t lid,
               unsigned sl) {
        std::map<Turn, unsigned> added;
        unsigned lane = 0;
        std::uint32_t before = from;
        for (std::uint32_t at = from; at != to;) {
            const std::uint8_t out = tables.at(at)[lid];
            const net::NetPort& port = netlist_.nodes[at].ports[out];
            if (at != from) {
                const net::NetPort& last = netlist_.nodes[before].ports[tables.at(before)[lid]];
                const Turn turn{at, static_cast<std::uint8_t>(last.peer_port), out, sl};
                const bool is_break = at > before && port.peer < at;
                const unsigned least = lane + (is_break ? 1U : 0U);
                const auto found = turns_.find(turn);
                const unsigned next = found == turns_.end() ? least : found->second;
                if (next < least || next >= lanes_) return false;
                if (found == turns_.end()) added[turn] = next;
                lane = next;
            }
            before = at;
            at = port.peer;
        }
        turns_.insert(added.begin(), added.end());
        return true;
    }

    const net::Netlist& netlist_;
    const RoutingReference& reference_;
    unsigned lanes_;
    unsigned most_sls_ = 0;
    std::map<Turn, unsigned> turns_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> sls_;
};

TEST(LaneDependencies, ProveRoutesWhoseLaneRisesInsideThePath) {
    std::size_t were_cyclic = 0;
    std::vector<net::Netlist> nets = {net::Ring(8, 1), net::Ring(5, 2)};
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
        nets.push_back(testing::WildNetlist(
            {.seed = seed, .switches = 12, .extra_cables = 12, .hosts = 16, .ports = 24}));
    }
    for (const net::Netlist& netlist : nets) {
        constexpr unsigned kLanes = 5;
        LanedRun run(netlist, {}, kLanes);
        run.lanes().is_one_way = true;
        const SlowTables tables = run.reference().MinHop({});
        RisingLanes rising(netlist, run.reference(), kLanes);
        ASSERT_TRUE(rising.Grow(tables));
        const SlRule sl_of = [&](std::uint32_t from, std::uint32_t lid) {
            return rising.SlOf(from, lid);
        };
        const LaneRule lane = [&](std::uint32_t node, std::uint8_t in, std::uint8_t out,
                                  unsigned sl) { return rising.LaneOf(node, in, out, sl); };
        const Findings findings = run.Verify(tables, lane, sl_of);
        EXPECT_EQ(findings.fault, Fault::kNone);
        EXPECT_FALSE(findings.end_ports_may_deadlock);
        const LaneWalker walker(netlist, run.reference(), tables, lane, sl_of, false);
        EXPECT_EQ(findings.anything_may_deadlock, HasCycle(walker.Walk(true))) << "by SL 0";

        LanedRun flat(netlist, {}, kLanes);
        const LaneRule on_one = [](std::uint32_t, std::uint8_t, std::uint8_t, unsigned) {
            return 3U;
        };
        const Findings on_one_lane = flat.Verify(tables, on_one, sl_of);
        were_cyclic += on_one_lane.end_ports_may_deadlock ? 1U : 0U;
        for (const Channel& channel : on_one_lane.cycle.channels) {
            EXPECT_EQ(channel.lane, 3U);
        }
    }
    EXPECT_GE(were_cyclic, 2U);  // The rings at least.
}

}  // namespace
}  // namespace ember::lane_dependencies
