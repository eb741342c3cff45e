// SPDX-License-Identifier: Apache-2.0
// EmberSM: clock, chance, signals, last words, and the trap under the heap.

#include <csignal>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/assert.h"
#include "platform/linux/system/clock.h"
#include "platform/linux/system/entropy.h"
#include "platform/linux/system/heap_trap.h"
#include "platform/linux/system/signals.h"

namespace ember {
namespace {

TEST(LinuxClock, NeverRunsBackwards) {
    const LinuxClock clock;
    std::uint64_t before = clock.NowUs();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = clock.NowUs();
        ASSERT_GE(now, before);
        before = now;
    }
}

TEST(ThreadCpuClock, CountsWorkAndNotWaiting) {
    const ThreadCpuClock clock;
    const std::uint64_t before = clock.NowUs();
    const timespec nap{0, 20000000};
    nanosleep(&nap, nullptr);
    EXPECT_LT(clock.NowUs() - before, 15000U);
}

/// Sleeps that are shorter than the time between two questions to the kernel are counted at first,
/// and taken from what follows: they do not add up.
TEST(ThreadCpuClock, GoesWithTheKernelsThroughWorkAndShortSleeps) {
    const auto kernel_us = [] {
        timespec used{};
        EXPECT_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used), 0);
        return static_cast<std::uint64_t>(used.tv_sec) * 1000000U +
               static_cast<std::uint64_t>(used.tv_nsec) / 1000U;
    };
    const ThreadCpuClock clock;
    const std::uint64_t begun = kernel_us();
    const std::uint64_t first = clock.NowUs();
    std::uint64_t before = first;
    for (int i = 0; i < 400; ++i) {
        const timespec nap{0, 30000};
        if (i % 2 == 0) nanosleep(&nap, nullptr);
        for (int turn = 0; turn < 200; ++turn) {
            const std::uint64_t now = clock.NowUs();
            ASSERT_GE(now, before) << "it never runs backwards";
            before = now;
        }
    }
    const std::uint64_t used = kernel_us() - begun;
    EXPECT_LE(clock.NowUs() - first, used + 2 * ThreadCpuClock::kReadEveryUs);
    EXPECT_GE(clock.NowUs() - first + 2 * ThreadCpuClock::kReadEveryUs, used);
}

TEST(LinuxEntropy, DoesNotRepeatItself) {
    LinuxEntropy entropy;
    std::set<std::uint64_t> drawn;
    for (int i = 0; i < 1000; ++i) {
        drawn.insert(entropy.Draw());
    }
    EXPECT_EQ(drawn.size(), 1000U);
}

TEST(Signals, AreHeardByTheirMeaning) {
    Signals signals;
    ASSERT_EQ(signals.Open(), Status::kOk);
    EXPECT_FALSE(signals.Take().heavy_sweep);
    std::raise(SIGHUP);
    std::raise(SIGUSR1);
    SignalsHeard heard = signals.Take();
    EXPECT_TRUE(heard.heavy_sweep);
    EXPECT_TRUE(heard.reload);
    EXPECT_TRUE(heard.reopen_log);
    EXPECT_FALSE(heard.end);
    std::raise(SIGTERM);
    heard = signals.Take();
    EXPECT_TRUE(heard.end);
    EXPECT_FALSE(heard.heavy_sweep);
    EXPECT_FALSE(signals.Take().end);
    std::raise(SIGCONT);  // Sweeps, and reads nothing.
    heard = signals.Take();
    EXPECT_TRUE(heard.heavy_sweep);
    EXPECT_FALSE(heard.reload);
}

TEST(PanicDeathTest, NamesThePlaceAndTheClaim) {
    EXPECT_EXIT(Panic("core/somewhere.cc", 42, "one == other"), ::testing::KilledBySignal(SIGABRT),
                "core/somewhere.cc:42: this does not hold: one == other");
}

class HeapTrapDeathTest : public ::testing::Test {
protected:
    void SetUp() override {
        const bool works = ArmHeapTrap();
        DisarmHeapTrap();
        if (!works) GTEST_SKIP() << "a sanitizer owns malloc()";
    }
};

// The results are used, or a compiler would leave the calls out.
void* volatile kept;
void Keep(void* memory) {
    kept = memory;
}

TEST_F(HeapTrapDeathTest, CatchesEveryWayToAllocate) {
    EXPECT_DEATH((ArmHeapTrap(), Keep(std::malloc(10))), "malloc.*nothing allocates");
    EXPECT_DEATH((ArmHeapTrap(), Keep(std::calloc(1, 10))), "calloc.*nothing allocates");
    void* const before = std::malloc(1);
    EXPECT_DEATH((ArmHeapTrap(), Keep(std::realloc(before, 1000))), "realloc.*nothing allocates");
    std::free(before);
    EXPECT_DEATH((ArmHeapTrap(), Keep(std::aligned_alloc(64, 64))), "nothing allocates");
    EXPECT_DEATH((ArmHeapTrap(), Keep(new int(3))), "nothing allocates");
    EXPECT_DEATH((ArmHeapTrap(), Keep(new std::vector<int>(1000))), "nothing allocates");
}

TEST_F(HeapTrapDeathTest, LetsGoWhatWasTakenBeforeAndAllowsAllAfterwards) {
    auto before = std::make_unique<std::string>(100, 'x');
    ArmHeapTrap();
    before.reset();
    DisarmHeapTrap();
    EXPECT_EQ(std::string(100, 'y').size(), 100U);
}

}  // namespace
}  // namespace ember
