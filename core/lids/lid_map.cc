// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LIDs of each port GUID, kept over sweeps and restarts.

#include "core/lids/lid_map.h"

#include <cstring>

#include "core/base/assert.h"
#include "core/base/be.h"

namespace ember {
namespace {

inline constexpr std::uint32_t kMagic = 0x454C4D32;  // "ELM2"

struct StoredHead {
    Be<std::uint32_t> magic;
    Be<std::uint32_t> count;
};
static_assert(WireStruct<StoredHead>);

struct StoredEntry {
    Be<Guid> guid;
    Be<Lid> least;
    Be<Lid> most;
    Be<Lid> exit_lid;
    PortNumber exit_port{};
    std::uint8_t arrivals = 0;
};
static_assert(WireStruct<StoredEntry>);
static_assert(sizeof(StoredEntry) == 16);

}  // namespace

LidMap::LidMap(const Memory& memory, std::uint32_t max_lid)
    : rows_(memory.rows), by_guid_(memory.slots), kept_(memory.kept_words), max_lid_(max_lid) {
    static_assert(sizeof(StoredHead) == kHeadOctets && sizeof(StoredEntry) == kEntryOctets);
    EMBER_ASSERT(memory.slots.size() >= RowIndex<Row>::SlotsFor(std::size_t{max_lid} + 1));
    EMBER_ASSERT(rows_.size() > max_lid);
    EMBER_ASSERT(memory.kept_words.size() >= BitSet::WordsFor(std::size_t{max_lid} + 1));
}

void LidMap::Clear() {
    changed_ = changed_ || count_ != 0;
    for (const KeptLids& gone : entries()) {
        EmitEntry(sink_, SaEntryKind::kLidsGone, EntryOf(gone));
    }
    by_guid_.clear();
    kept_.clear();
    count_ = 0;
}

const KeptLids* LidMap::Find(Guid guid) const {
    const Row row = RowOf(guid);
    return row == RowIndex<Row>::kEmpty ? nullptr : &rows_[Raw(row)];
}

LidMap::Row LidMap::RowOf(Guid guid) const {
    return by_guid_.Find(by_guid_.HashOf(guid),
                         [&](Row row) { return rows_[Raw(row)].guid == guid; });
}

Status LidMap::Keep(Guid guid, Lid least, Lid most) {
    const bool sound = guid != kNoGuid && least != kNoLid && least <= most && Raw(most) <= max_lid_;
    if (!sound) return Status::kMalformed;
    const KeptLids* const had = Find(guid);
    if (had != nullptr && had->least == least && had->most == most) return Status::kOk;
    for (std::uint32_t lid = Raw(least); lid <= Raw(most); ++lid) {
        const bool own = had != nullptr && lid >= Raw(had->least) && lid <= Raw(had->most);
        if (kept_.Has(lid) && !own) return Status::kMalformed;
    }
    Forget(guid);
    for (std::uint32_t lid = Raw(least); lid <= Raw(most); ++lid) {
        kept_.Add(lid);
    }
    EMBER_ASSERT(count_ < rows_.size());  // Ranges do not overlap, and each has a LID.
    rows_[count_] = {guid, least, most, {}};
    by_guid_.Insert(by_guid_.HashOf(guid), static_cast<Row>(count_));
    ++count_;
    EMBER_ASSERT(by_guid_.size() == count_);
    changed_ = true;
    EmitRow(rows_[count_ - 1]);
    return Status::kOk;
}

void LidMap::EmitRow(const KeptLids& kept) const {
    EmitEntry(sink_, SaEntryKind::kLids, EntryOf(kept));
    if (kept.exit == KeptExit{}) return;
    EmitEntry(sink_, SaEntryKind::kLidExit, ExitEntryOf(kept));
}

Status LidMap::NoteExit(Guid guid, const KeptExit& exit) {
    const Row row = RowOf(guid);
    if (row == RowIndex<Row>::kEmpty || Raw(exit.lid) > max_lid_) return Status::kMalformed;
    KeptLids& kept = rows_[Raw(row)];
    if (kept.exit == exit) return Status::kOk;
    kept.exit = exit;
    changed_ = true;
    EmitEntry(sink_, SaEntryKind::kLidExit, ExitEntryOf(kept));
    return Status::kOk;
}

Status LidMap::Seize(Guid guid, Lid least, Lid most) {
    const Status kept = Keep(guid, least, most);
    if (kept != Status::kMalformed) return kept;
    const bool is_sound =
        guid != kNoGuid && least != kNoLid && least <= most && Raw(most) <= max_lid_;
    if (!is_sound) return kept;
    for (std::size_t i = count_; i > 0; --i) {  // Forget() puts the last entry in the hole.
        const KeptLids& other = rows_[i - 1];
        if (other.least <= most && least <= other.most) Forget(other.guid);
    }
    return Keep(guid, least, most);
}

void LidMap::Forget(Guid guid) {
    const Row row = RowOf(guid);
    if (row == RowIndex<Row>::kEmpty) return;
    EMBER_ASSERT(Raw(row) < count_);
    const KeptLids gone = rows_[Raw(row)];
    for (std::uint32_t lid = Raw(gone.least); lid <= Raw(gone.most); ++lid) {
        kept_.Remove(lid);
    }
    by_guid_.Remove(by_guid_.HashOf(guid), row,
                    [&](Row other) { return by_guid_.HashOf(rows_[Raw(other)].guid); });
    --count_;
    if (Raw(row) != count_) {
        rows_[Raw(row)] = rows_[count_];
        by_guid_.Renumber(by_guid_.HashOf(rows_[Raw(row)].guid), static_cast<Row>(count_), row);
        EmitRow(rows_[Raw(row)]);
    }
    EMBER_ASSERT(by_guid_.size() == count_);
    EmitEntry(sink_, SaEntryKind::kLidsGone, EntryOf(gone));
    changed_ = true;
}

Status LidMap::Save(Store& store, Arena& scratch) {
    const Arena::Frame frame(scratch);
    const std::span<std::byte> octets =
        scratch.Take<std::byte>(kHeadOctets + kEntryOctets * count_);
    const StoredHead head{kMagic, static_cast<std::uint32_t>(count_)};
    std::memcpy(octets.data(), &head, sizeof(head));
    std::size_t at = sizeof(head);
    for (const KeptLids& kept : entries()) {
        const StoredEntry entry{kept.guid,     kept.least,     kept.most,
                                kept.exit.lid, kept.exit.port, kept.exit.arrivals};
        std::memcpy(octets.data() + at, &entry, sizeof(entry));
        at += sizeof(entry);
    }
    EMBER_ASSERT(at == octets.size());
    EMBER_TRY(store.Save(StoreSlot::kGuidToLid, octets));
    changed_ = false;
    return Status::kOk;
}

Status LidMap::Load(Store& store, Arena& scratch, std::uint8_t lmc, std::uint32_t& dropped) {
    EMBER_ASSERT(lmc <= 7);
    dropped = 0;
    Clear();
    const Arena::Frame frame(scratch);
    const std::span<std::byte> octets = scratch.Take<std::byte>(StoreBytes(max_lid_));
    const Result<std::size_t> loaded = store.Load(StoreSlot::kGuidToLid, octets);
    if (!loaded.ok()) return loaded.status();
    EMBER_ASSERT(loaded.value() <= octets.size());
    StoredHead head{};
    if (loaded.value() < sizeof(head)) return Status::kMalformed;
    std::memcpy(&head, octets.data(), sizeof(head));
    const std::size_t count = head.count;
    // By division: a product may wrap where std::size_t has 32 bits, and a huge count then fits.
    const std::size_t entry_bytes = loaded.value() - sizeof(head);
    const bool is_whole = entry_bytes % sizeof(StoredEntry) == 0;
    if (head.magic != kMagic || !is_whole || count != entry_bytes / sizeof(StoredEntry)) {
        return Status::kMalformed;
    }
    const std::uint32_t mask = (1U << lmc) - 1U;
    for (std::size_t i = 0; i < count; ++i) {
        StoredEntry entry{};
        std::memcpy(&entry, octets.data() + sizeof(head) + i * sizeof(entry), sizeof(entry));
        const Lid least = entry.least;
        const Lid most = entry.most;
        const bool aligned = least == most || (Raw(least) & mask) == 0;
        const bool twice = Find(entry.guid) != nullptr;
        const KeptExit exit{entry.exit_lid, entry.exit_port, entry.arrivals};
        const bool is_taken = aligned && !twice && Keep(entry.guid, least, most) == Status::kOk;
        if (!is_taken || NoteExit(entry.guid, exit) != Status::kOk) ++dropped;
    }
    changed_ = dropped != 0;
    return Status::kOk;
}

}  // namespace ember
