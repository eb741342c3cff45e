// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the engine of a step sees of the subnet, and the tables that it fills.

#include "core/routing/step_part.h"

#include <algorithm>

namespace ember {

void StepPart::Show(const Topology& whole, const SubnetPart* part, bool is_dense, Arena& scratch) {
    part_ = part;
    rows_ = {};
    shown_ = part == nullptr ? &whole : &own_;
    if (part == nullptr) return;
    if (is_dense) {
        rows_ = BuildDensePart(whole, *part, scratch, own_);
    } else {
        BuildPart(whole, *part, scratch, own_);
    }
}

bool StepPart::HasEndPorts() const {
    const auto destinations = shown_->destinations();
    return std::any_of(destinations.begin(), destinations.end(),
                       [](const Destination& row) { return !row.is_switch(); });
}

void StepPart::TakeTables(Lid top, Arena& scratch) {
    const MatrixShape shape{.rows = shown_->switch_bound(),
                            .stride = LftBlocks(top) * std::size_t{64}};
    lfts_ = {scratch.Take<std::uint8_t>(shape.rows * shape.stride), shape};
}

}  // namespace ember
