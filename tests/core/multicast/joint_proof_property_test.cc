// SPDX-License-Identifier: Apache-2.0
// EmberSM: the joint proof of multicast and unicast, held against packets followed one by one.
//
// Goal:   on any fabric, under any engine and with any groups, the verdict is what packets do.
// Method: random fabrics and groups; a walker that shares no code with core (lane_walker.h) follows
//         unicast from every port to every LID and each group from every end port that hears it,
//         lane by lane.

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/multicast/joint_proof.h"
#include "engines/catalogue.h"
#include "tests/support/joint_run.h"

namespace ember {
namespace {

using testing::HasCycle;
using testing::JointRun;

net::Netlist AnyNet(std::mt19937& dice) {
    switch (dice() % 8) {
        case 0:
            return net::FatTree3(4);
        case 1:
            return net::Mesh(std::array{3U, 3U}, 1);
        case 2:
            return net::Mesh(std::array{4U, 3U}, 1);
        case 3:
            return net::Torus(std::array{5U, 4U}, 1);
        case 4:
            return net::Ring(3 + static_cast<std::uint32_t>(dice() % 6), 1);
        default:
            break;
    }
    testing::WildOptions wild;
    wild.seed = static_cast<std::uint32_t>(dice());
    wild.switches = 2 + static_cast<std::uint32_t>(dice() % 10);
    wild.extra_cables = static_cast<std::uint32_t>(dice() % 16);
    wild.hosts = 2 + static_cast<std::uint32_t>(dice() % 14);
    return testing::WildNetlist(wild);
}

/// Hosts, each taken with the same chance.
std::vector<std::uint32_t> SomeHosts(const net::Netlist& netlist, std::mt19937& dice) {
    const std::uint32_t of_four = 1 + static_cast<std::uint32_t>(dice() % 4);
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        if (!netlist.nodes[i].is_switch() && dice() % 4 < of_four) hosts.push_back(i);
    }
    return hosts;
}

void CheckAll(JointRun& joint) {
    const Findings& unicast = joint.verdict().findings;
    const JointVerdict kept = joint.Prove();
    const JointVerdict whole = joint.Prove(true);
    RC_ASSERT(kept.outcome != JointOutcome::kNoRoom && whole.outcome != JointOutcome::kNoRoom);
    if (unicast.end_ports_may_deadlock) {
        RC_ASSERT(kept.outcome == JointOutcome::kUnicast);
        RC_ASSERT(whole.outcome == JointOutcome::kUnicast);
        return;
    }
    const bool is_closed = HasCycle(joint.Walk(false));
    RC_TAG(is_closed ? "closed" : "free");
    RC_ASSERT((kept.outcome == JointOutcome::kEndPorts) == is_closed);
    RC_ASSERT((whole.outcome == JointOutcome::kEndPorts) == is_closed);
    RC_ASSERT((whole.mlid != kNoMlid) == (whole.cycle.length != 0));
    // The walker knows no packets that are dropped on purpose.
    if (is_closed || unicast.anything_may_deadlock || unicast.switch_pairs_apart != 0) return;
    const bool is_managed_closed = HasCycle(joint.Walk(true));
    RC_ASSERT((whole.outcome == JointOutcome::kManagement) == is_managed_closed);
    RC_ASSERT(whole.has_management == !is_managed_closed);
}

RC_GTEST_PROP(JointProofProperty, SaysWhatPacketsDo, (std::uint32_t seed)) {
    std::mt19937 dice(seed);
    const net::Netlist netlist = AnyNet(dice);
    Settings settings;
    settings.order = dice() % 2 == 0 ? Order::kBalanced : Order::kOpensm;
    settings.qos = dice() % 4 != 0;
    Auto any;
    UpDn up_down;
    Dor dor;
    const std::array<RoutingEngine*, 4> engines{&any, &any, &up_down, &dor};
    JointRun joint(netlist, *engines[dice() % engines.size()], settings, dice() % 3 == 0 ? 1 : 8);
    if (!joint.verdict().may_program()) return;
    const auto sl = static_cast<std::uint8_t>(dice() % 8);
    for (std::size_t groups = 1 + dice() % 5; groups > 0; --groups) {
        joint.AddGroup(SomeHosts(netlist, dice), dice() % 2 == 0 ? 0 : sl);
    }
    CheckAll(joint);
}

}  // namespace
}  // namespace ember
