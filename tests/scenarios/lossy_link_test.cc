// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams are lost at the link of the subnet manager itself.
//
// Goal:   the subnet comes up while 20 and 50 of 100 datagrams are lost each way, and of more than
//         one node; a subnet manager that is cut off says so, and takes no node for lost.
// Method: a gate at the port of the subnet manager, by several seeds.
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <string>

#include "platform/common/headline.h"
#include "tests/support/gated_port.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// Nothing but what the node says to itself passes.
void Close(GatedPort& gate) {
    gate.Lose(100, 1);
}

TEST(LossyLink, TheSubnetComesUpWhileOneInFiveOrEveryOtherIsLost) {
    for (const std::uint32_t percent : {20U, 50U}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            SCOPED_TRACE(std::to_string(percent) + " % of seed " + std::to_string(seed));
            SimWorld world(net::FatTree2(8), {.faults = {.seed = seed}});
            world.AddManager(Settings{});
            GatedPort gate(world.attachment());
            gate.Lose(percent, seed);
            world.Interpose(gate);
            world.Restart();
            EXPECT_TRUE(world.RunUntilUp(20 * kSecond)) << world.Notes();
            EXPECT_GT(world.sm().status().nodes, 20U);
            EXPECT_GT(world.sm().status().switches, 6U);
            gate.LoseNothing();
            ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
            EXPECT_EQ(world.Judge(), "") << world.Notes();
            EXPECT_EQ(world.sm().status().nodes, 44U);
        }
    }
}

TEST(LossyLink, WhoIsCutOffBehindALinkThatIsUpIsNoSubnet) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    GatedPort gate(world.attachment());
    Close(gate);
    world.Interpose(gate);
    world.Restart();
    world.RunFor(20 * kSecond);
    EXPECT_EQ(world.sm().progress().up_count, 0U) << world.Notes();
    EXPECT_TRUE(world.sm().progress().cut_off);
    EXPECT_EQ(world.Heard(Note::kOwnNeighborSilent), 1U) << "told once";
    std::array<char, 256> room{};
    FixedText headline(room);
    AddHeadline(headline, world.sm());
    EXPECT_EQ(headline.text(), "the subnet is NOT up: nothing answers behind our own port");
    gate.LoseNothing();
    ASSERT_TRUE(world.RunUntilUp(10 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "");
    EXPECT_FALSE(world.sm().progress().cut_off);
}

TEST(LossyLink, WhatASweepDidNotHearIsAskedAgainWhenTheTimerIsDue) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    GatedPort gate(world.attachment());
    // Answers of the other leaves about their first ports are lost, and so are the hosts behind.
    gate.lets_in = [](const Envelope& envelope) {
        const MadHeader& header = envelope.mad.header;
        const bool is_leaf = header.mgmt_class == MgmtClass::kSubnDirected &&
                             std::bit_cast<DirectedSmp>(envelope.mad).header.hop_count == 3;
        const std::uint32_t modifier = header.attribute_modifier;
        return !is_leaf || header.attribute_id != AttributeId::kPortInfo || (modifier & 0xFFU) != 1;
    };
    world.Interpose(gate);
    world.Restart();
    world.RunFor(30 * kSecond);
    EXPECT_TRUE(world.sm().is_up()) << world.Notes();
    EXPECT_LT(world.sm().status().nodes, world.world().node_count());
    gate.LoseNothing();
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
    EXPECT_EQ(world.sm().status().nodes, world.world().node_count());
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(LossyLink, WhoIsCutOffLaterLosesNobody) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    GatedPort gate(world.attachment());
    world.Interpose(gate);
    world.Restart();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    const std::size_t nodes = world.sm().status().nodes;
    Close(gate);
    world.RunFor(20 * kSecond);
    EXPECT_FALSE(world.sm().is_up());
    EXPECT_EQ(world.sm().status().nodes, nodes);
    EXPECT_EQ(world.Heard(Note::kNodeLost), 0U) << world.Notes();
    gate.LoseNothing();
    const std::uint64_t sets = world.sets_received();
    ASSERT_TRUE(world.RunUntilUp(10 * kSecond)) << world.Notes();
    EXPECT_EQ(world.sets_received(), sets) << "all was right still";
    EXPECT_EQ(world.Judge(), "");
}

/// Nothing is heard of the switch beside the manager but that it is there.
TEST(LossyLink, WhoseNeighborIsHalfReadLosesNobody) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    GatedPort gate(world.attachment());
    world.Interpose(gate);
    gate.Lose(30, 1);
    world.Restart();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    ASSERT_TRUE(world.sm().exchange().is_lossy());
    const std::size_t lost = world.Heard(Note::kNodeLost);
    const GatedPort::Gate lossy = gate.lets_in;
    gate.lets_in = [&](const Envelope& envelope) {
        const MadHeader& header = envelope.mad.header;
        const bool is_neighbor = header.mgmt_class == MgmtClass::kSubnDirected &&
                                 std::bit_cast<DirectedSmp>(envelope.mad).header.hop_count == 1;
        const bool is_mute = is_neighbor && header.attribute_id == AttributeId::kSwitchInfo;
        return !is_mute && lossy(envelope);
    };
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.RunFor(30 * kSecond);
    EXPECT_EQ(world.Heard(Note::kNodeLost), lost) << world.Notes();
    EXPECT_EQ(world.sm().status().nodes, world.world().node_count());
}

}  // namespace
}  // namespace ember::testing
