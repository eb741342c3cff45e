// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routes of a step are taken over into those of the plan.

#include "core/routing/step_merge.h"

#include <algorithm>

namespace ember {

void StepMerge::Begin(const Task& task) {
    task_ = task;
    next_ = 0;
    has_changed_ = false;
}

Progress StepMerge::Advance() {
    const Topology& part = task_.part->topology();
    const std::size_t rows =
        std::max<std::size_t>(1, kEntriesPerSlice / (part.destinations().size() + 1));
    const std::size_t end = std::min(part.switch_bound(), next_ + rows);
    for (; next_ < end; ++next_) {
        const auto at = static_cast<SwitchIndex>(next_);
        if (!part.Has(at)) continue;
        if (task_.owners != nullptr) {
            MergeBeneath(at);
        } else {
            MergeRow(at);
        }
    }
    return next_ < part.switch_bound() ? Progress::kMore : Progress::kDone;
}

// NOLINTNEXTLINE(readability-make-member-function-const): tables that it changes are the run's.
void StepMerge::MergeRow(SwitchIndex at) {
    const bool has_all = task_.path_bit == Alternative::kAllPathBits;
    const auto hops = task_.hops[at];
    const auto made = task_.part->lfts()[at];
    const auto planned = task_.planned[task_.part->WholeRow(at)];
    for (const Destination& row : task_.part->topology().destinations()) {
        if (row.at == kNoSwitch || hops[Raw(row.at)] == kNoHops) continue;
        if (!has_all && task_.path_bit >= row.lid_count()) continue;
        const std::size_t first = Raw(row.lid) + (has_all ? std::size_t{0} : task_.path_bit);
        const auto entries = made.subspan(first, has_all ? row.lid_count() : 1);
        std::copy(entries.begin(), entries.end(),
                  planned.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

/// Takes over what a step made, but for what later steps have.
void StepMerge::MergeBeneath(SwitchIndex at) {
    std::uint64_t changed = task_.step == 0 ? DropUnowned(at) : 0;
    for (const Destination& to : task_.part->topology().destinations()) {
        const bool is_led_to = to.at != kNoSwitch && task_.hops[at][Raw(to.at)] != kNoHops;
        if (task_.step == 0 || is_led_to) changed += TakeOver(at, to);
    }
    if (changed == 0) return;
    task_.mended->entries += changed;
    ++task_.mended->switches;
    has_changed_ = true;
}

/// The entries for the LIDs of a port that the step writes. Returns how many have changed.
// NOLINTNEXTLINE(readability-make-member-function-const): tables that it changes are the run's.
std::uint64_t StepMerge::TakeOver(SwitchIndex at, const Destination& to) {
    const StepPart& part = *task_.part;
    const bool has_all = task_.step == 0 || task_.path_bit == Alternative::kAllPathBits;
    const std::uint32_t first = has_all ? 0U : task_.path_bit;
    const std::uint32_t end = has_all ? to.lid_count() : std::min(first + 1, to.lid_count());
    const SwitchIndex here = part.WholeRow(at);
    const SwitchIndex home = to.at == kNoSwitch ? kNoSwitch : part.WholeRow(to.at);
    std::uint64_t changed = 0;
    for (std::uint32_t i = first; i < end; ++i) {
        const std::uint8_t made = part.lfts()[at][Raw(to.lid) + i];
        std::uint8_t& entry = task_.planned[here][Raw(to.lid) + i];
        if (made == entry || task_.owners->IsLater(task_.step, here, to, home, i)) continue;
        entry = made;
        ++changed;
    }
    return changed;
}

/// Entries for LIDs that no port has any more. Returns how many there were.
// NOLINTNEXTLINE(readability-make-member-function-const): tables that it changes are the run's.
std::uint64_t StepMerge::DropUnowned(SwitchIndex at) {
    const auto row = task_.planned[task_.part->WholeRow(at)];
    std::uint64_t changed = 0;
    for (std::uint32_t lid = 1; lid <= Raw(task_.top_lid); ++lid) {
        if (row[lid] == kNoHops || task_.owners->HasOwner(static_cast<Lid>(lid))) continue;
        row[lid] = kNoHops;
        ++changed;
    }
    return changed;
}

}  // namespace ember
