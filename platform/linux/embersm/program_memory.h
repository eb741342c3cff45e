// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a program on Linux takes beside the tables of the core.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "config/blob/option_files.h"
#include "core/base/limits.h"
#include "core/lids/lid_map.h"
#include "core/m_keys/m_key_file.h"
#include "core/manager/storage.h"
#include "platform/linux/dump/dump_job.h"
#include "platform/linux/embersm/program.h"

namespace ember {

/// The largest slot that a subnet manager writes while it runs.
[[nodiscard]] constexpr std::size_t StateBytes(const Limits& limits) {
    return std::max(LidMap::StoreBytes(limits.max_lid), MKeyFile::Bytes(limits));
}

/// Row for row what `embersm --memory` prints after MemoryTable(). The program of the board and the
/// planner both tell it, so that they tell the same.
[[nodiscard]] constexpr std::array<MemoryRow, 6> LinuxMemoryTable(const Limits& limits,
                                                                  std::size_t blob_bytes) {
    return {{
        {"configuration, blobs", 2 * blob_bytes},
        {"configuration, tables", 2 * OptionRoomBytesFor(blob_bytes)},
        {"dumps", DumpJob::ScratchBytes(limits) + limits.max_nodes * sizeof(NodeIndex) +
                      limits.max_switches * sizeof(SwitchIndex) + StepReplay::LftBytes(limits) +
                      StepReplay::HopMatrixBytes(limits)},
        {"registrations to write", 2 * std::size_t{limits.state_buffer_bytes}},
        {"state to write", StateBytes(limits)},
        {"log, control socket", sizeof(Program)},
    }};
}

}  // namespace ember
