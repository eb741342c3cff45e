// SPDX-License-Identifier: Apache-2.0
// EmberSM: two managers that are given another blob, one after the other.
//
// Goal:   no registration is lost on the way from an older blob to a newer one, and no client is
//         asked to register again: under standby_consistency warn, where the standby goes first and
//         the master is restarted, and under strict, where both are given it as they run.
// Method: two managers on simulated hardware, with settings as a blob gives them; those of the
//         newer blob differ in counter and digest.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "config/netlist/topologies.h"
#include "tests/support/sim_groups.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kGroup = 1;

class RollingUpgrade : public ::testing::Test {
protected:
    static Settings Older(std::uint8_t priority, StandbyConsistency policy) {
        Settings settings;
        for (const char octet : std::string_view("drawn-by-chance-or-nearly-so")) {
            EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)),
                      Status::kOk);
        }
        settings.configuration.counter = 41;
        settings.configuration.digest[0] = 0xC2;
        settings.order = Order::kGuid;
        EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
        settings.max_wire_smps = 8;
        settings.sweep_interval = 20;
        settings.sm_priority = priority;
        settings.standby_consistency = policy;
        return settings;
    }
    static Settings Newer(std::uint8_t priority, StandbyConsistency policy) {
        Settings settings = Older(priority, policy);
        settings.configuration.counter = 42;
        settings.configuration.digest[0] ^= 1;
        settings.sweep_interval = 15;
        return settings;
    }
    void Begin(StandbyConsistency policy) {
        world_.AddManager(0, 1, Older(9, policy));
        ASSERT_TRUE(world_.RunUntilUp(60 * kSecond));
        world_.AddManager(3, 1, Older(3, policy));
        ASSERT_TRUE(Until([&] { return world_.Heard(Note::kReplicaWhole, 1) != 0; })) << Notes();
        groups(0).Join(kGroup, 5);
        world_.RunFor(2 * kSecond);
        world_.sim().ClearCounters();
    }
    void Give(std::size_t seat, const Settings& settings) {
        world_.Reconfigure(settings, seat);  // For its next start.
        world_.sm(seat).Configure(settings);
        world_.Wake(seat);
    }
    void ExpectNothingLost() {
        for (const std::uint32_t host : {5U, 6U, 7U}) {
            EXPECT_TRUE(groups(0).Has(kGroup, host)) << host << "\n" << Notes();
            EXPECT_TRUE(groups(1).Has(kGroup, host)) << host << "\n" << Notes();
        }
        EXPECT_EQ(world_.sim().counters().reregistrations, 0U) << Notes();
    }
    bool Until(const std::function<bool()>& done) { return world_.RunUntil(done, 90 * kSecond); }
    bool Serves(std::size_t seat) {
        return Until([&] {
            const SubnetManager& sm = world_.sm(seat);
            return sm.role().is_master() && sm.is_up() && sm.administration().serves();
        });
    }
    SimGroups groups(std::size_t seat) { return {world_, seat}; }
    std::string Notes() { return world_.Notes(0) + world_.Notes(1); }

    SimWorld world_{net::FatTree2(6)};
};

TEST_F(RollingUpgrade, UnderWarnOneAfterTheOtherIsRestartedAndNothingIsLost) {
    Begin(StandbyConsistency::kWarn);
    world_.Kill(1);
    world_.RunFor(3 * kSecond);
    world_.Reconfigure(Newer(3, StandbyConsistency::kWarn), 1);
    world_.Restart(1);
    ASSERT_TRUE(Until([&] { return world_.Heard(Note::kReplicaWhole, 1) != 0; })) << Notes();
    EXPECT_EQ(world_.Heard(Note::kPeerConfiguredOtherwise, 1), 1U) << Notes();
    EXPECT_GE(world_.Heard(Note::kPeerConfiguredOtherwise, 0), 1U) << Notes();
    groups(0).Join(kGroup, 6);
    world_.RunFor(2 * kSecond);

    world_.Kill(0);
    ASSERT_TRUE(Serves(1)) << Notes();
    EXPECT_TRUE(groups(1).Has(kGroup, 5)) << Notes();
    EXPECT_TRUE(groups(1).Has(kGroup, 6)) << Notes();
    groups(1).Join(kGroup, 7);
    world_.RunFor(5 * kSecond);
    world_.Reconfigure(Newer(9, StandbyConsistency::kWarn), 0);
    world_.Restart(0);
    ASSERT_TRUE(Serves(0)) << Notes();
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kPeerConfiguredOtherwise, 0), 0U) << "both have the newer one";
    ExpectNothingLost();
}

/// The standby has another configuration than its master for a while, and stays out of elections.
TEST_F(RollingUpgrade, UnderStrictBothAreGivenItAndThenTheMasterDies) {
    Begin(StandbyConsistency::kStrict);
    Give(1, Newer(3, StandbyConsistency::kStrict));
    ASSERT_TRUE(Until([&] { return world_.sm(1).role().stands_down(); })) << Notes();
    groups(0).Join(kGroup, 6);
    world_.RunFor(2 * kSecond);
    Give(0, Newer(9, StandbyConsistency::kStrict));
    ASSERT_TRUE(Until([&] {
        return world_.Heard(Note::kStandbyAgain, 1) == 1 &&
               world_.sm(1).replication().holds_replica();
    })) << Notes();
    world_.RunFor(2 * kSecond);

    world_.Kill(0);
    ASSERT_TRUE(Serves(1)) << Notes();
    groups(1).Join(kGroup, 7);
    world_.RunFor(5 * kSecond);
    world_.Restart(0);
    ASSERT_TRUE(Serves(0)) << Notes();
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kStandbyAside, 0), 0U) << Notes();
    ExpectNothingLost();
}

}  // namespace
}  // namespace ember::testing
