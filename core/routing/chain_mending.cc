// SPDX-License-Identifier: Apache-2.0
// EmberSM: a chain that is mended step by step.

#include "core/routing/chain_mending.h"

#include <algorithm>

namespace ember {
namespace {

/// FNV-1a, by words.
[[nodiscard]] std::uint64_t Sum(std::uint64_t sum, std::span<const std::uint64_t> words) {
    constexpr std::uint64_t kPrime = 0x100000001B3;
    for (const std::uint64_t word : words) {
        sum = (sum ^ word) * kPrime;
    }
    return sum;
}

/// Of what a part is: names of nodes decide about it, and may change where no link does.
[[nodiscard]] std::uint64_t SumOf(const SubnetPart* part) {
    constexpr std::uint64_t kBasis = 0xCBF29CE484222325;
    if (part == nullptr) return kBasis;
    return Sum(Sum(Sum(kBasis, part->switches), part->lids), part->switch_ports);
}

/// A link is of a part if both its ends are.
[[nodiscard]] bool Touches(const SubnetPart* part, std::span<const LinkChange> changes) {
    const auto has = [part](SwitchIndex at) { return at != kNoSwitch && part->Has(at); };
    return std::any_of(changes.begin(), changes.end(), [&](const LinkChange& change) {
        return part == nullptr ||
               (part->Has(change.at, change.port) && (has(change.was) || has(change.is)));
    });
}

}  // namespace

void ChainMending::Begin() {
    mends_ = balances_ = has_owners_ = false;
    kept_ = 0;
}

void ChainMending::KeepSteps(PlanProgress& plan, std::span<const LinkChange> changes) {
    for (std::size_t step = 0; step < plan.plan().steps.size(); ++step) {
        const RoutingStep& row = plan.plan().steps[step];
        const std::uint8_t choice = chosen_[step];
        if (choice >= row.alternatives.size()) continue;
        const SubnetPart* const part = row.PartOf(row.alternatives[choice]);
        const bool shall_rest = !balances_ || (mended_ & BitOf(step)) == 0;
        if (!shall_rest || Touches(part, changes) || SumOf(part) != parts_[step]) continue;
        plan.Choose(step, choice);
        kept_ |= BitOf(step);
    }
}

void ChainMending::BeginOwners(const Topology& topology, const PlanProgress& plan, Arena& scratch) {
    if (balances_ && kept_ == 0) GiveUp();
    if (mends_) owners_.Begin(topology, plan, scratch);
}

Progress ChainMending::AdvanceOwners() {
    if (!mends_ || has_owners_) return Progress::kDone;
    has_owners_ = owners_.Advance() == Progress::kDone;
    return Progress::kMore;
}

/// Steps that were made anew are no longer mended.
bool ChainMending::Keep(const PlanProgress& plan) {
    if (!mends_) mended_ = 0;
    if (balances_) mended_ &= kept_;
    const std::span<const RoutingStep> steps = plan.plan().steps;
    if (steps.size() == 1) return false;
    for (std::size_t step = 0; step < steps.size(); ++step) {
        chosen_[step] = plan.Choice(step);
        parts_[step] = SumOf(steps[step].PartOf(plan.Chosen(step)));
    }
    return true;
}

}  // namespace ember
