// SPDX-License-Identifier: Apache-2.0
// EmberSM: which LFT blocks differ from the plan, and which of their entries may not just change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/graph/proved_routes.h"
#include "core/programming/known_lfts.h"
#include "core/programming/programming_outcome.h"
#include "core/programming/transition.h"
#include "core/programming/transition_proof.h"

namespace ember {

/// The tables that shall be written.
struct LftPlan {
    Matrix<SwitchIndex, const std::uint8_t> lfts;  ///< Verified: no loop in it.
    /// Hops between two switches, when every planned path is that long; empty: paths are followed
    /// where their length matters.
    Matrix<SwitchIndex, const std::uint8_t> hops;
    /// No routing, but the tables that are known, without dead entries. Unknown blocks stay as they
    /// are, and so do tops.
    bool only_known = false;
    /// The proof of `lfts` against credit loops, if there is one.
    ProvedRoutes proved = {};
};

/// Compares the tables that are known with those that are planned. Sends nothing.
///
/// While tables change, switches that were written stand beside switches that were not. For one LID
/// let the distance of a switch be the length of its new path. A new entry always leads to a
/// smaller distance. So a loop needs an old entry that does not: one that leads away. A LID that
/// has such an entry at any switch is hot.
///
/// Old tables have no loop of their own. An entry that may lead anywhere counts as one that leads
/// away: one in a block whose last Set was not answered, or one into a link that is up and has a
/// silent node behind it. docs/decisions/0010-two-rounds-of-blocks.md has the proof.
///
/// Other LIDs must yield, as old and new entries beside each other might close a credit loop:
/// TransitionProof.
class LftDifferences {
public:
    struct Memory {
        std::span<std::uint64_t> differing_words;  ///< A bit per block: KnownLfts::Words(limits).
        std::span<std::uint64_t> detour_words;     ///< Likewise.
        std::span<std::uint64_t> blind_words;      ///< Likewise.
        std::span<std::uint64_t> hot_words;        ///< A bit per LID: LidWords(limits).
        std::span<std::uint64_t> yield_words;      ///< Likewise.
        std::span<SwitchIndex> homes;              ///< By LID: LidStride().
    };
    /// Words of a set of LIDs.
    [[nodiscard]] static constexpr std::size_t LidWords(const Limits& limits) {
        return BitSet::WordsFor(LidStride(limits));
    }

    LftDifferences(const Memory& memory, const Limits& limits, const Fabric& fabric,
                   const KnownLfts& known, ProgrammingOutcome& outcome);
    LftDifferences(const LftDifferences&) = delete;
    LftDifferences& operator=(const LftDifferences&) = delete;

    /// What is expected is void.
    void BeginRound() { expecting_ = false; }
    /// Before Begin(): the plan differs from what is known only in entries for which Expect() is
    /// called after this.
    void ExpectChanges();
    void Expect(SwitchIndex at, Lid lid) {
        EMBER_ASSERT(expecting_);
        differing_.Add(known_.MarkOf(at, Raw(lid) / 64U));
    }
    /// `may_trust`: no others are compared. Else all are. The views in `plan` stand still as long
    /// as the results are looked at.
    void Begin(const LftPlan& plan, bool may_trust);
    /// Does a slice.
    [[nodiscard]] Progress Advance();
    /// Gives up, if it is not done.
    void Stop() {
        proof_.Stop();
        phase_ = Phase::kDone;
    }

    // The results, when done. Blocks are numbered by KnownLfts::MarkOf().

    /// Blocks that differ or are not known.
    [[nodiscard]] BitSet differing() const { return differing_; }
    /// Of these, those with an entry that leads away.
    [[nodiscard]] BitSet detours() const { return detour_; }
    /// The block was not known at Begin().
    [[nodiscard]] bool WasUnknown(SwitchIndex at, std::uint32_t block) const {
        return blind_.Has(known_.MarkOf(at, block));
    }
    /// LIDs for which some known entry leads away.
    [[nodiscard]] BitSet hot() const { return hot_; }
    /// LIDs whose entries that change must drop before all others.
    [[nodiscard]] BitSet yielding() const { return yield_; }
    [[nodiscard]] bool has_yielding() const { return has_yielding_; }
    [[nodiscard]] const LftPlan& plan() const { return plan_; }
    [[nodiscard]] const Transition& transition() const { return transition_; }

private:
    enum class Phase : std::uint8_t { kHomes, kComparing, kJudging, kDone };

    void Compare();
    void CompareExpected();
    void MeetSwitch(SwitchIndex at);
    [[nodiscard]] std::size_t Examine(SwitchIndex at, std::uint32_t block);
    void NoteOldEntry(SwitchIndex at, SwitchIndex next, std::size_t lid);
    void BeginJudging();
    void Judge();

    const Fabric& fabric_;
    const KnownLfts& known_;
    ProgrammingOutcome& outcome_;
    BitSet differing_;
    BitSet detour_;
    BitSet blind_;
    BitSet hot_;
    BitSet yield_;
    Transition transition_;
    TransitionProof proof_;
    LftPlan plan_;
    Phase phase_ = Phase::kDone;
    bool has_yielding_ = false;
    bool expecting_ =
        false;  ///< Blocks that may differ are marked as such before they are looked at.
    // Cursor.
    std::size_t row_ = 0;
    std::uint32_t block_ = 0;
    std::array<SwitchIndex, 256> neighbors_{};  ///< By port of the switch that is compared.
};

}  // namespace ember
