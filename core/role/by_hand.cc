// SPDX-License-Identifier: Apache-2.0
// EmberSM: what operators ask of a role, and what they are told of it.

#include "core/role/role.h"

namespace ember {

Role::Offer Role::OfferTo(Guid guid, std::uint64_t now_us) {
    if (!is_master() || first_sweep_) return Offer::kNotMaster;
    const bool is_busy = electing() || handover_is_due_ || handover_is_out_ || watching_ || leaves_;
    if (is_busy) return Offer::kBusy;
    const OtherSm* to = nullptr;
    for (const OtherSm& other : others()) {
        const bool is_meant = other.counts && other.guid == guid;
        if (is_meant && other.state == SmState::kStandby) to = &other;
    }
    if (to == nullptr) return Offer::kAbsent;
    if (IsDoubted(*to)) return Offer::kDoubted;
    for (const OtherSm& other : others()) {
        const bool takes_part = other.counts && other.state != SmState::kNotActive;
        if (takes_part && other.guid != guid && RanksAbove(other, *to)) return Offer::kOutranked;
    }
    const bool wins_ties = Raw(guid) < Raw(own_guid_);
    if (to->priority == 0 && !wins_ties) return Offer::kTooHigh;
    const auto highest = static_cast<std::uint8_t>(to->priority - (wins_ties ? 0 : 1));
    if (priority_ > highest) {
        priority_ = highest;
        log_.Write<Note::kPrioritySet>(now_us, priority_);
    }
    candidate_ = *to;
    decliners_.clear();  // It is asked by name.
    Perform(Act::kHandOver, now_us);
    act_ = Act::kHandOver;
    return Offer::kMade;
}

void Role::SetPriority(std::uint8_t priority, std::uint64_t now_us) {
    EMBER_ASSERT(priority <= 15);
    if (priority == priority_) return;
    priority_ = priority;
    log_.Write<Note::kPrioritySet>(now_us, priority_);
    React(Cue::kPriorityChanged, now_us);
}

Role::Reason Role::reason() const {
    const bool follows = state_ == SmState::kStandby && watching_;
    if (!is_master() && !follows) return Reason::kNoMaster;
    OtherSm self;
    self.guid = own_guid_;
    self.priority = priority_;
    const OtherSm& master = follows ? watched_ : self;
    Reason reason = Reason::kAlone;
    const auto rival = [&](const OtherSm& other) {
        if (other.guid == master.guid) return;
        if (RanksAbove(other, master)) reason = Reason::kEarlier;
        if (reason == Reason::kAlone) reason = Reason::kPriority;
        const bool is_tie = other.priority == master.priority;
        if (reason == Reason::kPriority && is_tie) reason = Reason::kGuid;
    };
    if (follows) rival(self);
    for (const OtherSm& other : others()) {
        if (other.counts && other.state != SmState::kNotActive) rival(other);
    }
    return reason;
}

}  // namespace ember
