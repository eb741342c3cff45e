// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the log is told of other subnet managers: what is new, once.

#include <algorithm>

#include "core/role/role.h"

namespace ember {

void Role::TellFound(const OtherSm& other, std::uint64_t now_us) {
    Told* known = std::find_if(told_.begin(), told_.end(),
                               [&](const Told& told) { return told.guid == other.guid; });
    const Told now{.guid = other.guid, .state = other.state, .priority = other.priority};
    if (known != told_.end()) {
        if (known->state == now.state && known->priority == now.priority) return;
        *known = now;
    } else if (!told_.full()) {
        const Status kept = told_.TryPush(now);
        EMBER_ASSERT(kept == Status::kOk);
    }
    log_.Write<Note::kOtherSmFound>(now_us, other.guid, other.state, other.priority, other.lid);
}

void Role::TellIgnored(Guid guid, std::uint64_t now_us) {
    const bool is_told =
        std::find(told_ignored_.begin(), told_ignored_.end(), guid) != told_ignored_.end();
    if (is_told || told_ignored_.TryPush(guid) != Status::kOk) return;
    log_.Write<Note::kOtherSmIgnored>(now_us, guid);
}

/// The port says IsSM, and sm_peers does not have it.
void Role::TellUnlisted(Guid guid, std::uint64_t now_us) {
    const bool is_told =
        std::find(told_ignored_.begin(), told_ignored_.end(), guid) != told_ignored_.end();
    if (is_told || told_ignored_.TryPush(guid) != Status::kOk) return;
    log_.Write<Note::kOtherSmUnlisted>(now_us, guid);
}

/// Tells of SMs that the log knows and that an election has not heard.
void Role::TellLost(std::uint64_t now_us) {
    const std::span<const OtherSm> met = others();
    for (std::size_t i = told_.size(); i > 0; --i) {  // SwapRemove() fills the place from the end.
        const Guid guid = told_[i - 1].guid;
        const bool is_met = std::any_of(met.begin(), met.end(), [&](const OtherSm& other) {
            return other.counts && other.guid == guid;
        });
        if (is_met) continue;
        log_.Write<Note::kOtherSmLost>(now_us, guid);
        told_.SwapRemove(i - 1);
    }
}

}  // namespace ember
