// SPDX-License-Identifier: Apache-2.0
// EmberSM: LIDs over a bring-up: read from the store, assigned, and written back.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/base/time.h"
#include "core/fabric/fabric.h"
#include "core/lids/lid_map.h"
#include "core/lids/lids.h"
#include "core/log/log.h"
#include "core/platform.h"
#include "core/settings/settings.h"

namespace ember {

/// Keeps the LIDs of GUIDs: reads them from the store, assigns them, and writes them back.
class LidUpkeep {
public:
    /// All outlive it.
    struct Parts {
        Fabric& fabric;
        Log& log;
        Store& store;
        Arena& scratch;  ///< Used inside one call only.
    };

    /// `settings` may change underneath.
    LidUpkeep(const LidMap::Memory& memory, const Limits& limits, const Parts& parts,
              const Settings& settings);
    LidUpkeep(const LidUpkeep&) = delete;
    LidUpkeep& operator=(const LidUpkeep&) = delete;

    void SetSecret(std::uint64_t secret) { map_.SetSecret(secret); }
    /// Another subnet manager is master: it may assign other LIDs.
    void NoteOtherMaster() { another_was_master_ = true; }

    /// The map is that of the master that we follow, or is not. If it is, Load() leaves it.
    void NoteReplica(bool is_replica) { is_replica_ = is_replica; }
    /// For who tells standbys of it, or hears of it from a master.
    [[nodiscard]] LidMap& map() { return map_; }

    /// To be called in the first sweep as master. Reads the store the first time, and after another
    /// master if honor_guid2lid_file is set. Forgets the LIDs from before another master, and all
    /// LIDs under reassign_lids. The first time guid2lid_file counts too; see filed_lids.h.
    void Load(std::uint64_t now_us);
    /// Assigns LIDs to all end ports. `trust_present`: LIDs in PortInfos are kept where possible.
    void Assign(bool trust_present, std::uint64_t now_us);
    /// The sweep has found all end ports as they were, and their LIDs stay.
    void KeepAll();
    /// Writes the map if it has changed. A slow store is asked again at NextDeadlineUs().
    void Save(std::uint64_t now_us);
    /// Save() again, if the store was busy and its time has come.
    void Step(std::uint64_t now_us) {
        if (now_us >= save_again_us_) Save(now_us);
    }
    /// When Step() has work; kNever: the map is saved.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return save_again_us_; }

    [[nodiscard]] const LidMap& map() const { return map_; }
    /// Of the last assignment.
    [[nodiscard]] const LidOutcome& outcome() const { return outcome_; }

private:
    void LogOutcome(std::uint64_t now_us);
    void LogFiled(std::uint64_t now_us);

    Parts parts_;
    const Settings& settings_;
    LidMap map_;
    LidOutcome outcome_;
    StaticVector<LidEvent, LidOutcome::kMostEvents> logged_claims_;  ///< By the last notes.
    bool is_loaded_ = false;           ///< The map was read from the store in this incarnation.
    bool another_was_master_ = false;  ///< Since we were master last.
    bool takes_file_ = false;          ///< guid2lid_file counts in the next assignment.
    bool is_replica_ = false;          ///< The map is that of the master before us.
    std::uint64_t save_again_us_ = kNever;
};

}  // namespace ember
