// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes of several lanes, and what a verifier records of them.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/hops.h"
#include "core/routing/lane_dependencies.h"
#include "core/routing/verifier.h"
#include "tests/support/lane_walker.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember::lane_dependencies {

using testing::ArenaStorage;
using testing::BuiltFabric;
using testing::HasCycle;
using testing::LaneRule;
using testing::LaneWalker;
using testing::RoutingReference;
using testing::SlowDestination;
using testing::SlowTables;
using testing::SlRule;
using testing::Waits;

using Fault = Findings::Fault;
using Form = PathSl::Form;

/// A subnet, its tables, and memory for a verifier with lanes, to the octet.
class LanedRun {
public:
    LanedRun(const net::Netlist& netlist, const BuiltFabric::Options& options, unsigned lanes,
             Form form = Form::kBySwitchAndLid)
        : netlist_(netlist),
          built_(netlist, WithLanes(options, lanes)),
          reference_(netlist, built_),
          limits_(built_.limits()),
          arena_(Topology::ScratchBytes(limits_) + Verifier::ScratchBytes(limits_)),
          meter_arena_(HopMeter::ScratchBytes(limits_)),
          lfts_(limits_.max_switches * LidStride(limits_)),
          hops_(HopBytes(limits_)),
          path_sl_(PathSl::Bytes(form, limits_.max_switches, static_cast<Lid>(limits_.max_lid))) {
        topology_.Build(built_.fabric(), options.order, arena_.arena());
        const auto ports = static_cast<std::uint8_t>(limits_.max_switch_ports);
        maps_.resize(LaneMap::Words(topology_.switch_bound(), ports, LaneMap::kMostRows));
        lanes_ = {.path_sl = PathSl(path_sl_),
                  .lane_map = LaneMap(maps_),
                  .count = static_cast<std::uint8_t>(lanes)};
        EXPECT_EQ(lanes_.path_sl.Begin(form, topology_.switch_bound(), topology_.top_lid()),
                  Status::kOk);
        EXPECT_EQ(lanes_.lane_map.Begin(topology_.switch_bound(), ports), Status::kOk);
        HopMeter meter;
        meter.Begin(topology_, hop_matrix(), meter_arena_.arena());
        while (meter.Advance() == Progress::kMore) {
        }
    }

    static BuiltFabric::Options WithLanes(BuiltFabric::Options options, unsigned lanes) {
        options.max_lanes = lanes;
        return options;
    }
    const RoutingReference& reference() const { return reference_; }
    void set_level_bit(std::uint8_t bit) { lanes_.level_bit = bit; }
    DependencyGraph& graph() { return verifier_.dependencies(); }
    RoutingLanes& lanes() { return lanes_; }
    std::size_t ExitOf(std::uint32_t node, std::size_t port) const {
        return topology_.switch_row(built_.switch_index(node)).first_exit + port;
    }

    Findings Verify(const SlowTables& tables, const LaneRule& lane, const SlRule& sl_of) {
        testing::WriteTables(built_, tables, {lfts_, LftShape(limits_)});
        for (const std::uint32_t node : reference_.switches()) {
            const std::size_t ports = netlist_.nodes[node].ports.size();
            for (std::size_t pair = 0; pair < ports * ports; ++pair) {
                const auto in = static_cast<std::uint8_t>(pair / ports);
                const auto out = static_cast<std::uint8_t>(pair % ports);
                LaneRow row;
                for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
                    row.Set(sl, static_cast<std::uint8_t>(lane(node, in, out, sl)));
                }
                const Status set = lanes_.lane_map.Set({.at = built_.switch_index(node),
                                                        .in = static_cast<PortNumber>(in),
                                                        .out = static_cast<PortNumber>(out)},
                                                       row);
                EXPECT_EQ(set, Status::kOk);
            }
            for (const SlowDestination& to : reference_.destinations()) {
                if (to.is_attached) SetSls(node, to, sl_of);
            }
        }
        verifier_.Begin({.topology = &topology_,
                         .hops = hop_matrix(),
                         .lfts = {lfts_, LftShape(limits_)},
                         .lanes = &lanes_},
                        arena_.arena());
        while (verifier_.Advance() == Progress::kMore) {
        }
        return verifier_.findings();
    }

private:
    void SetSls(std::uint32_t from, const SlowDestination& to, const SlRule& sl_of) {
        for (std::uint32_t lid = to.lid; lid < to.lid + to.lid_count; ++lid) {
            lanes_.path_sl.Set({.from = built_.switch_index(from),
                                .to = built_.switch_index(to.at),
                                .lid = static_cast<Lid>(lid)},
                               static_cast<std::uint8_t>(sl_of(from, lid)));
        }
    }
    Matrix<SwitchIndex, std::uint8_t> hop_matrix() {
        return {hops_, HopShape(topology_.switch_bound())};
    }

    const net::Netlist& netlist_;
    BuiltFabric built_;
    RoutingReference reference_;
    Limits limits_;
    ArenaStorage arena_;
    ArenaStorage meter_arena_;
    std::vector<std::uint8_t> lfts_;
    std::vector<std::uint8_t> hops_;
    std::vector<std::uint8_t> path_sl_;
    std::vector<std::uint64_t> maps_;
    Topology topology_;
    RoutingLanes lanes_;
    Verifier verifier_;
};

/// A number that depends on all four, and on nothing else.
inline unsigned Mix(std::uint32_t seed, std::uint32_t one, std::uint32_t other,
                    std::uint32_t third) {
    std::uint64_t value = seed;
    for (const std::uint32_t part : {one, other, third}) {
        value = (value ^ part) * 0x9E3779B97F4A7C15ULL;
        value ^= value >> 29;
    }
    return static_cast<unsigned>(value >> 16);
}

/// The switch of each LID's owner.
inline std::map<std::uint32_t, std::uint32_t> HomesOf(const RoutingReference& reference) {
    std::map<std::uint32_t, std::uint32_t> homes;
    for (const SlowDestination& to : reference.destinations()) {
        for (std::uint32_t lid = to.lid; to.is_attached && lid < to.lid + to.lid_count; ++lid) {
            homes[lid] = to.at;
        }
    }
    return homes;
}

/// The graph has these dependencies and no others. Returns how many.
inline std::size_t ExpectRecorded(LanedRun& run, const Waits& waits) {
    DependencyGraph& graph = run.graph();
    std::size_t expected = 0;
    for (const auto& [held, followers] : waits) {
        const auto [node, port, before] = held;
        const std::size_t channel =
            graph.ChannelAt(run.ExitOf(node, port), static_cast<std::uint8_t>(before));
        expected += followers.size();
        for (const auto& [far, onward, after] : followers) {
            EXPECT_TRUE(graph.Has(channel, onward, static_cast<std::uint8_t>(after)))
                << node << ' ' << unsigned{port} << ' ' << before << ' ' << after;
        }
    }
    std::size_t recorded = 0;
    for (std::size_t channel = 0; channel < graph.channel_count(); ++channel) {
        for (std::size_t step = graph.NextStep(channel, 0); step != 0;
             step = graph.NextStep(channel, step)) {
            ++recorded;
        }
    }
    EXPECT_EQ(recorded, expected);
    return recorded;
}

}  // namespace ember::lane_dependencies
