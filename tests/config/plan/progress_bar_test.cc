// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the bar that shows how far a plan is.

#include "config/emberc/plan/progress_bar.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <pty.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace ember::plan {
namespace {

TEST(ProgressBar, FillsFromLeftToRight) {
    EXPECT_EQ(ProgressBar::Line("x", 0, 8), "[" + std::string(40, ' ') + "]   0 % x");
    EXPECT_EQ(ProgressBar::Line("x", 4, 8),
              "[" + std::string(20, '#') + std::string(20, ' ') + "]  50 % x");
    EXPECT_EQ(ProgressBar::Line("x", 9, 8), "[" + std::string(40, '#') + "] 100 % x");
}

TEST(ProgressBar, IsDrawnOnATerminalWhenWorkLastsAndWipedAtTheEnd) {
    int terminal = -1;
    int ours = -1;
    ASSERT_EQ(openpty(&terminal, &ours, nullptr, nullptr, nullptr), 0);
    std::FILE* const stream = fdopen(ours, "w");
    {
        ProgressBar bar(stream, "work");
        bar.Show(1, 10);  // Too early.
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        bar.Show(5, 10);
        bar.Show(5, 10);  // Nothing new.
    }
    std::fclose(stream);  // The terminal then tells what is in it, in pieces as it likes, and EIO.
    std::string seen;
    std::array<char, 1000> piece{};
    ssize_t count = read(terminal, piece.data(), piece.size());
    while (count > 0) {
        seen.append(piece.data(), static_cast<std::size_t>(count));
        count = read(terminal, piece.data(), piece.size());
    }
    EXPECT_EQ(seen, "\r" + ProgressBar::Line("work", 5, 10) + "\r\033[K");
    close(terminal);
}

TEST(ProgressBar, SaysNothingWhereThereIsNoTerminal) {
    ::testing::internal::CaptureStderr();
    {
        ProgressBar bar(stderr, "work");
        for (std::uint64_t i = 0; i <= 1000; ++i) {
            bar.Show(i, 1000);
        }
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace ember::plan
