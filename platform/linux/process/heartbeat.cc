// SPDX-License-Identifier: Apache-2.0
// EmberSM: signs of life, for a service manager, a supervisor and a watchdog.

#include "platform/linux/process/heartbeat.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace ember {

namespace {

/// So many beats fit into the time after which a listener acts.
constexpr std::uint64_t kBeatsInTime = 3;
/// The watchdog, which resets the whole machine, is given one more.
constexpr std::uint64_t kMealsInTime = 4;
constexpr std::uint64_t kUsInSecond = 1'000'000;

/// A positive number from the environment. Empty: `number` has it, or 0 when it is not set.
std::string Number(const char* name, std::uint64_t& number) {
    number = 0;
    const char* const text = std::getenv(name);
    if (text == nullptr) return {};
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, number);
    if (error == std::errc{} && stop == end && number != 0) return {};
    return std::string("the environment's ") + name + " is no positive number: \"" + text + "\"";
}

}  // namespace

Heartbeat::~Heartbeat() {
    if (socket_ >= 0) close(socket_);
    if (pipe_ >= 0) close(pipe_);
}

std::string Heartbeat::Open(int pipe, std::uint64_t pipe_every_us) {
    pipe_ = pipe;
    if (pipe_ >= 0) every_us_ = pipe_every_us;
    const char* const name = std::getenv("NOTIFY_SOCKET");
    if (name == nullptr) return {};
    const std::size_t length = std::strlen(name);
    const bool has_form = length > 1 && (name[0] == '/' || name[0] == '@');
    if (!has_form || length >= sizeof(address_.sun_path)) {
        return std::string("the environment's NOTIFY_SOCKET is no name of a socket: \"") + name +
               "\"";
    }
    std::uint64_t watchdog_us = 0;
    std::uint64_t watched_pid = 0;
    std::string wrong = Number("WATCHDOG_USEC", watchdog_us);
    if (wrong.empty()) wrong = Number("WATCHDOG_PID", watched_pid);
    if (!wrong.empty()) return wrong;
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0) return std::string("cannot make a socket: ") + std::strerror(errno);
    address_.sun_family = AF_UNIX;
    std::memcpy(address_.sun_path, name, length);
    if (name[0] == '@') address_.sun_path[0] = '\0';  // An abstract name.
    address_bytes_ = static_cast<unsigned>(offsetof(sockaddr_un, sun_path) + length);
    const bool is_meant = watched_pid == 0 || watched_pid == static_cast<std::uint64_t>(getpid());
    is_watched_ = watchdog_us != 0 && is_meant;
    if (is_watched_) {
        every_us_ = std::min(every_us_, std::max<std::uint64_t>(watchdog_us / kBeatsInTime, 1));
    }
    return {};
}

void Heartbeat::Feed(const Watchdog& watchdog) {
    watchdog_ = &watchdog;
    every_us_ = std::min(every_us_, watchdog.seconds() * kUsInSecond / kMealsInTime);
}

void Heartbeat::Notify(std::string_view text) const {
    if (socket_ < 0) return;
    sockaddr_un address = address_;
    const auto* const to = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    // A service manager that does not read misses it; the next beat says the same.
    static_cast<void>(sendto(socket_, text.data(), text.size(), MSG_NOSIGNAL, to, address_bytes_));
}

void Heartbeat::Beat(std::uint64_t now_us) {
    if (!was_ready_) Notify("READY=1");
    if (was_ready_ && now_us < due_us_) return;
    was_ready_ = true;
    due_us_ = every_us_ == kNever ? kNever : now_us + every_us_;
    if (is_watched_) Notify("WATCHDOG=1");
    if (watchdog_ != nullptr) watchdog_->KeepAlive();
    if (pipe_ < 0) return;
    const char beat = '.';
    // A full pipe holds beats enough, and a broken one has no reader.
    if (write(pipe_, &beat, 1) < 0 && errno == EPIPE) {
        close(pipe_);
        pipe_ = -1;
    }
}

void Heartbeat::SayStopping() {
    Notify("STOPPING=1");
}

}  // namespace ember
