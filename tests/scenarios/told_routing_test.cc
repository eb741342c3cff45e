// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the log tells of routings that were refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "engines/min_hop.h"
#include "tests/support/sim_world.h"
#include "tests/support/tampering_engine.h"

namespace ember::testing {
namespace {

using ::testing::HasSubstr;

/// A manager whose min-hop engine is tampered with.
class ToldRouting : public ::testing::Test {
protected:
    void Seat(const net::Netlist& netlist, TamperingEngine::Deed deed, bool always) {
        engine_.deed = std::move(deed);
        engine_.is_always_tampered_with = always;
        world_ = std::make_unique<SimWorld>(netlist);
        world_->AddManager();
        world_->TakeEngines({&engine_});
        world_->Restart();
    }

    MinHop min_hop_;
    TamperingEngine engine_{min_hop_};
    std::unique_ptr<SimWorld> world_;
};

/// A switch and a host's LID that is not its own, two cables away at least.
struct Far {
    SwitchIndex at;
    Lid lid;
};
Far FarPair(const RoutingTask& task) {
    for (const SwitchIndex at : task.topology->switches_by_guid()) {
        for (const Destination& to : task.topology->destinations()) {
            if (!to.is_switch() && task.hops[at][Raw(to.at)] >= 2) return {at, to.lid};
        }
    }
    ADD_FAILURE() << "no such pair";
    return {};
}

TEST_F(ToldRouting, ALostPairIsToldWithBothItsNodes) {
    Seat(
        net::FatTree2(4),
        [](const RoutingTask& task) {
            const Far far = FarPair(task);
            task.tables.lfts[far.at][Raw(far.lid)] = 255;
        },
        true);
    world_->RunFor(5 * kSecond);
    EXPECT_GE(world_->Heard(Note::kPairLost), 1U) << world_->Notes();
    EXPECT_GE(world_->Heard(Note::kRoutingRefused), 1U);
    EXPECT_THAT(world_->Notes(), HasSubstr("cannot reach LID "));
}

TEST_F(ToldRouting, ALoopIsToldSwitchBySwitch) {
    Seat(
        net::Ring(5, 1),
        [](const RoutingTask& task) {
            const Far far = FarPair(task);
            const Trunk trunk = task.topology->trunks(far.at).front();
            task.tables.lfts[far.at][Raw(far.lid)] = Raw(trunk.port);
            task.tables.lfts[trunk.peer][Raw(far.lid)] = Raw(trunk.peer_port);
        },
        true);
    world_->RunFor(5 * kSecond);
    EXPECT_GE(world_->Heard(Note::kForwardingLoop), 1U) << world_->Notes();
    EXPECT_GE(world_->Heard(Note::kLoopMember), 2U) << world_->Notes();
}

TEST_F(ToldRouting, AMendingThatIsRefusedIsTold) {
    engine_.mends = true;
    Seat(net::FatTree2(6), {}, false);
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(world_->Heard(Note::kMendingFailed), 0U);
    engine_.deed = [](const RoutingTask& task) {
        const Far far = FarPair(task);
        task.tables.lfts[far.at][Raw(far.lid)] = 255;
    };
    const sim::World& world = world_->world();
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const std::uint32_t other = world.Beyond(row);
        if (other == sim::kNoRow || !world.node_of(row).is_switch()) continue;
        if (!world.node_of(other).is_switch()) continue;
        world_->sim().Do(sim::FabricSim::Action::kCut, row);
        break;
    }
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_GE(world_->Heard(Note::kMendingFailed), 1U) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "");
}

}  // namespace
}  // namespace ember::testing
