// SPDX-License-Identifier: Apache-2.0
// EmberSM: what each stage of a bring-up has cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/manager/subnet_status.h"

namespace ember {

/// Enters stages, and writes into the status how much time, work and SMPs each took. Times are in
/// microseconds; `smps` are all that were sent so far.
class StageClock {
public:
    explicit StageClock(SubnetStatus& status) : status_(status) {}
    StageClock(const StageClock&) = delete;
    StageClock& operator=(const StageClock&) = delete;

    /// The run begins, in kResting.
    void Start(std::uint64_t now_us) { began_us_ = now_us; }
    /// A heavy sweep begins: all stages count from nothing.
    void BeginSweep(std::uint64_t now_us, std::uint64_t smps) {
        status_.stage_us.fill(0);
        status_.stage_work_us.fill(0);
        status_.stage_smps.fill(0);
        sweep_began_us_ = began_us_ = now_us;
        began_smps_ = smps;
    }
    /// Nothing happens when `stage` is under way already.
    void Enter(Stage stage, std::uint64_t now_us, std::uint64_t smps) {
        if (status_.stage == stage) return;
        EMBER_ASSERT(smps >= began_smps_);
        const auto at = static_cast<std::size_t>(status_.stage);
        status_.stage_us[at] += now_us - began_us_;
        status_.stage_smps[at] += smps - began_smps_;
        began_us_ = now_us;
        began_smps_ = smps;
        status_.stage = stage;
    }
    /// A step of the subnet manager that began in `stage` has worked so long.
    void CountWork(Stage stage, std::uint64_t worked_us) {
        const auto at = static_cast<std::size_t>(stage);
        EMBER_ASSERT(at < status_.stage_work_us.size());
        status_.stage_work_us[at] += worked_us;
        status_.longest_step_us = std::max(status_.longest_step_us, worked_us);
    }

    [[nodiscard]] std::uint64_t sweep_began_us() const { return sweep_began_us_; }
    /// SMPs that had been sent when the stage under way began.
    [[nodiscard]] std::uint64_t began_smps() const { return began_smps_; }

private:
    SubnetStatus& status_;
    std::uint64_t sweep_began_us_ = 0;
    std::uint64_t began_us_ = 0;
    std::uint64_t began_smps_ = 0;
};

}  // namespace ember
