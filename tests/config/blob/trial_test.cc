// SPDX-License-Identifier: Apache-2.0
// EmberSM: a configuration is on trial until the subnet is up with it, and is rolled back if not.
#include <gtest/gtest.h>

#include "config/blob/load_configuration.h"
#include "config/blob/trial_guard.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

class TrialTest : public testing::Test {
protected:
    ConfigurationOutcome Load(std::span<const std::byte> blob, bool is_reload = false) {
        const Aligned copy(blob);
        settings_ = Settings{};
        return LoadConfiguration({copy.octets(), is_reload}, TrustedKey().public_key(), store_,
                                 room(), settings_);
    }
    [[nodiscard]] LoadingRoom room() {
        return {std::as_writable_bytes(std::span(work_)), SharedRoom()};
    }
    void LoadAndConfirm(std::span<const std::byte> blob) {
        EXPECT_EQ(ConfirmConfiguration(Load(blob).counter(), store_), Status::kOk);
    }
    [[nodiscard]] Status GiveUp() { return GiveUpTrial(room().work, store_); }
    ConfigurationOutcome Back() {
        settings_ = Settings{};
        return LoadConfirmed(TrustedKey().public_key(), store_, room(), settings_);
    }

    MemoryStore store_;
    std::vector<std::uint64_t> work_ = std::vector<std::uint64_t>(4096);
    Settings settings_;
    const Octets good_ = BlobOf("lmc 1\n", 5);
    const Octets next_ = BlobOf("lmc 2\n", 6);
};

TEST_F(TrialTest, RaisesTheCounterOnlyWhenItIsConfirmed) {
    LoadAndConfirm(good_);
    ConfigurationOutcome outcome = Load(next_);
    EXPECT_EQ(outcome.source, ConfigurationSource::kSupplied);
    EXPECT_TRUE(outcome.on_trial);
    EXPECT_EQ(outcome.counter_before, 5U);
    EXPECT_EQ(Load(good_).counter_before, 5U) << "and one may still go back";
    EXPECT_EQ(settings_.lmc, 1);
    LoadAndConfirm(next_);
    outcome = Load(good_);
    EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kStale);
    EXPECT_EQ(outcome.source, ConfigurationSource::kLastGood);
    EXPECT_FALSE(outcome.on_trial);
    EXPECT_EQ(settings_.lmc, 2);
}

TEST_F(TrialTest, RollsBackAndDoesNotTryTheSameAgainByItself) {
    LoadAndConfirm(good_);
    EXPECT_TRUE(Load(next_).on_trial);
    EXPECT_EQ(GiveUp(), Status::kOk);
    EXPECT_EQ(Back().source, ConfigurationSource::kLastGood);
    EXPECT_EQ(settings_.lmc, 1);
    for (int start = 0; start < 3; ++start) {
        const ConfigurationOutcome outcome = Load(next_);
        EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kRolledBack);
        EXPECT_EQ(outcome.source, ConfigurationSource::kLastGood);
        EXPECT_FALSE(outcome.on_trial);
        EXPECT_EQ(settings_.lmc, 1);
    }
    EXPECT_EQ(Load(good_).source, ConfigurationSource::kSupplied);
    EXPECT_TRUE(Load(BlobOf("lmc 3\n", 6)).on_trial) << "another one of the same age may be tried";
    EXPECT_TRUE(Load(next_, true).on_trial) << "and this one too when somebody asks for it";
    EXPECT_EQ(settings_.lmc, 2);
}

TEST_F(TrialTest, GoesOnWithTheTrialAfterOneDeathAndEndsItAfterTheSecond) {
    LoadAndConfirm(good_);
    EXPECT_TRUE(Load(next_).on_trial);
    const ConfigurationOutcome again = Load(next_);
    EXPECT_TRUE(again.on_trial);
    EXPECT_EQ(again.ended_starts, 0);
    EXPECT_EQ(settings_.lmc, 2);
    const ConfigurationOutcome ended = Load(next_);
    EXPECT_FALSE(ended.on_trial);
    EXPECT_EQ(ended.ended_starts, 2);
    EXPECT_EQ(ended.supplied.verdict, BlobVerdict::kRolledBack);
    EXPECT_EQ(settings_.lmc, 1);
    EXPECT_EQ(Load(next_).ended_starts, 0) << "it is told once";
}

