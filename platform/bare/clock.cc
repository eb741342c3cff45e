// SPDX-License-Identifier: Apache-2.0
// EmberSM: the processor's own time: generic timer and performance monitor.

#include "platform/bare/clock.h"

#include "core/base/assert.h"

namespace ember::bare {
namespace {

constexpr std::uint32_t kInstructionsRetired = 8;

#if defined(__aarch64__)

std::uint64_t Frequency() {
    std::uint64_t hertz = 0;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    return hertz;
}

std::uint64_t ReadTimer() {
    std::uint64_t ticks = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
}

void Count(std::uint64_t event) {
    asm volatile("msr pmevtyper0_el0, %0" ::"r"(event));
    asm volatile("msr pmcntenset_el0, %0" ::"r"(std::uint64_t{1}));
    std::uint64_t control = 0;
    asm volatile("mrs %0, pmcr_el0" : "=r"(control));
    asm volatile("msr pmcr_el0, %0\n\tisb" ::"r"(control | 1U) : "memory");
}

std::uint32_t ReadCounter() {
    std::uint64_t count = 0;
    asm volatile("isb\n\tmrs %0, pmevcntr0_el0" : "=r"(count)::"memory");
    return static_cast<std::uint32_t>(count);
}

#else

std::uint64_t Frequency() {
    std::uint32_t hertz = 0;
    asm volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hertz));
    return hertz;
}

std::uint64_t ReadTimer() {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("isb\n\tmrrc p15, 1, %0, %1, c14" : "=r"(low), "=r"(high)::"memory");
    return std::uint64_t{high} << 32U | low;
}

void Count(std::uint32_t event) {
    asm volatile("mcr p15, 0, %0, c9, c12, 5\n\tisb" ::"r"(0U));         // Counter 0:
    asm volatile("mcr p15, 0, %0, c9, c13, 1" ::"r"(event));             // its event,
    asm volatile("mcr p15, 0, %0, c9, c12, 1" ::"r"(std::uint32_t{1}));  // on.
    std::uint32_t control = 0;
    asm volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(control));
    asm volatile("mcr p15, 0, %0, c9, c12, 0\n\tisb" ::"r"(control | 1U) : "memory");
}

std::uint32_t ReadCounter() {
    std::uint32_t count = 0;
    asm volatile("isb\n\tmrc p15, 0, %0, c9, c13, 2" : "=r"(count)::"memory");
    return count;
}

#endif

}  // namespace

GenericTimer::GenericTimer() : hertz_(Frequency()) {
    EMBER_ASSERT(hertz_ >= 1'000'000);  // Firmware that starts us says how fast it counts.
}

std::uint64_t GenericTimer::Ticks() {
    return ReadTimer();
}

std::uint64_t GenericTimer::NowUs() const {
    const std::uint64_t ticks = ReadTimer();
    return ticks / hertz_ * 1'000'000 + ticks % hertz_ * 1'000'000 / hertz_;
}

InstructionCounter::InstructionCounter() {
    // Which events it knows is not told in a register that every processor has: it is tried.
    Count(kInstructionsRetired);
    const std::uint32_t before = ReadCounter();
    counts_ = ReadCounter() != before;
}

std::uint32_t InstructionCounter::Now() const {
    return counts_ ? ReadCounter() : 0;
}

}  // namespace ember::bare
