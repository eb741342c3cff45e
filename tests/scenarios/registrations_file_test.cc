// SPDX-License-Identifier: Apache-2.0
// EmberSM: what clients registered with another subnet manager is served by us: sa_db_file.
//
// Goal:   the tables are those of the file, MLIDs too, as far as they are of ports that are there;
//         a journal of our own is newer.
// Method: a file as emberc makes one, in the settings of a manager on simulated hardware.
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "core/administration/registrations/sa_file.h"
#include "core/administration/registrations/sa_frames.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr Gid kMgid{0xFF12A01C00000000ULL, 7};
constexpr std::uint64_t kNow = 2'000'000'000;

class SomeDay final : public Calendar {
public:
    explicit SomeDay(std::uint64_t unix_s) : unix_s_(unix_s) {}
    [[nodiscard]] std::uint64_t UnixSeconds() const override { return unix_s_; }

private:
    std::uint64_t unix_s_;
};

/// Entries in one frame each.
class FileWriter {
public:
    template <typename Body>
    FileWriter& Add(SaEntryKind kind, const Body& body) {
        return AddOctets(kind, std::as_bytes(std::span(&body, 1)));
    }
    const std::vector<std::byte>& Complete() {
        AddOctets(SaEntryKind::kComplete, {});
        return octets_;
    }

private:
    FileWriter& AddOctets(SaEntryKind kind, std::span<const std::byte> body) {
        std::vector<std::byte> frame(sizeof(SaFrameHead) + sizeof(SaEntryHead));
        const SaEntryHead head{kind, static_cast<std::uint8_t>(body.size())};
        std::memcpy(frame.data() + sizeof(SaFrameHead), &head, sizeof(head));
        frame.insert(frame.end(), body.begin(), body.end());
        SaFrameHead front{};
        front.sequence = sequence_++;
        front.clock_us = kNow * kSecond;
        CloseFrame(frame, front);
        octets_.insert(octets_.end(), frame.begin(), frame.end());
        return *this;
    }

    std::uint32_t sequence_ = 0;
    std::vector<std::byte> octets_;
};

GroupEntry SomeGroup(const Gid& mgid, Lid mlid) {
    GroupEntry group;
    group.mgid = mgid;
    group.mlid = mlid;
    group.p_key = kDefaultPKey;
    group.mtu = Mtu::k2048;
    group.rate = Rate::k10Gb;
    return group;
}

MemberEntry SomeMember(const Gid& mgid, Guid port) {
    MemberEntry member;
    member.mgid = mgid;
    member.port_guid = port;
    member.owner = port;
    member.join_state = join_state::kFull;
    return member;
}

ServiceEntry SomeService(std::uint64_t id, Guid port, std::uint64_t ends_s) {
    ServiceEntry service;
    service.record.Set(ServiceRecord::kServiceId, id);
    service.record.SetGid({0xFE80000000000000ULL, Raw(port)});
    service.record.Set(ServiceRecord::kServicePKey, kDefaultPKey);
    service.owner = port;
    service.ends_us = ends_s * kSecond;
    return service;
}

class RegistrationsFile : public ::testing::Test {
protected:
    RegistrationsFile() : world_(net::FatTree2(6)) {
        for (std::uint32_t i = 0; i < world_.world().node_count(); ++i) {
            if (!world_.world().node(i).is_switch()) hosts_.push_back(i);
        }
    }
    Guid GuidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(hosts_[host], 1)).guid;
    }
    /// A group of two hosts and of one that is not there, a subscription, and three services.
    const std::vector<std::byte>& File() {
        FileWriter& file = writer_;
        file.Add(SaEntryKind::kGroup, SomeGroup(kMgid, Lid{0xC015}));
        for (const Guid guid : {GuidOf(1), GuidOf(2), Guid{0xDEAD}}) {
            file.Add(SaEntryKind::kMember, SomeMember(kMgid, guid));
        }
        SubscriptionEntry subscription;
        subscription.subscriber = GuidOf(3);
        subscription.info.Set(InformInfo::kTrapNumber, std::uint16_t{66});
        file.Add(SaEntryKind::kSubscription, subscription);
        file.Add(SaEntryKind::kService, SomeService(1, GuidOf(1), kNow + 500));
        file.Add(SaEntryKind::kService, SomeService(2, GuidOf(2), kNow + 5000));
        return file.Complete();
    }
    void Begin(std::span<const std::byte> file, const Calendar* calendar = nullptr) {
        Settings settings = BriskSettings();
        settings.manager_tables.registrations = file;
        world_.SetCalendar(calendar);
        world_.AddManager(settings);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }
    [[nodiscard]] Lid MlidNow() {
        const Groups& groups = world_.sm().multicast().groups();
        const GroupIndex at = groups.Find(kMgid);
        return at == kNoGroup ? kNoLid : LidOf(groups.group(at).mlid);
    }

    SimWorld world_;
    FileWriter writer_;
    std::vector<std::uint32_t> hosts_;
};

