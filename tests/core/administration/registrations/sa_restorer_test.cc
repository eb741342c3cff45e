// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is restored of a journal: leases, ports that are gone, smaller boards.
#include "core/administration/registrations/sa_restorer.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/core/administration/registrations/sa_journal_harness.h"

namespace ember::testing {
namespace {

class SaRestorerTest : public SaJournalTest {
protected:
    ServiceRecord Service(std::uint64_t id, std::uint32_t lease) {
        ServiceRecord record;
        record.Set(ServiceRecord::kServiceId, id);
        record.SetGid({0xFE80000000000000, Raw(ports_[0])});
        record.Set(ServiceRecord::kServiceLease, lease);
        return record;
    }
    std::vector<std::byte> Journaled() {
        Begin();
        Settle();
        return log_.below().octets();
    }
    /// Restores at `now_us` of the next incarnation's clock.
    void Restore(const std::vector<std::byte>& octets, SaTablesStore& store, std::uint64_t now_us,
                 std::uint64_t age_s = 0) {
        SimStateLog log;
        log.Put(octets);
        log.SetAge(age_s);
        SaRestorer restorer(buffer_, {&log, net_.fabric(), store.tables()});
        restorer.Begin({});
        while (restorer.Step(now_us)) {
        }
        restored_ = restorer.outcome();
    }
};

TEST_F(SaRestorerTest, LeasesGoOnWhereTheyWereLessTheAgeOfTheLog) {
    now_us_ = 1000 * kSecondUs;
    Services& services = store_.tables().services;
    ASSERT_EQ(services.Put(Service(1, 100), ports_[0], now_us_), Status::kOk);
    ASSERT_EQ(services.Put(Service(2, 10), ports_[0], now_us_), Status::kOk);
    ASSERT_EQ(services.Put(Service(3, ServiceRecord::kForever), ports_[0], now_us_), Status::kOk);
    now_us_ += 4 * kSecondUs;
    const std::vector<std::byte> octets = Journaled();
    SaTablesStore young;
    Restore(octets, young, 7 * kSecondUs);
    EXPECT_EQ(restored_.services, 3U);
    Services& back = young.tables().services;
    EXPECT_EQ(back.row(back.Find(Service(1, 0))).ends_us, (7 + 96) * kSecondUs);
    EXPECT_EQ(back.row(back.Find(Service(2, 0))).ends_us, (7 + 6) * kSecondUs);
    EXPECT_EQ(back.row(back.Find(Service(3, 0))).ends_us, kNever);
    SaTablesStore old;
    Restore(octets, old, 7 * kSecondUs, 6);
    EXPECT_EQ(restored_.services, 2U);
    EXPECT_EQ(restored_.expired, 1U);
    EXPECT_EQ(old.tables().services.Find(Service(2, 0)), kNoService);
    Services& rest = old.tables().services;
    EXPECT_EQ(rest.row(rest.Find(Service(1, 0))).ends_us, (7 + 90) * kSecondUs);
}

TEST_F(SaRestorerTest, WhatBelongsToPortsThatAreGoneIsDropped) {
    const Guid stranger{0x1234};
    const SaTables tables = store_.tables();
    const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
    const Gid shared{0xFF12A01C00000000, 1};
    const Gid lonely{0xFF12A01C00000000, 2};
    for (const Gid& mgid : {shared, lonely}) {
        ASSERT_TRUE(tables.groups.Create(mgid, values, {.wanted = MlidIndex{7}}).ok());
        Member who;
        who.port_guid = stranger;
        who.join_state = join_state::kFull;
        ASSERT_TRUE(tables.groups.Join(tables.groups.Find(mgid), who, 0).ok());
    }
    Member who;
    who.port_guid = ports_[1];
    who.join_state = join_state::kFull;
    ASSERT_TRUE(tables.groups.Join(tables.groups.Find(shared), who, 0).ok());
    ASSERT_EQ(tables.services.Put(Service(1, 100), stranger, 0), Status::kOk);
    ASSERT_EQ(tables.aliases.Put(stranger, 1, Guid{5}), Status::kOk);
    Subscription wanted;
    wanted.subscriber = stranger;
    ASSERT_EQ(tables.subscriptions.Put(wanted), Status::kOk);

    SaTablesStore back;
    Restore(Journaled(), back, 0);
    EXPECT_EQ(restored_.gone, 5U);
    EXPECT_EQ(restored_.groups, 1U);
    EXPECT_EQ(restored_.members, 1U);
    EXPECT_EQ(restored_.services + restored_.aliases + restored_.subscriptions, 0U);
    const Groups& groups = back.tables().groups;
    ASSERT_NE(groups.Find(shared), kNoGroup);
    EXPECT_EQ(groups.group(groups.Find(shared)).mlid, MlidIndex{7});
}

TEST_F(SaRestorerTest, ObeysSoManyEntriesInAStepHoweverLongAFrameIs) {
    Limits wide = SmallSaLimits();
    wide.max_services = 1000;
    SaTablesStore many(wide);
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        // Not by Put(), which leaves one port only its share.
        ASSERT_EQ(many.tables().services.Restore(Service(i, 100), ports_[0], kSecondUs),
                  Status::kOk);
    }
    std::vector<std::byte> room(std::size_t{1} << 20U);  // All of it is one frame.
    SaJournal journal(room, {&log_, notes_, many.tables()});
    journal.Begin(0);
    for (int i = 0; i < 100; ++i) {
        static_cast<void>(journal.Step(0));
    }
    SimStateLog log;
    log.Put(log_.below().octets());
    SaTablesStore back(wide);
    SaRestorer restorer(room, {&log, net_.fabric(), back.tables()});
    restorer.Begin({});
    std::size_t before = 0;
    while (restorer.Step(0)) {
        const std::size_t now = back.tables().services.count();
        EXPECT_LE(now - before, std::size_t{SaRestorer::kEntriesAtOnce});
        before = now;
    }
    EXPECT_EQ(back.Describe(), many.Describe());
    EXPECT_EQ(restorer.outcome().services, 1000U);
}

TEST_F(SaRestorerTest, GroupsKeepAMlidThatTheyShare) {
    const SaTables tables = store_.tables();
    const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
    tables.groups.SetMlidCount(3);
    for (std::uint64_t i = 0; i < 7; ++i) {
        ASSERT_TRUE(tables.groups.Create({0xFF12A01C00000000, i + 1}, values, {}).ok());
        Member who;
        who.port_guid = ports_[0];
        who.join_state = join_state::kFull;
        const GroupIndex at = tables.groups.Find({0xFF12A01C00000000, i + 1});
        ASSERT_TRUE(tables.groups.Join(at, who, 0).ok());
    }
    const std::string before = store_.Describe();
    SaTablesStore back;
    Restore(Journaled(), back, 0);
    EXPECT_EQ(back.Describe(), before);
    EXPECT_EQ(restored_.moved, 0U);
    EXPECT_EQ(back.tables().groups.mlids_in_use(), 3U);
}

TEST_F(SaRestorerTest, WhatDoesNotFitASmallerBoardIsCounted) {
    Requests(200);
    const std::vector<std::byte> octets = Journaled();
    Limits small = SmallSaLimits();
    small.max_groups = 2;
    small.max_members = 3;
    small.max_services = 2;
    small.max_subscriptions = 1;
    small.max_alias_guids = 1;
    SaTablesStore back(small);
    Restore(octets, back, 0);
    EXPECT_EQ(restored_.groups, 2U);
    EXPECT_GT(restored_.unusable, 10U);
}

}  // namespace
}  // namespace ember::testing
