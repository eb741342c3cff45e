// SPDX-License-Identifier: Apache-2.0
// EmberSM: the boards there are, for emberc, and the proof that each keeps its promises.
#include "board/boards.h"

#include <array>
#include <cstddef>
#include <span>

#include "board/linux_bench/profile.h"
#include "board/sim_small/profile.h"
#include "board/switch_large/profile.h"
#include "board/switch_max/profile.h"
#include "board/switch_medium/profile.h"
#include "board/switch_small/profile.h"
#include "core/base/budget.h"
#include "core/manager/storage.h"
#include "engines/catalogue.h"
#include "platform/linux/embersm/program_memory.h"

namespace ember {
namespace {

using plan::Board;

std::vector<MemoryRow> RowsBeside(const Limits& limits, std::size_t blob_bytes) {
    const auto rows = LinuxMemoryTable(limits, blob_bytes);
    return {rows.begin(), rows.end()};
}

constexpr bool IsFed(const Limits& limits) {
    return limits.scratch_bytes >= LeastScratchBytes(limits, LeastEngineScratchBytes(limits));
}

constexpr bool StaysWithin(const Limits& limits, const Budget& budget) {
    std::size_t bytes = budget.ConfigurationBytes();
    for (const MemoryRow& row : MemoryTable(limits)) {
        bytes += row.bytes;
    }
    return bytes <= budget.memory_bytes;
}

constexpr std::array kBoards = {
    Board{"linux_bench", kLinuxBench, {}, RowsBeside, true},
    Board{"sim_small", kSimSmall, {}, RowsBeside},
    Board{"switch_small", kSwitchSmall, kSwitchSmallBudget, RowsBeside},
    Board{"switch_medium", kSwitchMedium, kSwitchMediumBudget, RowsBeside},
    Board{"switch_large", kSwitchLarge, kSwitchLargeBudget, RowsBeside},
    Board{"switch_max", kSwitchMax, kSwitchMaxBudget, RowsBeside},
};

constexpr bool EachHolds() {
    for (const Board& board : kBoards) {
        if (!IsFed(board.limits)) return false;
        const bool promises = board.budget.memory_bytes != 0;
        if (promises && !StaysWithin(board.limits, board.budget)) return false;
    }
    return true;
}
static_assert(EachHolds(),
              "a board's scratch_bytes cannot feed the engines or another computation, or it takes "
              "more memory than its Budget says: emberc boards shows the tables");

}  // namespace

std::span<const Board> Boards() {
    return kBoards;
}

}  // namespace ember
