// SPDX-License-Identifier: Apache-2.0
// EmberSM: registrations survive whatever a power loss leaves of their journal.
//
// Goal:   what is restored is the state after some of the requests, in their order, none of them by
//         half; and after all of them that the log had called safe.
// Method: random requests on small tables, the journal on a log in memory; then every cut, every
//         flipped octet, and a power loss at every call of the log while generations change.
#include "core/administration/sa_journal.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "core/administration/sa_restorer.h"
#include "platform/sim/sim_state_log.h"
#include "tests/core/administration/record_net.h"
#include "tests/support/sa_tables_store.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kMs = 1'000;
constexpr std::uint64_t kSecond = 1'000'000;

/// What a power loss would leave at one moment.
struct Image {
    std::vector<std::byte> octets;
    bool has_any = false;
    std::size_t least = 0;  ///< Requests that are safe.
};

/// A log that takes an image before and after every call.
class WatchedLog final : public StateLog {
public:
    Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> octets) override {
        return log_.Read(offset, octets);
    }
    std::uint64_t AgeSeconds() override { return log_.AgeSeconds(); }
    Status Begin() override {
        TakeImage();
        const Status status = log_.Begin();
        TakeImage();
        return status;
    }
    Status Append(std::span<const std::byte> octets) override {
        const Status status = log_.Append(octets);
        if (status == Status::kOk) {
            told_ = requests;
            if (!log_.is_fresh()) ends_.push_back({log_.octets().size(), requests});
            if (!log_.is_fresh()) safe_ = requests;
        }
        TakeImage();
        return status;
    }
    Status Commit() override {
        TakeImage();
        const Status status = log_.Commit();
        if (status == Status::kOk) {
            has_any_ = true;
            safe_ = told_;
            ends_.assign(1, {log_.octets().size(), told_});
        }
        TakeImage();
        return status;
    }
    [[nodiscard]] std::uint64_t SafeBytes() const override { return log_.SafeBytes(); }

    /// The frames of the generation in force: where each ends, and how many requests it makes.
    struct End {
        std::size_t at = 0;
        std::size_t requests = 0;
    };
    [[nodiscard]] const std::vector<End>& ends() const { return ends_; }
    [[nodiscard]] const std::vector<Image>& images() const { return images_; }
    [[nodiscard]] sim::SimStateLog& below() { return log_; }
    std::size_t requests = 0;  ///< Made so far; the test counts.
    bool takes_images = false;

private:
    void TakeImage() {
        if (takes_images) images_.push_back({log_.octets(), has_any_, safe_});
    }
    sim::SimStateLog log_;
    std::vector<End> ends_;
    std::vector<Image> images_;
    bool has_any_ = false;
    std::size_t told_ = 0;
    std::size_t safe_ = 0;
};

class SaJournalTest : public ::testing::Test {
protected:
    SaJournalTest() {
        for (const auto& [node, number] :
             {std::pair{0U, 1U}, {1U, 1U}, {2U, 1U}, {4U, 1U}, {4U, 2U}, {6U, 1U}}) {
            ports_.push_back(net_.port(node, number).guid);
        }
        history_.push_back(store_.Describe());
    }

    void Begin() { journal_.Begin(0); }
    void Settle() {
        for (int i = 0; i < 1000 && (journal_.Step(now_us_) || journal_.NextDeadlineUs() != kNever);
             ++i) {
            if (journal_.NextDeadlineUs() != kNever) {
                now_us_ = std::max(now_us_, journal_.NextDeadlineUs());
            }
        }
    }
    void Request() {
        store_.Change(chance_, ports_, 0);
        history_.push_back(store_.Describe());
        log_.requests = history_.size() - 1;
    }
    void Requests(int count) {
        for (int i = 0; i < count; ++i) {
            Request();
            if (chance_() % 3 == 0) now_us_ += chance_() % (60 * kMs);
            static_cast<void>(journal_.Step(now_us_));
        }
    }

