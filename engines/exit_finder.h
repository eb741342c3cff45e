// SPDX-License-Identifier: Apache-2.0
// EmberSM: which exits of a switch are on a path to another switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/routing/engine.h"

namespace ember {

/// Columns that are found at a time: loops of this length become vector instructions.
inline constexpr std::size_t kColumns = 64;

/// Words of a mask of ports: 1 where a switch has no more than 64 ports, else this.
inline constexpr std::size_t kMostWords = 4;  // 254 ports, one bit each.

/// Finds the candidates among which a builder of tables chooses: the exits of a switch that are on
/// a permitted least path to another switch. The engines with balanced tables differ in nothing
/// else.
///
/// Every step by a candidate lowers hops() of the destination's column. So there is no loop,
/// whichever candidate is chosen, and an engine's promise holds for every choice.
class ExitFinder {
public:
    /// Studies the topology; Prepare() is called until it returns kDone. Both keep what they take
    /// from task.scratch until the engine is done. Not kOk: this fabric cannot be routed.
    virtual Status Begin(const RoutingTask& task) = 0;
    virtual Result<Progress> Prepare() = 0;

    /// For each of the switches first..first+63, the candidates at `here` on the way to it: `words`
    /// words (1 or kMostWords), bit p - 1 for port p. `masks`: 64 * words words, all written; the
    /// set is empty for `here` itself, for holes and for switches that cannot be reached. `first`
    /// is a multiple of 64.
    virtual void Find(SwitchIndex here, std::size_t first, std::size_t words,
                      std::span<std::uint64_t> masks) const = 0;

    /// Least hops by this engine's rules, row = from, column = to; kNoHops: no path. The neighbor
    /// behind a candidate is nearer to the destination than `here`.
    [[nodiscard]] virtual Matrix<SwitchIndex, const std::uint8_t> hops() const = 0;

    /// The candidates for a destination all lead to one neighbor: only the link is left to choose.
    [[nodiscard]] virtual bool fixes_neighbor() const { return false; }

    /// The candidates at a switch for a destination depend on nothing that changes but the links of
    /// the switch, and RoutingTask::hops of itself and its neighbors to that destination.
    [[nodiscard]] virtual bool is_local() const { return false; }

protected:
    ~ExitFinder() = default;
};

}  // namespace ember