TEST_F(TrialTest, FindsTheTrialInTheStoreWhenNothingIsSupplied) {
    LoadAndConfirm(good_);
    EXPECT_TRUE(Load(next_, true).on_trial);
    ConfigurationOutcome outcome = Load({});
    EXPECT_EQ(outcome.source, ConfigurationSource::kTrial);
    EXPECT_EQ(outcome.counter(), 6U);
    EXPECT_EQ(settings_.lmc, 2);
    outcome = Load({});
    EXPECT_EQ(outcome.source, ConfigurationSource::kLastGood);
    EXPECT_EQ(outcome.ended_starts, 2);
    EXPECT_EQ(settings_.lmc, 1);
}

TEST_F(TrialTest, DoesNotHoldAnOrderlyEndAgainstTheBlob) {
    LoadAndConfirm(good_);
    for (int start = 0; start < 5; ++start) {
        EXPECT_TRUE(Load(next_).on_trial);
        EXPECT_EQ(ExcuseStart(store_), Status::kOk);
    }
}

TEST_F(TrialTest, NeverRollsBackTheFirstConfigurationThereIs) {
    for (int start = 0; start < 300; ++start) {
        const ConfigurationOutcome outcome = start % 2 == 0 ? Load(good_) : Load({});
        ASSERT_TRUE(outcome.on_trial);
        ASSERT_FALSE(outcome.can_roll_back);
        ASSERT_EQ(settings_.lmc, 1);
    }
    EXPECT_EQ(GiveUp(), Status::kAbsent);
    EXPECT_TRUE(Load(next_).on_trial) << "another one takes its place";
    EXPECT_EQ(Load({}).counter(), 6U);
}

TEST_F(TrialTest, StartsWithTheOtherBlobWhenTheConfirmedOneIsBroken) {
    LoadAndConfirm(good_);
    LoadAndConfirm(next_);
    Octets& confirmed = store_.OctetsOf(StoreSlot::kConfigurationOther);
    ASSERT_EQ(confirmed, next_);
    for (const std::size_t at : {0U, 20U, 70U, 400U}) {
        confirmed[at] ^= std::byte{1};
        const ConfigurationOutcome outcome = Load({});
        EXPECT_EQ(outcome.source, ConfigurationSource::kOther);
        EXPECT_EQ(settings_.lmc, 1);
        EXPECT_EQ(outcome.counter_before, 6U) << "the counter stays";
        confirmed[at] ^= std::byte{1};
    }
    EXPECT_EQ(Load(good_).supplied.verdict, BlobVerdict::kStale);
    store_.Damage(StoreSlot::kConfigurationOther);
    EXPECT_EQ(Load({}).source, ConfigurationSource::kOther);
    store_.Damage(StoreSlot::kConfigurationBlob);
    EXPECT_EQ(Load({}).source, ConfigurationSource::kUnchanged);
    EXPECT_EQ(Load(BlobOf("lmc 4\n", 9)).source, ConfigurationSource::kSupplied);
}

TEST_F(TrialTest, IsNotRolledBackToItselfWhenTheConfirmedOneIsBroken) {
    LoadAndConfirm(good_);
    ASSERT_TRUE(Load(next_).on_trial);
    EXPECT_EQ(Back().source, ConfigurationSource::kLastGood);
    store_.OctetsOf(StoreSlot::kConfigurationBlob)[70] ^= std::byte{1};
    EXPECT_EQ(Back().source, ConfigurationSource::kUnchanged);
    EXPECT_EQ(settings_.lmc, Settings{}.lmc);
    EXPECT_TRUE(LoadTrialRecord(store_).value().on_trial);
}

TEST_F(TrialTest, FallsBackFromABlobOnTrialThatIsBroken) {
    LoadAndConfirm(good_);
    EXPECT_TRUE(Load(next_).on_trial);
    store_.OctetsOf(StoreSlot::kConfigurationOther)[100] ^= std::byte{1};
    EXPECT_EQ(Load({}).source, ConfigurationSource::kLastGood);
    EXPECT_EQ(settings_.lmc, 1);
    EXPECT_EQ(ConfirmConfiguration(6, store_), Status::kOk) << "nothing is on trial any more";
    EXPECT_EQ(Load({}).counter_before, 5U);
}

