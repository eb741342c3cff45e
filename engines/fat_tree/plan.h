// SPDX-License-Identifier: Apache-2.0
// EmberSM: recognizes a fat tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/fat_tree/hosts.h"
#include "engines/fat_tree/ranks.h"
#include "engines/fat_tree/shape.h"
#include "engines/fat_tree/tuples.h"

namespace ember {

/// A fat tree as it is known before anything is routed: ranks, addresses, groups, the leaves in
/// their order. Refuses what OpenSM's ftree refuses, and says which node is at fault.
///
/// A tree needs two switches, two hosts and 2..8 levels, and all compute nodes hang on one level.
/// Without root_guid_file it must be pure too: all switches of a rank are alike in the numbers of
/// groups, and of links in a group.
class FatTreePlan {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return TreeHosts::ScratchBytes(limits) + TreeRanks::ScratchBytes(limits) +
               TreeTuples::ScratchBytes(limits) + TreeShape::ScratchBytes(limits) +
               Arena::BytesFor<bool>(limits.max_switches) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches);
    }

    constexpr FatTreePlan() = default;
    FatTreePlan(const FatTreePlan&) = delete;
    FatTreePlan& operator=(const FatTreePlan&) = delete;

    /// Not kOk: complaint() says why. Keeps what it takes from task.scratch.
    Status Begin(const RoutingTask& task);
    /// Does the next slice. kDone: what follows holds. Not ok: complaint() says why.
    [[nodiscard]] Result<Progress> Advance();
    [[nodiscard]] const EngineComplaint& complaint() const { return complaint_; }

    [[nodiscard]] const TreeHosts& hosts() const { return hosts_; }
    [[nodiscard]] const TreeRanks& ranks() const { return ranks_; }
    [[nodiscard]] const TreeShape& shape() const { return shape_; }
    [[nodiscard]] std::uint16_t leaf_rank() const { return leaf_rank_; }
    /// Numbers of the switches of the leaves' rank, in the order of their addresses, from the first
    /// to the last one with a compute node.
    [[nodiscard]] std::span<const std::uint16_t> leaves() const { return leaves_; }
    /// Compute nodes of the leaf that has most.
    [[nodiscard]] std::size_t slots_per_leaf() const { return slots_per_leaf_; }

    /// Calls `visit(Lid, PortNumber)` for the compute nodes of a leaf, by its ports.
    template <typename Visit>
    void ForEachComputeNode(std::uint16_t leaf, Visit visit) const {
        const auto exits = task_.topology->exits(shape_.switches()[leaf].row);
        for (std::size_t port = 1; port < exits.size(); ++port) {
            const DestinationIndex at = exits[port].destination;
            if (at == kNoDestination || hosts_.host_class(at) != HostClass::kCompute) continue;
            visit(task_.topology->destination(at).lid, static_cast<PortNumber>(port));
        }
    }

    /// Calls `visit(Lid)` for every slot of a leaf; kNoLid: a slot without a node.
    template <typename Visit>
    void ForEachSlotOf(std::uint16_t leaf, Visit visit) const {
        std::size_t count = 0;
        ForEachComputeNode(leaf, [&](Lid lid, PortNumber) {
            visit(lid);
            ++count;
        });
        for (; count < slots_per_leaf_; ++count) {
            visit(kNoLid);
        }
    }
    /// The same for every leaf in order: the order in which MPI ranks see least congestion
    /// (opensm-ftree-ca-order.dump).
    template <typename Visit>
    void ForEachSlot(Visit visit) const {
        for (const std::uint16_t leaf : leaves_) {
            ForEachSlotOf(leaf, visit);
        }
    }

private:
    enum class Phase : std::uint8_t {
        kHosts,
        kRanks,
        kLeafRank,
        kTuples,
        kShape,
        kLeaves,
        kCheck,
        kDone
    };

    [[nodiscard]] Status Refuse(EngineFault what, Guid guid = kNoGuid, PortNumber port = kNoPort);
    Status DoSlice();
    Status SortHosts();
    Status FindRanks();
    Status FindLeafRank();
    Status GiveTuples();
    Status CollectLeaves();
    Status CheckPurity();
    [[nodiscard]] EngineFault Compare(const TreeSwitch& one, const TreeSwitch& first) const;
    [[nodiscard]] const TreeGroup* FirstBelow(const TreeSwitch& here) const;

    RoutingTask task_;
    EngineComplaint complaint_;
    TreeHosts hosts_;
    TreeRanks ranks_;
    TreeTuples tuples_;
    TreeShape shape_;
    std::span<bool> has_compute_node_;  ///< By SwitchIndex.
    std::span<std::uint16_t> leaves_;
    std::size_t slots_per_leaf_ = 0;
    std::uint16_t leaf_rank_ = 0;
    Phase phase_ = Phase::kDone;
};

}  // namespace ember
