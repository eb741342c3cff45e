// SPDX-License-Identifier: Apache-2.0
// EmberSM: a standby that is configured otherwise than its master stays out of elections, and is
// not handed the subnet.

#include <algorithm>
#include <utility>

#include "core/role/role.h"

namespace ember {

bool Role::StandDown(std::uint64_t now_us) {
    if (state_ != SmState::kStandby || !watching_) return false;
    log_.Write<Note::kStandbyAside>(now_us, watched_.guid);
    stands_down_ = true;
    React(Cue::kDisable, now_us);
    return true;
}

/// The master that was followed before is polled again; if it is gone, its silence has us sweep.
void Role::StandBy(std::uint64_t now_us) {
    EMBER_ASSERT(stands_down());
    stands_down_ = false;
    candidate_ = watched_;
    log_.Write<Note::kStandbyAgain>(now_us, candidate_.guid);
    React(Cue::kStandby, now_us);
}

bool Role::TrustOnly(const StaticVector<Guid, 16>& standbys, std::uint64_t now_us) {
    const std::span<const OtherSm> all = others();
    const bool has_heir =
        restricts_trust_ && std::any_of(all.begin(), all.end(), [&](const OtherSm& other) {
            const bool is_ready =
                std::find(standbys.begin(), standbys.end(), other.guid) != standbys.end();
            return other.counts && is_ready && IsUntrusted(other) && !Outranks(other);
        });
    trusted_ = standbys;
    restricts_trust_ = true;
    if (std::exchange(awaits_trust_, false) && Heir() != nullptr) {
        OfferToHeir(now_us);
        return false;
    }
    if (has_heir) React(Cue::kHeirReady, now_us);
    return has_heir;
}

/// A master is not doubted: of two that meet, the lower yields, whatever it runs.
bool Role::IsUntrusted(const OtherSm& other) const {
    if (!restricts_trust_ || !is_master() || other.state != SmState::kStandby) return false;
    return std::find(trusted_.begin(), trusted_.end(), other.guid) == trusted_.end();
}

}  // namespace ember
