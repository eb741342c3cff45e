// SPDX-License-Identifier: Apache-2.0
// EmberSM: EmberSM's own way to spread routes over equal exits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/cooler.h"
#include "engines/balance/exit_block.h"
#include "engines/balance/further_lids.h"
#include "engines/balance/ledger.h"
#include "engines/balance/pourer.h"
#include "engines/balance/regular_tree.h"
#include "engines/exit_finder.h"

namespace ember {

/// Builds forwarding tables under Order::kBalanced: among the candidates of an ExitFinder, such
/// that the busiest cable carries little when every end port sends to every other.
///
/// First exits for all base LIDs of end ports (Pourer) and, in turn, for switches' own LIDs, then
/// changes until the busiest cables get no less (Cooler), then what an LMC adds (FurtherLids). The
/// result depends on GUIDs and cables, not on the rows in which the fabric keeps them, and on no
/// clock. Options of OpenSM that steer its own builder have no say here.
class BalancedBuilder {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Ledger::ScratchBytes(limits) + ExitBlock::ScratchBytes(limits) +
               Pourer::ScratchBytes(limits) + Cooler::ScratchBytes(limits) +
               FurtherLids::ScratchBytes(limits) + WholeLoadScratchBytes(limits) +
               2 * Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               2 * Arena::BytesFor<std::uint64_t>(BitSet::WordsFor(limits.max_switches)) +
               Arena::BytesFor<std::uint8_t>(limits.max_lid);
    }

    /// `finder` is prepared, and stays so until the builder is done. What is found for row i of
    /// the topology is written to row rows[i] of the tables; `rows` names each once.
    void Begin(const RoutingTask& task,
               const ExitFinder& finder,
               std::span<const SwitchIndex> rows);
    /// Does the next slice.
    [[nodiscard]] Progress Advance();

private:
    enum class Phase : std::uint8_t { kCrowds, kPour, kCool, kSwitches, kSettle, kFurther };

    static constexpr std::size_t kRowsPerSlice = 16;
    static constexpr std::size_t kSwitchesPerSlice = 512;

    void Go(Phase phase) {
        phase_ = phase;
        next_ = 0;
    }
    void Prepare();
    [[nodiscard]] bool Pour();
    [[nodiscard]] bool RouteToOthers();
    [[nodiscard]] bool Load(SwitchIndex to);
    void RouteToSwitches(SwitchIndex here, std::size_t first);
    [[nodiscard]] bool Settle();
    void FindCircle();
    void SettleRow();

    RoutingTask task_;
    Ledger ledger_;
    ExitBlock block_;
    Pourer pourer_;
    Cooler cooler_;
    FurtherLids further_;
    ExitList exits_;
    std::span<std::uint32_t> receiver_of_;  ///< By switch: the receiver of its own LID.
    std::span<std::uint32_t> turn_;  ///< By switch: a number that spreads it over candidates.
    std::span<std::uint8_t> row_;    ///< The first row of a circle, before it is settled.
    std::span<const SwitchIndex> rows_;
    std::span<SwitchIndex> source_of_;  ///< By row of the tables: whose row it becomes.
    BitSet settled_;                    ///< Rows of the tables.
    Phase phase_ = Phase::kCrowds;
    BitSet done_blocks_;            ///< Of 64 switches each, whose own LIDs are routed.
    std::uint32_t whole_load_ = 0;  ///< 0: no regular tree.
    std::size_t next_ = 0;          ///< Crowd, block or row of the tables.
    std::size_t circle_ = 0;        ///< Where a circle of rows began.
    std::size_t next_here_ = 0;     ///< Switch that routes to the switches of a block next.
};

}  // namespace ember
