// SPDX-License-Identifier: Apache-2.0
// EmberSM: a configuration that is read while the subnet manager runs is taken over whole or not.
#include "platform/linux/configuration/reload.h"

#include <array>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/platform/linux/configuration/reload_harness.h"

namespace ember::test {
namespace {

using ::testing::HasSubstr;

TEST_F(ReloadTest, PutsANewConfigurationInForceWithTheNextSweepOverAndOver) {
    for (std::uint64_t i = 0; i < 5; ++i) {
        const std::uint64_t roots = 10 + 7 * i;
        const std::size_t before = RootsInForce();
        Put(BlobWithRoots(roots, 6 + i));
        EXPECT_EQ(Reload(), "");
        EXPECT_EQ(RootsInForce(), before) << "not in the middle of things";
        ASSERT_TRUE(Sweep());
        ASSERT_EQ(RootsInForce(), roots);
        for (std::size_t root = 0; root < roots; ++root) {
            EXPECT_EQ(world_.sm().settings().tables.roots[root], Guid{root + 1});
        }
        EXPECT_EQ(world_.sm().progress().last_reason, SweepReason::kConfiguration);
        EXPECT_EQ(report_.outcome.supplied.counter, 6 + i);
    }
    EXPECT_EQ(report_.reloads, 5U);
    EXPECT_EQ(report_.refused_reloads, 0U);
    EXPECT_EQ(world_.Heard(Note::kBlobAccepted), 5U);
}

TEST_F(ReloadTest, LeavesWhatIsInForceAloneWhateverIsWrong) {
    const std::uint64_t sweeps = world_.sm().progress().heavy_sweeps;
    std::vector<std::byte> forged = BlobWithRoots(9, 6);
    forged[forged.size() / 2] ^= std::byte{1};
    std::vector<std::byte> truncated = BlobWithRoots(9, 6);
    truncated.pop_back();
    const struct {
        std::vector<std::byte> blob;
        const char* why;
    } kWrong[] = {
        {BlobWithRoots(9, 4), "older"},  // A roll-back.
        {forged, ""},
        {truncated, ""},
        {{}, ""},
        {std::vector<std::byte>(100, std::byte{7}), ""},
        {BlobWithRoots(3000, 6), "is larger than the 16384 octets"},
    };
    std::uint64_t refused = 0;
    for (const auto& wrong : kWrong) {
        Put(wrong.blob);
        EXPECT_THAT(Reload(), HasSubstr(wrong.why));
        EXPECT_EQ(world_.Heard(Note::kBlobRefused), ++refused);
    }
    std::filesystem::remove(blob_);
    EXPECT_THAT(Reload(), HasSubstr("No such file or directory"));
    std::filesystem::create_directory(blob_);
    EXPECT_THAT(Reload(), HasSubstr("Is a directory"));
    std::filesystem::remove(blob_);
    EXPECT_EQ(report_.refused_reloads, refused + 2);
    EXPECT_EQ(report_.outcome.supplied.counter, 5U);
    std::array<char, 640> room{};
    FixedText sentence(room);
    AddConfiguration(sentence, report_);
    EXPECT_THAT(std::string(sentence.text()),
                HasSubstr("counter 5; the last one read was refused: cannot read"));
    Put(BlobWithRoots(9, 6));
    world_.RunFor(kSecond);
    EXPECT_EQ(RootsInForce(), 3U);
    EXPECT_EQ(world_.sm().progress().heavy_sweeps, sweeps);
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 9U);
}

TEST_F(ReloadTest, WaitsUntilTheOneBeforeIsTakenOver) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    Put(BlobWithRoots(30, 7));
    EXPECT_THAT(Reload(), HasSubstr("not yet in force"));
    EXPECT_EQ(RootsInForce(), 3U);
    EXPECT_EQ(world_.sm().settings().tables.roots[2], Guid{3});
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 20U);
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 30U);
}

TEST_F(ReloadTest, RefusesLimitsOfBandwidthThatNoDeviceTakes) {
    Put(BlobWithBandwidths(6));
    EXPECT_THAT(Reload(), HasSubstr("no device here takes limits"));
    EXPECT_EQ(RootsInForce(), 3U);
}

