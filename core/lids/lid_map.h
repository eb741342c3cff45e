// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LIDs of each port GUID, kept over sweeps and restarts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/row_index.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/fabric/sa_state.h"
#include "core/platform.h"

namespace ember {

/// The exit that an end port hung on when it was seen last: a port of the node that has `lid`.
struct KeptExit {
    Lid lid = kNoLid;           ///< kNoLid: it was never seen, or hung on no node with a LID.
    PortNumber port{};          ///< Of a switch, or the number of an end port.
    std::uint8_t arrivals = 0;  ///< Other GUIDs that came to that exit since.
    [[nodiscard]] bool operator==(const KeptExit&) const = default;
};

/// The LIDs kept for a port GUID, whether or not the fabric has that port now.
struct KeptLids {
    Guid guid = kNoGuid;
    Lid least = kNoLid;
    Lid most = kNoLid;
    KeptExit exit;
};
static_assert(sizeof(KeptLids) == 16);

/// The LIDs of each port GUID: OpenSM's guid2lid, as a table of fixed size.
///
/// Ranges never overlap, so there are at most max_lid entries. The map is written to
/// StoreSlot::kGuidToLid as a whole after it changed; the Store makes that atomic.
class LidMap {
public:
    enum class Row : std::uint16_t {};
    struct Memory {
        std::span<KeptLids> rows;             ///< max_lid + 1.
        std::span<Row> slots;                 ///< RowIndex<Row>::SlotsFor(max_lid + 1).
        std::span<std::uint64_t> kept_words;  ///< BitSet::WordsFor(0xC000).
    };

    LidMap(const Memory& memory, std::uint32_t max_lid);

    void Clear();
    /// The secret of the index; see RowIndex. Asserts that the map is empty.
    void SetSecret(std::uint64_t secret) { by_guid_.SetSecret(secret); }
    /// The LIDs kept for `guid`, or nullptr.
    [[nodiscard]] const KeptLids* Find(Guid guid) const;
    /// Keeps least … most for `guid`, in place of its earlier range. kMalformed when the GUID is 0,
    /// or the range is empty, too high or overlaps another one.
    Status Keep(Guid guid, Lid least, Lid most);
    void Forget(Guid guid);
    /// Notes where `guid` hangs, or how many came to its exit since it has left. kMalformed when
    /// there are no LIDs for it, or that of the exit is too high.
    Status NoteExit(Guid guid, const KeptExit& exit);
    /// Keeps least … most for `guid` though others had some of them: they lose all of theirs.
    /// kMalformed as Keep().
    Status Seize(Guid guid, Lid least, Lid most);
    /// `sink` hears of every change from now on; nullptr: none does. An entry that moves to another
    /// place in entries() is told again.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    [[nodiscard]] static LidsEntry EntryOf(const KeptLids& kept) {
        return {kept.guid, kept.least, kept.most};
    }
    [[nodiscard]] static LidExitEntry ExitEntryOf(const KeptLids& kept) {
        return {kept.guid, kept.exit.lid, Raw(kept.exit.port), kept.exit.arrivals};
    }
    [[nodiscard]] bool IsKept(Lid lid) const { return kept_.Has(Raw(lid)); }
    [[nodiscard]] std::span<const KeptLids> entries() const { return rows_.first(count_); }

    /// True when the map has changed since it was saved or loaded.
    [[nodiscard]] bool changed() const { return changed_; }
    /// Writes the map. Takes StoreBytes(max_lid) from `scratch`.
    Status Save(Store& store, Arena& scratch);
    /// Replaces the map by the stored one. Entries that are impossible under `lmc` are dropped and
    /// counted in `dropped`: GUID or LID 0, upside down, unaligned, too high, overlapping.
    /// Source: OpenSM, osm_db_pack.c. kAbsent, kMalformed: the map is left empty.
    Status Load(Store& store, Arena& scratch, std::uint8_t lmc, std::uint32_t& dropped);

    [[nodiscard]] static constexpr std::size_t StoreBytes(std::uint32_t max_lid) {
        return kHeadOctets + std::size_t{kEntryOctets} * max_lid;
    }

private:
    [[nodiscard]] Row RowOf(Guid guid) const;
    void EmitRow(const KeptLids& kept) const;

    static constexpr std::size_t kHeadOctets = 8;
    static constexpr std::size_t kEntryOctets = 16;

    std::span<KeptLids> rows_;
    RowIndex<Row> by_guid_;
    BitSet kept_;
    std::uint32_t max_lid_;
    std::size_t count_ = 0;
    bool changed_ = false;
    SaStateSink* sink_ = nullptr;
};

}  // namespace ember
