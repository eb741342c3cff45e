// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many GUIDs that left one port have LIDs kept for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/lids/lid_map.h"

namespace ember {

/// So many GUIDs may come to an exit before the LIDs of one that left it are forgotten.
inline constexpr std::uint32_t kKeptArrivals = 4;

/// Bounds what one host can have of the LIDs.
///
/// A host may leave and come back with another GUID, again and again. Each GUID gets LIDs that are
/// kept for its return, so the highest LID would rise for ever. So the map knows the exit that each
/// port hung on last, and how many others have come there since it has left. After more than
/// kKeptArrivals of them its LIDs are free. The LIDs of a port that is off, and of all behind a
/// switch that is off, stay: nothing comes to their exits.
///
/// Ports behind a switch that a host may play (untrusted_switches.h) hang all on the exit where the
/// end node was, as that is their share.
class KeptShare {
public:
    /// The most that Run() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(limits.max_ports) +
               Arena::BytesFor<std::uint64_t>(BitSet::WordsFor(limits.max_lid + std::size_t{1}));
    }

    KeptShare(const Fabric& fabric, LidMap& map) : fabric_(fabric), map_(map) {}
    KeptShare(const KeptShare&) = delete;
    KeptShare& operator=(const KeptShare&) = delete;

    /// `present`: the end ports that have just been given LIDs, or for which none was left.
    void Run(std::span<const PortIndex> present, Arena& scratch);

private:
    [[nodiscard]] PortIndex ExitOf(const Port& port, const KeptExit& before) const;
    [[nodiscard]] KeptExit NameOf(PortIndex exit) const;
    [[nodiscard]] PortIndex Find(const KeptExit& exit) const;
    void NotePresent(std::span<const PortIndex> present);
    void CountArrivals();
    [[nodiscard]] bool ForgetUnplaced();

    const Fabric& fabric_;
    LidMap& map_;
    Table<PortIndex, std::uint8_t> arrivals_;  ///< By exit, in this run.
    BitSet present_;                           ///< The least LIDs of `present`.
};

}  // namespace ember
