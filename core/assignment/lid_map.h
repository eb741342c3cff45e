// SPDX-License-Identifier: Apache-2.0
// EmberSM: which LIDs each port GUID shall have, over sweeps and restarts.
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
#include "core/platform.h"

namespace ember {

/// The LIDs kept for a port GUID, whether or not the port is there today.
struct KeptLids {
    Guid guid = kNoGuid;
    Lid least = kNoLid;
    Lid most = kNoLid;
};

/// Which LIDs each port GUID shall have: OpenSM's guid2lid, as a table of fixed size.
///
/// Ranges never overlap, so there are at most max_lid entries: a LID tells its owner. The map is
/// written to StoreSlot::kGuidToLid as a whole after it changed; the Store makes that atomic.
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
    /// The index is drawn with this one; see RowIndex. To be called while nothing is in.
    void SetSecret(std::uint64_t secret) { by_guid_.SetSecret(secret); }
    /// The LIDs kept for `guid`, or nullptr.
    [[nodiscard]] const KeptLids* Find(Guid guid) const;
    /// Keeps least … most for `guid`, in place of what it had. kFull is impossible: see above.
    /// kMalformed when the range is empty, too high or overlaps another's.
    Status Keep(Guid guid, Lid least, Lid most);
    void Forget(Guid guid);
    [[nodiscard]] bool IsKept(Lid lid) const { return kept_.Has(Raw(lid)); }
    [[nodiscard]] std::span<const KeptLids> entries() const { return rows_.first(count_); }

    /// True when the map differs from what was last saved or loaded.
    [[nodiscard]] bool changed() const { return changed_; }
    /// Writes the map. `scratch` feeds the buffer: StoreBytes(max_lid).
    Status Save(Store& store, Arena& scratch);
    /// Replaces the map by the stored one. Entries that make no sense under `lmc` are dropped and
    /// counted in `dropped`: GUID or LID 0, upside down, unaligned, too high, overlapping.
    /// Source: OpenSM, osm_db_pack.c. kAbsent, kMalformed: the map is left empty.
    Status Load(Store& store, Arena& scratch, std::uint8_t lmc, std::uint32_t& dropped);

    [[nodiscard]] static constexpr std::size_t StoreBytes(std::uint32_t max_lid) {
        return kHeadOctets + std::size_t{kEntryOctets} * max_lid;
    }

private:
    [[nodiscard]] Row RowOf(Guid guid) const;

    static constexpr std::size_t kHeadOctets = 8;
    static constexpr std::size_t kEntryOctets = 12;

    std::span<KeptLids> rows_;
    RowIndex<Row> by_guid_;
    BitSet kept_;
    std::uint32_t max_lid_;
    std::size_t count_ = 0;
    bool changed_ = false;
};

}  // namespace ember
