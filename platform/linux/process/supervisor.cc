// SPDX-License-Identifier: Apache-2.0
// EmberSM: a parent that starts the subnet manager again when it dies or hangs.

#include "platform/linux/process/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/linux/process/exit_status.h"
#include "platform/linux/system/clock.h"

namespace ember {

namespace {

constexpr std::uint64_t kUsInSecond = 1'000'000;
constexpr std::uint64_t kStartUs = 60 * kUsInSecond;  ///< Until the first beat.
constexpr std::uint64_t kGraceUs = 2 * kUsInSecond;   ///< Between SIGABRT and SIGKILL.
constexpr std::uint64_t kSoundUs = 60 * kUsInSecond;  ///< A life as long resets the pause.
constexpr std::uint64_t kFirstPauseUs = kUsInSecond / 10;
constexpr std::uint64_t kLongestPauseUs = 30 * kUsInSecond;
constexpr std::uint64_t kBeatsInTime = 4;

constexpr std::array kPassedOn = {SIGTERM, SIGINT, SIGHUP, SIGCONT, SIGUSR1};

/// The parent, from fork to fork.
class Supervisor {
public:
    Supervisor(std::uint64_t hang_us, Watchdog& watchdog)
        : hang_us_(hang_us), watchdog_(watchdog) {}

    bool Prepare();
    bool Fork(Supervision& supervision);
    void Watch();
    [[nodiscard]] bool IsOver(int& status) const;
    void PauseAfterEnd();
    void PauseAfterFailure();
    void Say(const char* what) const;

    [[nodiscard]] bool has_child() const { return child_ > 0; }
    [[nodiscard]] bool is_ending() const { return is_ending_; }
    /// No child has ended yet.
    [[nodiscard]] bool is_new() const { return restarts_ == 0; }

private:
    void Pause();
    void LengthenPause();
    void Become(int heartbeat, pid_t parent, Supervision& supervision);
    bool Reap(bool waits);
    void TakeSignals();
    void TakeBeats();
    void KillHung(std::uint64_t silent_us);
    void PollFor(std::uint64_t wait_us);
    void SayFate() const;

    std::uint64_t hang_us_;
    Watchdog& watchdog_;
    LinuxClock clock_;
    sigset_t before_{};
    int signals_ = -1;
    int pipe_ = -1;
    pid_t child_ = -1;
    bool has_beaten_ = false;
    bool is_ending_ = false;
    Fate fate_;
    std::uint64_t begun_us_ = 0;
    std::uint64_t beat_us_ = 0;
    std::uint64_t pause_us_ = 0;
    std::uint64_t restarts_ = 0;
};

void Supervisor::Say(const char* what) const {
    std::fprintf(stderr, "embersm: supervisor: %s: %s\n", what, std::strerror(errno));
}

bool Supervisor::Prepare() {
    sigset_t heard;
    sigemptyset(&heard);
    for (const int signal : kPassedOn) {
        sigaddset(&heard, signal);
    }
    sigaddset(&heard, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &heard, &before_) < 0) return false;
    signals_ = signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC);
    return signals_ >= 0;
}

/// In the child: nothing of the parent's stays but the pipe.
void Supervisor::Become(int heartbeat, pid_t parent, Supervision& supervision) {
    close(signals_);
    watchdog_.Abandon();
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) std::raise(SIGTERM);  // The parent died in between.
    supervision = {heartbeat, std::max<std::uint64_t>(hang_us_ / kBeatsInTime, 1), restarts_,
                   fate_};
}

/// True in the child. In the parent child_ is its number, or -1.
bool Supervisor::Fork(Supervision& supervision) {
    std::array<int, 2> ends{};
    child_ = -1;
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) < 0) return false;
    std::fflush(nullptr);
    const std::uint64_t now_us = clock_.NowUs();  // The time-outs count from before the fork.
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ == 0) {
        close(ends[0]);
        Become(ends[1], parent, supervision);
        return true;
    }
    const int error = errno;
    close(ends[1]);
    if (child_ < 0) {
        close(ends[0]);
        errno = error;
        return false;
    }
    pipe_ = ends[0];
    has_beaten_ = false;
    begun_us_ = beat_us_ = now_us;
    return false;
}

