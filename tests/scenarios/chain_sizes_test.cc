// SPDX-License-Identifier: Apache-2.0
// EmberSM: routing chains on subnets of all sizes, on every board.
//
// Goal:   a chain of two, three or four steps routes a subnet whatever its highest LID, on boards
//         that have an LFT arena for later steps and on those that make their tables in scratch.
// Method: a manager with the limits of a board on a tree whose hosts join by and by, so that the
//         rows of its tables get longer while it runs. Between two sizes the chain is another one.
//         Then the memory of each board alone, on larger trees.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "board/linux_bench/profile.h"
#include "board/sim_small/profile.h"
#include "board/switch_large/profile.h"
#include "board/switch_max/profile.h"
#include "board/switch_medium/profile.h"
#include "board/switch_small/profile.h"
#include "config/netlist/fabric_builder.h"
#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/routing/plan_maker.h"
#include "core/settings/qos_tables.h"
#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint16_t kAllSwitches = kGroupOfTypes | qos_node_type::kSwitch;
constexpr std::uint16_t kAllHosts = kGroupOfTypes | qos_node_type::kCa;

/// A chain of up to four steps: min-hop for all, and then over all or some of the hosts.
class Chain {
public:
    Chain(std::size_t steps, const net::Netlist& netlist) {
        std::uint64_t least = ~std::uint64_t{0};
        std::uint64_t most = 0;
        for (const net::NetNode& node : netlist.nodes) {
            if (node.is_switch()) continue;
            least = std::min(least, Raw(net::PortGuid(node, 1)));
            most = std::max(most, Raw(net::PortGuid(node, 1)));
        }
        half_ = {{least, least + (most - least) / 2, 0, kLastPortOfAll}};
        EXPECT_LE(steps, steps_.size());
        steps_.resize(steps);
    }
    void AddTo(Settings& settings) const {
        settings.manager_tables.port_groups = groups_;
        settings.manager_tables.port_group_rules = half_;
        settings.manager_tables.topologies = topologies_;
        settings.manager_tables.chain_steps = steps_;
    }

private:
    std::vector<PortGroup> groups_ = {{.guids = 1}};
    std::vector<PortGroupRule> half_;
    std::vector<PortTopology> topologies_ = {
        {.id = 1, .switches = kAllSwitches, .end_ports = kAllHosts},
        {.id = 2, .switches = kAllSwitches, .end_ports = 0}};  // The group of the lower GUIDs.
    std::vector<ChainStep> steps_ = {{.id = 1, .engine = EngineKind::kMinHop},
                                     {.id = 2, .topology = 1, .engine = EngineKind::kUpDn},
                                     {.id = 3, .topology = 2, .engine = EngineKind::kMinHop},
                                     {.id = 4, .topology = 1, .engine = EngineKind::kUpDn}};
};

/// Two spines, eight leaves and 31 hosts on each: 258 LIDs.
net::Netlist Tree() {
    constexpr std::uint32_t kLeaves = 8;
    constexpr std::uint32_t kHosts = 31;
    net::Netlist netlist;
    for (std::uint32_t i = 0; i < 2 + kLeaves; ++i) {
        netlist.Add(NodeType::kSwitch, 36, "s" + std::to_string(i), "");
    }
    for (std::uint32_t host = 0; host < kLeaves * kHosts; ++host) {
        const std::uint32_t at =
            netlist.Add(NodeType::kChannelAdapter, 1, "h" + std::to_string(host), "");
        netlist.ConnectAny(2 + host % kLeaves, at);
    }
    for (std::uint32_t leaf = 2; leaf < 2 + kLeaves; ++leaf) {
        netlist.ConnectAny(leaf, 0);
        netlist.ConnectAny(leaf, 1);
    }
    netlist.AssignGuids();
    return netlist;
}

