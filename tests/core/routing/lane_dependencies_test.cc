// SPDX-License-Identifier: Apache-2.0
// EmberSM: what packets wait for on several data VLs.
//
// Goal:   the verifier records exactly the dependencies that packets make, and proves routes whose
//         lane rises inside a path.
// Method: a walker that follows every pair of ports by itself, from the netlist and the tables, for
//         lanes and SLs drawn at random; and tables of rising lanes, grown pair by pair.

#include "core/routing/lane_dependencies.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "tests/core/routing/lane_dependencies_fixture.h"

namespace ember::lane_dependencies {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Forms, LaneDependenciesBy,
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

}  // namespace
}  // namespace ember::lane_dependencies
