// SPDX-License-Identifier: Apache-2.0
// EmberSM: joining, leaving and asking, rule by rule. That OpenSM does the same is shown by
// tests/interop/multicast_cases.py.
#include "core/administration/mc_member_records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "core/fabric/broadcast_group.h"
#include "tests/core/administration/record_net.h"
#include "tests/support/multicast_store.h"

namespace ember {
namespace {

using Record = McMemberRecord;
using testing::GroupStore;
using testing::RecordNet;
using testing::Told;

constexpr std::uint64_t kPrefix = 0xFE80000000000000ULL;
constexpr Gid kBroadcast{0xFF12401BFFFF0000ULL, 0xFFFFFFFFULL};
constexpr Gid kPlain{0xFF12A01C00000000ULL, 1};

constexpr Limits kRoom{.max_nodes = 1,
                       .max_switches = 1,
                       .max_ports = 1,
                       .max_switch_ports = 1,
                       .max_lid = 1,
                       .max_smps = 1,
                       .max_other_sms = 1,
                       .journal_notes = 16,
                       .scratch_bytes = 0,
                       .max_groups = 12,
                       .max_members = 12,
                       .max_mlids = 32,
                       .max_events = 16};

/// A request: fields are set and their components counted, one by one.
struct Request {
    Record record;
    std::uint64_t mask = 0;

    template <WireScalar Value>
    Request& With(unsigned component, Field<Value> field, Value value) {
        record.Set(field, value);
        mask |= std::uint64_t{1} << component;
        return *this;
    }
    Request& Without(unsigned component) {
        mask &= ~(std::uint64_t{1} << component);
        return *this;
    }
};

class McMembers : public ::testing::Test {
protected:
    McMembers() {
        ForEachPort(net_.fabric(), [](PortIndex, Port& port) {
            port.info = PortInfo{};
            port.info.Set(PortInfo::kMtuCap, Mtu::k2048);
            port.info.Set(PortInfo::kLinkWidthActive, link_width::k4x);
            port.info.Set(PortInfo::kLinkSpeedActive, link_speed::kSdr);
        });
        static_cast<void>(CreateBroadcastGroup(groups(), net_.settings()));
    }

    Groups& groups() { return store_.groups(); }
    Guid GuidOf(std::uint32_t node) { return net_.port(node, 1).guid; }

    Request Join(const Gid& mgid, std::uint32_t node, std::uint8_t state = join_state::kFull) {
        Request request;
        request.record.SetMgid(mgid);
        request.record.Set(Record::kPortGidPrefix, kPrefix);
        request.mask = 1U << Record::kHasMgid;
        request.With(Record::kHasPortGid, Record::kPortGidGuid, GuidOf(node));
        request.With(Record::kHasJoinState, Record::kJoinState, state);
        return request;
    }
    Request Create(const Gid& mgid, std::uint32_t node, std::uint8_t state = join_state::kFull) {
        Request request = Join(mgid, node, state);
        request.With(Record::kHasQKey, Record::kQKey, std::uint32_t{7});
        request.With(Record::kHasTClass, Record::kTClass, std::uint8_t{0});
        request.With(Record::kHasPKey, Record::kPKey, std::uint16_t{0xFFFF});
        request.With(Record::kHasFlowLabel, Record::kFlowLabel, std::uint32_t{0});
        request.With(Record::kHasSl, Record::kSl, std::uint8_t{0});
        return request;
    }
    /// Does a Set or Delete as the node `from`.
    SaStatus Do(Method method, const Request& request, std::uint32_t from) {
        Query query = net_.Question(request.mask, request.record.octets());
        query.method = method;
        query.requester = net_.at(from, 1);
        answer_ = Record{};
        std::array<std::uint8_t, sizeof(Record)> octets{};
        const SaStatus status = records_.Change(query, 5, octets);
        if (status == SaStatus::kOk) answer_ = std::bit_cast<Record>(octets);
        return status;
    }
    SaStatus Set(const Request& request, std::uint32_t from) {
        return Do(Method::kSet, request, from);
    }
    SaStatus Delete(const Request& request, std::uint32_t from) {
        return Do(Method::kDelete, request, from);
    }
    std::vector<Record> Ask(const Request& request) {
        const Told told = net_.Ask(records_, request.mask, request.record.octets(), 1);
        std::vector<Record> found;
        for (const auto& octets : told.records) {
            Record record;
            std::copy(octets.begin(), octets.end(), record.octets().begin());
            found.push_back(record);
        }
        return found;
    }

