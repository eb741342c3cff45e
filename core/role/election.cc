// SPDX-License-Identifier: Apache-2.0
// EmberSM: elections: the highest rank, and the time that a lower master gets to hand over.

#include <algorithm>

#include "core/base/time.h"
#include "core/role/role.h"

namespace ember {
namespace {

/// Elections in a row after which a silent SM counts as mute.
constexpr std::uint8_t kMostInVain = 3;

/// SM arbitration: the larger priority, then the smaller GUID. IBA vol. 1, 14.4.1.
[[nodiscard]] bool Ranks(std::uint8_t priority, Guid guid, std::uint8_t above, Guid above_guid) {
    return priority != above ? priority > above : guid < above_guid;
}

}  // namespace

bool Role::Outranks(const OtherSm& other) const {
    return Ranks(priority_, own_guid_, other.priority, other.guid);
}

bool Role::RanksAbove(const OtherSm& one, const OtherSm& other) {
    return Ranks(one.priority, one.guid, other.priority, other.guid);
}

OtherSm* Role::Highest(bool masters_only) {
    OtherSm* highest = nullptr;
    for (OtherSm& other : others_.first(count_)) {
        const bool may_serve = other.counts && other.state != SmState::kNotActive;
        if (!may_serve || (masters_only && other.state != SmState::kMaster)) continue;
        // An SM that is still discovering will find us, and cannot take over before.
        if (is_master() && (other.state == SmState::kDiscovering || other.declined)) continue;
        if (IsUntrusted(other)) continue;
        if (highest == nullptr || RanksAbove(other, *highest)) highest = &other;
    }
    return highest;
}

void Role::Conclude(std::uint64_t now_us) {
    EMBER_ASSERT(!electing());
    silent_ = kNoGuid;
    PaceNewcomers(now_us);
    LogLost(now_us);
    const OtherSm* const highest = Highest(false);
    const OtherSm* const master = Highest(true);
    const bool is_outranked = highest != nullptr && !Outranks(*highest);
    const bool meets_lower = is_master() && !is_outranked && master != nullptr;
    Cue cue = Cue::kUnrivaled;
    if (meets_lower) {
        candidate_ = *master;
        cue = MeetLowerMaster(now_us);
    } else if (is_outranked || master != nullptr) {
        // A master yields to the highest SM; any other SM follows the highest master.
        EMBER_ASSERT(highest != nullptr);
        cue = Meet(is_master() || master == nullptr ? *highest : *master);
    } else if (is_master() && awaited_ != kNoGuid) {
        cue = Cue::kMasterSilent;
    }
    if (!meets_lower) awaited_ = kNoGuid;
    React(cue, now_us);
    if (meets_lower && is_overdue_) BeginPolling(now_us);
}

Cue Role::Meet(const OtherSm& other) {
    EMBER_ASSERT(other.counts);
    EMBER_ASSERT(other.state != SmState::kNotActive);
    candidate_ = other;
    if (other.state != SmState::kMaster) return Cue::kOutranked;
    return Outranks(other) ? Cue::kLowerMasterMet : Cue::kMasterMet;
}

/// Decides whether a lower master gets more time to hand over, or we serve beside it.
Cue Role::MeetLowerMaster(std::uint64_t now_us) {
    EMBER_ASSERT(candidate_.guid != kNoGuid);
    if (awaited_ != candidate_.guid) {
        awaited_ = candidate_.guid;
        awaited_since_us_ = now_us;
        is_overdue_ = false;
    }
    if (!is_overdue_ && now_us >= PatienceEndsUs()) LosePatience(now_us);
    return is_overdue_ ? Cue::kUnrivaled : Cue::kLowerMasterMet;
}

/// The time given to a lower master, which may have a large subnet to sweep before it hands over.
std::uint64_t Role::PatienceEndsUs() const {
    const std::uint64_t polls = settings_.polling_retry_number + std::uint64_t{1};
    return awaited_since_us_ + polls * PatientPollUs();
}

void Role::LosePatience(std::uint64_t now_us) {
    EMBER_ASSERT(now_us >= awaited_since_us_);
    is_overdue_ = true;
    merges_ = !first_sweep_ || merges_;
    first_sweep_ = true;  // The other master has managed the subnet meanwhile.
    log_.Write<Note::kHandoverOverdue>(now_us, awaited_, (now_us - awaited_since_us_) / kSecondUs);
}

void Role::BeginElection() {
    Drop();
    count_ = next_ = 0;
    has_met_ = true;
}

Status Role::Invite(Guid port_guid, Lid lid, const DirectedPath& path, std::uint64_t now_us) {
    if (settings_.ignore_other_sm) {
        LogIgnored(port_guid, now_us);
        return Status::kOk;
    }
    if (!IsListed(port_guid)) {
        LogUnlisted(port_guid, now_us);
        return Status::kOk;
    }
    if (count_ == others_.size()) {
        log_.WriteSparingly<Note::kLimitExhausted>(now_us, LimitName::kOtherSms, count_,
                                                   count_ + 1);
        return Status::kFull;
    }
    OtherSm& other = others_[count_++];
    other = OtherSm{};
    other.port = port_guid;
    other.guid = port_guid;
    other.lid = lid;
    other.path = path;
    ++waiting_for_;
    EMBER_ASSERT(waiting_for_ <= count_);
    return Status::kOk;
}

/// True for a port that was silent in so many elections. A host may set IsSM and never answer:
/// light sweeps leave it out, and the election of a heavy sweep does not wait for it as for others,
/// or each change of the subnet would wait so long.
bool Role::IsMute(Guid port) const {
    return std::any_of(mute_.begin(), mute_.end(), [&](const Mute& mute) {
        return mute.port == port && mute.elections >= kMostInVain;
    });
}

/// A port that answers holds nothing up, whether or not it counts.
void Role::CountElection(Guid port, bool has_answered) {
    const auto is_it = [&](const Mute& mute) { return mute.port == port; };
    Mute* const known = std::find_if(mute_.begin(), mute_.end(), is_it);
    const auto at = static_cast<std::size_t>(known - mute_.begin());
    if (has_answered) {
        if (known != mute_.end()) mute_.SwapRemove(at);
        return;
    }
    if (known != mute_.end()) {
        known->elections = std::min<std::uint8_t>(known->elections + 1, kMostInVain);
        return;
    }
    if (mute_.full()) mute_.SwapRemove(0);
    const Status kept = mute_.TryPush({.port = port, .elections = 1});
    EMBER_ASSERT(kept == Status::kOk);
}

void Role::Forget(Guid port) {
    EMBER_ASSERT(!electing());
    const auto end =
        std::remove_if(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(count_),
                       [&](const OtherSm& other) { return other.port == port && !other.counts; });
    count_ = next_ = static_cast<std::size_t>(end - others_.begin());
}

void Role::Review() {
    Drop();
    decliners_.clear();
    next_ = 0;
    const auto end =
        std::remove_if(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(count_),
                       [this](const OtherSm& other) { return IsMute(other.port); });
    count_ = static_cast<std::size_t>(end - others_.begin());
    waiting_for_ = count_;
    for (OtherSm& other : others_.first(count_)) {
        other.asked = other.counts = other.declined = false;
    }
}

}  // namespace ember
