// SPDX-License-Identifier: Apache-2.0
// EmberSM: proved peers that say that they are master, while we are.
#include "core/replication/rivals.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

/// A peer's word from before we were master may be of before it handed the subnet over.
const ReplicationPeer* Rivals::Find() const {
    const auto rows = parts_.peers.rows();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const ReplicationPeer& row) {
        return row.is_proved() && row.has_greeted && row.hello.state == SmState::kMaster &&
               row.hello_us > master_us_;
    });
    return found == rows.end() ? nullptr : &*found;
}

void Rivals::End(std::uint64_t now_us) {
    if (is_logged_) parts_.log.Write<Note::kTwoMastersEnded>(now_us, rival_);
    rival_ = kNoGuid;
    is_logged_ = false;
}

/// A role that watches it has met it, and does what there is to do.
bool Rivals::MayCue(std::uint64_t now_us) const {
    const Role& role = parts_.role;
    const bool is_known = role.watched() == rival_ || role.about_to_offer() == rival_;
    return now_us >= next_us_ && !is_known && !role.electing() && !role.leaves(now_us);
}

/// M_Keys that we lack may be between, or a switch that lied.
bool Rivals::WasSoughtInVain(std::uint64_t now_us) {
    EMBER_ASSERT(rival_ != kNoGuid);
    if (sought_ == rival_ && now_us < sought_us_ + kSoughtUs) return now_us >= sought_us_ + kLogUs;
    sought_ = rival_;
    sought_us_ = now_us;
    return false;
}

bool Rivals::Step(std::uint64_t now_us) {
    const bool is_master = parts_.role.is_master();
    if (!is_master || master_us_ == 0) master_us_ = is_master ? now_us : 0;
    if (!is_master) sought_ = kNoGuid;
    const ReplicationPeer* const row = is_master ? Find() : nullptr;
    if (row == nullptr || row->guid != rival_) {
        if (rival_ != kNoGuid) End(now_us);
        if (row == nullptr) return false;
        rival_ = row->guid;
        since_us_ = row->hello_us;
        next_us_ = since_us_ + kCueUs;
        pause_us_ = kCueUs;
    }
    const std::uint64_t for_us = row->hello_us - since_us_;
    if (for_us >= kLogUs && !is_logged_) {
        is_logged_ = true;
        parts_.log.Write<Note::kTwoMasters>(now_us, rival_, row->hello.priority,
                                            for_us / kSecondUs);
    }
    if (for_us < kCueUs || !MayCue(now_us)) return false;
    pause_us_ = std::min(2 * pause_us_, kMostPauseUs);
    next_us_ = now_us + pause_us_;
    if (WasSoughtInVain(now_us)) {
        parts_.role.FollowPeer(row->guid, row->lid, row->hello.priority, now_us);
    }
    if (parts_.role.about_to_offer() != rival_) parts_.role.HearOfMaster(now_us);
    return true;
}

}  // namespace ember
