// SPDX-License-Identifier: Apache-2.0
// EmberSM: when a configuration on trial has proved itself, and when it has failed.
#include "config/blob/trial_guard.h"

#include <algorithm>

#include "core/base/time.h"

namespace ember {

std::uint64_t TrialGuard::look_within_us() const {
    constexpr std::uint64_t kOftenUs = kSecondUs;
    return left_us_ == 0 ? kOftenUs : std::min(left_us_, kOftenUs);
}

TrialWait TrialGuard::WaitsFor(const TrialView& view) const {
    if (view.stands_by) return TrialWait::kMastership;
    if (!view.is_up || view.up_count <= ups_before_) return TrialWait::kSubnetUp;
    return view.is_routed ? TrialWait::kCalm : TrialWait::kOwnRoutes;
}

TrialCue TrialGuard::Look(const TrialView& view) {
    if (!is_running_) return TrialCue::kWait;
    const std::uint64_t passed_us = view.now_us - looked_us_;
    looked_us_ = view.now_us;
    if (!view.stands_by) left_us_ -= std::min(left_us_, passed_us);

    waits_for_ = WaitsFor(view);
    if (waits_for_ == TrialWait::kCalm) {
        if (!was_up_) {
            was_up_ = true;
            up_since_us_ = view.now_us;
            light_sweeps_at_up_ = view.light_sweeps;
        }
        const bool was_swept = view.light_sweeps > light_sweeps_at_up_ && view.is_resting;
        const bool is_settled = was_swept || view.now_us - up_since_us_ >= kSettleUs;
        return is_settled ? TrialCue::kConfirm : TrialCue::kWait;
    }
    was_up_ = false;
    if (left_us_ != 0) return TrialCue::kWait;
    if (can_roll_back_) return TrialCue::kRollBack;
    if (was_overdue_) return TrialCue::kWait;
    was_overdue_ = true;
    return TrialCue::kOverdue;
}

}  // namespace ember
