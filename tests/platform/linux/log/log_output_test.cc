// SPDX-License-Identifier: Apache-2.0
// EmberSM: the log is complete, in time, and waits for no reader.

#include "platform/linux/log/log_output.h"

#include <array>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/linux/system/clock.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

RC_GTEST_PROP(WallTime, IsWhatTheLibrarySays, ()) {
    const auto seconds = *rc::gen::inRange<std::uint64_t>(0, 4102444800U * 3);  // To 2360.
    std::array<char, 64> room{};
    FixedText text(room);
    AddWallTime(text, seconds * 1000000U + 42U);
    const auto time = static_cast<time_t>(seconds);
    tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 64> expected{};
    std::strftime(expected.data(), expected.size(), "%Y-%m-%dT%H:%M:%S.000042Z", &parts);
    RC_ASSERT(std::string(text.text()) == expected.data());
}

class LogFile {
public:
    LogFile() {
        std::string pattern = fs::temp_directory_path() / "ember-log-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;
    ~LogFile() { fs::remove_all(folder_); }
    [[nodiscard]] std::string path() const { return folder_ / "log"; }
    [[nodiscard]] std::string Text(const std::string& name = "log") const {
        std::ifstream file(folder_ / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    fs::path folder_;
};

TEST(LogOutput, WritesEveryNoteOnceAndInOrder) {
    const LogFile file;
    std::array<LogRecord, 64> ring{};
    Log notes(ring);
    LogOutput log({});
    ASSERT_EQ(log.ToFile(file.path()), "");
    log.SetTime(LogTime::kSinceStart);
    for (std::uint64_t i = 0; i < 40; ++i) {
        notes.Write<Note::kNodeLost>(1000000 + i, i, 2U, 36U);
    }
    log.DrainAll(notes, 2000000);
    log.DrainAll(notes, 2000000);
    std::string expected;
    for (unsigned i = 0; i < 40; ++i) {
        std::array<char, 128> line{};
        std::snprintf(line.data(), line.size(),
                      "1.%06u warning: lost 0x%016x, a switch with 36 ports [node-lost]\n", i, i);
        expected += line.data();
    }
    EXPECT_EQ(file.Text(), expected);
}

TEST(LogOutput, SaysHowManyNotesCameTooFast) {
    const LogFile file;
    std::array<LogRecord, 16> ring{};
    Log notes(ring);
    LogOutput log({});
    ASSERT_EQ(log.ToFile(file.path()), "");
    for (std::uint64_t i = 0; i < 100; ++i) {
        notes.Write<Note::kNodeLost>(i, i, 2U, 36U);
    }
    log.DrainAll(notes, 100);
    EXPECT_THAT(file.Text(), HasSubstr("84 notes were lost: read too late [notes-missed]\n"));
    EXPECT_EQ(log.missed(), 84U);
}

TEST(LogOutput, WritesAnObjectALineWhenItIsAskedForJson) {
    const LogFile file;
    std::array<LogRecord, 64> ring{};
    Log notes(ring);
    LogOutput log({});
    ASSERT_EQ(log.ToFile(file.path()), "");
    log.SetFormat(LogFormat::kJson);
    log.SetTime(LogTime::kSinceStart);
    for (std::uint64_t i = 0; i < 40; ++i) {
        notes.Write<Note::kNodeLost>(1000000, i, 2U, 36U);
    }
    log.Drain(notes, 2000000);
    const std::string text = file.Text();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 40) << "all in one go";
    EXPECT_THAT(text, StartsWith("{\"time\":\"1.000000\",\"severity\":\"warning\","
                                 "\"code\":\"node-lost\",\"text\":"));
}

TEST(LogOutput, TellsTheTimeOfTheNoteAndNotOfTheWriting) {
    const LogFile file;
    std::array<LogRecord, 16> ring{};
    Log notes(ring);
    LogOutput log({});
    ASSERT_EQ(log.ToFile(file.path()), "");
    notes.Write<Note::kNodeLost>(5000000, 1U, 2U, 36U);
    const std::uint64_t an_hour_us = 3600U * 1000000U;
    log.DrainAll(notes, 5000000 + an_hour_us);
    std::array<char, 64> room{};
    FixedText hour_ago(room);
    AddWallTime(hour_ago, WallTimeUs() - an_hour_us);
    EXPECT_THAT(file.Text(), StartsWith(std::string(hour_ago.text().substr(0, 15))));
    EXPECT_THAT(
        file.Text(),
        EndsWith("Z warning: lost 0x0000000000000001, a switch with 36 ports [node-lost]\n"));
}

TEST(LogOutput, GoesOnInANewFileWhenTheOldOneWasRenamed) {
    const LogFile file;
    std::array<LogRecord, 16> ring{};
    Log notes(ring);
    LogOutput log({});
    ASSERT_EQ(log.ToFile(file.path()), "");
    notes.Write<Note::kNodeLost>(0, 1U, 2U, 36U);
    log.DrainAll(notes, 0);
    fs::rename(file.path(), file.path() + ".1");
    ASSERT_EQ(log.Reopen(), Status::kOk);
    notes.Write<Note::kNodeLost>(0, 2U, 2U, 36U);
    log.DrainAll(notes, 0);
    EXPECT_THAT(file.Text("log.1"), HasSubstr("lost 0x0000000000000001"));
    EXPECT_THAT(file.Text(), HasSubstr("lost 0x0000000000000002"));
}

/// A system log that keeps what it is sent.
class SystemLog {
public:
    explicit SystemLog(const std::string& path) : fd_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(&address.sun_path[0], sizeof(address.sun_path) - 1);
        const void* const generic = &address;
        EXPECT_EQ(bind(fd_, static_cast<const sockaddr*>(generic), sizeof(address)), 0);
    }
    SystemLog(const SystemLog&) = delete;
    SystemLog& operator=(const SystemLog&) = delete;
    ~SystemLog() { close(fd_); }
    [[nodiscard]] std::string Next() const {
        std::array<char, 4096> room{};
        const ssize_t octets = recv(fd_, room.data(), room.size(), MSG_DONTWAIT);
        return octets < 0 ? "" : std::string(room.data(), static_cast<std::size_t>(octets));
    }

private:
    int fd_;
};

TEST(LogOutput, GoesToAFileAndToTheSystemLogAtOnceWithAPrefix) {
    const LogFile file;
    for (const bool file_first : {true, false}) {
        const std::string socket = file.path() + (file_first ? ".first" : ".second");
        const SystemLog system(socket);
        std::array<LogRecord, 16> ring{};
        Log notes(ring);
        LogOutput log({});
        if (file_first) ASSERT_EQ(log.ToFile(file.path()), "");
        ASSERT_EQ(log.ToSyslog("embersm", socket), "");
        if (!file_first) ASSERT_EQ(log.ToFile(file.path()), "");
        log.SetPrefix("rail 2");
        notes.Write<Note::kNodeLost>(0, file_first ? 7U : 8U, 2U, 36U);
        log.DrainAll(notes, 0);
        const std::string line =
            fmt::format("rail 2 warning: lost 0x{:016x}, a switch with 36 ports [node-lost]",
                        file_first ? 7 : 8);
        EXPECT_THAT(file.Text(), EndsWith("Z " + line + "\n"));
        EXPECT_EQ(system.Next(), fmt::format("<28>embersm[{}]: {}", getpid(), line));
        EXPECT_EQ(system.Next(), "") << "once";
        EXPECT_GE(log.descriptor(), 0) << "last words go to the file";
    }
}

TEST(LogOutput, SaysInASentenceWhyAFileWillNotDo) {
    LogOutput log({});
    EXPECT_THAT(log.ToSyslog("embersm", "/nowhere/log"), HasSubstr("/nowhere/log: No such file"));
    EXPECT_THAT(log.ToFile("/nowhere/at/all"), HasSubstr("cannot open the log file"));
}

}  // namespace
}  // namespace ember
