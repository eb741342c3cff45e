// SPDX-License-Identifier: Apache-2.0
// EmberSM: LIDs over a bring-up: read from the store, assigned, and written back.

#include "core/lids/lid_upkeep.h"

#include <algorithm>
#include <utility>

#include "core/lids/filed_lids.h"

namespace ember {
namespace {

/// Interval at which a store that writes in the background is asked for the result.
inline constexpr std::uint64_t kSaveAgainUs = 100 * kMillisecondUs;

}  // namespace

LidUpkeep::LidUpkeep(const LidMap::Memory& memory, const Limits& limits, const Parts& parts,
                     const Settings& settings)
    : parts_(parts), settings_(settings), map_(memory, limits.max_lid) {}

void LidUpkeep::Load(std::uint64_t now_us) {
    const bool is_first = !is_loaded_;
    const bool is_successor = another_was_master_;
    const bool is_known = is_replica_ && !settings_.reassign_lids;
    is_loaded_ = true;
    another_was_master_ = false;
    is_replica_ = false;
    if (is_known) return;
    if (is_successor && !is_first) map_.Clear();
    if (settings_.reassign_lids) {
        map_.Clear();
        return;
    }
    takes_file_ = is_first && !settings_.manager_tables.port_lids.empty();
    if (!is_first && !(is_successor && settings_.honor_guid2lid_file)) return;
    std::uint32_t dropped = 0;
    const Status loaded = map_.Load(parts_.store, parts_.scratch, settings_.lmc, dropped);
    if (loaded == Status::kOk) {
        parts_.log.Write<Note::kLidStoreRead>(now_us, map_.entries().size(), dropped);
    } else if (loaded != Status::kAbsent) {
        parts_.log.Write<Note::kStoreMalformed>(now_us, Raw(StoreSlot::kGuidToLid), Raw(loaded));
    }
}

void LidUpkeep::Assign(bool trust_present, std::uint64_t now_us) {
    EMBER_ASSERT(is_loaded_);
    const bool takes_file = std::exchange(takes_file_, false);
    if (takes_file) KeepFiledLids(parts_.fabric, map_, settings_, parts_.scratch);
    outcome_ = AssignLids(parts_.fabric, map_, settings_, trust_present, parts_.scratch);
    parts_.fabric.ForgetEndPortNews();
    LogOutcome(now_us);
    if (takes_file) LogFiled(now_us);
}

void LidUpkeep::KeepAll() {
    EMBER_ASSERT(!parts_.fabric.has_end_port_news());
    outcome_.moved = 0;
    outcome_.duplicates = 0;
}

void LidUpkeep::Save(std::uint64_t now_us) {
    save_again_us_ = kNever;
    if (!map_.changed()) return;
    const Status saved = map_.Save(parts_.store, parts_.scratch);
    if (saved == Status::kBusy) save_again_us_ = now_us + kSaveAgainUs;
    if (saved == Status::kOk || saved == Status::kBusy) return;
    parts_.log.Write<Note::kStoreFailed>(now_us, Raw(StoreSlot::kGuidToLid), Raw(saved));
}

void LidUpkeep::LogFiled(std::uint64_t now_us) {
    Log& log = parts_.log;
    const FiledLidsOutcome filed = JudgeFiledLids(map_, settings_.manager_tables.port_lids);
    for (const FiledLidEvent& event : filed.events) {
        if (event.holder != kNoGuid) {
            log.Write<Note::kFiledLidTaken>(now_us, event.lid, event.guid, event.holder);
        } else if (event.has != kNoLid) {
            log.Write<Note::kFiledLidPassedOver>(now_us, event.guid, event.has, event.lid);
        } else {
            log.Write<Note::kFiledLidUnfit>(now_us, event.lid, event.guid);
        }
    }
    log.Write<Note::kFiledLidsRead>(now_us, filed.kept, filed.refused);
}

void LidUpkeep::LogOutcome(std::uint64_t now_us) {
    EMBER_ASSERT(outcome_.replaced <= outcome_.moved);
    Log& log = parts_.log;
    const Fabric& fabric = parts_.fabric;
    // Claims stay for which no LID is left.
    if (!std::equal(outcome_.claims.begin(), outcome_.claims.end(), logged_claims_.begin(),
                    logged_claims_.end())) {
        for (const LidEvent& claim : outcome_.claims) {
            log.Write<Note::kLidDuplicate>(now_us, claim.lid, claim.guid, claim.other);
        }
    }
    logged_claims_ = outcome_.claims;
    for (const LidEvent& move : outcome_.moves) {
        log.Write<Note::kLidMoved>(now_us, move.guid, move.before, move.lid);
    }
    for (const LinearFdbCapEvent& event : outcome_.cap_events) {
        if (event.is_left_out) {
            log.Write<Note::kSwitchLeftOut>(now_us, event.guid, event.cap, fabric.top_lid());
        } else {
            log.Write<Note::kSwitchTakenIn>(now_us, event.guid, event.cap);
        }
    }
    if (outcome_.replaced > outcome_.moves.size()) {
        log.Write<Note::kLidsMoved>(now_us, outcome_.replaced);
    }
    if (outcome_.without != 0) {
        log.Write<Note::kLidsExhausted>(now_us, outcome_.without, outcome_.first_without,
                                        outcome_.highest, fabric.shortage().needed_lids);
    }
}

}  // namespace ember
