// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store with a thread that writes, over a disk as slow as the test wants.
#include "platform/linux/store/store_writer.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

#include "platform/linux/store/file_store.h"

namespace ember {
namespace {

using Octets = std::vector<std::byte>;

Octets Of(int value, std::size_t size = 5) {
    return Octets(size, static_cast<std::byte>(value));
}

/// A disk that does not say that octets are safe before it is allowed to.
class SlowDisk final : public Store {
public:
    Status Save(StoreSlot, std::span<const std::byte> octets) override {
        std::unique_lock locked(lock_);
        ++begun_;
        changed_.notify_all();
        changed_.wait(locked, [this] { return allowed_ > 0; });
        --allowed_;
        if (result == Status::kOk) kept_.assign(octets.begin(), octets.end());
        ++ended_;
        changed_.notify_all();
        return result;
    }
    Result<std::size_t> Load(StoreSlot, std::span<std::byte> octets) override {
        std::copy(kept_.begin(), kept_.end(), octets.begin());
        return kept_.size();
    }

    void Allow(int saves) {
        const std::lock_guard locked(lock_);
        allowed_ += saves;
        changed_.notify_all();
    }
    void AwaitBeginning(int count) {
        std::unique_lock locked(lock_);
        changed_.wait(locked, [&] { return begun_ >= count; });
    }
    void AwaitEnd(int count) {
        std::unique_lock locked(lock_);
        changed_.wait(locked, [&] { return ended_ >= count; });
    }
    [[nodiscard]] int begun() {
        const std::lock_guard locked(lock_);
        return begun_;
    }
    [[nodiscard]] Octets kept() {
        const std::lock_guard locked(lock_);
        return kept_;
    }

    Status result = Status::kOk;

private:
    std::mutex lock_;
    std::condition_variable changed_;
    int allowed_ = 0;
    int begun_ = 0;
    int ended_ = 0;
    Octets kept_;
};

class StoreWriterTest : public ::testing::Test {
protected:
    StoreWriterTest() { EXPECT_EQ(writer_.Start(), ""); }
    ~StoreWriterTest() override { disk_.Allow(100); }

    Status Save(const Octets& octets) { return writer_.Save(StoreSlot::kGuidToLid, octets); }
    /// Asks until the writer is through.
    Status Ask(const Octets& octets) {
        Status status = Save(octets);
        while (status == Status::kBusy) {
            std::this_thread::yield();
            status = Save(octets);
        }
        return status;
    }
    [[nodiscard]] Octets Load() {
        Octets octets(64);
        const Result<std::size_t> loaded = writer_.Load(StoreSlot::kGuidToLid, octets);
        octets.resize(loaded.ok() ? loaded.value() : 0);
        return octets;
    }

