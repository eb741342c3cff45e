// SPDX-License-Identifier: Apache-2.0
// EmberSM: embersm on a Linux host or on a switch that runs Linux, in the chosen board's size.

#include <cstddef>
#include <span>

#include "board/chosen_board.h"
#include "core/manager/storage.h"
#include "engines/catalogue.h"
#include "platform/linux/embersm/board_memory.h"
#include "platform/linux/embersm/embersm.h"

namespace ember {
namespace {

static_assert(kBoard.scratch_bytes >= LeastScratchBytes(kBoard, LeastEngineScratchBytes(kBoard)),
              "scratch_bytes cannot feed the router: enlarge it");

using Memory = BoardMemory<kBoard, kBoardBlobBytes>;
Engines engines;

}  // namespace
}  // namespace ember

int main(int count, char** arguments) {
    const std::span all(arguments, static_cast<std::size_t>(count));
    return ember::RunEmbersm(all.subspan(count > 0 ? 1 : 0), ember::Memory::room(),
                             ember::engines.All());
}
