// SPDX-License-Identifier: Apache-2.0
// EmberSM: a progress bar for long work.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "config/emberc/plan/measure.h"

namespace ember::plan {

/// A bar on a terminal: drawn when the work has lasted a quarter of a second, and wiped when it
/// ends. Nothing is written when `stream` is no terminal.
class ProgressBar {
public:
    ProgressBar(std::FILE* stream, std::string label);
    ~ProgressBar() { Wipe(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void Show(std::uint64_t done, std::uint64_t all);
    [[nodiscard]] Tick tick() {
        return [this](std::uint64_t done, std::uint64_t all) { Show(done, all); };
    }

    /// The line for a part of the work, as wide as most terminals at most.
    [[nodiscard]] static std::string Line(const std::string& label, std::uint64_t done,
                                          std::uint64_t all);

private:
    void Wipe();

    std::FILE* stream_;
    std::string label_;
    bool is_terminal_;
    bool is_drawn_ = false;
    std::uint64_t percent_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace ember::plan
