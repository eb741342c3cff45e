// SPDX-License-Identifier: Apache-2.0
// EmberSM: which sweep is due while the subnet rests.

#include "core/subnet_manager.h"

namespace ember {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kSecondUs = 1'000'000;

}  // namespace

void SubnetManager::StartDueSweep(std::uint64_t now_us) {
    if (RestsForGood()) return;
    if (!MaySweep()) {
        ApplySettings(now_us);  // A standby obeys too: its priority may have been raised.
        return;
    }
    EndQuarantines(now_us);
    if (status_.up && programming_.outcome().end_ports_failed != seen_end_ports_) {
        TellEndPorts(now_us);  // They took their time to be silent.
        FollowEndPorts(now_us);
    }
    const bool due = now_us >= next_sweep_us_;
    const bool heavy = !status_.up || settings_.force_heavy_sweep || confirmation_due_;
    if (due && heavy) {  // A trap that is paced does not hold it up.
        RequestSweep(true, status_.up ? SweepReason::kTimer : SweepReason::kErrors);
    }
    // Some switches are asked at once, whoever else sends traps for nothing; everybody is not.
    const bool is_paced = wanted_reason_ == SweepReason::kTrap && !MayTarget();
    if (heavy_wanted_ && (!is_paced || now_us >= next_trap_sweep_us_)) {
        BeginHeavySweep(now_us);
        return;
    }
    StartDueLightSweep(due, now_us);
}

void SubnetManager::StartDueLightSweep(bool due, std::uint64_t now_us) {
    const bool is_hinted = light_hinted_ && now_us >= next_hinted_sweep_us_;
    const bool looks_again = now_us >= look_again_us_;
    if (looks_again) look_again_us_ = kNever;
    if (!due && !light_wanted_ && !is_hinted && !looks_again) {
        if (now_us >= BalanceDueUs()) BeginBalancing(now_us);
        return;
    }
    light_wanted_ = false;
    light_hinted_ = false;
    if (is_hinted && !due) next_hinted_sweep_us_ = now_us + kSecondUs;
    if (!status_.up) return;  // Whatever was seen, the next sweep is heavy.
    ++status_.light_sweeps;
    const auto reason = due ? SweepReason::kTimer : SweepReason::kTrap;
    journal_.Write<Note::kLightSweepStarted>(now_us, status_.light_sweeps, Raw(reason));
    Enter(Stage::kLightSweep, now_us);
    light_sweep_.Begin(now_us);
}

}  // namespace ember
