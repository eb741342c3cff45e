// SPDX-License-Identifier: Apache-2.0
// EmberSM: a chain is mended: steps whose part is as it was stay.

#include <algorithm>
#include <span>

#include "core/base/assert.h"
#include "core/routing/router.h"

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

/// Of what a part is: names of nodes decide about it, and may change where no cable does.
[[nodiscard]] std::uint64_t SumOf(const SubnetPart* part) {
    constexpr std::uint64_t kBasis = 0xCBF29CE484222325;
    if (part == nullptr) return kBasis;
    return Sum(Sum(Sum(kBasis, part->switches), part->lids), part->switch_ports);
}

/// A cable is of a part if both its ends are.
[[nodiscard]] bool Touches(const SubnetPart* part, std::span<const LinkChange> changes) {
    const auto has = [part](SwitchIndex at) { return at != kNoSwitch && part->Has(at); };
    return std::any_of(changes.begin(), changes.end(), [&](const LinkChange& change) {
        return part == nullptr ||
               (part->Has(change.at, change.port) && (has(change.was) || has(change.is)));
    });
}

}  // namespace

void Router::BeginBalancing(const Fabric& fabric, const RoutingPlan& plan,
                            Matrix<SwitchIndex, std::uint8_t> planned, Arena& scratch) {
    BeginMending(fabric, plan, planned, scratch);
    mending_ = false;
    balances_ = mends_steps_;
    ProveChangesOnly();
}

/// Chooses the steps that stay, with the alternatives that they had.
void Router::KeepSteps(std::span<const LinkChange> changes) {
    for (std::size_t step = 0; step < plan().steps.size(); ++step) {
        const RoutingStep& row = plan().steps[step];
        const std::uint8_t choice = chosen_[step];
        if (choice >= row.alternatives.size()) continue;
        const SubnetPart* const part = row.PartOf(row.alternatives[choice]);
        const bool shall_rest = !balances_ || (mended_steps_ >> step & 1U) == 0;
        if (!shall_rest || Touches(part, changes) || SumOf(part) != parts_[step]) continue;
        progress_.Choose(step, choice);
        kept_steps_ |= static_cast<std::uint16_t>(1U << step);
    }
}

/// Takes over what a step made, but for what later steps have.
void Router::MergeBeneath(SwitchIndex at) {
    const std::size_t step = progress_.at();
    std::uint64_t changed = step == 0 ? DropUnowned(at) : 0;
    for (const Destination& to : present().destinations()) {
        const bool is_led_to = to.at != kNoSwitch && hops()[at][Raw(to.at)] != kNoHops;
        if (step == 0 || is_led_to) changed += TakeOver(at, to);
    }
    if (changed == 0) return;
    verdict_.mended.entries += changed;
    ++verdict_.mended.switches;
    mended_steps_ |= static_cast<std::uint16_t>(1U << step);
}

/// The entries for the LIDs of a port that the step writes. Returns how many have changed.
std::uint64_t Router::TakeOver(SwitchIndex at, const Destination& to) {
    const std::size_t step = progress_.at();
    const std::uint8_t path_bit = progress_.path_bit();
    const bool has_all = step == 0 || path_bit == Alternative::kAllPathBits;
    const std::uint32_t first = has_all ? 0U : path_bit;
    const std::uint32_t end = has_all ? to.lid_count() : std::min(first + 1, to.lid_count());
    const SwitchIndex home = to.at == kNoSwitch ? kNoSwitch : WholeRow(to.at);
    std::uint64_t changed = 0;
    for (std::uint32_t i = first; i < end; ++i) {
        const std::uint8_t made = step_tables_[at][Raw(to.lid) + i];
        std::uint8_t& entry = planned_[WholeRow(at)][Raw(to.lid) + i];
        if (made == entry || owners_.IsLater(step, WholeRow(at), to, home, i)) continue;
        entry = made;
        ++changed;
    }
    return changed;
}

/// Entries for LIDs that no port has any more. Returns how many there were.
std::uint64_t Router::DropUnowned(SwitchIndex at) {
    std::uint64_t changed = 0;
    for (std::uint32_t lid = 1; lid <= Raw(topology_.top_lid()); ++lid) {
        std::uint8_t& entry = planned_[at][lid];
        if (entry == kNoHops || owners_.HasOwner(static_cast<Lid>(lid))) continue;
        entry = kNoHops;
        ++changed;
    }
    return changed;
}

/// After a refusal of what was mended: all steps, from their first alternatives on.
void Router::MakeAllAnew() {
    mends_steps_ = balances_ = mending_ = false;
    kept_steps_ = 0;
    is_made_ = merges_ = false;
    verdict_.mending_failed = true;
    verdict_.mended = {};
    scratch_.ForgetBefore();
    part_rows_ = {};
    progress_.Restart();
    StartStep();
}

/// After a run that ended well: what the next one may leave as it is. Steps that were made anew
/// are no longer mended.
void Router::KeepChain() {
    if (!mends_steps_) mended_steps_ = 0;
    for (std::size_t step = 0; balances_ && step < plan().steps.size(); ++step) {
        if (!Keeps(step)) mended_steps_ &= static_cast<std::uint16_t>(~(1U << step));
    }
    if (plan().steps.size() == 1) return;
    for (std::size_t step = 0; step < plan().steps.size(); ++step) {
        chosen_[step] = progress_.Choice(step);
        parts_[step] = SumOf(plan().steps[step].PartOf(progress_.Chosen(step)));
    }
    basis_.KeepSubnet(topology_);
}

}  // namespace ember
