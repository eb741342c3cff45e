// SPDX-License-Identifier: Apache-2.0
// EmberSM: the hop matrix after some cables went or came, without measuring it all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"

namespace ember {

/// Measures those columns of a hop matrix anew that lost or new cables may have changed, and tells
/// which (switch, destination switch) pairs may see other shortest paths than before.
///
/// Distances to a switch t stay as they are when (1) every switch that lost a cable towards t (to a
/// neighbor one nearer) still has another neighbor one nearer, by its distances of before, and (2)
/// no new cable joins switches whose distances to t differ by more than one. By (1) every switch
/// still has a way of its old length, for its nearer neighbors have; by (2) the old distances fall
/// by at most one over any cable, so no way is shorter. All other columns are measured. Cables
/// count 1 each: there are no weights.
class HopPatch {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return 3 * Arena::BytesFor<std::uint64_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<bool>(limits.max_switches) +
               Arena::BytesFor<std::uint8_t>(limits.max_switches * kBatch);
    }

    constexpr HopPatch() = default;
    HopPatch(const HopPatch&) = delete;
    HopPatch& operator=(const HopPatch&) = delete;

    /// `hops`: of the topology before `changes`. `suspects`: empty, of this topology's bound.
    void Begin(const Topology& topology, std::span<const LinkChange> changes,
               Matrix<SwitchIndex, std::uint8_t> hops, const SwitchPairs& suspects, Arena& scratch);
    /// Does the next slice: 64 columns. At the end `hops` are the topology's, and `suspects` holds
    /// each (from, to) for which some distance to `to`, of `from` or of a neighbor of it, or some
    /// cable of `from` is not as before.
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kBatch = 64;

    void FindColumns(std::span<const LinkChange> changes);
    void MarkLoss(const LinkChange& change);
    void MarkGain(const LinkChange& change);
    [[nodiscard]] bool HasOther(SwitchIndex at, std::size_t column) const;
    void Measure(std::span<const SwitchIndex> columns);
    [[nodiscard]] bool Spread(std::uint8_t distance);
    void Take(std::span<const SwitchIndex> columns);
    void Suspect(SwitchIndex at, SwitchIndex to) const;

    const Topology* topology_ = nullptr;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    const SwitchPairs* suspects_ = nullptr;
    std::span<bool> changed_;            ///< By column: it is to be measured.
    std::span<SwitchIndex> columns_;     ///< Columns so marked.
    std::span<std::uint64_t> seen_;      ///< By switch: which of the 64 have reached it.
    std::span<std::uint64_t> front_;     ///< Which reached it in the last round.
    std::span<std::uint64_t> next_;      ///< Which look at it in this round.
    std::span<std::uint8_t> distances_;  ///< A row of 64 a switch.
    std::size_t column_count_ = 0;
    std::size_t first_ = 0;  ///< The next of columns_.
};

}  // namespace ember
