// SPDX-License-Identifier: Apache-2.0
// EmberSM: what operators ask of a role, and what they are told of it.

#include <algorithm>

#include "core/role/role.h"

namespace ember {
namespace {

[[nodiscard]] bool TakesPart(const OtherSm& sm) {
    return sm.counts && sm.state != SmState::kNotActive;
}

}  // namespace

Role::Offer Role::OfferTo(Guid guid, std::uint64_t now_us) {
    if (!is_master() || first_sweep_) return Offer::kNotMaster;
    const bool is_busy = electing() || handover_is_due_ || handover_is_out_ || watching_ || leaves_;
    if (is_busy) return Offer::kBusy;
    const auto all = others();
    const auto to = std::find_if(all.begin(), all.end(), [guid](const OtherSm& sm) {
        return sm.counts && sm.guid == guid && sm.state == SmState::kStandby;
    });
    if (to == all.end()) return Offer::kAbsent;
    if (IsUntrusted(*to)) return Offer::kUntrusted;
    const bool is_outranked = std::any_of(all.begin(), all.end(), [&](const OtherSm& sm) {
        return TakesPart(sm) && sm.guid != guid && RanksAbove(sm, *to);
    });
    if (is_outranked) return Offer::kOutranked;
    const bool wins_ties = Raw(guid) < Raw(own_guid_);
    if (to->priority == 0 && !wins_ties) return Offer::kTooHigh;
    const auto highest = static_cast<std::uint8_t>(to->priority - (wins_ties ? 0 : 1));
    if (priority_ > highest) {
        priority_ = highest;
        log_.Write<Note::kPrioritySet>(now_us, priority_);
    }
    candidate_ = *to;
    decliners_.clear();  // The standby is asked by name.
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
    const auto compare = [&](const OtherSm& rival) {
        if (rival.guid == master.guid) return;
        const Reason beaten = rival.priority == master.priority ? Reason::kGuid : Reason::kPriority;
        const bool ranks_above = RanksAbove(rival, master);
        reason = std::max(reason, ranks_above ? Reason::kEarlier : beaten);
    };
    if (follows) compare(self);
    for (const OtherSm& sm : others()) {
        if (TakesPart(sm)) compare(sm);
    }
    return reason;
}

}  // namespace ember
