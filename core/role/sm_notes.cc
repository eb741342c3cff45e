// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the log is told of other subnet managers: what is new, once.

#include <algorithm>

#include "core/role/role.h"

namespace ember {

void Role::LogFound(const OtherSm& other, std::uint64_t now_us) {
    Logged* known = std::find_if(logged_.begin(), logged_.end(),
                                 [&](const Logged& logged) { return logged.guid == other.guid; });
    const Logged now{.guid = other.guid, .state = other.state, .priority = other.priority};
    if (known != logged_.end()) {
        if (known->state == now.state && known->priority == now.priority) return;
        *known = now;
    } else if (!logged_.full()) {
        const Status kept = logged_.TryPush(now);
        EMBER_ASSERT(kept == Status::kOk);
    }
    log_.Write<Note::kOtherSmFound>(now_us, other.guid, other.state, other.priority, other.lid);
}

void Role::LogIgnored(Guid guid, std::uint64_t now_us) {
    const bool is_logged =
        std::find(logged_ignored_.begin(), logged_ignored_.end(), guid) != logged_ignored_.end();
    if (is_logged || logged_ignored_.TryPush(guid) != Status::kOk) return;
    log_.Write<Note::kOtherSmIgnored>(now_us, guid);
}

/// The port says IsSM, and sm_peers does not have it.
void Role::LogUnlisted(Guid guid, std::uint64_t now_us) {
    const bool is_logged =
        std::find(logged_ignored_.begin(), logged_ignored_.end(), guid) != logged_ignored_.end();
    if (is_logged || logged_ignored_.TryPush(guid) != Status::kOk) return;
    log_.Write<Note::kOtherSmUnlisted>(now_us, guid);
}

/// Tells of SMs that the log knows and that an election has not heard.
void Role::LogLost(std::uint64_t now_us) {
    const std::span<const OtherSm> met = others();
    // SwapRemove() fills the place from the end.
    for (std::size_t i = logged_.size(); i > 0; --i) {
        const Guid guid = logged_[i - 1].guid;
        const bool is_met = std::any_of(met.begin(), met.end(), [&](const OtherSm& other) {
            return other.counts && other.guid == guid;
        });
        if (is_met) continue;
        log_.Write<Note::kOtherSmLost>(now_us, guid);
        logged_.SwapRemove(i - 1);
    }
}

}  // namespace ember