    SlowDisk disk_;
    std::array<std::byte, 64> room_{};
    StoreWriter writer_{disk_, room_};
};

TEST_F(StoreWriterTest, DoesNotWaitForTheDisk) {
    EXPECT_EQ(Save(Of(1)), Status::kBusy);
    disk_.AwaitBeginning(1);
    EXPECT_EQ(Save(Of(1)), Status::kBusy);
    EXPECT_EQ(disk_.kept(), Octets{});
    disk_.Allow(1);
    EXPECT_EQ(Ask(Of(1)), Status::kOk);
    EXPECT_EQ(disk_.kept(), Of(1));
    EXPECT_EQ(disk_.begun(), 1);  // Asking is not saving.
}

TEST_F(StoreWriterTest, ReadsBackWhatIsStillBeingWritten) {
    EXPECT_EQ(Save(Of(1)), Status::kBusy);
    disk_.AwaitBeginning(1);
    EXPECT_EQ(Load(), Of(1));
    Octets small(3);
    EXPECT_EQ(writer_.Load(StoreSlot::kGuidToLid, small).status(), Status::kFull);
    disk_.Allow(1);
    EXPECT_EQ(Ask(Of(1)), Status::kOk);
    EXPECT_EQ(Load(), Of(1));
}

TEST_F(StoreWriterTest, WritesWhatChangedMeanwhileAfterwards) {
    EXPECT_EQ(Save(Of(1)), Status::kBusy);
    disk_.AwaitBeginning(1);
    EXPECT_EQ(Save(Of(2, 7)), Status::kBusy);
    disk_.Allow(2);
    EXPECT_EQ(Ask(Of(2, 7)), Status::kOk);
    EXPECT_EQ(disk_.kept(), Of(2, 7));
    EXPECT_EQ(disk_.begun(), 2);
}

TEST_F(StoreWriterTest, TellsAFailureAtTheNextCallAndTriesAgain) {
    disk_.result = Status::kDevice;
    disk_.Allow(1);
    EXPECT_EQ(Ask(Of(1)), Status::kDevice);
    disk_.result = Status::kOk;
    disk_.Allow(1);
    EXPECT_EQ(Ask(Of(1)), Status::kOk);
    EXPECT_EQ(disk_.kept(), Of(1));
}

TEST_F(StoreWriterTest, DoesNotTellWhoSavesAnotherSlotOfAFailure) {
    disk_.result = Status::kDevice;
    disk_.Allow(1);
    EXPECT_EQ(Save(Of(1)), Status::kBusy);
    disk_.AwaitEnd(1);
    disk_.result = Status::kOk;
    disk_.Allow(1);
    Status status = Status::kBusy;
    while (status == Status::kBusy) {
        std::this_thread::yield();
        status = writer_.Save(StoreSlot::kConfigurationCounter, Of(2));
    }
    EXPECT_EQ(status, Status::kOk);
    EXPECT_EQ(disk_.kept(), Of(2));
}

TEST_F(StoreWriterTest, RefusesMoreThanItHasRoomFor) {
    EXPECT_EQ(Save(Of(1, 65)), Status::kFull);
    disk_.Allow(1);
    EXPECT_EQ(Ask(Of(1, 64)), Status::kOk);
}

TEST_F(StoreWriterTest, FinishesWhatWasHandedOver) {
    EXPECT_EQ(Save(Of(3)), Status::kBusy);
    disk_.Allow(1);
    writer_.Finish();
    EXPECT_EQ(disk_.kept(), Of(3));
    disk_.Allow(1);  // Without its thread it waits itself.
    EXPECT_EQ(Save(Of(4)), Status::kOk);
    EXPECT_EQ(disk_.kept(), Of(4));
}

TEST_F(StoreWriterTest, ItsStrictFaceTellsOnlyWhatIsSafe) {
    Octets octets(64);
    EXPECT_EQ(writer_.strict().Save(StoreSlot::kConfigurationTrial, Of(3)), Status::kBusy);
    EXPECT_EQ(writer_.strict().Load(StoreSlot::kConfigurationTrial, octets).status(),
              Status::kBusy);
    EXPECT_EQ(writer_.Load(StoreSlot::kConfigurationTrial, octets).value(), Of(3).size());
    EXPECT_TRUE(writer_.strict().Load(StoreSlot::kConfigurationCounter, octets).ok())
        << "of another slot nothing is under way";
    disk_.Allow(1);
    Status status = Status::kBusy;
    while (status == Status::kBusy) {
        status = writer_.strict().Load(StoreSlot::kConfigurationTrial, octets).status();
    }
    EXPECT_EQ(status, Status::kOk);
    EXPECT_EQ(octets[0], std::byte{3});
    EXPECT_EQ(writer_.strict().Save(StoreSlot::kConfigurationTrial, Of(3)), Status::kOk);
}

TEST(StoreWriter, WritesToFilesAsTheyAreWrittenWithoutIt) {
    char folder[] = "/tmp/ember-store-writer-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    FileStore files;
    ASSERT_EQ(files.Open(folder), "");
    std::array<std::byte, 64> room{};
    StoreWriter writer(files, room);
    ASSERT_EQ(writer.Start(), "");
    for (int value = 0; value < 20; ++value) {
        Status status = Status::kBusy;
        while (status == Status::kBusy) {
            status = writer.Save(StoreSlot::kGuidToLid, Of(value));
        }
        ASSERT_EQ(status, Status::kOk);
        Octets octets(64);
        ASSERT_EQ(files.Load(StoreSlot::kGuidToLid, octets).value(), 5U);
        EXPECT_EQ(octets[0], static_cast<std::byte>(value));
    }
    writer.Finish();
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ember
