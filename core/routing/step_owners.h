// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which step of a plan a switch sends to a LID.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/graph/topology.h"
#include "core/routing/plan_progress.h"

namespace ember {

/// Says which entries a step leaves to later ones: those whose switch and LID are in a later step's
/// part, which leads from the one to the other. So a step may write its routes anew beneath later
/// ones that stay.
class StepOwners {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        if (!HasStepArena(limits)) return 0;
        return Arena::BytesFor<SwitchIndex>((limits.max_routing_steps - std::size_t{1}) *
                                            limits.max_switches) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<std::uint16_t>(limits.max_lid + std::size_t{1});
    }

    constexpr StepOwners() = default;
    StepOwners(const StepOwners&) = delete;
    StepOwners& operator=(const StepOwners&) = delete;

    /// Both stand still until the last question; of `plan` the alternatives that are chosen.
    void Begin(const Topology& topology, const PlanProgress& plan, Arena& scratch);
    /// Looks at the next step.
    [[nodiscard]] Progress Advance();

    /// After Advance() has said kDone. A step behind `step` sends from `at` to this LID of the port
    /// or switch, counted from its base LID.
    /// `row`: of a topology, `home`: the switch of the whole subnet that it is at.
    [[nodiscard]] bool IsLater(std::size_t step, SwitchIndex at, const Destination& row,
                               SwitchIndex home, std::uint32_t offset) const;
    /// Likewise: a port has this LID.
    [[nodiscard]] bool HasOwner(Lid lid) const {
        return (static_cast<unsigned>(by_lid_[Raw(lid)]) & kOwned) != 0;
    }

private:
    static constexpr unsigned kOwned = 1U
                                       << 15U;  ///< Of by_lid_; there are 15 later steps at most.
    static_assert(kMaxRoutingSteps <= 16);

    [[nodiscard]] static bool IsIn(const SubnetPart* part, const Destination& row);
    void MarkDestinations(std::size_t step, const SubnetPart* part);
    void JoinSwitches(std::span<SwitchIndex> of, const SubnetPart* part);
    [[nodiscard]] std::span<SwitchIndex> IslandsOf(std::size_t step) const {
        return islands_.subspan((step - 1) * bound_, bound_);
    }

    const Topology* topology_ = nullptr;
    const PlanProgress* plan_ = nullptr;
    std::size_t bound_ = 0;
    std::size_t next_ = 1;                ///< The step to look at.
    std::span<SwitchIndex> islands_;      ///< By later step and switch: one for all that it joins.
    std::span<std::uint16_t> by_switch_;  ///< Bit i: step i + 1 has it in its part.
    std::span<std::uint16_t> by_lid_;     ///< By base LID, likewise; by LID: kOwned.
};

}  // namespace ember