TEST_F(TrialTest, TellsFromTheCounterWhichOneCountsWhenTheRecordIsBroken) {
    LoadAndConfirm(good_);
    LoadAndConfirm(next_);
    Octets& record = store_.OctetsOf(StoreSlot::kConfigurationTrial);
    const Octets sound = record;
    const std::vector<Octets> kBroken = {{},
                                         Octets(35, std::byte{1}),
                                         Octets(37, std::byte{1}),
                                         Octets(36, std::byte{0xFF}),
                                         Octets(36, std::byte{0})};
    for (const Octets& broken : kBroken) {
        record = broken;
        const ConfigurationOutcome outcome = Load({});
        EXPECT_EQ(outcome.record_read, Status::kMalformed);
        EXPECT_EQ(outcome.source, ConfigurationSource::kLastGood);
        EXPECT_EQ(settings_.lmc, 2);
        EXPECT_EQ(outcome.counter_before, 6U);
    }
    record = sound;
    record[2] = std::byte{2};  // Neither yes nor no.
    EXPECT_EQ(Load({}).record_read, Status::kMalformed);
    record[2] = std::byte{0};
    record[1] = std::byte{3};  // There are two.
    EXPECT_EQ(Load(next_).record_read, Status::kMalformed);
    EXPECT_EQ(Load(next_).record_read, Status::kOk) << "it was written anew";
    record = {};
    store_.Damage(StoreSlot::kConfigurationCounter);
    EXPECT_NE(Load({}).source, ConfigurationSource::kUnchanged) << "any that is sound";
}

TEST_F(TrialTest, RunsWithABlobThatItCannotKeepAndRollsBackAllTheSame) {
    LoadAndConfirm(good_);
    store_.FailToSave();
    const ConfigurationOutcome outcome = Load(next_);
    EXPECT_TRUE(outcome.on_trial);
    EXPECT_EQ(outcome.kept, Status::kDevice);
    EXPECT_EQ(Back().source, ConfigurationSource::kLastGood);
    EXPECT_EQ(settings_.lmc, 1);
}

TEST_F(TrialTest, KnowsARejectedBlobByTheHalfOfItsSignatureThatNobodyCanChange) {
    Octets other_form = next_;
    other_form.back() ^= std::byte{1};
    EXPECT_EQ(MarkOf(next_), MarkOf(other_form));
    EXPECT_NE(MarkOf(next_), MarkOf(good_));
}

// The judge of a trial.

TrialView ViewAt(std::uint64_t now_us, bool is_up, std::uint64_t ups, std::uint64_t sweeps) {
    return {.now_us = now_us,
            .is_up = is_up,
            .is_routed = true,
            .is_resting = true,
            .stands_by = false,
            .up_count = ups,
            .light_sweeps = sweeps};
}

TEST(TrialGuard, ConfirmsWhatIsUpAfterALightSweep) {
    TrialGuard guard;
    EXPECT_EQ(guard.Look(ViewAt(0, true, 1, 1)), TrialCue::kWait) << "nothing is on trial";
    guard.Begin(ViewAt(0, true, 1, 1), 60 * kSecond, true);
    EXPECT_EQ(guard.Look(ViewAt(1, true, 1, 1)), TrialCue::kWait) << "up from before";
    EXPECT_EQ(guard.Look(ViewAt(2, true, 2, 1)), TrialCue::kWait);
    TrialView sweeping = ViewAt(3, true, 2, 2);
    sweeping.is_resting = false;
    EXPECT_EQ(guard.Look(sweeping), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(4, true, 2, 2)), TrialCue::kConfirm);
    guard.End();
    EXPECT_EQ(guard.Look(ViewAt(5, true, 2, 2)), TrialCue::kWait);
}

