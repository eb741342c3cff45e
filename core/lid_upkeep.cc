// SPDX-License-Identifier: Apache-2.0
// EmberSM: LIDs over a bring-up: read from the store, given, and written back.

#include "core/subnet_manager.h"

namespace ember {
namespace {

/// A store that writes behind our back is asked so often how it went.
inline constexpr std::uint64_t kSaveAgainUs = 100'000;

}  // namespace

void SubnetManager::LoadLids(std::uint64_t now_us) {
    const bool first_ever = !lids_loaded_;
    lids_loaded_ = true;
    if (was_standby_ && !first_ever) lid_map_.Clear();
    may_restore_ = (may_restore_ || first_ever) && !is_succeeded_;
    const bool from_store = first_ever || (was_standby_ && settings_.honor_guid2lid_file);
    was_standby_ = false;
    if (settings_.reassign_lids) {
        lid_map_.Clear();
        return;
    }
    if (!from_store) return;
    std::uint32_t dropped = 0;
    const Status loaded = lid_map_.Load(platform_.store, scratch_, settings_.lmc, dropped);
    if (loaded == Status::kOk) {
        journal_.Write<Note::kLidStoreRead>(now_us, lid_map_.entries().size(), dropped);
    } else if (loaded != Status::kAbsent) {
        journal_.Write<Note::kStoreMalformed>(now_us, Raw(StoreSlot::kGuidToLid), Raw(loaded));
    }
}

void SubnetManager::SaveLids(std::uint64_t now_us) {
    save_again_us_ = ~std::uint64_t{0};
    if (!lid_map_.changed()) return;
    const Status saved = lid_map_.Save(platform_.store, scratch_);
    if (saved == Status::kBusy) save_again_us_ = now_us + kSaveAgainUs;
    if (saved == Status::kOk || saved == Status::kBusy) return;
    journal_.Write<Note::kStoreFailed>(now_us, Raw(StoreSlot::kGuidToLid), Raw(saved));
}

void SubnetManager::TellLids(std::uint64_t now_us) {
    const LidOutcome& lids = status_.lids;
    for (const LidEvent& claim : lids.claims) {
        journal_.Write<Note::kLidDuplicate>(now_us, claim.lid, claim.guid, claim.other);
    }
    for (const LidEvent& move : lids.moves) {
        journal_.Write<Note::kLidMoved>(now_us, move.guid, move.before, move.lid);
    }
    for (const SwitchFit& fit : lids.fits) {
        if (fit.is_left_out) {
            journal_.Write<Note::kSwitchLeftOut>(now_us, fit.guid, fit.cap, fabric_.top_lid());
        } else {
            journal_.Write<Note::kSwitchTakenIn>(now_us, fit.guid, fit.cap);
        }
    }
    if (lids.uprooted > lids.moves.size()) journal_.Write<Note::kLidsMoved>(now_us, lids.uprooted);
    if (lids.without != 0) {
        journal_.Write<Note::kLidsExhausted>(now_us, lids.without, lids.first_without,
                                             limits_.max_lid, fabric_.shortage().needed_lids);
    }
}

void SubnetManager::GiveLids(bool trust_present, std::uint64_t now_us) {
    status_.lids = AssignLids(fabric_, lid_map_, settings_, trust_present, scratch_);
    fabric_.ForgetEndPortNews();
    TellLids(now_us);
    const Port& own = fabric_.port(fabric_.own_port());
    role_.SetOwnPort(own.guid, own.lid);
    for (const OtherSm& other : role_.others()) {
        const PortIndex at = fabric_.FindPort(other.port);
        if (at == kNoPortIndex || fabric_.port(at).lid == kNoLid) continue;
        role_.SetLidOf(other.port, fabric_.port(at).lid);
    }
}

}  // namespace ember
