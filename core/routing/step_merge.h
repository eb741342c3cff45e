// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routes of a step are taken over into those of the plan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/routing/step_owners.h"
#include "core/routing/step_part.h"

namespace ember {

/// Takes over what the engine of a step made. Entries of the steps before stay where it has no
/// switch or no destination, and where its part does not lead from the one to the other: a packet
/// that enters the part where it does goes on inside it, so that no loop comes of this.
///
/// When a chain is mended, later steps may keep their routes: then their entries stay too, and
/// entries for LIDs that no port has any more drop.
class StepMerge {
public:
    struct Task {
        const StepPart* part = nullptr;                  ///< With the tables that were made.
        Matrix<SwitchIndex, const std::uint8_t> hops{};  ///< Inside the part.
        Matrix<SwitchIndex, std::uint8_t> planned{};     ///< Of the whole subnet,
        Lid top_lid = kNoLid;                            ///< and its top LID.
        std::uint8_t path_bit = Alternative::kAllPathBits;
        std::size_t step = 0;
        // When a chain is mended; else null.
        const StepOwners* owners = nullptr;
        Mended* mended = nullptr;  ///< Entries that change are counted here.
    };

    constexpr StepMerge() = default;
    StepMerge(const StepMerge&) = delete;
    StepMerge& operator=(const StepMerge&) = delete;

    /// All that `task` shows stands still until Advance() says kDone.
    void Begin(const Task& task);
    /// Does a slice of about a million entries.
    [[nodiscard]] Progress Advance();
    /// When a chain is mended: an entry has changed since Begin().
    [[nodiscard]] bool has_changed() const { return has_changed_; }

private:
    static constexpr std::size_t kEntriesPerSlice = 1U << 20;

    void MergeRow(SwitchIndex at);
    void MergeBeneath(SwitchIndex at);
    std::uint64_t TakeOver(SwitchIndex at, const Destination& to);
    std::uint64_t DropUnowned(SwitchIndex at);

    Task task_;
    std::size_t next_ = 0;  ///< Row of the part.
    bool has_changed_ = false;
};

}  // namespace ember
