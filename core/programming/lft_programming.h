// SPDX-License-Identifier: Apache-2.0
// EmberSM: LFT blocks, in an order in which no packet ever loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/programming/known_lfts.h"
#include "core/programming/lft_differences.h"
#include "core/programming/programming_outcome.h"
#include "core/programming/round_asker.h"
#include "core/programming/stage_progress.h"
#include "core/programming/switch_programming.h"

namespace ember {

/// Writes the LFT blocks that differ, in rounds with a barrier after each: block 0 of every switch,
/// block 1 of every switch, and so on.
///   yield    Entries of LIDs that yield drop where they will change. Nothing else is written.
///   detours  Blocks in which an entry leads away are written (see LftDifferences). That entry
///            drops, and every other entry of a hot LID stays old, so that no new entry leads to
///            one that still leads away. Other LIDs get their new entries.
///   final    No entry leads away any more, and blocks that differ are written in any order.
///   tops     Entries above a switch's LinearFDBTop drop, whatever they say. So a top that rises is
///            set last, when the blocks above it are right.
/// One exception saves most of the detours. The new path of an entry is paved if all switches on it
/// have their new entries already. Such an entry is new in the first round: packets that enter the
/// path arrive.
class LftProgramming {
public:
    struct Memory {
        LftDifferences::Memory differences;
        std::span<std::uint64_t> frozen_words;  ///< A bit per LID: LftDifferences::LidWords().
    };
    struct Parts {
        const Fabric& fabric;
        KnownLfts& known;
        RoundAsker& asker;
        SwitchProgramming& switches;
        ProgrammingOutcome& outcome;
    };

    LftProgramming(const Memory& memory, const Limits& limits, const Parts& parts);
    LftProgramming(const LftProgramming&) = delete;
    LftProgramming& operator=(const LftProgramming&) = delete;

    /// `was_right`: no Set failed in the round before, and no table was forgotten since.
    void BeginRound(bool was_right);
    /// See Programming::ExpectChanges().
    void ExpectChanges() { differences_.ExpectChanges(); }
    void Expect(SwitchIndex at, Lid lid) { differences_.Expect(at, lid); }
    /// A switch has another block than planned: the next round compares everything.
    void NoteUnlike() { has_unlikes_ = true; }
    /// The views in `plan` must stand still until the last answer.
    void Begin(const LftPlan& plan);
    /// Sends what the window admits; looks at a bounded number of blocks.
    [[nodiscard]] StageProgress Step(std::uint64_t now_us);
    /// Takes an answer of RoundAsker::Kind::kSetBlock.
    void Hear(const Answer& answer, std::uint64_t now_us);
    void Abandon() { differences_.Stop(); }

private:
    enum class Round : std::uint8_t { kComparing, kYield, kDetours, kFinal, kTops };
    using Block = std::array<std::uint8_t, 64>;

    void Enter(Round round);
    [[nodiscard]] bool SendAll(const BitSet& marked, std::uint64_t now_us);
    void SendMarked(const BitSet& marked, std::uint64_t now_us);
    void Set(SwitchIndex at, std::uint32_t block, std::uint64_t now_us);
    void Fail(const Answer& answer, SwitchIndex at, std::uint64_t now_us);
    void NoteLacking(SwitchIndex at, std::uint32_t block);
    void Freeze(const BitSet& lids, std::uint32_t block);
    [[nodiscard]] Block Wanted(SwitchIndex at, std::uint32_t block) const;
    [[nodiscard]] Block Yield(SwitchIndex at, std::uint32_t block) const;
    [[nodiscard]] Block Detour(SwitchIndex at, std::uint32_t block) const;
    [[nodiscard]] Block Final(SwitchIndex at, std::uint32_t block) const;
    [[nodiscard]] bool IsPaved(SwitchIndex at, std::size_t lid) const;
    [[nodiscard]] std::span<const std::uint8_t> Planned(SwitchIndex at) const {
        return differences_.plan().lfts[at];
    }

    Parts parts_;
    LftDifferences differences_;
    BitSet frozen_;            ///< LIDs whose entries could not be made to drop.
    Lid top_frozen_ = kNoLid;  ///< The highest of them.
    Round round_ = Round::kComparing;
    std::size_t mark_ = 0;      ///< Cursor: KnownLfts::MarkOf().
    bool is_sent_ = false;      ///< The round's last block; the next round waits for its answer.
    bool were_right_ = false;   ///< After the last round all blocks were as planned.
    bool has_written_ = false;  ///< This round has come to the end of its blocks,
    bool has_unlikes_ = false;  ///< and some switch took another block than it was sent.
};

}  // namespace ember
