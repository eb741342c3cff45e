// SPDX-License-Identifier: Apache-2.0
// EmberSM: a log in a file: generations, what survives, and disks that fail.
#include "platform/linux/store/file_state_log.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ember::testing {
namespace {

class FileStateLogTest : public ::testing::Test {
protected:
    FileStateLogTest() {
        std::string name = (std::filesystem::temp_directory_path() / "ember-log-XXXXXX").string();
        directory_ = mkdtemp(name.data());
    }
    ~FileStateLogTest() override { std::filesystem::remove_all(directory_); }

    static std::span<const std::byte> Octets(std::string_view text) {
        return std::as_bytes(std::span(text));
    }
    /// Asks until the answer is something else than kBusy.
    template <typename Ask>
    static Status Await(Ask ask) {
        for (int i = 0; i < 5000; ++i) {
            const Status status = ask();
            if (status != Status::kBusy) return status;
            usleep(1000);
        }
        return Status::kTimeout;
    }
    static Status Begin(FileStateLog& log) {
        return Await([&] { return log.Begin(); });
    }
    static Status Append(FileStateLog& log, std::string_view text) {
        return Await([&] { return log.Append(Octets(text)); });
    }
    static Status Commit(FileStateLog& log) {
        return Await([&] { return log.Commit(); });
    }
    static bool IsSafe(const FileStateLog& log, std::uint64_t bytes) {
        return Await([&] { return log.SafeBytes() == bytes ? Status::kOk : Status::kBusy; }) ==
               Status::kOk;
    }
    [[nodiscard]] std::string FileText(const char* name = "sa-journal") const {
        std::ifstream in(directory_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path directory_;
    std::array<std::byte, 64> room_{};
};

TEST_F(FileStateLogTest, ThereIsNoneAtFirst) {
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    std::array<std::byte, 8> octets{};
    EXPECT_EQ(log.Read(0, octets).status(), Status::kAbsent);
    EXPECT_EQ(log.AgeSeconds(), 0U);
}

TEST_F(FileStateLogTest, AGenerationTakesOverWhenItIsCommittedAndGrowsAfterwards) {
    {
        FileStateLog log(room_);
        ASSERT_EQ(log.Open(directory_), "");
        ASSERT_EQ(Begin(log), Status::kOk);
        ASSERT_EQ(Append(log, "one"), Status::kOk);
        ASSERT_TRUE(IsSafe(log, 3));
        EXPECT_FALSE(std::filesystem::exists(directory_ / "sa-journal"));
        ASSERT_EQ(Commit(log), Status::kOk);
        EXPECT_EQ(FileText(), "one");
        ASSERT_EQ(Append(log, " two"), Status::kOk);
        ASSERT_TRUE(IsSafe(log, 7));
        EXPECT_EQ(FileText(), "one two");
        ASSERT_EQ(Begin(log), Status::kOk);
        ASSERT_EQ(Append(log, "never committed"), Status::kOk);
    }
    EXPECT_EQ(FileText("sa-journal.new"), "never committed");
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    std::array<std::byte, 5> octets{};
    ASSERT_TRUE(log.Read(0, octets).ok());
    EXPECT_EQ(std::memcmp(octets.data(), "one t", 5), 0);
    const Result<std::size_t> rest = log.Read(5, octets);
    ASSERT_TRUE(rest.ok());
    EXPECT_EQ(rest.value(), 2U);
    EXPECT_EQ(log.Read(7, octets).value(), 0U);
}

TEST_F(FileStateLogTest, WhatWasAppendedIsWrittenBeforeTheEnd) {
    {
        FileStateLog log(room_);
        ASSERT_EQ(log.Open(directory_), "");
        ASSERT_EQ(Begin(log), Status::kOk);
        ASSERT_EQ(Commit(log), Status::kOk);
        for (int i = 0; i < 100; ++i) {
            ASSERT_EQ(Append(log, "0123456789"), Status::kOk);
        }
        log.Finish();
        EXPECT_EQ(log.Append(Octets("late")), Status::kDevice);
    }
    EXPECT_EQ(FileText().size(), 1000U);
}

TEST_F(FileStateLogTest, MoreThanHalfARoomDoesNotFit) {
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    ASSERT_EQ(Begin(log), Status::kOk);
    EXPECT_EQ(Append(log, std::string(33, 'x')), Status::kFull);
    EXPECT_EQ(Append(log, std::string(32, 'x')), Status::kOk);
}

TEST_F(FileStateLogTest, AGenerationThatCannotBeMadeIsTold) {
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    // A directory stands where the file should be made: that keeps even root from it.
    std::filesystem::create_directory(directory_ / "sa-journal.new");
    ASSERT_EQ(Begin(log), Status::kOk);
    EXPECT_EQ(Commit(log), Status::kDevice);
    EXPECT_EQ(log.Append(Octets("x")), Status::kDevice);
    std::filesystem::remove(directory_ / "sa-journal.new");
    ASSERT_EQ(Begin(log), Status::kOk);
    EXPECT_EQ(Append(log, "x"), Status::kOk);
    EXPECT_EQ(Commit(log), Status::kOk);
    EXPECT_EQ(FileText(), "x");
}

TEST_F(FileStateLogTest, NothingIsWrittenThroughALink) {
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    std::ofstream(directory_ / "mine") << "precious";
    std::filesystem::create_symlink(directory_ / "mine", directory_ / "sa-journal.new");
    ASSERT_EQ(Begin(log), Status::kOk);
    ASSERT_EQ(Append(log, "x"), Status::kOk);
    EXPECT_EQ(Commit(log), Status::kOk);
    EXPECT_EQ(FileText("mine"), "precious");
    EXPECT_EQ(FileText(), "x");
}

TEST_F(FileStateLogTest, AFailedTakeOverLeavesTheOldOne) {
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    ASSERT_EQ(Begin(log), Status::kOk);
    ASSERT_EQ(Append(log, "old"), Status::kOk);
    ASSERT_EQ(Commit(log), Status::kOk);
    ASSERT_EQ(Begin(log), Status::kOk);
    ASSERT_EQ(Append(log, "new"), Status::kOk);
    ASSERT_TRUE(IsSafe(log, 3));
    std::filesystem::remove(directory_ / "sa-journal.new");
    EXPECT_EQ(Commit(log), Status::kDevice);
    EXPECT_EQ(FileText(), "old");
}

/// No file may grow beyond a few octets while this lives: a disk that is full.
class FullDisk {
public:
    FullDisk() {
        getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit tight{2, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &tight);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

/// The commit is asked for while the write that fails is still under way, or not: both orders.
TEST_F(FileStateLogTest, AFullDiskNeverPutsATornGenerationInForce) {
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    ASSERT_EQ(Begin(log), Status::kOk);
    ASSERT_EQ(Append(log, "old"), Status::kOk);
    ASSERT_EQ(Commit(log), Status::kOk);
    for (int turn = 0; turn < 100; ++turn) {
        const FullDisk full;
        static_cast<void>(Begin(log));
        static_cast<void>(log.Append(Octets("anew")));
        EXPECT_NE(Commit(log), Status::kOk);
        ASSERT_EQ(FileText(), "old") << "turn " << turn;
    }
}

TEST_F(FileStateLogTest, ItIsAsOldAsItsLastWrite) {
    std::ofstream(directory_ / "sa-journal") << "x";
    const timespec hour_ago[2] = {{time(nullptr) - 3600, 0}, {time(nullptr) - 3600, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (directory_ / "sa-journal").c_str(), hour_ago, 0), 0);
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    EXPECT_NEAR(static_cast<double>(log.AgeSeconds()), 3600.0, 5.0);
    const timespec ahead[2] = {{time(nullptr) + 3600, 0}, {time(nullptr) + 3600, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (directory_ / "sa-journal").c_str(), ahead, 0), 0);
    FileStateLog other(room_);
    ASSERT_EQ(other.Open(directory_), "");
    EXPECT_EQ(other.AgeSeconds(), 0U) << "a clock that was set back tells nothing";
}

TEST_F(FileStateLogTest, APipeInThePlaceOfTheJournalKeepsNothingWaiting) {
    ASSERT_EQ(mkfifo((directory_ / "sa-journal").c_str(), 0600), 0);
    FileStateLog log(room_);
    ASSERT_EQ(log.Open(directory_), "");
    std::array<std::byte, 8> octets{};
    EXPECT_EQ(log.Read(0, octets).status(), Status::kDevice);
    ASSERT_EQ(Begin(log), Status::kOk);
    ASSERT_EQ(Append(log, "one"), Status::kOk);
    ASSERT_EQ(Commit(log), Status::kOk);
    EXPECT_EQ(FileText(), "one");
}

}  // namespace
}  // namespace ember::testing
