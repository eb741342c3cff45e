// SPDX-License-Identifier: Apache-2.0
// EmberSM: when a configuration on trial has proved itself, and when it has failed.
#pragma once

#include <cstdint>

namespace ember {

/// The action that a trial calls for.
enum class TrialCue : std::uint8_t {
    kWait,
    kConfirm,   ///< The subnet is up with it, and stays so.
    kRollBack,  ///< The deadline is past without that.
    kOverdue,   ///< The same, and there is nothing to go back to. Said once.
};

/// The event that a trial waits for.
enum class TrialWait : std::uint8_t {
    kSubnetUp,
    kOwnRoutes,   ///< The subnet is up, but with tables that no engine of the list made.
    kCalm,        ///< The subnet is up by routes of the list, and shall stay so for a while.
    kMastership,  ///< Another subnet manager is master, and the clock stands still.
};

/// How the subnet is, as seen by the program that runs the subnet manager.
struct TrialView {
    std::uint64_t now_us = 0;
    bool is_up = false;              ///< SubnetStatus::up.
    bool is_routed = false;          ///< SubnetStatus::routed_as_configured.
    bool is_resting = false;         ///< No sweep is under way.
    bool stands_by = false;          ///< Another subnet manager is master: nothing can be proved.
    std::uint64_t up_count = 0;      ///< SubnetStatus::up_count, and changes without a sweep.
    std::uint64_t light_sweeps = 0;  ///< SubnetStatus::light_sweeps.
};

/// Judges a configuration by what becomes of the subnet. The configuration has until the deadline
/// for a SUBNET UP of its own, by routes that its own list of engines made: tables that are kept
/// since no engine could route prove nothing of it. A SUBNET UP is believed when a light sweep has
/// found nothing against it, or after kSettleUs, whichever is sooner. While the subnet manager
/// stands by, the clock of the trial stands still.
class TrialGuard {
public:
    static constexpr std::uint64_t kSettleUs = 10'000'000;

    /// From now on. A SUBNET UP from before does not count. `can_roll_back`: there is a
    /// configuration that was confirmed.
    void Begin(const TrialView& view, std::uint64_t deadline_us, bool can_roll_back) {
        *this = {};
        is_running_ = true;
        can_roll_back_ = can_roll_back;
        left_us_ = deadline_us;
        looked_us_ = view.now_us;
        ups_before_ = view.up_count;
    }
    void End() { is_running_ = false; }

    [[nodiscard]] bool running() const { return is_running_; }
    /// Microseconds until the deadline, as of the last look.
    [[nodiscard]] std::uint64_t left_us() const { return left_us_; }
    /// As of the last look.
    [[nodiscard]] TrialWait waits_for() const { return waits_for_; }
    /// Look again after so many microseconds at the latest.
    [[nodiscard]] std::uint64_t look_within_us() const;

    /// To be asked often. The answer is repeated until End(), but for kOverdue.
    [[nodiscard]] TrialCue Look(const TrialView& view);

private:
    [[nodiscard]] TrialWait WaitsFor(const TrialView& view) const;

    TrialWait waits_for_ = TrialWait::kSubnetUp;
    bool is_running_ = false;
    bool can_roll_back_ = false;
    bool was_overdue_ = false;
    bool was_up_ = false;
    std::uint64_t left_us_ = 0;
    std::uint64_t looked_us_ = 0;
    std::uint64_t ups_before_ = 0;
    std::uint64_t up_since_us_ = 0;
    std::uint64_t light_sweeps_at_up_ = 0;
};

}  // namespace ember
