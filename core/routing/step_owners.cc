// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which step of a plan a switch sends to a LID.

#include "core/routing/step_owners.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

/// The one that stands for all that `at` is joined with. Ways become shorter on the way.
[[nodiscard]] SwitchIndex Find(std::span<SwitchIndex> of, SwitchIndex at) {
    while (of[Raw(at)] != at) {
        SwitchIndex& next = of[Raw(at)];
        next = of[Raw(next)];
        at = next;
    }
    return at;
}

}  // namespace

void StepOwners::Begin(const Topology& topology, const PlanProgress& plan, Arena& scratch) {
    topology_ = &topology;
    plan_ = &plan;
    bound_ = topology.switch_bound();
    next_ = 1;
    islands_ = scratch.Take<SwitchIndex>((plan.plan().steps.size() - 1) * bound_);
    by_switch_ = scratch.Take<std::uint16_t>(bound_);
    by_lid_ = scratch.Take<std::uint16_t>(Raw(topology.top_lid()) + std::size_t{1});
    std::fill(by_switch_.begin(), by_switch_.end(), std::uint16_t{0});
    std::fill(by_lid_.begin(), by_lid_.end(), std::uint16_t{0});
    for (const Destination& row : topology.destinations()) {
        const auto lids = by_lid_.subspan(Raw(row.lid), row.lid_count());
        std::fill(lids.begin(), lids.end(), static_cast<std::uint16_t>(kOwned));
    }
}

Progress StepOwners::Advance() {
    const std::size_t steps = plan_->plan().steps.size();
    if (next_ >= steps) return Progress::kDone;
    const SubnetPart* const part = plan_->plan().steps[next_].PartOf(plan_->Chosen(next_));
    MarkDestinations(next_, part);
    const auto bit = static_cast<std::uint16_t>(1U << (next_ - 1));
    const auto of = IslandsOf(next_);
    for (std::size_t i = 0; i < bound_; ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        of[i] = at;
        if (topology_->Has(at) && (part == nullptr || part->Has(at))) by_switch_[i] |= bit;
    }
    JoinSwitches(of, part);
    return ++next_ < steps ? Progress::kMore : Progress::kDone;
}

bool StepOwners::IsIn(const SubnetPart* part, const Destination& row) {
    if (row.at == kNoSwitch) return false;
    if (part == nullptr) return true;
    return part->Has(row.lid) &&
           (row.is_switch() ? part->Has(row.at) : part->Has(row.at, row.port));
}

/// A step without an end port in its part writes nothing.
void StepOwners::MarkDestinations(std::size_t step, const SubnetPart* part) {
    const auto destinations = topology_->destinations();
    const bool writes =
        std::any_of(destinations.begin(), destinations.end(),
                    [part](const Destination& row) { return !row.is_switch() && IsIn(part, row); });
    if (!writes) return;
    const auto bit = static_cast<std::uint16_t>(1U << (step - 1));
    for (const Destination& row : destinations) {
        if (IsIn(part, row)) by_lid_[Raw(row.lid)] |= bit;
    }
}

void StepOwners::JoinSwitches(std::span<SwitchIndex> of, const SubnetPart* part) {
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        for (const Trunk& trunk : topology_->trunks(at)) {
            const bool counts = part == nullptr || (part->Has(at, trunk.port) &&
                                                    part->Has(trunk.peer, trunk.peer_port));
            if (counts) of[Raw(Find(of, at))] = Find(of, trunk.peer);
        }
    }
}

bool StepOwners::IsLater(std::size_t step, SwitchIndex at, const Destination& row, SwitchIndex home,
                         std::uint32_t offset) const {
    const unsigned both = static_cast<unsigned>(by_switch_[Raw(at)]) &
                          static_cast<unsigned>(by_lid_[Raw(row.lid)]) & ~kOwned;
    for (unsigned rest = both >> step; rest != 0; rest &= rest - 1) {
        const std::size_t later = step + 1 + static_cast<std::size_t>(std::countr_zero(rest));
        const std::uint8_t path_bit = plan_->Chosen(later).path_bit;
        if (path_bit != Alternative::kAllPathBits && path_bit != offset) continue;
        const auto of = IslandsOf(later);
        if (Find(of, at) == Find(of, home)) return true;
    }
    return false;
}

}  // namespace ember
