// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the choice between the supplied configuration and the last good one.
#include "config/blob/load_configuration.h"

#include <gtest/gtest.h>

#include "tests/config/support.h"

namespace ember::test {
namespace {

class LoadConfigurationTest : public testing::Test {
protected:
    /// A start of the process with that blob, or a reload.
    ConfigurationOutcome Load(std::span<const std::byte> blob, bool is_reload = false) {
        const Aligned copy(blob);
        settings_ = Settings{};
        return LoadConfiguration({copy.octets(), is_reload}, TrustedKey().public_key(), store_,
                                 room(), settings_);
    }
    /// The same, and the subnet comes up with it.
    void LoadAndConfirm(std::span<const std::byte> blob) {
        const ConfigurationOutcome outcome = Load(blob);
        EXPECT_EQ(ConfirmConfiguration(outcome.counter(), store_), Status::kOk);
    }
    [[nodiscard]] LoadingRoom room() {
        return {std::as_writable_bytes(std::span(work_)), SharedRoom()};
    }

    MemoryStore store_;
    std::vector<std::uint64_t> work_ = std::vector<std::uint64_t>(4096);
    Settings settings_;
};

TEST_F(LoadConfigurationTest, KeepsWhatItAccepts) {
    const Octets blob = BlobOf("lmc 2\n", 5);
    const ConfigurationOutcome outcome = Load(blob);
    EXPECT_EQ(outcome.source, ConfigurationSource::kSupplied);
    EXPECT_EQ(outcome.kept, Status::kOk);
    EXPECT_EQ(settings_.lmc, 2);
    EXPECT_EQ(store_.OctetsOf(StoreSlot::kConfigurationBlob), blob);
    EXPECT_TRUE(outcome.on_trial);
    EXPECT_FALSE(outcome.can_roll_back);
}

TEST_F(LoadConfigurationTest, WritesNothingWhenTheSameBlobComesAgain) {
    const Octets blob = BlobOf("lmc 2\n", 5);
    LoadAndConfirm(blob);
    const int saves = store_.saves();
    EXPECT_EQ(Load(blob).source, ConfigurationSource::kSupplied);
    EXPECT_EQ(store_.saves(), saves);
}

TEST_F(LoadConfigurationTest, RefusesAnotherConfigurationWithTheCounterOfTheConfirmedOne) {
    const Octets good = BlobOf("lmc 2\n", 5);
    LoadAndConfirm(good);
    for (const bool is_reload : {false, true}) {
        const ConfigurationOutcome outcome = Load(BlobOf("lmc 3\n", 5), is_reload);
        EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kSameCounter);
        EXPECT_EQ(outcome.source, ConfigurationSource::kLastGood);
        EXPECT_EQ(settings_.lmc, 2);
    }
    EXPECT_EQ(Load(good).source, ConfigurationSource::kSupplied) << "itself it may be";
    store_.Damage(StoreSlot::kConfigurationBlob);
    EXPECT_EQ(Load(BlobOf("lmc 3\n", 5)).source, ConfigurationSource::kSupplied)
        << "in place of what is lost another will do";
}

TEST_F(LoadConfigurationTest, LeavesSettingsAloneWhenASoundBlobIsRefused) {
    LoadAndConfirm(BlobOf("lmc 2\n", 5));
    MemoryStore& store = store_;
    // The confirmed one is read once for its counter, and cannot be read any more.
    class Failing final : public Store {
    public:
        explicit Failing(MemoryStore& below) : below_(below) {}
        Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
            return below_.Save(slot, octets);
        }
        Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
            if (slot == StoreSlot::kConfigurationBlob && ++blobs_ > 2) return Status::kDevice;
            return below_.Load(slot, octets);
        }

    private:
        MemoryStore& below_;
        int blobs_ = 0;
    } failing(store);
    const Aligned copy(BlobOf("lmc 3\n", 5));
    settings_ = Settings{};
    const ConfigurationOutcome outcome =
        LoadConfiguration({copy.octets()}, TrustedKey().public_key(), failing, room(), settings_);
    EXPECT_EQ(outcome.source, ConfigurationSource::kUnchanged);
    EXPECT_EQ(settings_.lmc, 0);
}

TEST_F(LoadConfigurationTest, GoesOnWithTheLastGoodOneWhenTheNewOneIsBad) {
    LoadAndConfirm(BlobOf("lmc 2\n", 5));

    Octets forged = BlobOf("lmc 7\n", 6);
    forged[200] ^= std::byte{1};
    const ConfigurationOutcome outcome = Load(forged);
    EXPECT_EQ(outcome.source, ConfigurationSource::kLastGood);
    EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kForged);
    EXPECT_EQ(outcome.stored.verdict, BlobVerdict::kAccepted);
    EXPECT_EQ(settings_.lmc, 2);

    EXPECT_EQ(Load({}).supplied.verdict, BlobVerdict::kAbsent);
    EXPECT_EQ(settings_.lmc, 2);
}

TEST_F(LoadConfigurationTest, RefusesToGoBackToAnOlderBlob) {
    const Octets old = BlobOf("lmc 1\n", 5);
    LoadAndConfirm(old);
    LoadAndConfirm(BlobOf("lmc 2\n", 6));

    const ConfigurationOutcome outcome = Load(old);
    EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kStale);
    EXPECT_EQ(outcome.counter_before, 6U);
    EXPECT_EQ(outcome.source, ConfigurationSource::kLastGood);
    EXPECT_EQ(settings_.lmc, 2);
}

