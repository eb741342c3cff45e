// SPDX-License-Identifier: Apache-2.0
// EmberSM: an operator decides who is master.
//
// Goal:   the subnet goes to the standby that is named, and stays there; a priority that is given
// by
//         hand takes effect at once; what cannot work is refused, and changes nothing.
// Method: three managers on simulated hardware.
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class ByHand : public ::testing::Test {
protected:
    void Begin(std::uint8_t first, std::uint8_t second, std::uint8_t third) {
        std::uint32_t host = 0;
        for (const std::uint8_t priority : {first, second, third}) {
            Settings settings = BriskSettings();
            settings.sm_priority = priority;
            world_.AddManager(host, 1, settings);
            host += 3;
        }
        world_.RunFor(30 * kSecond);
    }
    Guid GuidOf(std::size_t seat) { return world_.world().port(world_.attachment_row(seat)).guid; }
    bool IsMasterAlone(std::size_t seat) {
        return world_.masters() == 1 && world_.sm(seat).role().is_master() &&
               world_.sm(seat).is_up();
    }
    Role::Offer Offer(std::size_t from, Guid to) {
        const Role::Offer offer = world_.sm(from).OfferTo(to);
        world_.Wake(from);
        world_.RunFor(30 * kSecond);
        return offer;
    }

    SimWorld world_{net::FatTree2(6)};
};

TEST_F(ByHand, TheSubnetGoesToTheStandbyThatIsNamedAndStaysThere) {
    Begin(9, 5, 3);
    ASSERT_TRUE(IsMasterAlone(0));
    EXPECT_EQ(world_.sm(0).role().reason(), Role::Reason::kPriority);
    EXPECT_EQ(Offer(0, GuidOf(1)), Role::Offer::kMade);
    EXPECT_TRUE(IsMasterAlone(1)) << world_.Notes(0);
    EXPECT_EQ(world_.sm(0).role().priority(), 4) << "its GUID is the lower one";
    world_.RunFor(300 * kSecond);
    EXPECT_TRUE(IsMasterAlone(1)) << world_.Notes(1);
    EXPECT_EQ(world_.sm(1).role().reason(), Role::Reason::kPriority);
    EXPECT_EQ(Offer(1, GuidOf(0)), Role::Offer::kMade) << "and back";
    EXPECT_TRUE(IsMasterAlone(0)) << world_.Notes(1);
    EXPECT_EQ(world_.sm(1).role().priority(), 4) << "of equals the lower GUID is master";
    EXPECT_EQ(world_.sm(0).role().reason(), Role::Reason::kGuid);
}

TEST_F(ByHand, WhatCannotWorkIsRefused) {
    Begin(9, 5, 0);
    EXPECT_EQ(Offer(0, Guid{0x4711}), Role::Offer::kAbsent);
    EXPECT_EQ(Offer(0, GuidOf(0)), Role::Offer::kAbsent);
    EXPECT_EQ(Offer(1, GuidOf(0)), Role::Offer::kNotMaster);
    EXPECT_EQ(Offer(0, GuidOf(2)), Role::Offer::kOutranked);
    world_.Kill(1);
    world_.RunFor(60 * kSecond);
    EXPECT_EQ(Offer(0, GuidOf(2)), Role::Offer::kTooHigh);
    EXPECT_TRUE(IsMasterAlone(0));
    EXPECT_EQ(world_.sm(0).role().priority(), 9);
}

TEST_F(ByHand, APriorityTakesEffectUntilTheSettingsAreReplaced) {
    Begin(9, 5, 3);
    world_.sm(2).SetPriority(12);
    world_.Wake(2);
    world_.RunFor(60 * kSecond);
    EXPECT_TRUE(IsMasterAlone(2)) << world_.Notes(2);
    EXPECT_EQ(world_.Heard(Note::kPrioritySet, 2), 1U);
    Settings settings = BriskSettings();
    settings.sm_priority = 3;
    settings.lmc = world_.sm(2).settings().lmc;
    world_.sm(2).Configure(settings);
    world_.Wake(2);
    world_.RunFor(60 * kSecond);
    EXPECT_TRUE(IsMasterAlone(0)) << world_.Notes(2);
}

}  // namespace
}  // namespace ember::testing
