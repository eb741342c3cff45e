// SPDX-License-Identifier: Apache-2.0
// EmberSM: a parent that starts the subnet manager again, also when the machine is short of means.
#include "platform/linux/process/supervisor.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ember {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kHangUs = 60'000'000;

/// A supervisor in a process of its own, whose children say that they live and then wait.
class SupervisorTest : public ::testing::Test {
protected:
    void SetUp() override { unsetenv("NOTIFY_SOCKET"); }
    void TearDown() override {
        unsetenv("NOTIFY_SOCKET");
        if (parent_ <= 0) return;
        kill(parent_, SIGKILL);
        waitpid(parent_, nullptr, 0);
    }
    void Start(const std::function<void()>& before = [] {}) {
        ASSERT_EQ(pipe(births_.data()), 0);
        ASSERT_EQ(pipe(words_.data()), 0);
        parent_ = fork();
        ASSERT_GE(parent_, 0);
        if (parent_ != 0) {
            close(births_[1]);
            close(words_[1]);
            return;
        }
        dup2(words_[1], STDERR_FILENO);
        before();
        Watchdog watchdog;
        Supervision supervision;
        int status = 0;
        if (!Supervise(kHangUs, watchdog, supervision, status)) _exit(status);
        const pid_t self = getpid();
        // A beat, or an end of ours would be one that could not even begin.
        const bool lives = write(supervision.heartbeat, "1", 1) == 1 &&
                           write(births_[1], &self, sizeof(self)) == sizeof(self);
        while (lives) {
            pause();
        }
        _exit(9);
    }
    /// The next child; 0: there was none in time.
    pid_t Birth(int wait_ms) {
        pollfd births{births_[0], POLLIN, 0};
        pid_t child = 0;
        if (poll(&births, 1, wait_ms) != 1) return 0;
        return read(births_[0], &child, sizeof(child)) == sizeof(child) ? child : 0;
    }
    /// The words heard until `wait_ms` passed in silence, or `words` were among them.
    std::string Heard(const std::string& words, int wait_ms) {
        std::array<char, 512> text{};
        pollfd line{words_[0], POLLIN, 0};
        while (said_.find(words) == std::string::npos && poll(&line, 1, wait_ms) == 1) {
            const ssize_t octets = read(words_[0], text.data(), text.size());
            if (octets <= 0) break;
            said_.append(text.data(), static_cast<std::size_t>(octets));
        }
        return said_;
    }
    int End() {
        int how = 0;
        waitpid(parent_, &how, 0);
        parent_ = -1;
        return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    }
    /// How many descriptors the supervisor may have.
    void Grant(rlim_t descriptors) {
        const rlimit limit{descriptors, was_.rlim_max};
        ASSERT_EQ(prlimit(parent_, RLIMIT_NOFILE, &limit, nullptr), 0) << std::strerror(errno);
    }

    pid_t parent_ = -1;
    std::array<int, 2> births_{};
    std::array<int, 2> words_{};
    std::string said_;
    rlimit was_ = [] {
        rlimit limit{};
        getrlimit(RLIMIT_NOFILE, &limit);
        return limit;
    }();
};

TEST_F(SupervisorTest, TriesAgainUntilTheMachineHasMeansForAChild) {
    Start();
    const pid_t first = Birth(20'000);
    ASSERT_GT(first, 0);
    Grant(3);
    kill(first, SIGKILL);
    EXPECT_THAT(Heard("cannot fork", 20'000), HasSubstr("cannot fork: Too many open files"));
    EXPECT_EQ(Birth(500), 0);
    Grant(was_.rlim_cur);
    const pid_t second = Birth(20'000);
    EXPECT_GT(second, 0) << said_;
    EXPECT_NE(second, first);
    kill(parent_, SIGTERM);
    EXPECT_EQ(End(), 0);
}

TEST_F(SupervisorTest, EndsWhileItWaitsForMeansWhenItIsTold) {
    Start();
    const pid_t first = Birth(20'000);
    ASSERT_GT(first, 0);
    Grant(3);
    kill(first, SIGKILL);
    EXPECT_THAT(Heard("cannot fork", 20'000), HasSubstr("is tried in"));
    kill(parent_, SIGTERM);
    EXPECT_EQ(End(), 0);
}

TEST_F(SupervisorTest, EndsWithAnErrorWhenItCannotEvenBegin) {
    Start([] {
        // Four are enough for its signals, and too few for a pipe.
        for (int i = 4; i < 64; ++i) {
            close(i);
        }
        close(3);
        const rlimit limit{4, 4};
        setrlimit(RLIMIT_NOFILE, &limit);
    });
    EXPECT_THAT(Heard("cannot fork", 20'000), HasSubstr("cannot fork: Too many open files"));
    EXPECT_EQ(End(), 6);
}

TEST_F(SupervisorTest, LeavesTheChildrenOfAServiceManagerToIt) {
    Start([] { setenv("NOTIFY_SOCKET", "/run/systemd/notify", 1); });
    EXPECT_THAT(Heard("leave --supervise out", 20'000), HasSubstr("NOTIFY_SOCKET is set"));
    EXPECT_EQ(End(), 2);
    EXPECT_EQ(Birth(0), 0);
}

}  // namespace
}  // namespace ember