    /// What a new incarnation would make of these octets.
    std::string Restored(const std::vector<std::byte>& octets, bool has_any = true) {
        sim::SimStateLog log;
        if (has_any) log.Put(octets);
        SaTablesStore store;
        SaRestorer restorer(buffer_, {&log, net_.fabric(), store.tables()});
        restorer.Begin({});
        std::uint64_t steps = 0;
        while (restorer.Step(0)) {
            if (++steps > 10'000) return "does not end";
        }
        restored_ = restorer.outcome();
        EXPECT_EQ(restored_.unusable, 0U);
        return store.Describe();
    }
    /// The state after `least` requests or more.
    [[nodiscard]] bool IsAfter(const std::string& state, std::size_t least) const {
        return std::find(history_.begin() + static_cast<std::ptrdiff_t>(least), history_.end(),
                         state) != history_.end();
    }

    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    RecordNet net_;
    std::vector<Guid> ports_;
    std::vector<Record> note_rows_{256};
    Journal notes_{note_rows_};
    std::mt19937_64 chance_{20261122};
    SaTablesStore store_;
    WatchedLog log_;
    std::vector<std::byte> buffer_{std::vector<std::byte>(4096)};
    std::vector<std::byte> journal_buffer_{std::vector<std::byte>(4096)};
    SaJournal journal_{journal_buffer_, {&log_, notes_, store_.tables()}};
    std::vector<std::string> history_;
    std::uint64_t now_us_ = 0;
    SaRestored restored_;
};

TEST_F(SaJournalTest, BringsBackEverything) {
    Begin();
    Settle();
    Requests(300);
    Settle();
    EXPECT_TRUE(journal_.status().is_kept);
    EXPECT_EQ(journal_.status().bytes, log_.below().octets().size());
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
    EXPECT_EQ(restored_.source, SaRestoreSource::kJournal);
    EXPECT_EQ(restored_.journal, Status::kOk);
    EXPECT_EQ(restored_.bytes, log_.below().octets().size());
    EXPECT_EQ(restored_.beyond, 0U);
    EXPECT_NE(restored_.groups * restored_.members * restored_.aliases * restored_.services *
                  restored_.subscriptions,
              0U);
}

TEST_F(SaJournalTest, WhatWasThereBeforeItBeganIsInTheCopy) {
    for (int i = 0; i < 200; ++i) {
        Request();
    }
    Begin();
    Settle();
    EXPECT_EQ(log_.ends().size(), 1U);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, CutAtEveryOctetItIsTheStateAfterTheLastWholeFrame) {
    Requests(60);
    Begin();
    Settle();
    Requests(250);
    Settle();
    const std::vector<std::byte> whole = log_.below().octets();
    ASSERT_GT(log_.ends().size(), 20U);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        const std::vector<std::byte> octets(whole.begin(),
                                            whole.begin() + static_cast<std::ptrdiff_t>(cut));
        std::string expected = history_.front();
        for (const WatchedLog::End& end : log_.ends()) {
            if (end.at <= cut) expected = history_[end.requests];
        }
        ASSERT_EQ(Restored(octets), expected) << "cut at " << cut << " of " << whole.size();
    }
}

TEST_F(SaJournalTest, WithAnyOctetFlippedItIsTheStateBeforeThatFrame) {
    Requests(60);
    Begin();
    Settle();
    Requests(100);
    Settle();
    const std::vector<std::byte> whole = log_.below().octets();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::vector<std::byte> octets = whole;
        octets[at] ^= static_cast<std::byte>(1U << (at % 8));
        std::string expected = history_.front();
        for (const WatchedLog::End& end : log_.ends()) {
            if (end.at <= at) expected = history_[end.requests];
        }
        ASSERT_EQ(Restored(octets), expected) << "octet " << at << " of " << whole.size();
    }
}