TEST_F(RegistrationsFile, IsServedWhereThereIsNoJournal) {
    Begin(File());
    const Groups& groups = world_.sm().multicast().groups();
    EXPECT_EQ(MlidNow(), Lid{0xC015});
    const GroupIndex group = groups.Find(kMgid);
    ASSERT_NE(group, kNoGroup);
    EXPECT_EQ(groups.group(group).members, 2U);
    EXPECT_NE(groups.FindMember(group, GuidOf(1)), kNoMember);
    EXPECT_EQ(world_.sm().records().services().count(), 2U);
    EXPECT_EQ(world_.sm().records().subscriptions().count(), 1U);
    EXPECT_EQ(world_.sm().restored().source, SaRestoreSource::kFile);
    EXPECT_EQ(world_.sm().restored().file, Status::kOk);
    EXPECT_EQ(world_.sm().restored().gone, 1U) << "a port that nobody has";
    EXPECT_EQ(world_.Heard(Note::kSaFileRead), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaNotRestored), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaJournalDamaged), 0U) << world_.Notes();
    // Members are reached: there is a tree.
    EXPECT_GT(world_.sim().counters().Sets(AttributeId::kMulticastForwardingTable), 0U);
}

TEST_F(RegistrationsFile, ThatTakesTheRoomOfTheBroadcastGroupIsToldOf) {
    constexpr Limits kOneGroup = [] {
        Limits limits = kSimSmall;
        limits.max_groups = 1;
        return limits;
    }();
    Settings settings = BriskSettings();
    settings.manager_tables.registrations = File();
    world_.AddManager<kOneGroup>(settings);
    ASSERT_TRUE(world_.RunUntilUp(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kNoRoomForGroup), 1U) << world_.Notes();
}

TEST_F(RegistrationsFile, IsOlderThanTheJournal) {
    Begin(File());
    Groups& groups = world_.sm().multicast().groups();
    Member who;
    who.port_guid = GuidOf(4);
    who.join_state = join_state::kFull;
    ASSERT_TRUE(groups.Join(groups.Find(kMgid), who, world_.now_us()).ok());
    groups.Leave(groups.FindMember(groups.Find(kMgid), GuidOf(1)), join_state::kAll,
                 world_.now_us());
    world_.Wake();
    world_.RunFor(kSecond);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.sm().restored().source, SaRestoreSource::kJournal);
    EXPECT_EQ(world_.sm().restored().file, Status::kAbsent);
    EXPECT_EQ(world_.Heard(Note::kSaFilePassedOver), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaFileRead), 0U) << world_.Notes();
    const Groups& now = world_.sm().multicast().groups();
    EXPECT_NE(now.FindMember(now.Find(kMgid), GuidOf(4)), kNoMember);
    EXPECT_EQ(now.FindMember(now.Find(kMgid), GuidOf(1)), kNoMember) << "who has left stays out";
}

TEST_F(RegistrationsFile, CountsWhereTheJournalIsDamaged) {
    Begin(File());
    world_.RunFor(kSecond);
    world_.state_log().octets()[3] ^= std::byte{1};
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaJournalDamaged), 1U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSaFileRead), 1U) << world_.Notes();
    EXPECT_EQ(world_.sm().restored().source, SaRestoreSource::kFile);
    EXPECT_EQ(MlidNow(), Lid{0xC015});
}

TEST_F(RegistrationsFile, LeasesEndOnTheDayTheySay) {
    const SomeDay later(kNow + 1000);
    Begin(File(), &later);
    EXPECT_EQ(world_.sm().records().services().count(), 1U) << "that of 500 s is over";
    world_.RunFor(4100 * kSecond);
    EXPECT_EQ(world_.sm().records().services().count(), 0U) << "that of 5,000 s, 1,000 s later";
}

TEST_F(RegistrationsFile, WhatABoardHasNoRoomForIsTold) {
    for (std::uint16_t i = 0; i < 600; ++i) {
        const Gid mgid{0xFF12A01C00000000ULL, 1000ULL + i};
        writer_.Add(SaEntryKind::kGroup, SomeGroup(mgid, static_cast<Lid>(0xC020 + i)));
        writer_.Add(SaEntryKind::kMember, SomeMember(mgid, GuidOf(1)));
    }
    Begin(File());
    const Limits& limits = world_.sm().limits();
    ASSERT_LT(limits.max_groups, 600U) << "this board is too large for the test";
    EXPECT_LE(world_.sm().multicast().groups().group_count(), limits.max_groups);
    EXPECT_GT(world_.sm().restored().unusable, 0U);
    EXPECT_EQ(world_.Heard(Note::kSaNotRestored), 1U) << world_.Notes();
    EXPECT_TRUE(world_.sm().is_up());
}

}  // namespace
}  // namespace ember::testing