/// Takes the child's end, if it has come to one.
bool Supervisor::Reap(bool waits) {
    int how = 0;
    pid_t reaped = 0;
    do {
        reaped = waitpid(child_, &how, waits ? 0 : WNOHANG);
    } while (reaped < 0 && errno == EINTR);
    if (reaped != child_) return false;
    child_ = -1;
    if (pipe_ >= 0) close(pipe_);
    pipe_ = -1;
    if (fate_.kind == Fate::Kind::kHang) return true;  // Its end was our doing.
    fate_ = WIFSIGNALED(how) ? Fate{Fate::Kind::kSignal, WTERMSIG(how)}
                             : Fate{Fate::Kind::kExit, WEXITSTATUS(how)};
    return true;
}

void Supervisor::TakeSignals() {
    signalfd_siginfo info{};
    // Ends: standard signals do not queue, so there is at most one of each kind.
    while (read(signals_, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
        const int signal = static_cast<int>(info.ssi_signo);
        if (signal == SIGTERM || signal == SIGINT) is_ending_ = true;
        if (signal != SIGCHLD && child_ > 0) kill(child_, signal);
    }
}

void Supervisor::TakeBeats() {
    std::array<char, 256> beats{};
    ssize_t got = 1;
    while (got > 0) {  // Ends: the pipe holds 64 KiB, and the child is slower than this.
        got = read(pipe_, beats.data(), beats.size());
        if (got <= 0) break;
        has_beaten_ = true;
        beat_us_ = clock_.NowUs();
        watchdog_.KeepAlive();
    }
    if (got != 0) return;
    close(pipe_);  // The child has closed its end: it is ending, or out of order.
    pipe_ = -1;
}

void Supervisor::PollFor(std::uint64_t wait_us) {
    std::array<pollfd, 2> descriptors = {pollfd{signals_, POLLIN, 0}, pollfd{pipe_, POLLIN, 0}};
    const auto wait_ms = static_cast<int>(std::min<std::uint64_t>(wait_us / 1000 + 1, 60'000));
    // Interrupted or not: the caller looks at everything anyway.
    if (poll(descriptors.data(), descriptors.size(), wait_ms) < 0) return;
    if (descriptors[0].revents != 0) TakeSignals();
    if (pipe_ >= 0 && descriptors[1].revents != 0) TakeBeats();
}

void Supervisor::KillHung(std::uint64_t silent_us) {
    fate_ = {Fate::Kind::kHang, static_cast<int>(silent_us / kUsInSecond)};
    kill(child_, SIGABRT);
    const std::uint64_t until_us = clock_.NowUs() + kGraceUs;
    while (clock_.NowUs() < until_us) {  // Ends with the grace.
        if (Reap(false)) return;
        PollFor(kGraceUs / 20);
    }
    kill(child_, SIGKILL);
    if (!Reap(true)) Say("cannot wait for the subnet manager");
}

/// Until the child has ended.
void Supervisor::Watch() {
    fate_ = {};
    std::uint64_t looks_at_us = std::numeric_limits<std::uint64_t>::max();
    while (!Reap(false)) {  // Ends with the child, and a child that hangs is ended.
        const std::uint64_t now_us = clock_.NowUs();
        // The parent was stopped itself (a frozen container, a terminal): it cannot tell how long
        // the child was silent.
        if (now_us > looks_at_us && now_us - looks_at_us > kUsInSecond) beat_us_ = now_us;
        const std::uint64_t patience_us = has_beaten_ ? hang_us_ : std::max(kStartUs, hang_us_);
        const std::uint64_t silent_us = now_us - beat_us_;
        if (silent_us >= patience_us) {
            KillHung(silent_us);
            return;
        }
        const std::uint64_t wait_us = patience_us - silent_us;
        looks_at_us = now_us + wait_us;
        PollFor(wait_us);
    }
}

bool Supervisor::IsOver(int& status) const {
    const bool exited = fate_.kind == Fate::Kind::kExit;
    status = exited ? fate_.number : 0;
    if (is_ending_) return true;
    if (!exited) return false;
    return IsFinal(static_cast<ExitStatus>(fate_.number)) || (!has_beaten_ && restarts_ == 0);
}

void Supervisor::SayFate() const {
    const char* how = "ended with status";
    if (fate_.kind == Fate::Kind::kSignal) how = "was ended by signal";
    if (fate_.kind == Fate::Kind::kHang) how = "gave no sign of life and was killed after seconds:";
    std::fprintf(stderr,
                 "embersm: supervisor: the subnet manager %s %d; restart %llu follows in %llu ms\n",
                 how, fate_.number, static_cast<unsigned long long>(restarts_),
                 static_cast<unsigned long long>(pause_us_ / 1000));
}

/// Longer every time, so that a machine is not busy with nothing but starting.
void Supervisor::LengthenPause() {
    pause_us_ = pause_us_ == 0 ? kFirstPauseUs : std::min(2 * pause_us_, kLongestPauseUs);
}

void Supervisor::PauseAfterEnd() {
    if (clock_.NowUs() - begun_us_ >= kSoundUs) pause_us_ = 0;
    LengthenPause();
    ++restarts_;
    SayFate();
    Pause();
}

/// A shortage of processes, descriptors or memory may pass: forking is tried again, for the subnet
/// needs its manager. `errno` says why. Meanwhile the watchdog is not fed.
void Supervisor::PauseAfterFailure() {
    LengthenPause();
    std::fprintf(stderr, "embersm: supervisor: cannot fork: %s; restart %llu is tried in %llu ms\n",
                 std::strerror(errno), static_cast<unsigned long long>(restarts_),
                 static_cast<unsigned long long>(pause_us_ / 1000));
    Pause();
}

void Supervisor::Pause() {
    const std::uint64_t until_us = clock_.NowUs() + pause_us_;
    while (!is_ending_ && clock_.NowUs() < until_us) {  // Ends with the pause.
        PollFor(until_us - clock_.NowUs());
    }
}

}  // namespace

bool Supervise(std::uint64_t hang_us, Watchdog& watchdog, Supervision& supervision, int& status) {
    Supervisor supervisor(hang_us, watchdog);
    if (std::getenv("NOTIFY_SOCKET") != nullptr) {
        std::fputs(
            "embersm: --supervise is not for a service manager's child: NOTIFY_SOCKET is set, so "
            "it restarts the subnet manager itself, and listens to the process that it started; "
            "leave --supervise out, or unset NOTIFY_SOCKET\n",
            stderr);
        status = static_cast<int>(ExitStatus::kUsage);
        watchdog.Disarm();
        return false;
    }
    status = static_cast<int>(ExitStatus::kFile);
    if (!supervisor.Prepare()) {
        supervisor.Say("the kernel gives no descriptor for signals");
        return false;
    }
    for (;;) {  // Ends when it is told to, or when there is no use.
        if (supervisor.Fork(supervision)) return true;
        if (!supervisor.has_child() && supervisor.is_new()) {
            supervisor.Say("cannot fork");
            return false;
        }
        if (supervisor.has_child()) {
            supervisor.Watch();
            if (supervisor.IsOver(status)) break;
            supervisor.PauseAfterEnd();
        } else {
            supervisor.PauseAfterFailure();
        }
        if (supervisor.is_ending()) {
            status = 0;
            break;
        }
    }
    watchdog.Disarm();
    return false;
}

}  // namespace ember
