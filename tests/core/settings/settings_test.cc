// SPDX-License-Identifier: Apache-2.0
// EmberSM: which settings make other routes.
#include "core/settings/settings.h"

#include <array>
#include <gtest/gtest.h>

namespace ember {
namespace {

constexpr std::array<Guid, 1> kGuids = {Guid{1}};
constexpr std::array<GuidNumber, 1> kNumbers = {};
constexpr std::array<HopWeight, 1> kWeights = {};
constexpr std::array<SwitchPort, 1> kPorts = {};
constexpr std::array<PrefixRoute, 1> kPrefixes = {};

using Change = void (*)(Settings&);

constexpr Change kOfRoutes[] = {
    [](Settings& s) { static_cast<void>(s.routing_engine.TryPush(EngineKind::kUpDn)); },
    [](Settings& s) { s.no_fallback = true; },
    [](Settings& s) { s.order = Order::kOpensm; },
    [](Settings& s) { s.lmc = 1; },
    [](Settings& s) { s.lmc_esp0 = true; },
    [](Settings& s) { s.require_deadlock_free = true; },
    [](Settings& s) { s.chain_lanes = true; },
    [](Settings& s) { s.port_profile_switch_nodes = true; },
    [](Settings& s) { s.connect_roots = true; },
    [](Settings& s) { s.max_reverse_hops = 1; },
    [](Settings& s) { s.quasi_ftree_indexing = true; },
    [](Settings& s) { s.port_shifting = true; },
    [](Settings& s) { s.scatter_ports = 1; },
    [](Settings& s) { s.guid_routing_order_no_scatter = true; },
    [](Settings& s) { s.tables.roots = kGuids; },
    [](Settings& s) { s.tables.has_roots = true; },
    [](Settings& s) { s.tables.ids = kNumbers; },
    [](Settings& s) { s.tables.hop_weights = kWeights; },
    [](Settings& s) { s.tables.ignored = kPorts; },
};

constexpr Change kOfOtherThings[] = {
    [](Settings& s) { s.sweep_interval = 3; },
    [](Settings& s) { s.guid = Guid{5}; },
    [](Settings& s) { s.sm_priority = 3; },
    [](Settings& s) { s.max_wire_smps = 3; },
    [](Settings& s) { s.offsweep_balancing_enabled = true; },
    [](Settings& s) { s.manager_tables.prefix_routes = kPrefixes; },
};

TEST(Settings, RouteAlikeUnlessSomethingOfRoutesDiffers) {
    const Settings plain;
    for (const Change& change : kOfRoutes) {
        Settings changed;
        change(changed);
        EXPECT_FALSE(RouteAlike(plain, changed)) << "row " << &change - kOfRoutes;
        EXPECT_TRUE(RouteAlike(changed, changed)) << "row " << &change - kOfRoutes;
    }
    for (const Change& change : kOfOtherThings) {
        Settings changed;
        change(changed);
        EXPECT_TRUE(RouteAlike(plain, changed)) << "row " << &change - kOfOtherThings;
    }
}

TEST(Settings, RouteAlikeWithoutAChainWhateverPortGroupsThereAre) {
    const std::array<PortGroup, 1> groups{};
    const std::array<PortTopology, 1> topologies{};
    const std::array steps = {ChainStep{.id = 1}};
    Settings plain;
    Settings changed;
    changed.manager_tables.port_groups = groups;
    changed.manager_tables.topologies = topologies;
    EXPECT_TRUE(RouteAlike(plain, changed)) << "nothing of routes names them";
    changed.manager_tables.chain_steps = steps;
    EXPECT_FALSE(RouteAlike(plain, changed));
    plain.manager_tables.chain_steps = steps;
    EXPECT_FALSE(RouteAlike(plain, changed));
    plain.manager_tables.port_groups = groups;
    plain.manager_tables.topologies = topologies;
    EXPECT_TRUE(RouteAlike(plain, changed));
}

}  // namespace
}  // namespace ember
