// SPDX-License-Identifier: Apache-2.0
// EmberSM: slots are whole or not there, whatever happens to their files.

#include "platform/linux/store/file_store.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ember {
namespace {

namespace fs = std::filesystem;

class FileStoreTest : public ::testing::Test {
protected:
    FileStoreTest() {
        std::string pattern = fs::temp_directory_path() / "ember-store-XXXXXX";
        root_ = mkdtemp(pattern.data());
    }
    ~FileStoreTest() override { fs::remove_all(root_); }

    [[nodiscard]] std::string directory() const { return root_ / "state"; }
    [[nodiscard]] fs::path lid_file() const { return root_ / "state" / "guid-to-lid"; }

    static std::vector<std::byte> Octets(std::size_t count, unsigned first) {
        std::vector<std::byte> octets(count);
        for (std::size_t i = 0; i < count; ++i) {
            octets[i] = static_cast<std::byte>(first + i);
        }
        return octets;
    }
    static std::string ReadFile(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void WriteFile(const fs::path& path, const std::string& text) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    }
    static Status LoadStatus(FileStore& store) {
        std::array<std::byte, 256> room{};
        return store.Load(StoreSlot::kGuidToLid, room).status();
    }

    fs::path root_;
};

TEST_F(FileStoreTest, GivesBackWhatWasSavedInAnotherLife) {
    const auto octets = Octets(100, 3);
    {
        FileStore store;
        ASSERT_EQ(store.Open(directory()), "");
        ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, octets), Status::kOk);
    }
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    std::vector<std::byte> room(200);
    const auto count = store.Load(StoreSlot::kGuidToLid, room);
    ASSERT_TRUE(count.ok());
    room.resize(count.value());
    EXPECT_EQ(room, octets);
}

TEST_F(FileStoreTest, KeepsSlotsApartAndReplacesThemWhole) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(100, 0)), Status::kOk);
    ASSERT_EQ(store.Save(StoreSlot::kConfigurationCounter, Octets(8, 50)), Status::kOk);
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(10, 7)), Status::kOk);
    std::array<std::byte, 256> room{};
    EXPECT_EQ(store.Load(StoreSlot::kGuidToLid, room).value(), 10U);
    EXPECT_EQ(room[0], std::byte{7});
    EXPECT_EQ(store.Load(StoreSlot::kConfigurationCounter, room).value(), 8U);
    EXPECT_EQ(room[0], std::byte{50});
    EXPECT_EQ(store.Load(StoreSlot::kConfigurationBlob, room).status(), Status::kAbsent);
}

TEST_F(FileStoreTest, SaysWhenTheRoomIsTooSmall) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(100, 0)), Status::kOk);
    std::array<std::byte, 99> room{};
    EXPECT_EQ(store.Load(StoreSlot::kGuidToLid, room).status(), Status::kFull);
}

TEST_F(FileStoreTest, NoticesEveryOctetThatChangesAndEveryOctetThatIsMissing) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(40, 1)), Status::kOk);
    const std::string whole = ReadFile(lid_file());
    ASSERT_EQ(whole.size(), 64U);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        WriteFile(lid_file(), damaged);
        EXPECT_EQ(LoadStatus(store), Status::kMalformed) << "octet " << at << " changed";
        WriteFile(lid_file(), whole.substr(0, at));
        EXPECT_EQ(LoadStatus(store), Status::kMalformed) << "cut off at " << at;
    }
    WriteFile(lid_file(), whole + "x");
    EXPECT_EQ(LoadStatus(store), Status::kMalformed);
    WriteFile(lid_file(), whole);
    EXPECT_EQ(LoadStatus(store), Status::kOk);
}

TEST_F(FileStoreTest, DoesNotTakeOneSlotForAnother) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    ASSERT_EQ(store.Save(StoreSlot::kConfigurationBlob, Octets(40, 1)), Status::kOk);
    fs::copy_file(root_ / "state" / "configuration-blob", lid_file());
    EXPECT_EQ(LoadStatus(store), Status::kMalformed);
}

