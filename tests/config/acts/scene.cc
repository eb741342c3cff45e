// SPDX-License-Identifier: Apache-2.0
// EmberSM: simulated subnets for the rows of the table.
#include "tests/config/acts/scene.h"

#include <gtest/gtest.h>

namespace ember::acts {

std::unique_ptr<SimWorld> BringUp(const Settings& settings, const net::Netlist& netlist,
                                  const SimWorld::Options& options) {
    auto world = std::make_unique<SimWorld>(netlist, options);
    world->AddManager(settings);
    EXPECT_TRUE(world->RunUntilQuiet(60 * kSecond)) << world->Notes();
    return world;
}

Leaf FindLeaf(SimWorld& scene) {
    sim::World& world = scene.world();
    for (std::uint32_t at = 0; at < world.node_count(); ++at) {
        Leaf leaf{at, 0, 0};
        if (!world.node(at).is_switch()) continue;
        for (std::uint32_t port = 1; port <= world.node(at).port_count; ++port) {
            const std::uint32_t beyond = world.Beyond(scene.sim().RowOf(at, port));
            if (beyond == sim::kNoRow) continue;
            (world.node_of(beyond).is_switch() ? leaf.to_switch : leaf.to_host) = port;
        }
        if (leaf.to_host != 0 && leaf.to_switch != 0) return leaf;
    }
    ADD_FAILURE() << "no leaf switch";
    return {};
}

const PortInfo& InfoOf(SimWorld& world, std::uint32_t node, std::uint32_t port) {
    return world.world().port(world.sim().RowOf(node, port)).info;
}

Lid LidOf(SimWorld& world, std::uint32_t host) {
    return InfoOf(world, host, 1).Get(PortInfo::kLid);
}

}  // namespace ember::acts
