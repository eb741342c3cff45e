// SPDX-License-Identifier: Apache-2.0
// EmberSM: a progress bar for long work.
#include "config/emberc/plan/progress_bar.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace ember::plan {

ProgressBar::ProgressBar(std::FILE* stream, std::string label)
    : stream_(stream), label_(std::move(label)), is_terminal_(isatty(fileno(stream)) == 1) {}

std::string ProgressBar::Line(const std::string& label, std::uint64_t done, std::uint64_t all) {
    constexpr std::size_t kCells = 40;
    const std::uint64_t part = all == 0 ? 100 : std::min<std::uint64_t>(100, done * 100 / all);
    const auto filled = static_cast<std::size_t>(part * kCells / 100);
    return fmt::format("[{}{}] {:3} % {}", std::string(filled, '#'),
                       std::string(kCells - filled, ' '), part, label.substr(0, 30));
}

void ProgressBar::Show(std::uint64_t done, std::uint64_t all) {
    if (!is_terminal_ || all == 0) return;
    const std::uint64_t percent = done * 100 / all;
    const auto lasted = std::chrono::steady_clock::now() - began_;
    if (lasted < std::chrono::milliseconds(250) || (is_drawn_ && percent == percent_)) return;
    percent_ = percent;
    is_drawn_ = true;
    fmt::print(stream_, "\r{}", Line(label_, done, all));
    std::fflush(stream_);
}

void ProgressBar::Wipe() {
    if (!is_drawn_) return;
    fmt::print(stream_, "\r\033[K");
    std::fflush(stream_);
    is_drawn_ = false;
}

}  // namespace ember::plan
