// SPDX-License-Identifier: Apache-2.0
// EmberSM: a standby that is configured otherwise than its master stays out of elections, and is
// not handed the subnet.

#include <algorithm>
#include <utility>

#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/role/role.h"

namespace ember {
namespace {

/// Between two sweeps for heirs that are trusted again.
constexpr std::uint64_t kHeirPaceUs = kSecondUs;

}  // namespace

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

/// A standby that was not trusted, and would be handed the subnet by the next election if it were.
bool Role::IsNewHeir(Guid guid) const {
    if (!restricts_trust_) return false;
    const std::span<const OtherSm> all = others();
    return std::any_of(all.begin(), all.end(), [&](const OtherSm& other) {
        return other.counts && other.guid == guid && IsUntrusted(other) && !Outranks(other);
    });
}

/// The sweep that meets an heir may find a client that has to be asked before the subnet is handed
/// over, and then the heir is trusted no longer: a host that has another name in each sweep would
/// have sweeps follow each other without a pause.
bool Role::TrustOnly(const StaticVector<Guid, 16>& standbys, std::uint64_t now_us) {
    const bool may_look = now_us >= next_heir_us_ || awaits_trust_;
    StaticVector<Guid, 16> trusted;
    bool has_heir = false;
    for (const Guid guid : standbys) {
        const bool is_new = IsNewHeir(guid);
        has_heir = has_heir || is_new;
        if (is_new && !may_look) continue;
        const Status added = trusted.TryPush(guid);
        EMBER_ASSERT(added == Status::kOk);
    }
    trusted_ = trusted;
    restricts_trust_ = true;
    heir_waits_ = has_heir && !may_look;
    if (std::exchange(awaits_trust_, false) && Heir() != nullptr) {
        OfferToHeir(now_us);
        return false;
    }
    if (!has_heir || heir_waits_) return false;
    next_heir_us_ = now_us + kHeirPaceUs;
    React(Cue::kHeirReady, now_us);
    return true;
}

/// A master is not doubted: of two that meet, the lower yields, whatever it runs.
bool Role::IsUntrusted(const OtherSm& other) const {
    if (!restricts_trust_ || !is_master() || other.state != SmState::kStandby) return false;
    return std::find(trusted_.begin(), trusted_.end(), other.guid) == trusted_.end();
}

}  // namespace ember
