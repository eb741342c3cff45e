// SPDX-License-Identifier: Apache-2.0
// EmberSM: signs of life arrive where they are asked for, and only there.
#include "platform/linux/process/heartbeat.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace ember {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A service manager's end of NOTIFY_SOCKET.
class HeartbeatTest : public ::testing::Test {
protected:
    HeartbeatTest() {
        folder_ = ::testing::TempDir() + "notify.XXXXXX";
        EXPECT_NE(mkdtemp(folder_.data()), nullptr);
        path_ = folder_ + "/socket";
        socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
        const auto* const at = static_cast<const sockaddr*>(static_cast<const void*>(&address));
        EXPECT_EQ(bind(socket_, at, sizeof(address)), 0);
        setenv("NOTIFY_SOCKET", path_.c_str(), 1);
    }
    ~HeartbeatTest() override {
        close(socket_);
        unlink(path_.c_str());
        rmdir(folder_.c_str());
        for (const char* const name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
            unsetenv(name);
        }
    }
    std::vector<std::string> Heard() const {
        std::vector<std::string> heard;
        std::array<char, 100> room{};
        for (ssize_t got = 0; (got = recv(socket_, room.data(), room.size(), 0)) > 0;) {
            heard.emplace_back(room.data(), static_cast<std::size_t>(got));
        }
        return heard;
    }

    std::string folder_;
    std::string path_;
    int socket_ = -1;
};

TEST_F(HeartbeatTest, SaysReadyOnceAndBeatsThreeTimesAPeriod) {
    setenv("WATCHDOG_USEC", "3000000", 1);
    Heartbeat heartbeat;
    ASSERT_EQ(heartbeat.Open(-1, 0), "");
    EXPECT_THAT(Heard(), IsEmpty());
    EXPECT_EQ(heartbeat.beat_within_us(), 1'000'000U);
    heartbeat.Beat(5'000'000);
    EXPECT_THAT(Heard(), ElementsAre("READY=1", "WATCHDOG=1"));
    heartbeat.Beat(5'999'999);
    EXPECT_THAT(Heard(), IsEmpty());
    heartbeat.Beat(6'000'000);
    EXPECT_THAT(Heard(), ElementsAre("WATCHDOG=1"));
    heartbeat.SayStopping();
    EXPECT_THAT(Heard(), ElementsAre("STOPPING=1"));
}

TEST_F(HeartbeatTest, DoesNotBeatForAWatchdogThatIsNotMeant) {
    Heartbeat unwatched;
    ASSERT_EQ(unwatched.Open(-1, 0), "");
    unwatched.Beat(0);
    unwatched.Beat(1'000'000'000);
    EXPECT_THAT(Heard(), ElementsAre("READY=1"));
    EXPECT_EQ(unwatched.beat_within_us(), kNever);
    setenv("WATCHDOG_USEC", "3000000", 1);
    setenv("WATCHDOG_PID", std::to_string(getpid() + 1).c_str(), 1);
    Heartbeat other;
    ASSERT_EQ(other.Open(-1, 0), "");
    other.Beat(0);
    EXPECT_THAT(Heard(), ElementsAre("READY=1"));
    setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
    Heartbeat meant;
    ASSERT_EQ(meant.Open(-1, 0), "");
    meant.Beat(0);
    EXPECT_THAT(Heard(), ElementsAre("READY=1", "WATCHDOG=1"));
}

TEST_F(HeartbeatTest, SurvivesAServiceManagerThatIsGoneOrDoesNotRead) {
    setenv("WATCHDOG_USEC", "3", 1);
    Heartbeat heartbeat;
    ASSERT_EQ(heartbeat.Open(-1, 0), "");
    for (std::uint64_t i = 0; i < 10000; ++i) {
        heartbeat.Beat(i);  // More than a socket holds.
    }
    unlink(path_.c_str());
    heartbeat.Beat(20000);
}

TEST_F(HeartbeatTest, BeatsIntoTheSupervisorsPipe) {
    unsetenv("NOTIFY_SOCKET");
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
    Heartbeat heartbeat;
    ASSERT_EQ(heartbeat.Open(ends[1], 1000), "");
    EXPECT_EQ(heartbeat.beat_within_us(), 1000U);
    std::array<char, 100> room{};
    heartbeat.Beat(0);
    heartbeat.Beat(999);
    EXPECT_EQ(read(ends[0], room.data(), room.size()), 1);
    heartbeat.Beat(1000);
    EXPECT_EQ(read(ends[0], room.data(), room.size()), 1);
    EXPECT_LT(read(ends[0], room.data(), room.size()), 0) << "and no more";
    close(ends[0]);
}

TEST_F(HeartbeatTest, RefusesAnEnvironmentThatMakesNoSense) {
    const std::string long_name = "/" + std::string(200, 'x');
    for (const std::string& name :
         {std::string(), std::string("relative"), std::string("@"), std::string("/"), long_name}) {
        setenv("NOTIFY_SOCKET", name.c_str(), 1);
        Heartbeat heartbeat;
        EXPECT_THAT(heartbeat.Open(-1, 0), HasSubstr("NOTIFY_SOCKET is no name")) << name;
    }
    setenv("NOTIFY_SOCKET", path_.c_str(), 1);
    for (const char* const variable : {"WATCHDOG_USEC", "WATCHDOG_PID"}) {
        for (const char* const number : {"", "0", "-1", "1s", "99999999999999999999999"}) {
            setenv(variable, number, 1);
            Heartbeat heartbeat;
            EXPECT_THAT(heartbeat.Open(-1, 0), HasSubstr(variable)) << number;
        }
        unsetenv(variable);
    }
}

}  // namespace
}  // namespace ember
