// SPDX-License-Identifier: Apache-2.0
// EmberSM: LFT blocks of switches that another subnet manager may have programmed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/programming/known_lfts.h"
#include "core/programming/programming_outcome.h"
#include "core/programming/round_asker.h"
#include "core/programming/stage_progress.h"

namespace ember {

/// Reads the tables that are not known up to their tops, block by block over all switches, as
/// OpenSM sends them. A block that cannot be read stays unknown, and will be written.
class LftReading {
public:
    struct Parts {
        const Fabric& fabric;
        KnownLfts& known;
        RoundAsker& asker;
        ProgrammingOutcome& outcome;
    };

    explicit LftReading(const Parts& parts) : parts_(parts) {}

    void Begin() {
        row_ = 0;
        block_ = 0;
    }
    /// Sends what the window admits; looks at a bounded number of blocks.
    [[nodiscard]] StageProgress Step(std::uint64_t now_us);
    /// Takes an answer of RoundAsker::Kind::kReadBlock.
    void Hear(const Answer& answer);

private:
    /// Blocks looked at in one Step().
    static constexpr std::size_t kBlocksAtOnce = 4096;

    void End();
    void Read(SwitchIndex at, std::uint32_t block, std::uint64_t now_us);

    Parts parts_;
    // Cursor.
    std::size_t row_ = 0;
    std::uint32_t block_ = 0;
};

}  // namespace ember
