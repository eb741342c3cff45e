// SPDX-License-Identifier: Apache-2.0
// EmberSM: the loop in which everything happens.
#pragma once

#include <cstdint>
#include <poll.h>
#include <span>

#include "core/manager/subnet_manager.h"
#include "core/platform.h"
#include "platform/linux/control/control.h"
#include "platform/linux/log/log_output.h"
#include "platform/linux/process/heartbeat.h"
#include "platform/linux/system/signals.h"

namespace ember {

/// How time passes when the subnet manager has nothing to do.
class Waiting {
public:
    /// Returns when a datagram may have arrived, when one of `descriptors` has something, or when
    /// the subnet manager's clock has come to `deadline_us`; sooner does no harm. With a deadline
    /// that is past it only looks. Fills in revents. A datagram that has arrived may wait
    /// `gather_us` for others: a wake-up for each costs more than to read it.
    virtual void WaitUntil(std::uint64_t deadline_us, std::uint64_t gather_us,
                           std::span<pollfd> descriptors) = 0;

protected:
    ~Waiting() = default;
};

/// Waits for a descriptor of the management port, or, without one, for whatever stands for it.
class PortWaiting final : public Waiting {
public:
    /// Waits for the port at most so long, in microseconds: for a port without a descriptor. True:
    /// a datagram may have arrived.
    using WaitForPort = bool (*)(const void* port, std::uint64_t at_most_us);

    PortWaiting(const Clock& clock, int descriptor, const void* port, WaitForPort wait)
        : clock_(clock), descriptor_(descriptor), port_(port), wait_(wait) {}
    void WaitUntil(std::uint64_t deadline_us, std::uint64_t gather_us,
                   std::span<pollfd> descriptors) override;

private:
    const Clock& clock_;
    int descriptor_;
    const void* port_;
    WaitForPort wait_;
    std::uint64_t others_due_us_ = 0;
};

/// Why the loop ended.
enum class LoopEnd : std::uint8_t {
    kAsked,   ///< By a signal.
    kUp,      ///< The subnet is up, and that was all that was wanted.
    kNotUp,   ///< The subnet will not come up by this manager; only when once.
    kDevice,  ///< The management port is gone.
};

struct MainLoop {
    SubnetManager& sm;
    const Clock& clock;  ///< The subnet manager's.
    Waiting& waiting;
    const Signals& signals;
    LogOutput& log;
    ControlServer& control;
    /// End at the first SUBNET UP, or when it is clear that there will be none.
    bool once = false;
    Reloader* reloader = nullptr;    ///< Watches a configuration on trial; nullptr: none is.
    Heartbeat* heartbeat = nullptr;  ///< Tells watchdogs that this runs; nullptr: there are none.

    /// Steps the subnet manager, writes its log, serves signals and the control socket, and sleeps
    /// in between. Allocates nothing.
    [[nodiscard]] LoopEnd Run();

private:
    void Report(std::uint64_t host_us);
    [[nodiscard]] std::uint64_t OwnDeadline(std::uint64_t deadline_us) const;
    void Look(std::uint64_t deadline_us, SignalsHeard& heard);
};

}  // namespace ember
