// SPDX-License-Identifier: Apache-2.0
// EmberSM: a standby that is configured otherwise than its master.
//
// Goal:   both say so. Under standby_consistency strict the standby stays out of elections until
//         the two agree, also when the master has died, and is not handed the subnet; under warn it
//         takes over.
// Method: two managers on simulated hardware, whose configurations are told apart by their digests,
//         as a blob gives them.
#include <gtest/gtest.h>
#include <string_view>

#include "config/netlist/topologies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

Settings Configured(std::uint8_t priority, std::uint8_t configuration, StandbyConsistency policy) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sminfo_polling_timeout = 300;
    settings.standby_consistency = policy;
    settings.configuration.counter = configuration;
    settings.configuration.digest[0] = configuration;
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

class Consistency : public ::testing::Test {
protected:
    template <Limits kLimits = kSimSmall>
    void Begin(StandbyConsistency policy, std::uint8_t of_standby) {
        world_.AddManager(0, 1, Configured(9, 1, policy));
        ASSERT_TRUE(world_.RunUntilUp(60 * kSecond));
        world_.AddManager<kLimits>(3, 1, Configured(3, of_standby, policy));
        world_.RunFor(20 * kSecond);
        ASSERT_TRUE(role(0).is_master());
    }
    const Role& role(std::size_t seat) { return world_.sm(seat).role(); }
    bool TakesOver() {
        world_.Kill(0);
        return world_.RunUntil([&] { return role(1).is_master() && world_.sm(1).is_up(); },
                               60 * kSecond);
    }

    SimWorld world_{net::FatTree2(6)};
};

TEST_F(Consistency, UnderWarnBothSayItAndTheStandbyTakesOver) {
    Begin(StandbyConsistency::kWarn, 2);
    EXPECT_EQ(world_.Heard(Note::kPeerConfiguredOtherwise, 0), 1U);
    EXPECT_EQ(world_.Heard(Note::kPeerConfiguredOtherwise, 1), 1U);
    EXPECT_EQ(role(1).state(), SmState::kStandby);
    EXPECT_TRUE(TakesOver()) << world_.Notes(1);
}

TEST_F(Consistency, UnderStrictItStaysOutWhenTheMasterDies) {
    Begin(StandbyConsistency::kStrict, 2);
    EXPECT_EQ(world_.Heard(Note::kPeerConfiguredOtherwise, 0), 1U);
    EXPECT_EQ(world_.Heard(Note::kStandbyAside, 1), 1U) << world_.Notes(1);
    EXPECT_EQ(role(1).state(), SmState::kNotActive);
    EXPECT_TRUE(role(1).stands_down());
    EXPECT_FALSE(TakesOver()) << world_.Notes(1);
    EXPECT_EQ(role(1).state(), SmState::kNotActive);
    // Given the configuration that the master had, it is a standby again, and finds it silent.
    world_.sm(1).Configure(Configured(3, 1, StandbyConsistency::kStrict));
    world_.Wake(1);
    EXPECT_TRUE(
        world_.RunUntil([&] { return role(1).is_master() && world_.sm(1).is_up(); }, 60 * kSecond))
        << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kStandbyAgain, 1), 1U);
}

TEST_F(Consistency, AStandbyThatAgreesAgainIsFedAgain) {
    Begin(StandbyConsistency::kStrict, 1);
    EXPECT_EQ(world_.Heard(Note::kStandbyAside, 1), 0U) << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kReplicaWhole, 1), 1U);
    world_.sm(0).Configure(Configured(9, 2, StandbyConsistency::kStrict));
    world_.Wake(0);
    world_.RunFor(10 * kSecond);
    EXPECT_TRUE(role(1).stands_down()) << world_.Notes(1);
    world_.sm(1).Configure(Configured(3, 2, StandbyConsistency::kStrict));
    world_.Wake(1);
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(role(1).state(), SmState::kStandby) << world_.Notes(1);
    EXPECT_TRUE(world_.sm(1).replication().holds_replica()) << world_.Notes(1);
    EXPECT_TRUE(TakesOver()) << world_.Notes(1);
}

TEST_F(Consistency, WarnThatIsSetLaterEndsIt) {
    Begin(StandbyConsistency::kStrict, 2);
    EXPECT_TRUE(role(1).stands_down());
    world_.sm(1).Configure(Configured(3, 2, StandbyConsistency::kWarn));
    world_.Wake(1);
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(role(1).state(), SmState::kStandby) << world_.Notes(1);
    EXPECT_TRUE(TakesOver()) << world_.Notes(1);
}

/// A master of priority 3, and a standby of priority 9 that comes later.
class Higher : public ::testing::Test {
protected:
    void Begin(StandbyConsistency policy, std::uint8_t of_standby, bool has_key = true,
               bool is_listed = false) {
        Settings own = Configured(3, 1, policy);
        const Guid place = world_.world().port(world_.sim().RowOf(3, 1)).guid;
        if (is_listed) EXPECT_EQ(own.sm_peers.TryPush(place), Status::kOk);
        world_.AddManager(0, 1, own);
        ASSERT_TRUE(world_.RunUntilUp(60 * kSecond));
        Settings higher = Configured(9, of_standby, policy);
        if (!has_key) higher.replication_key.clear();
        world_.AddManager(3, 1, higher);
    }
    bool IsHandedOver(std::uint64_t limit_us) {
        return world_.RunUntil([&] { return world_.sm(1).role().is_master(); }, limit_us);
    }

