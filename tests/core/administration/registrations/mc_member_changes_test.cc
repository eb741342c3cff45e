// SPDX-License-Identifier: Apache-2.0
// EmberSM: joining and leaving multicast groups, rule by rule. That OpenSM does the same is shown
// by tests/interop/multicast_cases.py.
#include <cstdint>
#include <gtest/gtest.h>

#include "core/administration/registrations/mc_member_records.h"
#include "tests/core/administration/registrations/mc_members_fixture.h"

namespace ember {
namespace {

using testing::McMembers;

TEST_F(McMembers, JoinTellsTheValuesOfTheGroup) {
    EXPECT_EQ(Set(Join(kBroadcast, 0), 0), SaStatus::kOk);
    EXPECT_EQ(answer_.mgid(), kBroadcast);
    EXPECT_EQ(answer_.Get(Record::kPortGidGuid), GuidOf(0));
    EXPECT_EQ(answer_.Get(Record::kPortGidPrefix), kPrefix);
    EXPECT_EQ(answer_.Get(Record::kQKey), 0x0B1BU);
    EXPECT_EQ(answer_.Get(Record::kMlid), Lid{0xC000});
    EXPECT_EQ(answer_.Get(Record::kMtu), Mtu::k2048);
    EXPECT_EQ(answer_.Get(Record::kMtuSelector), Selector::kExactly);
    EXPECT_EQ(answer_.Get(Record::kRate), Rate::k10Gb);
    EXPECT_EQ(answer_.Get(Record::kScope), 2U);
    EXPECT_EQ(answer_.Get(Record::kJoinState), join_state::kFull);
    EXPECT_EQ(Set(Join(kBroadcast, 0, join_state::kSendOnlyNon), 0), SaStatus::kOk);
    EXPECT_EQ(answer_.Get(Record::kJoinState), 5U);
}

TEST_F(McMembers, JoinNeedsItsComponents) {
    for (const unsigned component :
         {Record::kHasMgid, Record::kHasPortGid, Record::kHasJoinState}) {
        EXPECT_EQ(Set(Join(kBroadcast, 0).Without(component), 0),
                  SaStatus::kInsufficientComponents);
        EXPECT_EQ(Delete(Join(kBroadcast, 0).Without(component), 0),
                  SaStatus::kInsufficientComponents);
    }
}

TEST_F(McMembers, StrangePortsDoNotJoin) {
    Request stranger = Join(kBroadcast, 0);
    stranger.record.Set(Record::kPortGidGuid, Guid{0x77});
    EXPECT_EQ(Set(stranger, 0), SaStatus::kRequestInvalid);
    Request abroad = Join(kBroadcast, 0);
    abroad.record.Set(Record::kPortGidPrefix, std::uint64_t{1});
    EXPECT_EQ(Set(abroad, 0), SaStatus::kRequestInvalidGid);
    net_.settings().subnet_prefix = 1;
    EXPECT_EQ(Set(abroad, 0), SaStatus::kOk);
    EXPECT_EQ(Set(Join(kBroadcast, 0), 0), SaStatus::kOk);  // The default prefix stands for ours.
    EXPECT_EQ(answer_.Get(Record::kPortGidPrefix), 1U);
}

TEST_F(McMembers, WhatIsAskedForMustBeAsTheGroupHasIt) {
    const auto status = [&](auto component, auto field, auto value) {
        return Set(Join(kBroadcast, 0).With(component, field, value), 0);
    };
    EXPECT_EQ(status(Record::kHasQKey, Record::kQKey, std::uint32_t{0x0B1B}), SaStatus::kOk);
    EXPECT_EQ(status(Record::kHasQKey, Record::kQKey, 1U), SaStatus::kRequestInvalid);
    EXPECT_EQ(status(Record::kHasPKey, Record::kPKey, std::uint16_t{0x7FFF}), SaStatus::kOk);
    EXPECT_EQ(status(Record::kHasPKey, Record::kPKey, std::uint16_t{0x8001}),
              SaStatus::kRequestInvalid);
    EXPECT_EQ(status(Record::kHasPKey, Record::kPKey, std::uint16_t{0x8000}),
              SaStatus::kRequestInvalid);
    EXPECT_EQ(status(Record::kHasSl, Record::kSl, std::uint8_t{1}), SaStatus::kRequestInvalid);
    EXPECT_EQ(status(Record::kHasTClass, Record::kTClass, std::uint8_t{1}),
              SaStatus::kRequestInvalid);
    EXPECT_EQ(status(Record::kHasFlowLabel, Record::kFlowLabel, 1U), SaStatus::kRequestInvalid);
    EXPECT_EQ(status(Record::kHasHopLimit, Record::kHopLimit, std::uint8_t{1}),
              SaStatus::kRequestInvalid);
    EXPECT_EQ(status(Record::kHasMtu, Record::kMtu, Mtu::k4096), SaStatus::kOk);  // No selector.
    const auto mtu = [&](Selector selector, Mtu value) {
        Request request = Join(kBroadcast, 0);
        request.With(Record::kHasMtu, Record::kMtu, value);
        return Set(request.With(Record::kHasMtuSelector, Record::kMtuSelector, selector), 0);
    };
    EXPECT_EQ(mtu(Selector::kAbove, Mtu::k1024), SaStatus::kOk);
    EXPECT_EQ(mtu(Selector::kAbove, Mtu::k2048), SaStatus::kRequestInvalid);
    EXPECT_EQ(mtu(Selector::kBelow, Mtu::k2048), SaStatus::kRequestInvalid);
    EXPECT_EQ(mtu(Selector::kExactly, Mtu::k1024), SaStatus::kRequestInvalid);
    EXPECT_EQ(mtu(Selector::kBest, Mtu::k256), SaStatus::kOk);
}

TEST_F(McMembers, APortBelowTheGroupDoesNotJoinUnlessTheOperatorSaysSo) {
    net_.port(1, 1).info.Set(PortInfo::kMtuCap, Mtu::k1024);
    net_.port(2, 1).info.Set(PortInfo::kLinkWidthActive, link_width::k1x);
    EXPECT_EQ(Set(Join(kBroadcast, 1), 1), SaStatus::kRequestInvalid);
    EXPECT_EQ(Set(Join(kBroadcast, 2), 2), SaStatus::kRequestInvalid);
    net_.settings().mcgroup_join_validation = false;
    EXPECT_EQ(Set(Join(kBroadcast, 1), 1), SaStatus::kOk);
    EXPECT_EQ(Set(Join(kBroadcast, 2), 2), SaStatus::kOk);
}

TEST_F(McMembers, AGroupIsMadeByWhoSaysEnoughAndKeepsItAlive) {
    EXPECT_EQ(Set(Join(kPlain, 0), 0), SaStatus::kInsufficientComponents);
    for (const unsigned component : {Record::kHasQKey, Record::kHasTClass, Record::kHasPKey,
                                     Record::kHasFlowLabel, Record::kHasSl}) {
        EXPECT_EQ(Set(Create(kPlain, 0).Without(component), 0), SaStatus::kInsufficientComponents);
    }
    for (const std::uint8_t state : {std::uint8_t{0}, join_state::kNon, join_state::kSendOnlyNon}) {
        EXPECT_EQ(Set(Create(kPlain, 0, state), 0), SaStatus::kRequestInvalid);
    }
    EXPECT_EQ(groups().group_count(), 1U);
    EXPECT_EQ(Set(Create(kPlain, 0, join_state::kSendOnlyFull), 0), SaStatus::kOk);
    EXPECT_EQ(answer_.Get(Record::kMlid), Lid{0xC001});
    EXPECT_EQ(answer_.Get(Record::kMtu), Mtu::k2048);
    EXPECT_EQ(answer_.Get(Record::kRate), Rate::k10Gb);
}

TEST_F(McMembers, MtuAndRateOfANewGroupAreWhatIsAskedForAndThePortCanDo) {
    const auto made = [&](Selector selector, Mtu value) {
        Request request = Create(kPlain, 0);
        request.With(Record::kHasMtu, Record::kMtu, value);
        request.With(Record::kHasMtuSelector, Record::kMtuSelector, selector);
        if (Set(request, 0) != SaStatus::kOk) return Mtu::kNone;
        const Mtu had = answer_.Get(Record::kMtu);
        EXPECT_EQ(Delete(Join(kPlain, 0), 0), SaStatus::kOk);
        return had;
    };
    EXPECT_EQ(made(Selector::kAbove, Mtu::k256), Mtu::k2048);
    EXPECT_EQ(made(Selector::kAbove, Mtu::k2048), Mtu::kNone);
    EXPECT_EQ(made(Selector::kBelow, Mtu::k256), Mtu::kNone);
    EXPECT_EQ(made(Selector::kBelow, Mtu::k1024), Mtu::k512);
    EXPECT_EQ(made(Selector::kBelow, Mtu::k4096), Mtu::k2048);
    EXPECT_EQ(made(Selector::kExactly, Mtu::k512), Mtu::k512);
    EXPECT_EQ(made(Selector::kExactly, Mtu::k4096), Mtu::kNone);
    EXPECT_EQ(made(Selector::kBest, Mtu::k4096), Mtu::k2048);
    EXPECT_EQ(made(Selector::kBest, static_cast<Mtu>(6)), Mtu::kNone);

    const auto rate = [&](Selector selector, Rate value) {
        Request request = Create(kPlain, 0);
        request.With(Record::kHasRate, Record::kRate, value);
        request.With(Record::kHasRateSelector, Record::kRateSelector, selector);
        if (Set(request, 0) != SaStatus::kOk) return Rate::kNone;
        const Rate had = answer_.Get(Record::kRate);
        EXPECT_EQ(Delete(Join(kPlain, 0), 0), SaStatus::kOk);
        return had;
    };
    EXPECT_EQ(rate(Selector::kBelow, Rate::k10Gb), Rate::k5Gb);
    EXPECT_EQ(rate(Selector::kBelow, Rate::k2Gb5), Rate::kNone);
    EXPECT_EQ(rate(Selector::kExactly, Rate::k5Gb), Rate::k5Gb);
    EXPECT_EQ(rate(Selector::kExactly, Rate::k20Gb), Rate::kNone);
    EXPECT_EQ(rate(Selector::kAbove, Rate::k5Gb), Rate::k10Gb);
    EXPECT_EQ(rate(Selector::kBest, static_cast<Rate>(63)), Rate::kNone);
}

TEST_F(McMembers, MgidsThatNoClientMayChooseAreRefused) {
    const auto status = [&](std::uint64_t high, std::uint64_t low) {
        return Set(Create({high, low}, 0), 0);
    };
    EXPECT_EQ(status(0xFE12A01C00000000ULL, 0), SaStatus::kRequestInvalid);
    EXPECT_EQ(status(0xFF22A01C00000000ULL, 0), SaStatus::kRequestInvalid);
    EXPECT_EQ(status(0xFF12A01B00000000ULL, 9), SaStatus::kRequestInvalid);
    EXPECT_EQ(status(0xFF15A01B00000000ULL, 9), SaStatus::kOk);
    EXPECT_EQ(status(0xFF01FF0000000000ULL, 0), SaStatus::kOk);
}

TEST_F(McMembers, GroupsOfIpNeedTheirBroadcastGroup) {
    const Gid mgid{0xFF12401BFFFF0000ULL, 1};
    EXPECT_EQ(Set(Create(mgid, 0), 0), SaStatus::kRequestInvalid);  // Another Q_Key.
    Request fits = Create(mgid, 0);
    fits.record.Set(Record::kQKey, std::uint32_t{0x0B1B});
    EXPECT_EQ(Set(fits, 0), SaStatus::kOk);
    Request of_ipv6 = fits;
    of_ipv6.record.SetMgid({0xFF12601BFFFF0000ULL, 1});
    EXPECT_EQ(Set(of_ipv6, 0), SaStatus::kOk);
    Request wider = fits;
    wider.record.SetMgid({0xFF15401BFFFF0000ULL, 1});
    EXPECT_EQ(Set(wider, 0), SaStatus::kRequestInvalid);
    net_.settings().ipoib_mcgroup_creation_validation = false;
    EXPECT_EQ(Set(wider, 0), SaStatus::kOk);
}

TEST_F(McMembers, AMgidIsMadeForWhoBringsNone) {
    EXPECT_EQ(Set(Create({}, 0), 0), SaStatus::kOk);
    EXPECT_EQ(answer_.mgid(), (Gid{0xFF12A01BFE800000ULL, 0}));
    Request wide = Create({}, 0).With(Record::kHasScope, Record::kScope, std::uint8_t{0xE});
    EXPECT_EQ(Set(wide, 0), SaStatus::kOk);
    EXPECT_EQ(answer_.mgid(), (Gid{0xFF1EA01BFE800000ULL, 0x0000010000000000ULL}));
}

TEST_F(McMembers, WithoutTheKeyAPortActsForItselfOnly) {
    EXPECT_EQ(Set(Join(kBroadcast, 2), 1), SaStatus::kRequestDenied);
    EXPECT_EQ(Set(Create(kPlain, 2), 1), SaStatus::kRequestDenied);
    EXPECT_EQ(groups().Find(kPlain), kNoGroup);
    ASSERT_EQ(Set(Join(kBroadcast, 0), 0), SaStatus::kOk);
    EXPECT_EQ(Set(Join(kBroadcast, 0, join_state::kNon), 1), SaStatus::kRequestDenied);
    EXPECT_EQ(Delete(Join(kBroadcast, 0), 1), SaStatus::kRequestDenied);
    net_.trusted = true;
    ASSERT_EQ(Set(Join(kBroadcast, 2), 1), SaStatus::kOk);
    net_.trusted = false;
    EXPECT_EQ(Delete(Join(kBroadcast, 2), 0), SaStatus::kRequestDenied);
    EXPECT_EQ(Delete(Join(kBroadcast, 2), 1), SaStatus::kOk) << "who put it there";
    net_.trusted = true;
    ASSERT_EQ(Set(Join(kBroadcast, 2), 1), SaStatus::kOk);
    net_.trusted = false;
    EXPECT_EQ(Delete(Join(kBroadcast, 2), 2), SaStatus::kOk) << "whom it is about";
}

TEST_F(McMembers, NoPortChangesTheMembershipOfAnother) {
    net_.settings().sa_allow_proxies = true;
    ASSERT_EQ(Set(Join(kBroadcast, 0), 0), SaStatus::kOk);
    EXPECT_EQ(Set(Join(kBroadcast, 0, join_state::kNon), 1), SaStatus::kRequestInvalid);
    EXPECT_EQ(Delete(Join(kBroadcast, 0), 1), SaStatus::kRequestInvalid);
    ASSERT_EQ(Set(Join(kBroadcast, 2), 1), SaStatus::kOk);  // A proxy's.
    EXPECT_EQ(Set(Join(kBroadcast, 2, join_state::kNon), 0), SaStatus::kOk);
    EXPECT_EQ(Delete(Join(kBroadcast, 2), 0), SaStatus::kOk);
    ASSERT_EQ(Set(Join(kBroadcast, 2), 2), SaStatus::kOk);  // And now its own.
    EXPECT_EQ(Delete(Join(kBroadcast, 2), 0), SaStatus::kRequestInvalid);
}

TEST_F(McMembers, APortMayJoinByAnAlias) {
    Request request = Join(kBroadcast, 0);
    request.record.Set(Record::kPortGidGuid, Guid{0xA11A5});
    EXPECT_EQ(Set(request, 0), SaStatus::kRequestInvalid);
    ASSERT_EQ(aliases_.Put(GuidOf(0), 1, Guid{0xA11A5}), Status::kOk);
    EXPECT_EQ(Set(request, 0), SaStatus::kOk);
    EXPECT_EQ(answer_.Get(Record::kPortGidGuid), Guid{0xA11A5});
    const GroupIndex at = groups().Find(kBroadcast);
    const MemberIndex member = groups().FindMember(at, Guid{0xA11A5});
    ASSERT_NE(member, kNoMember);
    EXPECT_EQ(groups().member(member).owner, GuidOf(0));
    EXPECT_EQ(Delete(request, 1), SaStatus::kRequestDenied);
    EXPECT_EQ(Delete(request, 0), SaStatus::kOk);
}

TEST_F(McMembers, LeaveTakesWhatItNamesAndNoMore) {
    ASSERT_EQ(Set(Join(kBroadcast, 0, 5), 0), SaStatus::kOk);
    EXPECT_EQ(Delete(Join(kBroadcast, 0, join_state::kNon), 0), SaStatus::kRequestInvalid);
    EXPECT_EQ(Delete(Join(kBroadcast, 0, 0), 0), SaStatus::kRequestInvalid);
    EXPECT_EQ(Delete(Join(kBroadcast, 0, join_state::kSendOnlyNon), 0), SaStatus::kOk);
    EXPECT_EQ(answer_.Get(Record::kJoinState), join_state::kFull);
    EXPECT_EQ(answer_.Get(Record::kScope), 2U);
    EXPECT_EQ(Delete(Join(kBroadcast, 0), 0), SaStatus::kOk);
    EXPECT_EQ(Delete(Join(kBroadcast, 0), 0), SaStatus::kRequestInvalid);
    EXPECT_EQ(Delete(Join(kPlain, 0), 0), SaStatus::kRequestInvalid);  // No such group.
}

TEST_F(McMembers, FullTablesAreNoResourcesAndLeaveNothingBehind) {
    for (std::uint64_t i = 1; i <= 10; ++i) {  // Of ten ports: no share is used up.
        const auto made = groups().Create({kPlain.high, i}, GroupValues{.p_key = 0xFFFF}, {});
        ASSERT_TRUE(made.ok());
        const Member who{.port_guid = Guid{0x900 + i}, .join_state = join_state::kFull};
        ASSERT_TRUE(groups().Join(made.value(), who, 0).ok());
    }
    EXPECT_EQ(Set(Join(kBroadcast, 0), 0), SaStatus::kOk);
    EXPECT_EQ(Set(Join(kBroadcast, 2), 2), SaStatus::kOk);
    EXPECT_EQ(Set(Create({kPlain.high, 19}, 1), 1), SaStatus::kNoResources);  // Members.
    EXPECT_EQ(groups().Find({kPlain.high, 19}), kNoGroup);
    EXPECT_EQ(Delete(Join(kBroadcast, 0), 0), SaStatus::kOk);
    EXPECT_EQ(Set(Create({kPlain.high, 19}, 1), 1), SaStatus::kOk);
    EXPECT_EQ(Delete(Join(kBroadcast, 2), 2), SaStatus::kOk);
    EXPECT_EQ(Set(Create({kPlain.high, 20}, 6), 6), SaStatus::kNoResources);  // Groups.
}

// Proxies are charged to who asks, however they are allowed: trusted or not.
TEST_F(McMembers, OnePortCannotTakeAllGroupsOrMembers) {
    std::uint64_t made = 0;
    while (made < 100 && Set(Create({kPlain.high, made + 1}, 0), 0) == SaStatus::kOk) {
        ++made;
    }
    EXPECT_EQ(made, 5U) << "with the broadcast group, half of the rows";
    EXPECT_EQ(groups().group_count(), 6U);
    EXPECT_EQ(Set(Create({kPlain.high, 50}, 1), 1), SaStatus::kOk) << "another has its share";
    EXPECT_EQ(Set(Create({kPlain.high, 51}, 1), 1), SaStatus::kNoResources);
    net_.trusted = true;
    EXPECT_EQ(Set(Join({kPlain.high, 1}, 2), 0), SaStatus::kNoResources) << "members";
    EXPECT_EQ(Set(Join({kPlain.high, 1}, 2), 6), SaStatus::kOk);
    EXPECT_EQ(Set(Join({kPlain.high, 2}, 2), 6), SaStatus::kNoResources);
    // The port may change a membership that it has, and have again what it gives back.
    EXPECT_EQ(Set(Join({kPlain.high, 1}, 0, join_state::kNon), 0), SaStatus::kOk);
    for (std::uint64_t i = 1; i <= made; ++i) {
        EXPECT_EQ(Delete(Join({kPlain.high, i}, 0, i == 1 ? 3 : 1), 0), SaStatus::kOk);
    }
    EXPECT_EQ(Set(Create({kPlain.high, 60}, 0), 0), SaStatus::kOk);
}

}  // namespace
}  // namespace ember
