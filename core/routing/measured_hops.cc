// SPDX-License-Identifier: Apache-2.0
// EmberSM: the hop matrix, and of which topology it is.

#include "core/routing/measured_hops.h"

namespace ember {

void MeasuredHops::Begin(const Task& task, Arena& scratch) {
    Turn(task);
    BeginAgain(scratch);
}

void MeasuredHops::BeginPatch(const Task& task, std::span<const LinkChange> changes,
                              const SwitchPairs& suspects, Arena& scratch) {
    Turn(task);
    patches_ = true;
    patch_.Begin(*task.topology, changes, hops_, suspects, scratch);
}

void MeasuredHops::BeginAgain(Arena& scratch) {
    patches_ = false;
    meter_.Begin(*task_.topology, task_.weights, hops_, scratch);
}

Progress MeasuredHops::Advance() {
    return patches_ ? patch_.Advance() : meter_.Advance();
}

void MeasuredHops::Turn(const Task& task) {
    task_ = task;
    hops_ = {memory_, HopShape(task.topology->switch_bound())};
    is_there_ = true;
}

}  // namespace ember
