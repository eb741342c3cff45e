// SPDX-License-Identifier: Apache-2.0
// EmberSM: the machine's watchdog is fed while all is well, and told goodbye only in order.
#include "platform/linux/process/watchdog.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/watchdog.h>
#include <string>
#include <unistd.h>

#include "platform/linux/process/heartbeat.h"
#include "platform/linux/process/supervisor.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint64_t kSecond = 1'000'000;

/// A driver's clock: what it was asked for last, and what it makes of it.
int asked = 0;
int longest = 10000;

int Grants(int /*fd*/, unsigned long request, int* seconds) {
    if (request == WDIOC_SETTIMEOUT) asked = *seconds;
    if (request == WDIOC_SETTIMEOUT && *seconds > longest) {
        errno = EINVAL;
        return -1;
    }
    *seconds = std::min(asked, longest);
    return 0;
}

/// A regular file in the place of the device keeps every octet.
class WatchdogTest : public ::testing::Test {
protected:
    WatchdogTest() {
        std::string pattern = fs::temp_directory_path() / "ember-watchdog-XXXXXX";
        root_ = mkdtemp(pattern.data());
        device_ = root_ / "watchdog";
        std::ofstream{device_}.close();
        asked = 0;
        longest = 10000;
        unsetenv("NOTIFY_SOCKET");
    }
    ~WatchdogTest() override { fs::remove_all(root_); }

    [[nodiscard]] std::string Heard() const {
        std::ifstream file(device_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    fs::path root_;
    std::string device_;
};

TEST_F(WatchdogTest, IsFedFourTimesInItsPatienceAndOnlyByTheHeartbeat) {
    Watchdog watchdog(&Grants);
    ASSERT_EQ(watchdog.Open(device_, 60), "");
    EXPECT_EQ(asked, 60);
    EXPECT_EQ(watchdog.seconds(), 60U);
    EXPECT_EQ(Heard().size(), 1U);
    Heartbeat heartbeat;
    ASSERT_EQ(heartbeat.Open(-1, 0), "");
    heartbeat.Feed(watchdog);
    EXPECT_EQ(heartbeat.beat_within_us(), 15 * kSecond);
    heartbeat.Beat(kSecond);
    EXPECT_EQ(Heard().size(), 2U);
    heartbeat.Beat(16 * kSecond - 1);
    EXPECT_EQ(Heard().size(), 2U);
    heartbeat.Beat(16 * kSecond);
    EXPECT_EQ(Heard(), std::string(3, '\0'));
}

TEST_F(WatchdogTest, IsToldGoodbyeAtAnOrderlyEndAndNeverOtherwise) {
    {
        Watchdog watchdog(&Grants);
        ASSERT_EQ(watchdog.Open(device_, 60), "");
        watchdog.KeepAlive();
    }
    EXPECT_EQ(Heard().find('V'), std::string::npos) << "it was let go of";
    Watchdog watchdog(&Grants);
    ASSERT_EQ(watchdog.Open(device_, 60), "");
    watchdog.Disarm();
    EXPECT_EQ(Heard().back(), 'V');
    EXPECT_FALSE(watchdog.is_open());
    const std::size_t size = Heard().size();
    watchdog.KeepAlive();
    watchdog.Disarm();
    EXPECT_EQ(Heard().size(), size);
}

TEST_F(WatchdogTest, TakesTheTimeThatItsDriverGrantsIfItWillDo) {
    longest = 16;
    {
        Watchdog watchdog(&Grants);
        asked = 16;  // As its clock stands.
        ASSERT_EQ(watchdog.Open(device_, 60), "");
        EXPECT_EQ(watchdog.seconds(), 16U);
    }
    Watchdog supervised(&Grants);
    EXPECT_THAT(supervised.Open(device_, 60, 30),
                AllOf(HasSubstr("waits for 16 s"), HasSubstr("must be 31 to 3600"),
                      HasSubstr("--hang-timeout")));
    EXPECT_FALSE(supervised.is_open());
    EXPECT_EQ(Heard().back(), 'V') << "what is not used must not reset the machine";
    longest = 2;
    Watchdog hasty(&Grants);
    EXPECT_THAT(hasty.Open(device_, 60), HasSubstr("waits for 2 s"));
}

TEST_F(WatchdogTest, SaysWhatIsNoWatchdogAndWritesNothingThere) {
    Watchdog real;
    EXPECT_THAT(real.Open(device_, 60), HasSubstr("is no watchdog"));
    EXPECT_FALSE(real.is_open());
    EXPECT_EQ(Heard(), "");
    EXPECT_THAT(real.Open(root_ / "missing", 60), StartsWith("cannot open the watchdog"));
}

/// In a process of its own: the supervisor forks, and keeps the signals to itself.
[[noreturn]] void SuperviseThrice(const std::string& device) {
    Watchdog watchdog(&Grants);
    if (!watchdog.Open(device, 60).empty()) _exit(90);
    Supervision supervision;
    int status = 0;
    if (!Supervise(30 * kSecond, watchdog, supervision, status)) _exit(status);
    if (watchdog.is_open()) _exit(0);  // The child must not hold it.
    const char beat = '.';
    const bool has_beaten =
        supervision.restarts == 0 || write(supervision.heartbeat, &beat, 1) == 1;
    usleep(50000);  // The parent hears it first.
    if (supervision.restarts < 2 && has_beaten) std::raise(SIGKILL);
    _exit(1);
}

TEST_F(WatchdogTest, IsFedByTheSupervisorWhenItsChildBeats) {
    // Three lives: killed without a beat, killed after one, and one that beats and ends in order.
    EXPECT_EXIT(SuperviseThrice(device_), ::testing::ExitedWithCode(1), "restart 2 follows");
    EXPECT_EQ(Heard(), std::string(3, '\0') + "V");
}

}  // namespace
}  // namespace ember
