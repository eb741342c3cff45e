// SPDX-License-Identifier: Apache-2.0
// EmberSM: SwitchInfo of each switch, and the two times at which its LinearFDBTop may be set.
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
#include "core/settings/settings.h"

namespace ember {

/// Sets LinearFDBTop and LifeTimeValue, and clears PortStateChange: one Set a switch.
///
/// Entries above the top drop, and in a foreign table may lead anywhere. So a top that falls is set
/// before any block is written, and one that rises after the last: with the rest of SwitchInfo.
class SwitchProgramming {
public:
    struct Parts {
        Fabric& fabric;
        KnownLfts& known;
        RoundAsker& asker;
        ProgrammingOutcome& outcome;
    };

    SwitchProgramming(const Parts& parts, const Settings& settings)
        : parts_(parts), settings_(settings) {}
    SwitchProgramming(const SwitchProgramming&) = delete;
    SwitchProgramming& operator=(const SwitchProgramming&) = delete;

    /// Starts with the switches whose top need not rise.
    void Begin() {
        row_ = 0;
        rises_ = false;
    }
    /// Starts with the others, after the last block was acknowledged: a top rises where no block
    /// above it is lacking, and no LID up to `frozen` is above it.
    void BeginRising(Lid frozen) {
        row_ = 0;
        rises_ = true;
        frozen_ = frozen;
    }
    /// Sends what the window admits; looks at a bounded number of switches.
    [[nodiscard]] StageProgress Step(std::uint64_t now_us);
    /// Takes an answer of RoundAsker::Kind::kSwitch.
    void Hear(const Answer& answer, std::uint64_t now_us);

private:
    /// Switches looked at in one Step().
    static constexpr std::size_t kRowsAtOnce = 4096;

    [[nodiscard]] bool MustRise(SwitchIndex at) const;
    [[nodiscard]] bool MayRise(SwitchIndex at) const;
    void Set(SwitchIndex at, std::uint64_t now_us);

    Parts parts_;
    const Settings& settings_;
    std::size_t row_ = 0;  ///< Cursor.
    bool rises_ = false;
    Lid frozen_ = kNoLid;  ///< Highest LID with entries that may still lead away.
};

}  // namespace ember
