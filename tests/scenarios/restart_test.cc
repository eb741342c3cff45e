// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet manager dies and comes back.
//
// Goal:   no LID changes and no forwarding table is written that was right already, whatever the
//         moment of death; a store that was lost or damaged costs no LID either.
// Method: kill -9 on simulated hardware, at rest and after every few datagrams of a bring-up.
#include <gtest/gtest.h>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

std::vector<Lid> LidsOf(const sim::World& world) {
    std::vector<Lid> lids;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        lids.push_back(world.port(row).info.Get(PortInfo::kLid));
    }
    return lids;
}

class Restart : public ::testing::Test {
protected:
    Restart() : world_(net::FatTree2(6)) { world_.AddManager(); }
    void SetUp() override {
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        lids_ = LidsOf(world_.world());
        world_.sim().ClearCounters();
    }
    void ComesBackWithTheSameLids() {
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilUp(30 * kSecond)) << world_.Notes();
        EXPECT_EQ(world_.Judge(), "") << world_.Notes();
        EXPECT_EQ(LidsOf(world_.world()), lids_);
    }

    SimWorld world_;
    std::vector<Lid> lids_;
};

TEST_F(Restart, ChangesNoLidAndWritesNoForwardingTable) {
    ComesBackWithTheSameLids();
    EXPECT_EQ(world_.Heard(Note::kLidStoreRead), 1U);
    EXPECT_EQ(world_.sim().counters().Sets(AttributeId::kLinearForwardingTable), 0U)
        << world_.Notes();
}

TEST(SlowStore, IsAskedAgainUntilTheLidsAreSafe) {
    SimWorld world(net::FatTree2(6));
    world.AddManager();
    world.store().SetBusy(5);
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    ASSERT_TRUE(world.RunUntil([&] { return world.store().saves() != 0; }, 10 * kSecond))
        << world.Notes();
    EXPECT_EQ(world.store().busy(), 0U);
    EXPECT_EQ(world.Heard(Note::kStoreFailed), 0U);
    world.RunFor(5 * kSecond);
    EXPECT_EQ(world.store().saves(), 1U);  // Once they are saved, no further save follows.
}

TEST_F(Restart, ChangesNoLidWhenTheStoreIsGone) {
    world_.store().Forget(StoreSlot::kGuidToLid);
    ComesBackWithTheSameLids();
}

TEST_F(Restart, ChangesNoLidWhenTheStoreIsDamaged) {
    world_.store().Damage(StoreSlot::kGuidToLid);
    ComesBackWithTheSameLids();
    EXPECT_GE(world_.Heard(Note::kStoreMalformed), 1U) << world_.Notes();
}

TEST_F(Restart, ServesOnWhenTheStoreCannotBeWritten) {
    world_.store().SetBroken(true);
    ComesBackWithTheSameLids();
    EXPECT_GE(world_.Heard(Note::kStoreFailed), 1U) << world_.Notes();
}

TEST_F(Restart, GivesRebootedHardwareItsOldLids) {
    world_.Kill();
    for (std::uint32_t node = 1; node < world_.world().node_count(); ++node) {
        world_.sim().Reboot(node, 10 * kMs);
    }
    world_.RunFor(kSecond);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    EXPECT_EQ(LidsOf(world_.world()), lids_);
}

TEST(RestartHalfWay, LeavesNothingThatTheNextIncarnationCannotMend) {
    for (std::uint64_t requests = 0; requests < 400; requests += 13) {
        SCOPED_TRACE("killed after " + std::to_string(requests) + " requests");
        SimWorld world(net::FatTree2(4));
        world.AddManager();
        world.RunUntil([&] { return world.sim().counters().requests >= requests; }, kSecond);
        world.Restart();
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
}

}  // namespace
}  // namespace ember::testing
