// SPDX-License-Identifier: Apache-2.0
// EmberSM: what clients registered is still there when the subnet manager comes back.
//
// Goal:   the tables of subnet administration are the same, MLIDs too, and no multicast forwarding
//         table is written that was right already, whenever it died.
// Method: kill -9 on simulated hardware, with the journal on a log that outlives it.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class Registrations : public ::testing::Test {
protected:
    Registrations() : world_(net::FatTree2(6)) { world_.AddManager(); }
    void SetUp() override {
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        for (std::uint32_t i = 0; i < world_.world().node_count(); ++i) {
            if (!world_.world().node(i).is_switch()) hosts_.push_back(i);
        }
    }
    Groups& groups() { return world_.sm().multicast().groups(); }
    Guid GuidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(hosts_[host], 1)).guid;
    }
    void Join(std::uint64_t number, const std::vector<std::uint32_t>& hosts) {
        const Gid mgid{0xFF12A01C00000000ULL, number};
        if (groups().Find(mgid) == kNoGroup) {
            const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
            const auto wanted = static_cast<MlidIndex>(40 - number);
            ASSERT_TRUE(groups().Create(mgid, values, {.wanted = wanted}).ok());
        }
        for (const std::uint32_t host : hosts) {
            Member who;
            who.port_guid = GuidOf(host);
            who.join_state = join_state::kFull;
            ASSERT_TRUE(groups().Join(groups().Find(mgid), who, world_.now_us()).ok());
        }
        world_.Wake();
    }
    /// Groups with their MLIDs, and their members, sorted.
    std::vector<std::string> Table() {
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < groups().member_bound(); ++i) {
            const auto at = static_cast<MemberIndex>(i);
            if (!groups().IsLive(at)) continue;
            const Member& member = groups().member(at);
            const Group& group = groups().group(member.group);
            lines.push_back(std::to_string(group.mgid.low) + " " + std::to_string(Raw(group.mlid)) +
                            " " + std::to_string(Raw(member.port_guid)) + " " +
                            std::to_string(member.join_state));
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    bool IsSettled() {
        return world_.RunUntil(
            [this] {
                return world_.sm().stage() == Stage::kResting && world_.sm().is_up() &&
                       world_.sm().multicast().status().is_settled;
            },
            60 * kSecond);
    }
    void Fill() {
        Join(1, {0, 5, 9});
        Join(2, {1, 2, 3, 4});
        Join(3, {0, 17});
        ASSERT_TRUE(IsSettled()) << world_.Notes();
        world_.RunFor(kSecond);
        ASSERT_TRUE(world_.sm().sa_journal().status().is_kept) << world_.Notes();
        table_ = Table();
        ASSERT_EQ(table_.size(), 9U);
    }
    std::uint64_t MftSets() {
        return world_.sim().counters().Sets(AttributeId::kMulticastForwardingTable);
    }

    SimWorld world_;
    std::vector<std::uint32_t> hosts_;
    std::vector<std::string> table_;
};

TEST_F(Registrations, SurviveAKillWithTheirMlidsAndWithoutASet) {
    Fill();
    world_.sim().ClearCounters();
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), table_) << world_.Notes();
    EXPECT_EQ(MftSets(), 0U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaRestored), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaNotRestored), 0U) << world_.Notes();
    EXPECT_EQ(world_.sm().restored().members, 9U);
    EXPECT_EQ(world_.sm().restored().moved, 0U);
}

TEST_F(Registrations, SurviveManyKillsAtAnyMomentOfABringUp) {
    Fill();
    for (int i = 0; i < 12; ++i) {
        world_.Restart();
        world_.RunFor(static_cast<std::uint64_t>(i) * 3 * kMs);
    }
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), table_) << world_.Notes();
}

TEST_F(Registrations, SurviveAFirstSweepThatHasToBeRepeated) {
    Fill();
    world_.Restart();
    // A sweep is asked for again and again, so that the first one as master does not come to its
    // end at once.
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.RunFor(2 * kMs);
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), table_) << world_.Notes();
}

TEST_F(Registrations, OfAHostThatIsGoneEndWithIt) {
    Fill();
    world_.Kill();
    world_.Cut(hosts_[17], 1);
    world_.RunFor(kSecond);
    world_.sim().ClearCounters();
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table().size(), 8U);
    EXPECT_EQ(world_.sm().restored().gone, 1U);
    EXPECT_EQ(world_.Heard(Note::kSaNotRestored), 1U) << world_.Notes();
}

TEST_F(Registrations, AreAskedForAnewWhenTheJournalIsDamaged) {
    Fill();
    world_.state_log().octets()[3] ^= std::byte{1};
    world_.sim().ClearCounters();
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_TRUE(Table().empty());
    EXPECT_EQ(world_.Heard(Note::kSaJournalDamaged), 1U) << world_.Notes();
    EXPECT_GT(world_.sim().counters().reregistrations, 0U);
}

TEST_F(Registrations, AreReadAsFarAsAJournalGoesThatEndsInAChange) {
    Fill();
    std::vector<std::byte>& octets = world_.state_log().octets();
    octets.resize(octets.size() - 1);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaJournalCut), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaRestored), 1U) << world_.Notes();
}

