// SPDX-License-Identifier: Apache-2.0
// EmberSM: the machine's watchdog, which resets it when signs of life cease.
#include "platform/linux/process/watchdog.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ember {
namespace {

/// The octet that means "do not reset when this is closed".
constexpr char kGoodbye = 'V';
constexpr char kAlive = '\0';

/// Whether the octet was taken.
bool Put(int fd, char octet) {
    ssize_t wrote = -1;
    do {
        wrote = write(fd, &octet, 1);
    } while (wrote < 0 && errno == EINTR);
    return wrote == 1;
}

}  // namespace

int Watchdog::AskKernel(int fd, unsigned long request, int* seconds) {  // NOLINT: as ioctl(2).
    return ioctl(fd, request, seconds);
}

std::string Watchdog::Open(const std::string& device, std::uint32_t seconds,
                           std::uint32_t more_than_s) {
    fd_ = open(device.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0 && errno == EBUSY) return "another process feeds the watchdog " + device;
    if (fd_ < 0) return "cannot open the watchdog " + device + ": " + std::strerror(errno);
    std::string wrong = SetTime(device, seconds, more_than_s);
    if (wrong.empty()) {
        KeepAlive();
    } else {
        Disarm();
    }
    return wrong;
}

std::string Watchdog::SetTime(const std::string& device, std::uint32_t seconds,
                              std::uint32_t more_than_s) {
    auto granted = static_cast<int>(seconds);
    // A driver whose time is fixed refuses, and one with a coarse clock rounds: what counts is what
    // it says afterwards.
    const bool is_set = control_(fd_, WDIOC_SETTIMEOUT, &granted) == 0;
    int now = 0;
    const bool is_reported = control_(fd_, WDIOC_GETTIMEOUT, &now) == 0;
    if (is_reported) granted = now;
    if (!is_set && !is_reported) {
        const int error = errno;
        // A file, a terminal, or an emulated kernel: nothing is to be written there.
        if (error == ENOTTY || error == ENOSYS) Abandon();
        return device + " is no watchdog: " + std::strerror(error);
    }
    const auto least = static_cast<int>(std::max(kLeastSeconds, more_than_s + 1));
    if (granted < least || granted > static_cast<int>(kMostSeconds)) {
        return "the watchdog " + device + " waits for " + std::to_string(granted) +
               " s and cannot be told otherwise; it must be " + std::to_string(least) + " to " +
               std::to_string(kMostSeconds) + (more_than_s != 0 ? ": see --hang-timeout" : "");
    }
    seconds_ = static_cast<std::uint32_t>(granted);
    return {};
}

void Watchdog::KeepAlive() const {
    // A write that fails is not repeated: if the next ones fail too, the machine is reset.
    if (fd_ >= 0) static_cast<void>(Put(fd_, kAlive));
}

void Watchdog::Disarm() {
    if (fd_ >= 0) static_cast<void>(Put(fd_, kGoodbye));
    Abandon();
}

void Watchdog::Abandon() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
}

}  // namespace ember
