// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes spread over equal exits by the load of links.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/exit_block.h"
#include "engines/balance/further_lids.h"
#include "engines/balance/initial_assignment.h"
#include "engines/balance/link_loads.h"
#include "engines/balance/local_search.h"
#include "engines/balance/regular_tree.h"
#include "engines/exit_finder.h"

namespace ember {

/// Builds forwarding tables under Order::kBalanced: among the candidates of an ExitFinder, such
/// that the busiest link carries little when every end port sends to every other.
///
/// All base LIDs of end ports get exits (InitialAssignment), and switch LIDs take candidates in
/// turn. Then exits are changed until the load of the busiest links falls no more (LocalSearch).
/// Then the LIDs that an LMC adds get theirs (FurtherLids). The result depends on GUIDs and links,
/// not on the rows in which the fabric keeps them, and on no clock. Of OpenSM's options that steer
/// its own builder those of HostTurns act, the others have no effect here.
class BalancedBuilder {
public:
    /// Keys of opensm.conf that it looks at.
    static constexpr auto kOptions = HostTurns::kOptions;

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return LinkLoads::ScratchBytes(limits) + ExitBlock::ScratchBytes(limits) +
               std::max({InitialAssignment::ScratchBytes(limits), LocalSearch::ScratchBytes(limits),
                         FurtherLids::ScratchBytes(limits)}) +
               RegularTreeScratchBytes(limits) +
               2 * Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               2 * Arena::BytesFor<std::uint64_t>(BitSet::WordsFor(limits.max_switches)) +
               Arena::BytesFor<std::uint8_t>(limits.max_lid);
    }

    /// `finder` is prepared, and stays so until the builder is done. Routes of row i of the
    /// topology are written to row rows[i] of the tables; `rows` names each once.
    void Begin(const RoutingTask& task, const ExitFinder& finder,
               std::span<const SwitchIndex> rows);
    /// Does the next slice.
    [[nodiscard]] Progress Advance();

private:
    enum class Phase : std::uint8_t { kLeaves, kAssign, kSwitches, kSearch, kSettle, kFurther };

    static constexpr std::size_t kRowsPerSlice = 16;
    static constexpr std::size_t kSwitchesPerSlice = 512;

    void Go(Phase phase) {
        phase_ = phase;
        next_ = 0;
    }
    void Prepare();
    [[nodiscard]] bool AssignNext();
    [[nodiscard]] bool RouteToOthers();
    [[nodiscard]] bool Load(SwitchIndex to);
    void RouteToSwitches(SwitchIndex here, std::size_t first);
    [[nodiscard]] bool Settle();
    void FindCycle();
    void SettleRow();

    RoutingTask task_;
    LinkLoads link_loads_;
    ExitBlock block_;
    InitialAssignment assignment_;
    LocalSearch search_;
    FurtherLids further_;
    ExitList exits_;
    std::span<std::uint32_t> receiver_of_;  ///< By switch: the receiver of its own LID.
    std::span<std::uint32_t> turn_;  ///< By switch: a number that picks one of the candidates.
    std::span<std::uint8_t> row_;    ///< The first row of a cycle, before it is settled.
    std::span<const SwitchIndex> rows_;
    std::span<SwitchIndex> source_of_;  ///< By row of the tables: the row whose content it gets.
    std::size_t mark_ = 0;              ///< Where scratch stood before the part at work.
    BitSet settled_;                    ///< Rows of the tables.
    Phase phase_ = Phase::kLeaves;
    BitSet done_blocks_;           ///< Of 64 switches each, whose switch LIDs are routed.
    std::uint32_t tree_load_ = 0;  ///< RegularTreeLoad(); 0: no regular tree.
    std::size_t next_ = 0;         ///< Leaf, block or row of the tables.
    std::size_t cycle_ = 0;        ///< The first row of a cycle of rows.
    std::size_t next_here_ = 0;    ///< Switch that routes to the switches of a block next.
};

}  // namespace ember