template <Limits kLimits>
void GrowUnderChains() {
    const net::Netlist netlist = Tree();
    const auto switches = static_cast<std::uint32_t>(netlist.switch_count());
    const auto nodes = static_cast<std::uint32_t>(netlist.nodes.size());
    SimWorld world(netlist);
    std::uint32_t joined = 63;
    for (std::uint32_t node = joined; node < nodes; ++node) {
        world.Cut(node, 1);
    }
    std::vector<std::unique_ptr<Chain>> chains;  // A manager reads them in place.
    const auto with = [&](std::size_t steps) {
        chains.push_back(std::make_unique<Chain>(steps, netlist));
        Settings settings = BriskSettings();
        chains.back()->AddTo(settings);
        return settings;
    };
    world.AddManager<kLimits>(switches, 1, with(2));
    ASSERT_TRUE(world.RunUntilUp(60 * kSecond)) << world.Notes();
    for (const std::uint32_t lids : {63U, 64U, 129U, 257U}) {
        for (; joined < lids; ++joined) {
            world.Join(joined, 1);
        }
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << lids << world.Notes();
        for (const std::size_t steps : {4U, 3U, 2U}) {
            world.sm().Configure(with(steps));
            world.Wake();
            ASSERT_TRUE(world.RunUntilUp(60 * kSecond)) << lids << world.Notes();
            EXPECT_EQ(Raw(world.sm().fabric().top_lid()), lids);
            const Verdict& verdict = world.sm().router().verdict();
            EXPECT_EQ(verdict.engine, kChainWord) << lids << ' ' << steps;
            EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << lids << ' ' << steps;
            EXPECT_EQ(verdict.attempts.size(), steps) << lids;
            // updn leads between no two of its roots, which are mere switches.
            EXPECT_EQ(EveryHostConnected(world.world(), 0), "") << lids << ' ' << steps;
            EXPECT_EQ(DeadPairs(world.world(), 0), 0U) << lids << ' ' << steps;
            EXPECT_EQ(AllLinksActive(world.world(), 0), "") << lids << ' ' << steps;
        }
    }
}

TEST(ChainSizes, ASubnetGrowsOnSimSmall) {
    GrowUnderChains<kSimSmall>();
}
TEST(ChainSizes, ASubnetGrowsOnSwitchSmall) {
    GrowUnderChains<kSwitchSmall>();
}
TEST(ChainSizes, ASubnetGrowsOnSwitchMedium) {
    GrowUnderChains<kSwitchMedium>();
}
TEST(ChainSizes, ASubnetGrowsOnSwitchLarge) {
    GrowUnderChains<kSwitchLarge>();
}
TEST(ChainSizes, ASubnetGrowsOnLinuxBench) {
    GrowUnderChains<kLinuxBench>();
}

/// Routes by chains in the memory of a board, which is not touched where it is not needed. None of
/// it is static: at the end of each process a sanitizer reads all that is, in search of leaks.
template <Limits kLimits>
void RouteInMemoryOf(const net::Netlist& netlist, std::size_t least_steps) {
    const auto storage = std::make_unique_for_overwrite<Storage<kLimits>>();
    const SubnetManager::Memory& memory = storage->memory();
    const net::BuiltFabric built(netlist);
    ASSERT_LE(Raw(built.fabric().top_lid()), kLimits.max_lid);
    LftArena planned(memory.routes.planned, kLimits);
    planned.Fit(built.fabric().top_lid(), 0);
    Router router(memory.routes.router, kLimits);
    PlanMaker maker(memory.routes.plan, kLimits);
    Arena scratch(memory.scratch);
    Engines engines;
    for (std::size_t steps = least_steps; steps <= 4; ++steps) {
        const Chain chain(steps, netlist);
        Settings settings;
        chain.AddTo(settings);
        maker.Begin(built.fabric(), settings, engines.All());
        while (maker.Advance() == Progress::kMore) {
        }
        router.Begin(built.fabric(), maker.plan(), planned.tables(), scratch);
        while (router.Advance() == Progress::kMore) {
        }
        const bool holds_part =
            kLimits.max_step_switches == 0 || netlist.switch_count() <= kLimits.max_step_switches;
        const Verdict& verdict = router.verdict();
        EXPECT_EQ(verdict.outcome,
                  holds_part ? RoutingOutcome::kVerified : RoutingOutcome::kRefused)
            << steps;
        if (!holds_part) {
            EXPECT_EQ(verdict.attempts[0].complaint.what, EngineFault::kStepSwitches);
        }
    }
}

TEST(ChainSizes, EachBoardHasRoomForTheTablesOfEachStep) {
    const net::Netlist small = Tree();
    RouteInMemoryOf<kSimSmall>(small, 2);
    RouteInMemoryOf<kSwitchSmall>(small, 2);
    RouteInMemoryOf<kSwitchMedium>(small, 2);
    RouteInMemoryOf<kSwitchLarge>(small, 2);
    RouteInMemoryOf<kSwitchMax>(small, 2);
    RouteInMemoryOf<kLinuxBench>(small, 2);
}

/// 320 switches: more than a later step may have on two of the boards.
TEST(ChainSizes, SoOn1344Lids) {
    const net::Netlist tree = net::FatTree3(16);
    RouteInMemoryOf<kSwitchMedium>(tree, 4);
    RouteInMemoryOf<kSwitchLarge>(tree, 4);
    RouteInMemoryOf<kSwitchMax>(tree, 4);
    RouteInMemoryOf<kLinuxBench>(tree, 2);
}

}  // namespace
}  // namespace ember::testing
