// SPDX-License-Identifier: Apache-2.0
// EmberSM: the boards there are, for `emberc plan --board`.
#include <array>
#include <span>

#include "board/linux_bench/profile.h"
#include "board/sim_small/profile.h"
#include "config/emberc/plan/board.h"

namespace ember::plan {
namespace {

constexpr std::array kBoards = {
    Board{"linux_bench", kLinuxBench},
    Board{"sim_small", kSimSmall},
};

}  // namespace

std::span<const Board> Boards() {
    return kBoards;
}

}  // namespace ember::plan
