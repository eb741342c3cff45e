// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a board can afford.
#pragma once

#include <cstddef>

namespace ember {

/// What a board promises beside its Limits; board/boards.cc proves the first, the gate `stack` the
/// last. linux_bench and sim_small stand on hosts and promise nothing.
struct Budget {
    /// All static memory: the tables of Storage and the configuration's. 0: no promise.
    std::size_t memory_bytes = 0;
    /// The largest configuration blob that it takes. Two stand in memory, and the tables of two.
    std::size_t blob_bytes = 0;
    /// The subnet manager's stack. Drivers and interrupts come on top.
    std::size_t stack_bytes = 0;

    /// What the configuration takes of memory_bytes.
    [[nodiscard]] constexpr std::size_t ConfigurationBytes() const { return blob_bytes * 5; }
};

}  // namespace ember
