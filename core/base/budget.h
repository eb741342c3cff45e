// SPDX-License-Identifier: Apache-2.0
// EmberSM: the memory of a board.
#pragma once

#include <cstddef>

namespace ember {

/// The memory that a board has beside its Limits. board/boards.cc proves that memory_bytes is
/// enough, the gate `stack` that stack_bytes is. linux_bench and sim_small run on hosts and have no
/// budget.
struct Budget {
    /// All static memory: the tables of Storage and of the configuration. 0: no budget.
    std::size_t memory_bytes = 0;
    /// The largest configuration blob that the board accepts. Memory holds two blobs, and the
    /// tables of two.
    std::size_t blob_bytes = 0;
    /// The subnet manager's stack, without that of drivers and interrupts.
    std::size_t stack_bytes = 0;

    /// The part of memory_bytes that the configuration takes.
    [[nodiscard]] constexpr std::size_t ConfigurationBytes() const { return blob_bytes * 5; }
};

}  // namespace ember