    RecordNet net_;
    GroupStore store_{kRoom};
    std::vector<AliasGuids::Row> alias_rows_{4};
    std::vector<AliasIndex> alias_slots_ =
        std::vector<AliasIndex>(RowIndex<AliasIndex>::SlotsFor(4));
    std::vector<AliasIndex> place_slots_ = alias_slots_;
    AliasGuids aliases_{{alias_rows_, alias_slots_, place_slots_}};
    McMemberRecords records_{net_.view(), store_.groups(), aliases_};
    Record answer_;
};

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

TEST_F(McMembers, MgidsThatNobodyMayChooseAreRefused) {
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

TEST_F(McMembers, NobodyChangesAnothersMembership) {
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
    // What it has it may change, and what it gives back it may have again.
    EXPECT_EQ(Set(Join({kPlain.high, 1}, 0, join_state::kNon), 0), SaStatus::kOk);
    for (std::uint64_t i = 1; i <= made; ++i) {
        EXPECT_EQ(Delete(Join({kPlain.high, i}, 0, i == 1 ? 3 : 1), 0), SaStatus::kOk);
    }
    EXPECT_EQ(Set(Create({kPlain.high, 60}, 0), 0), SaStatus::kOk);
}

TEST_F(McMembers, OrdinaryRequestersSeeGroupsAndTrustedOnesMembers) {
    ASSERT_EQ(Set(Join(kBroadcast, 0), 0), SaStatus::kOk);
    ASSERT_EQ(Set(Join(kBroadcast, 1), 1), SaStatus::kOk);
    ASSERT_EQ(Set(Create(kPlain, 1), 1), SaStatus::kOk);
    std::vector<Record> told = Ask({});
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].mgid(), kBroadcast);
    EXPECT_EQ(told[0].Get(Record::kPortGidGuid), kNoGuid);
    EXPECT_EQ(told[0].Get(Record::kJoinState), 0U);
    Request by_port;
    by_port.With(Record::kHasPortGid, Record::kPortGidGuid, GuidOf(0));
    told = Ask(by_port);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].Get(Record::kPortGidGuid), kNoGuid);

    net_.trusted = true;
    EXPECT_EQ(Ask({}).size(), 3U);
    told = Ask(by_port);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].Get(Record::kPortGidGuid), GuidOf(0));
    EXPECT_EQ(told[0].Get(Record::kJoinState), join_state::kFull);
    Request by_state;
    by_state.With(Record::kHasJoinState, Record::kJoinState, join_state::kNon);
    EXPECT_TRUE(Ask(by_state).empty());
}

TEST_F(McMembers, QuestionsAreMatchedFieldByField) {
    ASSERT_EQ(Set(Create(kPlain, 1), 1), SaStatus::kOk);
    const auto found = [&](auto component, auto field, auto value) {
        Request request;
        return Ask(request.With(component, field, value)).size();
    };
    EXPECT_EQ(found(Record::kHasMlid, Record::kMlid, Lid{0xC001}), 1U);
    EXPECT_EQ(found(Record::kHasMlid, Record::kMlid, Lid{0xC009}), 0U);
    EXPECT_EQ(found(Record::kHasScope, Record::kScope, std::uint8_t{2}), 1U);
    EXPECT_EQ(found(Record::kHasQKey, Record::kQKey, 7U), 1U);
    EXPECT_EQ(found(Record::kHasPKey, Record::kPKey, std::uint16_t{0x7FFF}), 2U);
    EXPECT_EQ(found(Record::kHasPKey, Record::kPKey, std::uint16_t{0x8001}), 0U);
    Request by_mgid;
    by_mgid.record.SetMgid(kPlain);
    by_mgid.mask = 1U << Record::kHasMgid;
    ASSERT_EQ(Ask(by_mgid).size(), 1U);
    by_mgid.record.SetMgid({kPlain.high, 77});
    EXPECT_TRUE(Ask(by_mgid).empty());
}

TEST_F(McMembers, ARequestThatCameWithoutItsEndHasZerosThere) {
    EXPECT_EQ(Set(Create(kPlain, 0), 0), SaStatus::kOk);
    const Request whole = Join(kPlain, 2);
    for (const std::size_t octets : {0U, 16U, 31U}) {
        Query query = net_.Question(whole.mask, whole.record.octets());
        query.record = query.record.first(octets);
        std::array<std::uint8_t, sizeof(Record)> answer{};
        for (const Method method : {Method::kSet, Method::kDelete}) {
            query.method = method;
            EXPECT_NE(records_.Change(query, 5, answer), SaStatus::kOk);
        }
        query.method = Method::kGetTable;
        for (const bool is_trusted : {false, true}) {
            query.is_trusted = is_trusted;
            query.component_mask = 0;
            Cursor cursor;
            std::uint32_t budget = 100;
            EXPECT_EQ(records_.Next(query, cursor, budget, answer), Found::kRecord);
        }
    }
}

}  // namespace
}  // namespace ember
