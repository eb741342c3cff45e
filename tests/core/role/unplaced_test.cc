// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of SMs that are heard, and whose ports no sweep has met.
#include <gtest/gtest.h>

#include "core/fabric/m_key.h"
#include "core/role/role.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

using Peer = LoneRole::Peer;

constexpr std::uint64_t kSmKey = 0x1234;
constexpr Peer kMaster{0x10, 15, SmState::kMaster, kSmKey};
/// At a port that the fabric does not have.
constexpr Peer kUnplaced{0, 15, SmState::kMaster, kSmKey};

struct Asked : LoneRole {
    explicit Asked(SmState state, bool per_port = false) : LoneRole(0x77) {
        settings.sm_key = kSmKey;
        settings.m_key = 0xAA;
        settings.m_key_per_port = per_port;
        settings.m_key_protection_level = 2;
        BringTo(state);
    }
    Status Get(const Peer& from) {
        return Request(Method::kGet, 0, from, MKeyFrom(RuleOf(settings), Guid{0x77}));
    }
    std::uint64_t ShownKey() { return ReplyInfo().Get(SmInfo::kSmKey); }
    std::vector<Envelope> TakeSent() {
        port.sent.clear();
        role.Step(now);
        return {port.sent.begin(), port.sent.end()};
    }
};

TEST(Unplaced, IsToldTheSmKeyWhereOurMKeyIsOursAlone) {
    Asked own(SmState::kMaster, true);
    ASSERT_EQ(own.Get(kUnplaced), Status::kOk);
    EXPECT_EQ(own.ShownKey(), kSmKey);
    Asked common(SmState::kMaster);
    ASSERT_EQ(common.Get(kUnplaced), Status::kOk);
    EXPECT_EQ(common.ShownKey(), 0U) << "every host has that M_Key";
    own.settings.m_key_protection_level = 0;
    ASSERT_EQ(own.Get(kUnplaced), Status::kOk);
    EXPECT_EQ(own.ShownKey(), 0U) << "ports show their M_Keys to all";
}

TEST(Unplaced, MasterIsFoundByTheWayBackWithoutASweep) {
    Asked standby(SmState::kStandby);
    EXPECT_EQ(standby.Get(kUnplaced), Status::kRefused);
    const std::vector<Envelope> asked = standby.TakeSent();
    ASSERT_EQ(asked.size(), 1U);
    const auto smp = std::bit_cast<DirectedSmp>(asked[0].mad);
    EXPECT_EQ(smp.header.attribute_id, AttributeId::kSmInfo);
    EXPECT_EQ(smp.initial_path[1], 23);
    EXPECT_EQ(smp.initial_path[3], 21);
    standby.Deliver(LoneRole::InfoAnswer(asked[0], kMaster));
    ASSERT_EQ(standby.Get(kUnplaced), Status::kOk);
    EXPECT_EQ(standby.ShownKey(), kSmKey);
    EXPECT_EQ(standby.role.state(), SmState::kStandby);
}

TEST(Unplaced, AnyOtherIsSweptFor) {
    for (const Peer& answer :
         {Peer{0x99, 15, SmState::kMaster, kSmKey}, Peer{0x10, 15, SmState::kMaster, 0x5678}}) {
        Asked standby(SmState::kStandby);
        EXPECT_EQ(standby.Get(kUnplaced), Status::kRefused);
        const std::vector<Envelope> asked = standby.TakeSent();
        ASSERT_EQ(asked.size(), 1U);
        standby.Deliver(LoneRole::InfoAnswer(asked[0], answer));
        EXPECT_EQ(standby.role.state(), SmState::kDiscovering);
        EXPECT_EQ(standby.role.TakeAct(), Act::kSweep);
    }
}

TEST(Unplaced, MasterThatIsConfirmedIsFollowed) {
    Asked standby(SmState::kStandby);
    standby.role.FollowPeer(Guid{0x20}, Lid{5}, 9, standby.now);
    EXPECT_EQ(standby.role.TakeAct(), Act::kFollow);
    EXPECT_EQ(standby.role.watched(), Guid{0x20});
    standby.role.Confirm(Guid{0x20}, standby.now, Lid{6});
    ASSERT_NE(standby.role.watched_sm(), nullptr);
    EXPECT_EQ(standby.role.watched_sm()->lid, Lid{6}) << "polls go to where it is heard from";
}

TEST(Unplaced, HigherMasterIsHandedTheSubnetByLid) {
    Asked master(SmState::kMaster);
    master.role.FollowPeer(Guid{0x99}, Lid{5}, 0, master.now);
    EXPECT_EQ(master.role.TakeAct(), Act::kNothing) << "it ranks below us";
    master.role.FollowPeer(Guid{0x20}, Lid{5}, 15, master.now);
    EXPECT_EQ(master.role.TakeAct(), Act::kHandOver);
    const std::vector<Envelope> sent = master.TakeSent();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].mad.header.mgmt_class, MgmtClass::kSubnLid);
    EXPECT_EQ(sent[0].peer, Lid{5});
}

}  // namespace
}  // namespace ember