TEST_F(SaJournalTest, OctetsOfAnotherGenerationBehindTheEndDoNotCount) {
    Begin();
    Settle();
    Requests(50);
    Settle();
    std::vector<std::byte> octets = log_.below().octets();
    const std::string state = history_.back();
    journal_.Rest();
    journal_.Begin(0);
    Settle();
    Requests(50);
    Settle();
    const std::vector<std::byte>& later = log_.below().octets();
    const std::size_t first = log_.ends().front().at;
    octets.insert(octets.end(), later.begin() + static_cast<std::ptrdiff_t>(first), later.end());
    EXPECT_EQ(Restored(octets), state);
    EXPECT_NE(restored_.beyond, 0U);
}

TEST_F(SaJournalTest, PowerLostAtAnyMomentWhileGenerationsChangeLosesNothingThatWasSafe) {
    log_.takes_images = true;
    Begin();
    Requests(10000);
    Settle();
    EXPECT_GE(log_.below().generations(), 3U);
    EXPECT_EQ(journal_.status().overflows, 0U);
    std::size_t torn = 0;
    for (const Image& image : log_.images()) {
        const std::string state = Restored(image.octets, image.has_any);
        ASSERT_TRUE(IsAfter(state, image.least)) << "image with " << image.octets.size();
        ++torn;
    }
    EXPECT_GT(torn, 200U);
}

