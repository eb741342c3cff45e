// SPDX-License-Identifier: Apache-2.0
// EmberSM: a master whose process ends hands the subnet over, so that no standby has to
// wait for its polls to fail.

#include <algorithm>

#include "core/base/time.h"
#include "core/role/role.h"

namespace ember {
namespace {

/// An orderly end waits no longer for a standby.
constexpr std::uint64_t kLeavingUs = kSecondUs;

}  // namespace

void Role::Leave(std::uint64_t now_us) {
    if (leaves_) return;
    leaves_ = true;
    leaves_until_us_ = now_us + kLeavingUs;
    next_newcomer_us_ = now_us;
    OfferToHeir(now_us);
}

/// The highest standby that has not declined; nullptr: none.
const OtherSm* Role::Heir() const {
    const OtherSm* heir = nullptr;
    for (const OtherSm& other : others()) {
        if (!other.counts || other.declined || other.state != SmState::kStandby) continue;
        if (IsUntrusted(other)) continue;
        if (heir == nullptr || RanksAbove(other, *heir)) heir = &other;
    }
    return heir;
}

/// A standby is there that may be trusted as soon as it is looked at again.
bool Role::HasUntrustedStandby() const {
    const std::span<const OtherSm> all = others();
    return std::any_of(all.begin(), all.end(), [this](const OtherSm& other) {
        return other.counts && !other.declined && IsUntrusted(other);
    });
}

/// Offers the subnet to the highest standby. Without one we stay master to the end, and our silence
/// tells the standbys. A standby that is doubted is judged once more: it was met this moment, or
/// what it lacked counts for less than a silent end.
void Role::OfferToHeir(std::uint64_t now_us) {
    EMBER_ASSERT(leaves_);
    if (electing()) return;  // Their answers are awaited; HearInvitation() calls again.
    const OtherSm* const heir = is_master() ? Heir() : nullptr;
    awaits_trust_ = heir == nullptr && HasUntrustedStandby();
    if (heir == nullptr) return;
    candidate_ = *heir;
    Perform(Act::kHandOver, now_us);
    act_ = Act::kHandOver;
}

/// The SM that has taken over meets us in its first sweep, as we are IsSM to the end. If we were
/// gone by then, it would wait for our answer.
bool Role::leaves(std::uint64_t now_us) const {
    const bool offers =
        electing() || handover_is_due_ || handover_is_out_ || awaits_newcomers() || awaits_trust_;
    return leaves_ && now_us < leaves_until_us_ && (awaits_heir_ || (is_master() && offers));
}

}  // namespace ember
