// SPDX-License-Identifier: Apache-2.0
// EmberSM: a change that no node reports is found all the same.
//
// Goal:   a table, a port or a node that was changed behind the manager's back is put right without
//         being asked, within the time in which every switch is read once; what is asked for that
//         is little, and who answers now this, now that, does not keep the manager sweeping.
// Method: the simulated hardware is changed by hand, and no trap is sent. The timer sweeps lightly
//         once in a quarter of an hour.
#include <gtest/gtest.h>

#include "tests/support/lying.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// 8 hosts, 4 leaves, 2 spines.
class Scrubbed : public ::testing::Test {
protected:
    static constexpr std::uint32_t kLeaf = 8 + 2;
    /// All six switches, and a little.
    static constexpr std::uint64_t kRound = 8 * kSecond;

    Scrubbed() : world_(net::FatTree2(4)) {}

    void BringUp(std::uint32_t interval = 1, std::uint32_t sweep_interval = 900) {
        Settings settings;
        settings.sweep_interval = sweep_interval;
        settings.scrub_interval = interval;
        world_.AddManager(0, 1, settings);
        ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond)) << world_.Notes();
        ASSERT_EQ(world_.Judge(), "") << world_.Notes();
        sweeps_ = world_.sm().status().heavy_sweeps;
    }
    /// Every entry of a switch drops.
    void EraseTable(std::uint32_t at = kLeaf) {
        SmpData nothing{};
        nothing.fill(255);
        ASSERT_TRUE(world_.world().WriteLftBlock(at, 0, nothing));
        world_.world().NoteRouteChange();
        ASSERT_NE(world_.Judge(), "");
    }

    SimWorld world_;
    FreeLiar liar_{world_};
    std::uint64_t sweeps_ = 0;
};

TEST_F(Scrubbed, ATableThatSomebodyErasedIsWrittenAgain) {
    BringUp();
    EraseTable();
    world_.RunFor(kRound);
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubLft), 1U) << world_.Notes();
}

TEST_F(Scrubbed, TablesThatSomebodyErasedAreAllWrittenAgain) {
    BringUp();
    for (std::uint32_t at = 8; at < 8 + 6; ++at) {
        EraseTable(at);
    }
    // The first at once, the others together.
    world_.RunFor(kRound + 10 * kSecond);
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubLft), 6U) << world_.Notes();
    EXPECT_LE(world_.sm().status().heavy_sweeps, sweeps_ + 2) << world_.Notes();
}

/// A light sweep, which reads no table, comes into the middle of every visit.
TEST_F(Scrubbed, ATableIsReadThoughTheFabricIsSweptAllTheTime) {
    BringUp(1, 1);
    EraseTable();
    world_.RunFor(2 * kRound);
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubLft), 1U) << world_.Notes();
}