TEST_F(ReloadTest, LeavesTheRoutesToOtherSubnetsAloneWhileTheyAreInForce) {
    Put(BlobWithPrefixes(3, 6));
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    Put(BlobWithRoots(20, 7));
    EXPECT_EQ(Reload(), "");
    Put(BlobWithRoots(30, 8));
    EXPECT_THAT(Reload(), HasSubstr("not yet in force"));
    const auto& routes = world_.sm().settings().manager_tables.prefix_routes;
    ASSERT_EQ(routes.size(), 3U);
    EXPECT_EQ(routes[2].router, Guid{3});
}

TEST_F(ReloadTest, LeavesAQosPolicyAloneWhileItIsInForce) {
    Put(BlobWithLevel(3, 6));
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    Put(BlobWithRoots(20, 7));
    EXPECT_EQ(Reload(), "");
    Put(BlobWithLevel(5, 8));
    EXPECT_THAT(Reload(), HasSubstr("not yet in force"));
    const auto& levels = world_.sm().settings().manager_tables.qos_levels;
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels[0].sl, 3U);
}

TEST_F(ReloadTest, KeepsTheNewOneForTheNextStart) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    Settings settings;
    ConfigurationReport report;
    const std::string none;
    auto memory = std::make_unique<ConfigurationMemory<kBytes>>();
    EXPECT_EQ(Configure({none, key_}, store_, memory->room(), settings, report), "");
    EXPECT_EQ(report.outcome.source, ConfigurationSource::kTrial);
    EXPECT_EQ(report.outcome.counter(), 6U);
    EXPECT_EQ(settings.tables.roots.size(), 20U);
}

TEST_F(ReloadTest, ConfirmsWhatTheSubnetIsUpWith) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    EXPECT_TRUE(report_.outcome.on_trial);
    EXPECT_EQ(world_.Heard(Note::kTrialBegan), 2U);
    Watch(30);
    EXPECT_FALSE(report_.outcome.on_trial);
    EXPECT_EQ(report_.confirmed_trials, 2U);
    EXPECT_EQ(world_.Heard(Note::kTrialConfirmed), 2U);
    EXPECT_EQ(reloader_->watch_within_us(), ~std::uint64_t{0});
    Put(BlobWithRoots(9, 5));
    EXPECT_THAT(Reload(), HasSubstr("older"));
}

TEST_F(ReloadTest, RollsBackWhatDoesNotBringTheSubnetUp) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 20U);
    reloader_->BeginTrial();  // From now on: what is up from before does not count.
    for (std::uint64_t i = 0; i <= Reloader::kTrialUs / kSecond; ++i) {
        world_.RunFor(kSecond);
        reloader_->WatchTrial(i % 2 == 0);  // A dump looks into tables now and then.
    }
    reloader_->WatchTrial(false);
    EXPECT_EQ(world_.Heard(Note::kTrialRolledBack), 1U);
    EXPECT_EQ(report_.failed_trials, 1U);
    EXPECT_EQ(report_.outcome.source, ConfigurationSource::kLastGood);
    EXPECT_EQ(report_.outcome.counter(), 5U);
    world_.RunFor(10 * kSecond);
    EXPECT_EQ(RootsInForce(), 3U);
    for (std::size_t root = 0; root < 3; ++root) {
        EXPECT_EQ(world_.sm().settings().tables.roots[root], Guid{root + 1});
    }
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "") << "whoever asks for it gets another trial";
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 20U);
}

TEST_F(ReloadTest, GoesOnWhileWhatItFoundOutIsBeingWritten) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    late_.is_late = true;
    Watch(30);
    EXPECT_EQ(report_.confirmed_trials, 1U) << "it is not safe yet";
    EXPECT_TRUE(LoadTrialRecord(store_).value().on_trial);
    EXPECT_LT(reloader_->watch_within_us(), kSecond / 10);
    EXPECT_THAT(Reload(), HasSubstr("is being written; ask again"));
    EXPECT_TRUE(late_.Write());  // The counter, which goes first: the power may be lost now.
    EXPECT_TRUE(LoadTrialRecord(store_).value().on_trial);
    reloader_->WatchTrial(false);
    reloader_->WatchTrial(false);
    EXPECT_EQ(report_.confirmed_trials, 1U);
    EXPECT_TRUE(late_.Write());
    reloader_->WatchTrial(false);
    EXPECT_EQ(report_.confirmed_trials, 2U);
    EXPECT_FALSE(LoadTrialRecord(store_).value().on_trial);
    EXPECT_EQ(reloader_->watch_within_us(), ~std::uint64_t{0});
    EXPECT_FALSE(late_.Write()) << "nothing is written twice";
}