TEST_F(LoadConfigurationTest, TouchesNothingWhenThereIsNoGoodBlobAtAll) {
    const ConfigurationOutcome outcome = Load(BlobOf("lmc 1\n", 5, StrangersKey()));
    EXPECT_EQ(outcome.source, ConfigurationSource::kUnchanged);
    EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kOtherKey);
    EXPECT_EQ(outcome.stored.verdict, BlobVerdict::kAbsent);
    EXPECT_EQ(settings_.lmc, 0);
}

TEST_F(LoadConfigurationTest, VerifiesTheStoredBlobAgain) {
    LoadAndConfirm(BlobOf("lmc 2\n", 5));
    store_.OctetsOf(StoreSlot::kConfigurationBlob).at(100) ^= std::byte{1};
    const ConfigurationOutcome outcome = Load({});
    EXPECT_EQ(outcome.source, ConfigurationSource::kUnchanged);
    EXPECT_EQ(outcome.stored.verdict, BlobVerdict::kForged);
}

TEST_F(LoadConfigurationTest, TakesTheAgeOfTheStoredBlobWhenTheCounterIsDamaged) {
    const Octets old = BlobOf("lmc 1\n", 5);
    LoadAndConfirm(BlobOf("lmc 2\n", 6));
    store_.Damage(StoreSlot::kConfigurationCounter);

    ConfigurationOutcome outcome = Load(old);
    EXPECT_EQ(outcome.counter_read, Status::kMalformed);
    EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kStale);

    const Octets next = BlobOf("lmc 3\n", 7);
    EXPECT_EQ(Load(next).source, ConfigurationSource::kSupplied);
    EXPECT_EQ(ConfirmConfiguration(7, store_), Status::kOk);
    outcome = Load(old);
    EXPECT_EQ(outcome.counter_read, Status::kOk) << "the counter was written anew";
    EXPECT_EQ(outcome.counter_before, 7U);
}

TEST_F(LoadConfigurationTest, TakesTheAgeOfTheStoredBlobWhenTheCounterIsGone) {
    LoadAndConfirm(BlobOf("lmc 2\n", 6));
    store_.Lose(StoreSlot::kConfigurationCounter);
    const ConfigurationOutcome outcome = Load(BlobOf("lmc 1\n", 5));
    EXPECT_EQ(outcome.supplied.verdict, BlobVerdict::kStale);
    EXPECT_EQ(outcome.counter_before, 6U);
    EXPECT_EQ(outcome.counter_read, Status::kAbsent) << "it is told";
    EXPECT_EQ(settings_.lmc, 2);
}

TEST_F(LoadConfigurationTest, TakesTheAgeOfTheStoredBlobWhenTheCounterIsOfAnOlderOne) {
    LoadAndConfirm(BlobOf("lmc 1\n", 5));
    const Octets before = store_.OctetsOf(StoreSlot::kConfigurationCounter);
    LoadAndConfirm(BlobOf("lmc 2\n", 7));
    store_.OctetsOf(StoreSlot::kConfigurationCounter) = before;
    EXPECT_EQ(Load(BlobOf("lmc 3\n", 6)).supplied.verdict, BlobVerdict::kStale);
}

TEST_F(LoadConfigurationTest, MissesNoCounterBeforeAnythingWasConfirmed) {
    EXPECT_EQ(Load({}).counter_read, Status::kOk);
    EXPECT_EQ(Load(BlobOf("lmc 2\n", 5)).counter_read, Status::kOk);
    EXPECT_EQ(Load({}).counter_read, Status::kOk);
}

TEST_F(LoadConfigurationTest, RunsWithABlobThatItCannotKeepAndSaysSo) {
    store_.FailToSave();
    const ConfigurationOutcome outcome = Load(BlobOf("lmc 2\n", 5));
    EXPECT_EQ(outcome.source, ConfigurationSource::kSupplied);
    EXPECT_EQ(outcome.kept, Status::kDevice);
    EXPECT_EQ(settings_.lmc, 2);
}

/// As an earlier release left it: a blob and its counter, and no word of trials.
TEST_F(LoadConfigurationTest, TakesWhatAReleaseWithoutTrialsKeptForConfirmed) {
    const Octets blob = BlobOf("lmc 1\n", 5);
    const Be<std::uint64_t> counter(5);
    EXPECT_EQ(store_.Save(StoreSlot::kConfigurationBlob, blob), Status::kOk);
    EXPECT_EQ(store_.Save(StoreSlot::kConfigurationCounter, std::as_bytes(std::span(&counter, 1))),
              Status::kOk);
    EXPECT_EQ(Load({}).source, ConfigurationSource::kLastGood);
    EXPECT_EQ(settings_.lmc, 1);
    const ConfigurationOutcome outcome = Load(BlobOf("lmc 2\n", 6));
    EXPECT_TRUE(outcome.on_trial);
    EXPECT_TRUE(outcome.can_roll_back);
    EXPECT_EQ(store_.OctetsOf(StoreSlot::kConfigurationBlob), blob) << "the last good one stays";
}

}  // namespace
}  // namespace ember::test
