// SPDX-License-Identifier: Apache-2.0
// EmberSM: a port that another master had to itself between a sweep and the Sets that follow it.
//
// Goal:   a Set that makes us the master of such a port asks its clients to register again.
// Method: a round is given up as a switch takes no table, and in the election of the next one a
//         standby that hangs is waited for. The hardware is changed meanwhile as by another master.
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "platform/sim/liar.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// Hears no Set of a forwarding table.
class DeafToTables final : public sim::Liar {
public:
    Deed Meet(std::uint32_t /*node*/, const Mad& asked) override {
        const bool is_lft = asked.header.attribute_id == AttributeId::kLinearForwardingTable;
        return is_lft && asked.header.method == Method::kSet ? Deed::kDeaf : Deed::kAct;
    }
    bool Answer(std::uint32_t /*node*/, const Mad& /*asked*/, Mad& /*answer*/) override {
        return true;
    }
};

Settings SlowSettings(std::uint8_t priority) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.transaction_timeout = 150;
    return settings;
}

TEST(LateSet, APortThatAnotherServedDuringALongElectionIsAskedAgain) {
    SimWorld world(net::FatTree2(6));
    world.AddManager(0, 1, SlowSettings(9));
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    world.AddManager(3, 1, SlowSettings(3));
    world.RunFor(5 * kSecond);
    const std::uint32_t host = world.sim().RowOf(7, 1);
    sim::World& hardware = world.world();
    world.sim().Do(sim::FabricSim::Action::kCut, host);
    world.RunFor(5 * kSecond);
    world.Hang(1);
    DeafToTables deaf;
    world.sim().SetLiar(&deaf);
    world.sim().Do(sim::FabricSim::Action::kJoin, host);
    const auto elects_again = [&] {
        return world.Heard(Note::kRoundGivenUp, 0) != 0 && world.sm(0).stage() == Stage::kElecting;
    };
    const bool has_elected = world.RunUntil(elects_again, 60 * kSecond);
    world.sim().SetLiar(nullptr);
    ASSERT_TRUE(has_elected) << world.Notes(0);
    for (const std::uint32_t row : {host, hardware.Beyond(host)}) {
        ASSERT_EQ(hardware.port(row).info.Get(PortInfo::kPortState), PortState::kArmed);
        hardware.port(row).info.Set(PortInfo::kPortState, PortState::kActive);
    }
    hardware.port(host).info.Set(PortInfo::kMasterSmLid, Lid{77});
    world.sim().ClearCounters();
    world.RunFor(5 * kSecond);
    const Lid ours = hardware.port(world.sim().RowOf(0, 1)).info.Get(PortInfo::kLid);
    EXPECT_EQ(hardware.port(host).info.Get(PortInfo::kMasterSmLid), ours);
    EXPECT_GE(world.sim().counters().reregistrations, 1U) << world.Notes(0);
}

}  // namespace
}  // namespace ember::testing