TEST_F(ReloadTest, GoesOnWhileARollBackIsBeingWritten) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    reloader_->BeginTrial();
    late_.is_late = true;
    for (std::uint64_t i = 0; i <= Reloader::kTrialUs / kSecond; ++i) {
        world_.RunFor(kSecond);
        reloader_->WatchTrial(true);
    }
    EXPECT_TRUE(reloader_->waits_for_tables());
    reloader_->WatchTrial(false);
    EXPECT_FALSE(reloader_->waits_for_tables());
    EXPECT_EQ(report_.failed_trials, 0U);
    EXPECT_EQ(world_.Heard(Note::kTrialRolledBack), 0U);
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.Wake();
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 20U) << "until it is written";
    reloader_->WatchTrial(true);  // The subnet is up again; that comes too late.
    EXPECT_TRUE(late_.Write());
    reloader_->WatchTrial(true);
    EXPECT_EQ(world_.Heard(Note::kTrialRolledBack), 1U);
    EXPECT_EQ(report_.failed_trials, 1U);
    world_.RunFor(10 * kSecond);
    EXPECT_EQ(RootsInForce(), 3U);
    EXPECT_FALSE(late_.Write());
}

TEST_F(ReloadTest, EndsInOrderInTheMiddleOfAVerdict) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    late_.is_late = true;
    Watch(30);
    late_.Write();
    late_.is_late = false;  // The writer has finished, and saves at once.
    reloader_->EndInOrder(false);
    EXPECT_FALSE(LoadTrialRecord(store_).value().on_trial);
    EXPECT_EQ(report_.confirmed_trials, 2U);
}

TEST_F(ReloadTest, StaysWithTheTrialWhenTheConfirmedOneIsDamaged) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    const BlobSlot confirmed = LoadTrialRecord(store_).value().confirmed;
    ASSERT_EQ(store_.Save(StoreSlotOf(confirmed), std::vector<std::byte>(100)), Status::kOk);
    reloader_->BeginTrial();
    for (std::uint64_t i = 0; i <= 2 * Reloader::kTrialUs / kSecond; ++i) {
        world_.RunFor(kSecond);
        reloader_->WatchTrial(false);
    }
    EXPECT_EQ(world_.Heard(Note::kTrialRolledBack), 0U) << "to itself";
    EXPECT_EQ(world_.Heard(Note::kTrialOverdue), 1U);
    EXPECT_TRUE(report_.outcome.on_trial);
    EXPECT_EQ(report_.outcome.counter(), 6U);
    EXPECT_TRUE(LoadTrialRecord(store_).value().on_trial);
    EXPECT_EQ(RootsInForce(), 20U);
}

TEST_F(ReloadTest, RollsBackWhatNeverCameIntoForceWithoutTouchingWhatIs) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    EXPECT_EQ(RootsInForce(), 3U);
    // No step of the subnet manager is taken: it stands still, and only the clock goes on.
    world_.sim().clock().Set((world_.now_us() + Reloader::kTrialUs + kSecond) * 1000);
    reloader_->WatchTrial(false);
    EXPECT_EQ(world_.Heard(Note::kTrialRolledBack), 1U);
    EXPECT_EQ(report_.outcome.counter(), 5U);
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 3U);
    EXPECT_EQ(world_.sm().settings().tables.roots[2], Guid{3});
    Put(BlobWithRoots(30, 7));
    EXPECT_EQ(Reload(), "");
    ASSERT_TRUE(Sweep());
    EXPECT_EQ(RootsInForce(), 30U);
}

TEST_F(ReloadTest, TakesAnOrderlyEndForNoFault) {
    Put(BlobWithRoots(20, 6));
    EXPECT_EQ(Reload(), "");
    reloader_->EndInOrder(false);
    EXPECT_EQ(LoadTrialRecord(store_).value().starts, 0);
    EXPECT_TRUE(LoadTrialRecord(store_).value().on_trial);
    ASSERT_TRUE(Sweep());
    reloader_->EndInOrder(true);
    EXPECT_FALSE(LoadTrialRecord(store_).value().on_trial) << "--once: it is up, and that is all";
}

TEST_F(ReloadTest, HasNothingToReadWhenNothingWasGiven) {
    const std::string none;
    reloader_->Remember({none, key_});
    EXPECT_THAT(Reload(), HasSubstr("were given at the start"));
}

}  // namespace
}  // namespace ember::test