    SimWorld world_{net::FatTree2(6)};
};

TEST_F(Higher, OneThatDiffersIsNotHandedTheSubnetUnderStrict) {
    Begin(StandbyConsistency::kStrict, 2);
    EXPECT_FALSE(IsHandedOver(60 * kSecond)) << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kHandoverSent, 0), 0U) << world_.Notes(0);
    EXPECT_TRUE(world_.sm(0).role().is_master());
    EXPECT_TRUE(world_.sm(1).role().stands_down()) << world_.Notes(1);
}

TEST_F(Higher, OneThatDiffersIsHandedItUnderWarn) {
    Begin(StandbyConsistency::kWarn, 2);
    EXPECT_TRUE(IsHandedOver(60 * kSecond)) << world_.Notes(1);
}

TEST_F(Higher, OneThatAgreesIsHandedItWhenThatIsKnown) {
    Begin(StandbyConsistency::kStrict, 1);
    EXPECT_TRUE(IsHandedOver(60 * kSecond)) << world_.Notes(0) << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kStandbyAside, 1), 0U) << world_.Notes(1);
}

TEST_F(Higher, OneThatIsSilentIsHandedItWhenItIsListed) {
    Begin(StandbyConsistency::kStrict, 2, false, true);
    EXPECT_TRUE(IsHandedOver(60 * kSecond)) << world_.Notes(0) << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kHandoverHeld, 0), 0U) << world_.Notes(0);
}

TEST_F(Higher, OneThatIsSilentIsHandedItUnderWarn) {
    Begin(StandbyConsistency::kWarn, 2, false);
    EXPECT_TRUE(IsHandedOver(60 * kSecond)) << world_.Notes(0) << world_.Notes(1);
}

/// The standby may lack the key, or not be heard, and run another configuration: an operator has to
/// say that it is of another kind.
TEST_F(Higher, SilenceProvesNothingUnderStrictUntilAnOperatorSaysSo) {
    Begin(StandbyConsistency::kStrict, 2, false);
    EXPECT_FALSE(IsHandedOver(60 * kSecond)) << world_.Notes(0);
    EXPECT_EQ(world_.Heard(Note::kHandoverHeld, 0), 1U) << world_.Notes(0);
    EXPECT_EQ(world_.sm(1).role().state(), SmState::kStandby);
    ASSERT_EQ(world_.sm(0).role().others().size(), 1U);
    const Guid guid = world_.sm(0).role().others()[0].guid;
    ASSERT_TRUE(world_.RunUntil([&] { return world_.sm(0).stage() == Stage::kResting; }, kSecond));
    EXPECT_EQ(world_.sm(0).OfferTo(guid), Role::Offer::kMade);
    world_.Wake(0);
    EXPECT_TRUE(IsHandedOver(20 * kSecond)) << world_.Notes(0) << world_.Notes(1);
}

/// A standby that has shown our key is of our kind, however long it hangs.
TEST_F(Higher, OneThatHangsIsNotOfAnotherKind) {
    Begin(StandbyConsistency::kStrict, 2, true, true);
    ASSERT_TRUE(world_.RunUntil([&] { return world_.sm(1).role().stands_down(); }, 60 * kSecond));
    world_.sm(1).Configure(Configured(9, 2, StandbyConsistency::kWarn));
    world_.Wake(1);
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(world_.sm(1).role().state(), SmState::kStandby);
    Settings mute = Configured(9, 2, StandbyConsistency::kWarn);
    mute.replication_key.clear();
    world_.sm(1).Configure(mute);
    world_.Wake(1);
    EXPECT_FALSE(IsHandedOver(30 * kSecond)) << world_.Notes(0);
}

TEST_F(Higher, ByHandNeither) {
    Begin(StandbyConsistency::kStrict, 2);
    const auto is_met = [&] {
        const Role& role = world_.sm(0).role();
        return !role.electing() && role.others().size() == 1 &&
               role.others()[0].state == SmState::kStandby;
    };
    ASSERT_TRUE(world_.RunUntil(is_met, 60 * kSecond));
    const Guid guid = world_.sm(0).role().others()[0].guid;
    EXPECT_EQ(world_.sm(0).OfferTo(guid), Role::Offer::kUntrusted);
    world_.Wake(0);
    EXPECT_FALSE(IsHandedOver(20 * kSecond));
}

/// A board that follows no records.
constexpr Limits kAlone = [] {
    Limits limits = kSimSmall;
    limits.replication_bytes = 0;
    return limits;
}();

TEST_F(Consistency, AnotherFormatOfRecordsIsAnotherConfiguration) {
    Begin<kAlone>(StandbyConsistency::kStrict, 1);
    EXPECT_EQ(world_.Heard(Note::kPeerOtherFormat, 0), 1U) << world_.Notes(0);
    EXPECT_EQ(world_.Heard(Note::kPeerOtherFormat, 1), 1U) << world_.Notes(1);
    EXPECT_EQ(world_.Heard(Note::kPeerConfiguredOtherwise, 1), 0U);
    EXPECT_TRUE(role(1).stands_down());
}

}  // namespace
}  // namespace ember::testing
