// SPDX-License-Identifier: Apache-2.0
// EmberSM: on which level of a tree a switch is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"

namespace ember {

/// The rank of a switch from which no root can be reached, and which takes no part.
inline constexpr std::uint16_t kNoRank = 0xFFFF;

/// Ranks switches by their distance from the roots, which have rank 0.
///
/// The roots are those of root_guid_file. Without that file, or when it names no switch that is
/// here, they are the switches that are farthest from the nearest switch with a host. Under
/// Order::kBalanced service hosts on upper switches do not count, see core/graph/leaf_switches.h.
class TreeRanks {
public:
    /// The most that Find() takes from its arena and keeps.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    constexpr TreeRanks() = default;
    TreeRanks(const TreeRanks&) = delete;
    TreeRanks& operator=(const TreeRanks&) = delete;

    /// Ranks all switches in one slice. kRanking: neither a root nor a host on a switch; kNoLevels:
    /// roots only.
    [[nodiscard]] EngineFault Find(const RoutingTask& task);

    [[nodiscard]] std::uint16_t rank(SwitchIndex at) const { return rank_[at]; }
    [[nodiscard]] bool Has(SwitchIndex at) const { return rank_[at] != kNoRank; }
    /// The greatest rank.
    [[nodiscard]] std::uint16_t top() const { return top_; }
    /// The roots are those that the operator named.
    [[nodiscard]] bool from_roots() const { return from_roots_; }
    /// Switches that have a rank.
    [[nodiscard]] std::size_t count() const { return reached_; }

private:
    [[nodiscard]] bool TakeNamedRoots(const RoutingTask& task);
    [[nodiscard]] bool SpreadFromBelow(const RoutingTask& task);
    void TurnAround();
    void AddOrigin(SwitchIndex at);
    void Spread(const Topology& topology);

    Table<SwitchIndex, std::uint16_t> rank_;
    std::span<SwitchIndex> queue_;
    std::size_t reached_ = 0;  ///< So many in the queue.
    std::uint16_t top_ = 0;
    bool from_roots_ = false;
};

}  // namespace ember
