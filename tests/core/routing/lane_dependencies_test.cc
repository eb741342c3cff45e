// SPDX-License-Identifier: Apache-2.0
// EmberSM: what packets wait for on several data VLs.
//
// Goal:   the verifier records exactly the dependencies that packets make, and proves routes whose
//         lane rises inside a path.
// Method: a walker that follows every pair of ports by itself, from the netlist and the tables, for
//         lanes and SLs drawn at random; and tables of rising lanes, grown pair by pair.

#include "core/routing/lane_dependencies.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <tuple>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/hops.h"
#include "core/routing/verifier.h"
#include "tests/support/lane_walker.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

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
    LanedRun(const net::Netlist& netlist,
             const BuiltFabric::Options& options,
             unsigned lanes,
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
unsigned Mix(std::uint32_t seed, std::uint32_t one, std::uint32_t other, std::uint32_t third) {
    std::uint64_t value = seed;
    for (const std::uint32_t part : {one, other, third}) {
        value = (value ^ part) * 0x9E3779B97F4A7C15ULL;
        value ^= value >> 29;
    }
    return static_cast<unsigned>(value >> 16);
}

/// The switch of each LID's owner.
std::map<std::uint32_t, std::uint32_t> HomesOf(const RoutingReference& reference) {
    std::map<std::uint32_t, std::uint32_t> homes;
    for (const SlowDestination& to : reference.destinations()) {
        for (std::uint32_t lid = to.lid; to.is_attached && lid < to.lid + to.lid_count; ++lid) {
            homes[lid] = to.at;
        }
    }
    return homes;
}

/// The graph has these dependencies and no others. Returns how many.
std::size_t ExpectRecorded(LanedRun& run, const Waits& waits) {
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

/// Where SLs are by pairs of switches, LIDs of one switch have their dependencies in common.
class LaneDependenciesBy : public ::testing::TestWithParam<Form> {};

TEST_P(LaneDependenciesBy, AreThoseOfAWalkerOfAllPairs) {
    std::size_t cyclic = 0;
    std::size_t cyclic_by_switches = 0;
    std::size_t edges = 0;
    constexpr std::uint32_t kCases = 120;
    for (std::uint32_t seed = 0; seed < kCases; ++seed) {
        SCOPED_TRACE(seed);
        const net::Netlist netlist = testing::WildNetlist({.seed = seed,
                                                           .switches = 3 + seed % 9,
                                                           .extra_cables = seed % 11,
                                                           .hosts = 4 + seed % 17,
                                                           .islands = seed % 5 == 0,
                                                           .ports = 12});
        BuiltFabric::Options options;
        options.lmc = seed % 4 == 0 ? 1 : 0;
        options.own_node = seed % 3;  // A switch.
        const unsigned lanes = 2 + seed % 4;
        LanedRun run(netlist, options, lanes, GetParam());
        const SlowTables tables = run.reference().MinHop({});
        const LaneRule lane = [&](std::uint32_t node, std::uint8_t in, std::uint8_t out,
                                  unsigned sl) {
            const unsigned row = Mix(seed, node, in * 256U + out, 0) % 200;
            return Mix(seed, row, 0, sl) % lanes;
        };
        auto homes = HomesOf(run.reference());
        const SlRule sl_of = [&](std::uint32_t node, std::uint32_t lid) {
            const std::uint32_t to = GetParam() == Form::kBySwitchPair ? homes[lid] : lid;
            return Mix(seed + 1, node, to, 7) % 16;
        };

        const Findings findings = run.Verify(tables, lane, sl_of);

        ASSERT_EQ(findings.fault, Fault::kNone);
        const LaneWalker walker(netlist, run.reference(), tables, lane, sl_of);
        const Waits waits = walker.Walk(false);
        EXPECT_EQ(findings.end_ports_may_deadlock, HasCycle(waits));
        EXPECT_EQ(findings.anything_may_deadlock, HasCycle(walker.Walk(true)));
        cyclic += findings.end_ports_may_deadlock ? 1U : 0U;
        cyclic_by_switches += findings.anything_may_deadlock ? 1U : 0U;
        edges += ExpectRecorded(run, waits);
    }
    EXPECT_GT(edges, std::size_t{kCases});
    EXPECT_GE(cyclic, 3U);  // Both answers occur.
    EXPECT_GE(cyclic_by_switches, cyclic);
    EXPECT_LE(cyclic_by_switches, kCases - 3);
}

INSTANTIATE_TEST_SUITE_P(Forms,
                         LaneDependenciesBy,
                         ::testing::Values(Form::kBySwitchAndLid, Form::kBySwitchPair));

/// Goal: of two hosts of one switch, whose packets have all links but the last in common, both are
/// judged. Method: a lane that is not in use on the link to one of them; then for packets on SL 0
/// between switches, which no host sends.
TEST(LaneDependencies, TheLastLinkAndManagementAreLookedAtForEachLid) {
    const net::Netlist netlist = net::Ring(5, 3);
    const SlRule on_sl_3 = [](std::uint32_t, std::uint32_t) { return 3U; };
    const LanedRun any(netlist, {}, 2);
    BuiltFabric::Options options;  // LIDs of hosts come first, as those of switches are looked at
    std::uint16_t next = 0;        // behind them.
    for (const bool are_switches : {false, true}) {
        for (const SlowDestination& to : any.reference().destinations()) {
            const Lid lid{static_cast<std::uint16_t>(next + 1)};
            if (to.is_switch != are_switches) continue;
            options.lids[static_cast<Guid>(to.guid)] = lid;
            ++next;
        }
    }
    const auto fault_with = [&](const LaneRule& lane) {
        LanedRun run(netlist, options, 2, Form::kBySwitchPair);
        return run.Verify(run.reference().MinHop({}), lane, on_sl_3).fault;
    };
    const auto lies_behind = [&](std::uint32_t node, std::uint8_t out) {
        return out != 0 && netlist.nodes[node].ports[out].peer < netlist.nodes.size() &&
               netlist.nodes[netlist.nodes[node].ports[out].peer].type == NodeType::kSwitch;
    };
    const std::uint32_t bad = any.reference().switches()[2];
    for (std::uint8_t host = 1; host <= 3; ++host) {
        EXPECT_EQ(fault_with([&](std::uint32_t node, std::uint8_t in, std::uint8_t out, unsigned) {
                      return node == bad && out == host && lies_behind(node, in) ? 2U : 0U;
                  }),
                  Fault::kLost)
            << unsigned{host};
    }
    EXPECT_EQ(fault_with([&](std::uint32_t node, std::uint8_t in, std::uint8_t out, unsigned sl) {
                  const bool comes_from_host = in != 0 && !lies_behind(node, in);
                  return sl == 0 && comes_from_host && lies_behind(node, out) ? 2U : 0U;
              }),
              Fault::kLost)
        << "of hosts to a switch on SL 0";
}

TEST(LaneDependencies, ALaneThatIsNotInUseLosesThePacketsThere) {
    const net::Netlist netlist = net::Ring(5, 1);
    const SlRule on_sl_3 = [](std::uint32_t, std::uint32_t) { return 3U; };
    const auto verify = [&](const LaneRule& lane) {
        LanedRun run(netlist, {}, 2);
        return run.Verify(run.reference().MinHop({}), lane, on_sl_3);
    };
    const std::uint32_t bad = LanedRun(netlist, {}, 2).reference().switches()[2];
    const auto is_to_host = [&](std::uint32_t node, std::uint8_t out) {
        return out != 0 &&
               netlist.nodes[netlist.nodes[node].ports[out].peer].type != NodeType::kSwitch;
    };
    EXPECT_EQ(verify([](std::uint32_t, std::uint8_t, std::uint8_t, unsigned sl) {
                  return sl == 3 || sl == 0 ? 0U : unsigned{kNoLane};
              }).fault,
              Fault::kNone)
        << "no packet has the other SLs";
    EXPECT_EQ(verify([&](std::uint32_t node, std::uint8_t in, std::uint8_t out, unsigned) {
                  return node == bad && (in == out || out == 0) ? 2U : 0U;
              }).fault,
              Fault::kNone)
        << "no packet turns back, and none takes a lane to the switch itself";

    for (const bool to_host : {false, true}) {
        const Findings findings =
            verify([&](std::uint32_t node, std::uint8_t, std::uint8_t out, unsigned sl) {
                return node == bad && sl == 3 && is_to_host(node, out) == to_host ? 2U : 0U;
            });
        EXPECT_EQ(findings.fault, Fault::kLost) << to_host;
        EXPECT_NE(findings.at, kNoGuid);
        EXPECT_NE(findings.lid, kNoLid);
    }
}

TEST(LaneDependencies, PacketsOfEachLevelOfServiceAreFollowed) {
    const net::Netlist netlist = net::Ring(5, 1);
    const SlRule on_sl_3 = [](std::uint32_t, std::uint32_t) { return 3U; };
    const LaneRule drops_sl_11 = [](std::uint32_t, std::uint8_t, std::uint8_t, unsigned sl) {
        return sl == 11 ? unsigned{kNoLane} : 0U;
    };
    for (const bool has_levels : {false, true}) {
        LanedRun run(netlist, {}, 2);
        if (has_levels) run.set_level_bit(8);
        const Findings findings = run.Verify(run.reference().MinHop({}), drops_sl_11, on_sl_3);
        EXPECT_EQ(findings.fault, has_levels ? Fault::kLost : Fault::kNone);
    }
}

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

    bool Serve(const SlowTables& tables,
               std::uint32_t from,
               std::uint32_t to,
               std::uint32_t lid,
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
}  // namespace ember