TEST_F(SaJournalTest, ABusyLogIsAskedAgainAndLosesNothing) {
    Begin();
    for (int i = 0; i < 40; ++i) {
        log_.below().SetBusy(chance_() % 4);
        Requests(20);
        const bool is_small = log_.below().octets().size() <= 2 * SaJournal::kLeastBytes;
        EXPECT_TRUE(is_small);
    }
    log_.below().SetBusy(0);
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, MoreThanTheBufferHoldsIsCopiedAnew) {
    Begin();
    Settle();
    Requests(20);
    Settle();
    log_.below().SetBusy(1'000'000);
    for (int i = 0; i < 400; ++i) {
        Request();
    }
    log_.below().SetBusy(0);
    Settle();
    EXPECT_EQ(journal_.status().overflows, 1U);
    EXPECT_EQ(log_.below().generations(), 2U);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, ABrokenLogIsToldOfAndTriedAgain) {
    log_.below().SetBroken(true);
    Begin();
    static_cast<void>(journal_.Step(now_us_));
    EXPECT_EQ(journal_.status().failures, 1U);
    EXPECT_EQ(journal_.status().last_error, Status::kDevice);
    EXPECT_FALSE(journal_.status().is_kept);
    Requests(50);
    log_.below().SetBroken(false);
    now_us_ += 20 * kSecond;
    Settle();
    EXPECT_TRUE(journal_.status().is_kept);
    EXPECT_EQ(journal_.status().last_error, Status::kOk);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
    log_.below().SetBroken(true);
    Requests(50);
    log_.below().SetBroken(false);
    now_us_ += 20 * kSecond;
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, AFullLogIsBegunAnew) {
    Begin();
    Settle();
    log_.below().SetCapacity(3'000);
    Requests(60);
    Settle();
    EXPECT_GE(log_.below().generations(), 2U);
    log_.below().SetCapacity(1 << 20U);
    now_us_ += 20 * kSecond;
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, OneThatIsForsakenSaysNothing) {
    Begin();
    Settle();
    Requests(100);
    Settle();
    journal_.Forsake();
    Request();
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.front());
    EXPECT_EQ(restored_.journal, Status::kOk);
    journal_.Begin(0);
    Settle();
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

TEST_F(SaJournalTest, APauseWritesNothingAndTheEndHandsOverTheRest) {
    Begin();
    Settle();
    Request();
    Request();
    static_cast<void>(journal_.Step(now_us_));
    const std::uint64_t before = log_.below().appends();
    EXPECT_FALSE(journal_.HandOver(now_us_));
    EXPECT_EQ(log_.below().appends(), before + 1);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
    EXPECT_FALSE(journal_.HandOver(now_us_));
    EXPECT_EQ(log_.below().appends(), before + 1) << "once";
}

TEST_F(SaJournalTest, WhatIsHandedOverAtTheEndIsWholeAtAnyMomentOfACopy) {
    for (int steps = 0; steps < 12; ++steps) {
        journal_.Rest();
        Requests(20);
        journal_.Begin(static_cast<std::uint32_t>(steps));
        for (int i = 0; i < steps; ++i) {
            static_cast<void>(journal_.Step(now_us_));
            Request();
        }
        log_.below().SetBusy(3);
        int calls = 0;
        while (journal_.HandOver(now_us_)) {  // Time stands still: nothing is waited for.
            ASSERT_LT(++calls, 200);
        }
        EXPECT_EQ(Restored(log_.below().octets()), history_.back()) << "after steps " << steps;
    }
}

TEST_F(SaJournalTest, WhatABrokenLogDoesNotTakeIsGivenUpAtTheEnd) {
    Begin();
    Settle();
    Request();
    log_.below().SetBroken(true);
    EXPECT_FALSE(journal_.HandOver(now_us_));
    EXPECT_FALSE(journal_.HandOver(now_us_));
    log_.below().SetBroken(false);
    journal_.Rest();
    journal_.Begin(1);
    log_.below().SetBroken(true);
    int calls = 0;
    while (journal_.HandOver(now_us_)) {
        ASSERT_LT(++calls, 200);
    }
}

TEST_F(SaJournalTest, AHundredJoinsCostOneWrite) {
    Begin();
    Settle();
    const std::uint64_t before = log_.below().appends();
    for (int i = 0; i < 40; ++i) {
        Request();
        now_us_ += kMs;
        static_cast<void>(journal_.Step(now_us_));
    }
    now_us_ += SaJournal::kGatherUs;
    static_cast<void>(journal_.Step(now_us_));
    EXPECT_LE(log_.below().appends() - before, 2U);
    EXPECT_EQ(Restored(log_.below().octets()), history_.back());
}

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
    void Restore(const std::vector<std::byte>& octets,
                 SaTablesStore& store,
                 std::uint64_t now_us,
                 std::uint64_t age_s = 0) {
        sim::SimStateLog log;
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
    now_us_ = 1000 * kSecond;
    Services& services = store_.tables().services;
    ASSERT_EQ(services.Put(Service(1, 100), ports_[0], now_us_), Status::kOk);
    ASSERT_EQ(services.Put(Service(2, 10), ports_[0], now_us_), Status::kOk);
    ASSERT_EQ(services.Put(Service(3, ServiceRecord::kForever), ports_[0], now_us_), Status::kOk);
    now_us_ += 4 * kSecond;
    const std::vector<std::byte> octets = Journaled();
    SaTablesStore young;
    Restore(octets, young, 7 * kSecond);
    EXPECT_EQ(restored_.services, 3U);
    Services& back = young.tables().services;
    EXPECT_EQ(back.row(back.Find(Service(1, 0))).ends_us, (7 + 96) * kSecond);
    EXPECT_EQ(back.row(back.Find(Service(2, 0))).ends_us, (7 + 6) * kSecond);
    EXPECT_EQ(back.row(back.Find(Service(3, 0))).ends_us, Services::kNever);
    SaTablesStore old;
    Restore(octets, old, 7 * kSecond, 6);
    EXPECT_EQ(restored_.services, 2U);
    EXPECT_EQ(restored_.expired, 1U);
    EXPECT_EQ(old.tables().services.Find(Service(2, 0)), kNoService);
    Services& rest = old.tables().services;
    EXPECT_EQ(rest.row(rest.Find(Service(1, 0))).ends_us, (7 + 90) * kSecond);
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
        ASSERT_EQ(many.tables().services.Restore(Service(i, 100), ports_[0], kSecond), Status::kOk);
    }
    std::vector<std::byte> room(std::size_t{1} << 20U);  // All of it is one frame.
    SaJournal journal(room, {&log_, notes_, many.tables()});
    journal.Begin(0);
    for (int i = 0; i < 100; ++i) {
        static_cast<void>(journal.Step(0));
    }
    sim::SimStateLog log;
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
