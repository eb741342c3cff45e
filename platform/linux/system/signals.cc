// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an operator says with kill(1).

#include "platform/linux/system/signals.h"

#include <array>
#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

namespace ember {

Signals::~Signals() {
    if (fd_ >= 0) close(fd_);
}

Status Signals::Open() {
    sigset_t heard;
    sigemptyset(&heard);
    for (const int signal : std::array{SIGTERM, SIGINT, SIGHUP, SIGCONT, SIGUSR1}) {
        sigaddset(&heard, signal);
    }
    if (sigprocmask(SIG_BLOCK, &heard, nullptr) < 0) return Status::kDevice;
    if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) return Status::kDevice;
    fd_ = signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC);
    return fd_ < 0 ? Status::kDevice : Status::kOk;
}

SignalsHeard Signals::Take() const {
    SignalsHeard heard;
    signalfd_siginfo info{};
    // Ends: standard signals do not queue, so there is at most one of each kind.
    while (read(fd_, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
        const int signal = static_cast<int>(info.ssi_signo);
        if (signal == SIGTERM || signal == SIGINT) heard.end = true;
        if (signal == SIGHUP || signal == SIGCONT) heard.heavy_sweep = true;
        if (signal == SIGHUP) heard.reload = true;
        if (signal == SIGUSR1) heard.reopen_log = true;
    }
    return heard;
}

}  // namespace ember
