// SPDX-License-Identifier: Apache-2.0
// EmberSM: the loop in which everything happens.

#include "platform/linux/process/main_loop.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "platform/common/in_vain.h"
#include "platform/linux/system/clock.h"

namespace ember {

namespace {

/// While there is work at every step, signals and clients are looked at so often.
constexpr std::uint64_t kLookEveryUs = 2000;
/// A port without a descriptor is waited for alone; so often the others get their turn.
constexpr std::uint64_t kPortTurnUs = 20000;
/// So many SMPs under way keep a fabric busy while their answers are gathered,
constexpr std::size_t kManyInFlight = 16;
/// for so long: a tenth of what it takes to work on them.
constexpr std::uint64_t kGatherUs = 40;
/// The longest sleep, so that a lost wake-up costs no more.
constexpr std::uint64_t kLongestWaitUs = 10000000;

/// With none it sleeps, if there is time to sleep for.
void PollFor(std::span<pollfd> descriptors, std::uint64_t wait_us) {
    if (descriptors.empty() && wait_us == 0) return;
    const timespec wait{static_cast<time_t>(wait_us / 1000000U),
                        static_cast<long>(wait_us % 1000000U * 1000U)};
    // Interrupted or not: the caller looks at everything anyway.
    if (ppoll(descriptors.data(), descriptors.size(), &wait, nullptr) >= 0) return;
    for (pollfd& descriptor : descriptors) {
        descriptor.revents = 0;
    }
}

}  // namespace

void PortWaiting::WaitUntil(std::uint64_t deadline_us, std::uint64_t gather_us,
                            std::span<pollfd> descriptors) {
    const std::uint64_t now_us = clock_.NowUs();
    const std::uint64_t left_us = deadline_us > now_us ? deadline_us - now_us : 0;
    const std::uint64_t wait_us = std::min(left_us, kLongestWaitUs);
    if (descriptor_ >= 0) {
        std::array<pollfd, ControlServer::kMaxDescriptors + 2> all{};
        EMBER_ASSERT(descriptors.size() < all.size());
        std::copy(descriptors.begin(), descriptors.end(), all.begin());
        all[descriptors.size()] = {descriptor_, POLLIN, 0};
        PollFor(std::span(all).first(descriptors.size() + 1), wait_us);
        std::copy_n(all.begin(), descriptors.size(), descriptors.begin());
        if (wait_us > 0 && all[descriptors.size()].revents != 0) PollFor({}, gather_us);
        return;
    }
    if (wait_us > 0 && wait_(port_, std::min(wait_us, kPortTurnUs))) PollFor({}, gather_us);
    const std::uint64_t after_us = clock_.NowUs();
    if (after_us < others_due_us_) return;
    others_due_us_ = after_us + kLookEveryUs;
    PollFor(descriptors, 0);
}

/// Does what is not the subnet manager's own business, and yet has its times.
void MainLoop::Report(std::uint64_t host_us) {
    if (reloader != nullptr) {
        reloader->WatchTrial(control.reads_tables());
        if (reloader->waits_for_tables()) control.FreeTables();  // Rolled back at the next look.
    }
    if (heartbeat != nullptr) heartbeat->Beat(host_us);
}

std::uint64_t MainLoop::OwnDeadline(std::uint64_t deadline_us) const {
    std::uint64_t within_us = kLongestWaitUs;
    if (reloader != nullptr) within_us = std::min(within_us, reloader->watch_within_us());
    if (heartbeat != nullptr) within_us = std::min(within_us, heartbeat->beat_within_us());
    return std::min(deadline_us, clock.NowUs() + within_us);
}

void MainLoop::Look(std::uint64_t deadline_us, SignalsHeard& heard) {
    std::array<pollfd, ControlServer::kMaxDescriptors + 1> descriptors{};
    descriptors[0] = {signals.descriptor(), POLLIN, 0};
    const std::size_t clients =
        control.Describe(std::span(descriptors).subspan(1), LinuxClock().NowUs());
    const std::span<pollfd> used = std::span(descriptors).first(clients + 1);
    if (control.watches_time()) {
        deadline_us = std::min(deadline_us, clock.NowUs() + ControlServer::kIdleUs);
    }
    const bool gathers = sm.exchange().in_flight() >= kManyInFlight;
    waiting.WaitUntil(deadline_us, gathers ? kGatherUs : 0, used);
    if (used[0].revents != 0) heard = signals.Take();
    const bool client_wants = std::any_of(used.begin() + 1, used.end(),
                                          [](const pollfd& ready) { return ready.revents != 0; });
    if (client_wants) control.Serve(LinuxClock().NowUs());
}

LoopEnd MainLoop::Run() {
    const LinuxClock host;
    std::uint64_t look_us = 0;
    for (;;) {  // Ends when it is asked to.
        const std::uint64_t deadline_us = sm.Step();
        const std::uint64_t now_us = clock.NowUs();
        log.Drain(sm.log(), now_us);
        control.Advance(host.NowUs());
        if (once && sm.progress().up_count > 0 && !control.owes_dumps()) return LoopEnd::kUp;

        const bool idle = deadline_us > now_us && !control.busy();
        if (!idle && host.NowUs() < look_us) continue;
        const std::uint64_t host_us = host.NowUs();
        look_us = host_us + kLookEveryUs;
        Report(host_us);
        log.Drain(sm.log(), clock.NowUs());  // Notes of Report() must not wait a turn.
        if (idle && once && IsInVain(sm)) return LoopEnd::kNotUp;
        if (!sm.exchange().port_is_alive()) return LoopEnd::kDevice;

        SignalsHeard heard;
        Look(idle ? OwnDeadline(deadline_us) : 0, heard);
        if (heard.end) return LoopEnd::kAsked;
        if (heard.reload) control.Reload();
        if (heard.heavy_sweep) sm.RequestSweep(SweepCue::kHeavyRequest);
        // When it cannot be opened anew the old file stays in use, which loses nothing.
        if (heard.reopen_log && log.Reopen() != Status::kOk) continue;
    }
}

}  // namespace ember
