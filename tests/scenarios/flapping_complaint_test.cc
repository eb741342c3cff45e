// SPDX-License-Identifier: Apache-2.0
// EmberSM: cables that are complained of.
//
// Goal:   traps 129 to 131 about a link count as its losses do, a node can complain only of a link
//         of its own, and babbling_port_policy takes a port down as OpenSM does.
// Method: a management port that slips forged traps in among the real datagrams of a simulated
//         fabric.
#include <gtest/gtest.h>
#include <memory>

#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"
#include "tests/support/whisperer.h"

namespace ember::testing {
namespace {

class FlappingComplaint : public ::testing::Test {
protected:
    void Start(const net::Netlist& netlist, const Settings& settings) {
        sim_ = std::make_unique<sim::FabricSim>(netlist);
        attachment_ = &sim_->AttachAnywhere();
        port_ = std::make_unique<Whisperer>(*attachment_);
        storage_ = std::make_unique<Storage<kSimSmall>>();
        sm_ = std::make_unique<SubnetManager>(
            storage_->memory(), kSimSmall,
            SubnetManager::Platform{*port_, sim_->clock(), sim_->clock(), store_, entropy_},
            settings, engines_.All());
        RunFor(5 * kSecond);
        ASSERT_TRUE(sm_->is_up());
        // A switch, and its first port to another one.
        for (std::uint32_t i = 0; i < world().node_count() && row_ == 0; ++i) {
            const sim::SimNode& node = world().node(i);
            for (std::uint32_t p = 1; node.is_switch() && p <= node.port_count; ++p) {
                const std::uint32_t beyond = world().Beyond(node.first_row + p);
                if (beyond == sim::kNoRow || !world().node_of(beyond).is_switch()) continue;
                row_ = node.first_row + p;
                break;
            }
        }
        port_->from = port_->about = LidOf(row_);
        port_->port = static_cast<PortNumber>(world().port(row_).number);
    }
    [[nodiscard]] sim::World& world() { return sim_->world(); }
    [[nodiscard]] Lid LidOf(std::uint32_t row) {
        return world().port(world().ManagementRow(row)).info.Get(PortInfo::kLid);
    }
    void RunFor(std::uint64_t time_us) {
        const std::uint64_t end_us = sim_->clock().NowUs() + time_us;
        while (sim_->clock().NowUs() < end_us) {
            const std::uint64_t next_us = port_->waiting != 0 ? 0 : sm_->Step();
            if (port_->waiting != 0) static_cast<void>(sm_->Step());
            sim_->AdvanceToNextEvent(std::min(std::max(next_us, sim_->clock().NowUs()), end_us));
        }
    }
    void Complain(int times, std::uint64_t after_us = 2 * kSecond) {
        port_->waiting = times;
        RunFor(after_us);
        ASSERT_EQ(port_->waiting, 0);
    }
    [[nodiscard]] std::size_t Quarantined() {
        return sm_->flapping().CountOf(LinkVerdict::kQuarantined);
    }

