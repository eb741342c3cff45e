// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports behind which a fabric is left alone, and how long.

#include "core/discovery/shut_doors.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

ShutDoors::Door* ShutDoors::Find(const LinkEnd& end) {
    Door* const found = std::find_if(doors_.begin(), doors_.end(),
                                     [&](const Door& door) { return door.end == end; });
    return found == doors_.end() ? nullptr : found;
}

void ShutDoors::BeginSweep() {
    for (Door& door : doors_) {
        door.is_met = false;
    }
}

ShutDoors::Word ShutDoors::Meet(const LinkEnd& door, Guid behind, std::uint64_t now_us) {
    Door* known = Find(door);
    if (known == nullptr) {
        if (doors_.full()) doors_.SwapRemove(0);
        const Status kept = doors_.TryPush({.end = door,
                                            .behind = behind,
                                            .since_us = now_us,
                                            .look_us = now_us + kProbationUs,
                                            .is_met = true});
        EMBER_ASSERT(kept == Status::kOk);
        return Word::kNew;
    }
    known->is_met = true;
    if (known->behind != behind) {
        known->behind = behind;
        Disturb(door, now_us);
    }
    if (now_us < known->since_us + kProbationUs) return Word::kShut;
    doors_.SwapRemove(static_cast<std::size_t>(known - doors_.begin()));
    return Word::kOpen;
}

void ShutDoors::Disturb(const LinkEnd& door, std::uint64_t now_us) {
    Door* const known = Find(door);
    if (known == nullptr) return;
    known->since_us = now_us;
    known->look_us = now_us + kProbationUs;
}

void ShutDoors::EndSweep() {
    for (std::size_t i = doors_.size(); i > 0; --i) {  // SwapRemove() fills the place from the end.
        if (!doors_[i - 1].is_met) doors_.SwapRemove(i - 1);
    }
}

std::uint64_t ShutDoors::NextLookUs() const {
    std::uint64_t next = kNever;
    for (const Door& door : doors_) {
        next = std::min(next, door.look_us);
    }
    return next;
}

bool ShutDoors::TakeLook(std::uint64_t now_us) {
    bool is_due = false;
    for (Door& door : doors_) {
        if (now_us < door.look_us) continue;
        door.look_us = now_us + kProbationUs;
        is_due = true;
    }
    return is_due;
}

}  // namespace ember