TEST(TrialGuard, ConfirmsWithoutLightSweepsAfterAWhile) {
    TrialGuard guard;
    guard.Begin(ViewAt(0, false, 0, 0), 60 * kSecond, true);
    EXPECT_EQ(guard.Look(ViewAt(kSecond, true, 1, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(2 * kSecond, false, 1, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(9 * kSecond, true, 2, 0)), TrialCue::kWait) << "from the front";
    EXPECT_EQ(guard.Look(ViewAt(18 * kSecond, true, 2, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(19 * kSecond, true, 2, 0)), TrialCue::kConfirm);
}

TEST(TrialGuard, RollsBackAtTheDeadlineAndNotBefore) {
    TrialGuard guard;
    guard.Begin(ViewAt(5 * kSecond, true, 7, 0), 60 * kSecond, true);
    EXPECT_EQ(guard.Look(ViewAt(64 * kSecond, false, 7, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.left_us(), kSecond);
    EXPECT_EQ(guard.Look(ViewAt(65 * kSecond, false, 7, 0)), TrialCue::kRollBack);
}

TEST(TrialGuard, LetsALateSubnetSettle) {
    TrialGuard guard;
    guard.Begin(ViewAt(0, false, 0, 0), 60 * kSecond, true);
    EXPECT_EQ(guard.Look(ViewAt(59 * kSecond, true, 1, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(61 * kSecond, true, 1, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(62 * kSecond, false, 1, 0)), TrialCue::kRollBack) << "it did not";
}

TEST(TrialGuard, DoesNotBelieveTablesThatNoEngineOfItsListMade) {
    TrialGuard guard;
    guard.Begin(ViewAt(0, false, 0, 0), 60 * kSecond, true);
    EXPECT_EQ(guard.Look(ViewAt(1, false, 0, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.waits_for(), TrialWait::kSubnetUp);
    TrialView kept = ViewAt(30 * kSecond, true, 1, 5);
    kept.is_routed = false;
    EXPECT_EQ(guard.Look(kept), TrialCue::kWait);
    EXPECT_EQ(guard.waits_for(), TrialWait::kOwnRoutes);
    kept.now_us = 60 * kSecond;
    EXPECT_EQ(guard.Look(kept), TrialCue::kRollBack);
    EXPECT_EQ(guard.waits_for(), TrialWait::kOwnRoutes) << "which is the reason";
    kept.stands_by = true;
    EXPECT_EQ(guard.Look(kept), TrialCue::kRollBack);
    EXPECT_EQ(guard.waits_for(), TrialWait::kMastership);
}

TEST(TrialGuard, CountsTheCalmFromTheFirstRoutesOfItsOwn) {
    TrialGuard guard;
    TrialView view = ViewAt(0, false, 0, 0);
    guard.Begin(view, 60 * kSecond, true);
    view = ViewAt(5 * kSecond, true, 1, 3);
    view.is_routed = false;
    EXPECT_EQ(guard.Look(view), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(20 * kSecond, true, 2, 9)), TrialCue::kWait);
    EXPECT_EQ(guard.waits_for(), TrialWait::kCalm);
    EXPECT_EQ(guard.Look(ViewAt(21 * kSecond, true, 2, 10)), TrialCue::kConfirm);
}

TEST(TrialGuard, HoldsItsClockWhileItStandsBy) {
    TrialGuard guard;
    guard.Begin(ViewAt(0, false, 0, 0), 60 * kSecond, true);
    TrialView standing = ViewAt(1000 * kSecond, false, 0, 0);
    standing.stands_by = true;
    EXPECT_EQ(guard.Look(standing), TrialCue::kWait);
    EXPECT_EQ(guard.left_us(), 60 * kSecond);
    EXPECT_EQ(guard.Look(ViewAt(1059 * kSecond, false, 0, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(1060 * kSecond, false, 0, 0)), TrialCue::kRollBack);
}

TEST(TrialGuard, SaysOnceThatThereIsNothingToGoBackTo) {
    TrialGuard guard;
    guard.Begin(ViewAt(0, false, 0, 0), 60 * kSecond, false);
    EXPECT_EQ(guard.Look(ViewAt(61 * kSecond, false, 0, 0)), TrialCue::kOverdue);
    EXPECT_EQ(guard.Look(ViewAt(62 * kSecond, false, 0, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(63 * kSecond, true, 1, 0)), TrialCue::kWait);
    EXPECT_EQ(guard.Look(ViewAt(64 * kSecond, true, 1, 1)), TrialCue::kConfirm);
}

}  // namespace
}  // namespace ember::test
