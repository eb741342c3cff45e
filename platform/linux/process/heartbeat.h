// SPDX-License-Identifier: Apache-2.0
// EmberSM: signs of life, for a service manager, a supervisor and a watchdog.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/un.h>

#include "core/base/time.h"
#include "platform/linux/process/watchdog.h"

namespace ember {

/// Tells a service manager (sd_notify(3): READY=1, WATCHDOG=1, STOPPING=1 as datagrams to the
/// socket that NOTIFY_SOCKET names), the supervisor of --supervise (an octet into its pipe) and the
/// machine's watchdog that the main loop goes round. Nothing is sent by a thread of its own: a loop
/// that hangs is silent.
class Heartbeat {
public:
    Heartbeat() = default;
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;
    ~Heartbeat();

    /// Beats as the environment asks for, and, if `pipe` is not negative, into it every
    /// `pipe_every_us`. Empty: it worked; else one sentence on what is wrong with the environment.
    [[nodiscard]] std::string Open(int pipe, std::uint64_t pipe_every_us);

    /// Keeps a watchdog that is open from resetting the machine, four times in its patience.
    void Feed(const Watchdog& watchdog);

    /// To be called often, with the time of LinuxClock; the first call says that all is ready.
    /// Never blocks: what cannot be told is told with the next beat.
    void Beat(std::uint64_t now_us);
    /// Call Beat() again within so many microseconds; the largest number: nothing listens.
    [[nodiscard]] std::uint64_t beat_within_us() const { return every_us_; }
    /// The process ends in order.
    void SayStopping();

private:
    void Notify(std::string_view text) const;

    int pipe_ = -1;
    int socket_ = -1;
    sockaddr_un address_{};
    unsigned address_bytes_ = 0;
    const Watchdog* watchdog_ = nullptr;
    bool is_watched_ = false;  ///< By the service manager.
    bool was_ready_ = false;
    std::uint64_t every_us_ = kNever;
    std::uint64_t due_us_ = 0;
};

}  // namespace ember
