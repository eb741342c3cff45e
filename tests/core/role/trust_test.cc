// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of one SM as master whose standbys are trusted with the subnet now, now not.
#include <gtest/gtest.h>

#include "core/role/role.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

using Peer = LoneRole::Peer;

/// A standby that is not trusted is served past, and offered the subnet by the election that
/// follows when it is. A standby that ranks below us is no reason for an election.
TEST(Trust, AStandbyThatIsTrustedLaterIsMetAgain) {
    for (const bool is_higher : {true, false}) {
        LoneRole lone;
        lone.BringTo(SmState::kMaster);
        StaticVector<Guid, 16> trusted;
        EXPECT_FALSE(lone.role.TrustOnly(trusted, lone.now));
        const Peer standby{is_higher ? 0x20U : 0x60U, is_higher ? std::uint8_t{3} : std::uint8_t{0},
                           SmState::kStandby};
        lone.HoldElection({standby});
        EXPECT_EQ(lone.role.TakeAct(), Act::kServe);
        EXPECT_FALSE(lone.role.TrustOnly(trusted, lone.now));
        ASSERT_EQ(trusted.TryPush(Guid{standby.guid}), Status::kOk);
        EXPECT_EQ(lone.role.TrustOnly(trusted, lone.now), is_higher);
        const RoleRow& row = Decide(SmState::kMaster, Cue::kHeirReady);
        EXPECT_EQ(lone.role.TakeAct(), is_higher ? row.act : Act::kNothing);
        EXPECT_FALSE(lone.role.TrustOnly(trusted, lone.now)) << "once";
        lone.HoldElection({standby});
        EXPECT_EQ(lone.role.TakeAct(), is_higher ? Act::kHandOver : Act::kServe);
    }
}

/// Each election finds a client that has to be asked first, so the heir is trusted no longer.
TEST(Trust, AStandbyThatIsTrustedAgainAndAgainIsMetOnceASecond) {
    LoneRole lone;
    lone.BringTo(SmState::kMaster);
    const StaticVector<Guid, 16> none;
    StaticVector<Guid, 16> trusted;
    ASSERT_EQ(trusted.TryPush(Guid{0x20}), Status::kOk);
    const std::uint64_t until_us = lone.now + 9'500'000;
    int sweeps = 0;
    for (; lone.now < until_us; lone.now += 1'000) {
        static_cast<void>(lone.role.TrustOnly(none, lone.now));
        lone.HoldElection({{0x20, 3, SmState::kStandby}});
        ASSERT_EQ(lone.role.TakeAct(), Act::kServe);
        if (!lone.role.TrustOnly(trusted, lone.now)) {
            ASSERT_GT(lone.role.NextDeadlineUs(), lone.now);
            continue;
        }
        EXPECT_EQ(lone.role.TakeAct(), Act::kLook);
        ++sweeps;
    }
    EXPECT_EQ(sweeps, 10);
    EXPECT_FALSE(lone.role.TrustOnly(trusted, lone.now));
    EXPECT_LE(lone.role.NextDeadlineUs(), lone.now + 1'000'000) << "a sweep is still to come";
}

}  // namespace
}  // namespace ember