TEST_F(Registrations, ServeOnWhenTheLogCannotBeWritten) {
    world_.state_log().SetBroken(true);
    Join(1, {0, 1});
    ASSERT_TRUE(IsSettled());
    world_.RunFor(kSecond);
    EXPECT_GE(world_.Heard(Note::kSaJournalFailed), 1U) << world_.Notes();
    EXPECT_FALSE(world_.sm().sa_journal().status().is_kept);
    world_.state_log().SetBroken(false);
    world_.RunFor(20 * kSecond);
    EXPECT_TRUE(world_.sm().sa_journal().status().is_kept);
    const std::vector<std::string> table = Table();
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), table);
}

TEST_F(Registrations, SurviveTheLossOfOurOwnPort) {
    Fill();
    const std::uint64_t generations = world_.sm().sa_journal().status().generations;
    world_.Cut(hosts_[0], 1);
    ASSERT_TRUE(world_.RunUntil(
        [this] { return world_.sm().role().state() == SmState::kDiscovering; }, 60 * kSecond));
    world_.RunFor(5 * kSecond);
    world_.Join(hosts_[0], 1);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), table_) << world_.Notes();
    EXPECT_TRUE(world_.sm().sa_journal().status().is_kept);
    EXPECT_EQ(world_.sm().sa_journal().status().generations, generations) << "it went on";
    Join(4, {3, 8});
    ASSERT_TRUE(IsSettled()) << world_.Notes();
    world_.RunFor(kSecond);
    const std::vector<std::string> later = Table();
    ASSERT_EQ(later.size(), 11U);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), later) << "and it was in the journal: " << world_.Notes();
}

TEST_F(Registrations, SurviveTheLossOfOurOwnPortManyTimes) {
    Fill();
    for (std::uint64_t i = 0; i < 12; ++i) {
        world_.Cut(hosts_[0], 1);
        world_.RunFor(kSecond + i * 37 * kMs);
        world_.Join(hosts_[0], 1);
        world_.RunFor(i * 23 * kMs);
    }
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), table_) << world_.Notes();
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Table(), table_) << world_.Notes();
}

/// Two subnet managers; the first, which ranks higher, has a group and loses its port for so long
/// that the other takes over.
class RegistrationsBesideAnother : public ::testing::TestWithParam<bool> {};

TEST_P(RegistrationsBesideAnother, AreForgottenWhenItWasMasterMeanwhile) {
    SimWorld world(net::FatTree2(6));
    Settings low = BriskSettings();
    low.sm_priority = 3;
    Settings high = BriskSettings();
    high.sm_priority = 9;
    std::uint32_t host = 0;
    while (world.world().node(host).is_switch()) {
        ++host;
    }
    world.AddManager(host, 1, high);
    world.AddManager(host + 1, 1, low);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    Groups& groups = world.sm().multicast().groups();
    const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
    const Gid mgid{0xFF12A01C00000000ULL, 1};
    ASSERT_TRUE(groups.Create(mgid, values, {}).ok());
    Member who;
    who.port_guid = world.world().port(world.sim().RowOf(host + 1, 1)).guid;
    who.join_state = join_state::kFull;
    ASSERT_TRUE(groups.Join(groups.Find(mgid), who, world.now_us()).ok());
    world.RunFor(kSecond);

    world.Cut(host, 1);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).is_up(); }, 200 * kSecond));
    ASSERT_NE(groups.Find(mgid), kNoGroup) << "nobody knows yet";
    if (GetParam()) world.Kill(1);  // And leaves nothing but what it told the switches.
    world.Join(host, 1);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(0).is_up(); }, 120 * kSecond))
        << world.Notes();
    EXPECT_EQ(groups.Find(mgid), kNoGroup) << world.Notes();
}

INSTANTIATE_TEST_SUITE_P(WhichDiedOrLives, RegistrationsBesideAnother,
                         ::testing::Values(true, false));

TEST(RegistrationsOfAnother, AreNotOursToRestore) {
    SimWorld world(net::FatTree2(6));
    Settings low = BriskSettings();
    low.sm_priority = 3;
    Settings high = BriskSettings();
    high.sm_priority = 9;
    std::uint32_t first = 0;
    while (world.world().node(first).is_switch()) {
        ++first;
    }
    world.AddManager(first, 1, low);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    Groups& groups = world.sm().multicast().groups();
    const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
    const Gid mgid{0xFF12A01C00000000ULL, 1};
    ASSERT_TRUE(groups.Create(mgid, values, {}).ok());
    Member who;
    who.port_guid = world.world().port(world.sim().RowOf(first, 1)).guid;
    who.join_state = join_state::kFull;
    ASSERT_TRUE(groups.Join(groups.Find(mgid), who, world.now_us()).ok());
    world.Wake();
    world.RunFor(kSecond);

    world.AddManager(first + 1, 1, high);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(1).role().is_master(); }, 60 * kSecond));
    world.RunFor(25 * kSecond);  // Two polls, by which it shows that it serves.
    ASSERT_FALSE(world.sm(0).role().is_master());
    world.Kill(1);
    world.Restart(0);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(0).is_up(); }, 120 * kSecond))
        << world.Notes();
    EXPECT_EQ(world.sm(0).multicast().groups().Find(mgid), kNoGroup);
}

}  // namespace
}  // namespace ember::testing
