// SPDX-License-Identifier: Apache-2.0
// EmberSM: the processor's own time.
#pragma once

#include <cstdint>

#include "core/platform.h"

namespace ember::bare {

/// The generic timer (ARM ARM, D11): counts from power-up, the same on every core, never back.
class GenericTimer final : public Clock {
public:
    GenericTimer();
    [[nodiscard]] std::uint64_t NowUs() const override;

    /// As it counts, in ticks of hertz().
    [[nodiscard]] static std::uint64_t Ticks();
    [[nodiscard]] std::uint64_t hertz() const { return hertz_; }

private:
    std::uint64_t hertz_;
};

/// Counts executed instructions, where the performance monitor can (event 8, INST_RETIRED): a real
/// processor, or QEMU with -icount, where the count is the same in every run.
class InstructionCounter {
public:
    /// Begins to count if that can be done.
    InstructionCounter();

    [[nodiscard]] bool counts() const { return counts_; }
    /// Since some moment, modulo 2^32: only differences mean something.
    [[nodiscard]] std::uint32_t Now() const;

private:
    bool counts_ = false;
};

}  // namespace ember::bare