TEST_F(FileStoreTest, IsNotDisturbedByAFileThatWasLeftHalfWritten) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(40, 1)), Status::kOk);
    WriteFile(root_ / "state" / "guid-to-lid.new", "half");
    EXPECT_EQ(LoadStatus(store), Status::kOk);
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(41, 1)), Status::kOk);
    std::array<std::byte, 256> room{};
    EXPECT_EQ(store.Load(StoreSlot::kGuidToLid, room).value(), 41U);
}

TEST_F(FileStoreTest, WritesThroughNoLinkThatStandsInItsWay) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    const fs::path fresh = root_ / "state" / "guid-to-lid.new";
    for (const bool is_symbolic : {true, false}) {
        WriteFile(root_ / "mine", "precious");
        if (is_symbolic) {
            fs::create_symlink(root_ / "mine", fresh);
        } else {
            fs::create_hard_link(root_ / "mine", fresh);
        }
        ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(40, 1)), Status::kOk);
        EXPECT_EQ(ReadFile(root_ / "mine"), "precious");
        EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(lid_file())));
        EXPECT_EQ(fs::hard_link_count(lid_file()), 1U);
        EXPECT_EQ(LoadStatus(store), Status::kOk);
    }
}

TEST_F(FileStoreTest, KeepsTheOldOctetsWhenTheNewOnesCannotBeWritten) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(40, 1)), Status::kOk);
    fs::create_directory(root_ / "state" / "guid-to-lid.new");  // In the way of the new file.
    EXPECT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(50, 1)), Status::kDevice);
    std::array<std::byte, 256> room{};
    EXPECT_EQ(store.Load(StoreSlot::kGuidToLid, room).value(), 40U);
}

TEST_F(FileStoreTest, SaysInASentenceWhyADirectoryWillNotDo) {
    FileStore store;
    EXPECT_NE(store.Open(root_ / "missing" / "too deep"), "");
    WriteFile(root_ / "file", "");
    EXPECT_NE(FileStore().Open(root_ / "file"), "");
}

/// A store that waits for the writer of a pipe would keep the program from starting, and from
/// ending.
TEST_F(FileStoreTest, WhatIsNoRegularFileIsNotReadAndIsReplaced) {
    FileStore store;
    ASSERT_EQ(store.Open(directory()), "");
    ASSERT_EQ(mkfifo(lid_file().c_str(), 0600), 0);
    EXPECT_EQ(LoadStatus(store), Status::kDevice);
    ASSERT_EQ(store.Save(StoreSlot::kGuidToLid, Octets(10, 1)), Status::kOk);
    EXPECT_EQ(LoadStatus(store), Status::kOk);
    fs::remove(lid_file());
    fs::create_symlink("/dev/zero", lid_file());
    EXPECT_EQ(LoadStatus(store), Status::kDevice);
    fs::remove(lid_file());
    fs::create_directory(lid_file());
    EXPECT_EQ(LoadStatus(store), Status::kDevice);
}

/// Files have a checksum and no signature: who may write in the directory says which LIDs and keys
/// the subnet has.
TEST_F(FileStoreTest, ADirectoryOfOthersIsRefused) {
    fs::create_directory(directory());
    for (const fs::perms more : {fs::perms::others_write, fs::perms::group_write}) {
        fs::permissions(directory(), fs::perms::owner_all | more);
        EXPECT_NE(FileStore().Open(directory()).find("is writable by others"), std::string::npos);
    }
    fs::permissions(directory(), fs::perms::owner_all | fs::perms::others_read);
    EXPECT_EQ(FileStore().Open(directory()), "");
    if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
    ASSERT_EQ(chown(directory().c_str(), 65534, 65534), 0);
    EXPECT_NE(FileStore().Open(directory()).find("belongs to another user"), std::string::npos);
}

}  // namespace
}  // namespace ember