TEST_F(Scrubbed, APortThatFellBackToArmedIsMadeActiveAgain) {
    BringUp();
    const std::uint32_t row = world_.sim().RowOf(3, 1);
    world_.world().port(row).info.Set(PortInfo::kPortState, PortState::kArmed);
    world_.RunFor(kRound + 10 * kSecond);
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

/// The GUID was read wrongly once, as a datagram came changed.
TEST_F(Scrubbed, APortThatIsKnownByAnotherGuidIsMetAnew) {
    const std::uint32_t row = world_.sim().RowOf(3, 1);
    const Guid right = world_.world().port(row).guid;
    world_.world().port(row).guid = Guid{Raw(right) ^ 0x40000000U};
    BringUp();
    world_.world().port(row).guid = right;
    world_.RunFor(kRound + 10 * kSecond);
    EXPECT_NE(world_.sm().fabric().FindPort(right), kNoPortIndex) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

/// The MTU of a port was said too low, and its link set to that.
TEST_F(Scrubbed, ALinkThatCanMoreThanWasSaidIsSetAnew) {
    const std::uint32_t row = world_.sim().RowOf(3, 1);
    const Mtu can = world_.world().port(row).info.Get(PortInfo::kMtuCap);
    world_.world().port(row).info.Set(PortInfo::kMtuCap, Mtu::k1024);
    BringUp();
    ASSERT_EQ(world_.world().port(row).info.Get(PortInfo::kNeighborMtu), Mtu::k1024);
    world_.world().port(row).info.Set(PortInfo::kMtuCap, can);
    world_.RunFor(kRound + 10 * kSecond);
    EXPECT_EQ(world_.world().port(row).info.Get(PortInfo::kNeighborMtu), can) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

TEST_F(Scrubbed, ATableThatSomebodyErasedStaysSoWithoutIt) {
    BringUp(0);
    EraseTable();
    world_.RunFor(10 * kRound);
    EXPECT_NE(world_.Judge(), "") << world_.Notes();
    EXPECT_EQ(world_.sm().status().scrub.questions, 0U);
}

TEST_F(Scrubbed, ASweepByHandReadsTablesAnew) {
    BringUp(0);
    EraseTable();
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.Wake();
    world_.RunFor(2 * kSecond);
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    EXPECT_GE(world_.sm().status().programming.blocks_read, 6U);
}

TEST_F(Scrubbed, AMulticastTableThatSomebodyErasedIsWrittenAgain) {
    BringUp();
    Groups& groups = world_.sm().multicast().groups();
    const Gid mgid{0xFF12A01C00000000ULL, 7};
    ASSERT_TRUE(groups.Create(mgid, GroupValues{.p_key = 0xFFFF}, {}).ok());
    const GroupIndex group = groups.Find(mgid);
    for (const std::uint32_t host : {1U, 5U}) {
        const Guid guid = world_.world().port(world_.sim().RowOf(host, 1)).guid;
        ASSERT_TRUE(
            groups.Join(group, {.port_guid = guid, .owner = guid, .join_state = 1}, world_.now_us())
                .ok());
    }
    world_.Wake();
    world_.RunFor(5 * kSecond);
    const std::uint32_t mlid = Raw(groups.group(group).mlid);
    const auto block = world_.world().MftBlock(kLeaf, mlid / 32, 0);
    const std::size_t octet = mlid % 32 * 2 + 1;
    const std::uint8_t mask = block[octet];
    ASSERT_NE(mask, 0);
    block[octet] = 0;
    world_.RunFor(kRound);
    EXPECT_EQ(block[octet], mask) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubMft), 1U) << world_.Notes();
}

TEST_F(Scrubbed, ALidThatSomebodyChangedIsSetAgain) {
    BringUp();
    PortInfo& info = world_.world().port(world_.sim().RowOf(5, 1)).info;
    info.Set(PortInfo::kLid, Lid{77});
    world_.RunFor(kRound);
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    EXPECT_GE(world_.Heard(Note::kScrubOther), 1U) << world_.Notes();
    EXPECT_LE(world_.sm().status().heavy_sweeps, sweeps_ + 2);
}

TEST_F(Scrubbed, AFabricThatIsAsItWasIsNotSwept) {
    BringUp();
    world_.RunFor(10 * kRound);
    EXPECT_EQ(world_.sm().status().heavy_sweeps, sweeps_) << world_.Notes();
    EXPECT_EQ(world_.sm().status().scrub.differences, 0U) << world_.Notes();
    EXPECT_GE(world_.sm().status().scrub.visits, 9U * 6U);
}

TEST_F(Scrubbed, AsksOneSwitchASecond) {
    BringUp();
    const std::uint64_t before = world_.sim().counters().requests;
    world_.RunFor(60 * kSecond);
    // Of 4 ports: NodeInfo, SwitchInfo, PortInfo 5, beyond 4, end ports 2, LFT 1.
    EXPECT_LE(world_.sim().counters().requests - before, 60U * 14U + 60U);
    EXPECT_GE(world_.sim().counters().requests - before, 60U * 8U);
}

TEST_F(Scrubbed, AHostThatSaysNowThisNowThatIsNotListenedToForEver) {
    BringUp();
    liar_.LieAbout<PortInfo>(5, AttributeId::kPortInfo,
                             [n = 0](PortInfo& info, const Mad&) mutable {
                                 if (++n % 2 == 0)
                                     info.Set(PortInfo::kSubnetTimeOut, std::uint8_t{3});
                             });
    world_.RunFor(600 * kSecond);
    EXPECT_LE(world_.sm().status().heavy_sweeps, sweeps_ + 30) << world_.Notes();
    EXPECT_TRUE(world_.sm().is_up());
}

}  // namespace
}  // namespace ember::testing