    std::unique_ptr<sim::FabricSim> sim_;
    sim::Attachment* attachment_ = nullptr;
    std::unique_ptr<Whisperer> port_;
    std::unique_ptr<Storage<kSimSmall>> storage_;
    sim::SimStore store_;
    sim::SimEntropy entropy_{1};
    Engines engines_;
    std::unique_ptr<SubnetManager> sm_;
    std::uint32_t row_ = 0;
};

TEST_F(FlappingComplaint, TooManyPutTheCableInQuarantine) {
    Start(net::FatTree2(4), BriskSettings());
    Complain(4);
    EXPECT_EQ(Quarantined(), 0U);
    port_->number = TrapNumber::kFlowControlWatchdog;
    Complain(1);
    EXPECT_EQ(Quarantined(), 1U);
    const std::uint32_t node = world().port(row_).node;
    for (std::uint32_t lid = 1; lid <= Raw(sm_->status().top_lid); ++lid) {
        EXPECT_NE(world().LftEntry(node, lid), world().port(row_).number);
    }
    EXPECT_EQ(EveryPairConnected(world(), world().port(attachment_->row()).node), "");
    RunFor(70 * kSecond);
    EXPECT_EQ(Quarantined(), 0U);
}

TEST_F(FlappingComplaint, OfSomebodyElseIsNotHeard) {
    Start(net::FatTree2(4), BriskSettings());
    port_->from = LidOf(attachment_->row());  // A host speaks of a switch's cable.
    Complain(20);
    EXPECT_EQ(Quarantined(), 0U);
    EXPECT_EQ(sm_->flapping().statistics().complaints, 0U);
    port_->from = port_->about;
    port_->port = static_cast<PortNumber>(200);  // The switch has no such port.
    Complain(20);
    EXPECT_EQ(sm_->flapping().statistics().complaints, 0U);
}

TEST_F(FlappingComplaint, OfAHostAboutItsOwnCableCutsNobodyOff) {
    Start(net::FatTree2(4), BriskSettings());
    const std::uint32_t host = attachment_->row() == world().node(0).first_row + 1 ? 1U : 0U;
    const std::uint32_t row = world().node(host).first_row + 1;
    port_->from = port_->about = LidOf(row);
    port_->port = static_cast<PortNumber>(1);
    Complain(300, 20 * kSecond);
    EXPECT_EQ(Quarantined(), 0U);
    EXPECT_EQ(sm_->flapping().CountOf(LinkVerdict::kDamped), 1U);
    EXPECT_EQ(sm_->log().CountOf(Note::kPortDisabled), 0U);
    EXPECT_EQ(SubnetIsSound(world(), world().port(attachment_->row()).node), "");
    // No sweep for each of them.
    EXPECT_LE(sm_->status().heavy_sweeps, 12U);
}

TEST_F(FlappingComplaint, BabbleTakesThePortDownIfThePolicySaysSo) {
    Settings settings = BriskSettings();
    settings.babbling_port_policy = true;
    Start(net::FatTree2(4), settings);
    const std::uint32_t host = attachment_->row() == world().node(0).first_row + 1 ? 1U : 0U;
    const std::uint32_t row = world().node(host).first_row + 1;
    const std::uint32_t near_end = world().Wired(row);
    port_->from = port_->about = LidOf(row);
    port_->port = static_cast<PortNumber>(1);
    Complain(249, 5 * kSecond);
    EXPECT_FALSE(world().port(near_end).disabled);
    Complain(1, 5 * kSecond);
    // The end nearer to us, which we can still reach.
    EXPECT_TRUE(world().port(near_end).disabled);
    EXPECT_FALSE(world().port(row).disabled);
    EXPECT_EQ(sm_->log().CountOf(Note::kPortDisabled), 1U);
    EXPECT_EQ(sm_->status().nodes, world().node_count() - 1);
    EXPECT_TRUE(sm_->is_up());
    // The port stays down until somebody enables it.
    RunFor(100 * kSecond);
    EXPECT_TRUE(world().port(near_end).disabled);
    world().SetDisabled(near_end, false);
    sim_->Do(sim::FabricSim::Action::kJoin, near_end);  // As ibportstate does; it trains now.
    RunFor(20 * kSecond);
    EXPECT_EQ(sm_->status().nodes, world().node_count());
    EXPECT_FALSE(world().port(near_end).disabled);
}

TEST_F(FlappingComplaint, BabbleAboutOurOwnPortDoesNotTakeItDown) {
    Settings settings = BriskSettings();
    settings.babbling_port_policy = true;
    Start(net::FatTree2(4), settings);
    port_->from = port_->about = LidOf(attachment_->row());
    port_->port = static_cast<PortNumber>(1);
    Complain(260, 5 * kSecond);
    EXPECT_EQ(sm_->log().CountOf(Note::kPortDisabled), 0U);
    EXPECT_TRUE(sm_->is_up());
}

}  // namespace
}  // namespace ember::testing
