// SPDX-License-Identifier: Apache-2.0
// EmberSM: that old and new forwarding entries beside each other close no credit loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/progress.h"
#include "core/graph/proved_routes.h"
#include "core/programming/mixed_paths.h"
#include "core/programming/trial_graph.h"

namespace ember {

/// Finds the LIDs whose entries may not just change in the two rounds of LftProgramming: packets to
/// them that meet old entries and new ones might close a credit loop.
///
/// To the channel dependencies of the new routing, which have no cycle, those are added that
/// packets make while entries change (MixedPaths). LIDs that add nothing which closes a cycle may
/// change in any order; the others are found in ever smaller batches, and must yield: their entries
/// drop before any other changes. docs/decisions/0021-old-and-new-routes-together.md has the
/// argument.
class TransitionProof {
public:
    constexpr TransitionProof() = default;
    TransitionProof(const TransitionProof&) = delete;
    TransitionProof& operator=(const TransitionProof&) = delete;

    /// The arena of `proved` has what a run takes.
    [[nodiscard]] static bool HasRoom(const ProvedRoutes& proved);
    /// Looks at `lids`, and leaves those in it that must yield. The views in `task` stand still
    /// until Advance() says kDone or Stop(). Takes from the arena of the proved routes.
    void Begin(const MixedPaths::Task& task, BitSet lids);
    /// Does a slice of a few hundred microseconds.
    [[nodiscard]] Progress Advance();
    /// Gives up a run under way, if there is one.
    void Stop() { End(); }

private:
    enum class Phase : std::uint8_t { kDone, kCopying, kLids, kSearch };
    static constexpr std::size_t kStepsPerSlice = 4096;

    void FollowSome();
    void EndBatch();
    void Search();
    void EndTrial(bool may_mix);
    void End();
    [[nodiscard]] std::size_t NextLid(std::size_t from) const;
    [[nodiscard]] std::size_t lid_bound() const { return lids_.words().size() * 64; }

    TrialGraph graph_;
    MixedPaths paths_;
    Arena* scratch_ = nullptr;
    std::size_t mark_ = 0;  ///< Where it stood at Begin().
    BitSet lids_;
    // The batch of LIDs that is tried together.
    std::size_t first_ = 0;  ///< Its first LID.
    std::size_t next_ = 0;   ///< The first LID behind those that were followed.
    std::size_t count_ = 0;  ///< So many were followed.
    std::size_t most_ = 0;   ///< And so many shall be.
    Phase phase_ = Phase::kDone;
};

}  // namespace ember
